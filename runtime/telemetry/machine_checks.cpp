// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "telemetry/machine.h"

namespace umrt {
namespace {

constexpr Bytes memory_comfortable = 2_GiB;  // the demo's default job
constexpr Bytes arena_comfortable = 64_GiB;  // the arena is halved until it fits, down from 1 TiB
constexpr Bytes memory_min = 256_MiB;

std::string in_gib(Bytes bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes.n) / (1u << 30)); }

MachineAnswer kernel(const MachineFacts& facts) { return {.value = facts.kernel, .cure = {}}; }

MachineAnswer page_faults(const MachineFacts& facts) {
  if (facts.userfaultfd_error.empty()) return {.value = "userfaultfd", .cure = {}};
  return {"refused", Verdict::missing,
          "umrt takes page faults by userfaultfd: " + facts.userfaultfd_error +
              ". In a container: a seccomp profile that allows userfaultfd, or --security-opt seccomp=unconfined"};
}

MachineAnswer page_moves(const MachineFacts& facts) {
  if (facts.move_error.empty()) return {.value = "UFFDIO_MOVE", .cure = {}};
  if (!facts.userfaultfd_error.empty()) return {"none", Verdict::missing, "see page faults"};
  return {"UFFDIO_COPY", Verdict::limited,
          "pages are copied instead of moved, on 4 KiB pages, which is several times slower: " + facts.move_error};
}

MachineAnswer system_calls(const MachineFacts& facts) {
  if (facts.serves_system_calls) return {.value = "served", .cure = {}};
  return {
      "not served", Verdict::limited,
      "read(2) and write(2) on managed buffers fail with EFAULT where pages are elsewhere. Run as root, or let this "
      "user open /dev/userfaultfd, or `sysctl vm.unprivileged_userfaultfd=1`"};
}

MachineAnswer process_copies(const MachineFacts& facts) {
  if (facts.copy_errno == 0) return {.value = "process_vm_readv", .cure = {}};
  return {
      std::strerror(facts.copy_errno), Verdict::limited,
      "without process_vm_readv and process_vm_writev, bytes go from process to process through shared memory and are "
      "copied twice. In a container: a seccomp profile that allows them, or --cap-add SYS_PTRACE"};
}

MachineAnswer huge_pages(const MachineFacts& facts) {
  if (facts.are_huge_pages_disabled) {
    return {"disabled", Verdict::limited,
            "a parent process took them away (PR_SET_THP_DISABLE); each 4 KiB page is handled by itself"};
  }
  if (facts.huge_pages == "always" || facts.huge_pages == "madvise") return {.value = facts.huge_pages, .cure = {}};
  return {facts.huge_pages.empty() ? "none" : facts.huge_pages, Verdict::limited,
          "each 4 KiB page is handled by itself, which is several times slower. As root: "
          "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
}

MachineAnswer memory(const MachineFacts& facts) {
  const std::string value = in_gib(facts.memory_available) + " available";
  if (facts.memory_available >= memory_comfortable) return {.value = value, .cure = {}};
  const bool is_enough = facts.memory_available >= memory_min;
  return {value, is_enough ? Verdict::limited : Verdict::missing,
          "devices and the host's tier share this; end other programs or raise the container's memory limit"};
}

MachineAnswer address_space(const MachineFacts& facts) {
  const bool is_unlimited = facts.address_space_limit.n == std::numeric_limits<std::uint64_t>::max();
  const std::string value = is_unlimited ? "unlimited" : "ulimit -v " + in_gib(facts.address_space_limit);
  if (facts.overcommit == 2) {
    return {value + ", vm.overcommit_memory=2", Verdict::limited,
            "reserved addresses count as memory, so the arena gets small. As root: sysctl vm.overcommit_memory=0"};
  }
  if (facts.address_space_limit >= arena_comfortable) return {.value = value, .cure = {}};
  return {value, Verdict::limited, "the arena gets small; `ulimit -v unlimited` before the program"};
}

MachineAnswer cores(const MachineFacts& facts) {
  if (facts.cores >= 2) return {.value = std::to_string(facts.cores), .cure = {}};
  return {"1", Verdict::limited, "kernels, copies and the service thread share one core, so nothing overlaps"};
}

MachineAnswer numa_nodes(const MachineFacts& facts) { return {.value = std::to_string(facts.numa_nodes), .cure = {}}; }

constexpr MachineCheck checks[] = {
    {"kernel", kernel},
    {"page faults", page_faults},
    {"page moves", page_moves},
    {"system calls", system_calls},
    {"process copies", process_copies},
    {"huge pages", huge_pages},
    {"memory", memory},
    {"address space", address_space},
    {"cores", cores},
    {"NUMA nodes", numa_nodes},
};

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::fine:
      return "fine";
    case Verdict::limited:
      return "limited";
    case Verdict::missing:
      return "missing";
  }
  return "unknown";
}

std::span<const MachineCheck> machine_checks() { return checks; }

}  // namespace umrt
