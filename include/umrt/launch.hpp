// SPDX-License-Identifier: Apache-2.0
// Kernels as function objects: umrt::launch(stream, n, [=](std::uint64_t i) { y[i] += a * x[i]; }).
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "umrt/stream.hpp"

namespace umrt {

namespace detail {

template <class Kernel>
void run_pieces(const void* arguments, std::uint64_t begin, std::uint64_t end) {
  // A copy on the stack: no store of the kernel can change it, so that its members stay in registers.
  const Kernel kernel = *static_cast<const Kernel*>(arguments);
  for (std::uint64_t i = begin; i < end; ++i) kernel(i);
}

template <class Kernel>
void launch(umrt_stream in, std::uint64_t items, const Kernel& kernel, std::uint64_t grain) {
  static_assert(std::is_trivially_copyable_v<Kernel> && std::is_trivially_destructible_v<Kernel>,
                "a kernel is copied to the device as bytes: capture pointers, spans and numbers by value");
  static_assert(sizeof(Kernel) <= UMRT_LAUNCH_ARGUMENTS_MAX, "pass what is large through managed memory");
  static_assert(alignof(Kernel) <= 64, "arguments are aligned to 64 bytes");
  static_assert(std::invocable<const Kernel&, std::uint64_t>,
                "a kernel is called as kernel(i) and changes nothing of itself");
  check(umrt_launch(in, run_pieces<Kernel>, &kernel, sizeof(Kernel), items, grain));
}

}  // namespace detail

/**
 * Calls kernel(i) once for each i in [0, items), in parallel and in no order. Stream ordered; returns at once. The
 * kernel is copied before that; it sees managed memory, itself and the program's code and constants, and must not
 * allocate, lock, throw, call the system or use umrt, as on a GPU.
 * @param items 0 launches nothing. @param grain items that one thread takes at a time; 0: chosen by the device.
 * Throws call_failed: NOT_SUPPORTED (the kernel's code was loaded after the device started), the sticky error. What
 * fails in the kernel itself shows at the next synchronisation.
 */
template <class Kernel>
void launch(const stream& in, std::uint64_t items, const Kernel& kernel, std::uint64_t grain = 0) {
  detail::launch(in.handle(), items, kernel, grain);
}
/** In the default stream. */
template <class Kernel>
void launch(std::uint64_t items, const Kernel& kernel, std::uint64_t grain = 0) {
  detail::launch(nullptr, items, kernel, grain);
}

}  // namespace umrt
