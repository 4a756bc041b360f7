// SPDX-License-Identifier: Apache-2.0
#include "api/result_names.h"

namespace umrt {
namespace {

constexpr ResultRow rows[] = {
    {UMRT_SUCCESS, "UMRT_SUCCESS", "no error"},
    {UMRT_ERROR_INVALID_VALUE, "UMRT_ERROR_INVALID_VALUE", "an argument is out of its range"},
    {UMRT_ERROR_OUT_OF_MEMORY, "UMRT_ERROR_OUT_OF_MEMORY", "arena, host memory or device memory is exhausted"},
    {UMRT_ERROR_NOT_INITIALIZED, "UMRT_ERROR_NOT_INITIALIZED", "umrt is not running in this process"},
    {UMRT_ERROR_NO_DEVICE, "UMRT_ERROR_NO_DEVICE", "no device could be started"},
    {UMRT_ERROR_INVALID_DEVICE, "UMRT_ERROR_INVALID_DEVICE", "there is no device of that number"},
    {UMRT_ERROR_INVALID_HANDLE, "UMRT_ERROR_INVALID_HANDLE", "no such stream or event, or not any more"},
    {UMRT_ERROR_NOT_READY, "UMRT_ERROR_NOT_READY", "the work is still running"},
    {UMRT_ERROR_ILLEGAL_ADDRESS, "UMRT_ERROR_ILLEGAL_ADDRESS", "a kernel touched memory that is not its own"},
    {UMRT_ERROR_LAUNCH_FAILED, "UMRT_ERROR_LAUNCH_FAILED", "a kernel ended abnormally"},
    {UMRT_ERROR_NOT_SUPPORTED, "UMRT_ERROR_NOT_SUPPORTED", "this system or device cannot do that"},
    {UMRT_ERROR_UNKNOWN, "UMRT_ERROR_UNKNOWN", "a defect of umrt"},
    {UMRT_ERROR_ALREADY_INITIALIZED, "UMRT_ERROR_ALREADY_INITIALIZED", "umrt is running already"},
    {UMRT_ERROR_DOUBLE_FREE, "UMRT_ERROR_DOUBLE_FREE", "the range is free already"},
    {UMRT_ERROR_FOREIGN_POINTER, "UMRT_ERROR_FOREIGN_POINTER", "the pointer does not come from umrt_malloc"},
    {UMRT_ERROR_SIZE_OVERFLOW, "UMRT_ERROR_SIZE_OVERFLOW", "the size is larger than the arena"},
    {UMRT_ERROR_DATA_LOSS, "UMRT_ERROR_DATA_LOSS", "device memory ended with the only copy of some bytes"},
    {UMRT_ERROR_SYSTEM, "UMRT_ERROR_SYSTEM", "the operating system refused"},
};

}  // namespace

std::span<const ResultRow> result_rows() { return rows; }

const ResultRow* find_result(umrt_result result) {
  for (const ResultRow& row : rows)
    if (row.result == result) return &row;
  return nullptr;
}

}  // namespace umrt
