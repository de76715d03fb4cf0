/* Functions that bytecode calls with values: builtins (a static table inside librlx) and packed
 * functions (registered by the host by name). Both have the same function type.

   Arguments are borrowed for the call. The function sets *out to a value whose reference the caller
   takes over (it is none before the call), or leaves it alone. On failure it fills |err| and
   returns a status other than RLX_OK. Create result objects with the constructors here, which use
   the VM's pool and respect its limits. Use everything here only on the VM's thread and only during
   the call. */
#ifndef RLX_BUILTIN_H
#define RLX_BUILTIN_H

#include <rlx/kernel.h>
#include <rlx/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_vm rlx_vm;
typedef struct rlx_call_context rlx_call_context;

typedef rlx_status (*rlx_packed_fn)(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                    rlx_value *out, rlx_error *err);

/* The result has memory of its own and never shares an argument's, so the compiler may reuse the
 * arguments' memory while the result lives. */
#define RLX_BUILTIN_FRESH 1u
/* As above if the result is a tensor; any other result may share parts with an argument. */
#define RLX_BUILTIN_FRESH_TENSOR 2u
/* The builtin reads no bytes of its arguments' tensors, so they may lie on any device. Other
 * builtins fail with DEVICE if the host cannot reach a tensor. */
#define RLX_BUILTIN_ANY_DEVICE 4u

/* One row of builtins/table.def. max_args < 0: any number from min_args. */
typedef struct rlx_builtin {
    const char *name;
    rlx_packed_fn fn;
    int32_t min_args, max_args;
    uint32_t flags; /* RLX_BUILTIN_... */
    const char *doc;
} rlx_builtin;

/* The table of this library: |*out_count| rows. Defined in builtins/. */
RLX_API const rlx_builtin *rlx_builtin_table(uint32_t *out_count);

RLX_API rlx_vm *rlx_call_vm(rlx_call_context *cc);
RLX_API void *rlx_call_user(rlx_call_context *cc); /* the pointer given at registration, or NULL */
/* Sends text to the VM's output callback; without one it is dropped. */
RLX_API void rlx_call_output(rlx_call_context *cc, rlx_str text);
/* Scratch memory and parallel loops, as for kernels. The scratch memory is freed when the builtin
 * returns. */
RLX_API rlx_kernel_context *rlx_call_kernel_context(rlx_call_context *cc);

/* Errors of the constructors: INVALID_ARG, SHAPE (invalid dimensions), LIMIT (max_bytes), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_call_alloc_tensor(rlx_call_context *cc, rlx_dtype dtype,
                                                       uint32_t ndim, const int64_t *dims,
                                                       rlx_tensor **out, rlx_error *err);
/* A copy of |from| on its device. Other errors: those of the device. */
RLX_NODISCARD RLX_API rlx_status rlx_call_copy_tensor(rlx_call_context *cc, const rlx_tensor *from,
                                                      rlx_tensor **out, rlx_error *err);
/* The matrix product x w on the device that holds both, computed by its vendor's library. |x| has
   at least two dimensions; |w| has two, or as many as |x| with the same batches. Errors: DEVICE
   (the tensors are on different devices, or the device has no library), SHAPE, NOT_FOUND (the
   library is not installed), LIMIT, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_call_product(rlx_call_context *cc, const rlx_tensor *x,
                                                  const rlx_tensor *w, rlx_tensor **out,
                                                  rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_call_alloc_storage(rlx_call_context *cc, size_t bytes,
                                                        size_t align, rlx_storage **out,
                                                        rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_call_storage_tensor(rlx_call_context *cc, rlx_storage *storage,
                                                         int64_t offset, rlx_dtype dtype,
                                                         uint32_t ndim, const int64_t *dims,
                                                         rlx_tensor **out, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_call_view(rlx_call_context *cc, rlx_tensor *base,
                                               uint32_t ndim, const int64_t *dims, rlx_tensor **out,
                                               rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_call_make_shape(rlx_call_context *cc, uint32_t n,
                                                     const int64_t *dims, rlx_shape **out,
                                                     rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_call_make_tuple(rlx_call_context *cc, uint32_t n,
                                                     const rlx_value *items, rlx_tuple **out,
                                                     rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_call_make_string(rlx_call_context *cc, rlx_str text,
                                                      rlx_string **out, rlx_error *err);

/* Calls back into the VM (counts against its frame limit). */
RLX_NODISCARD RLX_API rlx_status rlx_call_closure(rlx_call_context *cc, rlx_closure *closure,
                                                  const rlx_value *args, uint32_t n, rlx_value *out,
                                                  rlx_error *err);
/* Calls a packed function or builtin by name. */
RLX_NODISCARD RLX_API rlx_status rlx_call_packed(rlx_call_context *cc, rlx_str name,
                                                 const rlx_value *args, uint32_t n, rlx_value *out,
                                                 rlx_error *err);

/* Detaches |v| and everything it refers to from the VM, so that it may be kept beyond the call and
 * released on any thread. */
RLX_API void rlx_call_export(rlx_call_context *cc, rlx_value v);

#ifdef __cplusplus
}
#endif

#endif
