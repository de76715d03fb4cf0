/* Shared by the files that implement rlx/compiler.h and rlx/ir.h: the handles, and how a call
 * begins and ends.
 *
 * The context fails with its first error; a call of the library begins with none, and reports the
 * errors made since. Diagnostics stay. Handles of functions, bindings, values and types are the
 * IR's own pointers. Calls made by a pass within another call neither forget the outer one's errors
 * nor its name. */
#ifndef RLXC_API_API_H
#define RLXC_API_API_H

#include "compiler/driver/compile.h"
#include "compiler/driver/database.h"
#include "compiler/driver/lift_params.h"
#include "compiler/kernels/rules.h"
#include "compiler/passes/composite.h"
#include "compiler/schedule/explain.h"
#include "compiler/schedule/step.h"
#include "rlx/compiler.h"

enum {
    RLXC_API_MAX_PASSES = 64,
    RLXC_API_MAX_TARGETS = 64,
    RLXC_API_MAX_FUSIONS = 256,
    RLXC_API_MAX_GENERATORS = 16,
    RLXC_API_MAX_CODEGENS = 8
};

typedef struct rlxc_api_pass {
    rlx_compiler *compiler;
    rlx_status (*run)(void *user, rlx_ir_module *m, rlx_error *err);
    void *user;
} rlxc_api_pass;

typedef struct rlxc_api_generator {
    rlx_compiler *compiler;
    rlx_status (*run)(void *user, rlx_ir_module *m, rlx_error *err);
    rlx_status (*emit)(void *user, rlx_ir_module *m, const rlx_ir_taken *functions, uint32_t n,
                       rlx_ir_section *out, rlx_error *err);
    const char *format;
    void *user;
} rlxc_api_generator;

typedef struct rlxc_api_fusion {
    rlx_compiler *compiler;
    bool (*check)(void *user, rlx_ir_module *m, const rlx_ir_match *match);
    void *user;
} rlxc_api_fusion;

struct rlx_compiler {
    const rlx_allocator *allocator;
    rlxc_context *ctx;
    bool strict_weights, lift_params;
    uint32_t depth;         /* calls that have begun */
    rlx_ir_module *running; /* on which passes run just now */
    rlxc_extra_pass extra[RLXC_API_MAX_PASSES];
    rlxc_api_pass passes[RLXC_API_MAX_PASSES]; /* |user| of the extra ones */
    uint32_t n_extra;
    struct {
        const char *name, *text;
    } targets[RLXC_API_MAX_TARGETS];
    uint32_t n_targets;
    rlxc_fusion fusions[RLXC_API_MAX_FUSIONS];
    rlxc_api_fusion own_fusions[RLXC_API_MAX_FUSIONS]; /* |user| of these */
    uint32_t n_fusions;
    rlxc_generator generators[RLXC_API_MAX_GENERATORS];
    rlxc_api_generator own_generators[RLXC_API_MAX_GENERATORS]; /* |user| of these */
    uint32_t n_generators;
};

struct rlx_ir_module { /* in the arena */
    rlx_compiler *compiler;
    rlxc_module *ir;
    const char *path, *source; /* |source| NULL: built */
    size_t length;
    bool broken;          /* a pass failed on the way */
    bool lowered;         /* the pipeline has run with |options| */
    uint32_t have;        /* properties (passes.h) of the IR */
    rlxc_options options; /* texts interned */
    rlxc_explain explain;
    rlxc_database database;
    rlxc_rule_steps steps;    /* |given|: from a schedule; |made|: to be shown */
    rlxc_schedules schedules; /* the others of a schedule, whose steps the engine applies */
    RLXC_VEC(const char *) read_weights; /* files whose tensors became constants */
    rlxc_lifted_file *lifted_file;       /* of the executable's weights; NULL: they are in it */
    const char *scheduled; /* what the metadata says of the schedule; NULL: there is none */
    const char *tuned_by;  /* name of the database; NULL: there is none */
};

/* Chooses the file for the lifted weights of the |n| |modules|, which are levels of one executable:
 * the one that |options| name, else one beside |path|. If both are NULL, the weights stay in the
 * executable. The file must not be one that a module reads. */
rlx_status rlxc_api_lift(rlx_ir_module *const *modules, uint32_t n,
                         const rlx_compile_options *options, const char *path, rlx_error *err);

typedef struct rlxc_api_call {
    rlx_compiler *compiler;
    size_t first;    /* number of diagnostics before the call */
    uint32_t errors; /* state of an outer call */
} rlxc_api_call;

/* RLX_E_NOMEM once memory has run out; RLX_E_INVALID_ARG for NULL. */
rlx_status rlxc_api_begin(rlx_compiler *c, rlxc_api_call *call, rlx_error *err);
/* RLX_OK if |ok| and the call reported no error; else RLX_E_NOMEM, or |otherwise| with the first
 * error's text and place. */
rlx_status rlxc_api_end(const rlxc_api_call *call, bool ok, rlx_status otherwise, rlx_error *err);
/* Begins a call that uses |m|; fails too if an earlier failure left |m| unfinished. */
rlx_status rlxc_api_begin_module(rlx_ir_module *m, rlxc_api_call *call, rlx_error *err);

/* Reports |err| of the runtime's library as a diagnostic; false. */
bool rlxc_api_fail(rlxc_context *ctx, const rlx_error *err);

/* The size of a struct in its first version, which ended with |field|. */
#define RLXC_API_END(type, field) (offsetof(type, field) + sizeof(((type *)NULL)->field))

/* Copies a struct of options that begins with its size. |first|: its size in the first version,
 * |size| in this one; |out| has the defaults of fields that |given| lacks. |given| NULL: nothing to
 * copy. */
rlx_status rlxc_api_take(const void *given, const char *name, size_t first, void *out, size_t size,
                         rlx_error *err);
/* Converts |given| (may be NULL) to the compiler's internal options for |m|, with interned texts;
 * |out_given| is a complete copy of it. False with a diagnostic. */
bool rlxc_api_options(rlx_ir_module *m, const rlx_compile_options *given,
                      rlx_compile_options *out_given, rlxc_options *out);

/* Gives |out| the patterns and generators that were added, then those that |o| names. */
bool rlxc_api_codegens(rlx_compiler *c, const rlx_compile_options *o, rlxc_options *out);

/* Compiles |m| into a builder. The caller destroys it, also after an error. */
rlx_status rlxc_api_build(rlx_ir_module *m, const rlx_compile_options *options,
                          rlx_exec_builder **out_builder);
/* Reports why the runtime rejected what the compiler wrote; returns false. */
bool rlxc_api_refused(rlxc_context *ctx, rlx_error *err);

/* |given| (may be NULL) as a struct of this version. False with |err|. */
bool rlxc_api_complete(const rlx_compile_options *given, rlx_compile_options *out, rlx_error *err);

/* Runs a user's function on the module whose passes are running. */
bool rlxc_api_run_added(const rlxc_api_pass *pass, rlxc_context *ctx);
/* True if a function of the user returned RLX_OK; else its error becomes a diagnostic. */
bool rlxc_api_ran(rlxc_context *ctx, rlx_status status, rlx_error *err);
/* A handle of a copy of |match|. */
const rlx_ir_match *rlxc_api_match(rlxc_context *ctx, const rlxc_match *match);

/* A new handle. */
rlx_ir_module *rlxc_api_module(rlx_compiler *c, rlxc_module *ir, const char *path);

#endif
