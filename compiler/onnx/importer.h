/* Shared by the importer's files: the values of ONNX names, access to the current node, and
 * emission of operators.
 *
 * A handler reads its node's inputs and attributes, emits operators and sets the outputs. After the
 * first failure of a node all its calls have no effect, so handlers need no checks of their own:
 * accessors return harmless values for missing inputs. Small integer tensors carry their elements
 * as symbolic expressions; such a value has no atom until something needs the tensor itself. */
#ifndef RLXC_ONNX_IMPORTER_H
#define RLXC_ONNX_IMPORTER_H

#include <sys/types.h>

#include "compiler/ir/rewrite.h"
#include "compiler/ir/sym.h"
#include "onnx/onnx.pb-c.h"

enum {
    RLXC_OX_MAX_ELEMS = 64,
    RLXC_OX_MAX_LIST = 256,
    RLXC_OX_MAX_UNROLL = 64,
    RLXC_OX_MAX_ITEMS = 1024,    /* of a sequence of known length */
    RLXC_OX_MAX_AGAIN = 1 << 18, /* nodes: rlxc_ox.n_again */
    RLXC_OX_MAX_NAMES = 1 << 14  /* inputs or outputs of a node or a body */
};

typedef enum rlxc_ox_kind {
    RLXC_OX_ABSENT, /* an optional input or an empty optional */
    RLXC_OX_FAILED, /* the node that makes it could not be imported */
    RLXC_OX_TENSOR,
    RLXC_OX_SEQUENCE, /* of known length */
    RLXC_OX_OBJECT    /* a sequence or an optional that is known only at run time: object.h */
} rlxc_ox_kind;

typedef struct rlxc_ox_elem rlxc_ox_elem;

typedef struct rlxc_ox_value {
    rlxc_ox_kind kind;
    rlxc_atom atom;  /* kind NONE until needed where the elements are known */
    rlx_dtype dtype; /* with elements: the tensor's, of rank 0 or 1 */
    bool is_vector;
    const rlxc_expr *const *elems; /* whole numbers, whatever the dtype; NULL: not known */
    uint32_t n_elems;
    /* The elements of a small integer matrix, by rows, kept with its atom, because exporters
     * reverse padding lists in that form. NULL: unknown. */
    const rlxc_expr *const *grid;
    uint32_t rows, columns;
    struct rlxc_ox_value *const *items; /* SEQUENCE */
    uint32_t n_items;
    const rlxc_ox_elem *elem; /* OBJECT: the common type of its tensors; NULL: unknown */
    bool is_declared;         /* an input or an initializer: the model states its type */
    bool is_list, maybe;      /* OBJECT: a sequence; may be empty, as an optional */
} rlxc_ox_value;

typedef struct rlxc_ox_scope {
    struct rlxc_ox_scope *outer;
    rlxc_map values;       /* interned name -> rlxc_ox_value */
    rlxc_map declared;     /* interned name -> what the graph says of the value's type */
    rlxc_map sizes, names; /* of dimensions: sizes.h */
    struct rlxc_ox_frame *frame;
} rlxc_ox_scope;

/* A function under construction; values that an inner function uses from outside become parameters.
 */
typedef struct rlxc_ox_frame {
    struct rlxc_ox_frame *outer;
    rlxc_builder b;
    rlxc_body *body;                    /* under construction: the function's, or a branch's */
    rlxc_map captured;                  /* value of the surroundings -> rlxc_ox_value in here */
    RLXC_VEC(rlxc_ox_value *) captures; /* as seen outside */
    RLXC_VEC(rlxc_rvar *) capture_params;
    RLXC_VEC(const rlxc_expr *) outer_symbols;
    RLXC_VEC(const rlxc_expr *) inner_symbols;
} rlxc_ox_frame;

/* A file of external data, mapped once. */
typedef struct rlxc_ox_file {
    dev_t device;
    ino_t inode;
    const unsigned char *data;
    size_t size;
} rlxc_ox_file;

/* The model's names, by the identifiers that replace them. */
typedef struct rlxc_ox_names {
    RLXC_VEC(const char *) keys;
    RLXC_VEC(rlxc_attr) values;
} rlxc_ox_names;

/* Float initializers that leave the executable (ir/lifted.h), so that their elements are unknown
 * here: all those of the main graph with more than one element. One whose elements decide a shape
 * is removed from the list again. */
typedef struct rlxc_ox_weights {
    bool lift;
    RLXC_VEC(rlxc_constant *) all;
    rlxc_map in; /* rlxc_constant: set for those that were not taken out */
} rlxc_ox_weights;

typedef struct rlxc_ox {
    rlxc_context *ctx;
    rlxc_module *module;
    const char *folder; /* of the model, for external data */
    const Onnx__ModelProto *model;
    const struct rlxc_ox_raw *raw; /* weights that stay in the model's bytes: raw.h */
    RLXC_VEC(rlxc_ox_file) files;  /* of external data */
    rlxc_map constants;            /* message -> rlxc_constant: bodies are imported many times */
    rlxc_ox_weights weights;       /* that are lifted */
    size_t n_dense;                /* elements of sparse constants, written out */
    int64_t opset;
    rlxc_ox_frame *frame;
    rlxc_ox_scope *scope;
    const char *path;
    rlxc_map lines;          /* node -> file and line of its listing: rlxc_ox_range_of */
    rlxc_map dim_params;     /* interned name -> symbol of main */
    rlxc_map taken, numbers; /* identifiers in use; the last number behind each */
    rlxc_ox_names param_names, dim_names;
    uint32_t file;
    const Onnx__NodeProto *node;
    struct rlxc_ox_rest *rest; /* graph.h */
    uint32_t n_splits;         /* open branches that contain later nodes: rank_cases.c */
    uint32_t n_again;          /* nodes imported in those, and in trials */
    bool widened;              /* an operand's float type: the model may declare the other */
    bool trying, refused; /* a trial: errors mean that a case does not fit; too much work: refused
                           */
    rlxc_map last_uses;   /* graph -> map of its names, of rank_cases.c */
    uint32_t errors;      /* before the node */
    uint32_t depth, loop_depth; /* of sub-graphs, of loops */
    uint32_t n_imported;        /* nodes, those of bodies each time */
    uint32_t n_failed;          /* nodes */
    int64_t channel_block;      /* of layouts.c; 0: not found yet */
    uint32_t n_dequantized;     /* values that rlxc_ox_dequantized made; */
    uint32_t n_rounded;         /* those that only activations of 8 bits need to be multiplied by */
    bool any_rank;              /* operators that need a known rank fail the node: ranks.c */
    bool failed;
} rlxc_ox;

typedef struct rlxc_ox_row rlxc_ox_row;
typedef void (*rlxc_ox_fn)(rlxc_ox *im, const rlxc_ox_row *row);
struct rlxc_ox_row {
    const char *name;
    rlxc_ox_fn fn;
    const char *arg; /* for handlers of several operators */
};
/* NULL: no such operator; |*out_known|: the domain has operators. */
const rlxc_ox_row *rlxc_ox_find_row(const char *domain, const char *name, bool *out_known);

/* Messages unpacked with it live as long as |ctx|. */
ProtobufCAllocator rlxc_ox_allocator(rlxc_context *ctx);

/* --- the node --- */
void rlxc_ox_fail(rlxc_ox *im, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An error that does not fail the node, so that further errors of the node are reported as well. */
void rlxc_ox_report(rlxc_ox *im, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rlxc_ox_warn(rlxc_ox *im, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* True while the node has not failed; also checks for errors that an operator reported. */
bool rlxc_ox_good(rlxc_ox *im);
uint32_t rlxc_ox_n_inputs(const rlxc_ox *im);
uint32_t rlxc_ox_n_outputs(const rlxc_ox *im);
bool rlxc_ox_wants(const rlxc_ox *im, uint32_t output); /* the output has a name */
bool rlxc_ox_has(const rlxc_ox *im, uint32_t input);
rlxc_ox_value *rlxc_ox_value_in(rlxc_ox *im,
                                uint32_t input);   /* never NULL; absent: kind RLXC_OX_ABSENT */
rlxc_atom rlxc_ox_in(rlxc_ox *im, uint32_t input); /* a tensor whose dimensions are known */
void rlxc_ox_set(rlxc_ox *im, uint32_t output, rlxc_atom atom);
/* For operators that are made of several: 16-bit floats as float32, so that only the result is
 * rounded, and no square underflows or overflows; and the result in the type of input 0. */
rlxc_atom rlxc_ox_wide_in(rlxc_ox *im, uint32_t input);
void rlxc_ox_set_rounded(rlxc_ox *im, uint32_t output, rlxc_atom atom);
void rlxc_ox_set_value(rlxc_ox *im, uint32_t output, rlxc_ox_value *value);
/* Sets output 0 to |y|, an integer matrix of the known |elems|. */
void rlxc_ox_set_grid(rlxc_ox *im, rlxc_atom y, const rlxc_expr *const *elems, uint32_t rows,
                      uint32_t columns);
void rlxc_ox_set_elems(rlxc_ox *im, uint32_t output, rlx_dtype dtype, bool is_vector,
                       const rlxc_expr *const *elems, uint32_t n);
const Onnx__AttributeProto *rlxc_ox_attr(const rlxc_ox *im, const char *name); /* NULL: not given */
int64_t rlxc_ox_whole(double value); /* towards 0, clipped to what an int64 has */
int64_t rlxc_ox_int(const rlxc_ox *im, const char *name, int64_t otherwise);
double rlxc_ox_float(const rlxc_ox *im, const char *name, double otherwise);
const char *rlxc_ox_str(rlxc_ox *im, const char *name, const char *otherwise);
bool rlxc_ox_is(rlxc_ox *im, const char *name, const char *otherwise, const char *text);
/* False when not given; too many fail the node. */
bool rlxc_ox_ints(rlxc_ox *im, const char *name, int64_t *out, uint32_t capacity, uint32_t *out_n);

/* --- values --- */
rlxc_ox_value *rlxc_ox_tensor(rlxc_ox *im, rlxc_atom atom);
rlxc_ox_value *rlxc_ox_lookup(rlxc_ox *im, const char *name); /* NULL: no such value */
rlxc_atom rlxc_ox_atom(rlxc_ox *im,
                       rlxc_ox_value *value); /* makes the tensor where only elements are known */
/* Known elements, without emitting anything; false: unknown. */
bool rlxc_ox_known(rlxc_ox *im, rlxc_ox_value *value, const rlxc_expr *const **out,
                   uint32_t *out_n);
/* As above, except constants of types other than int32 and int64, which stay constants. */
bool rlxc_ox_known_sizes(rlxc_ox *im, rlxc_ox_value *value, const rlxc_expr *const **out,
                         uint32_t *out_n);
/* Elements of an integer vector or scalar, read at run time if unknown. */
bool rlxc_ox_elems(rlxc_ox *im, uint32_t input, const rlxc_expr *const **out, uint32_t *out_n);
bool rlxc_ox_elems_of(rlxc_ox *im, rlxc_ox_value *value, const rlxc_expr *const **out,
                      uint32_t *out_n);
/* The only element of an input, as rlxc_ox_elems; NULL, failing the node, if it does not have
 * exactly one. */
const rlxc_expr *rlxc_ox_one(rlxc_ox *im, uint32_t input);
/* The one constant integer of a scalar input; false: not known now. */
bool rlxc_ox_const_int(rlxc_ox *im, uint32_t input, int64_t *out);
rlxc_constant *rlxc_ox_constant(rlxc_ox *im, const Onnx__TensorProto *t, const char *what);
/* As a dense constant. */
const rlxc_constant *rlxc_ox_sparse_constant(rlxc_ox *im, const Onnx__SparseTensorProto *t,
                                             const char *what);
bool rlxc_ox_dtype_of(int32_t onnx, rlx_dtype *out);
/* Elements of a constant as doubles; false when it is none or too large. */
bool rlxc_ox_const_doubles(rlxc_ox *im, rlxc_ox_value *value, double *out, uint32_t capacity,
                           uint32_t *out_n);

/* --- what is known of an atom --- */
/* NULL after a failure, or if it is not a tensor. */
const rlxc_sinfo *rlxc_ox_info(rlxc_ox *im, rlxc_atom a);
rlx_dtype rlxc_ox_type(rlxc_ox *im, rlxc_atom a);
uint32_t rlxc_ox_ndim(rlxc_ox *im, rlxc_atom a);
const rlxc_expr *rlxc_ox_dim(rlxc_ox *im, rlxc_atom a, uint32_t i);
bool rlxc_ox_static_dim(rlxc_ox *im, rlxc_atom a, uint32_t i, int64_t *out); /* false: symbolic */
int64_t rlxc_ox_need_dim(rlxc_ox *im, rlxc_atom a, uint32_t i,
                         const char *what); /* fails when symbolic */
void rlxc_ox_dims(rlxc_ox *im, rlxc_atom a, const rlxc_expr *out[RLXC_MAX_NDIM]);
uint32_t rlxc_ox_axis(rlxc_ox *im, int64_t axis, uint32_t ndim);

/* --- emission --- */
rlxc_atom rlxc_ox_opv(rlxc_ox *im, const char *op, const rlxc_atom *args, uint32_t n,
                      rlxc_attrs attrs);
/* A call of the runtime's builtin |name|, for what Relax lacks. It may be dropped and moved;
 * |result| is its type. */
rlxc_atom rlxc_ox_builtin(rlxc_ox *im, const char *name, const rlxc_atom *args, uint32_t n,
                          const rlxc_sinfo *result);
rlxc_atom rlxc_ox_op0(rlxc_ox *im, const char *op, rlxc_atom a, rlxc_attrs attrs);
rlxc_atom rlxc_ox_op1(rlxc_ox *im, const char *op, rlxc_atom a);
rlxc_atom rlxc_ox_op2(rlxc_ox *im, const char *op, rlxc_atom a, rlxc_atom b);
rlxc_atom rlxc_ox_op3(rlxc_ox *im, const char *op, rlxc_atom a, rlxc_atom b, rlxc_atom c);
rlxc_attrs rlxc_ox_with(rlxc_ox *im, rlxc_attrs attrs, const char *key, rlxc_attr value);
rlxc_attrs rlxc_ox_with_int(rlxc_ox *im, rlxc_attrs attrs, const char *key, int64_t value);
rlxc_attrs rlxc_ox_with_ints(rlxc_ox *im, rlxc_attrs attrs, const char *key, const int64_t *v,
                             uint32_t n);
rlxc_atom rlxc_ox_field(rlxc_ox *im, rlxc_atom tuple, uint32_t index);
rlxc_atom rlxc_ox_match(rlxc_ox *im, rlxc_atom atom, const rlxc_sinfo *sinfo);
/* |a| as a tensor of known dimensions, with fresh symbols for unknown ones. */
rlxc_atom rlxc_ox_shaped(rlxc_ox *im, rlxc_atom a);
/* |a|, whose dimensions |axes| (as bits) must be |dims|: checked at run time unless proved. */
rlxc_atom rlxc_ox_state_dims(rlxc_ox *im, rlxc_atom a, const rlxc_expr *const *dims, uint32_t axes);
rlxc_atom rlxc_ox_cast(rlxc_ox *im, rlxc_atom a, rlx_dtype dtype);
rlx_dtype rlxc_ox_wide(rlx_dtype t); /* float32 for shorter floats; others stay */
/* Inputs |i| and |k| of the node in |*io_a| and |*io_b|, where both are floats, of two types. If
 * the model declares these types, the node fails. Otherwise the narrower becomes the wider, with a
 * warning: some exporters widen one operand and forget the other. */
void rlxc_ox_same_floats(rlxc_ox *im, uint32_t i, uint32_t k, rlxc_atom *io_a, rlxc_atom *io_b);
/* Converts operands of two float types, which some exporters write, to the wider type. */
void rlxc_ox_unify(rlxc_ox *im, rlxc_atom *a, rlxc_atom *b);
rlxc_atom rlxc_ox_reshape(rlxc_ox *im, rlxc_atom a, const rlxc_expr *const *dims, uint32_t n);
rlxc_atom rlxc_ox_broadcast(rlxc_ox *im, rlxc_atom a, const rlxc_expr *const *dims, uint32_t n);
rlxc_atom rlxc_ox_number(rlxc_ox *im, rlx_dtype dtype, double value); /* a scalar constant */
/* The elements of |c| as a constant of a floating type that has them all. */
rlxc_atom rlxc_ox_wide_constant(rlxc_ox *im, const rlxc_constant *c, rlx_dtype to);
rlxc_atom rlxc_ox_const_tensor(rlxc_ox *im, rlx_dtype dtype, uint32_t ndim, const int64_t *shape,
                               const double *values);
rlxc_atom rlxc_ox_full(rlxc_ox *im, rlx_dtype dtype, double value, const rlxc_expr *const *dims,
                       uint32_t n);
rlxc_atom rlxc_ox_transpose(rlxc_ox *im, rlxc_atom a, const int64_t *axes, uint32_t n);
rlxc_atom rlxc_ox_expand_dims(rlxc_ox *im, rlxc_atom a, const int64_t *axes, uint32_t n);
rlxc_atom rlxc_ox_reduce(rlxc_ox *im, const char *op, rlxc_atom a, const int64_t *axes, uint32_t n,
                         bool keepdims);
rlxc_atom rlxc_ox_concat(rlxc_ox *im, const rlxc_atom *parts, uint32_t n, int64_t axis);
/* Slices of |a| at |indices|, which come from the model: strict modules check them. */
rlxc_atom rlxc_ox_take(rlxc_ox *im, rlxc_atom a, rlxc_atom indices, int64_t axis);
/* As above at indices that the importer computed: they are in [0, n), and nothing is checked. */
rlxc_atom rlxc_ox_take_inside(rlxc_ox *im, rlxc_atom a, rlxc_atom indices, int64_t axis);
/* Elements begin ... end (exclusive, clipped) of one axis. */
rlxc_atom rlxc_ox_slice(rlxc_ox *im, rlxc_atom a, uint32_t axis, const rlxc_expr *begin,
                        const rlxc_expr *end, int64_t stride);
rlxc_atom rlxc_ox_arange(rlxc_ox *im, const rlxc_expr *begin,
                         const rlxc_expr *end); /* int64, step 1 */
rlxc_atom rlxc_ox_prims(rlxc_ox *im, const rlxc_expr *const *values, uint32_t n); /* int64 vector */
rlxc_atom rlxc_ox_scalar(rlxc_ox *im, const rlxc_expr *value, rlx_dtype dtype); /* of an integer */
const rlxc_expr *rlxc_ox_i(const rlxc_ox *im, int64_t value);
const rlxc_expr *rlxc_ox_bin(rlxc_ox *im, rlxc_expr_kind kind, const rlxc_expr *a,
                             const rlxc_expr *b);
const rlxc_expr *rlxc_ox_if(rlxc_ox *im, const rlxc_expr *cond, const rlxc_expr *yes,
                            const rlxc_expr *no);
/* x * weight of an affine form along |axis| of |like|: a vector shaped to broadcast. */
rlxc_atom rlxc_ox_along(rlxc_ox *im, rlxc_atom vector, uint32_t axis, uint32_t ndim);
/* As above along the channels of |x|; it must have one element per channel. */
rlxc_atom rlxc_ox_per_channel(rlxc_ox *im, rlxc_atom vector, rlxc_atom x);

/* An activation of recurrent operators. */
rlxc_atom rlxc_ox_activation(rlxc_ox *im, const char *name, rlxc_atom x, double alpha, double beta);

/* --- graphs --- */
/* Imports nodes [first, end) of |g|; a trial import stops at the first error. */
void rlxc_ox_import_nodes(rlxc_ox *im, const Onnx__GraphProto *g, size_t first, size_t end);
/* Mark this node's outputs as failed; users are skipped without further errors. */
void rlxc_ox_poison(rlxc_ox *im);
void rlxc_ox_begin_block(rlxc_ox *im, bool dataflow);
void rlxc_ox_define(rlxc_ox *im, const char *name, rlxc_ox_value *value);

#endif
