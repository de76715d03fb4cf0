/* Values: the contents of registers, and the arguments and results of functions.

   A value is 16 bytes: a kind and either a number or a pointer to a reference-counted object.
   Objects are immutable except for the bytes of tensors. Constructors here take an allocator (NULL:
   the default); their objects may be used, kept and released on any thread. Objects that a VM makes
   during a call belong to that VM's thread until the call returns them; a packed function that
   keeps an argument beyond its call must first pass it to rlx_call_export.

   Tensors are always compact, row-major, with element-aligned data, in memory of the host or of a
   device (rlx/device.h). */
#ifndef RLX_VALUE_H
#define RLX_VALUE_H

#include <assert.h>
#include <rlx/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
typedef struct rlx_executable rlx_executable;

#define RLX_MAX_NDIM 16

typedef enum rlx_kind {
    RLX_KIND_NONE = 0,
    RLX_KIND_INT,
    RLX_KIND_FLOAT,
    RLX_KIND_BOOL,
    RLX_KIND_DTYPE,
    RLX_KIND_TENSOR, /* this one and those after it are objects */
    RLX_KIND_SHAPE,
    RLX_KIND_TUPLE,
    RLX_KIND_STRING,
    RLX_KIND_CLOSURE,
    RLX_KIND_STORAGE,
    RLX_KIND_OBJECT,
} rlx_kind;

typedef struct rlx_object rlx_object;
typedef struct rlx_tensor rlx_tensor;
typedef struct rlx_shape rlx_shape;
typedef struct rlx_tuple rlx_tuple;
typedef struct rlx_string rlx_string;
typedef struct rlx_closure rlx_closure;
typedef struct rlx_storage rlx_storage;
typedef struct rlx_opaque rlx_opaque;

typedef struct rlx_value {
    uint32_t kind; /* rlx_kind */
    uint32_t aux;  /* 0 */
    union {
        int64_t i; /* INT; BOOL as 0 or 1 */
        double f;
        rlx_dtype dtype;
        rlx_object *object;
        rlx_tensor *tensor;
        rlx_shape *shape;
        rlx_tuple *tuple;
        rlx_string *string;
        rlx_closure *closure;
        rlx_storage *storage;
        rlx_opaque *opaque;
    } as;
} rlx_value;

static_assert(sizeof(rlx_value) == 16, "registers are arrays of values: keep them two words");

static inline rlx_value rlx_none(void)
{
    return (rlx_value){0, 0, {0}};
}
static inline rlx_value rlx_int(int64_t i)
{
    return (rlx_value){RLX_KIND_INT, 0, {.i = i}};
}
static inline rlx_value rlx_float(double f)
{
    return (rlx_value){RLX_KIND_FLOAT, 0, {.f = f}};
}
static inline rlx_value rlx_bool(bool b)
{
    return (rlx_value){RLX_KIND_BOOL, 0, {.i = b}};
}
static inline rlx_value rlx_of_dtype(rlx_dtype t)
{
    return (rlx_value){RLX_KIND_DTYPE, 0, {.dtype = t}};
}
/* These take over the caller's reference. NULL becomes none. */
static inline rlx_value rlx_of_tensor(rlx_tensor *t)
{
    return t ? (rlx_value){RLX_KIND_TENSOR, 0, {.tensor = t}} : rlx_none();
}
static inline rlx_value rlx_of_shape(rlx_shape *s)
{
    return s ? (rlx_value){RLX_KIND_SHAPE, 0, {.shape = s}} : rlx_none();
}
static inline rlx_value rlx_of_tuple(rlx_tuple *t)
{
    return t ? (rlx_value){RLX_KIND_TUPLE, 0, {.tuple = t}} : rlx_none();
}
static inline rlx_value rlx_of_string(rlx_string *s)
{
    return s ? (rlx_value){RLX_KIND_STRING, 0, {.string = s}} : rlx_none();
}
static inline rlx_value rlx_of_closure(rlx_closure *c)
{
    return c ? (rlx_value){RLX_KIND_CLOSURE, 0, {.closure = c}} : rlx_none();
}
static inline rlx_value rlx_of_opaque(rlx_opaque *o)
{
    return o ? (rlx_value){RLX_KIND_OBJECT, 0, {.opaque = o}} : rlx_none();
}

/* "int", "tensor", ...; never NULL. */
RLX_API const char *rlx_kind_name(rlx_kind kind);

/* Adds a reference to the object of |v|, if it has one, and returns |v|. Threads: safe. */
RLX_API rlx_value rlx_value_retain(rlx_value v);
/* Drops a reference. Nested objects of any depth are released without recursion. Threads: see the
   head of this file. */
RLX_API void rlx_value_release(rlx_value v);
/* Releases |*v| and makes it none. */
RLX_API void rlx_value_clear(rlx_value *v);

/* --- tensors --------------------------------------------------------------------------------- */

/* A new tensor with undefined contents, aligned to 64 bytes. Dimensions may be 0. Errors:
   INVALID_ARG (dtype), SHAPE (a negative dimension), LIMIT (rank, or the size overflows), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_create(const rlx_allocator *a, rlx_dtype dtype,
                                                   uint32_t ndim, const int64_t *dims,
                                                   rlx_tensor **out, rlx_error *err);

/* A tensor over the host's memory, which must stay valid until |release| is called: once, when the
 * last reference is dropped. |release| may be NULL. |data| must be element-aligned, else
 * INVALID_ARG. Other errors are those of rlx_tensor_create. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_wrap(const rlx_allocator *a, rlx_dtype dtype,
                                                 uint32_t ndim, const int64_t *dims, void *data,
                                                 void (*release)(void *user, void *data),
                                                 void *user, rlx_tensor **out, rlx_error *err);

/* A tensor with the same bytes and another shape with the same number of elements. It keeps the
   storage alive. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_view(const rlx_allocator *a, rlx_tensor *base,
                                                 uint32_t ndim, const int64_t *dims,
                                                 rlx_tensor **out, rlx_error *err);

RLX_API rlx_dtype rlx_tensor_dtype(const rlx_tensor *t);
RLX_API uint32_t rlx_tensor_ndim(const rlx_tensor *t);
RLX_API const int64_t *rlx_tensor_dims(const rlx_tensor *t); /* ndim entries */
RLX_API int64_t rlx_tensor_numel(const rlx_tensor *t);
RLX_API size_t rlx_tensor_nbytes(const rlx_tensor *t);
/* NULL if the bytes are a device's, out of the host's reach. */
RLX_API const void *rlx_tensor_data(const rlx_tensor *t);
/* NULL also if the tensor is a constant of an executable: such bytes are read-only memory. */
RLX_API void *rlx_tensor_mutable_data(rlx_tensor *t);
/* True if both tensors lie in the same storage (views of each other), whatever their offsets. */
RLX_API bool rlx_tensor_same_storage(const rlx_tensor *a, const rlx_tensor *b);

/* --- DLPack (vm/dlpack.c is the one place that maps its types) -------------------------------- */

/* Takes over |m|: its deleter runs when the last reference is dropped, or at once if the data had
 * to be copied; on error |m| stays the caller's. No copy is made if the tensor is compact,
 * row-major,
   element-aligned and on the CPU; other strides are copied to compact form, and |out_copied| (may
   be NULL) says so. |as_dtype|, if not NULL, reinterprets a type of the same width: DLPack 0.6 has
   no bool, so bool tensors travel as uint8.
   Errors: INVALID_ARG (device, type, rank, NULL data), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_from_dlpack(const rlx_allocator *a,
                                                        struct DLManagedTensor *m,
                                                        const rlx_dtype *as_dtype, rlx_tensor **out,
                                                        bool *out_copied, rlx_error *err);
/* A managed tensor that shares the bytes of |t| and keeps a reference to it until the deleter runs.
   The bytes of an executable's constant are copied, since DLPack cannot say "read-only". */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_to_dlpack(const rlx_allocator *a, rlx_tensor *t,
                                                      struct DLManagedTensor **out, rlx_error *err);

/* --- shapes, tuples, strings, objects -------------------------------------------------------- */

/* Shapes also serve as lists of integers: |n| may exceed RLX_MAX_NDIM, and a dimension may be
   negative. Code that makes a tensor from a shape checks both. */
RLX_NODISCARD RLX_API rlx_status rlx_shape_create(const rlx_allocator *a, uint32_t n,
                                                  const int64_t *dims, rlx_shape **out,
                                                  rlx_error *err);
RLX_API uint32_t rlx_shape_ndim(const rlx_shape *s);
RLX_API const int64_t *rlx_shape_dims(const rlx_shape *s);

/* Retains the items. */
RLX_NODISCARD RLX_API rlx_status rlx_tuple_create(const rlx_allocator *a, uint32_t n,
                                                  const rlx_value *items, rlx_tuple **out,
                                                  rlx_error *err);
RLX_API uint32_t rlx_tuple_count(const rlx_tuple *t);
RLX_API rlx_value rlx_tuple_get(const rlx_tuple *t, uint32_t i); /* borrowed; none past the end */

/* Copies the bytes and puts a NUL after them. */
RLX_NODISCARD RLX_API rlx_status rlx_string_create(const rlx_allocator *a, rlx_str text,
                                                   rlx_string **out, rlx_error *err);
RLX_API rlx_str rlx_string_get(const rlx_string *s);

/* A host pointer. |tag| identifies its owner and is compared by address. |destroy| (may be NULL)
 * runs when the last reference is dropped. */
RLX_NODISCARD RLX_API rlx_status rlx_opaque_create(const rlx_allocator *a, const char *tag,
                                                   void *pointer, void (*destroy)(void *pointer),
                                                   rlx_opaque **out, rlx_error *err);
RLX_API void *rlx_opaque_get(const rlx_opaque *o, const char *tag); /* NULL if the tag differs */

/* --- closures (made by make_closure, rlx_vm_make_closure, rlx_vm_save_function) ----------------
 */

RLX_API uint32_t rlx_closure_function(const rlx_closure *c); /* index in its executable */
RLX_API uint32_t rlx_closure_captured(const rlx_closure *c); /* number of bound values */

#ifdef __cplusplus
}
#endif

#endif
