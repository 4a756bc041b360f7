// SPDX-License-Identifier: Apache-2.0
// What the command writes: standard output, whose errors must not pass unseen, and files it was told to write.
#pragma once

#include <string>

namespace umrt::tool {

// Once, at the start. Opens /dev/null for each of descriptors 0, 1 and 2 that is closed: a file opened later would take
// its number, and what is printed would end up in it. A file that grows over RLIMIT_FSIZE is an error, not a signal.
void prepare_output();

// What is still buffered for standard output. CommandError if something printed did not arrive.
void flush_output();

// Whole or not at all: regular files are written beside themselves and renamed, links are followed, and devices and
// pipes are written in place. `option` names it in the CommandError.
void write_output_file(const std::string& option, const std::string& path, const std::string& text);

}  // namespace umrt::tool
