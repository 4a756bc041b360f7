// SPDX-License-Identifier: Apache-2.0
#include "os/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "os/file_descriptor.h"

namespace umrt::os {
namespace {

tl::unexpected<Error> refused(const std::string& path) {
  const int error = errno;
  return failure(UMRT_ERROR_SYSTEM, fmt::format("cannot write {}: {}", path, std::strerror(error)), error);
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool is_in_place(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

Status write_file(const std::string& path, std::string_view text) {
  if (is_in_place(path)) {
    const FileDescriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    return file && write_all(file.get(), text) ? Status{} : refused(path);
  }
  const std::unique_ptr<char, decltype(&std::free)> followed{::realpath(path.c_str(), nullptr), &std::free};
  const std::string target = followed ? followed.get() : path;  // a link stays one
  const std::string beside = fmt::format("{}.{}.part", target, ::getpid());
  const FileDescriptor file{::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  if (!file) return refused(path);
  if (!write_all(file.get(), text) || ::fsync(file.get()) != 0 || std::rename(beside.c_str(), target.c_str()) != 0) {
    auto error = refused(path);
    ::unlink(beside.c_str());
    return error;
  }
  return {};
}

}  // namespace umrt::os
