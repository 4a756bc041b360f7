// SPDX-License-Identifier: Apache-2.0
// The subcommands of umrt, as a table: main, --help and the tests walk it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>

namespace umrt::tool {

enum class ExitCode : int {
  fine = 0,
  finding = 1,        // the command ran, and what it found is not as it should be
  usage = 2,          // an argument, a setting or an input file is wrong
  environment = 3,    // this machine lacks something
  interrupted = 130,  // by Ctrl-C: 128 + SIGINT, as shells have it
};

// Ends the command: main prints the message to standard error and exits with the code.
struct CommandError : std::runtime_error {
  CommandError(ExitCode exit_code, const std::string& message) : std::runtime_error(message), code{exit_code} {}
  ExitCode code;
};

struct Command {
  const char* name;
  const char* summary;
  // Adds the options to the subcommand; the answer runs it with what was parsed into them.
  std::function<ExitCode()> (*declare)(CLI::App& options);
};

std::span<const Command> commands();

std::function<ExitCode()> declare_bench(CLI::App& options);
std::function<ExitCode()> declare_config(CLI::App& options);
std::function<ExitCode()> declare_demo(CLI::App& options);
std::function<ExitCode()> declare_doctor(CLI::App& options);

}  // namespace umrt::tool
