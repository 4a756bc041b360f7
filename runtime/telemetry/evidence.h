// SPDX-License-Identifier: Apache-2.0
// What the figures of a range say about how it is used; the rules of findings.cpp are made of these.
#pragma once

#include <string>

#include "telemetry/report_model.h"

namespace umrt {

std::string quoted(const ReportRange& range);  // `label`

bool is_swept(const AccessWalk& walk);   // at least three steps in four go a short way ahead
bool is_random(const AccessWalk& walk);  // at least one in three goes neither so nor back to a new pass

Bytes bytes_in(const ReportRange& range);
Bytes bytes_in_again(const ReportRange& range);  // beyond each byte once
Bytes bytes_on_devices(const ReportRange& range);
std::uint32_t reading_devices(const Counters& counters);  // devices that faulted for reading
bool is_mostly_read_by_devices(const Counters& counters);
bool is_mostly_read_by_host(const Counters& counters);

bool goes_to_and_fro(const ReportRange& range);  // by faults, at least twice each way

// The part of a duration that goes with `part` of `whole`, at most all of it.
Ticks share_of(Ticks duration, std::uint64_t part, std::uint64_t whole);
// Stall time of the range that goes with bytes that came in again.
Ticks stall_again(const ReportRange& range);

}  // namespace umrt
