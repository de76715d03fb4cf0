/* The options of one compilation, as the user gave them. */
#ifndef RLXC_BASE_OPTIONS_H
#define RLXC_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "rlx/value.h"

enum { RLXC_MOST_ROUNDED_ROWS = 32 };
enum { RLXC_ROW_BITS = 16 };        /* default of rlxc_options.row_bits */
enum { RLXC_ALL_ROWS = UINT8_MAX }; /* rlxc_options.rounded_rows: any number */
/* Module attribute: row_bits for any number of rows, unless the user's options set it. */
#define RLXC_MODULE_ROW_BITS "rlx.row_bits"

enum {
    RLXC_ON_REQUEST = 4, /* min_opt_level of a pass that runs only if options name it */
    RLXC_MAX_REQUESTS = 8
};

struct rlxc_context;
struct rlxc_module;
struct rlx_exec_builder;
struct rlxc_explain;
struct rlxc_prim_func;
struct rlxc_rule_steps;
struct rlxc_target;
struct rlxc_extra_pass; /* passes.h */
struct rlxc_fusion;     /* composite.h */
struct rlxc_generator;  /* composite.h */

typedef struct rlxc_options {         /* filled in by the driver, read-only for passes */
    int opt_level;                    /* 0..3 */
    const struct rlxc_target *target; /* of functions without a "target" attribute
                                       * (compiler/target/target.h); never NULL */
    const char *default_device;       /* --default-device: the device of tensors to which the module
                                       * assigns none, such as "opencl:0"; NULL: the host */
    bool device_binaries;             /* --device-binaries (compiler/codegen/device_binaries.c) */
    const char *device_target;        /* of that device, as text; NULL: its kind alone */
    bool check; /* RLX_CHECK=1: well-formedness after each pass, and print-parse-compare */
    struct {
        const char *name;
        int64_t min, max;
    } bounds[32]; /* --bound n=1:512 */
    uint32_t n_bounds;
    const char *pools[16]; /* --pool: memory pools, each as a text (compiler/ir/pool.h) */
    uint32_t n_pools;
    const char *requests[RLXC_MAX_REQUESTS]; /* passes that run only when named here */
    uint32_t n_requests;
    rlx_dtype mixed; /* to_mixed_precision's type, float16 or bfloat16; void: the pass does
                      * not run */
    const char *memory_layout; /* --memory-layout (compiler/analysis/layout.h); NULL: auto */
    const char *links[16]; /* --link: objects and libraries that define T.call_extern's functions */
    uint32_t n_links;
    bool allow_tf32;      /* --allow-tf32: factors of float32 products as TF32 on tensor cores */
    bool lenient;         /* --lenient: no checks of values at run time (docs/values.md) */
    bool no_compression;  /* of code and tables in files */
    bool weights_apart;   /* of C: in a file of their own */
    bool no_winograd;     /* no minimal filtering (Winograd) for convolutions */
    uint8_t row_bits;     /* activation precision of one row times 4- or 8-bit weights: 8, 12,
                           * 16 or 24; 32 = float32 */
    uint8_t rounded_rows; /* products of up to this many rows have that precision */
    /* Compiles |module| without optimisation for the host, for passes that fold constants;
     * |lenient| as above. NULL: nothing is folded by running it. */
    bool (*compile_here)(struct rlxc_context *ctx, struct rlxc_module *module, bool lenient,
                         struct rlx_exec_builder *builder);
    /* Why the PrimFunc cannot run on a device of the target; NULL if it can. */
    const char *(*device_refuses)(struct rlxc_context *ctx, const struct rlxc_prim_func *f,
                                  const struct rlxc_target *target,
                                  const struct rlxc_options *options);
    struct rlxc_lifted_file *lifted_file; /* the file for lifted constants; NULL: they stay in the
                                           * executable */
    const struct rlxc_map *weight_places; /* set for code generation: lifted constant -> 1 + offset
                                           * in that file */
    struct rlxc_explain *explain;         /* --explain: collects the rules' reasons for each block
                                           * (compiler/schedule/explain.h); or NULL */
    struct rlxc_rule_steps *steps; /* steps of the rules, made and given (compiler/kernels/rules.h);
                                    * or NULL */
    const struct rlxc_schedules *schedules; /* --schedule (compiler/schedule/step.h); or NULL */
    uint32_t jobs; /* threads that generate code, including the caller's; 0 means 1 */
    const struct rlxc_extra_pass *extra; /* passes added through the library */
    uint32_t n_extra;
    const struct rlxc_fusion *fusions; /* patterns of pass fuse_ops_by_pattern, in order */
    uint32_t n_fusions;
    const struct rlxc_generator *generators; /* code generators of marked functions */
    uint32_t n_generators;
} rlxc_options;

/* True if |options| request the pass; to_mixed_precision is requested by its type. */
bool rlxc_is_requested(const rlxc_options *options, const char *pass);

#endif
