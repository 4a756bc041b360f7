// SPDX-License-Identifier: Apache-2.0
// The runtime from umrt_init to umrt_shutdown, with settings of the measurement; errors are exceptions.
#pragma once

#include <umrt/umrt.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace umrt::bench {

inline void check(umrt_result result) {
  if (result != UMRT_SUCCESS)
    throw std::runtime_error(std::string(umrt_error_name(result)) + ": " + umrt_error_detail());
}

class RuntimeSession {
 public:
  RuntimeSession(std::initializer_list<const char*> settings) {
    std::vector<const char*> texts(settings);
    umrt_config config;
    umrt_config_init(&config);
    config.settings = texts.data();
    config.settings_count = texts.size();
    check(umrt_init(&config));
  }
  ~RuntimeSession() { umrt_shutdown(); }
  RuntimeSession(const RuntimeSession&) = delete;
  RuntimeSession& operator=(const RuntimeSession&) = delete;
};

class Range {
 public:
  Range(std::size_t bytes, umrt_page_class page_class, umrt_access_pattern pattern, const char* name) {
    umrt_hints hints;
    umrt_hints_init(&hints);
    hints.page_class = page_class;
    hints.pattern = pattern;
    hints.name = name;
    check(umrt_malloc_hinted(&pointer_, bytes, &hints));
  }
  ~Range() { umrt_free(pointer_); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(pointer_);
  }

 private:
  void* pointer_ = nullptr;
};

template <class Kernel>
void run(const Kernel& kernel, std::uint64_t items, std::uint64_t grain) {
  check(umrt_launch(nullptr, Kernel::run, &kernel, sizeof kernel, items, grain));
  check(umrt_synchronize());
}

}  // namespace umrt::bench
