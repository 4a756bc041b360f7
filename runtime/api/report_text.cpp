// SPDX-License-Identifier: Apache-2.0
#include "api/report_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <vector>

#include "api/call_site.h"
#include "telemetry/json_report.h"
#include "telemetry/text_report.h"

namespace umrt {
namespace {

void replace_all(std::string& text, const std::string& key, const std::string& by) {
  for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + by.size()))
    text.replace(at, key.size(), by);
}

// Key and text of every call site that the report names.
std::map<std::string, std::string> call_sites_of(const ReportModel& model) {
  std::map<std::string, std::string> texts;
  for (const ReportRange& range : model.ranges)
    if (range.call_site.starts_with("0x")) texts.emplace(range.call_site, "");
  std::vector<const void*> addresses;
  for (const auto& [key, text] : texts)
    addresses.push_back(reinterpret_cast<const void*>(std::strtoull(key.c_str(), nullptr, 16)));
  const std::vector<std::string> described = describe_call_sites(addresses);
  std::size_t next = 0;
  for (auto& [key, text] : texts) text = described[next++];
  return texts;
}

}  // namespace

std::string call_site_key(const void* call_site) {
  return call_site == nullptr ? std::string() : fmt::format("{}", call_site);
}

std::string report_text(ReportModel model, umrt_report_format format) {
  for (const auto& [key, text] : call_sites_of(model)) {
    for (ReportRange& range : model.ranges) replace_all(range.call_site, key, text);
    for (Finding& finding : model.findings) {
      replace_all(finding.range, key, text);
      replace_all(finding.text, key, text);
    }
  }
  return format == UMRT_REPORT_JSON ? to_json(model) : to_text(model);
}

}  // namespace umrt
