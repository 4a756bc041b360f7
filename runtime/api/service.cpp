// SPDX-License-Identifier: Apache-2.0
#include "api/service.h"

#include <csignal>

namespace umrt {

Result<std::unique_ptr<Service>> Service::start(const StartOptions& options, const DeviceFactory& make_device) {
  std::unique_ptr<Service> service(new Service);
  Completion has_started;
  // Signals are for the application's threads.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  service->thread_ = std::thread([&has_started, &options, &make_device, made = service.get()] {
    auto device = make_device(options);
    if (!device) return has_started.end(tl::unexpected(device.error()));
    made->device_ = device->get();
    made->arena_ = made->device_->arena();
    made->facts_ = made->device_->facts();
    made->device_count_ = made->device_->device_count();
    made->loop_ = std::make_unique<ServiceLoop>(std::move(*device), options);
    has_started.end();
    made->loop_->run(made->mailbox_);
    (void)made->may_end_.wait();  // who posted the last request may still be about to poke the device
    made->loop_.reset();          // devices end on the thread that made them
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (auto started = has_started.wait(); !started) {
    service->thread_.join();
    return tl::unexpected(started.error());
  }
  return service;
}

Service::~Service() {
  if (!thread_.joinable()) return;
  call([](ServiceLoop& loop) { loop.stop(); });
  may_end_.end();
  thread_.join();
}

void Service::post(Request& request) noexcept {
  mailbox_.post(request);
  device_->poke();
}

}  // namespace umrt
