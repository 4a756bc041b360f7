// SPDX-License-Identifier: Apache-2.0
#include "config/process_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace umrt {
namespace {

using ::testing::HasSubstr;

class ProcessInput : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"UMRT_CONFIG_FILE", "XDG_CONFIG_HOME", "HOME", "UMRT_POLICY"}) unsetenv(name);
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("umrt_process_input_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_ / ".config");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

std::string policy_of(const Result<SettingsInput>& input) {
  if (!input) return input.error().detail;
  const auto settings = Settings::load(*input);
  return settings ? settings->text("policy") : settings.error().detail;
}

TEST_F(ProcessInput, NothingSaidIsTheDefault) { EXPECT_EQ(policy_of(process_settings_input({})), "lru"); }

TEST_F(ProcessInput, TheNamedFileIsRead) {
  setenv("UMRT_CONFIG_FILE", write("mine.toml", "policy = \"uvm\"").c_str(), 1);
  EXPECT_EQ(policy_of(process_settings_input({})), "uvm");
}

TEST_F(ProcessInput, ANamedFileThatIsMissingIsAnError) {
  setenv("UMRT_CONFIG_FILE", "/nonexistent/umrt.toml", 1);
  EXPECT_THAT(policy_of(process_settings_input({})), HasSubstr("/nonexistent/umrt.toml"));
}

TEST_F(ProcessInput, TheUsersFileIsReadWhereThereIsOne) {
  setenv("HOME", folder_.c_str(), 1);
  EXPECT_EQ(policy_of(process_settings_input({})), "lru");
  write(".config/umrt.toml", "policy = \"from-home\"");
  EXPECT_EQ(policy_of(process_settings_input({})), "from-home");
  write("umrt.toml", "policy = \"from-xdg\"");
  setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  EXPECT_EQ(policy_of(process_settings_input({})), "from-xdg");
}

TEST_F(ProcessInput, VariablesAndArgumentsAreHandedOn) {
  setenv("UMRT_POLICY", "from-variable", 1);
  EXPECT_EQ(policy_of(process_settings_input({})), "from-variable");
  EXPECT_EQ(policy_of(process_settings_input({"policy=from-argument"})), "from-argument");
}

}  // namespace
}  // namespace umrt
