/* What an operator is: a row of the operator table (compiler/ops/ops.def), which parser, printer,
 * inference, legalization, passes and tests read.
 *
 * Row:  RLXC_OP(name, inputs, attrs, infer, legalize, flags, pattern, doc)
 *   inputs  "x, weight, bias?" : names in order. '?' optional; '*' a tuple of such values given as
 *           one tuple argument; '...' any number of further arguments. Kinds: none a tensor,
 *           ':shape' (a tuple literal of integers is accepted), ':prim' a prim value (an integer
 *           literal is accepted), ':dtype' R.dtype or a string, ':str' R.str or a string,
 *           ':index' a tensor of positions, ':host' a tensor that the host reads, ':closure'
 *           a function as a value, ':object' anything, whose tensors the host reads. So
 *           "axes*:prim" is a tuple (or list) of prim values.
 *           An absent optional input that is followed by others is an empty tuple, R.tuple().
 *   attrs   "axis=-1:int, keepdims=False:bool, dtype=void:dtype, layout=\"NCHW\":order(NCHW),
 *           strides=[1,1]:ints, axis=None:ints?, k:int" in printing order, which is also the order
 *           of positional use after the inputs; without '=' it is required. A string is ':text', or
 *           ':str(fast|wrap)' one of those listed, or ':order(NCHW)' these letters in any order;
 *           ':vdevice' a device of the module, ':device' that or R.device(...)
 *   infer   result type, NULL after an error; legalize  emits call_tir / builtin calls, NULL when
 *           codegen handles the operator itself */
#ifndef RLXC_IR_OP_H
#define RLXC_IR_OP_H

#include "compiler/ir/rewrite.h"

typedef enum rlxc_op_flags {
    RLXC_OP_IMPURE = 1 << 0, /* has effects: never dropped, merged or reordered */
    RLXC_OP_ALIASES_0 =
        1 << 1, /* the result shares memory with args[0] (reshape, view, ensure_zero_offset) */
    RLXC_OP_BINDS_SYMBOLS = 1 << 2,
    RLXC_OP_CALLS =
        1 << 3, /* args[0] names a callee: call_tir family, invoke_closure, make_closure */
    RLXC_OP_MEMORY = 1 << 4, /* alloc_* and kill_*: explicit memory, only after lower_call_tir or in
                                lowered input */
    RLXC_OP_DATA_DEPENDENT = 1 << 5, /* result shape depends on values: unique, nonzero */
    RLXC_OP_SINFO_ARGS = 1 << 6,     /* accepts sinfo_args= / out_sinfo= / out_ty= / type_args= */
    RLXC_OP_DESTROYS = 1 << 7,       /* writes into an argument: call_tir_inplace */
    RLXC_OP_ANY_RANK = 1 << 8,       /* is lowered without knowing its arguments' ranks */
    RLXC_OP_KILLS = 1 << 9,          /* ends its argument */
    RLXC_OP_STORAGE = 1 << 10,       /* makes a storage for tensors */
    /* How an operator depends on the order of its operands' dimensions
     * (compiler/passes/layout_map.h): */
    RLXC_OP_BY_ELEMENT = 1 << 11, /* elementwise with broadcasting */
    RLXC_OP_ALONG = 1 << 12,      /* attributes axis, axes, channel_axis name dimensions of args[0],
                                   * all others are treated alike; further tensors are vectors or
                                   * scalars */
    RLXC_OP_EACH_AXIS = 1 << 13,  /* pad_width, repeats: as many numbers for each dimension */
    RLXC_OP_LAYOUT = 1 << 14,     /* attributes layout, out_layout name the dimensions */
    /* In mixed precision (compiler/passes/to_mixed_precision.c); others never change their type: */
    RLXC_OP_NARROWS = 1 << 16, /* reads float32 operands as 16-bit ones */
    RLXC_OP_FOLLOWS = 1 << 17, /* moves the elements of args[0]: may run before or after rounding */
    RLXC_OP_STORES = 1 << 18,  /* accepts and returns storage-only types (float8, int4), as
                                * operators that move, alias, call or place tensors do */
    RLXC_OP_ANYWHERE = 1 << 19, /* reads types only: operands may be on any device, and a result is
                                 * on the host */
    RLXC_OP_CHECKS = 1 << 15    /* can fail and does nothing else: never dropped or merged; stays
                                 * after the definitions of its symbols and before the bindings that
                                 * follow it */
} rlxc_op_flags;

/* Pattern kinds for fusion, TVM's order. */
typedef enum rlxc_pattern {
    RLXC_PATTERN_ELEMWISE = 0,
    RLXC_PATTERN_BROADCAST = 1,
    RLXC_PATTERN_INJECTIVE = 2,
    RLXC_PATTERN_REDUCE = 3,
    RLXC_PATTERN_OUT_FUSABLE = 4, /* matmul, conv: elementwise consumers fuse into the output */
    RLXC_PATTERN_TUPLE = 7,
    RLXC_PATTERN_OPAQUE = 8
} rlxc_pattern;

typedef const rlxc_sinfo *(*rlxc_infer_fn)(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call);
/* Emits the lowered form of |call| and returns the atom that replaces it; kind NONE: not lowered
 * (an error was reported or codegen takes it). */
typedef rlxc_atom (*rlxc_legalize_fn)(rlxc_builder *b, const rlxc_binding *call);

typedef enum rlxc_op_attr_kind {
    RLXC_OPATTR_INT,
    RLXC_OPATTR_FLOAT,
    RLXC_OPATTR_BOOL,
    RLXC_OPATTR_STR,
    RLXC_OPATTR_DTYPE,
    RLXC_OPATTR_INTS,    /* a list; a lone int is accepted as a list of one */
    RLXC_OPATTR_VDEVICE, /* a device of the module's table, kept as the string "llvm:0" */
    RLXC_OPATTR_DEVICE,  /* the same, or R.device(...) */
    RLXC_OPATTR_ANY
} rlxc_op_attr_kind;

struct rlxc_operator {
    const char *name;   /* as after "R.": "add", "nn.softmax", "memory.alloc_storage" */
    const char *inputs; /* schema text, see above */
    const char *attrs;
    rlxc_infer_fn infer;
    rlxc_legalize_fn legalize;
    uint32_t flags;
    rlxc_pattern pattern;
    const char *doc;
    uint16_t index; /* row number */
};

/* Access to the operator table (compiler/ops/table.c) for layers below compiler/ops. */
/* NULL when there is no such operator. */
const rlxc_operator *rlxc_find_operator(const char *name, size_t length);
const rlxc_operator *rlxc_operators(uint32_t *out_count); /* for --list-ops and generic tests */
/* The nearest operator name, for "did you mean". NULL when nothing is near. */
const char *rlxc_suggest_operator(const char *name, size_t length);

typedef struct rlxc_op_input {
    const char *name;
    size_t name_length;
    bool optional, is_tuple;
    bool is_index; /* a tensor of indices: a plain number is an int64 */
    bool is_host;  /* a tensor whose elements the host reads, wherever the operator runs */
    char kind;     /* 't' tensor, 's' shape, 'p' prim, 'd' dtype, 'q' string, 'c' closure,
                    * 'o' object */
} rlxc_op_input;
typedef struct rlxc_op_attr {
    const char *name;
    size_t name_length;
    rlxc_op_attr_kind kind;
    bool optional /* None allowed */;
    bool has_default;
    rlxc_attr default_value;
    /* STR: the allowed values; choices_length 0: any. "fast|wrap", or letters in any order. */
    const char *choices;
    size_t choices_length;
    bool is_order;
} rlxc_op_attr;
enum { RLXC_MAX_OP_INPUTS = 16, RLXC_MAX_OP_ATTRS = 24 };
/* Parsed schema of a row. */
typedef struct rlxc_op_schema {
    rlxc_op_input inputs[RLXC_MAX_OP_INPUTS];
    uint32_t n_inputs;
    rlxc_op_attr attrs[RLXC_MAX_OP_ATTRS];
    uint32_t n_attrs;
    bool variadic; /* the last input may occur any number of times, also never */
} rlxc_op_schema;
/* Parses the inputs column alone; gives their number. */
uint32_t rlxc_operator_inputs(const rlxc_operator *op, rlxc_op_input *out, bool *out_variadic);
void rlxc_operator_schema(rlxc_context *ctx, const rlxc_operator *op, rlxc_op_schema *out);
/* Finds the first string attribute of |call| whose value is not one that the operator's row lists;
 * false when there is none. |out_value| is the value, |out| the attribute without its default. */
bool rlxc_operator_wrong_choice(const rlxc_binding *call, rlxc_op_attr *out,
                                const char **out_value);
/* True if the operator accepts and returns storage-only types (RLXC_OP_STORES). */
bool rlxc_call_stores(const rlxc_binding *call);
/* The allowed values of |attr| as text: "fast", "wrap" or "clip"; an order of "NCHW". */
const char *rlxc_op_attr_choices(rlxc_context *ctx, const rlxc_op_attr *attr);

/* Attribute helpers for inference and legalization (schema guarantees presence; these give typed
 * access). */
int64_t rlxc_attr_get_int(const rlxc_binding *call, const char *name, int64_t otherwise);
bool rlxc_attr_get_bool(const rlxc_binding *call, const char *name, bool otherwise);
/* The value as a double if it is a number. */
bool rlxc_attr_as_number(const rlxc_attr *attr, double *out);
double rlxc_attr_get_float(const rlxc_binding *call, const char *name, double otherwise);
const char *rlxc_attr_get_str(const rlxc_binding *call, const char *name, const char *otherwise);
rlx_dtype rlxc_attr_get_dtype(const rlxc_binding *call, const char *name); /* void when absent */
/* An int list; false when None. */
bool rlxc_attr_get_ints(const rlxc_binding *call, const char *name, int64_t *out, uint32_t capacity,
                        uint32_t *out_n);
/* Dimension |i| of the result of permute_dims |call| is out[i] of its operand's |ndim|; without
 * axes their order is reversed. False if there is another number of axes. */
bool rlxc_permutation(const rlxc_binding *call, int32_t ndim, int64_t *out);

#endif
