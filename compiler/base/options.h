/* What a user asks of one compilation. */
#ifndef RLXC_BASE_OPTIONS_H
#define RLXC_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "rlx/value.h"

enum { RLXC_ROW_BITS = 16 }; /* of rlxc_options.row_bits, where none are asked for */

enum {
    RLXC_ON_REQUEST = 4, /* min_opt_level of a pass that runs only where options name it */
    RLXC_MAX_REQUESTS = 8
};

struct rlxc_context;
struct rlxc_module;
struct rlx_exec_builder;
struct rlxc_explain;
struct rlxc_rule_steps;
struct rlxc_extra_pass; /* passes.h */

typedef struct rlxc_options { /* of one compilation; filled by the driver, read-only for passes */
    int opt_level;            /* 0..3 */
    const struct rlxc_target *target; /* compiler/target/target.h: of functions that name none of
                                         their own; never NULL */
    bool check; /* RLX_CHECK=1: well-formedness after each pass, and print-parse-compare */
    struct {
        const char *name;
        int64_t min, max;
    } bounds[32]; /* --bound n=1:512 */
    uint32_t n_bounds;
    const char *requests[RLXC_MAX_REQUESTS]; /* passes on request */
    uint32_t n_requests;
    rlx_dtype mixed;       /* of to_mixed_precision: float16 or bfloat16; void: not asked for */
    const char *links[16]; /* --link: objects and libraries that T.call_extern finds functions in */
    uint32_t n_links;
    bool lenient;     /* --lenient: values at run time are not checked (docs/values.md) */
    bool no_winograd; /* convolutions as sums of products only */
    uint8_t row_bits; /* 8, 12, 16 or 24: one row times weights of 4 or 8 bits; 32: float32 */
    /* Compiles |module| without optimisation for the machine that the compiler runs on, for passes
     * that evaluate; |lenient| as above. NULL: nothing is evaluated. */
    bool (*compile_here)(struct rlxc_context *ctx, struct rlxc_module *module, bool lenient,
                         struct rlx_exec_builder *builder);
    struct rlxc_explain *explain;  /* what rules say of each block (compiler/schedule/explain.h);
                                      NULL: nobody asks */
    struct rlxc_rule_steps *steps; /* of the schedule (compiler/kernels/rules.h), made and given;
                                      NULL: nobody asks */
    const struct rlxc_schedules *schedules; /* --schedule (compiler/schedule/step.h); or NULL */
    uint32_t jobs; /* threads that generate code, the caller's among them; 0 is 1 */
    const struct rlxc_extra_pass *extra; /* passes that users of the library added */
    uint32_t n_extra;
} rlxc_options;

/* Whether |options| name the pass; to_mixed_precision by its type. */
bool rlxc_is_requested(const rlxc_options *options, const char *pass);

#endif
