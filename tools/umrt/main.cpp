// SPDX-License-Identifier: Apache-2.0
// The umrt command: parses, runs one subcommand, and turns what went wrong into a message and an exit code.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <new>
#include <sstream>
#include <system_error>
#include <umrt/umrt.hpp>

#include "calls.h"
#include "commands.h"
#include "output.h"

namespace umrt::tool {
namespace {

std::string version_text() {
  const int library = umrt_version();
  const std::string sanitizers = UMRT_TOOL_SANITIZE;
  return fmt::format("umrt {} (library {}.{}.{})\nbuild: {}, {}, sanitizers: {}", UMRT_TOOL_VERSION, library / 10000,
                     library / 100 % 100, library % 100, UMRT_TOOL_BUILD, UMRT_TOOL_COMPILER,
                     sanitizers.empty() ? "none" : sanitizers);
}

ExitCode failed(ExitCode code, const std::string& message) {
  fmt::print(stderr, "umrt: {}\n", message);
  return code;
}

ExitCode run(const std::function<ExitCode()>& command) {
  try {
    const ExitCode code = command();
    flush_output();
    return code;
  } catch (const CommandError& error) {
    return failed(error.code, error.what());
  } catch (const umrt::error& error) {
    return failed(exit_code_of(error.code()), error.what());
  } catch (const std::system_error& error) {  // fmt::print's, of standard output
    return failed(ExitCode::environment, error.what());
  } catch (const std::bad_alloc&) {
    return failed(ExitCode::environment, "not enough memory");
  }
}

// CLI11 would only say that a subcommand is missing.
bool names_no_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return false;
  std::string names;
  for (const Command& command : commands()) {
    if (command.name == std::string_view(argv[1])) return false;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", command.name);
  }
  failed(ExitCode::usage, fmt::format("there is no subcommand \"{}\"; there are {}", argv[1], names));
  return true;
}

int run_main(int argc, char** argv) {
  CLI::App app{"umrt: unified memory that runs more data than the device holds, and says what it did"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer("Exit codes: 0 fine, 1 a finding, 2 wrong usage, 3 the machine lacks something, 130 interrupted.");
  std::map<const CLI::App*, std::function<ExitCode()>> runs;
  for (const Command& command : commands()) {
    CLI::App* options = app.add_subcommand(command.name, command.summary);
    runs[options] = command.declare(*options);
  }
  if (names_no_command(argc, argv)) return static_cast<int>(ExitCode::usage);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;  // help or version; what is wrong goes to standard error
    if (app.exit(error, text) != 0) return static_cast<int>(ExitCode::usage);
    return static_cast<int>(run([&] {
      fmt::print("{}", text.str());
      return ExitCode::fine;
    }));
  }
  return static_cast<int>(run(runs.at(app.get_subcommands().front())));
}

}  // namespace
}  // namespace umrt::tool

int main(int argc, char** argv) {
  umrt::tool::prepare_output();
  return umrt::tool::run_main(argc, argv);
}
