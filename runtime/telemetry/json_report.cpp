// SPDX-License-Identifier: Apache-2.0
#include "telemetry/json_report.h"

#include <algorithm>
#include <stdexcept>

#include "telemetry/json_figures.h"

namespace umrt {
namespace {

using umrt::json_of;  // the overloads below would hide them
using umrt::read;
using umrt::write;

// ---- what is no single figure

constexpr const char* patterns[] = {"unknown", "sequential", "random", "streaming"};

Json json_of(const Hints& hints) {
  return {{"preferred_processor", hints.preferred == no_processor ? -1 : int{hints.preferred.n}},
          {"preferred_node", hints.preferred_node},
          {"accessed_by_mask", hints.accessed_by},
          {"pattern", patterns[static_cast<unsigned>(hints.pattern)]},
          {"is_read_mostly", hints.is_read_mostly},
          {"is_discardable", hints.is_discardable}};
}

void read(const Json& from, Hints& hints) {
  const int preferred = from.at("preferred_processor").get<int>();
  if (preferred >= static_cast<int>(processors_max)) throw std::invalid_argument("preferred_processor is too large");
  hints.preferred = preferred < 0 ? no_processor : ProcessorId{static_cast<std::uint8_t>(preferred)};
  hints.preferred_node = from.at("preferred_node").get<std::int16_t>();
  hints.accessed_by = from.at("accessed_by_mask").get<std::uint16_t>();
  const auto* pattern = std::find(std::begin(patterns), std::end(patterns), from.at("pattern").get<std::string>());
  if (pattern == std::end(patterns)) throw std::invalid_argument("no pattern is called " + from.at("pattern").dump());
  hints.pattern = static_cast<AccessPattern>(pattern - patterns);
  read(from.at("is_read_mostly"), hints.is_read_mostly);
  read(from.at("is_discardable"), hints.is_discardable);
}

// Figures by processor: host first, then the devices of the run.
void write(Json& to, const Counters& counters, std::size_t processors) {
  write(to, counter_columns(), counters);
  for (std::size_t p = 0; p < processors; ++p) {
    to["faults_read_by_processor"].push_back(counters.faults[p][static_cast<std::size_t>(Access::read)]);
    to["faults_write_by_processor"].push_back(counters.faults[p][static_cast<std::size_t>(Access::write)]);
    to["resident_by_processor_bytes"].push_back(counters.resident[p].n);
  }
}

void read(const Json& from, Counters& counters, std::size_t processors) {
  read(from, counter_columns(), counters);
  for (std::size_t p = 0; p < processors; ++p) {
    read(from.at("faults_read_by_processor").at(p), counters.faults[p][static_cast<std::size_t>(Access::read)]);
    read(from.at("faults_write_by_processor").at(p), counters.faults[p][static_cast<std::size_t>(Access::write)]);
    read(from.at("resident_by_processor_bytes").at(p), counters.resident[p]);
  }
}

// One row a slot: host, devices, remote; null before the range was there.
Json json_of(const Timeline& timeline) {
  Json rows = Json::array();
  for (const ReportSlot& slot : timeline) {
    Json row;
    if (slot.is_known) {
      for (const Bytes bytes : slot.resident) row.push_back(bytes.n);
      row.push_back(slot.remote.n);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void read(const Json& from, Timeline& timeline, std::size_t processors) {
  for (const Json& row : from) {
    ReportSlot& slot = timeline.emplace_back();
    slot.is_known = !row.is_null();
    if (!slot.is_known) continue;
    slot.resident.resize(processors);
    for (std::size_t p = 0; p < processors; ++p) read(row.at(p), slot.resident[p]);
    read(row.at(processors), slot.remote);
  }
}

// ---- the parts of a report

Json json_of(const ReportRange& range, std::size_t processors) {
  Json json;
  write(json, range_columns(), range);
  json["hint_values"] = json_of(range.hints);
  write(json, range.counters, processors);
  json["timeline_bytes"] = json_of(range.timeline);
  return json;
}

void read(const Json& from, ReportRange& range, std::size_t processors) {
  read(from, range_columns(), range);
  read(from.at("hint_values"), range.hints);
  read(from, range.counters, processors);
  read(from.at("timeline_bytes"), range.timeline, processors);
}

Json json_of(const ReportDevice& device) {
  Json json;
  write(json, device_columns(), device);
  json["timeline_in_use_bytes"] = Json::array();
  for (const Bytes bytes : device.in_use_timeline) json["timeline_in_use_bytes"].push_back(bytes.n);
  return json;
}

void read(const Json& from, ReportDevice& device) {
  read(from, device_columns(), device);
  for (const Json& bytes : from.at("timeline_in_use_bytes")) read(bytes, device.in_use_timeline.emplace_back());
}

Json json_of(const Finding& finding) {
  return {{"rule", finding.rule}, {"range", finding.range}, {"text", finding.text}, {"gain_ms", json_of(finding.gain)}};
}

void read(const Json& from, Finding& finding) {
  read(from.at("rule"), finding.rule);
  read(from.at("range"), finding.range);
  read(from.at("text"), finding.text);
  read(from.at("gain_ms"), finding.gain);
}

// ---- text

// A name from the application may be no UTF-8; it must not cost the report.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool has_objects(const Json& json) {
  return json.is_object() || (json.is_array() && std::any_of(json.begin(), json.end(), has_objects));
}

// Objects and lists of them are indented; a list of figures stays on one line.
void print(std::string& text, const Json& json, std::size_t indent) {
  if (!has_objects(json) || json.empty()) {
    text += line_of(json);
    return;
  }
  text += json.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, value] : json.items()) {
    text += separator + std::string(indent + 2, ' ');
    if (json.is_object()) text += line_of(key) + ": ";
    print(text, value, indent + 2);
    separator = ",\n";
  }
  text += '\n' + std::string(indent, ' ') + (json.is_object() ? '}' : ']');
}

ReportModel model_of(const Json& json) {
  if (const Json& version = json.at("schema_version"); version != report_schema_version) {
    throw std::invalid_argument("schema_version is " + version.dump() + ", this reader knows " +
                                std::to_string(report_schema_version));
  }
  ReportModel model;
  read(json.at("run"), run_columns(), model.run);
  for (const Json& device : json.at("devices")) read(device, model.devices.emplace_back());
  for (const ReportDevice& device : model.devices) model.run.device_budgets.push_back(device.budget);
  const std::size_t processors = model.devices.size() + 1;
  if (processors > processors_max) throw std::invalid_argument("more than 8 devices");
  read(json.at("totals"), total_columns(), model.totals);
  read(json.at("totals"), model.totals.counters, processors);
  read(json.at("slot_ms"), model.slot);
  read(json.at("heap"), heap_columns(), model.heap);
  for (const Json& range : json.at("ranges")) read(range, model.ranges.emplace_back(), processors);
  for (const Json& row : json.at("comparison")) read(row, comparison_columns(), model.comparison.emplace_back());
  for (const Json& finding : json.at("findings")) read(finding, model.findings.emplace_back());
  return model;
}

}  // namespace

std::string to_json(const ReportModel& model) {
  const std::size_t processors = model.devices.size() + 1;
  Json json;
  json["schema_version"] = report_schema_version;
  write(json["run"], run_columns(), model.run);
  write(json["totals"], total_columns(), model.totals);
  write(json["totals"], model.totals.counters, processors);
  json["slot_ms"] = json_of(model.slot);
  write(json["heap"], heap_columns(), model.heap);
  for (const char* list : {"devices", "ranges", "comparison", "findings"}) json[list] = Json::array();
  for (const ReportDevice& device : model.devices) json["devices"].push_back(json_of(device));
  for (const ReportRange& range : model.ranges) json["ranges"].push_back(json_of(range, processors));
  for (const ComparisonRow& row : model.comparison) write(json["comparison"].emplace_back(), comparison_columns(), row);
  for (const Finding& finding : model.findings) json["findings"].push_back(json_of(finding));
  std::string text;
  print(text, json, 0);
  return text + '\n';
}

Result<ReportModel> report_from_json(std::string_view text) {
  try {
    return model_of(Json::parse(text));
  } catch (const std::exception& problem) {
    return failure(UMRT_ERROR_INVALID_VALUE, std::string{"not a placement report: "} + problem.what());
  }
}

}  // namespace umrt
