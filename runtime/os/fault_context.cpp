// SPDX-License-Identifier: Apache-2.0
#include "os/fault_context.h"

#include <sys/ucontext.h>

#include <csignal>
#include <cstdint>
#include <cstring>

namespace umrt::os {

#if defined(__x86_64__)

FaultContext fault_context(const void* signal_context) noexcept {
  // The page-fault error code: bit 0 a page was present, bit 1 a write (Intel SDM volume 3, 4.7).
  const auto error = static_cast<const ucontext_t*>(signal_context)->uc_mcontext.gregs[REG_ERR];
  return {(error & 2) != 0, (error & 1) != 0};
}

#elif defined(__aarch64__)

FaultContext fault_context(const void* signal_context) noexcept {
  // The kernel appends records to the context; esr_context holds ESR_EL1: WnR is bit 6, the fault status code bits
  // 0-5, permission faults 0b0011xx (Arm ARM, ISS encoding of a data abort).
  struct Record {
    std::uint32_t magic, size;
  };
  constexpr std::uint32_t esr_magic = 0x45535201;
  const auto* at = static_cast<const ucontext_t*>(signal_context)->uc_mcontext.__reserved;
  for (std::size_t offset = 0; offset + 16 <= 4096;) {
    Record record;
    std::memcpy(&record, at + offset, sizeof record);
    if (record.magic == 0 || record.size == 0) break;
    if (record.magic == esr_magic) {
      std::uint64_t esr = 0;
      std::memcpy(&esr, at + offset + sizeof record, sizeof esr);
      return {(esr & 0x40) != 0, (esr & 0x3c) == 0x0c};
    }
    offset += record.size;
  }
  return {};
}

#else
#error "the software device needs the access kind of a fault: add this processor here"
#endif

}  // namespace umrt::os
