// SPDX-License-Identifier: Apache-2.0
// Helpers that the two halves of the model device share.
#pragma once

#include <string>

#include "core/action.h"

namespace umrt::model {

std::string describe(const BlockAction& a);

template <class Visit>
void for_each_granule(const BlockAction& action, Visit&& visit) {
  for (std::uint32_t g = 0; g < 32; ++g) {
    if (action.granules.has({g})) visit(action.base + granule_bytes(action.page_class) * g, g);
  }
}

}  // namespace umrt::model
