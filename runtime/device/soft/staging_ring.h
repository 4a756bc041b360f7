// SPDX-License-Identifier: Apache-2.0
// A ring of memory that host and device process share, for copies where process_vm_readv and process_vm_writev are not
// to be had: the sender copies into it, the receiver out of it.
//
// Structure: one transfer at a time, ordered by the host and served by the stager, a thread of the device process. The
// pieces of a transfer pass as one stream of chunks, none larger than a slot, so both sides copy at once.
// Concurrency: one thread at each end; a slot belongs to the sender until `filled` counts it, then to the receiver
// until `emptied` does. Everything else is written by the host while no transfer is under way.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/units.h"
#include "os/process_copy.h"

namespace umrt::soft {

struct StagingRing {
  // A block fits into the ring as a whole, so on few cores the sides take turns once and not once a chunk.
  static constexpr std::uint32_t slots = 8;
  static constexpr Bytes slot_bytes = 256_KiB;

  bool is_to_device = false;
  std::uint32_t piece_count = 0;
  std::array<os::CopyPiece, os::copy_pieces_max> pieces{};  // `local` is the host's
  std::atomic<std::uint32_t> orders{0};

  alignas(64) std::atomic<std::uint32_t> filled{0};  // chunks of this transfer
  alignas(64) std::atomic<std::uint32_t> emptied{0};
  alignas(64) std::atomic<std::uint32_t> host_changes{0};  // futex words
  std::atomic<std::uint32_t> host_sleeps{0};
  std::atomic<std::uint32_t> stager_changes{0};
  std::atomic<std::uint32_t> stager_sleeps{0};

  alignas(4096) std::array<std::byte, slots * slot_bytes.n> bytes;  // not initialised: memory only where it is used

  std::byte* slot(std::uint32_t chunk) { return bytes.data() + (chunk % slots) * slot_bytes.n; }
};

// The two ends, with `bytes_of(piece)` the place of a piece on this side. A `Side` has `await(is_due)`, which is false
// once the other side is gone, and `tell()`, which wakes the other side. Both ends return false where `await` did;
// `send` returns when all is filled, not emptied.

template <class Side, class BytesOf>
bool send(StagingRing& ring, std::span<const os::CopyPiece> pieces, Side& side, BytesOf bytes_of) noexcept {
  std::uint32_t sent = 0;
  for (const os::CopyPiece& piece : pieces) {
    for (Bytes at; at < piece.bytes; at += StagingRing::slot_bytes) {
      if (!side.await([&] { return sent - ring.emptied.load() < StagingRing::slots; })) return false;
      const Bytes chunk = std::min(StagingRing::slot_bytes, piece.bytes - at);
      std::memcpy(ring.slot(sent), bytes_of(piece) + at.n, chunk.n);
      ring.filled.store(++sent);
      side.tell();
    }
  }
  return true;
}

template <class Side, class BytesOf>
bool receive(StagingRing& ring, std::span<const os::CopyPiece> pieces, Side& side, BytesOf bytes_of) noexcept {
  std::uint32_t received = 0;
  for (const os::CopyPiece& piece : pieces) {
    for (Bytes at; at < piece.bytes; at += StagingRing::slot_bytes) {
      if (!side.await([&] { return ring.filled.load() != received; })) return false;
      const Bytes chunk = std::min(StagingRing::slot_bytes, piece.bytes - at);
      std::memcpy(bytes_of(piece) + at.n, ring.slot(received), chunk.n);
      ring.emptied.store(++received);
      side.tell();
    }
  }
  return true;
}

}  // namespace umrt::soft
