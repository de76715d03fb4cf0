/* Shared by the files of the parser: the state, names, and what each file offers.
 *
 * A statement's syntax tree (parse_py.h) is turned into IR at once. Names live in two tables with
 * undo: `names` (variables, buffers, the class) and `symbols` (symbolic integers by the text of
 * shape annotations). Functions return NULL or false after having reported an error. */
#ifndef RLXC_SCRIPT_PARSE_H
#define RLXC_SCRIPT_PARSE_H

#include "compiler/ir/op.h"
#include "compiler/script/parse_py.h"
#include "compiler/script/script.h"

typedef enum rlxc_name_kind {
    RLXC_NAME_RVAR,
    RLXC_NAME_EXPR, /* a symbol or a TIR variable */
    RLXC_NAME_BUFFER,
    RLXC_NAME_MODULE, /* cls, Module */
    RLXC_NAME_METADATA,
    RLXC_NAME_SEQUENCE, /* axes in `for axes in T.grid(n, m)` */
    RLXC_NAME_DEVICE,   /* d = I.vdevice("llvm") */
    RLXC_NAME_THREAD,   /* tx = T.env_thread("threadIdx.x"), not launched */
    RLXC_NAME_BROKEN,   /* its definition was in error: uses are not reported again */
    RLXC_NAME_TOP       /* a symbol declared outside functions: each function gets its own */
} rlxc_name_kind;

typedef struct rlxc_name rlxc_name;
struct rlxc_name {
    const char *text;
    rlxc_name_kind kind;
    union {
        rlxc_rvar *rvar;
        const rlxc_expr *expr;
        rlxc_buffer *buffer;
        rlx_dtype dtype;         /* TOP */
        const char *device;      /* DEVICE */
        const rlxc_py *sequence; /* a tuple */
        const char *thread;      /* THREAD: its axis */
    };
    rlx_dtype thread_dtype;                  /* THREAD */
    const rlxc_expr *loop_min, *loop_extent; /* EXPR that is a loop variable */
    rlxc_name *shadowed;
};

typedef struct rlxc_names {
    rlxc_map map;
    RLXC_VEC(rlxc_name *) stack;
} rlxc_names;

typedef struct rlxc_global_use { /* checked once all functions are known */
    const char *name;
    rlxc_range range;
} rlxc_global_use;

typedef struct rlxc_metadata {             /* the values of one kind in the metadata block */
    const char *kind;                      /* "relax.expr.Constant" */
    RLXC_VEC(const rlxc_constant *) items; /* NULL: no tensor */
    RLXC_VEC(const rlxc_py *) texts;       /* as many; NULL: no text */
} rlxc_metadata;

typedef struct rlxc_parser {
    rlxc_context *ctx;
    rlxc_py_parser py;
    rlxc_py_pool pool;
    rlxc_module *module;
    rlxc_names names, symbols;
    rlxc_map aliases;   /* imported name -> canonical path */
    rlxc_map paths;     /* dotted text -> canonical path, "" for none */
    rlxc_map functions; /* names after `def` anywhere in the text -> 1, or 2 + the packed scalar
                         * type after `->` */
    rlxc_map externs;   /* R.ExternFunc of the module: name there -> name in the registry */
    rlxc_map signs;     /* of the current function: see binders.c */
    rlxc_map vectors;   /* buffer whose elements are vectors in the text -> their lanes */
    rlxc_map declared;  /* symbols that its body declares: 1 + their packed type */
    RLXC_VEC(rlxc_global_use) uses;
    RLXC_VEC(rlxc_metadata) metadata;

    bool tir;              /* bare integers are int32, names are TIR variables */
    bool declare;          /* unknown names in shapes are new symbols */
    uint32_t depth;        /* nesting of statements, types and values */
    bool derived;          /* the compiler printed this text: sizes may be negative */
    bool legacy;           /* true for a form older than pure= */
    bool says_purity;      /* a function has pure= */
    bool has_class, noted; /* the text after the class is skipped, with one note */
    uint32_t quoted;       /* nesting of expressions inside string literals */

    rlxc_function *function; /* Relax function being read */
    rlxc_body *body;
    rlxc_binding_block *block;
    bool dataflow;
    rlxc_map nulls;            /* variables that hold R.null_value() */
    RLXC_VEC(uint32_t) dtypes; /* by variable id: 1 + packed element type, if known */
} rlxc_parser;

/* --- parse.c */

rlxc_name *rlxc_names_find(const rlxc_names *names, const char *text);
rlxc_name *rlxc_names_define(rlxc_context *ctx, rlxc_names *names, const char *text,
                             rlxc_name_kind kind);
uint32_t rlxc_names_mark(const rlxc_names *names);
void rlxc_names_restore(rlxc_context *ctx, rlxc_names *names, uint32_t mark);
/* True if |e| is a name whose definition was in error. */
bool rlxc_parse_is_broken(const rlxc_parser *p, const rlxc_py *e);
/* "R.nn.softmax", "T.grid", "I.vdevice" for a dotted name that begins with an imported or default
 * alias that no variable hides; else NULL. */
const char *rlxc_parse_path(rlxc_parser *p, const rlxc_py *e);
bool rlxc_parse_path_is(rlxc_parser *p, const rlxc_py *e, const char *path);
/* The name f of `cls.f`, `Module.f` or of a bare function name; NULL when |e| is something else. */
const char *rlxc_parse_global(rlxc_parser *p, const rlxc_py *e);
/* The function of that name: of the module or, by R.ExternFunc there, of the registry. */
rlxc_atom rlxc_parse_global_atom(rlxc_parser *p, const char *name, rlxc_range range);
/* The declared return type of the function of this name; void: none, or not a scalar. */
rlx_dtype rlxc_parse_returned(const rlxc_parser *p, const char *name);
/* Enters one level of nesting; false with an error beyond RLXC_MAX_DEPTH. */
bool rlxc_parse_enter(rlxc_parser *p, rlxc_range range);
void rlxc_parse_leave(rlxc_parser *p);
/* `T.int64()`, `T.var("int64")`, ...: a declaration without a value; the type in |out|. */
bool rlxc_parse_is_declaration(rlxc_parser *p, const rlxc_py *e, rlx_dtype *out);
/* Binds |name| to the symbolic variable of that name of the current function. */
void rlxc_parse_declare_symbol(rlxc_parser *p, const char *name, rlx_dtype dtype);

/* --- binders.c */

/* At the `def` line of an outermost function: finds the symbols that may be negative. */
void rlxc_parse_find_signs(rlxc_parser *p);
bool rlxc_parse_may_be_negative(const rlxc_parser *p, const char *symbol);

/* --- parse_prim.c, parse_intrin.c */

const rlxc_expr *rlxc_parse_prim(rlxc_parser *p, const rlxc_py *e);
const rlxc_expr *rlxc_parse_intrinsic(rlxc_parser *p, const rlxc_py *call, const char *path);
/* f(x, A) in a PrimFunc, where |name| is a function of the module. */
const rlxc_expr *rlxc_parse_prim_call(rlxc_parser *p, const rlxc_py *call, const char *name);
/* A buffer in the form of T.tvm_stack_make_array. */
const rlxc_expr *rlxc_parse_whole_buffer(rlxc_parser *p, const rlxc_buffer *buffer);
/* Other spellings of intrinsics: T.Call, T.call_intrin, T.prefetch, ...; false: none of them. */
bool rlxc_parse_spelled(rlxc_parser *p, const rlxc_py *call, const char *name,
                        const rlxc_expr **out);
/* A.vload(indices[, dtype][, predicate=mask]); false: something else. */
bool rlxc_parse_vector_load(rlxc_parser *p, const rlxc_py *call, const rlxc_expr **out);
/* The element of a one-element buffer; NULL for other buffers. */
const rlxc_expr *rlxc_parse_only_element(rlxc_parser *p, const rlxc_buffer *buffer);
/* "inf", "-inf", "nan"; false for other text. */
bool rlxc_parse_special_float(const char *text, double *out);
const rlxc_expr *rlxc_parse_binary(rlxc_parser *p, rlxc_expr_kind kind, const rlxc_expr *a,
                                   const rlxc_expr *b, rlxc_range range);
/* The extent of a loop or an axis from |min| up to |end|: as printed after "min +", if it was. */
const rlxc_expr *rlxc_parsed_extent(rlxc_parser *p, const rlxc_expr *min, const rlxc_expr *end);
/* Gives both operands one type. */
bool rlxc_parse_unify(rlxc_parser *p, const rlxc_expr **a, const rlxc_expr **b);
/* The expression in a string literal. */
const rlxc_expr *rlxc_parse_quoted(rlxc_parser *p, const rlxc_py *e);
/* An integer expression; a string holds one too. Relax: int64. */
const rlxc_expr *rlxc_parse_dim(rlxc_parser *p, const rlxc_py *e);
/* A tuple or list of dimensions, or a single one. */
bool rlxc_parse_dims(rlxc_parser *p, const rlxc_py *e, const rlxc_expr *const **out,
                     uint32_t *out_n);
/* Refuses sizes that are negative numbers. |e| is what the text has for them: a list of as many
 * items, whose ranges are reported, or anything else. A shape value may hold such numbers; a
 * tensor, a buffer and an allocation may not, unless the compiler derived them. */
bool rlxc_parse_check_sizes(rlxc_parser *p, const rlxc_py *e, const rlxc_expr *const *sizes,
                            uint32_t n);
bool rlxc_parse_dtype(rlxc_parser *p, const rlxc_py *e, rlx_dtype *out);
/* True if |e| can only be a symbolic or scalar expression (not a tensor). */
bool rlxc_parse_is_prim(rlxc_parser *p, const rlxc_py *e);
/* An index list: points and, if |out_extents| is not NULL, slices; otherwise slices become ramps.
 */
bool rlxc_parse_indices(rlxc_parser *p, const rlxc_buffer *buffer, const rlxc_py *e,
                        const rlxc_expr *const **out, const rlxc_expr *const **out_extents);
const rlxc_buffer *rlxc_parse_buffer_name(rlxc_parser *p, const rlxc_py *e); /* NULL, no error */

/* --- sequence.c */

/* Converts forms that stand for several values to a tuple: the shape of a buffer, a name of the
 * kind SEQUENCE, a list with unpacked items; anything else is unchanged in |out|. */
bool rlxc_parse_sequence(rlxc_parser *p, const rlxc_py *e, const rlxc_py **out);
/* The |n| arguments of |at| with the unpacked ones in place, as a tuple. */
bool rlxc_parse_flat(rlxc_parser *p, const rlxc_py *at, const rlxc_py *const *items, uint32_t n,
                     const rlxc_py **out);
/* Makes the name |target| stand for the defined |names|, which are interned. */
void rlxc_parse_name_sequence(rlxc_parser *p, const rlxc_py *target, const char *const *names,
                              uint32_t n);

/* --- parse_attr.c */

bool rlxc_parse_attr(rlxc_parser *p, const rlxc_py *e, rlxc_attr *out);
bool rlxc_parse_attr_dict(rlxc_parser *p, const rlxc_py *e, rlxc_attrs *io);
/* The single dictionary argument of R.func_attr, T.block_attr, I.module_attrs. */
bool rlxc_parse_attr_call(rlxc_parser *p, const rlxc_py *call, rlxc_attrs *io);
/* R.const(value, dtype) */
const rlxc_constant *rlxc_parse_const(rlxc_parser *p, const rlxc_py *call);
/* A number as a tensor of rank 0. */
const rlxc_constant *rlxc_parse_scalar(rlxc_parser *p, const rlxc_py *e, rlx_dtype dtype);
/* Numbers of a list in nesting order as little-endian elements; shape from the nesting. */
bool rlxc_parse_elements(rlxc_parser *p, const rlxc_py *e, rlx_dtype dtype, int64_t *out_shape,
                         uint32_t *out_ndim, void **out_data, size_t *out_nbytes);
bool rlxc_parse_is_number(rlxc_parser *p, const rlxc_py *e);

/* --- parse_sinfo.c */

const rlxc_sinfo *rlxc_parse_sinfo(rlxc_parser *p, const rlxc_py *e);
bool rlxc_parse_is_sinfo(rlxc_parser *p, const rlxc_py *e);
/* T.float32 or T.float32(): the type of a scalar. */
bool rlxc_parse_scalar_type(rlxc_parser *p, const rlxc_py *e, rlx_dtype *out);

/* --- parse_device.c */

/* I.module_global_infos({"vdevice": [...]}) */
bool rlxc_parse_global_infos(rlxc_parser *p, const rlxc_py *call);
/* True if |e| describes a device: I.vdevice(...), tvm.ir.VDevice(...). */
bool rlxc_parse_is_vdevice(rlxc_parser *p, const rlxc_py *e);
/* "llvm:0", interned, for a string that names a device of the module's table, for a call that
 * describes one, which enters it into the table, and for a variable that holds one; NULL after an
 * error. */
const char *rlxc_parse_vdevice(rlxc_parser *p, const rlxc_py *e);
/* As above; R.device(...) names a device without the table: only "cpu:0" exists. */
const char *rlxc_parse_device(rlxc_parser *p, const rlxc_py *e);

/* --- signature.c */

typedef struct rlxc_parameter {
    const char *name;
    const rlxc_py *annotation; /* or NULL */
    rlxc_range range;
} rlxc_parameter;
typedef struct rlxc_parameters {
    RLXC_VEC(const char *) symbols; /* of def f[n, m](...) */
    RLXC_VEC(rlxc_parameter) list;
} rlxc_parameters;
/* [n](a: T, b: T) -> R, up to the colon; the trees stay alive until the next reset. */
bool rlxc_parse_header(rlxc_parser *p, rlxc_parameters *out, const rlxc_py **out_ret);
/* At the same place: reads ahead for the symbols that the body declares, then rewinds. */
void rlxc_parse_find_declared(rlxc_parser *p);
/* The type of a symbol used before its declaration. */
rlx_dtype rlxc_parse_declared_dtype(const rlxc_parser *p, const char *symbol);

/* --- parse_function.c, parse_relax.c, parse_value.c, parse_call.c, parse_args.c */

/* The statements of |f|, at the colon. */
void rlxc_parse_body(rlxc_parser *p, rlxc_function *f);
/* At `def`: the whole function. */
bool rlxc_parse_function(rlxc_parser *p, rlxc_range start, bool is_private, bool is_pure);
/* R.ExternFunc("name"), or the class's name for one; false, without an error, for anything else. */
bool rlxc_parse_extern(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out);
rlxc_binding *rlxc_parse_new_binding(rlxc_parser *p, rlxc_form form, rlxc_range range,
                                     const rlxc_atom *args, uint32_t n);
/* Atoms of all |items|; NULL after an error. */
rlxc_atom *rlxc_parse_atoms(rlxc_parser *p, const rlxc_py *const *items, uint32_t n);
/* True if the "element type" marks a variable that holds a shape. */
bool rlxc_parse_is_shape(rlx_dtype t);
bool rlxc_parse_atom(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out);
/* The right side of a binding: a new binding without variable, or an atom if there is nothing to
 * compute (*out_binding NULL). */
bool rlxc_parse_rhs(rlxc_parser *p, const rlxc_py *e, rlxc_binding **out_binding,
                    rlxc_atom *out_atom);
rlxc_binding *rlxc_parse_call(rlxc_parser *p, const rlxc_py *call);
rlxc_binding *rlxc_parse_operator(rlxc_parser *p, const rlxc_operator *op, const rlxc_py *call);
/* The call of |op| with operands |args| and the keywords of |call|, which hold attributes alone. */
rlxc_binding *rlxc_parse_keywords(rlxc_parser *p, const rlxc_operator *op, const rlxc_py *call,
                                  const rlxc_atom *args, uint32_t n);
rlxc_binding *rlxc_parse_operator_atoms(rlxc_parser *p, const char *name, rlxc_range range,
                                        const rlxc_atom *args, uint32_t n);
bool rlxc_parse_tuple_atom(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out);
bool rlxc_parse_sinfo_args(rlxc_parser *p, const rlxc_py *e, rlxc_binding *binding);
void rlxc_parse_emit(rlxc_parser *p, rlxc_binding *binding, const char *name);
rlx_dtype rlxc_parse_atom_dtype(rlxc_parser *p, rlxc_atom atom); /* void: not known here */
rlx_dtype rlxc_parse_result_dtype(rlxc_parser *p, const rlxc_binding *binding);
void rlxc_parse_set_dtype(rlxc_parser *p, const rlxc_rvar *var, rlx_dtype dtype);

/* --- parse_tir.c, parse_block.c */

/* At `def`: the whole function. */
bool rlxc_parse_prim_func(rlxc_parser *p, rlxc_range start, bool is_private);

/* --- metadata.c */

/* Reads the JSON of tvm.ir.load_json: the tensors among its values. */
bool rlxc_parse_metadata(rlxc_parser *p, const rlxc_py *text);
/* Defines metadata["kept"]. */
void rlxc_parse_kept(rlxc_parser *p, const rlxc_kept *kept);
/* metadata["relax.expr.Constant"][3] */
bool rlxc_parse_is_metadata(rlxc_parser *p, const rlxc_py *e);
const rlxc_constant *rlxc_parse_metadata_item(rlxc_parser *p, const rlxc_py *e); /* NULL: error */
/* The string literal that metadata["ffi.String"][0] refers to; anything else unchanged. */
const rlxc_py *rlxc_parse_literal(rlxc_parser *p, const rlxc_py *e);

#endif
