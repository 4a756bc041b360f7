// SPDX-License-Identifier: Apache-2.0
#include "peer_process.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <stdexcept>

#include "measurement.h"
#include "os/clock.h"
#include "os/process_copy.h"

namespace umrt::bench {
namespace {

os::Mapping huge_buffer(Bytes bytes) {
  auto mapping = os::Mapping::reserve(bytes);
  if (!mapping) throw std::runtime_error(mapping.error().detail);
  if (auto done = os::advise_page_size(mapping->base(), bytes, os::PageSize::huge); !done)
    throw std::runtime_error(done.error().detail);
  return std::move(*mapping);
}

}  // namespace

PeerProcess::PeerProcess(Bytes bytes) : local_{huge_buffer(bytes)}, remote_{huge_buffer(bytes)} {
  ::madvise(remote_.base(), bytes.n, MADV_DOFORK);
  int ready[2];
  if (::pipe(ready) != 0) throw std::runtime_error("pipe");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::memset(remote_.base(), 1, bytes.n);
    [[maybe_unused]] const auto written = ::write(ready[1], "r", 1);
    for (;;) ::pause();
  }
  char sign = 0;
  const auto got = ::read(ready[0], &sign, 1);
  ::close(ready[0]);
  ::close(ready[1]);
  if (got != 1) throw std::runtime_error("the peer process did not start");
  std::memset(local_.base(), 2, bytes.n);
}

PeerProcess::~PeerProcess() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

double PeerProcess::pass_ns(bool is_inwards) {
  const std::uint64_t begin = os::monotonic_ns();
  for (Bytes at; at < local_.bytes(); at += 2_MiB) {
    const os::CopyPiece piece{local_.base() + at.n, remote_.base() + at.n, 2_MiB};
    const int error = is_inwards ? os::copy_to_process(pid_, {&piece, 1}) : os::copy_from_process(pid_, {&piece, 1});
    if (error != 0) throw std::runtime_error(std::string("copying between processes: ") + std::strerror(error));
  }
  return static_cast<double>(os::monotonic_ns() - begin);
}

CopyRates PeerProcess::measure_rates() {
  std::vector<double> in, out;
  const auto bytes = static_cast<double>(local_.bytes().n);
  for (int i = 0; i < 5; ++i) {
    in.push_back(bytes / pass_ns(true));
    out.push_back(bytes / pass_ns(false));
  }
  return {median(in), median(out)};
}

std::vector<double> PeerProcess::measure_copy_in_ns(Bytes piece_bytes) {
  std::vector<double> times;
  const std::uint64_t pieces = local_.bytes() / piece_bytes;
  for (std::uint64_t i = 0; i < pieces && i < 512; ++i) {
    const std::uint64_t at = i * 7919 % pieces * piece_bytes.n;  // 7919: a prime, so that every piece comes once
    const os::CopyPiece piece{local_.base() + at, remote_.base() + at, piece_bytes};
    const std::uint64_t begin = os::monotonic_ns();
    if (os::copy_to_process(pid_, {&piece, 1}) != 0) throw std::runtime_error("copying between processes");
    times.push_back(static_cast<double>(os::monotonic_ns() - begin));
  }
  return times;
}

}  // namespace umrt::bench
