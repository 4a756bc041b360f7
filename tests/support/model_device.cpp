// SPDX-License-Identifier: Apache-2.0
#include "support/model_device.h"

#include <algorithm>
#include <stdexcept>

#include "support/model_actions.h"

namespace umrt::model {
namespace {

constexpr Bytes granule_of(const RangeCreated& created) { return granule_bytes(created.page_class); }

}  // namespace

ModelDevice::ModelDevice(const EngineConfig& config, std::uint64_t seed, Failures failures)
    : config_{config},
      engine_{config},
      random_{seed},
      failures_{failures},
      frames_(config.device_budgets.size()),
      is_lost_(config.device_budgets.size(), false) {}

void ModelDevice::broken(const std::string& promise) const {
  throw std::logic_error(promise + " (after " + std::to_string(step_ends_.size()) + " steps)");
}

void ModelDevice::told(const Event& event) {
  if (keeps_log_) {
    events_.push_back(event);
    step_ends_.push_back(events_.size());
  }
  actions_.clear();
  engine_.step({&event, 1}, actions_);
  engine_.check_invariants();
  submit(std::vector<Action>(actions_));
}

void ModelDevice::create(const RangeCreated& created) {
  ranges_[created.range.n] = Range{.created = created, .is_discardable = created.hints.is_discardable};
  for (Bytes at; at < created.bytes; at += granule_of(created)) {
    Granule fresh;
    fresh.copies.resize(config_.device_budgets.size() + 1);
    fresh.may_be_zero = created.hints.is_discardable;
    granules_[(created.base + at).n] = fresh;
  }
  told(created);
}

void ModelDevice::advise(RangeAdvised advised) {
  advised.at = now_;
  advised.request = {next_request_};
  open_requests_.insert(next_request_++);
  const Range& range = ranges_.at(advised.range.n);
  if (advised.hints.is_discardable) {
    for (auto& [address, g] : granules_) {
      if (range_of({address}) == &range) g.may_be_zero = true;
    }
  }
  told(advised);
}

void ModelDevice::prefetch(PrefetchRequested requested) {
  requested.at = now_;
  requested.request = {next_request_};
  open_requests_.insert(next_request_++);
  told(requested);
}

void ModelDevice::free(RangeId range) {
  Range& freed = ranges_.at(range.n);
  if (freed.is_freed) return;
  freed.is_freed = true;
  open_requests_.insert(next_request_);
  told(RangeFreed{.at = now_, .range = range, .request = {next_request_++}});
}

bool ModelDevice::is_pending(Address address) const {
  return std::any_of(pending_.begin(), pending_.end(), [&](const Pending& p) {
    bool is_in = false;
    if (p.action.operation == Operation::wake) return false;
    for_each_granule(p.action, [&](Address begin, std::uint32_t) {
      is_in |= address >= begin && address < begin + granule_bytes(p.action.page_class);
    });
    return is_in;
  });
}

// Whether the engine may say that these bytes die with the device.
bool ModelDevice::may_lose(const Granule& granule, Address address, ProcessorId device) const {
  bool is_held_elsewhere = false;
  for (std::size_t p = 0; p < granule.copies.size(); ++p) {
    is_held_elsewhere |= p != device.n && granule.copies[p].place != Place::absent;
  }
  const Copy& here = granule.copies[device.n];
  const bool is_stale_elsewhere = here.place == Place::mapped && !here.is_protected;
  return !is_held_elsewhere || is_stale_elsewhere || is_pending(address);
}

// The device has done it and its kernels have used it, and then it dies before it says so.
void ModelDevice::carry_out_before_death(Pending& pending) {
  const BlockAction& action = pending.action;
  pending.is_done = true;
  for_each_granule(action, [&](Address address, std::uint32_t) {
    apply(action, address);
    Granule& g = granule(address);
    Copy& copy = g.copies[action.target.n];
    const bool is_writable = copy.place == Place::mapped && !copy.is_protected;
    if (is_writable && random(2) == 0) copy.value = g.truth = next_value_++;
  });
}

void ModelDevice::lose(ProcessorId device) {
  if (is_lost_[device.device()]) return told(DeviceLost{.at = now_, .device = device});
  for (Pending& pending : pending_) {
    const BlockAction& a = pending.action;
    const bool is_its = a.operation != Operation::wake && (a.source == device || a.target == device);
    const auto is_gone = [&](ProcessorId p) { return p.is_device() && is_lost_[p.device()]; };
    if (!is_its || is_gone(a.source) || is_gone(a.target)) continue;
    if (random(2) == 0) carry_out_before_death(pending);
  }
  is_lost_[device.device()] = true;
  for (auto& [address, g] : granules_) {
    Copy& copy = g.copies[device.n];
    if (may_lose(g, {address}, device)) g.may_be_lost |= copy.place != Place::absent || is_pending({address});
    if (copy.place == Place::absent) continue;
    give_frame(device, granule_of(range_of({address})->created));
    copy = Copy{};
  }
  for (Thread& thread : threads_) {
    if (thread.processor != device) continue;
    thread.next = thread.program.size();
    thread.is_waiting = false;
  }
  told(DeviceLost{.at = now_, .device = device});
}

void ModelDevice::evacuate(ProcessorId device) {
  for (Thread& thread : threads_) {
    if (thread.processor != device) continue;
    thread.next = thread.program.size();
    thread.is_waiting = false;
  }
  open_requests_.insert(next_request_);
  told(DeviceEvacuated{.at = now_, .device = device, .request = {next_request_++}});
}

void ModelDevice::ready(ProcessorId device) {
  const auto is_of_device = [&](const Pending& p) { return p.action.source == device || p.action.target == device; };
  for (auto it = pending_.begin(); it != pending_.end();) {  // what was under way has ended before the reset has
    it = std::find_if(pending_.begin(), pending_.end(), is_of_device);
    if (it == pending_.end()) break;
    carry_out(static_cast<std::size_t>(it - pending_.begin()));
    it = pending_.begin();
  }
  is_lost_[device.device()] = false;
  told(DeviceReady{.at = now_, .device = device});
}

void ModelDevice::sample(std::uint32_t samples) {
  told(TimePassed{.at = now_, .random = random_(), .samples = samples});
}

void ModelDevice::access(ProcessorId processor, std::uint32_t thread, Address address, Access access) {
  const auto is_it = [&](const Thread& t) { return t.processor == processor && t.id == thread; };
  auto found = std::find_if(threads_.begin(), threads_.end(), is_it);
  if (found == threads_.end()) {
    threads_.push_back(Thread{.processor = processor, .id = thread, .program = {}, .next = 0, .is_waiting = false});
    found = std::prev(threads_.end());
  }
  found->program.push_back({.address = address, .access = access});
}

ModelDevice::Range* ModelDevice::range_of(Address address) {
  for (auto& [id, range] : ranges_) {
    if (address >= range.created.base && address < range.created.base + range.created.bytes) return &range;
  }
  return nullptr;
}

ModelDevice::Granule& ModelDevice::granule(Address address) {
  const Range* range = range_of(address);
  if (range == nullptr) broken("an action outside of every range");
  const Bytes offset = round_down(address - range->created.base, granule_of(range->created));
  return granules_.at((range->created.base + offset).n);
}

void ModelDevice::take_frame(ProcessorId processor, Bytes bytes) {
  if (!processor.is_device()) return;
  Bytes& in_use = frames_[processor.device()];
  in_use += bytes;
  if (in_use > config_.device_budgets[processor.device()]) broken("more frames in use than the budget has");
}

void ModelDevice::give_frame(ProcessorId processor, Bytes bytes) {
  if (processor.is_device()) frames_[processor.device()] -= bytes;
}

void ModelDevice::submit(const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    if (const auto* block = std::get_if<BlockAction>(&action)) {
      const std::uint64_t facts[] = {static_cast<std::uint64_t>(block->operation),
                                     block->block.n,
                                     block->granules.bits,
                                     block->source.n,
                                     block->target.n,
                                     static_cast<std::uint64_t>(block->reason)};
      for (const std::uint64_t fact : facts) actions_digest_ = (actions_digest_ ^ fact) * 0x100000001b3ull;
      if (keeps_log_) ordered_.push_back(*block);
      for (const auto& [other, is_done] : pending_) {
        const bool overlaps = other.block == block->block && !(other.granules & block->granules).empty();
        if (overlaps && other.operation != Operation::wake && block->operation != Operation::wake) {
          broken("two actions in flight on one granule: " + describe(other) + "; " + describe(*block));
        }
      }
      pending_.push_back({.action = *block});
    } else if (const auto* remote = std::get_if<RemoteAction>(&action)) {
      pending_remote_.push_back(*remote);
    } else if (const auto* released = std::get_if<RangeReleased>(&action)) {
      release(*released);
    } else if (const auto* done = std::get_if<RequestDone>(&action)) {
      if (open_requests_.erase(done->request.n) != 1) broken("a request was answered twice");
      if (!done->is_complete) ++incomplete_requests_;
    }
  }
}

void ModelDevice::release(const RangeReleased& released) {
  if (open_requests_.erase(released.request.n) != 1) broken("a free was answered twice");
  // Wakes ordered before the release come first.
  std::erase_if(pending_, [&](const Pending& pending) {
    const BlockAction& a = pending.action;
    if (a.base < released.base || a.base >= released.base + released.bytes) return false;
    if (a.operation != Operation::wake) broken("a range was released with an action in flight: " + describe(a));
    wake(a.target, a);
    return true;
  });
  for (auto it = granules_.lower_bound(released.base.n); it != granules_.end();) {
    if (it->first >= (released.base + released.bytes).n) break;
    for (std::size_t p = 1; p < it->second.copies.size(); ++p) {
      if (it->second.copies[p].place != Place::absent) broken("a range was released with bytes on a device");
    }
    it = granules_.erase(it);
  }
  ranges_.erase(released.range.n);
}

void ModelDevice::advance(Thread& thread) {
  const ThreadStep step = thread.program[thread.next];
  const Range* range = range_of(step.address);
  if (range == nullptr || range->is_freed) {  // the program forgot that it freed it: not the engine's fault
    ++thread.next;
    return;
  }
  Granule& g = granule(step.address);
  if (engine_.is_lost(step.address)) {
    if (!g.may_be_lost) broken("bytes that no device took along are said to be lost");
    ++thread.next;
    ++accesses_rejected_;
    return;
  }
  Copy& copy = g.copies[g.is_remote ? 0 : thread.processor.n];
  const bool is_writable = copy.place == Place::mapped && !copy.is_protected;
  if (g.is_remote || is_writable || (copy.place == Place::mapped && step.access == Access::read)) {
    if (copy.value != g.truth && !(g.may_be_zero && copy.value == 0)) {
      broken("a value was lost at address " + std::to_string(step.address.n));
    }
    if (copy.value != g.truth) g.truth = copy.value;
    if (step.access == Access::write) copy.value = g.truth = next_value_++;
    ++thread.next;
    ++accesses_done_;
    return;
  }
  thread.is_waiting = true;
  told(Fault{.at = now_,
             .processor = thread.processor,
             .access = step.access,
             .is_protection = copy.place == Place::mapped,
             .thread = thread.id,
             .address = step.address});
}

bool ModelDevice::step() {
  now_ += {random(2'000)};
  std::vector<std::size_t> ready;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    if (!threads_[t].is_waiting && threads_[t].next < threads_[t].program.size()) ready.push_back(t);
  }
  const std::uint64_t choices = ready.size() + pending_.size() + pending_remote_.size();
  if (choices == 0) {
    const auto deadline = engine_.deadline();
    if (deadline) {
      now_ = std::max(now_, *deadline);
      told(TimePassed{.at = now_});
      return true;
    }
    const auto waits = [](const Thread& t) { return t.is_waiting; };
    if (std::any_of(threads_.begin(), threads_.end(), waits)) broken("a thread waits and nothing will wake it");
    if (!open_requests_.empty()) broken("a request is open and nothing will answer it");
    return false;
  }
  std::uint64_t choice = random(choices);
  if (choice < ready.size()) return advance(threads_[ready[choice]]), true;
  choice -= ready.size();
  if (choice < pending_.size()) return carry_out(choice), true;
  carry_out_remote(choice - pending_.size());
  return true;
}

void ModelDevice::run() {
  for (std::uint64_t steps = 0; step(); ++steps) {
    if (const auto deadline = engine_.deadline(); deadline && *deadline <= now_) told(TimePassed{.at = now_});
    if (steps > 2'000'000) broken("no end after two million steps");
  }
}

}  // namespace umrt::model
