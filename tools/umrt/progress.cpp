// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace umrt::tool {
namespace {

constexpr std::uint64_t bar_width = 30;
constexpr std::chrono::milliseconds between_draws{100};
constexpr const char* clear_line = "\r\x1b[K";

}  // namespace

Progress::Progress() : is_shown_{::isatty(STDERR_FILENO) == 1} {}

void Progress::begin(std::string stage, std::uint64_t steps) {
  stage_ = std::move(stage);
  steps_ = std::max<std::uint64_t>(steps, 1);
  done_ = 0;
  began_ = std::chrono::steady_clock::now();
  draw();
}

void Progress::step(std::uint64_t done) {
  done_ = std::min(done, steps_);
  if (std::chrono::steady_clock::now() - drawn_ >= between_draws || done_ == steps_) draw();
}

void Progress::draw() {
  if (!is_shown_) return;
  is_drawn_ = true;
  drawn_ = std::chrono::steady_clock::now();
  const std::string bar(done_ * bar_width / steps_, '#');
  fmt::print(stderr, "{}{:<34} [{:<{}}] {:>3} % {:.1f} s", clear_line, stage_, bar, bar_width, done_ * 100 / steps_,
             std::chrono::duration<double>(drawn_ - began_).count());
  std::fflush(stderr);
}

void Progress::clear() {
  if (!std::exchange(is_drawn_, false)) return;
  fmt::print(stderr, "{}", clear_line);
  std::fflush(stderr);
}

}  // namespace umrt::tool
