/* The basis of all other headers: status codes, strings, errors, data types, allocators.

   A function that can fail returns rlx_status and takes an rlx_error as its last parameter, which
   may be NULL. Outputs are written on success only. Nothing in the library aborts, exits, prints or
   keeps global mutable state.

   A pointer may be NULL only where its function says so, and an array only if its count is 0.
   Elsewhere NULL is an error (INVALID_ARG); a getter given NULL returns 0, false, NULL, RLX_NONE or
   an empty text.

   Verbs state ownership: create/destroy have one owner, retain/release count references,
   init/deinit use the caller's storage, get borrows. */
#ifndef RLX_BASE_H
#define RLX_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RLX_API __attribute__((visibility("default")))
#define RLX_NODISCARD __attribute__((warn_unused_result))
#define RLX_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define RLX_API
#define RLX_NODISCARD
#define RLX_PRINTF(text, first)
#endif

typedef enum rlx_status {
    RLX_OK = 0,
    RLX_E_NOMEM,          /* an allocation failed */
    RLX_E_INVALID_ARG,    /* a mistake of the caller: kinds, counts, ranges */
    RLX_E_INVALID_MODULE, /* a malformed file, assembly text or model */
    RLX_E_VERSION,        /* a file of a format this build does not read */
    RLX_E_SHAPE,          /* a value contradicts a signature, a shape or a type */
    RLX_E_NOT_FOUND,      /* an unknown function, kernel, builtin or file */
    RLX_E_KERNEL,         /* a kernel or a builtin reported failure */
    RLX_E_LIMIT,          /* a limit of the VM or of the format was reached */
    RLX_E_IO,             /* the operating system refused to read or write */
    RLX_E_CANCELLED,      /* the cancel flag was raised */
    RLX_E_INTERNAL,       /* a bug of rlx that some input reached: please report it */
    RLX_E_SIGNATURE,      /* a required signature is missing, of another key, or does not hold */
    RLX_E_DEVICE,         /* a fault of a device, or the device is lost */
} rlx_status;

/* A lower-case name such as "shape mismatch"; never NULL. */
RLX_API const char *rlx_status_name(rlx_status status);

/* Bytes with a length; not owned, not necessarily NUL-terminated. */
typedef struct rlx_str {
    const char *data;
    size_t len;
} rlx_str;

#define RLX_STR(literal) ((rlx_str){(literal), sizeof(literal) - 1})

RLX_API rlx_str rlx_str_from(const char *text); /* NULL gives the empty string */
RLX_API bool rlx_str_eq(rlx_str a, rlx_str b);

/* A location in a source file. Line 0 means unknown; column 0 means the whole line. */
typedef struct rlx_location {
    char file[96];
    uint32_t line, column;
} rlx_location;

/* |name| as text for messages: control characters as \n or \x1b, a backslash doubled; text longer
 * than |size| bytes (at least 8) ends in "...", cut between UTF-8 characters. Returns |buffer|. */
RLX_API const char *rlx_name_text(rlx_str name, char *buffer, size_t size);
/* True if |name| needs no quotes: it has only letters, digits, '_', '.', '/' and bytes above 127,
   at least one of them, and does not begin with a digit or '.'. */
RLX_API bool rlx_name_is_plain(rlx_str name);

/* What went wrong. It has a fixed size, so it works when memory runs out and needs no free. A
   message with a source location starts with it: "model.py:12:9: ...", or "model.onnx: node 'a'
   (Add): ..." where the column is 0. */
typedef struct rlx_error {
    rlx_status code;
    char message[400];
    rlx_location where;
} rlx_error;

/* Fills |err| (if not NULL) and returns |code|. Longer messages are cut. */
RLX_API rlx_status rlx_fail(rlx_error *err, rlx_status code, const char *format, ...)
    RLX_PRINTF(3, 4);
RLX_API rlx_status rlx_fail_v(rlx_error *err, rlx_status code, const char *format, va_list args)
    RLX_PRINTF(3, 0);
/* Puts "text" before the message that |err| holds. */
RLX_API void rlx_error_prefix(rlx_error *err, const char *format, ...) RLX_PRINTF(2, 3);

/* Leaves the calling function with the status of |call| unless that is RLX_OK. */
#define RLX_TRY(call)                       \
    do {                                    \
        rlx_status rlx_try_status = (call); \
        if (rlx_try_status != RLX_OK)       \
            return rlx_try_status;          \
    } while (0)

/* --- data types ------------------------------------------------------------------------------ */

/* The numbers are part of the file format and equal DLPack's (1.1). */
typedef enum rlx_type_code {
    RLX_INT = 0,
    RLX_UINT = 1,
    RLX_FLOAT = 2,
    RLX_HANDLE = 3,
    RLX_BFLOAT = 4,
    RLX_BOOL = 6,
    /* floating point in 8 bits; floats.h defines the codes */
    RLX_FLOAT8_E4M3FN = 10,
    RLX_FLOAT8_E4M3FNUZ = 11,
    RLX_FLOAT8_E5M2 = 12,
    RLX_FLOAT8_E5M2FNUZ = 13,
} rlx_type_code;

/* An element type; dtypes.def lists those that tensors have. bits is the width of one lane: 2 or 4
   for integers that share a byte, else 8, 16, 32 or 64. lanes is 1 for tensors. */
typedef struct rlx_dtype {
    uint8_t code, bits;
    uint16_t lanes;
} rlx_dtype;

#define RLX_DTYPE(c, b) ((rlx_dtype){(uint8_t)(c), (uint8_t)(b), 1})
#define RLX_F64 RLX_DTYPE(RLX_FLOAT, 64)
#define RLX_F32 RLX_DTYPE(RLX_FLOAT, 32)
#define RLX_F16 RLX_DTYPE(RLX_FLOAT, 16)
#define RLX_BF16 RLX_DTYPE(RLX_BFLOAT, 16)
#define RLX_I64 RLX_DTYPE(RLX_INT, 64)
#define RLX_I32 RLX_DTYPE(RLX_INT, 32)
#define RLX_I16 RLX_DTYPE(RLX_INT, 16)
#define RLX_I8 RLX_DTYPE(RLX_INT, 8)
#define RLX_U64 RLX_DTYPE(RLX_UINT, 64)
#define RLX_U32 RLX_DTYPE(RLX_UINT, 32)
#define RLX_U16 RLX_DTYPE(RLX_UINT, 16)
#define RLX_U8 RLX_DTYPE(RLX_UINT, 8)
#define RLX_B8 RLX_DTYPE(RLX_BOOL, 8)

static inline bool rlx_dtype_eq(rlx_dtype a, rlx_dtype b)
{
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/* Bytes of one element. 0 if elements are smaller than a byte or tensors cannot have type |t|. */
RLX_API size_t rlx_dtype_size(rlx_dtype t);
/* True if tensors can have elements of type |t|: lanes 1 and a valid width. */
RLX_API bool rlx_dtype_valid(rlx_dtype t);
/* True if |t| is floating point, with any number of lanes (rlx/floats.h). */
RLX_API bool rlx_dtype_is_float(rlx_dtype t);
/* True if tensors can have type |t| and its elements are smaller than a byte. */
RLX_API bool rlx_dtype_is_packed(rlx_dtype t);
/* TVM's spelling ("float32", "bool", "bfloat16"); |buffer| has at least 24 bytes. Returns it. */
RLX_API const char *rlx_dtype_name(rlx_dtype t, char *buffer);
/* The inverse of rlx_dtype_name; also takes f32, i64, u8, bf16. False if unknown. */
RLX_API bool rlx_dtype_parse(rlx_str text, rlx_dtype *out);

/* --- allocators ------------------------------------------------------------------------------ */

/* Where memory comes from. alloc returns NULL on failure; |align| is a power of two; |size| > 0.
   free gets the size and alignment that were passed to alloc. Both are called from any thread that
   uses the library's objects, so they must be thread-safe if the host shares objects between
   threads. */
typedef struct rlx_allocator {
    void *ctx;
    void *(*alloc)(void *ctx, size_t size, size_t align);
    void (*free)(void *ctx, void *p, size_t size, size_t align);
} rlx_allocator;

/* The library's default: mimalloc where it was built in, else libc. Never NULL. */
RLX_API const rlx_allocator *rlx_default_allocator(void);
/* |a| may be NULL: the default allocator. rlx_free ignores a NULL |p|. Size 0 counts as 1. */
RLX_API void *rlx_alloc(const rlx_allocator *a, size_t size, size_t align);
RLX_API void rlx_free(const rlx_allocator *a, void *p, size_t size, size_t align);

/* The version of the library, "0.1.0". */
RLX_API const char *rlx_version(void);

#ifdef __cplusplus
}
#endif

#endif
