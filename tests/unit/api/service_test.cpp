// SPDX-License-Identifier: Apache-2.0
// The service thread where requests meet: on a one-process device whose actions a test can hold, so that what is a race
// elsewhere is an order of steps here.
#include "api/service.h"

#include <gtest/gtest.h>

#include <cstring>

#include "policy/policies.h"
#include "support/one_process_device.h"

namespace umrt::test {
namespace {

constexpr ProcessorId gpu = device_processor(0);

void add_one(const void* arguments, std::uint64_t, std::uint64_t) {
  auto* const word = *static_cast<std::uint64_t* const*>(arguments);
  store(word, load(word) + 1);
}

class ServiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    StartOptions options;
    options.device = "one process";
    options.device_budgets = {8_MiB};
    options.policy = find_policy("lru");
    options.host_budget = 64_MiB;
    auto started =
        Service::start(options, [](const StartOptions& with) { return OneProcessDevice::make(with.device_budgets); });
    ASSERT_TRUE(started) << started.error().detail;
    service = std::move(*started);
    word = reinterpret_cast<std::uint64_t*>(service->arena().pointer(service->arena().huge_begin));
    range.base = service->arena().huge_begin;
    range.range = {0};
    range.bytes = range.asked = 2_MiB;
    ASSERT_TRUE(service->call([&](ServiceLoop& loop) { return loop.create_range(range); }));
  }

  static OneProcessDevice& device() { return OneProcessDevice::instance(); }

  void launch_add() {
    std::vector<std::byte> arguments(sizeof word);
    std::memcpy(arguments.data(), &word, sizeof word);
    ASSERT_TRUE(service->call([&](ServiceLoop& loop) {
      return loop.streams().add(0, LaunchWork{add_one, std::move(arguments), 1, 1});
    }));
  }
  Status synchronize() {
    return service->call_and_wait(
        [](ServiceLoop& loop, ServiceLoop::Done done) { loop.streams().when_all_done(std::move(done)); });
  }
  void put_on_device() {  // the only copy of a 1
    launch_add();
    ASSERT_TRUE(synchronize());
    // A kernel can end before its fetch is answered.
    ASSERT_TRUE(service->call_and_wait([&](ServiceLoop& loop, ServiceLoop::Done done) {
      loop.when_landed(range.base, range.base + range.bytes, range.bytes, std::move(done));
    }));
    ASSERT_EQ(service->call([&](ServiceLoop& loop) { return loop.engine().residency(range.base).resident; }), 0b10u);
  }
  void reset(Completion& completion) {
    service->call([&](ServiceLoop& loop) {
      loop.reset_device(gpu, [&completion](Status status) { completion.end(std::move(status)); });
    });
  }

  NewRange range;
  std::unique_ptr<Service> service;
  std::uint64_t* word = nullptr;
};

TEST_F(ServiceTest, RunsKernelsOnMemoryThatComesAndGoes) {
  store(word, 41);
  launch_add();
  ASSERT_TRUE(synchronize());
  EXPECT_EQ(load(word), 42u);
}

TEST_F(ServiceTest, AFreedRangeIsGoneAlsoWhileItsReleaseHasNotLanded) {
  put_on_device();
  device().hold_actions();
  Completion released;
  service->call([&](ServiceLoop& loop) {
    EXPECT_TRUE(loop.holds(range.range, range.base, range.bytes));
    EXPECT_FALSE(loop.holds(range.range, range.base, range.bytes + 1_B));
    loop.release_range(range.range, [&](Status status) { released.end(std::move(status)); });
    ASSERT_TRUE(loop.engine().range_at(range.base).has_value()) << "a discard is in flight";
    EXPECT_FALSE(loop.holds(range.range, range.base, range.bytes));
    const RangeName stale{range.range, range.asked, "stale", ""};
    for (const ReportRange& reported : loop.report({&stale, 1}, {}, {}).ranges) EXPECT_NE(reported.name, "stale");
    ASSERT_TRUE(loop.streams().add(0, PrefetchWork{range.range, range.base, {}, range.bytes, gpu}));
  });
  device().let_actions_go();
  EXPECT_TRUE(released.wait());
  EXPECT_TRUE(synchronize()) << "the prefetch has ended, too";
}

TEST_F(ServiceTest, APrefetchThatMeetsASmallerRangeUnderTheSameIdDoesNothing) {
  ASSERT_TRUE(service->call_and_wait(
      [&](ServiceLoop& loop, ServiceLoop::Done done) { loop.release_range(range.range, std::move(done)); }));
  service->call([&](ServiceLoop& loop) {
    NewRange smaller = range;
    smaller.page_class = PageClass::page_64k;
    smaller.bytes = smaller.asked = 64_KiB;
    ASSERT_TRUE(loop.create_range(smaller));
    ASSERT_TRUE(loop.streams().add(0, PrefetchWork{range.range, range.base, {}, range.bytes, gpu}));
  });
  EXPECT_TRUE(synchronize());
}

TEST_F(ServiceTest, TwoResetsAtOnceFollowEachOtherAndLoseNothing) {
  put_on_device();
  device().hold_actions();
  Completion first, second;
  reset(first);
  reset(second);
  device().let_actions_go();
  EXPECT_TRUE(first.wait());
  EXPECT_TRUE(second.wait());
  EXPECT_EQ(load(word), 1u);
}

TEST_F(ServiceTest, AKernelLaunchedDuringAResetRunsAfterIt) {
  put_on_device();
  device().hold_actions();
  Completion done;
  reset(done);
  launch_add();
  device().let_actions_go();
  EXPECT_TRUE(done.wait());
  EXPECT_TRUE(synchronize());
  EXPECT_EQ(load(word), 2u);
}

TEST_F(ServiceTest, ADeviceThatDiesWhileItIsEvacuatedIsStartedAgainAndItsLossIsTold) {
  put_on_device();
  device().hold_actions();
  Completion done;
  reset(done);
  device().kill(gpu);
  service->call([](ServiceLoop&) {});  // the loop has heard of it, and has no answer of the device yet
  device().let_actions_go();
  const Status status = done.wait();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, UMRT_ERROR_DATA_LOSS);
  EXPECT_THROW(load(word), AccessRejected);
  EXPECT_TRUE(synchronize()) << "no error is left";
}

// Its `poke` takes long, and its `wait` returns at once: the service thread goes on before whoever poked it.
class SlowToPoke final : public Device {
 public:
  explicit SlowToPoke(std::unique_ptr<Device> device) : device_{std::move(device)} {}
  ~SlowToPoke() override { EXPECT_FALSE(is_poked_.load()) << "ended while it is poked"; }

  const Arena& arena() const override { return device_->arena(); }
  const DeviceAbilities& abilities() const override { return device_->abilities(); }
  const DeviceFacts& facts() const override { return device_->facts(); }
  std::uint32_t device_count() const override { return device_->device_count(); }
  Ticks now() const override { return device_->now(); }
  void submit(std::span<const Action> actions) override { device_->submit(actions); }
  void wait(DeviceEvents&, std::optional<Ticks>) override { std::this_thread::yield(); }
  void poke() override {
    is_poked_.store(true);
    for (int i = 0; i < 2000; ++i) std::this_thread::yield();
    is_poked_.store(false);
  }
  void reject(const Fault& fault, umrt_result why) override { device_->reject(fault, why); }
  Status can_run(ProcessorId device, umrt_kernel kernel) const override { return device_->can_run(device, kernel); }
  Status launch(ProcessorId device, const Launch& order) override { return device_->launch(device, order); }
  Status reset(ProcessorId device) override { return device_->reset(device); }

 private:
  std::unique_ptr<Device> device_;
  std::atomic<bool> is_poked_{false};
};

TEST(ServiceEnd, LeavesTheDeviceToWhoStillPokesIt) {
  StartOptions options;
  options.device_budgets = {8_MiB};
  options.policy = find_policy("lru");
  for (int i = 0; i < 20; ++i) {
    auto service = Service::start(options, [](const StartOptions& with) -> Result<std::unique_ptr<Device>> {
      auto made = OneProcessDevice::make(with.device_budgets);
      if (!made) return made;
      return std::make_unique<SlowToPoke>(std::move(*made));
    });
    ASSERT_TRUE(service);
    service->reset();
  }
}

}  // namespace
}  // namespace umrt::test
