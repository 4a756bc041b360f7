// SPDX-License-Identifier: Apache-2.0
#include "api/location.h"

#include <fmt/format.h>

namespace umrt {
namespace {

Status check_device(std::int64_t device, std::uint32_t devices, const char* argument) {
  if (device >= 0 && device < devices) return {};
  return failure(UMRT_ERROR_INVALID_DEVICE,
                 fmt::format("{} is device {}: there are {}, numbered from 0", argument, device, devices));
}

tl::unexpected<Error> bad_value(const char* argument, std::int64_t value, const char* wanted) {
  return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("{} is {}: it must be {}", argument, value, wanted));
}

Status set_preferred(Hints& hints, umrt_location location, std::uint32_t devices, const char* argument) {
  const auto processor = processor_of(location, devices, argument);
  if (!processor) return tl::unexpected(processor.error());
  hints.preferred = *processor;
  hints.preferred_node = location.type == UMRT_LOCATION_HOST_NUMA ? static_cast<std::int16_t>(location.id) : -1;
  return {};
}

}  // namespace

Result<ProcessorId> processor_of(umrt_location location, std::uint32_t devices, const char* argument) {
  switch (location.type) {
    case UMRT_LOCATION_DEVICE:
      if (auto checked = check_device(location.id, devices, argument); !checked) return tl::unexpected(checked.error());
      return device_processor(static_cast<std::uint32_t>(location.id));
    case UMRT_LOCATION_HOST:
      return host_processor;
    case UMRT_LOCATION_HOST_NUMA:
      if (location.id < 0 || location.id > 1023) return bad_value(argument, location.id, "a NUMA node, 0 to 1023");
      return host_processor;
    case UMRT_LOCATION_NONE:
      break;
  }
  return bad_value(argument, location.type, "a UMRT_LOCATION_ of device, host or NUMA node");
}

Result<HintsOfAllocation> hints_of(const umrt_hints& given, std::uint32_t devices) {
  if (given.version != UMRT_HINTS_VERSION)
    return bad_value("hints.version", given.version, "UMRT_HINTS_VERSION; start from umrt_hints_init()");
  HintsOfAllocation made;
  switch (given.page_class) {
    case UMRT_PAGE_CLASS_AUTO:
      break;
    case UMRT_PAGE_CLASS_4K:
    case UMRT_PAGE_CLASS_64K:
    case UMRT_PAGE_CLASS_2M:
      made.page_class = static_cast<PageClass>(given.page_class);
      break;
    default:
      return bad_value("hints.page_class", given.page_class, "a umrt_page_class");
  }
  if (given.preferred.type != UMRT_LOCATION_NONE) {
    if (auto set = set_preferred(made.hints, given.preferred, devices, "hints.preferred"); !set)
      return tl::unexpected(set.error());
  }
  if ((given.accessed_by_devices >> devices) != 0) {
    return failure(UMRT_ERROR_INVALID_DEVICE,
                   fmt::format("hints.accessed_by_devices is {:#x}: there are {} devices, bit 0 is the first",
                               given.accessed_by_devices, devices));
  }
  if (given.pattern < UMRT_PATTERN_UNKNOWN || given.pattern > UMRT_PATTERN_STREAMING)
    return bad_value("hints.pattern", given.pattern, "a umrt_access_pattern");
  made.hints.accessed_by = static_cast<std::uint16_t>(given.accessed_by_devices << 1);  // bit n is processor n
  made.hints.pattern = static_cast<AccessPattern>(given.pattern);
  made.hints.is_read_mostly = given.read_mostly != 0;
  made.hints.is_discardable = given.discardable != 0;
  return made;
}

Result<Hints> advised(Hints hints, umrt_advice advice, umrt_location location, std::uint32_t devices) {
  switch (advice) {
    case UMRT_ADVISE_SET_READ_MOSTLY:
    case UMRT_ADVISE_UNSET_READ_MOSTLY:
      hints.is_read_mostly = advice == UMRT_ADVISE_SET_READ_MOSTLY;
      return hints;
    case UMRT_ADVISE_SET_PREFERRED_LOCATION:
      if (auto set = set_preferred(hints, location, devices, "location"); !set) return tl::unexpected(set.error());
      return hints;
    case UMRT_ADVISE_UNSET_PREFERRED_LOCATION:
      hints.preferred = no_processor;
      hints.preferred_node = -1;
      return hints;
    case UMRT_ADVISE_SET_ACCESSED_BY:
    case UMRT_ADVISE_UNSET_ACCESSED_BY: {
      const auto processor = processor_of(location, devices, "location");
      if (!processor) return tl::unexpected(processor.error());
      const auto bit = static_cast<std::uint16_t>(1u << processor->n);
      hints.accessed_by = static_cast<std::uint16_t>(advice == UMRT_ADVISE_SET_ACCESSED_BY ? hints.accessed_by | bit
                                                                                           : hints.accessed_by & ~bit);
      return hints;
    }
    case UMRT_ADVISE_SEQUENTIAL:
      hints.pattern = AccessPattern::sequential;
      return hints;
    case UMRT_ADVISE_RANDOM:
      hints.pattern = AccessPattern::random;
      return hints;
    case UMRT_ADVISE_STREAMING:
      hints.pattern = AccessPattern::streaming;
      return hints;
    case UMRT_ADVISE_UNSET_PATTERN:
      hints.pattern = AccessPattern::unknown;
      return hints;
    case UMRT_ADVISE_SET_DISCARDABLE:
    case UMRT_ADVISE_UNSET_DISCARDABLE:
      hints.is_discardable = advice == UMRT_ADVISE_SET_DISCARDABLE;
      return hints;
  }
  return bad_value("advice", advice, "a umrt_advice");
}

ProcessorId home_of(const Residency& residency) {
  for (std::uint32_t device = 0; device < devices_max; ++device)
    if ((residency.resident >> (device + 1) & 1u) != 0) return device_processor(device);
  return (residency.resident & 1u) != 0 || residency.is_remote ? host_processor : no_processor;
}

umrt_location location_of(ProcessorId processor) {
  if (processor.is_device()) return {UMRT_LOCATION_DEVICE, static_cast<std::int32_t>(processor.device())};
  if (processor.is_host()) return {UMRT_LOCATION_HOST, 0};
  return {UMRT_LOCATION_NONE, 0};
}

}  // namespace umrt
