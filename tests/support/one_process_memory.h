// SPDX-License-Identifier: Apache-2.0
// The page tables and memory pools of the one-process device: where each granule is at each processor, with frames of
// plain memory that hold its bytes there. Bytes are really copied, so one that is lost or doubled is noticed.
//
// Concurrency: any thread. Tables are under one lock; bytes on their way from pool to pool are copied outside of it,
// so that ThreadSanitizer sees whoever touches them meanwhile. An action that the engine may not order aborts.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "device/device.h"

namespace umrt::test {

struct AccessRejected {  // thrown out of an access that ends for good
  umrt_result why = UMRT_SUCCESS;
  Address address;
};

class OneProcessMemory {
 public:
  // `raise` hands a fault, or a death, to who waits for events; with the lock held, so in their true order.
  OneProcessMemory(const std::vector<Bytes>& device_budgets, std::function<void(const Event&)> raise);

  // Calls `use` on the word once it is mapped for the access; until then the thread waits, as in a page fault.
  void access(ProcessorId processor, Address address, Access access, const std::function<void(std::uint64_t&)>& use);

  // Carries an action out. What failed, because the device is dead, or dies meanwhile.
  GranuleMask carry_out(const BlockAction& action);
  void release(const RangeReleased& released);
  void reject(const Fault& fault, umrt_result why);

  bool is_dead(ProcessorId device);
  // Its bytes are gone, and the threads that wait at it end.
  void kill(const DeviceLost& lost);
  void revive(ProcessorId device);  // with empty memory
  bool holds_nothing(ProcessorId device);

 private:
  using Frame = std::shared_ptr<std::byte[]>;
  struct Copy {
    Frame frame;  // null: absent
    bool is_mapped = false, is_protected = false;
  };
  struct Granule {
    Bytes bytes;
    std::vector<Copy> copies;  // by processor
  };
  struct Waiter {
    ProcessorId processor;
    Address address;
    bool is_woken = false;
    std::optional<umrt_result> rejected;
  };
  struct Pool {
    Bytes budget, in_use;
    bool is_dead = false;
  };

  void carry_out_at(const BlockAction& action, Address address, GranuleMask granule, GranuleMask& failed);
  bool is_gone(const BlockAction& action) const;
  Granule& granule_for(const BlockAction& action, Address address);
  Granule* find(Address address);
  void give_frame(Copy& copy, ProcessorId processor, Frame frame, Bytes bytes);
  void take_frame(Copy& copy, ProcessorId processor, Bytes bytes);
  void wake(ProcessorId processor, Address begin, Bytes bytes);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(const Event&)> raise_;
  std::vector<Pool> pools_;  // of the devices
  std::map<std::uint64_t, Granule> granules_;
  std::map<std::uint32_t, Waiter> waiters_;  // by the number that the fault carries
  std::uint32_t waits_ = 0;
};

}  // namespace umrt::test
