// SPDX-License-Identifier: Apache-2.0
#include "api/process_runtime.h"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <memory>

#include "api/devices.h"
#include "api/managed_runtime.h"
#include "api/passthrough_runtime.h"
#include "base/log.h"
#include "os/write_file.h"

namespace umrt {
namespace {

// The only mutable state of the library outside of a Runtime; trivial, so that nothing is built before main or ended
// behind the back of threads that still run.
std::atomic<Runtime*> current{nullptr};
std::atomic<bool> is_forked_child{false};

struct Ending {  // what shutdown does besides; set by init
  std::string report_file;
  umrt_report_format report_format = UMRT_REPORT_TEXT;
};
Ending* ending = nullptr;

void watch_forks() {
  [[maybe_unused]] static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { is_forked_child.store(current.load() != nullptr); });
}

Result<std::unique_ptr<Device>> make_listed_device(const StartOptions& options) {
  return find_device(options.device)->make(options);
}

Result<std::unique_ptr<Runtime>> make_runtime(const StartOptions& options, const DeviceFactory& make_device) {
  if (options.is_disabled) return std::unique_ptr<Runtime>(std::make_unique<PassthroughRuntime>());
  auto managed = ManagedRuntime::start(options, make_device ? make_device : DeviceFactory(make_listed_device));
  if (!managed) return tl::unexpected(managed.error());
  return std::unique_ptr<Runtime>(std::move(*managed));
}

}  // namespace

Status init_runtime(const umrt_config* config, const DeviceFactory& make_device) {
  if (is_forked_child.load())
    return failure(UMRT_ERROR_NOT_INITIALIZED,
                   "this process is the child of a fork of a program that runs umrt: it "
                   "may not use umrt before exec");
  if (current.load() != nullptr)
    return failure(UMRT_ERROR_ALREADY_INITIALIZED, "umrt is running already: umrt_shutdown comes first");
  auto options = load_start_options(config);
  if (!options) return tl::unexpected(options.error());
  log::set_level(options->log_level);
  if (config != nullptr && config->log != nullptr)
    log::set_sink(reinterpret_cast<log::Sink>(config->log), config->log_context);
  watch_forks();
  auto runtime = make_runtime(*options, make_device);
  if (!runtime) {
    log::set_sink(nullptr, nullptr);
    return tl::unexpected(runtime.error());
  }
  ending = new Ending{options->report_file, options->report_format};
  current.store(runtime->release());
  return {};
}

Status shutdown_runtime() {
  if (auto runtime = current_runtime(); !runtime) return tl::unexpected(runtime.error());
  std::unique_ptr<Runtime> runtime(current.load());
  const std::unique_ptr<Ending> last(std::exchange(ending, nullptr));
  Status status = runtime->shutdown();
  if (!last->report_file.empty()) {
    auto text = runtime->report(last->report_format);
    const Status written = text ? os::write_file(last->report_file, *text) : tl::unexpected(text.error());
    if (!written) log::error("report.file: {}", written.error().detail);
  }
  current.store(nullptr);
  runtime.reset();
  log::set_sink(nullptr, nullptr);  // its context may end now
  return status;
}

Result<Runtime*> current_runtime() {
  if (is_forked_child.load())
    return failure(UMRT_ERROR_NOT_INITIALIZED,
                   "this process is the child of a fork: it has no managed memory and may "
                   "not use umrt");
  Runtime* runtime = current.load(std::memory_order_acquire);
  if (runtime == nullptr) return failure(UMRT_ERROR_NOT_INITIALIZED, "umrt is not running: umrt_init comes first");
  return runtime;
}

}  // namespace umrt
