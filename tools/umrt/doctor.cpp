// SPDX-License-Identifier: Apache-2.0
// `umrt doctor`: the checks of telemetry/machine.h, then the runtime itself, started for one small kernel.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <umrt/umrt.hpp>
#include <vector>

#include "calls.h"
#include "commands.h"
#include "kernels/sweep.h"
#include "telemetry/machine.h"

namespace umrt::tool {
namespace {

struct Row {
  std::string name;
  MachineAnswer answer;
};

constexpr std::uint64_t trial_words = (std::uint64_t{4} << 20) / sizeof(std::uint64_t);

bool trial_kernel_counts_right() {
  buffer<std::uint64_t> words(trial_words, hints{}.name("trial"));
  std::fill(words.begin(), words.end(), 41);
  const sweep::Arguments arguments{.words = words.data(), .word_count = trial_words};
  check(umrt_launch(nullptr, sweep::add_to_every_word, &arguments, sizeof arguments, trial_words, 0));
  synchronize();
  return std::all_of(words.begin(), words.end(), [](std::uint64_t word) { return word == 42; });
}

// Starts the runtime as the settings say, and lets a device work on what the host wrote.
std::vector<Row> run_trial() {
  try {
    const runtime up;
    if (!trial_kernel_counts_right()) {
      return {{"trial run", {"wrong result", Verdict::missing, "a kernel read or wrote other bytes than the host"}}};
    }
    const RunFacts run = report_model().run;
    return {{"trial run", {.value = "a kernel and the host agree", .cure = {}}},
            {"fault way", {.value = run.fault_way, .cure = {}}},
            {"copy way", {.value = run.copy_way, .cure = {}}},
            {"policy", {.value = run.policy, .cure = {}}},
            {"workers", {.value = std::to_string(run.workers) + " a device", .cure = {}}}};
  } catch (const umrt::error& error) {
    return {{"trial run", {"failed", Verdict::missing, error.what()}}};
  }
}

Verdict worst(const std::vector<Row>& rows) {
  Verdict verdict = Verdict::fine;
  for (const Row& row : rows) verdict = std::max(verdict, row.answer.verdict);
  return verdict;
}

void print_text(const std::vector<Row>& rows) {
  for (const auto& [name, answer] : rows) {
    fmt::print("{:<16} {:<8} {}\n", name, verdict_name(answer.verdict), answer.value);
    if (!answer.cure.empty()) fmt::print("{:<16} -> {}\n", "", answer.cure);
  }
  switch (worst(rows)) {
    case Verdict::fine:
      fmt::print("\numrt runs here with everything it has.\n");
      break;
    case Verdict::limited:
      fmt::print("\numrt runs here, with the limits above.\n");
      break;
    case Verdict::missing:
      fmt::print("\numrt cannot run here until what is missing above is there.\n");
      break;
  }
}

void print_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const auto& [name, answer] : rows) {
    checks.push_back(
        {{"name", name}, {"verdict", verdict_name(answer.verdict)}, {"value", answer.value}, {"cure", answer.cure}});
  }
  const nlohmann::ordered_json all{
      {"schema_version", 1}, {"verdict", verdict_name(worst(rows))}, {"checks", std::move(checks)}};
  fmt::print("{}\n", all.dump(2));
}

ExitCode run_doctor(bool is_json) {
  std::vector<Row> rows;
  const MachineFacts facts = machine_facts();
  for (const MachineCheck& check : machine_checks()) rows.push_back({std::string(check.name), check.check(facts)});
  if (worst(rows) != Verdict::missing) {
    for (Row& row : run_trial()) rows.push_back(std::move(row));
  }
  is_json ? print_json(rows) : print_text(rows);
  switch (worst(rows)) {
    case Verdict::fine:
      return ExitCode::fine;
    case Verdict::limited:
      return ExitCode::finding;
    case Verdict::missing:
      break;
  }
  return ExitCode::environment;
}

}  // namespace

std::function<ExitCode()> declare_doctor(CLI::App& options) {
  const auto is_json = std::make_shared<bool>(false);
  options.add_flag("--json", *is_json, "JSON instead of text");
  return [is_json] { return run_doctor(*is_json); };
}

}  // namespace umrt::tool
