/* What the operator families share: the view of a call that inference works on, checks and proofs
 * over shapes, and the list of the functions that rows of ops.def name.
 *
 * Every inference function begins with rlxc_infer_begin, which checks arity and kinds of arguments
 * against the row's schema; after it each required input is what the schema says. An inference
 * function returns NULL after it reported an error. Messages name operator, argument, expected and
 * got. */
#ifndef RLXC_OPS_FAMILIES_H
#define RLXC_OPS_FAMILIES_H

#include "compiler/ir/sym.h"
#include "compiler/ops/ops.h"

/* Parses the inputs column alone; gives their number. */
uint32_t rlxc_operator_inputs(const rlxc_operator *op, rlxc_op_input *out, bool *out_variadic);

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
/* Counts a negative |axis| from the end; an error and false when out of [-ndim, ndim). */
bool rlxc_axis_in(const rlxc_call_view *v, int64_t axis, int32_t ndim, uint32_t *out);
/* The axes of attribute |name| in |ndim| dimensions as a bit set: distinct and in range, else an
 * error and false. None means all. */
bool rlxc_axes_in(const rlxc_call_view *v, const char *name, int32_t ndim, uint32_t *out_set);
/* The tensor type that |a| and |b| broadcast to, element type |dtype|. NULL after an error. */
const rlxc_sinfo *rlxc_broadcast_sinfo(const rlxc_call_view *v, const rlxc_sinfo *a,
                                       const rlxc_sinfo *b, rlx_dtype dtype);
/* One element type for tensor inputs |i| and |j|; void where neither is known; false after an
 * error. */
bool rlxc_common_dtype(const rlxc_call_view *v, uint32_t i, uint32_t j, rlx_dtype *out);
/* The dims of a shape argument: a literal's, or those its type tells; false when unknown (then
 * |out_ndim| may still be known). */
bool rlxc_shape_arg(const rlxc_call_view *v, uint32_t i, rlxc_dims *out, int32_t *out_ndim);
/* The value of a prim argument; NULL when absent or unknown. */
const rlxc_expr *rlxc_prim_arg(rlxc_context *ctx, const rlxc_module *module,
                               const rlxc_binding *call, uint32_t i);
/* The values of a tuple of prims; false when one is unknown. */
bool rlxc_prim_list(const rlxc_call_view *v, uint32_t i, rlxc_dims *out);
bool rlxc_prim_int(const rlxc_call_view *v, uint32_t i, int64_t *out);
/* The argument is absent: not given, or the empty tuple of an optional input. */
bool rlxc_arg_absent(const rlxc_binding *call, uint32_t i);

/* The functions that rows name. */
#define RLXC_INFER(name)                                                              \
    const rlxc_sinfo *rlxc_infer_##name(rlxc_context *ctx, const rlxc_module *module, \
                                        const rlxc_binding *call)
#define RLXC_LEGALIZE(name) \
    rlxc_atom rlxc_legalize_##name(rlxc_builder *b, const rlxc_binding *call)

RLXC_INFER(alloc_tensor);
RLXC_INFER(arange);
RLXC_INFER(arg_reduce);
RLXC_INFER(astype);
RLXC_INFER(batch_norm);
RLXC_INFER(binary);
RLXC_INFER(broadcast_to);
RLXC_INFER(concat);
RLXC_INFER(conv);
RLXC_INFER(effect);
RLXC_INFER(expand_dims);
RLXC_INFER(eye);
RLXC_INFER(first);
RLXC_INFER(flatten);
RLXC_INFER(flip);
RLXC_INFER(float_axis);
RLXC_INFER(full);
RLXC_INFER(gather_elements);
RLXC_INFER(gather_nd);
RLXC_INFER(group_norm);
RLXC_INFER(like);
RLXC_INFER(matmul);
RLXC_INFER(nonzero);
RLXC_INFER(norm);
RLXC_INFER(object);
RLXC_INFER(one_hot);
RLXC_INFER(pad);
RLXC_INFER(permute_dims);
RLXC_INFER(pool);
RLXC_INFER(reduce);
RLXC_INFER(repeat);
RLXC_INFER(reshape);
RLXC_INFER(scan);
RLXC_INFER(shape_of);
RLXC_INFER(shape_to_tensor);
RLXC_INFER(sinfo_arg);
RLXC_INFER(sort);
RLXC_INFER(split);
RLXC_INFER(squeeze);
RLXC_INFER(stack);
RLXC_INFER(strided_slice);
RLXC_INFER(take);
RLXC_INFER(tensor_to_shape);
RLXC_INFER(tile);
RLXC_INFER(to_vdevice);
RLXC_INFER(topk);
RLXC_INFER(unary);
RLXC_INFER(unary_like);
RLXC_INFER(unique);
RLXC_INFER(view);
RLXC_INFER(void);
RLXC_INFER(where);

RLXC_LEGALIZE(arange);
RLXC_LEGALIZE(arg_reduce);
RLXC_LEGALIZE(astype);
RLXC_LEGALIZE(batch_norm);
RLXC_LEGALIZE(binary);
RLXC_LEGALIZE(broadcast_to);
RLXC_LEGALIZE(clip);
RLXC_LEGALIZE(concat);
RLXC_LEGALIZE(conv);
RLXC_LEGALIZE(effect);
RLXC_LEGALIZE(eye);
RLXC_LEGALIZE(flip);
RLXC_LEGALIZE(full);
RLXC_LEGALIZE(gather_elements);
RLXC_LEGALIZE(gather_nd);
RLXC_LEGALIZE(group_norm);
RLXC_LEGALIZE(identity);
RLXC_LEGALIZE(layer_norm);
RLXC_LEGALIZE(matmul);
RLXC_LEGALIZE(moments);
RLXC_LEGALIZE(nonzero);
RLXC_LEGALIZE(one_hot);
RLXC_LEGALIZE(pad);
RLXC_LEGALIZE(permute_dims);
RLXC_LEGALIZE(pool);
RLXC_LEGALIZE(reduce);
RLXC_LEGALIZE(repeat);
RLXC_LEGALIZE(reshape);
RLXC_LEGALIZE(rms_norm);
RLXC_LEGALIZE(scan);
RLXC_LEGALIZE(shape_of);
RLXC_LEGALIZE(shape_to_tensor);
RLXC_LEGALIZE(softmax);
RLXC_LEGALIZE(sort);
RLXC_LEGALIZE(split);
RLXC_LEGALIZE(stack);
RLXC_LEGALIZE(strided_slice);
RLXC_LEGALIZE(take);
RLXC_LEGALIZE(tensor_to_shape);
RLXC_LEGALIZE(tile);
RLXC_LEGALIZE(to_reshape);
RLXC_LEGALIZE(topk);
RLXC_LEGALIZE(tri);
RLXC_LEGALIZE(unary);
RLXC_LEGALIZE(unique);
RLXC_LEGALIZE(where);

RLXC_INFER(attention);
RLXC_INFER(collapse_sum);
RLXC_INFER(einsum);
RLXC_INFER(scatter_elements);
RLXC_INFER(scatter_nd);
RLXC_LEGALIZE(attention);
RLXC_LEGALIZE(collapse_sum);
RLXC_LEGALIZE(einsum);
RLXC_LEGALIZE(scatter_elements);
RLXC_LEGALIZE(scatter_nd);

RLXC_INFER(conv_winograd);
RLXC_LEGALIZE(conv_winograd);
RLXC_INFER(conv_transpose);
RLXC_LEGALIZE(conv_transpose);
RLXC_INFER(adaptive_pool);
RLXC_LEGALIZE(adaptive_pool);
RLXC_INFER(nll_loss);
RLXC_LEGALIZE(nll_loss);
RLXC_INFER(quantize);
RLXC_LEGALIZE(quantize);

RLXC_INFER(resize2d);
RLXC_LEGALIZE(resize2d);

RLXC_INFER(inspect);
RLXC_LEGALIZE(inspect);

/* The shape that the tuple of index tensors in |argument| broadcasts to, as a tensor; NULL after an
 * error. */
const rlxc_sinfo *rlxc_index_dims(const rlxc_call_view *v, uint32_t argument);
/* batch_norm with training=True. */
RLXC_LEGALIZE(batch_norm_training);

RLXC_INFER(dropout);
RLXC_LEGALIZE(dropout);
RLXC_INFER(linear);
RLXC_LEGALIZE(linear);
RLXC_INFER(outer);
RLXC_LEGALIZE(outer);
RLXC_INFER(prelu);
RLXC_LEGALIZE(prelu);
RLXC_INFER(pixel_shuffle);
RLXC_LEGALIZE(pixel_shuffle);
RLXC_INFER(instance_norm);
RLXC_LEGALIZE(instance_norm);
RLXC_INFER(cross_entropy);
RLXC_LEGALIZE(cross_entropy);
RLXC_INFER(median);
RLXC_LEGALIZE(median);
RLXC_INFER(multinomial);
RLXC_LEGALIZE(multinomial);
RLXC_INFER(index_put);
RLXC_LEGALIZE(index_put);
RLXC_INFER(fma);
RLXC_LEGALIZE(fma);
RLXC_INFER(hamming);
RLXC_LEGALIZE(hamming);
RLXC_INFER(index_tensor);
RLXC_LEGALIZE(index_tensor);
RLXC_INFER(meshgrid);
RLXC_LEGALIZE(meshgrid);
RLXC_INFER(reverse_sequence);
RLXC_LEGALIZE(reverse_sequence);
RLXC_INFER(slice_scatter);
RLXC_LEGALIZE(slice_scatter);
RLXC_INFER(bucketize);
RLXC_LEGALIZE(bucketize);
RLXC_INFER(dynamic_slice);
RLXC_LEGALIZE(dynamic_slice);
RLXC_INFER(layout_transform);
RLXC_LEGALIZE(layout_transform);
RLXC_INFER(nms);
RLXC_LEGALIZE(nms);
RLXC_INFER(roi_align);
RLXC_LEGALIZE(roi_align);

#endif
