/* The virtual machine: runs the functions of one executable.

   One VM is used by one thread at a time; any number of VMs share an executable. Every entry checks
   its arguments against the function's signature before a frame is pushed. A failed call leaves the
   VM usable and leaks nothing. Arguments are borrowed for the call; results belong to the caller,
   may outlive the VM, and may be released on any thread. */
#ifndef RLX_VM_H
#define RLX_VM_H

#include <rlx/builtin.h>
#include <rlx/executable.h>

#ifdef __cplusplus
#include <atomic>
typedef std::atomic<bool> rlx_atomic_bool;
extern "C" {
#else
#include <stdatomic.h>
typedef atomic_bool rlx_atomic_bool;
#endif

/* --- registry: packed functions and kernels of the host, shared between VMs ------------------- */

/* Reference-counted. Fill it before it is shared: changing it while another thread's VM uses it is
   a race. A later registration of the same name replaces the earlier one. Errors: NOMEM. */
typedef struct rlx_registry rlx_registry;

RLX_NODISCARD RLX_API rlx_status rlx_registry_create(const rlx_allocator *a, rlx_registry **out,
                                                     rlx_error *err);
RLX_API rlx_registry *rlx_registry_retain(rlx_registry *r);
RLX_API void rlx_registry_release(rlx_registry *r);
/* |destroy| (may be NULL) is called with |user| when the registration is removed. On error it is
 * not called. */
RLX_NODISCARD RLX_API rlx_status rlx_registry_add_packed(rlx_registry *r, rlx_str name,
                                                         rlx_packed_fn fn, void *user,
                                                         void (*destroy)(void *user),
                                                         rlx_error *err);
/* Resolves kernels, by symbol, of executables that have no native section. */
RLX_NODISCARD RLX_API rlx_status rlx_registry_add_kernel(rlx_registry *r, rlx_str symbol,
                                                         rlx_kernel_fn fn, rlx_error *err);

/* Loads and runs a section of a file whose code is neither for the CPU nor for a device
 * (docs/generators.md). A code generator of the compiler writes the section; the registered loader
 * of the same kind runs it. */
typedef struct rlx_section_api {
    size_t size;      /* of this struct */
    const char *kind; /* at most 63 letters, digits and "_.-"; copied */
    /* Called by each VM at its creation for each section of this kind, if the file's code is
     * trusted (rlx_load_options). The image lives as long as *out. Its bytes come from a file: do
     * not trust them. An error makes the creation of the VM fail. */
    rlx_status (*load)(void *user, const rlx_code_image *image, void **out, rlx_error *err);
    /* The function |symbol| of a loaded section, or NULL if it has none. The function is called
     * with *out_user as its user. find is called once for each name and VM. Names are looked up in
     * the VM, the registry, the sections and the builtins, in this order. */
    rlx_packed_fn (*find)(void *user, void *section, rlx_str symbol, void **out_user);
    void (*unload)(void *user, void *section); /* when the VM is destroyed */
} rlx_section_api;
/* |api| is copied. Errors: INVALID_ARG (the struct, or the registry already has this kind),
   NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_registry_add_section(rlx_registry *r,
                                                          const rlx_section_api *api, void *user,
                                                          rlx_error *err);

/* A plugin is a shared library with a function rlx_plugin_runtime, which adds rows to the registry:
 * sections, devices, packed functions. It is not linked with this library; it finds the library's
 * functions in the program. It stays loaded until the process ends. |path| is passed to dlopen.
 * Errors: INVALID_ARG, NOT_FOUND (no such library, or it lacks the function), those of the
 * function. */
typedef rlx_status rlx_plugin_runtime_fn(rlx_registry *r, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_registry_load_plugin(rlx_registry *r, const char *path,
                                                          rlx_error *err);

/* --- threads --------------------------------------------------------------------------------- */

/* Worker threads shared by several VMs. If another VM is using them, a parallel loop runs on its
 * caller's thread alone. Reference-counted; may be used and released on any thread. */
typedef struct rlx_threads rlx_threads;

/* |n| threads, the caller's own included; with 0 or 1 no thread is started. The call first tests
 * whether the system can start them all, because a pool cannot be left half started. Errors:
 * INVALID_ARG (more than 1024), LIMIT (the system refuses to start so many), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_threads_create(const rlx_allocator *a, uint32_t n,
                                                    rlx_threads **out, rlx_error *err);
RLX_API rlx_threads *rlx_threads_retain(rlx_threads *t);
RLX_API void rlx_threads_release(rlx_threads *t);

/* --- instrument ------------------------------------------------------------------------------ */

typedef enum rlx_call_kind {
    RLX_CALL_KERNEL,
    RLX_CALL_BUILTIN,
    RLX_CALL_PACKED,
    RLX_CALL_FUNCTION,
    RLX_CALL_CLOSURE,
} rlx_call_kind;

typedef struct rlx_call_info {
    rlx_call_kind kind;
    rlx_str name;          /* of the kernel, builtin, packed function or function */
    uint32_t function, pc; /* the calling instruction */
    const rlx_value *args; /* borrowed; for kernels the buffers, outputs included */
    uint32_t n_args;
    const int64_t *dims; /* kernels: the dims */
    uint32_t n_dims;
} rlx_call_info;

/* Called before each call; a function that restarts itself (again) counts as one call. Returning
 * false skips the call: a kernel's outputs are then undefined bytes; any other call returns
 * *replacement, whose reference the VM takes over (none unless set). */
typedef bool (*rlx_instrument_before)(void *user, const rlx_call_info *info,
                                      rlx_value *replacement);
/* Called after each call that was not skipped. |result| is borrowed; none if |status| is an
   error. */
typedef void (*rlx_instrument_after)(void *user, const rlx_call_info *info, rlx_status status,
                                     rlx_value result);

/* --- creation -------------------------------------------------------------------------------- */

/* Zero every field for the defaults. A limit of 0 means the default given next to it. */
typedef struct rlx_vm_options {
    const rlx_allocator *allocator; /* for objects and tensors; NULL: the default */
    rlx_registry *registry;         /* retained; may be NULL */
    /* Limit of the bytes of live tensors and objects plus the pool; a limit other than 0 also
     * counts the VM's memory on devices. 0: the memory available on the system (rlx/memory.h),
     * which the VM checks before it allocates for a call that needs more than 64 MiB of new memory.
     * With another limit the system is not asked. UINT64_MAX: no limit. */
    uint64_t max_bytes;
    uint64_t pool_bytes;           /* unused storage kept for later calls, that of released results
                                    * of 1 MiB and more included: 1 GiB */
    uint32_t max_frames;           /* calls inside calls: 10 000 */
    uint64_t max_instructions;     /* per entry from the host: no limit */
    uint32_t threads;              /* of kernels' parallel loops, started for this VM: 1 */
    rlx_threads *shared_threads;   /* a shared pool instead of own threads; retained; may be NULL */
    bool debug_poison;             /* fill dead registers and freed storage with 0xA5 */
    const rlx_atomic_bool *cancel; /* polled at calls and backward jumps; may be NULL */
    void (*output)(void *user, rlx_str text); /* what print writes; may be NULL */
    void *output_user;
    /* Planned memory (rlx/plan.h) is laid out in these |arena_bytes| bytes. They belong to the host
     * and must outlive the VM and every tensor that a host function keeps beyond its call. NULL:
     * the VM uses a block of its own, which grows to the largest need so far. A call that needs
     * more than the arena fails with LIMIT before it runs anything. */
    void *arena;
    size_t arena_bytes;
    /* Collect the launches of a call and submit them together (CUDA: as graphs, from the second
     * call with the same sizes on). A failed launch is then reported as an error of its call. */
    bool device_graphs;
} rlx_vm_options;

/* Retains |exe|. |options| may be NULL. Errors: INVALID_ARG (options out of range), NOMEM, LIMIT,
 * and those of the sections' loaders and devices. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_create(rlx_executable *exe, const rlx_vm_options *options,
                                               rlx_vm **out, rlx_error *err);
RLX_API void rlx_vm_destroy(rlx_vm *vm); /* NULL is ignored; not from inside a call */
RLX_API rlx_executable *rlx_vm_executable(const rlx_vm *vm); /* borrowed */

/* As rlx_registry_add_packed, for this VM alone; found before the registry and the builtins. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_register(rlx_vm *vm, rlx_str name, rlx_packed_fn fn,
                                                 void *user, void (*destroy)(void *user),
                                                 rlx_error *err);
/* Both NULL: no instrument. */
RLX_API void rlx_vm_set_instrument(rlx_vm *vm, rlx_instrument_before before,
                                   rlx_instrument_after after, void *user);

/* --- calls ----------------------------------------------------------------------------------- */

/* Errors: NOT_FOUND, INVALID_ARG (count), SHAPE (kind, dtype, rank, dimension; the message names
   the parameter), KERNEL, LIMIT, CANCELLED, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_invoke(rlx_vm *vm, rlx_str function, const rlx_value *args,
                                               uint32_t n, rlx_value *out, rlx_error *err);
/* As above with a function's index, without look-up. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_invoke_index(rlx_vm *vm, uint32_t function,
                                                     const rlx_value *args, uint32_t n,
                                                     rlx_value *out, rlx_error *err);
/* |closure| must come from this VM's executable. Bound values fill the last parameters. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_invoke_closure(rlx_vm *vm, rlx_closure *closure,
                                                       const rlx_value *args, uint32_t n,
                                                       rlx_value *out, rlx_error *err);
/* A function as a value, its last |n| parameters bound (retained). Holds the executable. Errors:
   NOT_FOUND, INVALID_ARG (more than it has), LIMIT, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_make_closure(rlx_vm *vm, rlx_str function,
                                                     const rlx_value *bound, uint32_t n,
                                                     rlx_closure **out, rlx_error *err);

/* Checks and keeps arguments for all |n| parameters of the function. rlx_vm_invoke of the name
   |saved|, without arguments, then calls the function with them. A later save of the same name
   replaces this one; the name of one of the executable's functions is an error (INVALID_ARG). Other
   errors: those of rlx_vm_invoke. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_save_function(rlx_vm *vm, rlx_str function, rlx_str saved,
                                                      const rlx_value *args, uint32_t n,
                                                      rlx_error *err);

/* The stateful interface, for callers that pass one value at a time. Inputs are kept until they are
   replaced, the output until the next rlx_vm_invoke_stateful of the function. Errors: those of
   rlx_vm_invoke, and INVALID_ARG without inputs. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_set_input(rlx_vm *vm, rlx_str function,
                                                  const rlx_value *args, uint32_t n,
                                                  rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_vm_invoke_stateful(rlx_vm *vm, rlx_str function,
                                                        rlx_error *err);
/* |path| holds an index for each level of nested tuples; n_path 0 gives the whole output. *out is
   retained for the caller. Errors: INVALID_ARG if the path does not exist, NOT_FOUND before an
   invocation. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_get_output(rlx_vm *vm, rlx_str function,
                                                   const uint32_t *path, uint32_t n_path,
                                                   rlx_value *out, rlx_error *err);
/* The number of items of the tuple at |path|; -1 if the value there is not a tuple. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_get_output_arity(rlx_vm *vm, rlx_str function,
                                                         const uint32_t *path, uint32_t n_path,
                                                         int32_t *out, rlx_error *err);

/* --- figures --------------------------------------------------------------------------------- */

typedef struct rlx_vm_stats {
    uint64_t live_bytes;      /* storage in use by the VM's objects now */
    uint64_t pool_bytes;      /* unused storage kept */
    uint64_t peak_bytes;      /* highest live_bytes since creation or reset */
    uint64_t allocator_calls; /* alloc calls since creation or reset */
    uint64_t instructions;    /* since creation or reset */
} rlx_vm_stats;

RLX_API void rlx_vm_get_stats(const rlx_vm *vm, rlx_vm_stats *out);
RLX_API void rlx_vm_reset_stats(rlx_vm *vm);
/* Returns all unused storage to the allocator, including the planned memory and the layouts cached
 * for earlier shapes. Without this call, a VM frees memory after every 16th call: storage that none
 * of the 16 used, and a block of planned or scratch memory that is larger than 1 MiB and than twice
 * what they needed. A steady state allocates nothing. */
RLX_API void rlx_vm_trim(rlx_vm *vm);

/* Waits until the devices that |vm| uses have finished all their queued work (rlx/device.h).
 * Errors: those of the devices. */
RLX_NODISCARD RLX_API rlx_status rlx_vm_sync(rlx_vm *vm, rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
