// SPDX-License-Identifier: Apache-2.0
// How the model device carries out actions; the program's side is in model_device.cpp.
#include "support/model_actions.h"

#include <algorithm>

#include "support/model_device.h"

namespace umrt::model {

std::string describe(const BlockAction& a) {
  constexpr const char* names[] = {"populate", "migrate", "duplicate", "discard", "map", "unmap", "unprotect", "wake"};
  return std::string(names[static_cast<unsigned>(a.operation)]) + " block " + std::to_string(a.block.n) + " granules " +
         std::to_string(a.granules.bits) + " from " + std::to_string(a.source.n) + " to " + std::to_string(a.target.n) +
         (a.is_mapped ? "" : " staged") + (a.keeps_source ? " keeps source, " : ", ") + reason_name(a.reason);
}

void ModelDevice::check(const BlockAction& action, Address address) {
  const Granule& g = granule(address);
  const auto place = [&](ProcessorId p) { return g.copies.at(p.n).place; };
  const auto require = [&](bool holds, const char* what) {
    if (!holds) broken(std::string(what) + ": " + describe(action));
  };
  require(!g.is_remote || action.operation == Operation::wake, "an action on a remote granule");
  switch (action.operation) {
    case Operation::populate:
      for (const Copy& copy : g.copies) require(copy.place == Place::absent, "populate needs absence everywhere");
      require(!engine_.is_lost(address), "populate of bytes that are lost");
      break;
    case Operation::migrate:
      require(place(action.source) != Place::absent, "migrate needs bytes at the source");
      require(place(action.target) == Place::absent, "migrate needs absence at the target");
      require(!g.copies[action.source.n].is_protected || !action.keeps_source, "a duplicate cannot be kept on migrate");
      break;
    case Operation::duplicate:
      require(place(action.source) != Place::absent, "duplicate needs bytes at the source");
      require(place(action.target) == Place::absent, "duplicate needs absence at the target");
      break;
    case Operation::discard:
      require(place(action.target) != Place::absent, "discard needs presence");
      break;
    case Operation::map:
      require(place(action.target) == Place::staged, "map needs a staged granule");
      break;
    case Operation::unmap:
      require(place(action.target) == Place::mapped, "unmap needs a mapping");
      break;
    case Operation::unprotect:
      require(place(action.target) == Place::mapped, "unprotect needs a mapping");
      for (std::size_t p = 0; p < g.copies.size(); ++p) {
        require(p == action.target.n || g.copies[p].place == Place::absent, "unprotect needs to be alone");
      }
      break;
    case Operation::wake:
      break;
  }
}

void ModelDevice::apply(const BlockAction& action, Address address) {
  check(action, address);
  Granule& g = granule(address);
  const Bytes bytes = granule_bytes(action.page_class);
  const Place arrived = action.is_mapped ? Place::mapped : Place::staged;
  Copy none;
  Copy& target = action.target == no_processor ? none : g.copies.at(action.target.n);
  Copy& source = action.source == no_processor ? none : g.copies.at(action.source.n);
  switch (action.operation) {
    case Operation::populate:
      take_frame(action.target, bytes);
      target = Copy{.place = arrived, .is_protected = false, .value = 0};
      break;
    case Operation::migrate:
      take_frame(action.target, bytes);
      target = Copy{.place = arrived, .is_protected = false, .value = source.value};
      source.place = Place::staged;
      if (!action.keeps_source) {
        give_frame(action.source, bytes);
        source = Copy{};
      }
      break;
    case Operation::duplicate:
      take_frame(action.target, bytes);
      source.place = Place::mapped;
      source.is_protected = true;
      target = Copy{.place = Place::mapped, .is_protected = true, .value = source.value};
      break;
    case Operation::discard:
      give_frame(action.target, bytes);
      target = Copy{};
      break;
    case Operation::map:
      target.place = Place::mapped;
      break;
    case Operation::unmap:
      target.place = Place::staged;
      target.is_protected = false;
      break;
    case Operation::unprotect:
      target.is_protected = false;
      break;
    case Operation::wake:
      break;
  }
}

void ModelDevice::wake(ProcessorId processor, const BlockAction& action) {
  for (Thread& thread : threads_) {
    if (thread.processor != processor || !thread.is_waiting) continue;
    const Address at = thread.program[thread.next].address;
    const Bytes granule = granule_bytes(action.page_class);
    for_each_granule(action, [&](Address begin, std::uint32_t) {
      if (at >= begin && at < begin + granule) thread.is_waiting = false;
    });
  }
}

void ModelDevice::wake(ProcessorId processor, RangeId range) {
  for (Thread& thread : threads_) {
    if (thread.processor != processor || !thread.is_waiting) continue;
    const Range* waits_in = range_of(thread.program[thread.next].address);
    if (waits_in == nullptr || waits_in->created.range == range) thread.is_waiting = false;
  }
}

void ModelDevice::carry_out(std::size_t pending) {
  const BlockAction action = pending_[pending].action;
  const bool is_done = pending_[pending].is_done;
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(pending));
  ActionDone done{.began = now_, .ended = {}, .action = action, .failed = {}, .outcome = Outcome::done};
  now_ += {random(20'000) + 100};
  done.ended = now_;
  if (action.operation == Operation::wake) {
    wake(action.target, action);
    return told(done);
  }
  const auto is_gone = [&](ProcessorId p) { return p.is_device() && is_lost_[p.device()]; };
  const std::uint64_t dice = random(1000);
  const GranuleMask some{static_cast<std::uint32_t>(random_()) | 1u};
  if (is_done) {
    done.outcome = Outcome::done;
  } else if (is_gone(action.source) || is_gone(action.target)) {
    done.outcome = Outcome::lost;
    done.failed = action.granules;
  } else if (dice < failures_.pinned) {
    done.outcome = Outcome::pinned;
    done.failed = action.granules & some;
  } else if (dice < failures_.pinned + failures_.no_memory &&
             (action.operation == Operation::populate || action.operation == Operation::migrate ||
              action.operation == Operation::duplicate)) {
    done.outcome = Outcome::no_memory;
    done.failed = action.granules & some;
  }
  if (done.failed.empty()) done.outcome = Outcome::done;
  BlockAction succeeded = action;
  succeeded.granules = action.granules - done.failed;
  if (!is_done) for_each_granule(succeeded, [&](Address address, std::uint32_t) { apply(action, address); });
  const bool maps =
      action.operation == Operation::duplicate || action.operation == Operation::map ||
      action.operation == Operation::unprotect ||
      ((action.operation == Operation::populate || action.operation == Operation::migrate) && action.is_mapped);
  if (maps) wake(action.target, succeeded);
  told(done);
}

void ModelDevice::carry_out_remote(std::size_t pending) {
  const RemoteAction action = pending_remote_[pending];
  pending_remote_.erase(pending_remote_.begin() + static_cast<std::ptrdiff_t>(pending));
  for (auto it = granules_.lower_bound(action.base.n);
       it != granules_.end() && it->first < (action.base + action.bytes).n; ++it) {
    Granule& g = it->second;
    for (std::size_t p = 0; p < g.copies.size(); ++p) {
      const bool is_home = p == 0 ? g.copies[p].place != Place::mapped : g.copies[p].place == Place::absent;
      if (action.is_remote && !is_home) broken("a remote mapping needs everything at home and unmapped");
    }
    g.is_remote = action.is_remote;
    if (!action.is_remote) g.copies[0].place = action.keeps_bytes ? Place::mapped : Place::absent;
    if (action.is_remote) g.copies[0].place = Place::absent;  // its value is the shared one
  }
  if (action.is_remote) {
    for (std::uint8_t p = 0; p <= config_.device_budgets.size(); ++p) wake(ProcessorId{p}, action.range);
  }
  now_ += {5000};
  told(RemoteDone{.at = now_, .range = action.range, .is_remote = action.is_remote, .is_done = true});
}

}  // namespace umrt::model
