/* Shared by the operator families: the view of a call that inference works on, checks and proofs
 * over shapes, and the functions that rows of ops.def name.
 *
 * Every inference function begins with rlxc_infer_begin, which checks arity and kinds of arguments
 * against the row's schema; afterwards each required input has the kind in the schema. An inference
 * function returns NULL after it reported an error. Messages name operator, argument, expected and
 * got. */
#ifndef RLXC_OPS_OP_INFER_H
#define RLXC_OPS_OP_INFER_H

#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"

typedef struct rlxc_call_view {
    rlxc_context *ctx;
    const rlxc_module *module;
    const rlxc_binding *call;
    const char *op;                           /* its name, for messages */
    const rlxc_sinfo *in[RLXC_MAX_OP_INPUTS]; /* NULL: an optional input that is absent */
    rlxc_op_input inputs[RLXC_MAX_OP_INPUTS];
    uint32_t n_inputs;
} rlxc_call_view;

/* A list of dimensions under construction. */
typedef struct rlxc_dims {
    const rlxc_expr *at[RLXC_MAX_NDIM];
    uint32_t n;
} rlxc_dims;

bool rlxc_infer_begin(rlxc_call_view *v, rlxc_context *ctx, const rlxc_module *module,
                      const rlxc_binding *call);
/* "op: argument 'x': <text>" at the call; returns NULL for the caller to return. */
const rlxc_sinfo *rlxc_infer_fail(const rlxc_call_view *v, uint32_t argument, const char *format,
                                  ...) __attribute__((format(printf, 3, 4)));
/* "op: <text>" */
const rlxc_sinfo *rlxc_infer_error(const rlxc_call_view *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool rlxc_dims_known(const rlxc_sinfo *s);
const rlxc_sinfo *rlxc_tensor_of(const rlxc_call_view *v, rlx_dtype dtype, const rlxc_dims *dims);
/* A tensor of |ndim| unknown dimensions; the device is that of the first tensor input. */
const rlxc_sinfo *rlxc_tensor_ndim(const rlxc_call_view *v, rlx_dtype dtype, int32_t ndim);
/* |s| with another element type. */
const rlxc_sinfo *rlxc_tensor_like(const rlxc_call_view *v, const rlxc_sinfo *s, rlx_dtype dtype);
/* Normalises a negative |axis|; an error and false if it is outside [-ndim, ndim). */
bool rlxc_axis_in(const rlxc_call_view *v, int64_t axis, int32_t ndim, uint32_t *out);
/* The axes of attribute |name| in |ndim| dimensions as a bit set: distinct and in range, else an
 * error and false. None means all. */
bool rlxc_axes_in(const rlxc_call_view *v, const char *name, int32_t ndim, uint32_t *out_set);
/* The tensor type that |a| and |b| broadcast to, element type |dtype|. NULL after an error. */
const rlxc_sinfo *rlxc_broadcast_sinfo(const rlxc_call_view *v, const rlxc_sinfo *a,
                                       const rlxc_sinfo *b, rlx_dtype dtype);
/* The common element type of tensor inputs |i| and |j|; void if neither is known; false after an
 * error. */
bool rlxc_common_dtype(const rlxc_call_view *v, uint32_t i, uint32_t j, rlx_dtype *out);
/* The dims of a shape argument: a literal's, or those in its type; false if unknown (|out_ndim| may
 * still be known). */
bool rlxc_shape_arg(const rlxc_call_view *v, uint32_t i, rlxc_dims *out, int32_t *out_ndim);
/* The value of a prim argument; NULL when absent or unknown. */
const rlxc_expr *rlxc_prim_arg(rlxc_context *ctx, const rlxc_module *module,
                               const rlxc_binding *call, uint32_t i);
/* The values of a tuple of prims; false when one is unknown. */
bool rlxc_prim_list(const rlxc_call_view *v, uint32_t i, rlxc_dims *out);
bool rlxc_prim_int(const rlxc_call_view *v, uint32_t i, int64_t *out);
/* Start, end and step of an arange; NULL where one is unknown. */
void rlxc_arange_args(rlxc_context *ctx, const rlxc_module *module, const rlxc_binding *call,
                      const rlxc_expr **out);
/* The argument is absent: not given, or the empty tuple of an optional input. */
bool rlxc_arg_absent(const rlxc_binding *call, uint32_t i);

/* Bytes of a tensor of packed elements of type |t|. */
const rlxc_expr *rlxc_packed_bytes(rlxc_context *ctx, const rlxc_expr *const *dims, uint32_t n,
                                   rlx_dtype t);

/* The functions named by rows of ops.def. */
#define RLXC_INFER(name)                                                              \
    const rlxc_sinfo *rlxc_infer_##name(rlxc_context *ctx, const rlxc_module *module, \
                                        const rlxc_binding *call)
#define RLXC_LEGALIZE(name) \
    rlxc_atom rlxc_legalize_##name(rlxc_builder *b, const rlxc_binding *call)
#define RLXC_INFER_AND_LEGALIZE(name) \
    RLXC_INFER(name);                 \
    RLXC_LEGALIZE(name)

RLXC_INFER(alloc_tensor);
RLXC_INFER(batch_flatten);
RLXC_INFER(check_sizes);
RLXC_INFER(expand_dims);
RLXC_INFER(first);
RLXC_INFER(no_grad);
RLXC_INFER(flatten);
RLXC_INFER(float_axis);
RLXC_INFER(like);
RLXC_INFER(norm);
RLXC_INFER(object);
RLXC_INFER(sinfo_arg);
RLXC_INFER(squeeze);
RLXC_INFER(to_vdevice);
RLXC_INFER(hint);
RLXC_INFER(unary_like);
RLXC_INFER(view);
RLXC_INFER(void);

RLXC_LEGALIZE(batch_norm_training);
RLXC_LEGALIZE(clip);
RLXC_LEGALIZE(identity);
RLXC_LEGALIZE(to_vdevice);
RLXC_LEGALIZE(vm_storage);
RLXC_LEGALIZE(layer_norm);
RLXC_LEGALIZE(moments);
RLXC_LEGALIZE(rms_norm);
RLXC_LEGALIZE(softmax);
RLXC_LEGALIZE(to_reshape);

RLXC_INFER_AND_LEGALIZE(adaptive_pool);
RLXC_INFER_AND_LEGALIZE(add_columns);
RLXC_INFER_AND_LEGALIZE(affine_grid);
RLXC_INFER_AND_LEGALIZE(arange);
RLXC_INFER_AND_LEGALIZE(arg_reduce);
RLXC_INFER_AND_LEGALIZE(astype);
RLXC_INFER_AND_LEGALIZE(attention);
RLXC_INFER_AND_LEGALIZE(batch_norm);
RLXC_INFER_AND_LEGALIZE(binary);
RLXC_INFER_AND_LEGALIZE(box_nms);
RLXC_INFER_AND_LEGALIZE(broadcast_to);
RLXC_INFER_AND_LEGALIZE(bucketize);
RLXC_INFER_AND_LEGALIZE(collapse_sum);
RLXC_INFER_AND_LEGALIZE(concat);
RLXC_INFER_AND_LEGALIZE(conv);
RLXC_INFER_AND_LEGALIZE(conv_integer);
RLXC_INFER_AND_LEGALIZE(conv_transpose);
RLXC_INFER_AND_LEGALIZE(conv_winograd);
RLXC_INFER_AND_LEGALIZE(cross_entropy);
RLXC_INFER_AND_LEGALIZE(dropout);
RLXC_INFER_AND_LEGALIZE(dynamic_slice);
RLXC_INFER_AND_LEGALIZE(effect);
RLXC_INFER_AND_LEGALIZE(einsum);
RLXC_INFER_AND_LEGALIZE(eye);
RLXC_INFER_AND_LEGALIZE(flip);
RLXC_INFER_AND_LEGALIZE(fma);
RLXC_INFER_AND_LEGALIZE(fold);
RLXC_INFER_AND_LEGALIZE(full);
RLXC_INFER_AND_LEGALIZE(gather_elements);
RLXC_INFER_AND_LEGALIZE(gather_nd);
RLXC_INFER_AND_LEGALIZE(grid_sample);
RLXC_INFER_AND_LEGALIZE(group_norm);
RLXC_INFER_AND_LEGALIZE(hamming);
RLXC_INFER_AND_LEGALIZE(index_put);
RLXC_INFER_AND_LEGALIZE(index_tensor);
RLXC_INFER_AND_LEGALIZE(inspect);
RLXC_INFER_AND_LEGALIZE(instance_norm);
RLXC_INFER_AND_LEGALIZE(layout_transform);
RLXC_INFER_AND_LEGALIZE(linear);
RLXC_INFER_AND_LEGALIZE(lookup);
RLXC_INFER_AND_LEGALIZE(matmul);
RLXC_INFER_AND_LEGALIZE(median);
RLXC_INFER_AND_LEGALIZE(meshgrid);
RLXC_INFER_AND_LEGALIZE(multinomial);
RLXC_INFER_AND_LEGALIZE(multibox);
RLXC_INFER_AND_LEGALIZE(nll_loss);
RLXC_INFER_AND_LEGALIZE(nll_loss_backward);
RLXC_INFER_AND_LEGALIZE(nms);
RLXC_INFER_AND_LEGALIZE(nonzero);
RLXC_INFER_AND_LEGALIZE(one_hot);
RLXC_INFER_AND_LEGALIZE(outer);
RLXC_INFER_AND_LEGALIZE(pad);
RLXC_INFER_AND_LEGALIZE(permute_dims);
RLXC_INFER_AND_LEGALIZE(join_phases);
RLXC_INFER_AND_LEGALIZE(phase_filter);
RLXC_INFER_AND_LEGALIZE(pixel_shuffle);
RLXC_INFER_AND_LEGALIZE(pool);
RLXC_INFER_AND_LEGALIZE(pool_backward);
RLXC_INFER_AND_LEGALIZE(prelu);
RLXC_INFER_AND_LEGALIZE(pack);
RLXC_INFER_AND_LEGALIZE(quantize);
RLXC_INFER_AND_LEGALIZE(unpack);
RLXC_INFER_AND_LEGALIZE(recurrent);
RLXC_INFER_AND_LEGALIZE(reduce);
RLXC_INFER_AND_LEGALIZE(repeat);
RLXC_INFER_AND_LEGALIZE(reshape);
RLXC_INFER_AND_LEGALIZE(resize);
RLXC_INFER_AND_LEGALIZE(reverse_sequence);
RLXC_INFER_AND_LEGALIZE(roi_align);
RLXC_LEGALIZE(roi_pool);
RLXC_INFER_AND_LEGALIZE(sample_points);
RLXC_INFER_AND_LEGALIZE(scan);
RLXC_INFER_AND_LEGALIZE(scatter_elements);
RLXC_INFER_AND_LEGALIZE(scatter_nd);
RLXC_INFER_AND_LEGALIZE(shape_of);
RLXC_INFER_AND_LEGALIZE(shape_to_tensor);
RLXC_INFER_AND_LEGALIZE(size);
RLXC_INFER_AND_LEGALIZE(slice_scatter);
RLXC_INFER_AND_LEGALIZE(sort);
RLXC_INFER_AND_LEGALIZE(split);
RLXC_INFER_AND_LEGALIZE(stack);
RLXC_INFER_AND_LEGALIZE(strided_slice);
RLXC_INFER_AND_LEGALIZE(take);
RLXC_INFER_AND_LEGALIZE(take_backward);
RLXC_INFER_AND_LEGALIZE(tensor_to_shape);
RLXC_INFER_AND_LEGALIZE(tile);
RLXC_INFER_AND_LEGALIZE(topk);
RLXC_INFER_AND_LEGALIZE(tri);
RLXC_INFER_AND_LEGALIZE(unary);
RLXC_INFER_AND_LEGALIZE(unique);
RLXC_INFER_AND_LEGALIZE(valid_counts);
RLXC_INFER_AND_LEGALIZE(where);

/* The shape that the tuple of index tensors in |argument| broadcasts to, as a tensor; NULL after an
 * error. */
const rlxc_sinfo *rlxc_index_dims(const rlxc_call_view *v, uint32_t argument);

/* The subscripts |text| of an einsum of |n| operands without spaces, with "->", and with letters
 * for each ellipsis: the dimensions that an operand has beyond its letters get letters that |text|
 * does not use, from the right. |hidden| are those of the operand that has most. Malformed text
 * stays malformed. NULL: the result has no ellipsis though operands have such dimensions. */
const char *rlxc_einsum_letters(rlxc_context *ctx, const char *text, const int32_t *ranks,
                                uint32_t n, char hidden[RLXC_MAX_NDIM + 1]);

#endif
