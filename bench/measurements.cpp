// SPDX-License-Identifier: Apache-2.0
#include "measurements.h"

namespace umrt::bench {

std::span<const MeasurementRow> measurement_rows() {
  static constexpr MeasurementRow rows[] = {
      {"sweep", "read-modify-write sweep over twice the budget, against the limit of the copy engine", measure_sweep},
      {"fault", "from the touch to the resumed instruction, against a bare userfaultfd and the copy", measure_faults},
      {"fits", "a sweep over data that fits, against plain memory", measure_fits},
      {"malloc", "umrt_malloc and umrt_free of 64 KiB, warm", measure_malloc},
      {"engine", "a fault event with its decision, over 1 TiB of ranges", measure_engine},
      {"init", "umrt_init until the first kernel can be launched", measure_init},
  };
  return rows;
}

}  // namespace umrt::bench
