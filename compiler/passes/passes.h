/* The pass table (passes.def), in pipeline order, and its runner.
 *
 * Row:  RLXC_PASS(name, needs, gives, breaks, min_opt, doc)   function rlxc_pass_<name>
 * needs/gives/breaks are sets of RLXC_PROP_*; the runner refuses an order whose needs are unmet. */
#ifndef RLXC_PASSES_PASSES_H
#define RLXC_PASSES_PASSES_H

#include "compiler/base/options.h"
#include "compiler/ir/relax.h"

typedef enum rlxc_property {
    RLXC_PROP_SINFO = 1 << 0,       /* every variable has inferred struct info */
    RLXC_PROP_NO_CLOSURES = 1 << 1, /* local functions lifted to globals + make_closure */
    RLXC_PROP_LEGAL = 1 << 2,       /* no high-level operators: call_tir, builtins, control */
    RLXC_PROP_EXPLICIT_OUT =
        1 << 3, /* call_tir and call_dps_packed became alloc_tensor + destination-passing calls */
    RLXC_PROP_STORAGE = 1 << 4,  /* tensors live in planned storages */
    RLXC_PROP_KILLS = 1 << 5,    /* kills after last uses */
    RLXC_PROP_SCHEDULED = 1 << 6 /* PrimFuncs scheduled and lowered to loops */
} rlxc_property;

#define RLXC_MOST_CHECKED (INT64_C(1) << 62) /* of limits that pass sink_checks moves */

typedef bool (*rlxc_pass_fn)(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options);
typedef struct rlxc_pass {
    const char *name;
    uint32_t needs, gives, breaks;
    int min_opt_level; /* skipped below this level (only passes that no later one needs), or
                          RLXC_ON_REQUEST */
    const char *doc;
    rlxc_pass_fn run;
} rlxc_pass;

const rlxc_pass *rlxc_passes(uint32_t *out_count);

/* A pass that is not in the table: it runs before or after the pass |anchor|, which may be another
 * extra pass before it in the list, at every optimisation level. The module is checked after it. */
typedef struct rlxc_extra_pass {
    const char *name, *doc, *anchor;
    bool after; /* the anchor, else before it */
    bool (*run)(void *user, rlxc_context *ctx, rlxc_module *module);
    void *user;
} rlxc_extra_pass;

typedef struct rlxc_pass_hooks { /* of the driver: printing and timing */
    void *user;
    bool (*after)(void *user, const rlxc_pass *pass, const rlxc_module *module,
                  double seconds); /* false: stop here */
} rlxc_pass_hooks;
/* Runs the table in order; false if a pass failed (with diagnostics) or a hook stopped (then the
 * context has not failed). */
bool rlxc_run_passes(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                     const rlxc_pass_hooks *hooks);
/* Runs only the pass |name|, of the table or extra. |io_have|: the properties that earlier passes
 * gave the module; they must be those that the pass needs. */
bool rlxc_run_pass(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                   const rlxc_pass_hooks *hooks, const char *name, uint32_t *io_have);
/* The first pass that gives a property that |name| needs and |have| lacks; NULL if nothing is
 * missing.
 */
const char *rlxc_pass_needs(const char *name, uint32_t have);

#define RLXC_PASS(name, needs, gives, breaks, min_opt, doc) \
    bool rlxc_pass_##name(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options);
#define RLXC_RULE(name, targets, level, pattern, step, kernel, doc)        \
    bool rlxc_pass_schedule_##name(rlxc_context *ctx, rlxc_module *module, \
                                   const rlxc_options *options);
#include "compiler/passes/passes.def"
#undef RLXC_RULE
#undef RLXC_PASS

/* True if the two are interchangeable: equal up to renaming, with equal signs of their symbols
 * (merge_prim_funcs.c). */
bool rlxc_prim_funcs_merge(rlxc_context *ctx, const rlxc_prim_func *a, const rlxc_prim_func *b);

/* The rules of the schedule (compiler/kernels/rules.def), which are passes, and pass schedule. */
bool rlxc_schedule_module(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options);

#endif
