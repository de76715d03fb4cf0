/* The VM's internals (private): frames, name tables, kernel contexts, calls. */
#ifndef RLXV_VM_IMPL_H
#define RLXV_VM_IMPL_H

#include "vm/device.h"
#include "vm/exec.h"
#include "vm/object.h"
#include "vm/parallel_backoff.h"
#include "vm/system.h"

#include <rlx/profile.h>
#include <rlx/vm.h>

/* Rarely called functions: not inlined, so that their callers keep their registers. */
#define RLXV_RARE __attribute__((noinline, cold))

/* --- names: packed functions, kernels and builtins by name -------------------------------------
 */

typedef struct rlxv_name {
    rlx_str name; /* owned */
    rlx_packed_fn packed;
    rlx_kernel_fn kernel;
    void *user;
    void (*destroy)(void *user);
    const rlx_builtin *builtin; /* NULL: any number of arguments */
} rlxv_name;

typedef struct rlxv_names {
    rlx_allocator allocator;
    rlxv_name *rows;
    uint32_t count, capacity;
    uint32_t *hash, hash_size; /* row + 1 */
} rlxv_names;

void rlxv_names_init(rlxv_names *t, const rlx_allocator *a);
void rlxv_names_deinit(rlxv_names *t);
/* Replaces a row of the same name. */
rlx_status rlxv_names_set(rlxv_names *t, const rlxv_name *row, rlx_error *err);
const rlxv_name *rlxv_names_find(const rlxv_names *t, rlx_str name);

struct rlx_registry {
    atomic_uint refs;
    rlx_allocator allocator;
    rlxv_names packed, kernels, sections;
    rlxv_devices devices;
};

/* --- kernel contexts: scratch memory and parallel loops ----------------------------------------
 */

struct rlx_threads {
    atomic_uint refs;
    rlx_allocator allocator;
    uint32_t n;          /* the caller's own thread counts */
    void *pool;          /* pthreadpool_t; NULL: serial */
    atomic_bool is_busy; /* running a loop of some VM, which alone uses the following fields */
    rlxv_parallel_backoff pace;
};

/* start_threads.c: a pthreadpool_t of |n| threads, the caller's among them; |n| is at least 2.
   Errors: LIMIT (the system refuses some), NOMEM. */
rlx_status rlxv_start_pool(const rlx_allocator *a, uint32_t n, void **out, rlx_error *err);
void rlxv_stop_pool(void *pool);
/* run(user, i) for each i below |n|, on the pool's threads; returns when all are done.
   |workers_yield|: workers yield their cores between loops. */
void rlxv_run_in_pool(void *pool, void (*run)(void *user, size_t i), void *user, size_t n,
                      bool workers_yield);
/* threads.c: rlx_kernel_context.parallel_for */
int32_t rlxv_parallel_for(rlx_kernel_context *ctx, rlx_parallel_body body, void *user, int64_t n,
                          int64_t grain);

typedef struct rlxv_scratch_chunk rlxv_scratch_chunk;
struct rlxv_scratch_chunk {
    rlxv_scratch_chunk *previous;
    size_t size, used; /* bytes, this header included */
};

/* The height of a worker's scratch stack at some moment. */
typedef struct rlxv_scratch_mark {
    const rlxv_scratch_chunk *chunk;
    size_t used, planned_used;
} rlxv_scratch_mark;

typedef struct rlxv_scratch_plan { /* scratch memory in the memory plan; NULL: none */
    uint8_t *bytes;
    size_t size, used;
} rlxv_scratch_plan;

typedef struct rlxv_plan_room { /* a buffer of the memory plan */
    rlx_storage *storage;
    size_t offset, size;
} rlxv_plan_room;

typedef struct rlxv_worker {
    rlx_kernel_context ctx;
    rlx_vm *vm;
    rlxv_scratch_chunk *chunk; /* newest first */
    rlxv_scratch_plan plan;    /* taken first */
    size_t recent;             /* most that one chunk held since the last aging */
    bool in_share;             /* runs a share of a parallel loop */
    int64_t share_ns;          /* duration of the last one */
    rlx_status refused;        /* why memory or a value was refused since the kernel began */
    rlxv_debug_row at; /* the place that a refused value's error names; line 0: the call's */
    char message[256];
} rlxv_worker;

rlx_status rlxv_workers_create(rlx_vm *vm, uint32_t n, rlx_error *err);
void rlxv_workers_destroy(rlx_vm *vm);
/* kernel_packed.c: rlx_kernel_context.call_packed */
int32_t rlxv_kernel_call_packed(rlx_kernel_context *ctx, const char *name,
                                const rlx_kernel_arg *args, uint32_t n, rlx_kernel_arg *result);
/* Returns all scratch memory taken since |chunk| was the newest with |used| bytes; if nothing was
 * held then and bytes are not limited, keeps one chunk large enough for all of it. */
void rlxv_scratch_give_back(rlxv_worker *w, const rlxv_scratch_chunk *chunk, size_t used);

/* Frees a chunk that is far larger than the need since the last call; true if it did. */
bool rlxv_scratch_age(rlxv_worker *w);
/* default_alloc.c: returns freed memory of the default allocator to the system. */
void rlxv_default_purge(void);
/* The size kept for a given need: twice the need, and at least a small amount. */
static inline bool rlxv_is_far_more(uint64_t kept, uint64_t needed)
{
    return kept > 2 * needed + ((uint64_t)1 << 20);
}

static inline rlxv_scratch_mark rlxv_scratch_now(const rlxv_worker *w)
{
    return (rlxv_scratch_mark){w->chunk, w->chunk ? w->chunk->used : 0, w->plan.used};
}

static inline void rlxv_scratch_reset(rlxv_worker *w, rlxv_scratch_mark mark)
{
    w->plan.used = mark.planned_used;
    if (w->chunk != mark.chunk)
        rlxv_scratch_give_back(w, mark.chunk, mark.used);
    else if (w->chunk)
        w->chunk->used = mark.used;
}

/* --- frames ---------------------------------------------------------------------------------- */

typedef struct rlxv_frame rlxv_frame;
typedef struct rlxv_stack_chunk rlxv_stack_chunk;

struct rlxv_frame {
    rlxv_frame *caller; /* NULL: entered from the host */
    const rlxv_function *fn;
    const uint32_t
        *pc;           /* of the instruction being run; valid while this frame waits for a callee */
    rlx_value *regs;   /* n_registers, owned */
    rlx_value *values; /* max_values, borrowed: arguments gathered for a call */
    int64_t *slots, *dims;    /* n_slots; max_dims */
    void **pointers;          /* max_values: buffers gathered for a kernel */
    rlxv_region_use *regions; /* of the function's plan */
    uint32_t result;          /* register of the caller that gets the result */
    rlx_call_kind kind;       /* how it was called */
    rlxv_stack_chunk *chunk;
    size_t chunk_used; /* of |chunk| before this frame */
    uint64_t start_ns; /* profile: when the call began */
    uint32_t profile_row;
};

struct rlxv_stack_chunk {
    rlxv_stack_chunk *previous, *next;
    size_t size, used; /* bytes, this header included */
};

typedef struct rlxv_state { /* of the stateful way, per function */
    uint32_t n_args;
    rlx_value *args;
    bool has_output;
    rlx_value output;
} rlxv_state;

typedef struct rlxv_saved {
    rlx_str name;
    uint32_t function, n_args;
    rlx_value *args;
} rlxv_saved;

struct rlx_call_context {
    rlx_vm *vm;
    void *user;
};

/* Where regions of the memory plan are laid out on a device: a stack of bytes in one block. */
typedef struct rlxv_area {
    rlx_storage *block; /* NULL: none yet */
    uint64_t used;
    uint64_t wanted; /* most that regions in use at once took */
    uint64_t recent; /* the same since the last aging */
    uint64_t least;  /* that the block has: a pool's, which has no room for more than one */
} rlxv_area;

typedef struct rlxv_bound_kernel rlxv_bound_kernel; /* launch.c */

/* A device of the executable as a VM uses it. */
typedef struct rlxv_vm_device {
    rlx_device *device; /* NULL: the host, or not opened yet */
    bool gathers;       /* in an entry with device_graphs */
    bool is_opened;
    char kind[48], scope[RLXV_SCOPE];
    rlxv_area area;
    rlx_tensor **constants; /* by constant of the executable: its copy here; NULL: none yet */
    rlxv_copies *shared;    /* owner of the copies (vm_constants.c); NULL: the VM */
} rlxv_vm_device;

struct rlx_vm {
    rlx_executable *exe;
    rlx_vm_options options;
    rlx_allocator allocator;
    rlx_registry *registry;
    rlxv_pool *pool;
    rlxv_names packed, builtins;
    struct rlxv_vm_section *sections; /* by module of the executable; NULL: none is loaded */
    rlx_kernel_fn *kernels;           /* per kernel of the executable; NULL: not found */

    rlxv_stack_chunk *stack; /* the chunk in use */
    uint32_t n_frames, host_depth;
    uint64_t budget; /* instructions left in this entry */
    uint64_t instructions;
    uint64_t stack_bytes; /* of all chunks */
    uint32_t entries;     /* since the pool was aged */

    rlx_instrument_before before;
    rlx_instrument_after after;
    void *instrument_user;
    rlx_profile *profile;

    rlxv_worker *workers;
    uint32_t n_workers;
    rlx_threads *threads;

    rlxv_layout_cache *layouts; /* per region of the executable */
    rlxv_vm_device *devices;    /* per device of the executable; the first is the host */
    rlxv_bound_kernel **bound;  /* per kernel of the executable: for each device that ran it */
    rlxv_bound_kernel *asked;   /* kernels with checks that this entry has launched */
    const rlxv_watch *watch;    /* called for the work of devices; NULL: no listener */

    rlxv_state **states; /* per function; allocated on use */
    rlxv_saved *saved;
    uint32_t n_saved, saved_capacity;
};

#define RLXV_MAX_HOST_DEPTH 100u

/* frame.c */
/* Allocates a frame of |fn| with registers none; counted, not linked. */
rlx_status rlxv_frame_push(rlx_vm *vm, const rlxv_function *fn, rlxv_frame **out, rlx_error *err);
/* Releases the registers and frees the space. */
void rlxv_frame_pop(rlx_vm *vm, rlxv_frame *f);
void rlxv_stack_trim(rlx_vm *vm);
void rlxv_stack_free(rlx_vm *vm);

/* plan.c */
rlx_status rlxv_plans_create(rlx_vm *vm, rlx_error *err);
void rlxv_plans_destroy(rlx_vm *vm);
/* Frees a block that is far larger than the need since the last call; true if it did. */
bool rlxv_plans_age(rlx_vm *vm);
/* Frees the layouts and the block if unused. */
void rlxv_plans_trim(rlx_vm *vm);
/* Bytes of cached headers that nothing else holds. */
uint64_t rlxv_plans_idle_bytes(const rlx_vm *vm);
/* Lays out region |z| of the frame's function. */
rlx_status rlxv_plan_enter(rlx_vm *vm, rlxv_frame *f, uint32_t z, rlx_error *err);
/* Releases the frame's regions. */
void rlxv_plan_leave(rlx_vm *vm, rlxv_frame *f);
/* A reference to planned tensor |p|. */
rlx_status rlxv_plan_tensor_new(rlx_vm *vm, rlxv_frame *f, uint32_t p, rlx_tensor **out,
                                rlx_error *err);
/* The bytes of buffer |u|. */
rlx_status rlxv_plan_bytes(const rlxv_frame *f, uint32_t u, rlxv_plan_room *out, rlx_error *err);

/* vm_devices.c */
rlx_status rlxv_vm_devices_create(rlx_vm *vm, rlx_error *err);
void rlxv_vm_devices_destroy(rlx_vm *vm);
/* Frees memory that the VM's devices keep unused. */
void rlxv_vm_devices_trim(rlx_vm *vm);
/* vm_constants.c: releases the copies of constants that the VM has on the device. */
void rlxv_vm_constants_free(rlx_vm *vm, rlxv_vm_device *vd);
/* Whether |data| lies in a constant of the executable, or in a copy that the VM has of one. */
bool rlxv_vm_is_constant(const rlx_vm *vm, const void *data);
/* Called before and after an entry from the host; the second returns |status|, or a late error of a
 * launch, in which case it drops |*result|. */
void rlxv_begin_launches(rlx_vm *vm);
rlx_status rlxv_end_launches(rlx_vm *vm, rlx_status status, rlx_value *result, rlx_error *err);
/* Device |v| of the executable, opened if need be; NULL for the host. */
rlx_status rlxv_vm_device_at(rlx_vm *vm, uint32_t v, rlx_device **out, rlx_error *err);
/* Instructions that name a device, at |w|. */
rlx_status rlxv_to_vdevice(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err);
rlx_status rlxv_alloc_storage_on(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err);
rlx_status rlxv_new_tensor_on(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err);
rlx_status rlxv_load_const_on(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err);

/* launch.c */
/* Queues the launches of kernel |index|, whose buffers are in the registers |buffers|, with the
 * dims of the frame. |room|: the call's buffer in the memory plan for scratch memory, or NULL. */
rlx_status rlxv_launch_kernel(rlx_vm *vm, rlxv_frame *f, uint32_t index, const uint32_t *buffers,
                              const rlxv_plan_room *room, rlx_error *err);
/* Reads the checks of the kernels in vm->asked, at the end of an entry with |status|; drops
 * |*result| if one failed. */
rlx_status rlxv_end_checks(rlx_vm *vm, rlx_status status, rlx_value *result, rlx_error *err);
void rlxv_unbind_kernels(rlx_vm *vm);

/* interp.c: runs |entry|, whose arguments are in place and checked; pops it in any case. */
rlx_status rlxv_run(rlx_vm *vm, rlxv_frame *entry, rlx_value *out, rlx_error *err);
/* call.c: the way in for the host and for builtins. |bound| fill the last parameters. */
rlx_status rlxv_enter(rlx_vm *vm, uint32_t function, const rlx_value *args, uint32_t n,
                      const rlx_value *bound, uint32_t n_bound, rlx_value *out, rlx_error *err);
rlx_status rlxv_enter_closure(rlx_vm *vm, rlx_closure *c, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err);

/* sections.c: loads the sections whose kinds the registry has. */
rlx_status rlxv_vm_sections_create(rlx_vm *vm, rlx_error *err);
void rlxv_vm_sections_destroy(rlx_vm *vm);
/* The row of a packed function or builtin, valid until the next call; NOT_FOUND says why. */
rlx_status rlxv_find_packed(rlx_vm *vm, rlx_str name, const rlxv_name **out, rlx_error *err);

/* Checks what a builtin relies on: the number of arguments, which the verifier checks only for
 * imported builtins, and that the host can reach their bytes. */
rlx_status rlxv_check_builtin(const rlx_builtin *b, const rlx_value *args, uint32_t n,
                              rlx_error *err);

/* profile.c: hooks of the interpreter, called only while a profile is attached. */
void rlxv_profile_step(rlx_profile *p, const rlxv_frame *f, const uint32_t *pc, uint32_t depth);
void rlxv_profile_call(rlx_profile *p, rlxv_frame *callee);
void rlxv_profile_return(rlx_profile *p, const rlxv_frame *callee, uint32_t depth);
void rlxv_profile_stop(rlx_profile *p, uint32_t depth);

#endif
