/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UMRT_RESULT_H
#define UMRT_RESULT_H

/* C callers can pass any number, and C++ may look at it only where the type is fixed. */
#ifdef __cplusplus
#define UMRT_ENUM_TYPE : int
#else
#define UMRT_ENUM_TYPE
#endif

/**
 * What every umrt function returns. Where CUDA has a code for the same meaning, the number is CUDA's
 * (cudaError_t); umrt's own meanings start at 10000.
 */
typedef enum umrt_result UMRT_ENUM_TYPE {
  UMRT_SUCCESS = 0,
  UMRT_ERROR_INVALID_VALUE = 1,     /**< an argument is out of its range; the detail names it */
  UMRT_ERROR_OUT_OF_MEMORY = 2,     /**< arena, host memory or device memory is exhausted */
  UMRT_ERROR_NOT_INITIALIZED = 3,   /**< no umrt_init, after umrt_shutdown, or in the child of a fork */
  UMRT_ERROR_NO_DEVICE = 100,       /**< no device could be started */
  UMRT_ERROR_INVALID_DEVICE = 101,  /**< a device ordinal that does not exist */
  UMRT_ERROR_INVALID_HANDLE = 400,  /**< a stream or event that does not exist (any more) */
  UMRT_ERROR_NOT_READY = 600,       /**< queried work is still running; not a failure */
  UMRT_ERROR_ILLEGAL_ADDRESS = 700, /**< a kernel touched memory that is not its own; sticky until umrt_device_reset */
  UMRT_ERROR_LAUNCH_FAILED = 719,   /**< a kernel ended abnormally for another reason; sticky as 700 */
  UMRT_ERROR_NOT_SUPPORTED = 801,   /**< this system or device cannot do that; the detail says why */
  UMRT_ERROR_UNKNOWN = 999,         /**< a defect of umrt itself; the detail says where */
  UMRT_ERROR_ALREADY_INITIALIZED = 10001, /**< umrt_init while the runtime is up */
  UMRT_ERROR_DOUBLE_FREE = 10002,         /**< umrt_free of a range that is free already */
  UMRT_ERROR_FOREIGN_POINTER = 10003,     /**< a pointer that umrt_malloc did not return */
  UMRT_ERROR_SIZE_OVERFLOW = 10004,       /**< a size that wraps around or exceeds the arena */
  UMRT_ERROR_DATA_LOSS = 10005,           /**< device memory died with its only copy of some bytes */
  UMRT_ERROR_SYSTEM = 10006               /**< the operating system refused; the detail holds its error */
} umrt_result;

#endif
