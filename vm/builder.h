/* The executable builder's state (private): builder.c fills it, builder_write.c turns it into
   bytes. Strings are kept once, by number; the file numbers them by first use while writing, so
   that the bytes do not depend on the order in which tables were filled. */
#ifndef RLXV_BUILDER_H
#define RLXV_BUILDER_H

#include "vm/exec.h"
#include "vm/file.h"

/* Rows of words, each kept once: open addressing over the rows' bytes. */
typedef struct rlxv_rows {
    uint32_t *words, *starts; /* starts[count] is the end of the last row */
    uint32_t n_words, words_capacity, count, starts_capacity;
    uint32_t *hash; /* row + 1 */
    uint32_t hash_size;
} rlxv_rows;

typedef struct rlxv_build_constant {
    uint32_t kind, n; /* n: dims or items */
    uint64_t bits;    /* scalars; string: its number; tensor: offset in the data section */
    rlx_dtype dtype;
    int64_t *dims;
    uint32_t *items;
    const void *data;
    size_t nbytes;
} rlxv_build_constant;

typedef struct rlxv_build_launch {
    uint32_t function, grid[3], block[3], shared, n_args;
    rlx_launch_row_arg *args;
} rlxv_build_launch;

typedef struct rlxv_build_kernel {
    uint32_t name, symbol, n_dims, n_params;
    rlx_kernel_param *params;
    uint32_t module, n_scratch, n_launches; /* module RLX_NONE: for the host */
    uint32_t *scratch;
    rlxv_build_launch *launches;
} rlxv_build_kernel;

typedef struct rlxv_build_device {
    uint32_t kind, id, scope, target;
} rlxv_build_device;

typedef struct rlxv_build_module {
    rlx_str kind;
    rlx_code_image *images;
    uint32_t n_images, number; /* number: in the file, set while writing */
} rlxv_build_module;

typedef struct rlxv_build_debug {
    uint32_t pc, file, line, column, name;
} rlxv_build_debug;

typedef struct rlxv_build_function {
    uint32_t name, result_type, n_params, n_symbols, n_registers, n_slots;
    bool exported, begun, ended;
    uint32_t *param_names, *param_types;
    rlxv_build_debug *param_places;                                /* line 0: not said */
    uint32_t *result_names, n_result_names, result_names_capacity; /* all results, or none */
    uint32_t *code, n_words, code_capacity;
    uint32_t *slot_names, n_slot_names, slot_names_capacity; /* pairs: slot, name */
    rlxv_build_debug *debug;
    uint32_t n_debug, debug_capacity;
    rlx_plan_buffer *buffers;
    uint32_t *tensors; /* of the plan, pairs: buffer, type */
    uint32_t n_buffers, buffers_capacity, n_tensors, tensors_capacity, n_regions;
    uint32_t *region_devices, n_region_devices, region_devices_capacity; /* of the first regions */
} rlxv_build_function;

struct rlx_exec_builder {
    rlx_allocator allocator;
    rlx_plan_layout_fn layout; /* NULL: this library's layouts */
    void *layout_user;
    rlxv_arena arena;
    rlxv_rows exprs, types, scalars;
    uint32_t *expr_slots, *expr_depth, *expr_size, *type_slots, *type_depth, *type_size;
    uint32_t expr_info_capacity[3], type_info_capacity[3];
    uint32_t *scalar_constant; /* constant of each row of |scalars| */
    uint32_t scalar_constant_capacity;

    rlx_str *strings;
    uint32_t n_strings, strings_capacity;
    uint32_t *string_hash, string_hash_size;

    rlxv_build_constant *constants;
    rlxv_build_kernel *kernels;
    rlxv_build_function *functions;
    uint32_t *imports, *metadata;
    uint32_t n_constants, constants_capacity, n_kernels, kernels_capacity;
    uint32_t n_functions, functions_capacity, n_imports, imports_capacity;
    uint32_t n_metadata, metadata_capacity; /* strings: two a row */
    rlxv_build_device *devices;             /* without the host: index 1 is row 0 */
    rlxv_build_module *modules;
    uint32_t n_devices, devices_capacity, n_modules, modules_capacity;

    struct {
        uint32_t name;
        rlx_exec_builder *program; /* borrowed */
    } levels[RLX_MAX_LEVELS];
    uint32_t n_levels; /* if there are levels, everything else is empty */

    rlx_weights weights; /* program NULL: none */
    uint64_t weights_checksum;

    rlx_compression compression;
    bool has_native;
    uint32_t triple, n_features, *features;
    uint8_t *elf;
    size_t elf_size;

    /* The function between begin and end. */
    uint32_t current;                            /* RLX_NONE: none */
    uint32_t *labels, n_labels, labels_capacity; /* pc, RLX_NONE until bound */
    uint32_t *fixups, n_fixups, fixups_capacity; /* words that refer to a label */
    rlxv_build_debug location;
};

/* True if expression |e| is a constant; its value. */
bool rlxv_build_constant_value(const rlx_exec_builder *b, uint32_t e, int64_t *out);
/* builder_plan.c: at the end of a function. */
rlx_status rlxv_build_finish_plan(rlx_exec_builder *b, rlxv_build_function *f, rlx_error *err);

/* compress.c: compresses a section if that saves enough; *out_done says so. */
rlx_status rlxv_compress(rlxv_buffer *section, rlx_compression how, bool *out_done, rlx_error *err);

/* The number of |text|, which is copied. */
rlx_status rlxv_build_string(rlx_exec_builder *b, rlx_str text, uint32_t *out, rlx_error *err);

#endif
