// SPDX-License-Identifier: Apache-2.0
// The service thread: starts it with its device, and runs functions on it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>

#include "api/completion.h"
#include "api/mailbox.h"
#include "api/service_loop.h"

namespace umrt {

using DeviceFactory = std::function<Result<std::unique_ptr<Device>>(const StartOptions&)>;

class Service {
 public:
  // Returns once the device is up; errors are those of the factory, which runs on the service thread.
  static Result<std::unique_ptr<Service>> start(const StartOptions& options, const DeviceFactory& make_device);
  ~Service();  // ends the thread, and with it the devices
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Runs `function(loop)` on the service thread and gives back its answer. Any other thread.
  template <class Function>
  auto call(Function&& function) {
    using Answer = std::invoke_result_t<Function, ServiceLoop&>;
    struct Call final : Request {
      explicit Call(Function& called) : function{called} {}
      void run(ServiceLoop& loop) noexcept override {
        if constexpr (std::is_void_v<Answer>) {
          function(loop);
        } else {
          answer.emplace(function(loop));
        }
        has_run.end();
      }
      Function& function;
      std::optional<std::conditional_t<std::is_void_v<Answer>, bool, Answer>> answer;
      Completion has_run;
    };
    Call request(function);
    post(request);
    (void)request.has_run.wait();
    if constexpr (!std::is_void_v<Answer>) return std::move(*request.answer);
  }

  // The same for a function that ends later: `function(loop, done)`, where `done(Status)` may be called at any time.
  template <class Function>
  Status call_and_wait(Function&& function) {
    Completion completion;
    call([&](ServiceLoop& loop) {
      function(loop, [&completion](Status status) { completion.end(std::move(status)); });
    });
    return completion.wait();
  }

  const Arena& arena() const { return arena_; }
  const DeviceFacts& facts() const { return facts_; }
  std::uint32_t device_count() const { return device_count_; }
  bool has_pending_work() const noexcept { return loop_->has_pending_work(); }
  std::uint64_t device_deaths() const noexcept { return loop_->device_deaths(); }

 private:
  Service() = default;
  void post(Request& request) noexcept;

  Mailbox mailbox_;
  std::thread thread_;
  Completion may_end_;                 // nobody pokes the device any more
  std::unique_ptr<ServiceLoop> loop_;  // made and used by the thread
  Device* device_ = nullptr;           // the loop's; for `poke`
  Arena arena_;
  DeviceFacts facts_;
  std::uint32_t device_count_ = 0;
};

}  // namespace umrt
