/* Time per instruction. While a profile is attached to a VM, every instruction that runs adds to
   its own row and to a bounded list of events for trace viewers.

   Times are wall nanoseconds of CLOCK_MONOTONIC and include the clock's own cost (some 20 ns an
   instruction). For a call of another function, the calling row's total includes the callee's time
   and its self time does not. Threads: as the VM. */
#ifndef RLX_PROFILE_H
#define RLX_PROFILE_H

#include <rlx/builder.h>
#include <rlx/vm.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_profile rlx_profile;

typedef struct rlx_profile_row {
    uint32_t function, pc;
    rlx_opcode op;
    rlx_str name; /* of the callee; else of the opcode */
    uint64_t count, total_ns, self_ns, min_ns, max_ns;
} rlx_profile_row;

typedef struct rlx_profile_event {
    uint32_t row;              /* for rlx_profile_get */
    uint32_t depth;            /* calls inside calls */
    uint64_t start_ns, dur_ns; /* start counts from the profile's creation */
} rlx_profile_event;

/* Keeps up to |max_events| events (0: none); later ones are dropped and counted. Retains |exe|.
   Errors: NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_profile_create(const rlx_allocator *a, rlx_executable *exe,
                                                    uint32_t max_events, rlx_profile **out,
                                                    rlx_error *err);
RLX_API void rlx_profile_destroy(rlx_profile *p); /* detached before; NULL is ignored */
RLX_API void rlx_profile_reset(rlx_profile *p);
/* Attaches a profile, which must be for the VM's executable (else INVALID_ARG) and live until it is
   detached. NULL detaches, and waits for the work of devices. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_set_profile(rlx_vm *vm, rlx_profile *p, rlx_error *err);

/* Rows in the order of the code; count 0 where an instruction never ran. */
RLX_API uint32_t rlx_profile_count(const rlx_profile *p);
RLX_API bool rlx_profile_get(const rlx_profile *p, uint32_t row, rlx_profile_row *out);
RLX_API uint32_t rlx_profile_event_count(const rlx_profile *p);
RLX_API bool rlx_profile_get_event(const rlx_profile *p, uint32_t i, rlx_profile_event *out);
RLX_API uint64_t rlx_profile_dropped_events(const rlx_profile *p);

/* --- devices (rlx/device.h) --------------------------------------------------------------------
   The work that instructions queued on devices: for each device, a row for each kernel and for each
   direction of copies. An instruction returns before the work is done; its time above is the
   host's. Times here are the device's, complete once the profile is detached. */

typedef enum rlx_work_kind {
    RLX_WORK_LAUNCH,
    RLX_WORK_COPY_IN, /* from the host */
    RLX_WORK_COPY_OUT,
    RLX_WORK_COPY_WITHIN
} rlx_work_kind;

typedef struct rlx_profile_work {
    const char *device; /* its name; lives as long as the profile */
    rlx_work_kind kind;
    const char *name; /* of a launch: the function in the device's code; else "" */
    uint64_t count, bytes;
    uint64_t timed; /* how many of them have a time: some devices report none */
    uint64_t total_ns, min_ns, max_ns;
} rlx_profile_work;

typedef struct rlx_profile_work_event {
    uint32_t work;             /* for rlx_profile_get_work */
    uint64_t start_ns, dur_ns; /* as in rlx_profile_event, as near as the device's clock allows */
} rlx_profile_work_event;

RLX_API uint32_t rlx_profile_work_count(const rlx_profile *p);
RLX_API bool rlx_profile_get_work(const rlx_profile *p, uint32_t i, rlx_profile_work *out);
/* The limit is that of instruction events. */
RLX_API uint32_t rlx_profile_work_event_count(const rlx_profile *p);
RLX_API bool rlx_profile_get_work_event(const rlx_profile *p, uint32_t i,
                                        rlx_profile_work_event *out);

#ifdef __cplusplus
}
#endif

#endif
