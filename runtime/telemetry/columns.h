// SPDX-License-Identifier: Apache-2.0
// Every figure of a report, by name: what it is called in JSON and in text, what it means, how to get at it. The
// writers and the reader walk these tables; to add a column is one row in columns.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "telemetry/report_model.h"

namespace umrt {

// The way to a figure of a T. Those that answer with a reference are stored and read back from JSON; those that answer
// with a value are derived.
template <class T>
using Getter =
    std::variant<Bytes& (*)(T&), std::uint64_t& (*)(T&), std::uint32_t& (*)(T&), Ticks& (*)(T&), Permille& (*)(T&),
                 std::string& (*)(T&), bool& (*)(T&), PageClass& (*)(T&), Reason& (*)(T&), Bytes (*)(const T&),
                 std::uint64_t (*)(const T&), Permille (*)(const T&), std::string (*)(const T&)>;

enum class Shown : std::uint8_t {
  json,    // in JSON alone
  table,   // a column of the text
  detail,  // in the line below, where it is not zero or empty
};

template <class T>
struct Column {
  std::string_view key;  // in JSON; ends in its unit: _bytes, _ms, _ratio; a plain name is a count or a text
  Shown shown;
  std::string_view heading;  // in the text
  std::string_view text;     // what it means, for docs/report.md
  Getter<T> get;
};

std::span<const Column<ReportRange>> range_columns();
std::span<const Column<Counters>> counter_columns();  // of every range, and of the totals
std::span<const Column<ReportTotals>> total_columns();
std::span<const Column<ReportDevice>> device_columns();
std::span<const Column<ReportHeap>> heap_columns();
std::span<const Column<ComparisonRow>> comparison_columns();
std::span<const Column<RunFacts>> run_columns();

// Calls `use` with the figure. A getter that answers with a reference takes a T& because the reader of JSON writes
// through it; nothing is written here.
template <class T, class Use>
decltype(auto) with_figure(const Column<T>& column, const T& subject, Use&& use) {
  return std::visit([&](auto get) { return use(get(const_cast<T&>(subject))); }, column.get);
}

// A figure as a cell of the text: "1.40 GiB", "12,345", "6.12 s", a word. Empty where it is zero.
template <class T>
std::string cell(const Column<T>& column, const T& subject);
template <class T>
bool is_text(const Column<T>& column);  // words are aligned to the left, numbers to the right

}  // namespace umrt
