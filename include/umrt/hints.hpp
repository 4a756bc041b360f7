// SPDX-License-Identifier: Apache-2.0
// Places, and what an application knows of a range, put together by name:
//   umrt::hints{}.name("edges").sequential().preferred(umrt::on_device(0))
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "umrt/error.hpp"

namespace umrt {

constexpr umrt_location nowhere() noexcept { return {UMRT_LOCATION_NONE, 0}; }
constexpr umrt_location on_host() noexcept { return {UMRT_LOCATION_HOST, 0}; }
constexpr umrt_location on_host_node(std::int32_t node) noexcept { return {UMRT_LOCATION_HOST_NUMA, node}; }
constexpr umrt_location on_device(std::int32_t device) noexcept { return {UMRT_LOCATION_DEVICE, device}; }

/** Hints for an allocation; they change speed, never results. What is wrong in them shows when they are used. */
class hints {
 public:
  hints() { umrt_hints_init(&values_); }

  /** For the report; without one the report shows where the allocation was made. */
  hints& name(std::string_view name) {
    name_ = name;
    return *this;
  }
  /** The granule that the range migrates in. */
  hints& page_class(umrt_page_class page_class) {
    values_.page_class = page_class;
    return *this;
  }
  /** Where the bytes should live. */
  hints& preferred(umrt_location location) {
    values_.preferred = location;
    return *this;
  }
  /** The device shall have a mapping; may be given for several devices. Ordinals from 32 on are no devices. */
  hints& accessed_by(std::uint32_t device) {
    if (device >= 32) detail::throw_error(UMRT_ERROR_INVALID_DEVICE, "accessed_by: device " + std::to_string(device));
    values_.accessed_by_devices |= 1u << device;
    return *this;
  }
  /** May be readable on several processors at once. */
  hints& read_mostly() {
    values_.read_mostly = 1;
    return *this;
  }
  /** Swept in address order: fetched ahead. Of sequential, random and streaming the last one counts. */
  hints& sequential() { return pattern(UMRT_PATTERN_SEQUENTIAL); }
  /** No neighbour is likely: nothing is fetched along. */
  hints& random() { return pattern(UMRT_PATTERN_RANDOM); }
  /** Sequential and touched once: fetched ahead, first to leave. */
  hints& streaming() { return pattern(UMRT_PATTERN_STREAMING); }
  /** Contents need not survive eviction; they may read as zero. */
  hints& discardable() {
    values_.discardable = 1;
    return *this;
  }

  /** For the C functions. Its name points into this object. */
  umrt_hints c_hints() const noexcept {
    umrt_hints values = values_;
    values.name = name_.empty() ? nullptr : name_.c_str();
    return values;
  }

 private:
  hints& pattern(umrt_access_pattern pattern) {
    values_.pattern = pattern;
    return *this;
  }

  umrt_hints values_{};
  std::string name_;
};

}  // namespace umrt
