// SPDX-License-Identifier: Apache-2.0
#include "os/event_counter.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/assert.h"

namespace umrt::os {

Result<EventCounter> EventCounter::make() {
  EventCounter counter;
  counter.fd_ = FileDescriptor{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!counter.fd_) return failure(UMRT_ERROR_SYSTEM, fmt::format("eventfd: {}", std::strerror(errno)), errno);
  return counter;
}

void EventCounter::clear() noexcept {
  std::uint64_t value = 0;
  [[maybe_unused]] const auto bytes = ::read(fd_.get(), &value, sizeof value);
}

void signal_event(int fd) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto bytes = ::write(fd, &one, sizeof one);
}

void wait_readable(std::span<const int> descriptors, std::optional<std::uint64_t> timeout_ns) noexcept {
  pollfd polled[32];
  UMRT_ASSERT(descriptors.size() <= 32);
  for (std::size_t i = 0; i < descriptors.size(); ++i) polled[i] = {descriptors[i], POLLIN, 0};
  timespec timeout{};
  if (timeout_ns) {
    timeout.tv_sec = static_cast<time_t>(*timeout_ns / 1'000'000'000u);
    timeout.tv_nsec = static_cast<long>(*timeout_ns % 1'000'000'000u);
  }
  ::ppoll(polled, descriptors.size(), timeout_ns ? &timeout : nullptr, nullptr);
}

bool is_readable(int descriptor) noexcept {
  pollfd polled{descriptor, POLLIN, 0};
  return ::poll(&polled, 1, 0) == 1 && polled.revents != 0;
}

}  // namespace umrt::os
