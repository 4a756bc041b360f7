// SPDX-License-Identifier: Apache-2.0
#include "os/program_output.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "os/file_descriptor.h"

extern char** environ;

namespace umrt::os {
namespace {

class SpawnActions {
 public:
  SpawnActions() { is_made_ = posix_spawn_file_actions_init(&actions_) == 0; }
  ~SpawnActions() {
    if (is_made_) posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  bool redirect(int output) {
    return is_made_ && posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_adddup2(&actions_, output, 1) == 0 &&
           posix_spawn_file_actions_addopen(&actions_, 2, "/dev/null", O_WRONLY, 0) == 0;
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
  bool is_made_ = false;
};

std::vector<char*> environment_without_preload() {
  std::vector<char*> variables;
  for (char** variable = environ; *variable; ++variable) {
    if (std::strncmp(*variable, "LD_PRELOAD=", 11) != 0) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  return variables;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

std::optional<std::string> program_output(std::span<const std::string> arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const FileDescriptor reader{ends[0]};
  FileDescriptor writer{ends[1]};
  SpawnActions actions;
  if (!actions.redirect(writer.get())) return std::nullopt;

  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  std::vector<char*> variables = environment_without_preload();
  pid_t child = 0;
  if (::posix_spawnp(&child, words[0], actions.get(), nullptr, words.data(), variables.data()) != 0)
    return std::nullopt;
  writer = FileDescriptor{};  // else the pipe never ends
  std::string text = read_all(reader.get());
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;  // ECHILD: the application's wait() took it
  return text;
}

}  // namespace umrt::os
