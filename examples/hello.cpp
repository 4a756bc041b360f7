// SPDX-License-Identifier: Apache-2.0
// One pointer for host and device: the device writes and the host adds, without a copy in sight.
#include <cstdio>
#include <numeric>
#include <umrt/umrt.hpp>

int main() try {
  const umrt::runtime runtime;
  const std::uint64_t n = 1'000'000;
  umrt::buffer<std::uint64_t> numbers(n, umrt::hints{}.name("numbers").sequential());

  umrt::launch(n, [out = numbers.data()](std::uint64_t i) { out[i] = i; });
  umrt::synchronize();

  const auto sum = std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
  std::printf("0 + 1 + ... + %ju = %ju\n", std::uintmax_t{n - 1}, std::uintmax_t{sum});
  return sum == n * (n - 1) / 2 ? 0 : 1;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "hello: %s\n", failed.what());
  return 3;
}
