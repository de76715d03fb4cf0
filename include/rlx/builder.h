/* Writes executables: for compilers, the assembler and tests. No LLVM, no knowledge of models.

   Each call that adds to a table (expressions, types, constants, kernels, imports) returns an
   index; equal expressions, types, imports and scalar constants share one. Strings may be freed
   after the call that takes them. The output depends only on the sequence of calls: same calls,
   same bytes. The builder checks ranges; the verifier checks the rest when the result is loaded, so
   a compiler verifies its output with finish and load. Threads: one thread at a time. Errors:
   INVALID_ARG, LIMIT, NOMEM; after an error only destroy is valid. */
#ifndef RLX_BUILDER_H
#define RLX_BUILDER_H

#include <rlx/device.h>
#include <rlx/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* RLX_OP_CALL_KERNEL and so on; the operands are in rlx/opcodes.def. */
typedef enum rlx_opcode {
#define RLX_OP(number, NAME, name, operands, flags, doc) RLX_OP_##NAME = number,
#include <rlx/opcodes.def>
} rlx_opcode;

typedef struct rlx_opcode_info {
    rlx_opcode op;
    const char *name, *operands, *doc;
    uint32_t flags;
} rlx_opcode_info;

RLX_API const rlx_opcode_info *rlx_opcode_table(uint32_t *out_count);
RLX_API const rlx_opcode_info *rlx_opcode_find(uint32_t number); /* NULL if unknown */

/* An instruction of an executable, decoded by the operand letters of its opcode's row. */
#define RLX_MAX_OPERANDS 6u
typedef struct rlx_operand {
    char letter;
    uint32_t value;        /* single operands */
    const uint32_t *items; /* lists: |n| items, which live as long as the executable */
    uint32_t n;
} rlx_operand;

typedef struct rlx_instruction {
    rlx_opcode op;
    uint32_t n_words, n_operands;
    rlx_operand operands[RLX_MAX_OPERANDS];
} rlx_instruction;

/* The instruction of function |f| that starts at word |pc|; the next one starts at pc + n_words.
   False past the end of the code; |pc| must be the start of an instruction. */
RLX_API bool rlx_function_instruction(const rlx_executable *exe, uint32_t f, uint32_t pc,
                                      rlx_instruction *out);

typedef struct rlx_exec_builder rlx_exec_builder;

RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_create(const rlx_allocator *a,
                                                         rlx_exec_builder **out, rlx_error *err);
RLX_API void rlx_exec_builder_destroy(rlx_exec_builder *b); /* NULL is ignored */

/* --- tables ---------------------------------------------------------------------------------- */

RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_const_expr(rlx_exec_builder *b, int64_t value,
                                                             uint32_t *out, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_slot_expr(rlx_exec_builder *b, uint32_t slot,
                                                            uint32_t *out, rlx_error *err);
/* |c_| is used by SELECT only. Expressions are not simplified. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_expr(rlx_exec_builder *b, rlx_expr_op op,
                                                       uint32_t a, uint32_t b_, uint32_t c_,
                                                       uint32_t *out, rlx_error *err);
/* A type; its children and expressions must exist already. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_type(rlx_exec_builder *b,
                                                       const rlx_type_info *type, uint32_t *out,
                                                       rlx_error *err);

/* A none, int, float, bool, dtype, shape or string value. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_const_value(rlx_exec_builder *b, rlx_value v,
                                                              uint32_t *out, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_const_string(rlx_exec_builder *b, rlx_str text,
                                                               uint32_t *out, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_const_shape(rlx_exec_builder *b, uint32_t n,
                                                              const int64_t *dims, uint32_t *out,
                                                              rlx_error *err);
/* |items| are indices of earlier constants. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_const_tuple(rlx_exec_builder *b, uint32_t n,
                                                              const uint32_t *items, uint32_t *out,
                                                              rlx_error *err);
/* |data| is not copied: it must stay valid until the builder is destroyed. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_const_tensor(rlx_exec_builder *b, rlx_dtype dtype,
                                                               uint32_t ndim, const int64_t *dims,
                                                               const void *data, uint32_t *out,
                                                               rlx_error *err);

typedef struct rlx_kernel_param {
    uint32_t type; /* a tensor type with dtype and rank, where every dimension is an EXPR over the
                    * kernel's dims */
    bool is_output;
} rlx_kernel_param;

RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_kernel(rlx_exec_builder *b, rlx_str name,
                                                         rlx_str symbol, uint32_t n_dims,
                                                         const rlx_kernel_param *params,
                                                         uint32_t n_params, uint32_t *out,
                                                         rlx_error *err);
/* --- devices (rlx/device.h) ------------------------------------------------------------------- */

/* Equal rows share an index. The host itself, "cpu" 0 "global", has index 0; an empty scope is
 * "global". Kind and scope have at most 63 letters, digits and "_.-". */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_device(rlx_exec_builder *b,
                                                         const rlx_device_row *row, uint32_t *out,
                                                         rlx_error *err);
/* Gives row |device| another target. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_device_target(rlx_exec_builder *b,
                                                                uint32_t device, rlx_str target,
                                                                rlx_error *err);
/* Code for a kind of device: at least one image, from the best to the most general. A device uses
   the first one that it accepts. With one image and no launches it may also be a section for a
   loader of the host (rlx_registry_add_section). The bytes are copied. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_device_module(rlx_exec_builder *b, rlx_str kind,
                                                                const rlx_code_image *images,
                                                                uint32_t n, uint32_t *out,
                                                                rlx_error *err);
/* Makes |kernel| a kernel for devices: a call performs |launches| one after the other. |scratch|
 * gives the bytes of buffers on the device that live during the call, as expressions over the
 * kernel's dims. All tensors of a call must be on one device of the module's kind. A kernel has at
 * most RLX_MAX_SCRATCH scratch buffers, a launch at most RLX_MAX_LAUNCH_ARGS arguments. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_launches(rlx_exec_builder *b, uint32_t kernel,
                                                           uint32_t module, const uint32_t *scratch,
                                                           uint32_t n_scratch,
                                                           const rlx_launch_row *launches,
                                                           uint32_t n_launches, rlx_error *err);
/* Puts a region of the current function's memory plan on a device; without this call it is on the
 * host. |region| may be the number of the next region. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_region_device(rlx_exec_builder *b,
                                                                uint32_t region, uint32_t device,
                                                                rlx_error *err);

RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_import(rlx_exec_builder *b, rlx_str builtin,
                                                         uint32_t *out, rlx_error *err);
/* The ELF shared object with the kernels (copied), its triple and the CPU features that it needs
   ("avx2", "fma", as LLVM spells them). */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_native(rlx_exec_builder *b, rlx_str triple,
                                                         const rlx_str *features,
                                                         uint32_t n_features, const void *elf,
                                                         size_t size, rlx_error *err);
/* Makes |b|, which must be otherwise empty, a file for several CPU levels and appends |program| as
 * the next level. Levels go from the lowest to the highest, at most 8. |program| must be complete,
 * native section included, and is borrowed until |b| is destroyed. |name| is shown to users
 * ("x86-64-v3"); the triple and features are those of the native section. Constants that are equal
 * in two levels are stored once. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_level(rlx_exec_builder *b, rlx_str name,
                                                        rlx_exec_builder *program, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_metadata(rlx_exec_builder *b, rlx_str key,
                                                           rlx_str value, rlx_error *err);

/* --- functions ------------------------------------------------------------------------------- */

typedef struct rlx_param {
    rlx_str name;
    uint32_t type;
} rlx_param;

/* Declares a function before its code, so that calls can refer to its index. Every declared
 * function must be begun and ended once. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_declare(rlx_exec_builder *b, rlx_str name,
                                                          bool exported, uint32_t *out,
                                                          rlx_error *err);
/* Parameters are in registers 0..n_params-1, which must not be defined or killed; slots
   0..n_symbols-1 are bound by the parameters' types. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_begin(rlx_exec_builder *b, uint32_t function,
                                                        const rlx_param *params, uint32_t n_params,
                                                        uint32_t result_type, uint32_t n_symbols,
                                                        rlx_error *err);
/* The slot's name in messages; unnamed slots print as "s3". */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_slot_name(rlx_exec_builder *b, uint32_t slot,
                                                            rlx_str name, rlx_error *err);
/* The name of the current function's next result: the next field of the tuple that it returns, or
   its only result. May be empty. Loading refuses a function that names only some of its results. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_result_name(rlx_exec_builder *b, rlx_str name,
                                                              rlx_error *err);
/* The source location of the following instructions. |binding| may be empty. line 0: unknown.
 * column 0: |binding| names the location, such as "node 'MatMul_3' (MatMul)" of an ONNX model, and
 * messages show it instead of the line. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_location(rlx_exec_builder *b, rlx_str file,
                                                           uint32_t line, uint32_t column,
                                                           rlx_str binding, rlx_error *err);
/* The source location of parameter |param| of the current function, for messages about
   arguments. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_param_location(rlx_exec_builder *b,
                                                                 uint32_t param, rlx_str file,
                                                                 uint32_t line, uint32_t column,
                                                                 rlx_error *err);
/* A buffer of the current function's memory plan (rlx/plan.h). |size| is an expression: its bytes.
   The buffer is in use from here until rlx_exec_builder_buffer_end, or to the end of the
   function. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_buffer(rlx_exec_builder *b, uint32_t region,
                                                         uint32_t size, uint32_t *out,
                                                         rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_buffer_end(rlx_exec_builder *b, uint32_t buffer,
                                                             rlx_error *err);
/* As above with an explicit interval, |first| and |last| in words of code. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_stated_buffer(rlx_exec_builder *b,
                                                                const rlx_plan_buffer *buffer,
                                                                uint32_t *out, rlx_error *err);
/* A buffer of constant size in a layout, in use from |first| up to, not including, |last|. */
typedef struct rlx_plan_interval {
    uint32_t first, last;
    uint64_t bytes; /* a multiple of RLX_PLAN_ALIGN */
} rlx_plan_interval;
/* Called at the end of a function for each region whose sizes are all constant. |offsets| holds a
   layout of the |n| buffers, which the function may replace. Offsets must be multiples of
   RLX_PLAN_ALIGN, and buffers whose intervals overlap must not share bytes. */
typedef void (*rlx_plan_layout_fn)(void *user, const rlx_plan_interval *rows, uint32_t n,
                                   uint64_t *offsets);
/* NULL: keeps the library's own layouts. */
RLX_API void rlx_exec_builder_set_layout(rlx_exec_builder *b, rlx_plan_layout_fn layout,
                                         void *user);
/* The current state of a buffer of the current function; |last| is RLX_NONE before its end. False
 * if it does not exist. */
RLX_API bool rlx_exec_builder_buffer_at(const rlx_exec_builder *b, uint32_t buffer,
                                        rlx_plan_buffer *out);
/* Moves a buffer to an existing region, to |offset| there or to RLX_PLAN_AT_RUN_TIME. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_place_buffer(rlx_exec_builder *b, uint32_t buffer,
                                                               uint32_t region, uint64_t offset,
                                                               rlx_error *err);
/* A tensor at the start of |buffer|: |type| has a dtype, a rank, and an EXPR for each dim. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_plan_tensor(rlx_exec_builder *b, uint32_t buffer,
                                                              uint32_t type, uint32_t *out,
                                                              rlx_error *err);
/* Labels belong to the current function; a jump operand is a label. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_label(rlx_exec_builder *b, uint32_t *out,
                                                        rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_bind(rlx_exec_builder *b, uint32_t label,
                                                       rlx_error *err);
/* Adds one instruction. |operands| are in the order of the opcode's letters; a list is its count
   followed by its items. Registers and slots need no declaration: the largest one used determines
   their number. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_emit(rlx_exec_builder *b, rlx_opcode op,
                                                       const uint32_t *operands,
                                                       uint32_t n_operands, rlx_error *err);
/* A call_kernel instruction; packs the two lists. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_call_kernel(rlx_exec_builder *b, uint32_t kernel,
                                                              const uint32_t *dims, uint32_t n_dims,
                                                              const uint32_t *buffers,
                                                              uint32_t n_buffers, rlx_error *err);
/* call_builtin, call_packed, call_func, make_closure, call_closure: d, callee, list. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_call(rlx_exec_builder *b, rlx_opcode op,
                                                       uint32_t dst, uint32_t callee,
                                                       const uint32_t *args, uint32_t n_args,
                                                       rlx_error *err);
/* |dtype| packed as an operand. */
RLX_API uint32_t rlx_dtype_word(rlx_dtype dtype);
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_end(rlx_exec_builder *b, rlx_error *err);

/* --- weights in a file of their own (docs/weights.md) ------------------------------------------
 */

/* A tensor constant whose bytes are at |offset| in the weights, aligned to its element. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_const_weight(rlx_exec_builder *b, rlx_dtype dtype,
                                                               uint32_t ndim, const int64_t *dims,
                                                               uint64_t offset, uint32_t *out,
                                                               rlx_error *err);
typedef struct rlx_weight_place {
    uint64_t offset, nbytes;
} rlx_weight_place;
typedef struct rlx_weights {
    uint64_t size;      /* bytes of all weights */
    const void *header; /* the bytes before them in their file; a multiple of 64 */
    size_t header_size;
    /* An executable whose function "weights" takes tensors, named as in a weights file, and returns
       a tuple with the bytes for each of |places|. */
    const void *program;
    size_t program_size;
    const rlx_weight_place *places;
    uint32_t n;
} rlx_weights;
/* Copies |places| and |program|. rlx_exec_builder_save needs the file at PATH.safetensors. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_weights(rlx_exec_builder *b,
                                                          const rlx_weights *weights,
                                                          rlx_error *err);

/* How code and tables are compressed, in files where that matters for the size. NONE is for
 * libraries built without zstd. */
typedef enum rlx_compression {
    RLX_COMPRESSION_SMALL, /* the default: about a third of the size, 2 MB/s */
    RLX_COMPRESSION_FAST,  /* a twentieth larger, in an eighth of the time */
    RLX_COMPRESSION_NONE
} rlx_compression;
RLX_API void rlx_exec_builder_set_compression(rlx_exec_builder *b, rlx_compression compression);

/* --- result ---------------------------------------------------------------------------------- */

/* The file as bytes, allocated by the |a| given at creation; free with rlx_free(a, data, size,
   64). */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_finish(rlx_exec_builder *b, void **out_data,
                                                         size_t *out_size, rlx_error *err);
/* finish without compression, then rlx_executable_load_memory. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_load(rlx_exec_builder *b,
                                                       const rlx_load_options *options,
                                                       rlx_executable **out, rlx_error *err);

/* Writes a temporary file, loads and verifies it, and renames it to |path| as rlx_executable_save
 * does (a device or pipe is written directly). Constants are written directly from their memory, so
 * they need no second copy. */
RLX_NODISCARD RLX_API rlx_status rlx_exec_builder_save(rlx_exec_builder *b, const char *path,
                                                       rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
