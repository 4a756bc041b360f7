// SPDX-License-Identifier: Apache-2.0
// The figures of a report in JSON, one by one and table by table, both ways. For json_report.cpp alone. What reads
// throws where the JSON is something else; report_from_json catches.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "telemetry/columns.h"

namespace umrt {

using Json = nlohmann::ordered_json;

Json json_of(Bytes bytes);
Json json_of(std::uint64_t count);
Json json_of(std::uint32_t count);
Json json_of(Ticks time);
Json json_of(Permille ratio);
Json json_of(const std::string& words);
Json json_of(bool is_so);
Json json_of(PageClass page_class);
Json json_of(Reason reason);

void read(const Json& json, Bytes& bytes);
void read(const Json& json, std::uint64_t& count);
void read(const Json& json, std::uint32_t& count);
void read(const Json& json, Ticks& time);
void read(const Json& json, Permille& ratio);
void read(const Json& json, std::string& words);
void read(const Json& json, bool& is_so);
void read(const Json& json, PageClass& page_class);
void read(const Json& json, Reason& reason);

template <class T>
void write(Json& to, std::span<const Column<T>> columns, const T& subject) {
  for (const Column<T>& column : columns) {
    with_figure(column, subject, [&](const auto& figure) { to[std::string{column.key}] = json_of(figure); });
  }
}

template <class T>
void read(const Json& from, std::span<const Column<T>> columns, T& subject) {
  for (const Column<T>& column : columns) {
    std::visit(
        [&](auto get) {
          if constexpr (std::is_reference_v<decltype(get(subject))>)
            read(from.at(std::string{column.key}), get(subject));
        },
        column.get);
  }
}

}  // namespace umrt
