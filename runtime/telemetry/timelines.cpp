// SPDX-License-Identifier: Apache-2.0
#include "telemetry/timelines.h"

#include <algorithm>

namespace umrt {

Timelines::Timelines(std::uint32_t slots_max, Ticks slot_min, std::uint32_t values)
    : slots_max_{slots_max}, values_{values}, slot_{slot_min}, launches_(slots_max, 0) {
  UMRT_ASSERT(slots_max >= 2);
  UMRT_ASSERT(slots_max % 2 == 0);
  UMRT_ASSERT(slot_min.n > 0);
}

TimelineId Timelines::open() {
  const std::size_t words = std::size_t{slots_max_} * (values_ + 1);
  if (!closed_.empty()) {
    const TimelineId id = closed_.back();
    closed_.pop_back();
    sums_[id].assign(words, 0);
    return id;
  }
  sums_.emplace_back(words, 0);
  return static_cast<TimelineId>(sums_.size() - 1);
}

void Timelines::close(TimelineId id) { closed_.push_back(id); }

std::uint32_t Timelines::index(Ticks at) const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(at.n / slot_.n, slots_max_ - 1));
}

void Timelines::advance(Ticks now) {
  while (now.n / slot_.n >= slots_max_) halve();
}

void Timelines::halve() {
  const auto halve_rows = [this](std::vector<std::uint64_t>& words, std::uint32_t row) {
    for (std::uint32_t slot = 0; slot < slots_max_; slot += 2) {
      for (std::uint32_t i = 0; i < row; ++i) {
        const std::uint64_t sum = words[slot * row + i] + words[(slot + 1) * row + i];
        words[slot / 2 * row + i] = sum;
      }
    }
    std::fill(words.begin() + slots_max_ / 2 * row, words.end(), 0);
  };
  for (auto& words : sums_) halve_rows(words, values_ + 1);
  halve_rows(launches_, 1);
  slot_.n *= 2;
}

void Timelines::add(TimelineId id, Ticks at, std::span<const std::uint64_t> values) {
  UMRT_ASSERT(values.size() == values_);
  std::uint64_t* row = &sums_[id][std::size_t{index(at)} * (values_ + 1)];
  row[0] += 1;
  for (std::uint32_t i = 0; i < values_; ++i) row[i + 1] += values[i];
}

void Timelines::count_launch(Ticks began) { launches_[index(began)] += 1; }

std::vector<std::vector<std::uint64_t>> Timelines::means(TimelineId id, Ticks now) const {
  std::vector<std::vector<std::uint64_t>> rows(index(now) + 1);
  for (std::uint32_t slot = 0; slot < rows.size(); ++slot) {
    const std::uint64_t* row = &sums_[id][std::size_t{slot} * (values_ + 1)];
    if (row[0] == 0) {
      if (slot > 0) rows[slot] = rows[slot - 1];
      continue;
    }
    for (std::uint32_t i = 0; i < values_; ++i) rows[slot].push_back(row[i + 1] / row[0]);
  }
  return rows;
}

std::uint64_t Timelines::launches_since(Ticks when) const {
  std::uint64_t count = 0;
  for (std::uint32_t slot = index(when) + 1; slot < slots_max_; ++slot) count += launches_[slot];
  return count;
}

}  // namespace umrt
