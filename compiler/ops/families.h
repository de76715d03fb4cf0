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

const rlxc_sinfo *rlxc_infer_alloc_tensor(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_arange(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_arg_reduce(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_astype(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_batch_norm(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_binary(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_broadcast_to(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_concat(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_conv(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_effect(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_expand_dims(rlxc_context *ctx, const rlxc_module *module,
                                         const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_eye(rlxc_context *ctx, const rlxc_module *module,
                                 const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_first(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_flatten(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_flip(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_float_axis(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_full(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_gather_elements(rlxc_context *ctx, const rlxc_module *module,
                                             const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_gather_nd(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_group_norm(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_like(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_matmul(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_nonzero(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_norm(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_object(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_one_hot(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_pad(rlxc_context *ctx, const rlxc_module *module,
                                 const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_permute_dims(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_pool(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_reduce(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_repeat(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_reshape(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_scan(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_shape_of(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_shape_to_tensor(rlxc_context *ctx, const rlxc_module *module,
                                             const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_sinfo_arg(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_sort(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_split(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_squeeze(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_stack(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_strided_slice(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_take(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_tensor_to_shape(rlxc_context *ctx, const rlxc_module *module,
                                             const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_tile(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_to_vdevice(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_topk(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_unary(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_unary_like(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_unique(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_view(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_void(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_where(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call);

rlxc_atom rlxc_legalize_arange(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_arg_reduce(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_astype(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_batch_norm(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_binary(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_broadcast_to(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_clip(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_concat(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_conv(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_effect(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_eye(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_flip(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_full(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_gather_elements(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_gather_nd(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_group_norm(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_identity(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_layer_norm(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_matmul(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_moments(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_nonzero(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_one_hot(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_pad(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_permute_dims(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_pool(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_reduce(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_repeat(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_reshape(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_rms_norm(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_scan(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_shape_of(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_shape_to_tensor(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_softmax(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_sort(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_split(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_stack(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_strided_slice(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_take(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_tensor_to_shape(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_tile(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_to_reshape(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_topk(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_tri(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_unary(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_unique(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_where(rlxc_builder *b, const rlxc_binding *call);

const rlxc_sinfo *rlxc_infer_attention(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_collapse_sum(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_einsum(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_scatter_elements(rlxc_context *ctx, const rlxc_module *module,
                                              const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_scatter_nd(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call);
rlxc_atom rlxc_legalize_attention(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_collapse_sum(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_einsum(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_scatter_elements(rlxc_builder *b, const rlxc_binding *call);
rlxc_atom rlxc_legalize_scatter_nd(rlxc_builder *b, const rlxc_binding *call);

const rlxc_sinfo *rlxc_infer_conv_transpose(rlxc_context *ctx, const rlxc_module *module,
                                            const rlxc_binding *call);
rlxc_atom rlxc_legalize_conv_transpose(rlxc_builder *b, const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_adaptive_pool(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call);
rlxc_atom rlxc_legalize_adaptive_pool(rlxc_builder *b, const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_nll_loss(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call);
rlxc_atom rlxc_legalize_nll_loss(rlxc_builder *b, const rlxc_binding *call);
const rlxc_sinfo *rlxc_infer_quantize(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call);
rlxc_atom rlxc_legalize_quantize(rlxc_builder *b, const rlxc_binding *call);

const rlxc_sinfo *rlxc_infer_resize2d(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call);
rlxc_atom rlxc_legalize_resize2d(rlxc_builder *b, const rlxc_binding *call);

const rlxc_sinfo *rlxc_infer_inspect(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call);
rlxc_atom rlxc_legalize_inspect(rlxc_builder *b, const rlxc_binding *call);

#endif
