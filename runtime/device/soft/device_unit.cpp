// SPDX-License-Identifier: Apache-2.0
#include "device/soft/device_unit.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include "device/soft/device_process.h"
#include "device/soft/doorbell.h"
#include "device/soft/page_operations.h"

namespace umrt::soft {
namespace {

constexpr std::uint64_t start_timeout_ns = 10'000'000'000u;

std::uint64_t bit_of(std::uint32_t slot) { return std::uint64_t{1} << slot; }

}  // namespace

DeviceUnit::DeviceUnit(const DeviceUnitConfig& config, os::Mapping shared, DeviceFrames frames)
    : config_{config}, shared_{std::move(shared)}, control_{nullptr}, frames_{std::move(frames)} {}

Result<std::unique_ptr<DeviceUnit>> DeviceUnit::start(const DeviceUnitConfig& config) {
  auto shared = os::Mapping::shared({sizeof(ControlBlock)});
  if (!shared) return tl::unexpected(shared.error());
  auto frames = DeviceFrames::make(config.arena, config.budget);
  if (!frames) return tl::unexpected(frames.error());
  std::unique_ptr<DeviceUnit> unit(new DeviceUnit(config, std::move(*shared), std::move(*frames)));
  if (auto done = unit->start_process(); !done) return tl::unexpected(done.error());
  return unit;
}

Status DeviceUnit::start_process() {
  control_ = new (shared_.base()) ControlBlock;
  control_->arena = config_.arena.base;
  control_->arena_bytes = config_.arena.bytes;
  control_->huge_begin = {config_.arena.huge_begin.n};
  control_->budget = config_.budget;
  control_->way = config_.way;
  control_->has_huge_pages = config_.has_huge_pages;
  control_->kernel_mode_faults = config_.kernel_mode_faults;
  control_->workers = config_.workers;
  control_->spin_ns = config_.spin_ns;
  control_->cores = config_.cores;
  control_->bell = config_.bell;
  auto channel = os::DescriptorChannel::make();
  if (!channel) return tl::unexpected(channel.error());
  channel_ = std::move(*channel);
  control_->descriptors = channel_.receiver();
  auto templates = os::ThreadTemplates::make(config_.workers + helpers);
  if (!templates) return tl::unexpected(templates.error());
  std::copy(templates->control_blocks().begin(), templates->control_blocks().end(),
            control_->thread_control_blocks.begin());
  code_at_start_ = os::LoadedCode::now();
  const std::array<int, 2> kept{config_.bell, channel_.receiver()};
  auto process = os::ChildProcess::spawn(run_device_process, control_, kept, *templates);
  if (!process) return tl::unexpected(process.error());
  process_ = std::move(*process);
  channel_.close_receiver();
  if (auto ready = wait_until_ready(); !ready) return ready;
  if (auto copies = copies_.start(config_.copy_way, process_, *control_); !copies) return copies;
  is_alive_ = true;
  frames_.set_pools(control_->huge_pool, control_->small_pool);
  grow_ahead();
  return {};
}

Status DeviceUnit::wait_until_ready() {
  const std::uint64_t end = os::monotonic_ns() + start_timeout_ns;
  const std::array<int, 2> signs{config_.bell, process_.pidfd()};
  while (control_->state.load() == ControlBlock::State::starting) {
    if (os::is_readable(process_.pidfd()) || os::monotonic_ns() > end) break;
    os::wait_readable(signs, 100'000'000u);
  }
  if (control_->state.load() == ControlBlock::State::ready) return {};
  const int error = control_->start_error;
  process_.kill_and_reap();
  return failure(error == ENOMEM ? UMRT_ERROR_OUT_OF_MEMORY : UMRT_ERROR_NO_DEVICE,
                 fmt::format("the device process did not start: {}",
                             error != 0 ? std::strerror(error) : "it ended or did not answer within 10 s"),
                 error);
}

void DeviceUnit::post(std::uint32_t slot, PageOperation kind, Address block, Bytes granule,
                      GranuleMask granules) noexcept {
  const std::uint64_t bit = bit_of(slot);
  PostedOperation& operation = control_->operations[slot];
  operation.kind = kind;
  operation.granule = granule;
  operation.block = config_.arena.pointer(block);
  operation.granules = granules;
  if (!is_alive()) {
    lost_ |= bit;
    return;
  }
  for (std::uint32_t i = 0; i < 32; ++i) {
    const Address address = block + granule * i;
    if (granules.has({i})) operation.frames[i] = frames_.has(address) ? frames_.frame(address) : nullptr;
  }
  in_flight_ |= bit;
  // Who stops all workers must not be one of them.
  const bool is_for_agent = kind == PageOperation::map_protected || kind == PageOperation::share ||
                            kind == PageOperation::unshare || kind == PageOperation::resume;
  if (is_for_agent || !(give_to_waiter_of(operation, bit) || give_to_spinning_worker(bit))) give_to_agent(bit);
  grow_ahead();
}

int DeviceUnit::post_remote(PageOperation kind, Address base, Bytes bytes, int descriptor) noexcept {
  if (kind == PageOperation::share && is_alive()) {
    const int error = channel_.send(descriptor);  // EPIPE, ECONNRESET: its death answers what is posted
    if (error != 0 && error != EPIPE && error != ECONNRESET) return error;
  }
  post(remote_slot, kind, base, bytes, GranuleMask::first(1));
  return 0;
}

void DeviceUnit::give_to_agent(std::uint64_t bit) noexcept {
  control_->agent_posted.fetch_or(bit);
  wake_if_asleep(control_->agent_changes, control_->agent_sleeps);
}

bool DeviceUnit::give_to_waiter_of(const PostedOperation& operation, std::uint64_t bit) noexcept {
  const Address block = config_.arena.address(operation.block);
  for (std::uint32_t i = 0; i < config_.workers; ++i) {
    WorkerState& worker = control_->worker[i];
    if (worker.phase.load() != WorkerPhase::waiting) continue;
    const Address fault{PageFaultWord::offset(worker.fault.load())};
    if (fault < block) continue;
    const std::uint64_t granule = (fault - block) / operation.granule;
    if (granule >= 32 || !operation.granules.has({static_cast<std::uint32_t>(granule)})) continue;
    if (give_to_worker(worker, bit)) return true;
  }
  return false;
}

bool DeviceUnit::give_to_spinning_worker(std::uint64_t bit) noexcept {
  for (std::uint32_t i = 0; i < config_.workers; ++i) {
    WorkerState& worker = control_->worker[i];
    const bool is_spinning = worker.phase.load() == WorkerPhase::waiting && worker.sleeps.load() == 0;
    if (is_spinning && give_to_worker(worker, bit)) return true;
  }
  return false;
}

bool DeviceUnit::give_to_worker(WorkerState& worker, std::uint64_t bit) noexcept {
  worker.posted.fetch_or(bit);
  if (worker.phase.load() != WorkerPhase::waiting && (worker.posted.fetch_and(~bit) & bit) != 0)
    return false;  // released just now, and it has not taken the order
  wake_if_asleep(worker.changes, worker.sleeps);
  return true;
}

std::uint64_t DeviceUnit::take_finished() noexcept {
  std::uint64_t finished = control_->finished.load(std::memory_order_relaxed) != 0 ? control_->finished.exchange(0) : 0;
  in_flight_ &= ~finished;
  for (std::uint64_t bits = finished; bits != 0; bits &= bits - 1)
    release_waiting(*control_, control_->operations[std::countr_zero(bits)]);
  for (std::uint64_t bits = lost_; bits != 0; bits &= bits - 1) {
    PostedOperation& operation = control_->operations[std::countr_zero(bits)];
    operation.failed = operation.granules;
    operation.error = ESRCH;
  }
  finished |= std::exchange(lost_, 0);
  if ((finished & bit_of(surplus_slot)) != 0) {
    frames_.surplus_dropped(surplus_);
    surplus_ = {};
    finished &= ~bit_of(surplus_slot);
  }
  return finished;
}

std::optional<WorkerFault> DeviceUnit::take_fault() noexcept {
  if (faults_taken_ == 0 && control_->new_faults.load(std::memory_order_relaxed) != 0)
    faults_taken_ = control_->new_faults.exchange(0);
  if (faults_taken_ == 0) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(std::countr_zero(faults_taken_));
  faults_taken_ &= faults_taken_ - 1;
  const WorkerState& worker = control_->worker[index];
  const std::uint64_t fault = worker.fault.load();
  return WorkerFault{index, worker.fault_at.load(), Address{PageFaultWord::offset(fault)},
                     PageFaultWord::is_write(fault), PageFaultWord::is_protection(fault)};
}

void DeviceUnit::reject(std::uint32_t index, umrt_result why) noexcept {
  WorkerState& worker = control_->worker[index];
  WorkerPhase expected = WorkerPhase::waiting;
  const WorkerPhase rejected = why == UMRT_ERROR_DATA_LOSS ? WorkerPhase::lost : WorkerPhase::illegal;
  if (worker.phase.compare_exchange_strong(expected, rejected)) wake_if_asleep(worker.changes, worker.sleeps);
}

void DeviceUnit::announce_sleep(bool is_asleep) noexcept { control_->host_sleeps.store(is_asleep); }

bool DeviceUnit::has_news() const noexcept {
  return control_->new_faults.load() != 0 || control_->finished.load() != 0 || control_->launch.has_ended.load() != 0 ||
         faults_taken_ != 0 || lost_ != 0;
}

Status DeviceUnit::can_run(umrt_kernel kernel) const {
  if (code_at_start_.contains(reinterpret_cast<const void*>(kernel))) return {};
  return failure(UMRT_ERROR_NOT_SUPPORTED,
                 "the kernel's code was loaded after the device started; load its library before umrt_init, or call "
                 "umrt_device_reset");
}

Status DeviceUnit::launch(const Launch& order) {
  if (!is_alive()) return failure(UMRT_ERROR_LAUNCH_FAILED, "the device process has ended");
  if (auto able = can_run(order.kernel); !able) return able;
  UMRT_ASSERT(!running_launch_);
  UMRT_ASSERT(order.arguments.size() <= arguments_max);
  LaunchBoard& board = control_->launch;
  board.kernel = order.kernel;
  board.items = order.items;
  // Sixteen pieces a worker: enough to even out, few enough to keep neighbouring items together.
  const std::uint64_t automatic = order.items / (std::uint64_t{config_.workers} * 16);
  board.grain = order.grain != 0 ? order.grain : std::max<std::uint64_t>(automatic, 1);
  if (!order.arguments.empty()) std::memcpy(board.arguments.data(), order.arguments.data(), order.arguments.size());
  board.next.store(0);
  board.has_crashed.store(0);
  board.has_ended.store(0);
  board.running.store(config_.workers);
  running_launch_ = order.id;
  board.generation.fetch_add(1);
  os::futex_wake_all(board.generation);
  return {};
}

std::optional<KernelEnded> DeviceUnit::take_ended() noexcept {
  LaunchBoard& board = control_->launch;
  if (!running_launch_ || board.has_ended.load() == 0) return std::nullopt;
  board.has_ended.store(0);
  KernelEnded ended;
  ended.id = *std::exchange(running_launch_, std::nullopt);
  if (board.has_crashed.load() != 0) {
    ended.result = board.crash_result;
    ended.signal = board.crash_signal;
    ended.fault_address = board.crash_address;
  }
  return ended;
}

void DeviceUnit::grow_ahead() noexcept {
  const Bytes wanted = frames_.grow_huge_ahead(growth_step);
  if (wanted.n <= control_->huge_bytes_wanted.load(std::memory_order_relaxed)) return;
  control_->huge_bytes_wanted.store(wanted.n);
  control_->growth_changes.fetch_add(1);
  os::futex_wake_all(control_->growth_changes);
}

void DeviceUnit::keep_within_budget() noexcept {
  if (surplus_.count != 0 || !is_alive()) return;
  surplus_ = frames_.take_surplus();
  if (surplus_.count == 0) return;
  PostedOperation& operation = control_->operations[surplus_slot];
  operation.kind = PageOperation::drop_frames;
  operation.granule = surplus_.is_huge ? 2_MiB : 64_KiB;
  operation.block = config_.arena.base;
  operation.granules = GranuleMask::first(surplus_.count);
  std::copy(surplus_.frames, surplus_.frames + surplus_.count, operation.frames.begin());
  in_flight_ |= bit_of(surplus_slot);
  give_to_agent(bit_of(surplus_slot));
}

void DeviceUnit::process_died() noexcept {
  is_alive_ = false;
  lost_ |= std::exchange(in_flight_, 0) & ~control_->finished.load();
  faults_taken_ = 0;
  control_->new_faults.store(0);
  if (running_launch_) {
    LaunchBoard& board = control_->launch;
    board.has_crashed.store(1);
    board.crash_result = UMRT_ERROR_LAUNCH_FAILED;
    board.crash_signal = SIGKILL;
    board.has_ended.store(1);
  }
}

Status DeviceUnit::restart() {
  is_alive_ = false;
  process_.kill_and_reap();
  UMRT_ASSERT(!running_launch_);
  in_flight_ = lost_ = faults_taken_ = 0;
  surplus_ = {};
  frames_.clear();
  return start_process();
}

}  // namespace umrt::soft
