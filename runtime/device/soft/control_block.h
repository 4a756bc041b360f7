// SPDX-License-Identifier: Apache-2.0
// What the host and one device process share: orders, faults, the launch, and words to wait on.
//
// Structure: the host posts page operations in slots, to the agent or to a worker that waits for one of the granules;
// whoever takes a posted bit executes it and sets the slot's bit in `finished`. A worker that faults publishes its
// fault in its WorkerState, sets its bit in `new_faults` and waits until an operation releases it.
// Concurrency: a slot belongs to the host except between its posting and its bit in `finished`. Every word is an
// atomic of shared memory; where a flag announces a sleeper, flag and condition are sequentially consistent, so that
// one of the two sides always sees the other.
// Guarantee: a worker executes what it was given before it leaves the fault handler.
#pragma once

#include <umrt/umrt.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "core/granule_mask.h"
#include "device/soft/fault_way.h"
#include "device/soft/staging_ring.h"
#include "os/futex.h"

namespace umrt::soft {

inline constexpr std::uint32_t operations_max = 64;  // bits of a word
inline constexpr std::uint32_t workers_max = 64;
inline constexpr std::uint32_t helpers = 2;  // other threads of the device process: the grower and the stager
inline constexpr std::size_t arguments_max = UMRT_LAUNCH_ARGUMENTS_MAX;

enum class PageOperation : std::uint8_t {
  zero,           // the frames become zeros; nothing is mapped
  zero_and_map,   // the same, then mapped
  map,            // frame → view
  map_protected,  // frame → view, write-protected before any worker can write
  unmap,          // view → frame
  protect,        // in place
  unprotect,
  wake,
  drop_frames,  // their memory goes back to the system
  // A range, given as one granule, becomes the shared memory whose descriptor was sent before. On success the workers
  // stay stopped until `resume` or `unshare`.
  share,
  unshare,  // it is the view's own, empty memory again; the workers go on
  resume,
};

struct PostedOperation {
  PageOperation kind = PageOperation::wake;
  Bytes granule;  // size of one
  std::byte* block = nullptr;
  GranuleMask granules;  // in: what to do
  GranuleMask failed;    // out
  int error = 0;         // out: the first errno
  std::array<std::byte*, 32> frames{};
};

struct PageFaultWord {  // one fault in one word, so that it is never read in halves
  static std::uint64_t pack(std::uint64_t offset, bool is_write, bool is_protection) {
    return offset << 2 | std::uint64_t{is_write} << 1 | std::uint64_t{is_protection};
  }
  static std::uint64_t offset(std::uint64_t word) { return word >> 2; }
  static bool is_write(std::uint64_t word) { return (word & 2) != 0; }
  static bool is_protection(std::uint64_t word) { return (word & 1) != 0; }
};

enum class WorkerPhase : std::uint32_t { running, waiting, illegal, lost };  // the last two: its fault was rejected

struct alignas(64) WorkerState {
  std::atomic<WorkerPhase> phase{WorkerPhase::running};
  std::atomic<std::uint32_t> changes{0};  // futex word: counts releases and orders
  std::atomic<std::uint32_t> sleeps{0};
  std::atomic<int> thread{0};           // id of the thread
  std::atomic<std::uint64_t> fault{0};  // PageFaultWord
  std::atomic<std::uint64_t> fault_at{0};
  std::atomic<std::uint64_t> posted{0};  // slots it shall execute
};

struct alignas(64) LaunchBoard {
  std::atomic<std::uint32_t> generation{0};  // futex word: a new launch
  umrt_kernel kernel = nullptr;
  std::uint64_t items = 0, grain = 1;
  alignas(64) std::array<std::byte, arguments_max> arguments{};
  alignas(64) std::atomic<std::uint64_t> next{0};
  alignas(64) std::atomic<std::uint32_t> running{0};  // workers that have not finished
  std::atomic<std::uint32_t> has_ended{0};
  std::atomic<std::uint32_t> has_crashed{0};  // pieces that were not begun are left out
  umrt_result crash_result = UMRT_SUCCESS;
  int crash_signal = 0;
  std::uint64_t crash_address = 0;
};

struct ControlBlock {
  // Set by the host before the process starts.
  std::byte* arena = nullptr;
  Bytes arena_bytes;
  Bytes huge_begin;
  Bytes budget;
  FaultWay way = FaultWay::move;
  bool has_huge_pages = false;
  bool kernel_mode_faults = false;
  std::uint32_t workers = 0;
  std::uint64_t spin_ns = 0;  // how long the agent and waiting workers spin before they sleep, at most
  std::uint32_t cores = 1;    // for all threads of host and device
  int bell = -1;              // eventfd; rung when the host sleeps
  int descriptors = -1;       // receiver of a DescriptorChannel
  std::array<void*, workers_max + helpers> thread_control_blocks{};

  // Set by the device process before `state` leaves `starting`.
  enum class State : std::uint32_t { starting, ready, failed };
  std::atomic<State> state{State::starting};
  int start_error = 0;
  std::byte* huge_pool = nullptr;
  std::byte* small_pool = nullptr;

  alignas(64) std::atomic<std::uint32_t> host_sleeps{0};
  alignas(64) std::atomic<std::uint64_t> new_faults{0};
  alignas(64) std::atomic<std::uint64_t> finished{0};
  alignas(64) std::atomic<std::uint64_t> agent_posted{0};
  std::atomic<std::uint32_t> agent_changes{0};  // futex word
  std::atomic<std::uint32_t> agent_sleeps{0};
  alignas(64) std::atomic<std::uint32_t> busy_workers{0};  // that run a kernel, or spin in one
  alignas(64) std::atomic<std::uint32_t> park_wanted{0};   // futex words for stopping all workers
  std::atomic<std::uint32_t> parked{0};
  alignas(64) std::atomic<std::uint64_t> huge_bytes_wanted{0};  // populated ahead of use up to here
  std::atomic<std::uint32_t> growth_changes{0};                 // futex word

  alignas(64) std::array<PostedOperation, operations_max> operations{};
  std::array<WorkerState, workers_max> worker{};
  LaunchBoard launch;
  StagingRing staging;
};

}  // namespace umrt::soft
