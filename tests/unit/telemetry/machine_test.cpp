// SPDX-License-Identifier: Apache-2.0
#include "telemetry/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace umrt {
namespace {

using testing::HasSubstr;

MachineFacts best_facts() {
  MachineFacts facts;
  facts.kernel = "6.8.0";
  facts.serves_system_calls = true;
  facts.huge_pages = "madvise";
  facts.address_space_limit = {std::numeric_limits<std::uint64_t>::max()};
  facts.memory_available = 16_GiB;
  facts.cores = 4;
  return facts;
}

MachineAnswer answer(std::string_view name, const MachineFacts& facts) {
  for (const MachineCheck& check : machine_checks()) {
    if (check.name == name) return check.check(facts);
  }
  ADD_FAILURE() << "no check " << name;
  return {};
}

TEST(Machine, that_has_everything_is_fine_in_every_check) {
  for (const MachineCheck& check : machine_checks()) {
    const MachineAnswer found = check.check(best_facts());
    EXPECT_EQ(found.verdict, Verdict::fine) << check.name;
    EXPECT_FALSE(found.value.empty()) << check.name;
    EXPECT_EQ(found.cure, "") << check.name;
  }
}

TEST(Machine, without_userfaultfd_cannot_run_and_says_why) {
  MachineFacts facts = best_facts();
  facts.userfaultfd_error = facts.move_error = "refused by the kernel";
  EXPECT_EQ(answer("page faults", facts).verdict, Verdict::missing);
  EXPECT_THAT(answer("page faults", facts).cure, HasSubstr("refused by the kernel"));
  EXPECT_EQ(answer("page moves", facts).verdict, Verdict::missing);
}

TEST(Machine, that_lacks_an_ability_runs_limited_and_names_the_cure) {
  MachineFacts facts = best_facts();
  facts.move_error = "this kernel has no UFFDIO_MOVE (Linux 6.8 and later)";
  facts.serves_system_calls = false;
  facts.huge_pages = "never";
  facts.cores = 1;
  facts.overcommit = 2;
  facts.memory_available = 1_GiB;
  for (const char* name : {"page moves", "system calls", "huge pages", "cores", "address space", "memory"}) {
    EXPECT_EQ(answer(name, facts).verdict, Verdict::limited) << name;
    EXPECT_FALSE(answer(name, facts).cure.empty()) << name;
  }
  EXPECT_EQ(answer("page moves", facts).value, "UFFDIO_COPY");
  EXPECT_THAT(answer("system calls", facts).cure, HasSubstr("vm.unprivileged_userfaultfd=1"));
}

TEST(Machine, huge_pages_that_a_parent_took_away_are_limited_whatever_the_system_has) {
  MachineFacts facts = best_facts();
  facts.are_huge_pages_disabled = true;
  EXPECT_EQ(answer("huge pages", facts).verdict, Verdict::limited);
  EXPECT_THAT(answer("huge pages", facts).cure, HasSubstr("PR_SET_THP_DISABLE"));
}

TEST(Machine, where_copies_between_processes_are_refused_is_limited) {
  MachineFacts facts = best_facts();
  facts.copy_errno = 1;
  EXPECT_EQ(answer("process copies", facts).verdict, Verdict::limited);
}

TEST(Machine, this_one_has_cores_memory_and_a_kernel) {
  const MachineFacts facts = machine_facts();
  EXPECT_GE(facts.cores, 1u);
  EXPECT_GT(facts.memory_available.n, 0u);
  EXPECT_GE(facts.numa_nodes, 1u);
  EXPECT_THAT(facts.kernel, testing::MatchesRegex("[0-9]+\\.[0-9]+.*"));
}

}  // namespace
}  // namespace umrt
