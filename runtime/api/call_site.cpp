// SPDX-License-Identifier: Apache-2.0
#include "api/call_site.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>

#include "os/program_output.h"

namespace umrt {
namespace {

constexpr std::size_t addresses_per_call = 256;  // an argument list has room for many more

struct Place {
  std::string module;         // path; empty: unknown
  std::uint64_t offset = 0;   // in the module's file, as addr2line counts
  std::string function;       // empty: unknown
  std::string file_and_line;  // empty: unknown
};

std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text{abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                         &std::free};
  return status == 0 ? text.get() : symbol;
}

Place place_of(const void* return_address) {
  const auto address = reinterpret_cast<std::uintptr_t>(return_address) - 1;  // within the call, not behind it
  Dl_info info{};
  void* extra = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(address), &info, &extra, RTLD_DL_LINKMAP) == 0) return {};
  if (!info.dli_fname || !extra) return {};
  Place place;
  place.module = info.dli_fname;
  place.offset = address - static_cast<const link_map*>(extra)->l_addr;
  if (info.dli_sname) place.function = demangled(info.dli_sname);
  return place;
}

void add_lines(const std::string& module, std::span<Place*> places) {
  std::vector<std::string> arguments{"addr2line", "-C", "-f", "-e", module};
  for (const Place* place : places) arguments.push_back(fmt::format("{:#x}", place->offset));
  const auto output = os::program_output(arguments);
  if (!output) return;
  std::istringstream lines{*output};
  std::string function;
  std::string file_and_line;
  for (Place* place : places) {
    if (!std::getline(lines, function) || !std::getline(lines, file_and_line)) return;
    if (function != "??") place->function = function;
    if (file_and_line.rfind("??", 0) == 0 || file_and_line.find(":?") != std::string::npos) continue;
    place->file_and_line = file_and_line.substr(0, file_and_line.find(" ("));  // cuts " (discriminator 2)"
  }
}

std::string text_of(const Place& place, const void* address) {
  if (place.module.empty()) return fmt::format("{}", address);
  const std::string function = place.function.empty() ? "" : fmt::format(" ({})", place.function);
  if (!place.file_and_line.empty()) return place.file_and_line + function;
  return fmt::format("{}+{:#x}{}", place.module.substr(place.module.rfind('/') + 1), place.offset, function);
}

}  // namespace

std::vector<std::string> describe_call_sites(std::span<const void* const> return_addresses) {
  std::map<const void*, Place> places;
  for (const void* address : return_addresses) {
    if (address && !places.contains(address)) places.emplace(address, place_of(address));
  }
  std::map<std::string, std::vector<Place*>> by_module;
  for (auto& [address, place] : places) {
    if (!place.module.empty()) by_module[place.module].push_back(&place);
  }
  for (auto& [module, of_module] : by_module) {
    for (std::size_t at = 0; at < of_module.size(); at += addresses_per_call) {
      add_lines(module, std::span{of_module}.subspan(at, std::min(addresses_per_call, of_module.size() - at)));
    }
  }
  std::vector<std::string> texts;
  for (const void* address : return_addresses) texts.push_back(address ? text_of(places.at(address), address) : "");
  return texts;
}

}  // namespace umrt
