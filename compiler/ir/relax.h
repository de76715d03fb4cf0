/* Graph IR: Relax in A-normal form.
 *
 * A function is a list of blocks (binding or dataflow), a block an array of bindings, a binding
 * `var = form(atoms)`. Evaluation order is the order of the bindings. Only IF and FUNCTION nest
 * (RLXC_MAX_DEPTH); walks over bindings are loops. Everything called is a CALL: of an operator (row
 * of compiler/ops/ops.def), or of an atom (global function, PrimFunc, extern function, closure
 * variable), so `R.call_tir(f, (x,), out_sinfo=S)` is CALL of operator call_tir with args [GLOBAL
 * f, TUPLE (x)] and sinfo_args [S]. */
#ifndef RLXC_IR_RELAX_H
#define RLXC_IR_RELAX_H

#include "compiler/ir/sinfo.h"
#include "compiler/ir/tir.h"

typedef struct rlxc_function rlxc_function;
typedef struct rlxc_operator rlxc_operator;         /* ir/op.h */
typedef struct rlxc_requirements rlxc_requirements; /* ops/require.h */

/* A Relax variable; equality is identity. ids are dense per outermost function (local functions
 * share their parent's numbering), so side tables are arrays of function->n_vars. */
typedef struct rlxc_rvar {
    const char *name;  /* printed hint; not unique */
    const char *given; /* the user's name for it in messages, if different; else NULL */
    uint32_t id;
    bool is_dataflow;             /* bound in a dataflow block and not one of its outputs */
    const rlxc_sinfo *sinfo;      /* after inference never NULL */
    const rlxc_sinfo *annotation; /* as the user wrote it, or NULL */
    rlxc_range range;
} rlxc_rvar;

struct rlxc_binding;
struct rlxc_prim_func;
typedef struct rlxc_constant { /* a tensor constant; equality is identity, data borrowed (arena or
                                  mapped file) */
    rlx_dtype dtype;
    uint32_t ndim;
    const int64_t *shape;
    const void *data; /* compact row-major little-endian */
    size_t nbytes;
    const char *name; /* name of the weight it came from, or NULL */
    uint32_t id;
    bool lifted; /* lifted.h: a pass must not look at |data| */
    const struct rlxc_binding
        *made; /* what computes it from others, for a program (lifted.h); or NULL */
    const struct rlxc_prim_func *made_by; /* of |made|, a call_tir: its function */
} rlxc_constant;

typedef enum rlxc_atom_kind {
    RLXC_ATOM_NONE = 0,
    RLXC_ATOM_VAR,
    RLXC_ATOM_CONSTANT,
    RLXC_ATOM_SHAPE,  /* R.shape([...]) */
    RLXC_ATOM_PRIM,   /* R.prim_value(e) */
    RLXC_ATOM_STRING, /* R.str */
    RLXC_ATOM_DTYPE,  /* R.dtype */
    RLXC_ATOM_GLOBAL, /* cls.f */
    RLXC_ATOM_EXTERN, /* R.ExternFunc("name") */
    RLXC_ATOM_TUPLE
} rlxc_atom_kind;

typedef struct rlxc_atom rlxc_atom;
struct rlxc_atom { /* passed by value; arrays inside live in the arena and are immutable */
    rlxc_atom_kind kind;
    uint32_t n; /* SHAPE, TUPLE */
    union {
        rlxc_rvar *var;
        const rlxc_constant *constant;
        const rlxc_expr *const *dims; /* SHAPE: canonical int64 */
        const rlxc_expr *prim;
        const char *text; /* STRING, EXTERN, GLOBAL: interned */
        rlx_dtype dtype;
        const rlxc_atom *items; /* TUPLE */
    };
};

typedef struct rlxc_binding_block rlxc_binding_block;
typedef struct rlxc_body { /* a function's or branch's code */
    rlxc_binding_block **blocks;
    uint32_t n_blocks;
    rlxc_atom result; /* function: returned; branch: the value of the If */
    rlxc_range result_range;
    uint32_t capacity; /* of blocks, for rlxc_body_push */
} rlxc_body;

typedef enum rlxc_form {
    RLXC_FORM_COPY,       /* var = args[0] */
    RLXC_FORM_CALL,       /* var = op(args) or callee(args) */
    RLXC_FORM_TUPLE,      /* var = (args...) */
    RLXC_FORM_TUPLE_GET,  /* var = args[0][index] */
    RLXC_FORM_MATCH_CAST, /* var = match_cast(args[0], sinfo_args[0]) : binds new symbols, checks
                             known ones */
    RLXC_FORM_IF,         /* var = then if args[0] else otherwise */
    RLXC_FORM_FUNCTION    /* var = local function */
} rlxc_form;

typedef struct rlxc_binding {
    rlxc_form form;
    rlxc_rvar *var;          /* never NULL; calls for effect bind "_" */
    const rlxc_operator *op; /* CALL of an operator, else NULL */
    rlxc_atom callee;        /* CALL with op NULL: GLOBAL, EXTERN, VAR */
    const rlxc_atom *args;
    uint32_t n_args;
    uint32_t index;   /* TUPLE_GET */
    rlxc_attrs attrs; /* complete: defaults of the operator's schema filled in, in schema order */
    const rlxc_sinfo *const *sinfo_args;
    uint32_t n_sinfo_args;
    rlxc_body *then, *otherwise;
    rlxc_function *function;
    rlxc_range range;
    /* Set while the requirements of a call are collected (ops/require.h): inference adds what it
     * cannot prove. Else NULL. */
    rlxc_requirements *unproved;
} rlxc_binding;

struct rlxc_binding_block {
    bool is_dataflow;
    rlxc_binding **bindings;
    uint32_t n, capacity;
};

struct rlxc_function {
    const char *name; /* global symbol, or the local variable's name */
    rlxc_rvar **params;
    uint32_t n_params;
    const rlxc_sinfo *ret; /* declared or inferred */
    rlxc_attrs attrs;
    const char *const *result_names; /* names.h; NULL: not known */
    uint32_t n_result_names;
    bool one_result; /* the only name stands for all results */
    rlxc_body body;
    uint32_t n_vars;          /* outermost function: ids are below this; local functions use their
                                 outermost's counter */
    rlxc_function *parent;    /* local function: the enclosing one, else NULL */
    bool is_private, is_pure; /* is_pure false: @R.function(pure=False) */
    rlxc_range range;
    rlxc_range marked; /* place of the attribute Codegen or Composite */
};

typedef struct rlxc_global { /* exactly one of the two */
    const char *name;
    rlxc_function *relax;
    rlxc_prim_func *prim;
} rlxc_global;

typedef struct rlxc_vdevice {
    rlxc_attr target; /* string or dict as written */
    int64_t index;
    const char *scope;
    rlxc_range range; /* place of its declaration */
} rlxc_vdevice;

typedef struct rlxc_section { /* code that a code generator wrote for a loader of the host */
    const char *kind, *format;
    const void *data;
    size_t size;
} rlxc_section;

typedef struct rlxc_module {
    const char *name;                /* class name, "Module" */
    RLXC_VEC(rlxc_global *) globals; /* in source order */
    rlxc_map by_name;                /* interned name -> rlxc_global */
    rlxc_attrs attrs;
    bool prim_calls;                 /* a PrimFunc may call a PrimFunc */
    bool is_placed;                  /* every tensor has a device and stays there: pass plan_devices
                                      * found devices other than the host */
    RLXC_VEC(rlxc_vdevice) vdevices; /* I.module_global_infos({"vdevice": [...]}) */
    RLXC_VEC(rlxc_section) sections; /* of the file; not part of the text */
} rlxc_module;

rlxc_module *rlxc_module_new(rlxc_context *ctx);
rlxc_global *rlxc_module_find(const rlxc_module *module, const char *interned_name);
/* Adds a function; |name| is made unique ("f", "f1", ...) when taken and |unique| is set, else a
 * duplicate returns NULL. */
rlxc_global *rlxc_module_add_relax(rlxc_context *ctx, rlxc_module *module, rlxc_function *f,
                                   bool unique);
rlxc_global *rlxc_module_add_prim(rlxc_context *ctx, rlxc_module *module, rlxc_prim_func *f,
                                  bool unique);
void rlxc_module_remove(rlxc_context *ctx, rlxc_module *module, const char *interned_name);

rlxc_rvar *rlxc_rvar_new(rlxc_context *ctx, rlxc_function *f, const char *name,
                         const rlxc_sinfo *sinfo);
rlxc_function *rlxc_outermost(rlxc_function *f);
rlxc_constant *rlxc_constant_new(rlxc_context *ctx, rlx_dtype dtype, uint32_t ndim,
                                 const int64_t *shape, const void *data, size_t nbytes);

rlxc_atom rlxc_atom_var(rlxc_rvar *var);
rlxc_atom rlxc_atom_constant(const rlxc_constant *c);
rlxc_atom rlxc_atom_shape(rlxc_context *ctx, const rlxc_expr *const *dims, uint32_t n);
rlxc_atom rlxc_atom_prim(const rlxc_expr *e);
rlxc_atom rlxc_atom_string(rlxc_context *ctx, const char *text);
rlxc_atom rlxc_atom_dtype(rlx_dtype dtype);
rlxc_atom rlxc_atom_global(rlxc_context *ctx, const char *name);
rlxc_atom rlxc_atom_extern(rlxc_context *ctx, const char *name);
rlxc_atom rlxc_atom_tuple(rlxc_context *ctx, const rlxc_atom *items, uint32_t n);
bool rlxc_atom_equal(rlxc_atom a, rlxc_atom b);
/* The type of an atom (a shape literal's dims, a constant's type, ...); |module| resolves GLOBAL
 * and may be NULL. */
const rlxc_sinfo *rlxc_atom_sinfo(rlxc_context *ctx, const rlxc_module *module, rlxc_atom atom);
/* Calls |visit| for the atom and, for tuples, each nested atom. */
void rlxc_atom_visit(rlxc_atom atom, void (*visit)(void *user, rlxc_atom atom), void *user);
/* As above for every atom of a body: callees, operands, results, including those of local functions
 * and branches. */
void rlxc_body_visit(const rlxc_body *body, void (*visit)(void *user, rlxc_atom atom), void *user);

rlxc_binding *rlxc_binding_new(rlxc_context *ctx, rlxc_form form, rlxc_rvar *var);
rlxc_binding_block *rlxc_block_new(rlxc_context *ctx, bool is_dataflow);
void rlxc_block_push(rlxc_context *ctx, rlxc_binding_block *block, rlxc_binding *binding);
void rlxc_body_push(rlxc_context *ctx, rlxc_body *body, rlxc_binding_block *block);

/* The Callable type of a function's signature. */
const rlxc_sinfo *rlxc_function_sinfo(rlxc_context *ctx, const rlxc_function *f);

/* Structural equality up to renaming of variables; |out_why| (may be NULL) gets a one-line reason.
 */
bool rlxc_module_equal(rlxc_context *ctx, const rlxc_module *a, const rlxc_module *b,
                       const char **out_why);
bool rlxc_prim_func_equal(rlxc_context *ctx, const rlxc_prim_func *a, const rlxc_prim_func *b);
uint64_t rlxc_prim_func_hash(rlxc_context *ctx,
                             const rlxc_prim_func *a); /* equal functions hash equal */

/* Checks the IR invariants (numbered in wellformed.c) and reports each violation through rlxc_error
 * (|internal| false: the user's text) or rlxc_internal naming |stage|. */
bool rlxc_well_formed(rlxc_context *ctx, const rlxc_module *module, const char *stage,
                      bool internal);
/* Checks only invariant 9, for one call: the argument types of a call of a PrimFunc, direct or by
 * call_tir. Reports a violation as the user's error; true for other calls. */
bool rlxc_check_callee_types(rlxc_context *ctx, const rlxc_module *module,
                             const rlxc_binding *call);

#endif
