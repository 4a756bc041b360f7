// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT) and SIGTERM as a question that long work asks at its boundaries. The second signal ends the process
// at once, as if nobody had listened.
#pragma once

namespace umrt::tool {

class InterruptWatch {  // one at a time; gives the handlers back when it ends
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
};

bool is_interrupted();

}  // namespace umrt::tool
