// SPDX-License-Identifier: Apache-2.0
// Places and hints of the C interface, as the engine has them.
#pragma once

#include <umrt/umrt.h>

#include <optional>

#include "base/result.h"
#include "core/engine.h"

namespace umrt {

struct HintsOfAllocation {
  Hints hints;
  std::optional<PageClass> page_class;  // none: by size
};

// INVALID_VALUE, INVALID_DEVICE; `argument` is what the message calls it.
Result<ProcessorId> processor_of(umrt_location location, std::uint32_t devices, const char* argument);
Result<HintsOfAllocation> hints_of(const umrt_hints& hints, std::uint32_t devices);
// The hints after this advice. INVALID_VALUE, INVALID_DEVICE.
Result<Hints> advised(Hints hints, umrt_advice advice, umrt_location location, std::uint32_t devices);

umrt_location location_of(ProcessorId processor);
ProcessorId home_of(const Residency& residency);  // where the bytes are, a device before the host; nobody: nowhere

}  // namespace umrt
