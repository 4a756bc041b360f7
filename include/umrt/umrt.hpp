// SPDX-License-Identifier: Apache-2.0
// umrt for C++20, all of it, header-only over umrt.h. Failed calls are exceptions (error.hpp).
#pragma once

#include "umrt/buffer.hpp"           // IWYU pragma: export
#include "umrt/error.hpp"            // IWYU pragma: export
#include "umrt/hints.hpp"            // IWYU pragma: export
#include "umrt/launch.hpp"           // IWYU pragma: export
#include "umrt/memory_resource.hpp"  // IWYU pragma: export
#include "umrt/runtime.hpp"          // IWYU pragma: export
#include "umrt/stream.hpp"           // IWYU pragma: export
