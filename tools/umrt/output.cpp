// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "commands.h"

namespace umrt::tool {
namespace {

bool write_whole(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

bool replace(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path part = fmt::format("{}.{}.part", path.string(), ::getpid());
  std::error_code error;
  if (write_whole(part, text)) {
    std::filesystem::rename(part, path, error);
    if (!error) return true;
  }
  const int reason = error ? error.value() : errno;
  std::filesystem::remove(part, error);
  errno = reason;
  return false;
}

}  // namespace

void prepare_output() {
  for (const int fd : {0, 1, 2}) {
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);  // takes the lowest free number
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw CommandError(
      ExitCode::environment,
      fmt::format("standard output: {}", errno != 0 ? std::strerror(errno) : "it was not written whole"));
}

void write_output_file(const std::string& option, const std::string& path, const std::string& text) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  const bool is_in_place = exists(status) && !is_regular_file(status);
  errno = 0;
  bool is_written = false;
  if (is_in_place) {
    is_written = write_whole(path, text);
  } else {
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
    is_written = replace(error ? std::filesystem::path(path) : target, text);
  }
  if (is_written) return;
  const std::string why = errno != 0 ? fmt::format(": {}", std::strerror(errno)) : "";
  throw CommandError(ExitCode::environment, fmt::format("{} {}: cannot be written{}", option, path, why));
}

}  // namespace umrt::tool
