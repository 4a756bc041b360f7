// SPDX-License-Identifier: Apache-2.0
// What this process has to say about the settings: its environment and its file.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace umrt {

// The file is UMRT_CONFIG_FILE, which must then be readable, else $XDG_CONFIG_HOME/umrt.toml or ~/.config/umrt.toml
// where there is one. Errors: INVALID_VALUE when the named file cannot be read.
Result<SettingsInput> process_settings_input(std::vector<std::string> overrides);

}  // namespace umrt
