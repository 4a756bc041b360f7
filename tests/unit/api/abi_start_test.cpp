// SPDX-License-Identifier: Apache-2.0
// The C interface: versions, names of errors, init and shutdown, and what works without the runtime.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <thread>

#include "support/runtime_fixture.h"

namespace umrt::test {
namespace {

constexpr umrt_result all_results[] = {UMRT_SUCCESS,
                                       UMRT_ERROR_INVALID_VALUE,
                                       UMRT_ERROR_OUT_OF_MEMORY,
                                       UMRT_ERROR_NOT_INITIALIZED,
                                       UMRT_ERROR_NO_DEVICE,
                                       UMRT_ERROR_INVALID_DEVICE,
                                       UMRT_ERROR_INVALID_HANDLE,
                                       UMRT_ERROR_NOT_READY,
                                       UMRT_ERROR_ILLEGAL_ADDRESS,
                                       UMRT_ERROR_LAUNCH_FAILED,
                                       UMRT_ERROR_NOT_SUPPORTED,
                                       UMRT_ERROR_UNKNOWN,
                                       UMRT_ERROR_ALREADY_INITIALIZED,
                                       UMRT_ERROR_DOUBLE_FREE,
                                       UMRT_ERROR_FOREIGN_POINTER,
                                       UMRT_ERROR_SIZE_OVERFLOW,
                                       UMRT_ERROR_DATA_LOSS,
                                       UMRT_ERROR_SYSTEM};

TEST(AbiNames, TheVersionIsThatOfTheHeader) {
  EXPECT_EQ(umrt_version(), UMRT_VERSION_MAJOR * 10000 + UMRT_VERSION_MINOR * 100 + UMRT_VERSION_PATCH);
}

TEST(AbiNames, EveryResultHasANameAndAClauseOfItsOwn) {
  std::set<std::string> names, clauses;
  for (const umrt_result result : all_results) {
    names.insert(umrt_error_name(result));
    clauses.insert(umrt_error_string(result));
  }
  EXPECT_EQ(names.size(), std::size(all_results));
  EXPECT_EQ(clauses.size(), std::size(all_results));
  EXPECT_STREQ(umrt_error_name(UMRT_ERROR_FOREIGN_POINTER), "UMRT_ERROR_FOREIGN_POINTER");
  EXPECT_STREQ(umrt_error_name(static_cast<umrt_result>(12345)), "unknown result");
  EXPECT_STRNE(umrt_error_string(static_cast<umrt_result>(12345)), "");
}

TEST(AbiDetail, IsEmptyBeforeAThreadsFirstFailureAndItsOwnAfterwards) {
  EXPECT_TRUE(fails(umrt_malloc(nullptr, 1), UMRT_ERROR_NOT_INITIALIZED));
  EXPECT_STRNE(umrt_error_detail(), "");
  std::string of_other = "unset";
  std::thread([&] { of_other = umrt_error_detail(); }).join();
  EXPECT_EQ(of_other, "");
}

TEST(AbiStart, EveryFunctionSaysThatTheRuntimeIsNotInitialized) {
  constexpr umrt_result expected = UMRT_ERROR_NOT_INITIALIZED;
  int on_stack = 0;
  void* pointer = &on_stack;
  std::size_t bytes = 0;
  std::uint32_t count = 0;
  float milliseconds = 0;
  umrt_hints hints;
  umrt_hints_init(&hints);
  umrt_pointer_info info;
  umrt_residency residency;
  umrt_stream stream = nullptr;
  umrt_event event = nullptr;
  const umrt_location none{UMRT_LOCATION_NONE, 0};
  const auto kernel = [](const void*, std::uint64_t, std::uint64_t) {};
  EXPECT_TRUE(fails(umrt_shutdown(), expected, {"umrt_init"}));
  EXPECT_TRUE(fails(umrt_malloc(&pointer, 1), expected, {"umrt_init"}));
  EXPECT_EQ(pointer, &on_stack) << "outputs are written on success alone";
  EXPECT_TRUE(fails(umrt_malloc_hinted(&pointer, 1, &hints), expected));
  EXPECT_TRUE(fails(umrt_free(pointer), expected));
  EXPECT_TRUE(fails(umrt_advise(pointer, 1, UMRT_ADVISE_RANDOM, none), expected));
  EXPECT_TRUE(fails(umrt_mem_get_info(0, &bytes, &bytes), expected));
  EXPECT_TRUE(fails(umrt_pointer_get_info(pointer, &info), expected));
  EXPECT_TRUE(fails(umrt_range_get_residency(pointer, 1, &residency), expected));
  EXPECT_TRUE(fails(umrt_device_count(&count), expected));
  EXPECT_TRUE(fails(umrt_device_reset(0), expected));
  EXPECT_TRUE(fails(umrt_stream_create(&stream, 0), expected));
  EXPECT_TRUE(fails(umrt_stream_synchronize(nullptr), expected));
  EXPECT_TRUE(fails(umrt_stream_query(nullptr), expected));
  EXPECT_TRUE(fails(umrt_event_create(&event), expected));
  EXPECT_TRUE(fails(umrt_event_record(event, nullptr), expected));
  EXPECT_TRUE(fails(umrt_event_elapsed_ms(&milliseconds, event, event), expected));
  EXPECT_TRUE(fails(umrt_synchronize(), expected));
  EXPECT_TRUE(fails(umrt_launch(nullptr, kernel, nullptr, 0, 1, 0), expected));
  EXPECT_TRUE(fails(umrt_prefetch_async(pointer, 1, none, nullptr), expected));
  EXPECT_TRUE(fails(umrt_report(UMRT_REPORT_TEXT, nullptr, 0, &bytes), expected));
  EXPECT_TRUE(fails(umrt_report_file(UMRT_REPORT_TEXT, "/dev/null"), expected));
}

TEST(AbiStart, StartsAndShutsDownAgainAndAgain) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(succeeds(start()));
    EXPECT_TRUE(fails(start(), UMRT_ERROR_ALREADY_INITIALIZED, {"umrt_shutdown"}));
    void* pointer = nullptr;
    EXPECT_TRUE(succeeds(umrt_malloc(&pointer, 4096)));
    *static_cast<int*>(pointer) = round;
    ASSERT_TRUE(succeeds(umrt_shutdown()));
    EXPECT_TRUE(fails(umrt_malloc(&pointer, 1), UMRT_ERROR_NOT_INITIALIZED));
    EXPECT_TRUE(fails(umrt_shutdown(), UMRT_ERROR_NOT_INITIALIZED));
  }
}

TEST(AbiStart, RefusesAConfigOfAnotherVersion) {
  umrt_config config;
  umrt_config_init(&config);
  EXPECT_EQ(config.version, std::uint32_t{UMRT_CONFIG_VERSION});
  config.version = 77;
  EXPECT_TRUE(fails(umrt_init(&config), UMRT_ERROR_INVALID_VALUE, {"version", "77"}));
}

TEST(AbiStart, RefusesSettingsByNameAndValue) {
  EXPECT_TRUE(fails(start({"no.such.key=1"}), UMRT_ERROR_INVALID_VALUE, {"no.such.key"}));
  EXPECT_TRUE(fails(start({"prefetch=perhaps"}), UMRT_ERROR_INVALID_VALUE, {"prefetch", "perhaps"}));
  EXPECT_TRUE(fails(start({"prefetch"}), UMRT_ERROR_INVALID_VALUE, {"prefetch"}));
  EXPECT_TRUE(fails(start({"soft.devices=9"}), UMRT_ERROR_INVALID_VALUE, {"soft.devices", "9"}));
  EXPECT_TRUE(fails(start({nullptr}), UMRT_ERROR_INVALID_VALUE, {"settings"}));
  umrt_config config;
  umrt_config_init(&config);
  config.settings_count = 1;
  EXPECT_TRUE(fails(umrt_init(&config), UMRT_ERROR_INVALID_VALUE, {"settings"}));
}

TEST(AbiStart, RefusesAPolicyThatIsNotInTheTable) {
  umrt_config config;
  umrt_config_init(&config);
  config.policy = "magic";
  EXPECT_TRUE(fails(umrt_init(&config), UMRT_ERROR_INVALID_VALUE, {"magic", "lru"}));
  EXPECT_TRUE(fails(start({"policy=magic"}), UMRT_ERROR_INVALID_VALUE, {"magic", "lru"}));
}

TEST(AbiStart, RefusesABudgetBelowTheMinimumAndNamesIt) {
  umrt_config config;
  umrt_config_init(&config);
  config.device_budget = 4096;
  const char* workers = "soft.workers=2";
  config.settings = &workers;
  config.settings_count = 1;
  EXPECT_TRUE(fails(umrt_init(&config), UMRT_ERROR_INVALID_VALUE, {"device.budget", "4096", "12 MiB"}));
}

TEST(AbiStart, TheConfigsFieldsWinOverSettings) {
  umrt_config config;
  umrt_config_init(&config);
  const char* settings[] = {"device.budget=64MiB", "arena.bytes=16GiB", "soft.devices=1", "policy=lru"};
  config.settings = settings;
  config.settings_count = std::size(settings);
  config.device_count = 2;
  config.device_budget = 32 * mib;
  config.policy = "uvm";
  ASSERT_TRUE(succeeds(umrt_init(&config)));
  std::uint32_t devices = 0;
  std::size_t free_bytes = 0, total_bytes = 0;
  EXPECT_TRUE(succeeds(umrt_device_count(&devices)));
  EXPECT_TRUE(succeeds(umrt_mem_get_info(1, &free_bytes, &total_bytes)));
  EXPECT_EQ(devices, 2u);
  EXPECT_EQ(total_bytes, 32 * mib);
  EXPECT_TRUE(succeeds(umrt_shutdown()));
}

TEST(AbiStart, IsTurnedOffByASetting) {
  ASSERT_TRUE(succeeds(start({"disable=on"})));
  void* pointer = nullptr;
  ASSERT_TRUE(succeeds(umrt_malloc(&pointer, 8000)));
  auto* words = static_cast<std::uint64_t*>(pointer);
  ASSERT_TRUE(succeeds(Fill{words, 1}.launch(nullptr, 1000)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  EXPECT_EQ(words[999], 1000u);
  umrt_pointer_info info;
  EXPECT_TRUE(succeeds(umrt_pointer_get_info(words, &info)));
  EXPECT_EQ(info.location.type, UMRT_LOCATION_HOST);
  EXPECT_TRUE(succeeds(umrt_free(pointer)));
  EXPECT_TRUE(succeeds(umrt_shutdown()));
}

[[noreturn]] void start_in_little_address_space() {
  const rlimit little{256 * mib, 256 * mib};
  ::setrlimit(RLIMIT_AS, &little);
  const auto outcome = fails(start({"arena.bytes=512GiB"}), UMRT_ERROR_OUT_OF_MEMORY);
  std::fprintf(stderr, "%s\n", outcome.message());
  std::_Exit(outcome ? 0 : 1);
}

TEST(AbiStart, SaysWhenThereIsNoAddressSpace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(start_in_little_address_space(), ::testing::ExitedWithCode(0), "");
}

TEST(AbiStart, TheChildOfAForkMayNotUseTheRuntime) {
  ASSERT_TRUE(succeeds(start()));
  void* pointer = nullptr;
  ASSERT_TRUE(succeeds(umrt_malloc(&pointer, 4096)));
  const pid_t child = ::fork();
  if (child == 0) {
    void* mine = nullptr;
    std::uint32_t devices = 0;
    const bool is_refused =
        umrt_malloc(&mine, 4096) == UMRT_ERROR_NOT_INITIALIZED && umrt_free(pointer) == UMRT_ERROR_NOT_INITIALIZED &&
        umrt_device_count(&devices) == UMRT_ERROR_NOT_INITIALIZED && umrt_synchronize() == UMRT_ERROR_NOT_INITIALIZED &&
        umrt_stream_synchronize(nullptr) == UMRT_ERROR_NOT_INITIALIZED &&
        umrt_init(nullptr) == UMRT_ERROR_NOT_INITIALIZED && umrt_shutdown() == UMRT_ERROR_NOT_INITIALIZED &&
        std::string_view(umrt_error_detail()).find("fork") != std::string_view::npos;
    ::_exit(is_refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(succeeds(umrt_free(pointer)));
  EXPECT_TRUE(succeeds(umrt_shutdown()));
}

struct Lines {
  std::mutex mutex;
  std::string text;

  static void take(void* context, umrt_log_level, const char* message) {
    auto* lines = static_cast<Lines*>(context);
    const std::lock_guard lock(lines->mutex);
    lines->text += std::string(message) + "\n";
  }
};

TEST(AbiStart, ListsWhatWasNotFreedInTheLog) {
  Lines lines;
  ASSERT_TRUE(succeeds(start({}, Lines::take, &lines)));
  umrt_hints hints;
  umrt_hints_init(&hints);
  hints.name = "forgotten";
  void* pointer = nullptr;
  ASSERT_TRUE(succeeds(umrt_malloc_hinted(&pointer, 3 * mib, &hints)));
  ASSERT_TRUE(succeeds(umrt_shutdown()));
  EXPECT_THAT(lines.text, ::testing::HasSubstr("forgotten"));
}

TEST(AbiStart, ForgetsTheLogAtShutdown) {
  Lines lines;
  ASSERT_TRUE(succeeds(start({}, Lines::take, &lines)));
  ASSERT_TRUE(succeeds(umrt_shutdown()));
  ASSERT_TRUE(succeeds(start()));
  void* pointer = nullptr;
  ASSERT_TRUE(succeeds(umrt_malloc(&pointer, 3 * mib)));
  ASSERT_TRUE(succeeds(umrt_shutdown()));
  EXPECT_EQ(lines.text, "");
}

}  // namespace
}  // namespace umrt::test
