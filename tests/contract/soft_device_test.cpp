// SPDX-License-Identifier: Apache-2.0
#include "device/soft/soft_device.h"

#include "contract/device_contract.h"
#include "contract/remote_contract.h"

namespace umrt::test {

constexpr std::uint32_t workers = 2;

template <FaultWayChoice way, bool huge_pages, std::uint32_t copy_threads,
          CopyWayChoice copy_way = CopyWayChoice::automatic>
struct Soft {
  static Bytes budget_min() { return soft_budget_min(workers); }
  static std::unique_ptr<Device> make(std::uint32_t devices, Bytes budget) {
    auto made = make_soft_device({.device_budgets = std::vector<Bytes>(devices, budget),
                                  .fault_way = way,
                                  .copy_way = copy_way,
                                  .huge_pages = huge_pages,
                                  .workers = workers,
                                  .copy_threads = copy_threads,
                                  .arena_bytes = 64_GiB});
    if (!made) ADD_FAILURE() << made.error().detail;
    return made ? std::move(*made) : nullptr;
  }
};

using Devices =
    ::testing::Types<Soft<FaultWayChoice::move, true, 1>, Soft<FaultWayChoice::move, false, 0>,
                     Soft<FaultWayChoice::copy, false, 1>, Soft<FaultWayChoice::move, true, 1, CopyWayChoice::staged>>;

struct Names {
  template <class Device>
  static std::string GetName(int index) {
    constexpr const char* names[] = {"Move", "MoveSmallPages", "Copy", "Staged"};
    return names[index];
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Soft, DeviceContract, Devices, Names);
INSTANTIATE_TYPED_TEST_SUITE_P(Soft, RemoteContract, Devices, Names);

}  // namespace umrt::test
