// SPDX-License-Identifier: Apache-2.0
#include "telemetry/human.h"

#include <fmt/format.h>

#include <span>

namespace umrt {
namespace {

struct Step {
  double size;
  std::string_view name;
};

// The number in the largest unit that leaves at least 1 before the point, with three digits.
std::string scaled(double value, std::span<const Step> steps) {
  const Step* step = &steps.back();
  for (const Step& candidate : steps) {
    if (value >= candidate.size * 0.9995) {
      step = &candidate;
      break;
    }
  }
  const double n = value / step->size;
  if (step->size <= 1) return fmt::format("{:.0f}{}", n, step->name);
  return fmt::format("{:.{}f}{}", n, n < 9.995 ? 2 : n < 99.95 ? 1 : 0, step->name);
}

constexpr double kibi = 1024;
constexpr Step byte_steps[] = {{kibi * kibi * kibi * kibi, " TiB"},
                               {kibi * kibi * kibi, " GiB"},
                               {kibi * kibi, " MiB"},
                               {kibi, " KiB"},
                               {1, " B"}};
constexpr Step time_steps[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}};
constexpr Step count_steps[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1, ""}};

}  // namespace

std::string human(Bytes bytes) { return scaled(static_cast<double>(bytes.n), byte_steps); }
std::string human(Ticks duration) { return scaled(static_cast<double>(duration.n), time_steps); }

std::string human_count(std::uint64_t n) {
  if (n >= 10'000'000) return scaled(static_cast<double>(n), count_steps);
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string human(PageClass page_class) {
  switch (page_class) {
    case PageClass::page_4k:
      return "4K";
    case PageClass::page_64k:
      return "64K";
    case PageClass::page_2m:
      return "2M";
  }
  return "?";
}

std::string human(ProcessorId processor) {
  if (processor.is_host()) return "host";
  return processor.is_device() ? fmt::format("device {}", processor.device()) : "nobody";
}

std::string human(const Hints& hints) {
  std::string text;
  const auto add = [&text](const std::string& word) { text += (text.empty() ? "" : ", ") + word; };
  if (hints.pattern == AccessPattern::sequential) add("sequential");
  if (hints.pattern == AccessPattern::random) add("random");
  if (hints.pattern == AccessPattern::streaming) add("streaming");
  if (hints.is_read_mostly) add("read-mostly");
  if (hints.is_discardable) add("discardable");
  if (hints.preferred != no_processor) {
    add("prefers " + human(hints.preferred) +
        (hints.preferred.is_host() && hints.preferred_node >= 0 ? fmt::format(" node {}", hints.preferred_node) : ""));
  }
  for (std::uint8_t p = 0; p < processors_max; ++p) {
    if ((hints.accessed_by >> p) & 1) add("accessed by " + human(ProcessorId{p}));
  }
  return text;
}

std::string times(std::uint64_t value, std::uint64_t base) {
  const double n = base == 0 ? 0 : static_cast<double>(value) / static_cast<double>(base);
  return fmt::format("{:.{}f} times", n, n < 9.95 ? 1 : 0);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const double n = whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.{}f} %", n, n > 0 && n < 0.95 ? 1 : 0);
}

}  // namespace umrt
