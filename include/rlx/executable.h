/* Executables: immutable, reference-counted, shared between threads.

   Loading always verifies: the bytecode of a loaded executable cannot crash the process. Constants
   are mapped from the file and used in place, so a loaded file must not be truncated; replace it by
   renaming a new one, as rlx_executable_save does. Everything else is copied. Strings and views
   returned by the getters below live as long as the executable. */
#ifndef RLX_EXECUTABLE_H
#define RLX_EXECUTABLE_H

#include <rlx/file.h>
#include <rlx/sign.h>
#include <rlx/value.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RLX_FORMAT_MAJOR 1
#define RLX_FORMAT_MINOR 6
#define RLX_NONE UINT32_MAX
#define RLX_MAX_LEVELS 8u /* CPU levels in one file */

typedef struct rlx_named_tensor {
    const char *name;
    rlx_tensor *tensor;
} rlx_named_tensor;

typedef struct rlx_load_options {
    const rlx_allocator *allocator; /* NULL: the default */
    /* Allow the file to run its machine code and its device code, which may be as dangerous. This
     * is as safe as loading any shared library. If false, the file also cannot make a VM open a
     * device that needs a driver ("opencl", "cuda"). */
    bool trust_native;
    /* Also write the machine code to this file, so that perf can read the names of kernels from it.
     * An existing file is replaced; the path of the loaded file is an error (INVALID_ARG). NULL:
     * the code stays in memory. */
    const char *native_file;
    /* Read the constants of a file into memory of |allocator|, in huge pages where the system has
       them, instead of mapping them. Loading takes longer and processes share nothing, but calls
       that read all weights for a few rows are faster: few file systems provide huge pages. */
    bool huge_pages;
    /* The file must be signed (rlx/sign.h) with one of |keys|. If not, loading fails with SIGNATURE
       before any part of the file is decoded or run. This applies if any of the three fields is
       set: an empty list of keys is an error (INVALID_ARG), not "no signature needed". The whole
       file, constants included, is read into memory of |allocator| instead of being mapped, and
       hashed, so the checked bytes are the used bytes and later changes to the file have no effect.
       The keys are needed only during the call. */
    bool require_signature;
    const rlx_public_key *keys;
    uint32_t n_keys;
    /* The level to load from a file for several CPU levels, counted from 1. 0: the last one that
     * this machine can run; if it can run none, the first one without trust_native, for inspection
     * only, else the error VERSION. */
    uint32_t level;
    /* The weights file (safetensors) of an executable whose weights lie in a file of their own
     * (docs/weights.md). NULL: PATH.safetensors for the executable PATH. The weights file that was
     * made with the executable is mapped. In any other file the tensors are found by name and must
     * have the types of the weights that the executable was compiled with; code in the executable
     * converts them to the form that its kernels read, which needs trust_native. Naming a file for
     * an executable without such a file is an error (INVALID_ARG). */
    const char *weights;
    /* The host's tensors to use instead of the weights file, if n_tensors is not 0; needed only
       during the call. */
    const rlx_named_tensor *tensors;
    uint32_t n_tensors;
} rlx_load_options;

/* |options| may be NULL. Errors: IO, INVALID_ARG, INVALID_MODULE, VERSION, NOT_FOUND (a file; a
   builtin this library does not have; weights), LIMIT, NOMEM, SIGNATURE; if weights must be
   converted, also the errors of a call (rlx/vm.h). */
RLX_NODISCARD RLX_API rlx_status rlx_executable_load_file(const char *path,
                                                          const rlx_load_options *options,
                                                          rlx_executable **out, rlx_error *err);
/* Copies the bytes. */
RLX_NODISCARD RLX_API rlx_status rlx_executable_load_memory(const void *data, size_t size,
                                                            const rlx_load_options *options,
                                                            rlx_executable **out, rlx_error *err);
RLX_API rlx_executable *rlx_executable_retain(rlx_executable *exe);
RLX_API void rlx_executable_release(rlx_executable *exe); /* NULL is ignored */

/* Writes the same bytes that were loaded, as rlx_write_file does. Errors: IO, NOT_FOUND, NOMEM,
   CANCELLED. */
RLX_NODISCARD RLX_API rlx_status rlx_executable_save(const rlx_executable *exe, const char *path,
                                                     rlx_error *err);
/* Checks the checksum of the constants; loading has checked all others. Errors: INVALID_MODULE. */
RLX_NODISCARD RLX_API rlx_status rlx_executable_verify_constants(const rlx_executable *exe,
                                                                 rlx_error *err);
RLX_API uint64_t rlx_executable_size(const rlx_executable *exe); /* bytes of the file */
/* The key that the file claims to be signed with; false if it has no signature. Anyone can write a
 * key's name: |*out_checked| is true only if loading required and checked the signature. Both
   may be NULL. */
RLX_API bool rlx_executable_signer(const rlx_executable *exe, rlx_public_key *out,
                                   bool *out_checked);

/* --- CPU levels ------------------------------------------------------------------------------- */

/* A program in a file for several CPU levels; |features| as LLVM spells them: "avx,avx2". */
typedef struct rlx_level_info {
    rlx_str name, triple, features;
    bool runs; /* here: this machine has what the kernels need */
} rlx_level_info;

/* The number of levels. 0: the file has one program, and rlx_executable_native states what it
 * needs. The functions below describe the loaded level. */
RLX_API uint32_t rlx_executable_level_count(const rlx_executable *exe);
/* The loaded level, from 1; 0 if the file has none. */
RLX_API uint32_t rlx_executable_level(const rlx_executable *exe);
/* |level| from 1; false if it is out of range. */
RLX_API bool rlx_executable_level_info(const rlx_executable *exe, uint32_t level,
                                       rlx_level_info *out);

/* --- functions ------------------------------------------------------------------------------- */

typedef struct rlx_function_info {
    rlx_str name;
    bool exported; /* callable by name from the host */
    uint32_t n_params, n_registers, n_slots;
    uint32_t n_symbols;   /* slots 0..n_symbols-1 are the symbols of the signature */
    uint32_t result_type; /* index in the type table */
    uint32_t n_words;     /* of code */
} rlx_function_info;

RLX_API uint32_t rlx_executable_function_count(const rlx_executable *exe);
/* False if |f| is out of range. */
RLX_API bool rlx_executable_function(const rlx_executable *exe, uint32_t f, rlx_function_info *out);
/* RLX_NONE if there is none of that name, exported or not. */
RLX_API uint32_t rlx_executable_find_function(const rlx_executable *exe, rlx_str name);
/* Names may be any UTF-8 text without NUL, of any length: to show one, use rlx_name_text. */
RLX_API rlx_str rlx_function_param_name(const rlx_executable *exe, uint32_t f, uint32_t param);
RLX_API uint32_t rlx_function_param_type(const rlx_executable *exe, uint32_t f, uint32_t param);
/* The number of results: the fields of the tuple that the function returns, else 1. */
RLX_API uint32_t rlx_function_result_count(const rlx_executable *exe, uint32_t f);
/* The name of a result in the model: an ONNX graph's output, or the variable that a Relax function
 * returns. Empty if the file has none. Two results may have the same name. */
RLX_API rlx_str rlx_function_result_name(const rlx_executable *exe, uint32_t f, uint32_t result);
/* The name of a dimension (slot 0..n_symbols-1 of the signature) in the model; empty if the file
 * has none. Two dimensions may have the same name. */
RLX_API rlx_str rlx_function_dim_name(const rlx_executable *exe, uint32_t f, uint32_t slot);
/* The symbol's name, or "s3" if the file has none; written to |buffer|, which is returned. */
RLX_API const char *rlx_function_slot_name(const rlx_executable *exe, uint32_t f, uint32_t slot,
                                           char *buffer, size_t size);
/* The signature as text, cut to |size|: "main(x: Tensor((n, 4), float32), k: Prim(int64)) ->
   Tensor((n,), float32)". */
RLX_API const char *rlx_function_signature(const rlx_executable *exe, uint32_t f, char *buffer,
                                           size_t size);
/* The source location of the instruction at |pc|; false if the file has none. |out_name| (may be
   NULL) gets the name of the binding. */
RLX_API bool rlx_function_location(const rlx_executable *exe, uint32_t f, uint32_t pc,
                                   rlx_location *out, rlx_str *out_name);

/* --- types and expressions ------------------------------------------------------------------- */

/* Numbers are file format. */
typedef enum rlx_type_kind {
    RLX_TYPE_OBJECT = 0,
    RLX_TYPE_PRIM,
    RLX_TYPE_SHAPE,
    RLX_TYPE_TENSOR,
    RLX_TYPE_TUPLE,
    RLX_TYPE_CALLABLE,
} rlx_type_kind;

typedef enum rlx_dim_kind {
    RLX_DIM_ANY = 0,
    RLX_DIM_BIND, /* slot |index| := the dimension */
    RLX_DIM_EXPR, /* the dimension must equal expression |index| */
} rlx_dim_kind;

typedef struct rlx_dim {
    uint32_t kind, index;
} rlx_dim;

/* A tensor type without a dtype has dtype.bits 0. rank_known false: any rank, no dims. A prim type
   has n_dims 0, or 1 if the value is bound or checked. */
typedef struct rlx_type_info {
    rlx_type_kind kind;
    rlx_dtype dtype;
    bool rank_known;
    uint32_t n_dims;
    const rlx_dim *dims;
    uint32_t n_children; /* tuple */
    const uint32_t *children;
} rlx_type_info;

/* Numbers are file format. Comparisons give 0 or 1. */
typedef enum rlx_expr_op {
    RLX_EXPR_CONST = 0,
    RLX_EXPR_SLOT,
    RLX_EXPR_ADD,
    RLX_EXPR_SUB,
    RLX_EXPR_MUL,
    RLX_EXPR_FLOORDIV,
    RLX_EXPR_FLOORMOD,
    RLX_EXPR_MIN,
    RLX_EXPR_MAX,
    RLX_EXPR_EQ,
    RLX_EXPR_NE,
    RLX_EXPR_LT,
    RLX_EXPR_LE,
    RLX_EXPR_SELECT, /* a != 0 ? b : c; only the chosen side is evaluated */
} rlx_expr_op;

typedef struct rlx_expr_info {
    rlx_expr_op op;
    int64_t value;    /* CONST */
    uint32_t a, b, c; /* SLOT: a is the slot; else operands, indices of earlier expressions */
} rlx_expr_info;

RLX_API uint32_t rlx_executable_type_count(const rlx_executable *exe);
RLX_API bool rlx_executable_type(const rlx_executable *exe, uint32_t type, rlx_type_info *out);
RLX_API uint32_t rlx_executable_expr_count(const rlx_executable *exe);
RLX_API bool rlx_executable_expr(const rlx_executable *exe, uint32_t expr, rlx_expr_info *out);
/* Evaluates with slot values given by the caller. Errors: SHAPE on overflow or division by zero,
   INVALID_ARG if the expression needs a slot past |n_slots|. */
RLX_NODISCARD RLX_API rlx_status rlx_executable_eval(const rlx_executable *exe, uint32_t expr,
                                                     const int64_t *slots, uint32_t n_slots,
                                                     int64_t *out, rlx_error *err);
/* "Tensor((n, 4), float32)" with the slot names of function |f| (RLX_NONE: "s0"); cut to |size|. */
RLX_API const char *rlx_type_text(const rlx_executable *exe, uint32_t f, uint32_t type,
                                  char *buffer, size_t size);
RLX_API const char *rlx_expr_text(const rlx_executable *exe, uint32_t f, uint32_t expr,
                                  char *buffer, size_t size);

/* --- devices (rlx/device.h) ------------------------------------------------------------------- */

/* A device that the program uses. Row 0 is the host itself: its strings are empty. |target| is
 * informative: "opencl -max_threads_per_block=256". */
typedef struct rlx_device_row {
    rlx_str kind; /* "cpu", "opencl", "cuda" or a host program's */
    uint32_t id;
    rlx_str scope; /* of its memory: "global" */
    rlx_str target;
} rlx_device_row;
RLX_API uint32_t rlx_executable_device_count(const rlx_executable *exe); /* at least 1 */
RLX_API bool rlx_executable_device(const rlx_executable *exe, uint32_t device, rlx_device_row *out);

/* Code for a kind of device; |format| as for rlx_device_api.load. */
typedef struct rlx_code_image {
    rlx_str format;
    const void *data;
    size_t size;
} rlx_code_image;
typedef struct rlx_device_module_info {
    rlx_str kind;
    uint32_t n_images; /* from the best to the most general */
} rlx_device_module_info;
RLX_API uint32_t rlx_executable_device_module_count(const rlx_executable *exe);
RLX_API bool rlx_executable_device_module(const rlx_executable *exe, uint32_t module,
                                          rlx_device_module_info *out);
RLX_API bool rlx_executable_code_image(const rlx_executable *exe, uint32_t module, uint32_t image,
                                       rlx_code_image *out);

/* Numbers are file format. */
typedef enum rlx_launch_source {
    RLX_LAUNCH_PARAM = 0, /* the tensor parameter |value| of the kernel */
    RLX_LAUNCH_SCRATCH,   /* the scratch buffer |value| of the kernel */
    RLX_LAUNCH_EXPR,      /* the expression |value| over the kernel's dims, as |type| */
    RLX_LAUNCH_CHECKS     /* memory for failed checks: three int64 for each line of the launch's
                           * |checks|. A failed check sets the first to a nonzero value and the
                           * others to the numbers in its message */
} rlx_launch_source;
#define RLX_MAX_LAUNCH_ARGS 1024u
#define RLX_MAX_SCRATCH 1024u /* buffers of a kernel */
#define RLX_MAX_CHECKS 4096u  /* lines of its launches */
typedef struct rlx_launch_row_arg {
    uint32_t source; /* rlx_launch_source */
    uint32_t type;   /* rlx_launch_arg_kind; RLX_LAUNCH_BUFFER for all but EXPR. Floats: the
                      * expression is the bits of a float64, as dims are */
    uint32_t value;
} rlx_launch_row_arg;
typedef struct rlx_launch_row {
    rlx_str function;           /* in the module */
    uint32_t grid[3], block[3]; /* expressions over the kernel's dims; a grid with a 0 (or less) is
                                 * skipped */
    uint32_t shared;            /* expression: bytes of shared memory sized at the launch */
    const rlx_launch_row_arg *args;
    uint32_t n_args;
    rlx_str checks; /* the messages of the checks, one a line; {a} and {b} stand for the numbers.
                     * Empty if no argument is RLX_LAUNCH_CHECKS */
} rlx_launch_row;
/* Launch |i| of a kernel for a device (rlx_kernel_info); false if it is out of range. */
RLX_API bool rlx_executable_kernel_launch(const rlx_executable *exe, uint32_t k, uint32_t i,
                                          rlx_launch_row *out);
/* The expression for the bytes of scratch buffer |i| of a kernel for a device; else RLX_NONE. */
RLX_API uint32_t rlx_executable_kernel_scratch(const rlx_executable *exe, uint32_t k, uint32_t i);

/* --- kernels, constants, imports, metadata --------------------------------------------------- */

typedef struct rlx_kernel_info {
    rlx_str name;
    rlx_str symbol;    /* in the native section or the host's kernel table */
    uint32_t n_dims;   /* slot k in the types of its buffers is dims[k] */
    uint32_t n_params; /* tensors */
    bool resolved;     /* the native section was loaded and has it */
    uint32_t module;   /* of a kernel for a device: its code; RLX_NONE: a kernel for the host */
    uint32_t n_scratch, n_launches; /* of a call, on a device */
} rlx_kernel_info;

RLX_API uint32_t rlx_executable_kernel_count(const rlx_executable *exe);
RLX_API bool rlx_executable_kernel(const rlx_executable *exe, uint32_t k, rlx_kernel_info *out);
RLX_API bool rlx_executable_kernel_param(const rlx_executable *exe, uint32_t k, uint32_t param,
                                         uint32_t *out_type, bool *out_is_output);
/* The native section: its target triple, CPU features and size in bytes; false if there is none. */
RLX_API bool rlx_executable_native(const rlx_executable *exe, rlx_str *out_triple,
                                   uint32_t *out_n_features, const void **out_elf,
                                   size_t *out_size);
RLX_API rlx_str rlx_executable_native_feature(const rlx_executable *exe, uint32_t i);

RLX_API uint32_t rlx_executable_constant_count(const rlx_executable *exe);
RLX_API rlx_value rlx_executable_constant(const rlx_executable *exe, uint32_t c); /* borrowed */
RLX_API uint32_t rlx_executable_import_count(const rlx_executable *exe);
RLX_API rlx_str rlx_executable_import(const rlx_executable *exe, uint32_t i);
RLX_API uint32_t rlx_executable_metadata_count(const rlx_executable *exe);
RLX_API bool rlx_executable_metadata(const rlx_executable *exe, uint32_t i, rlx_str *out_key,
                                     rlx_str *out_value);

#ifdef __cplusplus
}
#endif

#endif
