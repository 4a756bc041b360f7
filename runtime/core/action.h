// SPDX-License-Identifier: Apache-2.0
// What the engine orders. A device carries actions out in the order given where they touch the same granules, and
// answers each one with exactly one `ActionDone` event (event.h).
#pragma once

#include <cstdint>
#include <variant>

#include "base/units.h"
#include "core/granule_mask.h"
#include "core/hints.h"
#include "core/processor.h"

namespace umrt {

struct RangeId {
  std::uint32_t n = ~0u;
  friend constexpr auto operator<=>(RangeId, RangeId) = default;
};

struct BlockId {  // dense over all ranges
  std::uint32_t n = ~0u;
  friend constexpr auto operator<=>(BlockId, BlockId) = default;
};

struct RequestId {  // of the API's; the engine only hands it back
  std::uint64_t n = 0;
  friend constexpr auto operator<=>(RequestId, RequestId) = default;
};

// Per processor a granule is absent (no bytes there), staged (bytes in a frame, no mapping) or mapped.
enum class Operation : std::uint8_t {
  populate,  // absent everywhere → zeros at target, mapped there (staged when `is_mapped` is false)
  migrate,  // source mapped or staged → unmapped at source, bytes copied, target mapped or staged. The source's frame
            // is given back, or stays staged with the same bytes when `keeps_source`
  duplicate,  // source mapped or staged, target absent → both mapped and write-protected, the same bytes
  discard,    // target mapped or staged → absent, nothing copied; its bytes are lost there
  map,        // target staged → mapped
  unmap,      // target mapped → staged
  unprotect,  // target mapped and write-protected → mapped writable
  wake,       // nothing changes; threads that wait at target on these granules try again
};
// Every operation that ends with a mapping at target also wakes the threads that wait there on these granules.

struct BlockAction {
  Operation operation = Operation::wake;
  Cause cause = Cause::demand;
  Reason reason = Reason::none;
  ProcessorId source = no_processor;
  ProcessorId target = no_processor;
  bool is_mapped = true;      // populate, migrate: whether the target gets a mapping
  bool keeps_source = false;  // migrate: whether the source keeps its frame
  PageClass page_class = PageClass::page_2m;
  BlockId block;
  GranuleMask granules;
  Address base;  // of the block
  friend constexpr bool operator==(const BlockAction&, const BlockAction&) = default;
};

// The whole range becomes, or ceases to be, one shared mapping of system memory in every processor (zero-copy).
// Ordered only while every granule of the range is staged at the host or absent, and nothing of it is in flight; absent
// ones become zeros. Once it has ceased to be remote, every granule is mapped at the host. A device may refuse: then
// nothing has changed.
struct RemoteAction {
  RangeId range;
  Address base;
  Bytes bytes;
  bool is_remote = true;
  PageClass page_class = PageClass::page_2m;
  bool keeps_bytes = true;  // false when it ceases for a range that is freed: every granule is absent then; not refused
  friend constexpr bool operator==(const RemoteAction&, const RemoteAction&) = default;
};

// Nothing of the range is on a device or in flight any more, no thread of a device waits in it. Carrying this out gives
// back what the host holds of it, mapped or staged; then its addresses may be used again.
struct RangeReleased {
  RangeId range;
  Address base;
  Bytes bytes;
  PageClass page_class = PageClass::page_2m;
  RequestId request;
  friend constexpr bool operator==(const RangeReleased&, const RangeReleased&) = default;
};

struct RequestDone {  // a prefetch, an advice or an evacuation has ended
  RequestId request;
  bool is_complete = true;  // false: part of it was given up (no frame, pinned, device lost)
  friend constexpr bool operator==(const RequestDone&, const RequestDone&) = default;
};

using Action = std::variant<BlockAction, RemoteAction, RangeReleased, RequestDone>;

}  // namespace umrt
