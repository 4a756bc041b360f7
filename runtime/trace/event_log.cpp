// SPDX-License-Identifier: Apache-2.0
#include "trace/event_log.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "trace/event_fields.h"

namespace umrt {
namespace {

constexpr std::array<char, 7> magic = {'U', 'M', 'R', 'T', 'E', 'V', 'T'};

// Small numbers of either sign become small numbers without one.
constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t unzigzag(std::uint64_t coded) {
  return (coded >> 1) ^ ((coded & 1) != 0 ? ~std::uint64_t{0} : 0);
}

class Encoder {
 public:
  Encoder(std::vector<std::byte>& bytes, std::uint64_t& last_time) : bytes_{bytes}, last_time_{last_time} {}

  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<std::byte>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<std::byte>(value));
  }
  void time(Ticks at) {
    varint(zigzag(at.n - last_time_));
    last_time_ = at.n;
  }
  template <class Number>
  void number(Number n, std::uint64_t = 0) {
    varint(n);
  }
  void signed_number(std::int16_t n) { varint(zigzag(static_cast<std::uint64_t>(std::int64_t{n}))); }
  void flag(bool is_set) { varint(is_set ? 1 : 0); }
  template <class Enum>
  void choice(Enum value, Enum) {
    varint(static_cast<std::uint64_t>(value));
  }
  void page_class(PageClass value) { varint(static_cast<std::uint64_t>(value) / 4096); }

 private:
  std::vector<std::byte>& bytes_;
  std::uint64_t& last_time_;
};

// Once something is wrong every further read gives zero; the first problem and its position are kept.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : bytes_{bytes} {}

  bool at_end() const { return position_ == bytes_.size(); }
  bool is_sound() const { return problem_ == nullptr; }
  std::size_t left() const { return bytes_.size() - position_; }
  const char* problem() const { return problem_; }
  std::size_t position() const { return problem_at_; }
  void wrong(const char* problem) {
    if (problem_ != nullptr) return;
    problem_ = problem;
    problem_at_ = position_;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (std::uint32_t shift = 0; is_sound(); shift += 7) {
      if (at_end()) return wrong("the log ends inside a number"), 0;
      const auto byte = static_cast<std::uint64_t>(bytes_[position_]);
      if (shift == 63 && byte > 1) return wrong("a number has more than 64 bits"), 0;
      ++position_;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift > 0) return wrong("a number is longer than it needs to be"), 0;
        return value;
      }
    }
    return 0;
  }
  std::uint64_t byte() {
    if (!is_sound() || at_end()) return wrong("the log ends inside its head: this is no event log of umrt"), 0;
    return static_cast<std::uint64_t>(bytes_[position_++]);
  }
  void time(Ticks& at) { at.n = last_time_ += unzigzag(varint()); }
  template <class Number>
  void number(Number& n, std::uint64_t largest = UINT64_MAX) {
    const std::uint64_t value = varint();
    if (value > largest) return wrong("a number is out of its field's bounds");
    n = static_cast<Number>(value);
  }
  void signed_number(std::int16_t& n) {
    const auto value = static_cast<std::int64_t>(unzigzag(varint()));
    if (value < INT16_MIN || value > INT16_MAX) return wrong("a number is out of its field's bounds");
    n = static_cast<std::int16_t>(value);
  }
  void flag(bool& is_set) {
    std::uint8_t value = 0;
    number(value, 1);
    is_set = value != 0;
  }
  template <class Enum>
  void choice(Enum& value, Enum last) {
    std::underlying_type_t<Enum> number_of = 0;
    number(number_of, static_cast<std::uint64_t>(last));
    value = static_cast<Enum>(number_of);
  }
  void page_class(PageClass& value) {
    const std::uint64_t pages = varint();
    if (!is_sound()) return;
    if (pages != 1 && pages != 16 && pages != 512) return wrong("a page class is none of 4K, 64K and 2M");
    value = static_cast<PageClass>(pages * 4096);
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0, problem_at_ = 0;
  const char* problem_ = nullptr;
  std::uint64_t last_time_ = 0;
};

template <std::size_t... Kinds>
Event read_event(Decoder& decoder, std::uint64_t kind, std::index_sequence<Kinds...>) {
  Event event;
  const auto read_as = [&](auto which) {
    constexpr std::size_t k = decltype(which)::value;
    if (kind != k) return false;
    trace::fields(decoder, event.emplace<k>());
    return true;
  };
  if (!(read_as(std::integral_constant<std::size_t, Kinds>{}) || ...)) decoder.wrong("an event is of no known kind");
  return event;
}

void read_head(Decoder& decoder) {
  for (const char expected : magic) {
    if (decoder.byte() != static_cast<std::uint64_t>(expected)) return decoder.wrong("this is no event log of umrt");
  }
  if (decoder.byte() != event_log_version) decoder.wrong("the log's version is not 1");
}

}  // namespace

EventLogWriter::EventLogWriter() {
  for (const char c : magic) bytes_.push_back(static_cast<std::byte>(c));
  bytes_.push_back(std::byte{event_log_version});
}

void EventLogWriter::step(std::span<const Event> events) {
  Encoder encoder{bytes_, last_time_};
  encoder.varint(events.size());
  for (Event event : events) {  // a copy: one list of fields serves reading and writing
    encoder.varint(event.index());
    std::visit([&](auto& e) { trace::fields(encoder, e); }, event);
  }
}

Result<EventLog> read_event_log(std::span<const std::byte> bytes) {
  EventLog log;
  Decoder decoder{bytes};
  read_head(decoder);
  while (decoder.is_sound() && !decoder.at_end()) {
    const std::uint64_t count = decoder.varint();
    if (count > decoder.left()) decoder.wrong("a step has more events than the log has bytes");
    for (std::uint64_t n = 0; n < count && decoder.is_sound(); ++n) {
      const std::uint64_t kind = decoder.varint();
      log.events.push_back(read_event(decoder, kind, std::make_index_sequence<std::variant_size_v<Event>>{}));
    }
    log.step_ends.push_back(log.events.size());
  }
  if (decoder.is_sound()) return log;
  return failure(UMRT_ERROR_INVALID_VALUE, "event log, byte " + std::to_string(decoder.position()) + " of " +
                                               std::to_string(bytes.size()) + ": " + decoder.problem());
}

}  // namespace umrt
