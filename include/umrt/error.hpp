// SPDX-License-Identifier: Apache-2.0
// Failed calls as exceptions. What is thrown is always a umrt::error and a std::exception: either a
// umrt::call_failed (a std::runtime_error) or a umrt::out_of_memory (a std::bad_alloc).
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "umrt's C++ headers need C++20; umrt.h is for C11"
#endif

#include <new>
#include <stdexcept>
#include <string>

#include "umrt/umrt.h"

namespace umrt {

/**
 * A call that failed. No std::exception itself, since out_of_memory would then be one twice, and `catch (const
 * std::exception&)` takes no exception that has that base twice.
 */
class UMRT_API error {
 public:
  error(const error&) = default;
  error& operator=(const error&) = default;
  virtual ~error() = default;

  umrt_result code() const noexcept { return code_; }
  /** The code's name and the detail: "UMRT_ERROR_INVALID_DEVICE: device 4: there are 1". */
  virtual const char* what() const noexcept = 0;

 protected:
  explicit error(umrt_result code) noexcept : code_{code} {}

 private:
  umrt_result code_;
};

/** Every failure but UMRT_ERROR_OUT_OF_MEMORY. */
class UMRT_API call_failed : public error, public std::runtime_error {
 public:
  call_failed(umrt_result code, const std::string& text) : error{code}, std::runtime_error{text} {}
  const char* what() const noexcept override { return std::runtime_error::what(); }
};

/** UMRT_ERROR_OUT_OF_MEMORY, and for allocations UMRT_ERROR_SIZE_OVERFLOW too: what std::bad_alloc stands for. */
class UMRT_API out_of_memory : public error, public std::bad_alloc {
 public:
  out_of_memory(umrt_result code, const std::string& text) : error{code}, text_{text} {}
  const char* what() const noexcept override { return text_.what(); }

 private:
  std::runtime_error text_;  // a string that copies without throwing
};

namespace detail {

[[noreturn]] inline void throw_error(umrt_result code, const std::string& detail) {
  const std::string text = std::string{umrt_error_name(code)} + ": " + detail;
  if (code == UMRT_ERROR_OUT_OF_MEMORY || code == UMRT_ERROR_SIZE_OVERFLOW) throw out_of_memory{code, text};
  throw call_failed{code, text};
}

}  // namespace detail

/** Throws what the calling thread's last call reported, unless it is UMRT_SUCCESS. */
inline void check(umrt_result result) {
  if (result == UMRT_SUCCESS) return;
  const std::string text = umrt_error_detail();
  detail::throw_error(result, text.empty() ? umrt_error_string(result) : text);
}

}  // namespace umrt
