/* The executable in memory (private to vm/): tables decoded from the file, immutable after load
   but for |copies|, which have a lock.

   All tables live in one arena. Code is decoded to host words. Expressions and types refer to
   earlier rows only; their depth and tree size are bounded at load, so that walking them may
   recurse and costs a bounded time. */
#ifndef RLXV_EXEC_H
#define RLXV_EXEC_H

#include "vm/arena.h"
#include "vm/lock.h"
#include "vm/object.h"
#include "vm/plan.h"

#include <rlx/builder.h>
#include <rlx/builtin.h>
#include <rlx/executable.h>

/* Limits of a file's contents, shared by builder and loader. */
#define RLXV_MAX_EXPR_DEPTH 128u
#define RLXV_MAX_EXPR_SIZE 4096u
#define RLXV_MAX_TYPE_DEPTH 32u
#define RLXV_MAX_TYPE_SIZE (1u << 16)
#define RLXV_MAX_REGISTERS (1u << 20)
#define RLXV_MAX_SLOTS (1u << 20)
#define RLXV_MAX_INSTRUCTION_WORDS 65535u
#define RLXV_MAX_ALIGN 4096u
#define RLXV_MAX_DEVICES 256u
#define RLXV_MAX_DEVICE_WORD 63u /* bytes of a device's kind and scope */

typedef struct rlxv_expr {
    rlx_expr_op op;
    uint32_t a, b, c;
    int64_t value;
    uint32_t depth, size;
    uint32_t slots; /* one more than the highest slot used */
} rlxv_expr;

/* A dimension pattern, with separate kinds for the two cheap expressions. */
typedef enum rlxv_dim_kind {
    RLXV_DIM_ANY,
    RLXV_DIM_BIND,  /* slot index := dimension */
    RLXV_DIM_CONST, /* value */
    RLXV_DIM_SLOT,  /* slot index */
    RLXV_DIM_EXPR,  /* expression index */
} rlxv_dim_kind;

typedef struct rlxv_dim {
    uint32_t kind, index;
    int64_t value;
} rlxv_dim;

typedef struct rlxv_type {
    rlx_type_kind kind;
    rlx_dtype dtype; /* bits 0: any */
    bool rank_known;
    uint32_t n_dims, n_children;
    const rlxv_dim *dims;
    const rlx_dim *raw_dims; /* as in the file */
    const uint32_t *children;
    uint32_t depth, size;
    uint32_t slots;  /* one more than the highest slot bound or checked */
    bool has_checks; /* a dimension here or below is compared */
} rlxv_type;

typedef struct rlxv_kernel_param {
    uint32_t type;
    rlx_dtype dtype;
    uint32_t n_dims;
    bool is_output;
    const rlxv_dim *dims;
} rlxv_kernel_param;

typedef struct rlxv_launch {            /* strings and arrays in the arena */
    const char *function;               /* NUL-terminated */
    uint32_t grid[3], block[3], shared; /* expressions over the kernel's dims */
    const rlx_launch_row_arg *args;
    uint32_t n_args, first_check; /* of the kernel's */
    rlx_str checks;
} rlxv_launch;

/* launch.c: how many checks |lines| states. */
uint32_t rlxv_count_checks(rlx_str lines);

typedef struct rlxv_kernel {
    rlx_str name, symbol;
    uint32_t n_dims, n_params;
    const rlxv_kernel_param *params;
    rlx_kernel_fn fn; /* from the native section; NULL: looked up by the VM */
    /* Of a device; module RLX_NONE: of the host. */
    uint32_t module, n_scratch, n_launches, n_checks;
    const uint32_t *scratch; /* expressions over the dims: bytes */
    const rlxv_launch *launches;
} rlxv_kernel;

/* Code for a kind of device: the images from the best to the most general. */
typedef struct rlxv_device_module {
    rlx_str kind;
    uint32_t n_images;
    const rlx_code_image *images; /* bytes in the file's head */
} rlxv_device_module;

typedef struct rlxv_debug_row {
    uint32_t pc, line, column;
    rlx_str file, name;
} rlxv_debug_row;

typedef struct rlxv_slot_name {
    uint32_t slot;
    rlx_str name;
} rlxv_slot_name;

typedef struct rlxv_function {
    rlx_str name;
    bool exported;
    uint32_t n_params, n_registers, n_slots, n_symbols;
    rlx_param *params;
    uint32_t result_type;
    const uint32_t *code;
    uint32_t code_offset, n_words;
    uint32_t n_slot_names, n_debug;
    rlxv_slot_name *slot_names;    /* by slot */
    rlxv_debug_row *debug;         /* by pc */
    rlx_str *result_names;         /* rlxv_n_results of them; NULL: the file has none */
    uint32_t max_values, max_dims; /* longest R and S list: sizes of the frame's gather areas */
    rlxv_plan plan;
} rlxv_function;

typedef struct rlxv_native {
    bool present;
    rlx_str triple;
    uint32_t n_features;
    rlx_str *features;
    const uint8_t *elf;
    size_t size;
    void *handle; /* of dlopen; RLX_BARE: the code's memory */
#if RLX_BARE
    size_t bytes; /* of that */
#else
    int fd; /* open while handle is */
#endif
} rlxv_native;

/* A row of the constant table, kept for the disassembler. */
typedef struct rlxv_constant {
    rlx_value value;
    uint32_t n_items; /* tuple: rows of its items */
    const uint32_t *items;
} rlxv_constant;

#define RLXV_SCOPE 64 /* bytes of a scope's name, with its NUL */

typedef struct rlxv_copies rlxv_copies;

struct rlx_executable {
    atomic_uint refs;
    rlxv_arena arena;
    rlx_allocator allocator;

    uint8_t *head; /* the file without the data section */
    size_t head_size;
    rlx_storage *data;    /* the data section: mapped or copied; NULL if there is none */
    rlx_storage *weights; /* constants in a file of their own (load_weights.c); or NULL */
    uint64_t data_offset, data_size, data_checksum;
    uint64_t total_size;

    uint32_t n_strings, n_exprs, n_types, n_constants, n_kernels, n_imports, n_functions;
    uint32_t n_metadata, n_words, n_regions;
    rlx_str *strings;
    rlxv_expr *exprs;
    rlxv_type *types;
    rlxv_constant *constants;
    rlxv_kernel *kernels;
    rlx_str *imports;
    const rlx_builtin **builtins;
    rlxv_function *functions;
    uint32_t *function_hash; /* index + 1 by name, open addressing */
    uint32_t function_hash_size;
    uint32_t *code;
    rlx_str *metadata; /* key, value, key, value, ... */
    rlxv_native native;
    rlx_device_row *devices; /* row 0 is the host: its strings are empty; others NUL-terminated */
    uint32_t n_devices;      /* at least 1 */
    rlxv_device_module *modules;
    uint32_t n_modules;
    rlxv_copies *copies; /* of constants, which VMs share (vm_constants.c) */
    rlxv_lock copies_lock;
    bool trusts_code;       /* code in the file may run (rlx_load_options.trust_native) */
    rlx_level_info *levels; /* n_levels; |runs| is not filled */
    uint32_t n_levels, level;
    struct {
        bool present, checked;
        rlx_public_key key;
    } signature;
};

/* load.c: takes over |head| and |data| (both freed with the executable, also on error);
   |options| may be NULL. */
rlx_status rlxv_load(const rlx_allocator *a, uint8_t *head, size_t head_size, rlx_storage *data,
                     uint64_t total_size, const rlx_load_options *options, rlx_executable **out,
                     rlx_error *err);
/* image.c: a file of |head| and |exe|'s constants. */
rlx_status rlxv_write_image(const rlx_executable *exe, const uint8_t *head, size_t head_size,
                            const char *path, rlx_error *err);
/* load_devices.c: true if |word| can be the kind of a device, or a scope. */
bool rlxv_is_device_word(rlx_str word);
/* True if the row is the host itself, which has index 0 and is not stored. */
bool rlxv_is_host_row(const rlx_device_row *row);
/* info.c: the fields of the tuple that |fn| returns, or its one result. */
uint32_t rlxv_n_results(const rlx_executable *exe, const rlxv_function *fn);
/* verify.c */
rlx_status rlxv_verify(rlx_executable *exe, rlx_error *err);
/* flow.c: definite assignment and kill discipline of one function whose instructions are valid. */
rlx_status rlxv_verify_flow(const rlx_executable *exe, const rlxv_function *fn,
                            const uint32_t *block_of, uint32_t n_blocks, rlx_error *err);

/* plan_layout.c: values of the region's expressions, sizes (rounded) by buffer of the region. */
rlx_status rlxv_layout_sizes(const rlx_executable *exe, const rlxv_function *fn,
                             const rlxv_region *r, const int64_t *slots, int64_t *values,
                             uint64_t *sizes, rlx_error *err);
/* The values, then offsets by buffer of the region. */
rlx_status rlxv_layout_compute(const rlx_allocator *a, const rlx_executable *exe,
                               const rlxv_function *fn, const rlxv_region *r, const int64_t *slots,
                               int64_t *values, uint64_t *offsets, rlx_plan_sums *out,
                               rlx_error *err);

/* native.c, bare/native.c */
/* |file|: rlx_load_options.native_file. */
rlx_status rlxv_native_load(rlx_executable *exe, const char *file, rlx_error *err);
void rlxv_native_unload(rlx_executable *exe);
/* native_target.c: whether this machine can run the code; else VERSION with the reason. */
rlx_status rlxv_native_check(const rlxv_native *n, rlx_error *err);
/* Checks that this machine can run kernels for |triple|; else VERSION with the reason. */
rlx_status rlxv_native_check_triple(rlx_str triple, rlx_error *err);
/* Checks that it has the CPU feature; else VERSION with the reason. */
rlx_status rlxv_native_check_feature(rlx_str feature, rlx_error *err);

/* expr.c: |slots| must have at least exprs[e].slots entries. False: overflow or division by 0. */
bool rlxv_eval(const rlx_executable *exe, uint32_t e, const int64_t *slots, int64_t *out);
/* The infix spelling of |op|; NULL if it has none. */
const char *rlxv_expr_infix(rlx_expr_op op);
/* Appends the text; |fn| names slots and may be NULL. */
void rlxv_print_expr(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn,
                     uint32_t e);
void rlxv_print_type(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn,
                     uint32_t t);
rlx_str rlxv_slot_name_of(const rlxv_function *fn, uint32_t slot, char *buffer, size_t size);

/* match.c */
typedef struct rlxv_match {
    const rlx_executable *exe;
    const rlxv_function *fn; /* names slots */
    uint32_t pc;             /* of the matching instruction; RLX_NONE: entry or result */
    const char *what;        /* "argument", "result", "value" */
    uint32_t index;          /* of the argument; value: its register */
    int64_t *slots;
} rlxv_match;

/* Checks kinds, dtypes and ranks and binds slots; then checks dimensions, once all are bound. */
rlx_status rlxv_match_bind(const rlxv_match *m, uint32_t type, rlx_value v, rlx_error *err);
rlx_status rlxv_match_check(const rlxv_match *m, uint32_t type, rlx_value v, rlx_error *err);
/* Both for a value that stands alone. */
rlx_status rlxv_match_value(const rlxv_match *m, uint32_t type, rlx_value v, rlx_error *err);
/* As bind and check for a list of dims: of a shape value or of a tensor against a shape type. */
rlx_status rlxv_match_dims(const rlxv_match *m, uint32_t type, const int64_t *dims, uint32_t n,
                           rlx_error *err);
/* All arguments of a call: count, then every bind, then every check. |from_host|: an error names
 * the place of its parameter, as there is no calling instruction. */
rlx_status rlxv_match_args(const rlx_executable *exe, const rlxv_function *fn,
                           const rlx_value *args, uint32_t n, int64_t *slots, bool from_host,
                           rlx_error *err);
/* The source place of the instruction at |pc|, or of parameter |pc| - n_words; NULL if unknown. */
const rlxv_debug_row *rlxv_debug_at(const rlxv_function *fn, uint32_t pc);
/* "model.py:12:9"; with column 0 the place is the row's name: "model.onnx: node 'a' (Add)". */
enum { RLXV_PLACE_TEXT = 288 };
const char *rlxv_place_text(const rlxv_debug_row *row, char *buffer, size_t size);
/* Sets the location of |err| to |row|. */
void rlxv_set_place(const rlxv_debug_row *row, rlx_error *err);
/* Adds the place of |pc| to |err|, unless it has one. */
void rlxv_add_location(const rlxv_function *fn, uint32_t pc, rlx_error *err);

/* An instruction, decoded by the letters of its row. */
typedef struct rlxv_operand {
    char letter;
    uint32_t value;        /* single operands */
    const uint32_t *items; /* lists */
    uint32_t n;
} rlxv_operand;
#define RLXV_MAX_OPERANDS 6u

typedef struct rlxv_instruction {
    const rlx_opcode_info *info;
    uint32_t n_words, n_operands;
    rlxv_operand operands[RLXV_MAX_OPERANDS];
} rlxv_instruction;

/* Decodes the instruction at |code|, of which |available| words exist. NULL, or the reason of
 * failure. */
const char *rlxv_decode(const uint32_t *code, uint32_t available, rlxv_instruction *out);

#endif
