/* Time per instruction. While a profile is attached to a VM, every instruction it runs adds to the
   row of its place in the code, and to a bounded list of events for trace viewers.

   Times are wall nanoseconds of CLOCK_MONOTONIC and include the clock's own cost (some 20 ns an
   instruction). A call of another function counts in the calling row as total, without its callees
   as self. Threads: as the VM. */
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
/* NULL detaches. The profile must be of the VM's executable (else INVALID_ARG) and outlive the
   attachment. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_set_profile(rlx_vm *vm, rlx_profile *p, rlx_error *err);

/* Rows in the order of the code; count 0 where an instruction never ran. */
RLX_API uint32_t rlx_profile_count(const rlx_profile *p);
RLX_API bool rlx_profile_get(const rlx_profile *p, uint32_t row, rlx_profile_row *out);
RLX_API uint32_t rlx_profile_event_count(const rlx_profile *p);
RLX_API bool rlx_profile_get_event(const rlx_profile *p, uint32_t i, rlx_profile_event *out);
RLX_API uint64_t rlx_profile_dropped_events(const rlx_profile *p);

#ifdef __cplusplus
}
#endif

#endif
