// SPDX-License-Identifier: Apache-2.0
// What this machine allows umrt to do, and what would cure what it does not: facts as plain data, and a table of checks
// that judges them, so that the judgement can be tested on any machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"

namespace umrt {

struct MachineFacts {
  std::string kernel;                    // release
  std::string userfaultfd_error;         // why it is refused; empty: it is there
  std::string move_error;                // why UFFDIO_MOVE is not; empty: it is there
  bool serves_system_calls = false;      // faults of system calls come to user space
  int copy_errno = 0;                    // of process_vm_readv; 0: it works
  bool are_huge_pages_disabled = false;  // for this process
  std::string huge_pages;                // "always", "madvise", "never"; empty: the kernel has none
  int overcommit = 0;                    // vm.overcommit_memory
  Bytes address_space_limit;             // ulimit -v; the largest number: none
  Bytes memory_available;
  std::uint32_t cores = 1;
  std::uint32_t numa_nodes = 1;
};

MachineFacts machine_facts();  // asks the system; changes nothing

enum class Verdict : std::uint8_t {
  fine,
  limited,  // umrt runs, slower or without an ability
  missing,  // umrt cannot run
};
std::string_view verdict_name(Verdict verdict);

struct MachineAnswer {
  std::string value;  // what was found
  Verdict verdict = Verdict::fine;
  std::string cure;  // where the verdict is not fine: what it means and what to do
};

struct MachineCheck {
  std::string_view name;
  MachineAnswer (*check)(const MachineFacts& facts);
};

std::span<const MachineCheck> machine_checks();

}  // namespace umrt
