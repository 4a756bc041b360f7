/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * umrt: a fault-driven unified-memory runtime. One pointer, valid on the host and in kernels; the runtime moves the
 * bytes to whoever touches them, keeps device memory within its budget, and reports what it did and why.
 *
 * Conventions of every function:
 * - Sizes and offsets are in bytes. Device ordinals start at 0.
 * - The result is UMRT_SUCCESS or a code of result.h; umrt_error_detail() then has a sentence for the calling thread.
 *   Outputs are written on success alone. No function exits, aborts, throws or prints to standard output.
 * - Every function may be called from any thread at the same time, except where its comment says otherwise, and none
 * from inside a kernel. The child of a fork() may not use umrt and has no mapping of managed memory: there every
 * function returns UMRT_ERROR_NOT_INITIALIZED.
 * - "Stream order": work given to one stream runs in the order given; streams are independent of each other. A NULL
 *   stream is the default stream of device 0, an ordinary stream.
 * - A failed kernel makes its device's error sticky: stream work on that device returns the error until
 * umrt_device_reset().
 */
#ifndef UMRT_UMRT_H
#define UMRT_UMRT_H

#include <stddef.h>
#include <stdint.h>

#include "umrt/result.h"

#if defined(__GNUC__)
#define UMRT_API __attribute__((visibility("default")))
#else
#define UMRT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define UMRT_VERSION_MAJOR 0
#define UMRT_VERSION_MINOR 1
#define UMRT_VERSION_PATCH 0

/** The library's version as major * 10000 + minor * 100 + patch. Works before umrt_init(). */
UMRT_API int umrt_version(void);

/* ---- errors ---- */

/** The enumerator's name, such as "UMRT_ERROR_OUT_OF_MEMORY"; "unknown result" for other numbers. Never NULL. */
UMRT_API const char* umrt_error_name(umrt_result result);

/** One plain clause about the code. Never NULL. */
UMRT_API const char* umrt_error_string(umrt_result result);

/**
 * What went wrong in the calling thread's last failed call: argument, value and what would have been right, or the
 * system's error. Empty before the first failure. Valid until the thread's next umrt call. Never NULL.
 */
UMRT_API const char* umrt_error_detail(void);

/* ---- init and shutdown ---- */

typedef enum umrt_log_level UMRT_ENUM_TYPE {
  UMRT_LOG_ERROR = 0,
  UMRT_LOG_WARNING = 1,
  UMRT_LOG_INFO = 2,
  UMRT_LOG_DEBUG = 3
} umrt_log_level;

/** Receives one line without a newline. Called from any thread, possibly several at once; must not call umrt. */
typedef void (*umrt_log_callback)(void* context, umrt_log_level level, const char* message);

#define UMRT_CONFIG_VERSION 1

/** How to start. Fill it with umrt_config_init(), then change what is to differ. */
typedef struct umrt_config {
  uint32_t version;       /**< UMRT_CONFIG_VERSION of the header that the caller was compiled with */
  uint32_t device_count;  /**< 0: as the settings say */
  uint64_t device_budget; /**< bytes of memory of each device; 0: as the settings say */
  const char* policy;     /**< name of a policy, or NULL: as the settings say */
  /** "key=value" strings for any setting of `umrt config`; they win over environment and file. */
  const char* const* settings;
  size_t settings_count;
  umrt_log_callback log; /**< NULL: standard error */
  void* log_context;
} umrt_config;

/** Sets every field to "as the settings say". */
UMRT_API void umrt_config_init(umrt_config* config);

/**
 * Starts the runtime: reserves the arena, starts the devices and the service thread.
 * @param config NULL: everything as the settings (environment UMRT_*, file) say.
 * Errors: INVALID_VALUE (unknown version, setting or policy; a budget below the minimum, which the detail gives),
 * NOT_SUPPORTED (no userfaultfd here), OUT_OF_MEMORY (no address space), NO_DEVICE (its process did not start),
 * ALREADY_INITIALIZED.
 * Not to be called at the same time as umrt_shutdown().
 */
UMRT_API umrt_result umrt_init(const umrt_config* config);

/**
 * Waits for all streams, lists ranges that were not freed in the log, ends the devices. Managed memory is gone
 * afterwards. Not to be called while another thread is inside umrt or touches managed memory. Errors: NOT_INITIALIZED.
 */
UMRT_API umrt_result umrt_shutdown(void);

/* ---- places, hints, memory ---- */

/** The numbers are those of CUmemLocationType. */
typedef enum umrt_location_type UMRT_ENUM_TYPE {
  UMRT_LOCATION_NONE = 0,
  UMRT_LOCATION_DEVICE = 1,   /**< id: device ordinal */
  UMRT_LOCATION_HOST = 2,     /**< id is ignored */
  UMRT_LOCATION_HOST_NUMA = 3 /**< id: NUMA node */
} umrt_location_type;

typedef struct umrt_location {
  umrt_location_type type;
  int32_t id;
} umrt_location;

typedef enum umrt_access_pattern UMRT_ENUM_TYPE {
  UMRT_PATTERN_UNKNOWN = 0,
  UMRT_PATTERN_SEQUENTIAL = 1, /**< swept in address order: fetched ahead */
  UMRT_PATTERN_RANDOM = 2,     /**< no neighbour is likely: nothing is fetched along */
  UMRT_PATTERN_STREAMING = 3   /**< sequential and touched once: fetched ahead, first to leave */
} umrt_access_pattern;

/** The granule that a range migrates in. */
typedef enum umrt_page_class UMRT_ENUM_TYPE {
  UMRT_PAGE_CLASS_AUTO = 0, /**< 2M from 2 MiB on, 64K from 64 KiB on, else 4K */
  UMRT_PAGE_CLASS_4K = 4096,
  UMRT_PAGE_CLASS_64K = 65536,
  UMRT_PAGE_CLASS_2M = 2097152
} umrt_page_class;

#define UMRT_HINTS_VERSION 1

/** What the application knows of a range. Hints change speed, never results. Fill it with umrt_hints_init(). */
typedef struct umrt_hints {
  uint32_t version; /**< UMRT_HINTS_VERSION */
  const char* name; /**< for the report; copied; NULL: the call site is used */
  umrt_page_class page_class;
  umrt_location preferred;      /**< NONE: no preference */
  uint32_t accessed_by_devices; /**< bit d: device d shall have a mapping; with a preferred host: zero-copy */
  uint32_t read_mostly;         /**< not 0: may be readable on several processors at once */
  umrt_access_pattern pattern;
  uint32_t discardable; /**< not 0: contents need not survive eviction, they may read as zero */
} umrt_hints;

UMRT_API void umrt_hints_init(umrt_hints* hints);

/**
 * Allocates managed memory. Zero-filled on first use except where a freed range of the same thread is used again, as
 * with malloc. Aligned to 256 bytes at least, to 64 KiB from 64 KiB on, to 2 MiB from 2 MiB on.
 * @param[out] pointer valid on the host and in kernels of every device. @param bytes at least 1.
 * Errors: INVALID_VALUE (NULL, 0 bytes), SIZE_OVERFLOW, OUT_OF_MEMORY, NOT_INITIALIZED. Not stream ordered.
 */
UMRT_API umrt_result umrt_malloc(void** pointer, size_t bytes);

/** As umrt_malloc(), with hints. Errors: also INVALID_VALUE, INVALID_DEVICE for hints. */
UMRT_API umrt_result umrt_malloc_hinted(void** pointer, size_t bytes, const umrt_hints* hints);

/**
 * Frees a range. NULL is accepted. Waits for the work that streams have been given so far, as cudaFree does.
 * Errors: DOUBLE_FREE, FOREIGN_POINTER (also a pointer into the middle of a range), NOT_INITIALIZED.
 */
UMRT_API umrt_result umrt_free(void* pointer);

/** The first six have CUDA's meanings and numbers (CUmem_advise). */
typedef enum umrt_advice UMRT_ENUM_TYPE {
  UMRT_ADVISE_SET_READ_MOSTLY = 1,
  UMRT_ADVISE_UNSET_READ_MOSTLY = 2,
  UMRT_ADVISE_SET_PREFERRED_LOCATION = 3,
  UMRT_ADVISE_UNSET_PREFERRED_LOCATION = 4,
  UMRT_ADVISE_SET_ACCESSED_BY = 5,
  UMRT_ADVISE_UNSET_ACCESSED_BY = 6,
  UMRT_ADVISE_SEQUENTIAL = 101, /**< an access pattern; the last one counts */
  UMRT_ADVISE_RANDOM = 102,
  UMRT_ADVISE_STREAMING = 103,
  UMRT_ADVISE_UNSET_PATTERN = 104,
  UMRT_ADVISE_SET_DISCARDABLE = 105,
  UMRT_ADVISE_UNSET_DISCARDABLE = 106
} umrt_advice;

/**
 * Tells what is known of part of a range. Rounded outwards to whole blocks (2 MiB; 128 KiB for the 4K class).
 * Takes effect before it returns; not stream ordered.
 * @param location for advices 3, 5 and 6; {UMRT_LOCATION_NONE, 0} for the others.
 * Errors: INVALID_VALUE (0 bytes, unknown advice, part outside of one range), FOREIGN_POINTER, INVALID_DEVICE.
 */
UMRT_API umrt_result umrt_advise(const void* pointer, size_t bytes, umrt_advice advice, umrt_location location);

/** Bytes of a device's budget that are free now, and the budget. Errors: INVALID_VALUE, INVALID_DEVICE. */
UMRT_API umrt_result umrt_mem_get_info(uint32_t device, size_t* free_bytes, size_t* total_bytes);

typedef struct umrt_pointer_info {
  void* base;   /**< of the range */
  size_t bytes; /**< as asked for */
  umrt_page_class page_class;
  umrt_location location; /**< where the bytes at the pointer live; NONE: not touched yet */
  uint32_t on_host;       /**< not 0: valid bytes on the host (maybe among others) */
  uint32_t on_devices;    /**< bit d: valid bytes on device d */
  uint32_t is_remote;     /**< not 0: one shared mapping of system memory */
  char name[64];          /**< the hint's name or the call site, cut to fit */
} umrt_pointer_info;

/** What a pointer belongs to and where its bytes are now. Errors: FOREIGN_POINTER, INVALID_VALUE. */
UMRT_API umrt_result umrt_pointer_get_info(const void* pointer, umrt_pointer_info* info);

typedef struct umrt_residency {
  size_t host_bytes;      /**< valid on the host */
  size_t device_bytes[8]; /**< valid on device d */
  size_t remote_bytes;    /**< shared mappings of system memory */
  size_t untouched_bytes; /**< nowhere yet */
} umrt_residency;

/** Where the bytes [pointer, pointer + bytes) live now; duplicates count on both sides. Errors: as umrt_advise(). */
UMRT_API umrt_result umrt_range_get_residency(const void* pointer, size_t bytes, umrt_residency* residency);

/* ---- devices, streams, events ---- */

/** Errors: INVALID_VALUE, NOT_INITIALIZED. */
UMRT_API umrt_result umrt_device_count(uint32_t* count);

/**
 * Ends the sticky error of a device: brings home what is in its memory, starts it anew. Ranges stay; their bytes are
 * kept, except that UMRT_ERROR_DATA_LOSS names ranges whose only copy died with the device's process. Lost bytes are
 * never read as zeros: until their range is freed, the host gets SIGBUS for touching them, and a kernel that does ends
 * with UMRT_ERROR_DATA_LOSS.
 * Waits for the device's streams. Errors: INVALID_DEVICE, DATA_LOSS, NO_DEVICE (it does not start again).
 */
UMRT_API umrt_result umrt_device_reset(uint32_t device);

typedef struct umrt_stream_s* umrt_stream;
typedef struct umrt_event_s* umrt_event;

/** Errors: INVALID_VALUE, INVALID_DEVICE. */
UMRT_API umrt_result umrt_stream_create(umrt_stream* stream, uint32_t device);
/** Waits for the stream's work first. Errors: INVALID_HANDLE; INVALID_VALUE for NULL. */
UMRT_API umrt_result umrt_stream_destroy(umrt_stream stream);
/** Waits until all work given to the stream so far has ended. Errors: INVALID_HANDLE, the sticky error. */
UMRT_API umrt_result umrt_stream_synchronize(umrt_stream stream);
/** SUCCESS: nothing is left to do; NOT_READY otherwise. Errors: INVALID_HANDLE, the sticky error. */
UMRT_API umrt_result umrt_stream_query(umrt_stream stream);
/**
 * Later work of the stream waits for the event's last record; an event never recorded does not hold it.
 * Errors: INVALID_HANDLE; INVALID_VALUE for a NULL event; the stream's sticky error.
 */
UMRT_API umrt_result umrt_stream_wait_event(umrt_stream stream, umrt_event event);

/** Errors: INVALID_VALUE. */
UMRT_API umrt_result umrt_event_create(umrt_event* event);
/** The event must not be awaited by anyone. Errors: INVALID_HANDLE; INVALID_VALUE for NULL. */
UMRT_API umrt_result umrt_event_destroy(umrt_event event);
/**
 * Stream ordered: the event is complete once the work given to the stream before has ended.
 * Errors: INVALID_HANDLE; INVALID_VALUE for a NULL event; the stream's sticky error.
 */
UMRT_API umrt_result umrt_event_record(umrt_event event, umrt_stream stream);
/** Waits for the event's last record. Errors: as umrt_event_record(); the sticky error is the one at the record. */
UMRT_API umrt_result umrt_event_synchronize(umrt_event event);
/** SUCCESS: complete, or never recorded; NOT_READY otherwise. Errors: as umrt_event_synchronize(). */
UMRT_API umrt_result umrt_event_query(umrt_event event);
/**
 * Time between two completed events in milliseconds.
 * Errors: NOT_READY, INVALID_HANDLE, INVALID_VALUE (NULL, or never recorded).
 */
UMRT_API umrt_result umrt_event_elapsed_ms(float* milliseconds, umrt_event begin, umrt_event end);

/** Waits for all streams of all devices. Errors: the first sticky error. */
UMRT_API umrt_result umrt_synchronize(void);

/**
 * Work on items [begin, end) of a launch. Runs in the device's process: sees managed memory, its arguments and the
 * program's code and constants; must not call the system, allocate, lock, or use streams, as on a GPU.
 */
typedef void (*umrt_kernel)(const void* arguments, uint64_t begin, uint64_t end);

/** Bytes of arguments that a launch can take. */
#define UMRT_LAUNCH_ARGUMENTS_MAX 4096

/**
 * Runs a kernel over `items` items, cut in pieces of `grain` that run in parallel. Stream ordered; returns at once.
 * @param arguments copied before the call returns; the kernel sees them aligned to 64 bytes. May hold managed pointers.
 * @param items 0 is a launch of nothing.
 * @param grain items a piece; 0: chosen by the device.
 * Errors: INVALID_VALUE, INVALID_HANDLE, NOT_SUPPORTED (the kernel's code was loaded after the device started), the
 * sticky error. A failure of the kernel itself shows at the next synchronisation.
 */
UMRT_API umrt_result umrt_launch(umrt_stream stream, umrt_kernel kernel, const void* arguments, size_t arguments_bytes,
                                 uint64_t items, uint64_t grain);

/**
 * Moves part of a range to a place ahead of use. Stream ordered; returns at once. A hint: what finds no room stays.
 * Errors: INVALID_VALUE, FOREIGN_POINTER, INVALID_DEVICE, INVALID_HANDLE, the sticky error.
 */
UMRT_API umrt_result umrt_prefetch_async(const void* pointer, size_t bytes, umrt_location destination,
                                         umrt_stream stream);

/* ---- report ---- */

typedef enum umrt_report_format UMRT_ENUM_TYPE { UMRT_REPORT_TEXT = 0, UMRT_REPORT_JSON = 1 } umrt_report_format;

/**
 * The placement report so far: per range where its bytes lived, faults, bytes moved by cause and the reason of its
 * placement; totals; what to change.
 * @param buffer receives at most `capacity` bytes, always terminated when capacity > 0; may be NULL when capacity is 0.
 * @param[out] needed bytes of the whole text with its terminator; may be NULL.
 * Errors: INVALID_VALUE, NOT_INITIALIZED. A buffer too small is no error: compare `needed`.
 */
UMRT_API umrt_result umrt_report(umrt_report_format format, char* buffer, size_t capacity, size_t* needed);

/** The same into a file, replaced whole or not at all. Errors: SYSTEM (with the path), INVALID_VALUE. */
UMRT_API umrt_result umrt_report_file(umrt_report_format format, const char* path);

#ifdef __cplusplus
}
#endif

#endif
