// SPDX-License-Identifier: Apache-2.0
// A device: the mechanism. It carries out the engine's actions, reports faults and runs kernels. Every device passes
// the one contract suite (tests/contract/device_contract.h) for the abilities that it declares.
//
// Threading: one thread, the service thread, calls everything here but `poke`. The service thread never touches
// managed memory. Nothing here allocates once the device runs, except for launches.
#pragma once

#include <umrt/umrt.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/engine.h"

namespace umrt {

// Addresses reserved for managed memory. Ranges of the 2M class live in the huge zone, others in the small zone, so
// that no page-size advice is ever needed per allocation.
struct Arena {
  std::byte* base = nullptr;
  Bytes bytes;
  Address huge_begin;  // [0, huge_begin) is the small zone
  std::byte* pointer(Address a) const { return base + a.n; }
  bool contains(const void* p) const {
    return p >= base && static_cast<std::uint64_t>(static_cast<const std::byte*>(p) - base) < bytes.n;
  }
  Address address(const void* p) const {  // only when contained
    return {static_cast<std::uint64_t>(static_cast<const std::byte*>(p) - base)};
  }
};

struct Launch {
  std::uint64_t id = 0;  // the caller's; comes back in KernelEnded
  umrt_kernel kernel = nullptr;
  std::span<const std::byte> arguments;  // copied before `launch` returns
  std::uint64_t items = 0;
  std::uint64_t grain = 0;  // items a piece; 0: chosen by the device
};

struct KernelEnded {
  std::uint64_t id = 0;
  ProcessorId device;
  umrt_result result = UMRT_SUCCESS;
  int signal = 0;                   // of a crash
  std::uint64_t fault_address = 0;  // of a crash: a plain address
};

struct DeviceEvents {  // reused buffers; `wait` appends
  std::vector<Event> engine;
  std::vector<KernelEnded> kernels;
  void clear() {
    engine.clear();
    kernels.clear();
  }
};

// For devices that are started anew: a death that was met but not told yet is one of the memory before.
inline void forget_deaths(std::vector<Event>& events, ProcessorId device) {
  std::erase_if(events, [device](const Event& event) {
    const auto* lost = std::get_if<DeviceLost>(&event);
    return lost != nullptr && lost->device == device;
  });
}

struct DeviceFacts {      // for `umrt doctor` and the report
  std::string fault_way;  // "move" or "copy"
  std::string copy_way;   // "process_vm" or "staged"
  bool has_huge_pages = false;
  bool serves_system_calls = false;  // kernel-mode faults on managed buffers are served
  std::uint32_t workers = 0;         // threads a device runs kernels on
  std::vector<int> processes;        // one a device
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const Arena& arena() const = 0;
  virtual const DeviceAbilities& abilities() const = 0;
  virtual const DeviceFacts& facts() const = 0;
  virtual std::uint32_t device_count() const = 0;

  virtual Ticks now() const = 0;  // the clock that events carry

  // Starts actions; each BlockAction is answered by one ActionDone, each RemoteAction by one RemoteDone, from `wait`.
  // RangeReleased gives the host's frames back before it returns; RequestDone is not the device's.
  virtual void submit(std::span<const Action> actions) = 0;

  // Blocks until there is an event, `poke` was called, or the deadline has passed.
  virtual void wait(DeviceEvents& events, std::optional<Ticks> deadline) = 0;
  virtual void poke() = 0;  // any thread, async-signal-safe

  // Ends an access for good. `why` is ILLEGAL_ADDRESS (outside of every range) or DATA_LOSS (its bytes died with a
  // device). On a device the kernel ends with that result. On the host the thread gets SIGSEGV, as for any pointer that
  // leads nowhere, or SIGBUS, as for memory that the machine has lost; a system call on lost bytes fails with EFAULT.
  virtual void reject(const Fault& fault, umrt_result why) = 0;

  // Whether the device has the kernel's code. NOT_SUPPORTED: it was loaded after the device started.
  virtual Status can_run(ProcessorId device, umrt_kernel kernel) const = 0;
  // One kernel runs at a time on a device; the caller waits for KernelEnded before the next.
  virtual Status launch(ProcessorId device, const Launch& launch) = 0;
  // Ends the device's process and starts a new one with empty memory. The engine has evacuated it or been told it is
  // lost.
  virtual Status reset(ProcessorId device) = 0;
};

}  // namespace umrt
