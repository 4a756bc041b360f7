// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace umrt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

SettingsInput with_environment(std::map<std::string, std::string, std::less<>> variables) {
  SettingsInput input;
  input.environment = [variables](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  return input;
}

SettingsInput with_file(std::string text) {
  SettingsInput input;
  input.file_path = "umrt.toml";
  input.file_text = std::move(text);
  return input;
}

SettingsInput with_overrides(std::vector<std::string> overrides) {
  SettingsInput input;
  input.overrides = std::move(overrides);
  return input;
}

Settings loaded(const SettingsInput& input) {
  auto settings = Settings::load(input);
  EXPECT_TRUE(settings.has_value()) << (settings ? "" : settings.error().detail);
  return std::move(settings).value();
}

std::string refusal(const SettingsInput& input) {
  const auto settings = Settings::load(input);
  if (settings) return "accepted";
  EXPECT_EQ(settings.error().code, UMRT_ERROR_INVALID_VALUE);
  return settings.error().detail;
}

TEST(Settings, EveryRowHasAVariableMadeOfItsKeyAndASentence) {
  std::set<std::string_view> keys;
  for (const SettingRow& row : setting_rows()) {
    std::string variable = "UMRT_";
    for (const char c : row.key) variable += c == '.' ? '_' : static_cast<char>(std::toupper(c));
    EXPECT_EQ(row.variable, variable);
    EXPECT_TRUE(row.text.ends_with('.')) << row.key;
    EXPECT_FALSE(row.name.empty()) << row.key;
    EXPECT_TRUE(keys.insert(row.key).second) << row.key << " twice";
  }
}

TEST(Settings, DefaultsHoldWhereNothingIsSaid) {
  const Settings settings = loaded({});
  EXPECT_FALSE(settings.flag("disable"));
  EXPECT_TRUE(settings.flag("prefetch"));
  EXPECT_EQ(settings.count("soft.devices"), 1u);
  EXPECT_TRUE(settings.is_auto("device.budget"));
  EXPECT_EQ(settings.size("host.budget", 10_GiB), 9_GiB);
  EXPECT_EQ(settings.size("arena.bytes", 0_B), 1_TiB);
  EXPECT_EQ(settings.text("policy"), "lru");
  for (const SettingRow& row : setting_rows()) EXPECT_EQ(settings.source(row.key), "default");
}

TEST(Settings, TheFileWinsOverDefaultsInAnyOfTomlsSpellings) {
  for (const char* text : {"soft.devices = 2", "[soft]\ndevices = 2", "\"soft.devices\" = \"2\""}) {
    const Settings settings = loaded(with_file(text));
    EXPECT_EQ(settings.count("soft.devices"), 2u) << text;
    EXPECT_EQ(settings.source("soft.devices"), "file umrt.toml");
  }
}

TEST(Settings, FileValuesMayBeTomlsOwnTypes) {
  const Settings settings =
      loaded(with_file("prefetch = false\n[device]\nbudget = 67108864\n[host]\nbudget = \"50 %\"\n"));
  EXPECT_FALSE(settings.flag("prefetch"));
  EXPECT_EQ(settings.size("device.budget", 0_B), 64_MiB);
  EXPECT_EQ(settings.size("host.budget", 8_GiB), 4_GiB);
}

TEST(Settings, DeviceAndItsBudgetStandInOneFile) {
  const Settings settings = loaded(with_file("device = \"soft\"\n\"device.budget\" = \"64MiB\"\n"));
  EXPECT_EQ(settings.text("device"), "soft");
  EXPECT_EQ(settings.size("device.budget", 0_B), 64_MiB);
}

TEST(Settings, TheEnvironmentWinsOverTheFileAndAnArgumentOverBoth) {
  SettingsInput input = with_environment({{"UMRT_SOFT_DEVICES", "3"}, {"UMRT_POLICY", "uvm"}});
  input.file_path = "umrt.toml";
  input.file_text = "soft.devices = 2\npolicy = \"file\"\nlog.level = \"info\"\n";
  input.overrides = {"soft.devices=4", "soft.devices=5"};
  const Settings settings = loaded(input);
  EXPECT_EQ(settings.count("soft.devices"), 5u);
  EXPECT_EQ(settings.source("soft.devices"), "argument");
  EXPECT_EQ(settings.text("policy"), "uvm");
  EXPECT_EQ(settings.source("policy"), "environment UMRT_POLICY");
  EXPECT_EQ(settings.text("log.level"), "info");
}

TEST(Settings, AVariableWithoutAValueIsNotSet) {
  EXPECT_EQ(loaded(with_environment({{"UMRT_SOFT_DEVICES", ""}})).source("soft.devices"), "default");
}

TEST(Settings, ABadVariableIsNamedWithItsValueAndWhatIsLegal) {
  EXPECT_THAT(refusal(with_environment({{"UMRT_SOFT_DEVICES", "many"}})),
              AllOf(HasSubstr("UMRT_SOFT_DEVICES"), HasSubstr("\"many\""), HasSubstr("from 1 to 8")));
  EXPECT_THAT(
      refusal(with_environment({{"UMRT_DEVICE_BUDGET", "12 apples"}})),
      AllOf(HasSubstr("UMRT_DEVICE_BUDGET"), HasSubstr("\"12 apples\""), HasSubstr("512MiB"), HasSubstr("auto")));
  EXPECT_THAT(refusal(with_environment({{"UMRT_PREFETCH", "maybe"}})),
              AllOf(HasSubstr("UMRT_PREFETCH"), HasSubstr("\"maybe\""), HasSubstr("off")));
  EXPECT_THAT(refusal(with_environment({{"UMRT_SOFT_FAULT_WAY", "fast"}})),
              AllOf(HasSubstr("UMRT_SOFT_FAULT_WAY"), HasSubstr("auto|move|copy")));
}

TEST(Settings, CountsOutOfRangeAreRefused) {
  for (const char* text : {"0", "9", "-1", "1.5", "18446744073709551616"}) {
    EXPECT_THAT(refusal(with_overrides({std::string("soft.devices=") + text})), HasSubstr("from 1 to 8")) << text;
  }
}

TEST(Settings, ABadFileIsNamedWithItsLine) {
  EXPECT_THAT(refusal(with_file("policy = \"lru\"\nsoft.devices = = 2\n")),
              AllOf(HasSubstr("file umrt.toml"), HasSubstr("line 2")));
  EXPECT_THAT(refusal(with_file("soft.devics = 2")), AllOf(HasSubstr("umrt.toml"), HasSubstr("soft.devics")));
  EXPECT_THAT(refusal(with_file("soft.devices = 1.5")), HasSubstr("soft.devices"));
  EXPECT_THAT(refusal(with_file("soft.devices = [1]")), HasSubstr("soft.devices"));
  EXPECT_THAT(refusal(with_file(std::string("\0\x01\xff", 3))), HasSubstr("not TOML"));
}

TEST(Settings, ABadArgumentIsNamed) {
  EXPECT_THAT(refusal(with_overrides({"prefetch"})), AllOf(HasSubstr("\"prefetch\""), HasSubstr("key=value")));
  EXPECT_THAT(refusal(with_overrides({"prefetsh=on"})), AllOf(HasSubstr("\"prefetsh\""), HasSubstr("umrt config")));
  EXPECT_THAT(refusal(with_overrides({"report.format=yaml"})), AllOf(HasSubstr("yaml"), HasSubstr("text|json")));
}

TEST(Settings, AutoIsLegalOnlyWhereItIsTheDefault) {
  EXPECT_TRUE(loaded(with_overrides({"soft.workers=AUTO"})).is_auto("soft.workers"));
  EXPECT_FALSE(loaded(with_overrides({"soft.workers=2"})).is_auto("soft.workers"));
  EXPECT_THAT(refusal(with_overrides({"soft.devices=auto"})), HasSubstr("from 1 to 8"));
}

TEST(Settings, AChoiceIsFoldedToItsSpelling) {
  EXPECT_EQ(loaded(with_overrides({"log.level= Debug "})).text("log.level"), "debug");
  EXPECT_TRUE(loaded({}).is_auto("soft.fault_way"));
}

}  // namespace
}  // namespace umrt
