// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include <csignal>

namespace umrt::tool {
namespace {

volatile std::sig_atomic_t was_signalled = 0;

constexpr int watched[] = {SIGINT, SIGTERM};

void note(int) { was_signalled = 1; }

}  // namespace

InterruptWatch::InterruptWatch() {
  was_signalled = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : watched) ::sigaction(signal, &action, nullptr);
}

InterruptWatch::~InterruptWatch() {
  for (const int signal : watched) std::signal(signal, SIG_DFL);
}

bool is_interrupted() { return was_signalled != 0; }

}  // namespace umrt::tool
