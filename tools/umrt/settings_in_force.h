// SPDX-License-Identifier: Apache-2.0
// The settings that umrt_init will find, for the command's own decisions.
#pragma once

#include "commands.h"
#include "config/process_input.h"

namespace umrt::tool {

inline Settings settings_in_force() {  // a bad value is wrong usage
  auto input = process_settings_input({});
  if (!input) throw CommandError(ExitCode::usage, input.error().detail);
  auto settings = Settings::load(*input);
  if (!settings) throw CommandError(ExitCode::usage, settings.error().detail);
  return *std::move(settings);
}

}  // namespace umrt::tool
