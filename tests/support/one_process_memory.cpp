// SPDX-License-Identifier: Apache-2.0
#include "support/one_process_memory.h"

#include <cstring>
#include <utility>

#include "base/assert.h"
#include "os/clock.h"

namespace umrt::test {
namespace {

bool moves_bytes(const BlockAction& action) {
  return action.operation == Operation::migrate || action.operation == Operation::duplicate;
}

bool maps(const BlockAction& action) {
  switch (action.operation) {
    case Operation::populate:
    case Operation::migrate:
      return action.is_mapped;
    case Operation::duplicate:
    case Operation::map:
    case Operation::unprotect:
      return true;
    default:
      return false;
  }
}

}  // namespace

OneProcessMemory::OneProcessMemory(const std::vector<Bytes>& device_budgets, std::function<void(const Event&)> raise)
    : raise_{std::move(raise)} {
  for (const Bytes budget : device_budgets) pools_.push_back({.budget = budget, .in_use = {}});
}

void OneProcessMemory::access(ProcessorId processor, Address address, Access access,
                              const std::function<void(std::uint64_t&)>& use) {
  std::unique_lock held{mutex_};
  for (;;) {
    if (processor.is_device() && pools_[processor.device()].is_dead)
      throw AccessRejected{UMRT_ERROR_LAUNCH_FAILED, address};
    bool is_protection = false;
    if (Granule* granule = find(address)) {
      Copy& copy = granule->copies[processor.n];
      if (copy.is_mapped && (access == Access::read || !copy.is_protected)) {
        const auto begin = std::prev(granules_.upper_bound(address.n))->first;
        return use(*reinterpret_cast<std::uint64_t*>(copy.frame.get() + (address.n - begin)));
      }
      is_protection = copy.is_mapped;
    }
    const std::uint32_t number = waits_++;
    Waiter& waiter = waiters_[number];
    waiter.processor = processor;
    waiter.address = address;
    raise_(Fault{.at = {os::monotonic_ns()},
                 .processor = processor,
                 .access = access,
                 .is_protection = is_protection,
                 .thread = number,
                 .address = address});
    changed_.wait(held, [&] { return waiter.is_woken; });
    const auto rejected = waiter.rejected;
    waiters_.erase(number);
    if (rejected) throw AccessRejected{*rejected, address};
  }
}

void OneProcessMemory::wake(ProcessorId processor, Address begin, Bytes bytes) {
  for (auto& [number, waiter] : waiters_) {
    if (waiter.processor == processor && waiter.address >= begin && waiter.address - begin < bytes)
      waiter.is_woken = true;
  }
  changed_.notify_all();
}

bool OneProcessMemory::is_gone(const BlockAction& action) const {
  const auto is_dead_one = [&](ProcessorId p) { return p.is_device() && pools_[p.device()].is_dead; };
  return is_dead_one(action.target) || is_dead_one(action.source);
}

OneProcessMemory::Granule& OneProcessMemory::granule_for(const BlockAction& action, Address address) {
  Granule& granule = granules_[address.n];
  if (granule.copies.empty()) granule = {granule_bytes(action.page_class), std::vector<Copy>(pools_.size() + 1)};
  UMRT_ASSERT(granule.bytes == granule_bytes(action.page_class));
  return granule;
}

OneProcessMemory::Granule* OneProcessMemory::find(Address address) {
  auto next = granules_.upper_bound(address.n);
  if (next == granules_.begin()) return nullptr;
  --next;
  return address.n - next->first < next->second.bytes.n ? &next->second : nullptr;
}

void OneProcessMemory::give_frame(Copy& copy, ProcessorId processor, Frame frame, Bytes bytes) {
  UMRT_ASSERT(!copy.frame);
  copy = {.frame = std::move(frame)};
  if (!processor.is_device()) return;
  Pool& pool = pools_[processor.device()];
  pool.in_use += bytes;
  UMRT_ASSERT(pool.in_use <= pool.budget);
}

void OneProcessMemory::take_frame(Copy& copy, ProcessorId processor, Bytes bytes) {
  UMRT_ASSERT(copy.frame != nullptr);
  copy = {};
  if (processor.is_device()) pools_[processor.device()].in_use -= bytes;
}

GranuleMask OneProcessMemory::carry_out(const BlockAction& action) {
  GranuleMask failed;
  for (std::uint32_t i = 0; i < 32; ++i) {
    if (!action.granules.has({i})) continue;
    const Bytes granule = granule_bytes(action.page_class);
    carry_out_at(action, action.base + granule * i, GranuleMask::one({i}), failed);
  }
  return failed;
}

// Steps: 0 take the mapping from the source, 1 copy with no lock held, 2 change the tables unless the device has died.
void OneProcessMemory::carry_out_at(const BlockAction& action, Address address, GranuleMask number,
                                    GranuleMask& failed) {
  std::unique_lock held{mutex_};
  const Bytes bytes = granule_bytes(action.page_class);
  if (action.operation == Operation::wake) return wake(action.target, address, bytes);
  if (is_gone(action)) {
    failed |= number;
    return;
  }
  Frame fresh;
  if (moves_bytes(action)) {
    Copy& source = granule_for(action, address).copies[action.source.n];
    UMRT_ASSERT(source.frame != nullptr);
    UMRT_ASSERT(!granule_for(action, address).copies[action.target.n].frame);
    const Copy before = source;
    if (action.operation == Operation::migrate) source.is_mapped = source.is_protected = false;
    if (action.operation == Operation::duplicate) source.is_mapped = source.is_protected = true;
    const Frame from = source.frame;
    held.unlock();
    fresh = Frame(new std::byte[bytes.n]);
    std::memcpy(fresh.get(), from.get(), bytes.n);
    held.lock();
    if (is_gone(action)) {  // a source that lives is as before
      const bool is_source_dead = action.source.is_device() && pools_[action.source.device()].is_dead;
      if (!is_source_dead) granule_for(action, address).copies[action.source.n] = before;
      wake(action.source, address, bytes);
      failed |= number;
      return;
    }
  }
  Granule& granule = granule_for(action, address);
  Copy& target = granule.copies[action.target.n];
  switch (action.operation) {
    case Operation::populate:
      for (const Copy& copy : granule.copies) UMRT_ASSERT(!copy.frame);
      give_frame(target, action.target, Frame(new std::byte[bytes.n]()), bytes);
      target.is_mapped = action.is_mapped;
      break;
    case Operation::migrate:
      give_frame(target, action.target, std::move(fresh), bytes);
      target.is_mapped = action.is_mapped;
      if (!action.keeps_source) take_frame(granule.copies[action.source.n], action.source, bytes);
      break;
    case Operation::duplicate:
      give_frame(target, action.target, std::move(fresh), bytes);
      target.is_mapped = target.is_protected = true;
      break;
    case Operation::discard:
      take_frame(target, action.target, bytes);
      break;
    case Operation::map:
      UMRT_ASSERT(target.frame != nullptr);
      target.is_mapped = true;
      break;
    case Operation::unmap:
      UMRT_ASSERT(target.is_mapped);
      target.is_mapped = target.is_protected = false;
      break;
    case Operation::unprotect:
      UMRT_ASSERT(target.is_mapped);
      target.is_protected = false;
      break;
    case Operation::wake:
      break;
  }
  if (maps(action)) wake(action.target, address, bytes);
}

void OneProcessMemory::release(const RangeReleased& released) {
  const std::lock_guard held{mutex_};
  auto at = granules_.lower_bound(released.base.n);
  while (at != granules_.end() && at->first < (released.base + released.bytes).n) {
    for (std::size_t p = 1; p < at->second.copies.size(); ++p) UMRT_ASSERT(!at->second.copies[p].frame);
    at = granules_.erase(at);
  }
}

void OneProcessMemory::reject(const Fault& fault, umrt_result why) {
  const std::lock_guard held{mutex_};
  const auto found = waiters_.find(fault.thread);
  if (found == waiters_.end()) return;  // ended with its device
  found->second.rejected = why;
  found->second.is_woken = true;
  changed_.notify_all();
}

bool OneProcessMemory::is_dead(ProcessorId device) {
  const std::lock_guard held{mutex_};
  return pools_[device.device()].is_dead;
}

void OneProcessMemory::kill(const DeviceLost& lost) {
  const std::lock_guard held{mutex_};
  const ProcessorId device = lost.device;
  if (pools_[device.device()].is_dead) return;
  raise_(lost);
  pools_[device.device()].is_dead = true;
  pools_[device.device()].in_use = {};
  for (auto& [address, granule] : granules_) granule.copies[device.n] = {};
  for (auto& [number, waiter] : waiters_) waiter.is_woken |= waiter.processor == device;
  changed_.notify_all();
}

void OneProcessMemory::revive(ProcessorId device) {
  const std::lock_guard held{mutex_};
  pools_[device.device()].is_dead = false;
}

bool OneProcessMemory::holds_nothing(ProcessorId device) {
  const std::lock_guard held{mutex_};
  return pools_[device.device()].in_use == Bytes{};
}

}  // namespace umrt::test
