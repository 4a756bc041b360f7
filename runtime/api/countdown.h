// SPDX-License-Identifier: Apache-2.0
// Something to do when the last of several has ended: each holds a std::shared_ptr to it.
#pragma once

#include <functional>

namespace umrt {

class Countdown {
 public:
  explicit Countdown(std::function<void()> at_last) : at_last_{std::move(at_last)} {}
  ~Countdown() { at_last_(); }
  Countdown(const Countdown&) = delete;
  Countdown& operator=(const Countdown&) = delete;

 private:
  std::function<void()> at_last_;
};

}  // namespace umrt
