/* Memory plans of functions: the intervals in the file, and the layout for given symbol values.

   A function's tensors lie in its buffers. Each buffer is in use during one interval of the code;
   outside it, its bytes are free for others. Buffers are grouped into regions; a plan instruction
   lays out one region once the slots that its sizes need are bound. The getters return what the
   file states; rlx_plan_compute computes the offsets that the VM would use, without running
   anything. Threads: safe, as executables are. */
#ifndef RLX_PLAN_H
#define RLX_PLAN_H

#include <rlx/executable.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RLX_PLAN_ALIGN 64u              /* of every buffer */
#define RLX_PLAN_AT_RUN_TIME UINT64_MAX /* the file states no offset; the VM computes it */

typedef struct rlx_plan_buffer {
    uint32_t region;
    uint32_t size;        /* expression: bytes */
    uint32_t first, last; /* in use from word |first| of the code up to, not including, |last| */
    uint64_t offset;      /* from the region's start; or RLX_PLAN_AT_RUN_TIME */
} rlx_plan_buffer;

typedef struct rlx_plan_counts {
    uint32_t n_regions, n_buffers, n_tensors;
} rlx_plan_counts;

/* False if |f| is out of range, like the next two. */
RLX_API bool rlx_function_plan(const rlx_executable *exe, uint32_t f, rlx_plan_counts *out);
RLX_API bool rlx_function_plan_buffer(const rlx_executable *exe, uint32_t f, uint32_t buffer,
                                      rlx_plan_buffer *out);
/* A tensor of the plan: it lies at the start of buffer |*out_buffer| and has type |*out_type|. */
RLX_API bool rlx_function_plan_tensor(const rlx_executable *exe, uint32_t f, uint32_t tensor,
                                      uint32_t *out_buffer, uint32_t *out_type);
/* The slots that determine the layout of |region|: writes up to |n| of them and returns how many
   there are. */
RLX_API uint32_t rlx_function_plan_slots(const rlx_executable *exe, uint32_t f, uint32_t region,
                                         uint32_t *out, uint32_t n);

/* The device on which |region| lies (rlx_executable_device); 0: the host, or no such region. */
RLX_API uint32_t rlx_function_plan_device(const rlx_executable *exe, uint32_t f, uint32_t region);

typedef struct rlx_plan_sums {
    uint64_t peak;  /* bytes of the region */
    uint64_t bound; /* largest sum of buffers in use at one point: a lower bound for any layout */
} rlx_plan_sums;

/* Lays |region| out for |slots| (as many as the function has; only those above are read). |sizes|
   and |offsets| (either may be NULL) have an entry for each buffer of the function; those of the
   region are written, sizes rounded up to RLX_PLAN_ALIGN. Errors: NOT_FOUND, SHAPE (a size is
   negative, overflows or divides by zero), LIMIT, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_plan_compute(const rlx_executable *exe, uint32_t f,
                                                  uint32_t region, const int64_t *slots,
                                                  uint64_t *sizes, uint64_t *offsets,
                                                  rlx_plan_sums *out, rlx_error *err);

/* Checks the stated intervals and offsets against the code: tensors are used only while their
   buffer is in use, and buffers with stated offsets that are in use at the same time do not
   overlap. Loading does not check this: a file that fails may compute wrong numbers, but is
   memory-safe. Errors: INVALID_MODULE, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_executable_verify_plans(const rlx_executable *exe,
                                                             rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
