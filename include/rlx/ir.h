/* The compiler's IR: inspects, analyses, changes and builds modules.

   A module holds Relax functions and PrimFuncs. A Relax function is a sequence of blocks; a block
   is a sequence of bindings `var = form(values)` in evaluation order. Only If and local functions
   nest. The compiler owns all handles. They live as long as it does, even after a pass removes
   their object from the module. Lists returned by the calls below are copies with the same
   lifetime. A handle of one compiler must not be passed to another. A getter given NULL returns
   NULL, 0, false or "".

   Threads: as rlx/compiler.h says. */
#ifndef RLX_IR_H
#define RLX_IR_H

#include <rlx/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_compiler rlx_compiler;
typedef struct rlx_ir_module rlx_ir_module;
typedef struct rlx_ir_function rlx_ir_function; /* a Relax function, of the module or local */
typedef struct rlx_ir_prim rlx_ir_prim;         /* a PrimFunc */
typedef struct rlx_ir_body rlx_ir_body;         /* of a function or of a branch */
typedef struct rlx_ir_block rlx_ir_block;
typedef struct rlx_ir_binding rlx_ir_binding;
typedef struct rlx_ir_var rlx_ir_var;     /* equal means the same pointer */
typedef struct rlx_ir_value rlx_ir_value; /* an operand: variable, constant, shape, tuple ... */
typedef struct rlx_ir_sinfo rlx_ir_sinfo; /* struct info, a type; equal ones have the same
                                           * pointer */
typedef struct rlx_ir_expr rlx_ir_expr;   /* a symbolic integer */
typedef struct rlx_ir_attr rlx_ir_attr;   /* the value of an attribute */
typedef struct rlx_ir_match rlx_ir_match; /* values that match a pattern */

/* --- modules and functions ------------------------------------------------------------------- */

typedef struct rlx_ir_global { /* one of the two */
    const char *name;
    rlx_ir_function *function;
    rlx_ir_prim *prim;
} rlx_ir_global;

RLX_API uint32_t rlx_ir_module_global_count(const rlx_ir_module *m);
/* False past the end. */
RLX_API bool rlx_ir_module_global(const rlx_ir_module *m, uint32_t i, rlx_ir_global *out);
/* False if there is none of that name. */
RLX_API bool rlx_ir_module_find(const rlx_ir_module *m, const char *name, rlx_ir_global *out);

RLX_API const char *rlx_ir_function_name(const rlx_ir_function *f);
RLX_API uint32_t rlx_ir_function_param_count(const rlx_ir_function *f);
RLX_API const rlx_ir_var *rlx_ir_function_param(const rlx_ir_function *f, uint32_t i);
/* The return type, declared or inferred; NULL if unknown. */
RLX_API const rlx_ir_sinfo *rlx_ir_function_result(const rlx_ir_function *f);
RLX_API bool rlx_ir_function_is_private(const rlx_ir_function *f);
RLX_API bool rlx_ir_function_is_pure(const rlx_ir_function *f);
RLX_API const rlx_ir_body *rlx_ir_function_body(const rlx_ir_function *f);
/* Attribute |i| in order, NULL past the end; |out_key| gets its name. */
RLX_API const rlx_ir_attr *rlx_ir_function_attr(const rlx_ir_function *f, uint32_t i,
                                                const char **out_key);

RLX_API uint32_t rlx_ir_body_block_count(const rlx_ir_body *b);
RLX_API const rlx_ir_block *rlx_ir_body_block(const rlx_ir_body *b, uint32_t i);
/* The result of the function or branch. */
RLX_API const rlx_ir_value *rlx_ir_body_result(const rlx_ir_body *b);
RLX_API bool rlx_ir_block_is_dataflow(const rlx_ir_block *b);
RLX_API uint32_t rlx_ir_block_binding_count(const rlx_ir_block *b);
RLX_API const rlx_ir_binding *rlx_ir_block_binding(const rlx_ir_block *b, uint32_t i);

/* --- bindings -------------------------------------------------------------------------------- */

typedef enum rlx_ir_form {
    RLX_IR_COPY,       /* var = args[0] */
    RLX_IR_CALL,       /* var = op(args) or callee(args) */
    RLX_IR_TUPLE,      /* var = (args...) */
    RLX_IR_TUPLE_GET,  /* var = args[0][index] */
    RLX_IR_MATCH_CAST, /* var = args[0], checked to be of the variable's type */
    RLX_IR_IF,         /* var = then if args[0] else otherwise */
    RLX_IR_FUNCTION,   /* var = a local function */
} rlx_ir_form;

RLX_API rlx_ir_form rlx_ir_binding_form(const rlx_ir_binding *b);
RLX_API const rlx_ir_var *rlx_ir_binding_var(const rlx_ir_binding *b);
/* The operator called, "nn.softmax"; NULL if it calls none. */
RLX_API const char *rlx_ir_binding_op(const rlx_ir_binding *b);
/* The callee of a CALL that has no operator: a global, external function or variable; else NULL. */
RLX_API const rlx_ir_value *rlx_ir_binding_callee(const rlx_ir_binding *b);
RLX_API uint32_t rlx_ir_binding_arg_count(const rlx_ir_binding *b);
RLX_API const rlx_ir_value *rlx_ir_binding_arg(const rlx_ir_binding *b, uint32_t i);
RLX_API uint32_t rlx_ir_binding_index(const rlx_ir_binding *b); /* TUPLE_GET */
RLX_API const rlx_ir_attr *rlx_ir_binding_attr(const rlx_ir_binding *b, uint32_t i,
                                               const char **out_key);
/* The type arguments of a call (out_sinfo of call_tir), and the type of a MATCH_CAST. */
RLX_API const rlx_ir_sinfo *rlx_ir_binding_sinfo(const rlx_ir_binding *b, uint32_t i);
RLX_API const rlx_ir_body *rlx_ir_binding_then(const rlx_ir_binding *b);
RLX_API const rlx_ir_body *rlx_ir_binding_otherwise(const rlx_ir_binding *b);
RLX_API const rlx_ir_function *rlx_ir_binding_function(const rlx_ir_binding *b);
/* The source location; false if unknown. A long file name is cut. */
RLX_API bool rlx_ir_binding_location(const rlx_ir_module *m, const rlx_ir_binding *b,
                                     rlx_location *out);
/* Calls |visit| for each binding of |body| in order; the bindings of branches and local functions
   come before the binding that holds them. Stops and returns false if |visit| returns false. */
RLX_API bool rlx_ir_visit(const rlx_ir_body *body,
                          bool (*visit)(void *user, const rlx_ir_binding *b), void *user);

/* --- variables, values ----------------------------------------------------------------------- */

RLX_API const char *rlx_ir_var_name(const rlx_ir_var *v); /* a hint; not unique */
/* The variable's type. Before pass `infer` it is the annotation, or NULL without one. */
RLX_API const rlx_ir_sinfo *rlx_ir_var_sinfo(const rlx_ir_var *v);
RLX_API bool rlx_ir_var_is_dataflow(const rlx_ir_var *v);

typedef enum rlx_ir_value_kind {
    RLX_IR_VALUE_NONE, /* an optional operand that is absent */
    RLX_IR_VALUE_VAR,
    RLX_IR_VALUE_CONSTANT,
    RLX_IR_VALUE_SHAPE,
    RLX_IR_VALUE_PRIM, /* an integer or float expression */
    RLX_IR_VALUE_STRING,
    RLX_IR_VALUE_DTYPE,
    RLX_IR_VALUE_GLOBAL,
    RLX_IR_VALUE_EXTERN, /* a function of the runtime's registry */
    RLX_IR_VALUE_TUPLE,
} rlx_ir_value_kind;

RLX_API rlx_ir_value_kind rlx_ir_value_get_kind(const rlx_ir_value *v);
RLX_API const rlx_ir_var *rlx_ir_value_var(const rlx_ir_value *v); /* VAR, else NULL */
RLX_API const char *rlx_ir_value_text(const rlx_ir_value *v);      /* STRING, GLOBAL, EXTERN */
RLX_API rlx_dtype rlx_ir_value_dtype(const rlx_ir_value *v);       /* DTYPE, CONSTANT */
RLX_API uint32_t rlx_ir_value_count(const rlx_ir_value *v); /* SHAPE, TUPLE, CONSTANT's rank */
RLX_API const rlx_ir_value *rlx_ir_value_item(const rlx_ir_value *v, uint32_t i); /* TUPLE */
RLX_API const rlx_ir_expr *rlx_ir_value_expr(const rlx_ir_value *v, uint32_t i);  /* SHAPE, PRIM */
/* CONSTANT: |out_dims| gets its dimensions, |out_size| its bytes; compact, little-endian. */
RLX_API const void *rlx_ir_value_data(const rlx_ir_value *v, const int64_t **out_dims,
                                      size_t *out_size);

/* --- types, symbolic integers, attributes ---------------------------------------------------- */

typedef enum rlx_ir_sinfo_kind {
    RLX_IR_SINFO_OBJECT, /* anything */
    RLX_IR_SINFO_PRIM,
    RLX_IR_SINFO_SHAPE,
    RLX_IR_SINFO_TENSOR,
    RLX_IR_SINFO_TUPLE,
    RLX_IR_SINFO_CALLABLE,
} rlx_ir_sinfo_kind;

RLX_API rlx_ir_sinfo_kind rlx_ir_sinfo_get_kind(const rlx_ir_sinfo *s);
RLX_API rlx_dtype rlx_ir_sinfo_dtype(const rlx_ir_sinfo *s); /* PRIM, TENSOR; bits 0: unknown */
/* The rank of TENSOR and SHAPE; -1: unknown. */
RLX_API int32_t rlx_ir_sinfo_rank(const rlx_ir_sinfo *s);
/* Dimension |i|, or the value of a PRIM (|i| 0); NULL: unknown. */
RLX_API const rlx_ir_expr *rlx_ir_sinfo_dim(const rlx_ir_sinfo *s, uint32_t i);
RLX_API uint32_t rlx_ir_sinfo_field_count(const rlx_ir_sinfo *s); /* TUPLE, CALLABLE's parameters */
RLX_API const rlx_ir_sinfo *rlx_ir_sinfo_field(const rlx_ir_sinfo *s, uint32_t i);
RLX_API const rlx_ir_sinfo *rlx_ir_sinfo_result(const rlx_ir_sinfo *s); /* CALLABLE */
/* As TVMScript: R.Tensor((n, 4), dtype="float32"); "unknown" for NULL. */
RLX_API const char *rlx_ir_sinfo_text(rlx_compiler *c, const rlx_ir_sinfo *s);

RLX_API const char *rlx_ir_expr_text(rlx_compiler *c, const rlx_ir_expr *e); /* "n * 2 + 1" */
RLX_API bool rlx_ir_expr_constant(const rlx_ir_expr *e, int64_t *out);
/* The value of |e| when the variables |names| have the values |values|. Errors: INVALID_ARG,
   NOT_FOUND (a variable is not named), SHAPE (overflow, division by zero, not an integer),
   NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_expr_evaluate(rlx_compiler *c, const rlx_ir_expr *e,
                                                      const char *const *names,
                                                      const int64_t *values, uint32_t n,
                                                      int64_t *out, rlx_error *err);

RLX_API bool rlx_ir_attr_int(const rlx_ir_attr *a, int64_t *out); /* integers, True, False */
RLX_API bool rlx_ir_attr_float(const rlx_ir_attr *a, double *out);
RLX_API const char *rlx_ir_attr_string(const rlx_ir_attr *a); /* NULL: no string */
RLX_API uint32_t rlx_ir_attr_count(const rlx_ir_attr *a);     /* items of a list or dictionary */
RLX_API const rlx_ir_attr *rlx_ir_attr_item(const rlx_ir_attr *a, uint32_t i, const char **out_key);
/* The attribute as Python text. */
RLX_API const char *rlx_ir_attr_text(rlx_compiler *c, const rlx_ir_attr *a);

/* --- analyses -------------------------------------------------------------------------------- */

typedef struct rlx_ir_vars {
    const rlx_ir_var *const *items;
    uint32_t n;
} rlx_ir_vars;
typedef struct rlx_ir_bindings {
    const rlx_ir_binding *const *items;
    uint32_t n;
} rlx_ir_bindings;
typedef struct rlx_ir_names {
    const char *const *items;
    uint32_t n;
} rlx_ir_names;

typedef enum rlx_ir_which {
    RLX_IR_ALL_VARS,
    RLX_IR_BOUND_VARS, /* parameters and bindings, of branches and local functions as well */
    RLX_IR_FREE_VARS,  /* used but not bound in the function: a local function's captures */
} rlx_ir_which;
/* Each variable once, in the order of first appearance. Errors of these: INVALID_ARG, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_function_vars(rlx_ir_module *m, const rlx_ir_function *f,
                                                      rlx_ir_which which, rlx_ir_vars *out,
                                                      rlx_error *err);
/* The names of the symbolic variables in types and shapes of |f|. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_function_symbols(rlx_ir_module *m, const rlx_ir_function *f,
                                                         rlx_ir_names *out, rlx_error *err);
/* The functions of the module that |f| calls or passes on, PrimFuncs among them. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_function_called(rlx_ir_module *m, const rlx_ir_function *f,
                                                        rlx_ir_names *out, rlx_error *err);
/* The binding in |f| that defines |v|; NULL for parameters and for variables of other functions. */
RLX_API const rlx_ir_binding *rlx_ir_function_definition(const rlx_ir_function *f,
                                                         const rlx_ir_var *v);
/* The bindings in |f| that read |v|; |out_returned| (may be NULL) is true if the result of the
 * function or of a branch reads it too. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_function_uses(rlx_ir_module *m, const rlx_ir_function *f,
                                                      const rlx_ir_var *v, rlx_ir_bindings *out,
                                                      bool *out_returned, rlx_error *err);
/* The PrimFunc as TVMScript. */
RLX_API const char *rlx_ir_prim_text(rlx_ir_module *m, const rlx_ir_prim *f);
/* True if the PrimFunc is proved to do nothing but copy the elements of its first buffer to its
 * second in row-major order, as reshape does. */
RLX_API bool rlx_ir_prim_is_reshape(rlx_ir_module *m, const rlx_ir_prim *f);

/* --- building -------------------------------------------------------------------------------- */

/* Types, dimensions and attributes are TVMScript text. Symbolic variables belong to the function: a
 * new name in a parameter's type or in a match_cast defines one; elsewhere the name must be defined
 * already. Errors of all calls: INVALID_ARG for NULL, INVALID_MODULE with a diagnostic (an unknown
 * operator, the wrong number or type of operands), NOMEM. After an error the builder's function
 * cannot be finished. */
typedef struct rlx_ir_builder rlx_ir_builder;

/* Begins a function of |m|. The compiler owns the builder, like all handles. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_create(rlx_ir_module *m, const char *name,
                                                       rlx_ir_builder **out, rlx_error *err);
/* Adds a parameter; parameters come before everything else. |type|: "R.Tensor((\"n\", 4),
   \"float32\")". */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_param(rlx_ir_builder *b, const char *name,
                                                      const char *type, const rlx_ir_value **out,
                                                      rlx_error *err);
/* Following bindings go into a dataflow block or, with false, into a plain one. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_dataflow(rlx_ir_builder *b, bool dataflow,
                                                         rlx_error *err);
/* Makes a variable of the dataflow block usable after it. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_output(rlx_ir_builder *b, const rlx_ir_value *v,
                                                       rlx_error *err);
/* name = R.op(args, attrs). |attrs|: "axis=-1, keepdims=True"; NULL: none, or the defaults. |name|
   NULL: "lv". */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_op(rlx_ir_builder *b, const char *name,
                                                   const char *op, const rlx_ir_value *const *args,
                                                   uint32_t n, const char *attrs,
                                                   const rlx_ir_value **out, rlx_error *err);
/* Calls a Relax function of the module. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_call(rlx_ir_builder *b, const char *name,
                                                     const char *function,
                                                     const rlx_ir_value *const *args, uint32_t n,
                                                     const rlx_ir_value **out, rlx_error *err);
/* R.call_tir of a PrimFunc of the module; |type| is that of the result. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_call_tir(rlx_ir_builder *b, const char *name,
                                                         const char *prim,
                                                         const rlx_ir_value *const *args,
                                                         uint32_t n, const char *type,
                                                         const rlx_ir_value **out, rlx_error *err);
/* name = tuple[index] */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_get(rlx_ir_builder *b, const char *name,
                                                    const rlx_ir_value *tuple, uint32_t index,
                                                    const rlx_ir_value **out, rlx_error *err);
/* name = match_cast(value, type) */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_match_cast(rlx_ir_builder *b, const char *name,
                                                           const rlx_ir_value *value,
                                                           const char *type,
                                                           const rlx_ir_value **out,
                                                           rlx_error *err);
/* name = an If on |condition|, a boolean scalar. rlx_ir_builder_if begins the then branch.
   rlx_ir_builder_else ends it with |result| and begins the else branch, which rlx_ir_builder_end_if
   ends. Bindings built in a branch are not visible after it. Only outside dataflow blocks; both
   branches may nest further Ifs. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_if(rlx_ir_builder *b, const rlx_ir_value *condition,
                                                   rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_else(rlx_ir_builder *b, const rlx_ir_value *result,
                                                     rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_end_if(rlx_ir_builder *b, const char *name,
                                                       const rlx_ir_value *result,
                                                       const rlx_ir_value **out, rlx_error *err);
/* Begins a local function; rlx_ir_builder_end_function returns it as a value. Add its parameters
   first, with rlx_ir_builder_param. Its bindings may use variables of the enclosing function. It
   cannot call itself. Only outside dataflow blocks. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_function(rlx_ir_builder *b, const char *name,
                                                         rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_end_function(rlx_ir_builder *b,
                                                             const rlx_ir_value *result,
                                                             const rlx_ir_value **out,
                                                             rlx_error *err);
/* Calls a function that a variable holds: a local one or a parameter. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_call_value(rlx_ir_builder *b, const char *name,
                                                           const rlx_ir_value *function,
                                                           const rlx_ir_value *const *args,
                                                           uint32_t n, const rlx_ir_value **out,
                                                           rlx_error *err);
/* Values that need no binding: a tuple of |n| items, a shape "(n, 4)", an integer "n * 2", a
   constant tensor, which is retained until the compiler is destroyed. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_tuple(rlx_ir_builder *b,
                                                      const rlx_ir_value *const *items, uint32_t n,
                                                      const rlx_ir_value **out, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_shape(rlx_ir_builder *b, const char *dims,
                                                      const rlx_ir_value **out, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_integer(rlx_ir_builder *b, const char *text,
                                                        const rlx_ir_value **out, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_tensor(rlx_ir_builder *b, rlx_tensor *tensor,
                                                       const rlx_ir_value **out, rlx_error *err);
/* Ends the function with the result |result|, checks it and adds it to the module. The builder
 * cannot be used afterwards, even if the call fails. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_builder_finish(rlx_ir_builder *b,
                                                       const rlx_ir_value *result,
                                                       rlx_ir_function **out, rlx_error *err);
/* Parses TVMScript and moves its functions into |m|; this is how to add PrimFuncs. A duplicate name
 * is an error (INVALID_MODULE), and no function is added. Copies the text. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_add_text(rlx_ir_module *m, const char *path,
                                                        const char *text, size_t length,
                                                        rlx_error *err);

/* --- changing -------------------------------------------------------------------------------- */

typedef enum rlx_ir_action {
    RLX_IR_KEEP,
    RLX_IR_DROP,    /* the variable must have no use */
    RLX_IR_REPLACE, /* replace uses of the variable by |*out| */
} rlx_ir_action;
/* Calls |each| for every binding of |f| in order; the bindings of branches and local functions come
   before the binding that holds them. The operands are already replaced. |each| may insert bindings
   before this one through |b| (rlx_ir_builder_op and so on; not param, dataflow, if, function,
   finish). Types are inferred again where operands changed. Afterwards the module is checked; if it
   is not well formed, or a builder call in |each| failed, the module cannot be used further
   (INVALID_MODULE). */
RLX_NODISCARD RLX_API rlx_status rlx_ir_function_rewrite(
    rlx_ir_module *m, rlx_ir_function *f,
    rlx_ir_action (*each)(void *user, rlx_ir_builder *b, const rlx_ir_binding *binding,
                          const rlx_ir_value **out),
    void *user, rlx_error *err);

/* --- patterns -------------------------------------------------------------------------------- */

/* Finds |pattern| (docs/patterns.md) at |root|, or if that is NULL at the first binding of |f| that
   matches. *out is NULL if nothing matches. |shared|: values inside the match may be used outside.
   Errors: INVALID_ARG, INVALID_MODULE (also a malformed pattern), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_function_match(rlx_ir_module *m, const rlx_ir_function *f,
                                                       const char *pattern,
                                                       const rlx_ir_binding *root, bool shared,
                                                       const rlx_ir_match **out, rlx_error *err);
/* The value captured as |name|; NULL if the match has none. */
RLX_API const rlx_ir_value *rlx_ir_match_value(const rlx_ir_match *m, const char *name);
/* The dimension that shape= calls |name|. */
RLX_API const rlx_ir_expr *rlx_ir_match_dim(const rlx_ir_match *m, const char *name);
/* Binding |i| of the match, the root first; NULL past the end. */
RLX_API const rlx_ir_binding *rlx_ir_match_binding(const rlx_ir_match *m, uint32_t i);
/* Replaces each match of |pattern| in |f|. |build| adds the replacement through |b| (as in
   rlx_ir_function_rewrite) and returns it, or NULL to keep the match. With |build| NULL the text
   states the replacement: "PATTERN -> REPLACEMENT". A replacement with a less precise type is not
   used. Calls that become unused stay until pass dce. |out_n| (may be NULL) gets the number of
   replacements. Errors: as above; if an error follows a replacement, the module cannot be used
   further. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_function_replace(
    rlx_ir_module *m, rlx_ir_function *f, const char *pattern, bool shared,
    const rlx_ir_value *(*build)(void *user, rlx_ir_builder *b, const rlx_ir_match *match),
    void *user, uint32_t *out_n, rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
