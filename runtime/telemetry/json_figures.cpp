// SPDX-License-Identifier: Apache-2.0
#include "telemetry/json_figures.h"

#include <cmath>
#include <stdexcept>

namespace umrt {

Json json_of(Bytes bytes) { return bytes.n; }
Json json_of(std::uint64_t count) { return count; }
Json json_of(std::uint32_t count) { return count; }
Json json_of(Ticks time) { return static_cast<double>(time.n) / 1e6; }
Json json_of(Permille ratio) { return static_cast<double>(ratio.n) / 1e3; }
Json json_of(const std::string& words) { return words; }
Json json_of(bool is_so) { return is_so; }
Json json_of(PageClass page_class) { return granule_bytes(page_class).n; }
Json json_of(Reason reason) { return reason_name(reason); }

namespace {

std::uint64_t count_in(const Json& json) {
  if (!json.is_number_unsigned()) throw std::invalid_argument("a number from 0 on belongs here, not " + json.dump());
  return json.get<std::uint64_t>();
}

}  // namespace

void read(const Json& json, Bytes& bytes) { bytes.n = count_in(json); }
void read(const Json& json, std::uint64_t& count) { count = count_in(json); }
void read(const Json& json, std::uint32_t& count) { count = static_cast<std::uint32_t>(count_in(json)); }
void read(const Json& json, std::string& words) { words = json.get<std::string>(); }
void read(const Json& json, bool& is_so) { is_so = json.get<bool>(); }

void read(const Json& json, Ticks& time) {
  const auto milliseconds = json.get<double>();
  if (!(milliseconds >= 0 && milliseconds < 1e12)) {
    throw std::invalid_argument("milliseconds belong here, not " + json.dump());
  }
  time.n = static_cast<std::uint64_t>(std::llround(milliseconds * 1e6));
}

void read(const Json& json, Permille& ratio) {
  const auto part = json.get<double>();
  if (!(part >= 0 && part <= 1)) throw std::invalid_argument("a ratio from 0 to 1 belongs here, not " + json.dump());
  ratio.n = static_cast<std::uint32_t>(std::lround(part * 1e3));
}

void read(const Json& json, PageClass& page_class) {
  for (const PageClass c : {PageClass::page_4k, PageClass::page_64k, PageClass::page_2m}) {
    if (count_in(json) == granule_bytes(c).n) {
      page_class = c;
      return;
    }
  }
  throw std::invalid_argument("4096, 65536 or 2097152 belongs here, not " + json.dump());
}

void read(const Json& json, Reason& reason) {
  for (auto r = Reason::none; r <= Reason::device_lost; r = static_cast<Reason>(static_cast<unsigned>(r) + 1)) {
    if (json == reason_name(r)) {
      reason = r;
      return;
    }
  }
  throw std::invalid_argument("no reason is called " + json.dump());
}

}  // namespace umrt
