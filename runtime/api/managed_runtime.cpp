// SPDX-License-Identifier: Apache-2.0
#include "api/managed_runtime.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/call_site.h"
#include "api/heap_summary.h"
#include "api/location.h"
#include "api/report_text.h"
#include "base/log.h"

namespace umrt {
namespace {

std::uint64_t number_of(umrt_stream stream) { return reinterpret_cast<std::uintptr_t>(stream); }
std::uint64_t number_of(umrt_event event) { return reinterpret_cast<std::uintptr_t>(event); }

tl::unexpected<Error> foreign(const void* pointer) {
  return failure(UMRT_ERROR_FOREIGN_POINTER,
                 fmt::format("pointer is {}: no live allocation of umrt_malloc holds it", pointer));
}

}  // namespace

Result<std::unique_ptr<ManagedRuntime>> ManagedRuntime::start(const StartOptions& options,
                                                              const DeviceFactory& make_device) {
  auto service = Service::start(options, make_device);
  if (!service) return tl::unexpected(service.error());
  return std::unique_ptr<ManagedRuntime>(new ManagedRuntime(std::move(*service), options));
}

ManagedRuntime::ManagedRuntime(std::unique_ptr<Service> service, const StartOptions& options)
    : service_{std::move(service)}, host_budget_{options.host_budget}, heap_{service_->arena(), *this} {}

Status ManagedRuntime::shutdown() {
  auto synchronized = synchronize();
  if (!synchronized) log::warning("at shutdown: {}", synchronized.error().detail);
  log_leaks();
  return {};
}

void ManagedRuntime::log_leaks() const {
  for (const Leak& leak : heap_.leaks()) {
    log::warning("never freed: {} bytes{}{}{}", leak.bytes.n,
                 leak.allocations > 1 ? fmt::format(" in {} allocations", leak.allocations) : "",
                 leak.name.empty() ? "" : fmt::format(" \"{}\"", leak.name),
                 leak.call_site.empty() ? "" : fmt::format(" allocated at {}", leak.call_site));
  }
}

Result<void*> ManagedRuntime::allocate(const AllocationRequest& request) { return heap_.allocate(request); }
Status ManagedRuntime::free(void* pointer) { return heap_.free(pointer); }

// Every byte may have to live on the host at some time, so what exceeds its budget is refused here, where the
// application can act on it, and never found out in the middle of a migration.
Status ManagedRuntime::create(const NewRange& range) {
  const std::uint64_t before = bytes_in_ranges_.fetch_add(range.bytes.n);
  if (before + range.bytes.n > host_budget_.n) {
    bytes_in_ranges_.fetch_sub(range.bytes.n);
    return failure(UMRT_ERROR_OUT_OF_MEMORY,
                   fmt::format("{} more bytes exceed host.budget: {} of {} bytes are allocated", range.bytes.n, before,
                               host_budget_.n));
  }
  return service_->call([&](ServiceLoop& loop) { return loop.create_range(range); });
}

Status ManagedRuntime::release(RangeId range) {
  Bytes bytes;
  auto released = service_->call_and_wait([&](ServiceLoop& loop, ServiceLoop::Done done) {
    bytes = loop.bytes_of(range);
    loop.release_range(range, std::move(done));
  });
  bytes_in_ranges_.fetch_sub(bytes.n);
  return released;
}

void ManagedRuntime::wait_for_pending_work() {
  (void)service_->call_and_wait([](ServiceLoop& loop, ServiceLoop::Done done) {  // a sticky error is for others
    loop.streams().when_all_done(std::move(done));
  });
}

Result<ManagedRuntime::Part> ManagedRuntime::part_of(const void* pointer, Bytes bytes) const {
  if (bytes == Bytes{}) return failure(UMRT_ERROR_INVALID_VALUE, "bytes is 0: it must be at least 1");
  const auto allocation = heap_.find(pointer);
  if (!allocation) return foreign(pointer);
  const Address begin = service_->arena().address(pointer);
  const Bytes offset = begin - allocation->base;
  if (bytes > allocation->bytes - offset) {
    return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("bytes is {}: the allocation has {} from this pointer on",
                                                         bytes.n, (allocation->bytes - offset).n));
  }
  const Bytes begin_in_range = begin - allocation->range_base;
  return Part{*allocation, begin_in_range, begin_in_range + bytes};
}

// Another thread may have freed it since it was looked up.
bool ManagedRuntime::is_there(const ServiceLoop& loop, const Part& part) {
  return loop.holds(part.allocation.range, part.allocation.range_base, part.end);
}

Status ManagedRuntime::advise(const void* pointer, Bytes bytes, umrt_advice advice, umrt_location location) {
  if (auto valid = advised({}, advice, location, device_count()); !valid) return tl::unexpected(valid.error());
  const auto part = part_of(pointer, bytes);
  if (!part) return tl::unexpected(part.error());
  if (part->allocation.is_small) return {};  // it shares its block with others
  Hints last;
  auto done = service_->call_and_wait([&](ServiceLoop& loop, const ServiceLoop::Done& ended) {
    if (!is_there(loop, *part)) return ended(foreign(pointer));
    const auto change = [&](const Hints& hints) { return last = *advised(hints, advice, location, device_count()); };
    loop.advise(part->allocation.range, part->begin, part->end, change, ended);
  });
  if (done) heap_.set_hints(part->allocation.range, last);
  return done;
}

Status ManagedRuntime::prefetch(const void* pointer, Bytes bytes, umrt_location target, umrt_stream stream) {
  const auto processor = processor_of(target, device_count(), "destination");
  if (!processor) return tl::unexpected(processor.error());
  const auto part = part_of(pointer, bytes);
  if (!part) return tl::unexpected(part.error());
  return service_->call([&](ServiceLoop& loop) -> Status {
    if (!is_there(loop, *part)) return foreign(pointer);
    return loop.streams().add(number_of(stream), PrefetchWork{part->allocation.range, part->allocation.range_base,
                                                              part->begin, part->end, *processor});
  });
}

Status ManagedRuntime::check_device(std::uint32_t device) const {
  if (device < device_count()) return {};
  return failure(UMRT_ERROR_INVALID_DEVICE,
                 fmt::format("device is {}: there are {}, numbered from 0", device, device_count()));
}

Result<MemoryInfo> ManagedRuntime::memory_info(std::uint32_t device) {
  if (auto checked = check_device(device); !checked) return tl::unexpected(checked.error());
  return service_->call([&](ServiceLoop& loop) {
    const ProcessorId processor = device_processor(device);
    const Bytes budget = loop.engine().budget(processor);
    return MemoryInfo{budget - loop.engine().in_use(processor), budget};
  });
}

void ManagedRuntime::wait_landed(Address begin, Address end, Bytes granule) {
  (void)service_->call_and_wait(
      [&](ServiceLoop& loop, ServiceLoop::Done done) { loop.when_landed(begin, end, granule, std::move(done)); });
}

Result<umrt_pointer_info> ManagedRuntime::pointer_info(const void* pointer) {
  const auto allocation = heap_.find(pointer);
  if (!allocation) return foreign(pointer);
  const Address address = service_->arena().address(pointer);
  wait_landed(address, address + 1_B, granule_bytes(allocation->page_class));
  const auto residency = service_->call([&](ServiceLoop& loop) -> std::optional<Residency> {
    if (!loop.holds(allocation->range, allocation->range_base, allocation->range_bytes)) return std::nullopt;
    return loop.engine().residency(address);
  });
  if (!residency) return foreign(pointer);
  umrt_pointer_info info{};
  info.base = service_->arena().pointer(allocation->base);
  info.bytes = allocation->bytes.n;
  info.page_class = static_cast<umrt_page_class>(allocation->page_class);
  info.on_host = residency->resident & 1u;
  info.on_devices = residency->resident >> 1u;
  info.is_remote = residency->is_remote;
  info.location = location_of(home_of(*residency));
  std::string name;
  if (const auto facts = heap_.range_facts(allocation->range); facts && !allocation->is_small) name = facts->name;
  if (name.empty()) name = describe_call_sites({&allocation->call_site, 1}).front();
  name.copy(info.name, sizeof info.name - 1);
  return info;
}

Result<umrt_residency> ManagedRuntime::residency(const void* pointer, Bytes bytes) {
  const auto part = part_of(pointer, bytes);
  if (!part) return tl::unexpected(part.error());
  const Allocation& allocation = part->allocation;
  const Bytes granule = granule_bytes(allocation.page_class);
  wait_landed(allocation.range_base + round_down(part->begin, granule), allocation.range_base + part->end, granule);
  return service_->call([&](ServiceLoop& loop) -> Result<umrt_residency> {
    if (!is_there(loop, *part)) return foreign(pointer);
    umrt_residency sum{};
    for (Bytes at = part->begin; at < part->end;) {
      const Bytes next = std::min(round_down(at, granule) + granule, part->end);
      const Residency here = loop.engine().residency(allocation.range_base + at);
      const std::uint64_t count = (next - at).n;
      if (here.is_remote) sum.remote_bytes += count;
      if ((here.resident & 1u) != 0) sum.host_bytes += count;
      for (std::uint32_t device = 0; device < devices_max; ++device)
        if ((here.resident >> (device + 1) & 1u) != 0) sum.device_bytes[device] += count;
      if (here.resident == 0 && !here.is_remote) sum.untouched_bytes += count;
      at = next;
    }
    return sum;
  });
}

Status ManagedRuntime::reset_device(std::uint32_t device) {
  if (auto checked = check_device(device); !checked) return checked;
  return service_->call_and_wait(
      [&](ServiceLoop& loop, ServiceLoop::Done done) { loop.reset_device(device_processor(device), std::move(done)); });
}

Result<umrt_stream> ManagedRuntime::create_stream(std::uint32_t device) {
  const auto made = service_->call([&](ServiceLoop& loop) { return loop.streams().create_stream(device); });
  if (!made) return tl::unexpected(made.error());
  return reinterpret_cast<umrt_stream>(*made);
}

Status ManagedRuntime::destroy_stream(umrt_stream stream) {
  for (;;) {
    auto done = synchronize_stream(stream);
    if (!done && done.error().code == UMRT_ERROR_INVALID_HANDLE) return done;
    done = service_->call([&](ServiceLoop& loop) { return loop.streams().destroy_stream(number_of(stream)); });
    const bool has_new_work = !done && done.error().code == UMRT_ERROR_NOT_READY;  // from another thread
    if (!has_new_work) return done;
  }
}

Status ManagedRuntime::synchronize_stream(umrt_stream stream) {
  return service_->call_and_wait([&](ServiceLoop& loop, const ServiceLoop::Done& done) {
    if (auto found = loop.streams().when_done(number_of(stream), done); !found) done(found);
  });
}

Status ManagedRuntime::query_stream(umrt_stream stream) {
  return service_->call([&](ServiceLoop& loop) { return loop.streams().query_stream(number_of(stream)); });
}

Status ManagedRuntime::wait_event(umrt_stream stream, umrt_event event) {
  return service_->call([&](ServiceLoop& loop) { return loop.streams().wait(number_of(stream), number_of(event)); });
}

Status ManagedRuntime::launch(umrt_stream stream, const LaunchOrder& order) {
  // Copied on this thread: the arguments may lie in managed memory, and only applications' threads may fault.
  LaunchWork work{order.kernel, {order.arguments.begin(), order.arguments.end()}, order.items, order.grain};
  return service_->call([&](ServiceLoop& loop) -> Status {
    const auto device = loop.streams().device_of(number_of(stream));
    if (!device) return tl::unexpected(device.error());
    if (auto error = loop.streams().sticky_error(*device); !error) return error;
    if (auto able = loop.device().can_run(*device, work.kernel); !able) return able;
    return loop.streams().add(number_of(stream), std::move(work));
  });
}

Status ManagedRuntime::synchronize() {
  return service_->call_and_wait(
      [](ServiceLoop& loop, ServiceLoop::Done done) { loop.streams().when_all_done(std::move(done)); });
}

Result<umrt_event> ManagedRuntime::create_event() {
  const auto made = service_->call([](ServiceLoop& loop) { return loop.streams().create_event(); });
  if (!made) return tl::unexpected(made.error());
  return reinterpret_cast<umrt_event>(*made);
}

Status ManagedRuntime::destroy_event(umrt_event event) {
  return service_->call([&](ServiceLoop& loop) { return loop.streams().destroy_event(number_of(event)); });
}

Status ManagedRuntime::record_event(umrt_event event, umrt_stream stream) {
  return service_->call([&](ServiceLoop& loop) { return loop.streams().record(number_of(event), number_of(stream)); });
}

Status ManagedRuntime::synchronize_event(umrt_event event) {
  return service_->call_and_wait([&](ServiceLoop& loop, const ServiceLoop::Done& done) {
    if (auto found = loop.streams().when_recorded(number_of(event), done); !found) done(found);
  });
}

Status ManagedRuntime::query_event(umrt_event event) {
  return service_->call([&](ServiceLoop& loop) { return loop.streams().query_event(number_of(event)); });
}

Result<float> ManagedRuntime::elapsed_ms(umrt_event begin, umrt_event end) {
  const auto elapsed =
      service_->call([&](ServiceLoop& loop) { return loop.streams().elapsed(number_of(begin), number_of(end)); });
  if (!elapsed) return tl::unexpected(elapsed.error());
  return static_cast<float>(static_cast<double>(elapsed->n) / 1e6);
}

Result<std::string> ManagedRuntime::report(umrt_report_format format) {
  const std::vector<RangeView> ranges = service_->call([](ServiceLoop& loop) { return loop.engine().ranges(); });
  std::vector<RangeName> names;
  std::vector<RangeId> unused;
  for (const RangeView& view : ranges) {
    if (const auto facts = heap_.range_facts(view.range))
      names.push_back({view.range, facts->asked, facts->name, call_site_key(facts->call_site)});
    else
      unused.push_back(view.range);
  }
  const ReportHeap heap = heap_summary(heap_.statistics());
  ReportModel model = service_->call([&](ServiceLoop& loop) { return loop.report(names, unused, heap); });
  return report_text(std::move(model), format);
}

}  // namespace umrt
