// SPDX-License-Identifier: Apache-2.0
// A process with a warm buffer of huge pages: what a copy between processes can do on this machine, without umrt.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"
#include "os/mapping.h"

namespace umrt::bench {

struct CopyRates {  // bytes per nanosecond, which is GB/s; medians of five
  double in = 0, out = 0;
  double limit() const { return 1 / (1 / in + 1 / out); }  // every byte goes in once and out once
};

class PeerProcess {
 public:
  explicit PeerProcess(Bytes bytes);  // throws std::runtime_error
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  CopyRates measure_rates();                            // in pieces of 2 MiB
  std::vector<double> measure_copy_in_ns(Bytes piece);  // of single pieces at scattered places

 private:
  double pass_ns(bool is_inwards);

  os::Mapping local_, remote_;  // the same addresses in both processes; each uses its own
  int pid_ = -1;
};

}  // namespace umrt::bench
