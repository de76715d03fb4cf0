/* Pass fold_batch_norm: folds operators that scale and shift a convolution's channels by constants
 * into its weight and one addition.
 *
 *   lv = R.nn.conv2d(x, w)
 *   lv1 = R.add(lv, bias)                 lv = R.nn.conv2d(x, w * scale)
 *   y = R.nn.batch_norm(lv1, ...)[0]      y = R.add(lv, shift)
 *
 * Batch normalisation in inference, and add, subtract, multiply, divide with a constant of one
 * value per channel, or one for all, are folded one after the other. Scale and shift are computed
 * in double and rounded once. A value with other readers stays as it is, so that no convolution is
 * computed twice. Only for float32 and float64 and layouts that begin with "NC", "OI".
 *
 * Batch normalisation of any other value by constants becomes one product and one sum, x * scale +
 * shift, instead of a root and a quotient for each element.
 *
 * For lifted constants the weights program repeats the computation (fold_lifted.c). A division by a
 * lifted constant is not folded, because another file's weight may be 0. Any other overflow with
 * other weights would happen without folding, too. */
#include "compiler/passes/fold_lifted.h"
#include "compiler/passes/passes.h"

#include "compiler/ir/constant.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ops/op_infer.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* conv(x, weight) * scale + shift */
typedef struct affine {
    const rlxc_binding *conv; /* as it was */
    const rlxc_binding_block *block;
    rlx_dtype dtype;
    uint32_t channels, ndim;
    double *scale, *shift;
    rlxc_affine_steps steps; /* that led to both */
    bool lifted;             /* they or the weight are computed from lifted constants */
    rlxc_binding *sum;       /* the new addition, once something was folded */
    rlxc_binding *product;
} affine;

typedef struct fold {
    const uint32_t *uses; /* by variable id, of the function before the pass */
    rlxc_map affines;     /* rlxc_rvar -> affine; only of values that are read once */
    rlxc_map normalised;  /* rlxc_rvar of a batch_norm -> rlxc_atom[3], its results */
    RLXC_VEC(affine *) folded;
} fold;

/* --- constants of one value for each channel ---------------------------------------------------
 */

static void put_value(rlx_dtype t, void *data, size_t i, double value)
{
    float single = (float)value;
    if (t.bits == 64)
        memcpy((char *)data + i * sizeof value, &value, sizeof value);
    else
        memcpy((char *)data + i * sizeof single, &single, sizeof single);
}

static size_t count_of(const rlxc_constant *c)
{
    return c->nbytes / (c->dtype.bits / 8u);
}

/* True if |atom| is a constant of one value, or of one per channel: in the dimension before the
 * spatial ones, or (|vector|) in its only one. */
static bool per_channel(rlxc_atom atom, const affine *a, bool vector)
{
    const rlxc_constant *c = atom.kind == RLXC_ATOM_CONSTANT ? atom.constant : NULL;
    if (!c || !rlxc_dtype_eq(c->dtype, a->dtype) || c->ndim > a->ndim || (vector && c->ndim != 1))
        return false;
    uint32_t channel = vector ? 0 : 1 + c->ndim - a->ndim;
    for (uint32_t i = 0; i < c->ndim; i++)
        if (c->shape[i] != 1 && (i != channel || c->shape[i] != (int64_t)a->channels))
            return false;
    return count_of(c) == 1 || count_of(c) == a->channels;
}

static double of_channel(const rlxc_constant *c, size_t channel)
{
    return rlxc_constant_double(c, count_of(c) == 1 ? 0 : channel);
}

/* --- folding -----------------------------------------------------------------------------------
 */

static affine *affine_of(const fold *f, const rlxc_builder *b, rlxc_atom atom)
{
    affine *a = atom.kind == RLXC_ATOM_VAR ? rlxc_map_get(&f->affines, rlxc_key(atom.var)) : NULL;
    return a && a->block == b->block ? a : NULL;
}

static void record(fold *f, rlxc_builder *b, const rlxc_binding *old, rlxc_rvar *var, affine *a)
{
    rlxc_map_set(b->ctx, &f->affines, rlxc_key(var), f->uses[old->var->id] == 1 ? a : NULL);
}

static void note_conv(fold *f, rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *y = call->var->sinfo;
    const char *kernel = rlxc_attr_get_str(call, "kernel_layout", "");
    const char *data = rlxc_attr_get_str(call, "data_layout", "");
    const char *out = rlxc_attr_get_str(call, "out_layout", "");
    const rlxc_constant *w =
        call->args[1].kind == RLXC_ATOM_CONSTANT ? call->args[1].constant : NULL;
    if (strncmp(kernel, "OI", 2) != 0 || strncmp(data, "NC", 2) != 0 ||
        (out[0] && strcmp(out, data) != 0) || !w || !rlxc_dtype_eq(w->dtype, y->dtype) ||
        (!rlxc_dtype_eq(w->dtype, RLX_F32) && !rlxc_dtype_eq(w->dtype, RLX_F64)) ||
        w->shape[0] > UINT32_MAX)
        return;
    affine *a = rlxc_alloc(b->ctx, sizeof *a);
    *a = (affine){.conv = call,
                  .block = b->block,
                  .dtype = w->dtype,
                  .channels = (uint32_t)w->shape[0],
                  .ndim = w->ndim,
                  .lifted = w->lifted};
    a->scale = rlxc_try_alloc(b->ctx, (size_t)a->channels + 1, sizeof *a->scale);
    a->shift = rlxc_try_alloc(b->ctx, (size_t)a->channels + 1, sizeof *a->shift);
    if (!a->scale || !a->shift)
        return;
    for (uint32_t i = 0; i < a->channels; i++) {
        a->scale[i] = 1;
        a->shift[i] = 0;
    }
    record(f, b, call, call->var, a);
}

/* The binding conv(x, weight) + shift; its constants are made at the end (finish). */
static rlxc_atom value_of(fold *f, rlxc_builder *b, const rlxc_binding *old, affine *a)
{
    if (!a->sum) {
        rlxc_context *ctx = b->ctx;
        a->product = rlxc_copy(ctx, a->conv, sizeof *a->conv);
        a->product->var = rlxc_rvar_new(ctx, b->function, a->conv->var->name, a->conv->var->sinfo);
        rlxc_atom args[2] = {rlxc_emit(b, a->product)};
        a->sum =
            rlxc_binding_new(ctx, RLXC_FORM_CALL,
                             rlxc_rvar_new(ctx, b->function, old->var->name, a->conv->var->sinfo));
        a->sum->op = rlxc_find_operator("add", 3);
        a->sum->args = rlxc_copy(ctx, args, sizeof args);
        a->sum->n_args = 2;
        rlxc_emit(b, a->sum);
        RLXC_PUSH(ctx, &f->folded, a);
    }
    record(f, b, old, a->sum->var, a);
    return rlxc_atom_var(a->sum->var);
}

typedef struct change { /* (y - before) * factor + after */
    double before, factor, after;
} change;

static change change_of(const rlxc_affine_step *s, size_t channel)
{
    double value[4] = {0};
    for (uint32_t i = 0; i < 4 && s->by[i]; i++)
        value[i] = of_channel(s->by[i], channel);
    switch (s->kind) {
    case RLXC_STEP_ADD:
        return (change){0, 1, value[0]};
    case RLXC_STEP_SUBTRACT:
        return (change){value[0], 1, 0};
    case RLXC_STEP_MULTIPLY:
        return (change){0, value[0], 0};
    case RLXC_STEP_DIVIDE:
        return (change){0, 1 / value[0], 0};
    case RLXC_STEP_NORM:
        break;
    }
    return (change){.before = value[2],
                    .factor = (s->scaled ? value[0] : 1) / sqrt(value[3] + s->epsilon),
                    .after = s->centred ? value[1] : 0};
}

static bool reads_lifted(const rlxc_affine_step *s)
{
    bool found = false;
    for (uint32_t i = 0; i < 4 && s->by[i]; i++)
        found = found || s->by[i]->lifted;
    return found;
}

/* Folds |step| into |a|. False if a scale or shift would overflow the type: the convolution might
 * be 0 there, or of another sign. */
static bool take_in(rlxc_context *ctx, affine *a, const rlxc_affine_step *step)
{
    const double most = a->dtype.bits == 64 ? DBL_MAX : (double)FLT_MAX;
    const bool lifted = reads_lifted(step), looks = !lifted && !a->lifted;
    if (lifted &&
        (step->kind == RLXC_STEP_DIVIDE || (step->kind == RLXC_STEP_NORM && !(step->epsilon > 0))))
        return false;
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < a->channels; i++) {
            const change c = change_of(step, i);
            const double scale = a->scale[i] * c.factor;
            const double shift = (a->shift[i] - c.before) * c.factor + c.after;
            if (looks && !(fabs(scale) <= most && fabs(shift) <= most))
                return false;
            if (k == 1) {
                a->scale[i] = scale;
                a->shift[i] = shift;
            }
        }
    a->lifted = a->lifted || lifted;
    RLXC_PUSH(ctx, &a->steps, *step);
    return true;
}

static const char *const step_names[] = {"add", "subtract", "multiply", "divide"};
enum { N_BINARIES = sizeof step_names / sizeof *step_names };

static rlxc_rewrite_action fold_binary(fold *f, rlxc_builder *b, const rlxc_binding *call,
                                       rlxc_atom *replacement)
{
    uint32_t kind = 0;
    while (kind < N_BINARIES && strcmp(call->op->name, step_names[kind]) != 0)
        kind++;
    if (kind == N_BINARIES)
        return RLXC_REWRITE_KEEP;
    bool commutes = kind == RLXC_STEP_ADD || kind == RLXC_STEP_MULTIPLY;
    uint32_t side = commutes && !affine_of(f, b, call->args[0]);
    affine *a = affine_of(f, b, call->args[side]);
    if (!a || !per_channel(call->args[1 - side], a, false))
        return RLXC_REWRITE_KEEP;
    bool first = kind == RLXC_STEP_ADD && !a->sum;
    const rlxc_affine_step step = {.kind = (rlxc_step_kind)kind,
                                   .by = {call->args[1 - side].constant}};
    if (!take_in(b->ctx, a, &step))
        return RLXC_REWRITE_KEEP;
    if (first) { /* a bias: already in the target form */
        record(f, b, call, call->var, a);
        return RLXC_REWRITE_KEEP;
    }
    *replacement = value_of(f, b, call, a);
    return RLXC_REWRITE_REPLACE;
}

/* A constant of |values|, one for each channel, to be combined with tensors of |ndim| dimensions.
 */
static rlxc_constant *channel_constant(rlxc_context *ctx, rlx_dtype dtype, const double *values,
                                       uint32_t channels, uint32_t ndim, uint32_t channel)
{
    const size_t size = dtype.bits / 8u;
    int64_t shape[RLXC_MAX_NDIM];
    void *data = rlxc_try_alloc(ctx, (size_t)channels + 1, size);
    if (!data)
        return NULL;
    for (size_t i = 0; i < channels; i++)
        put_value(dtype, data, i, values[i]);
    for (uint32_t i = 0; i < ndim; i++)
        shape[i] = i == channel ? (int64_t)channels : 1;
    return rlxc_constant_new(ctx, dtype, ndim, shape, data, channels * size);
}

/* The batch_norm |call| of any value, by constants, as x * scale + shift. False: it stays, because
 * the channels are not known, or the type is a narrow one, whose norm is computed in float32. */
static bool scale_and_shift(rlxc_builder *b, const rlxc_binding *call, const rlxc_affine_step *step,
                            rlxc_atom *out)
{
    const rlxc_sinfo *y = call->var->sinfo->fields[0];
    affine a = {.dtype = y->dtype, .ndim = (uint32_t)y->ndim};
    const int64_t axis = rlxc_attr_get_int(call, "axis", 1);
    const uint32_t channel = (uint32_t)(axis < 0 ? axis + y->ndim : axis);
    int64_t channels;
    if (!rlxc_dims_known(y) || channel >= a.ndim || reads_lifted(step) ||
        !rlxc_is_int(y->dims[channel], &channels) || channels < 0 || channels > UINT32_MAX ||
        (!rlxc_dtype_eq(y->dtype, RLX_F32) && !rlxc_dtype_eq(y->dtype, RLX_F64)))
        return false;
    a.channels = (uint32_t)channels;
    for (uint32_t i = 0; i < 4; i++)
        if (!rlxc_dtype_eq(step->by[i]->dtype, y->dtype) || step->by[i]->ndim != 1 ||
            step->by[i]->shape[0] != channels)
            return false;
    a.scale = rlxc_try_alloc(b->ctx, (size_t)a.channels + 1, sizeof *a.scale);
    a.shift = rlxc_try_alloc(b->ctx, (size_t)a.channels + 1, sizeof *a.shift);
    for (uint32_t i = 0; i < a.channels && a.scale && a.shift; i++)
        a.scale[i] = 1;
    if (!a.scale || !a.shift || !take_in(b->ctx, &a, step))
        return false;
    const rlxc_constant *scale =
        channel_constant(b->ctx, a.dtype, a.scale, a.channels, a.ndim, channel);
    const rlxc_constant *shift =
        channel_constant(b->ctx, a.dtype, a.shift, a.channels, a.ndim, channel);
    if (!scale || !shift)
        return false;
    rlxc_atom args[2] = {call->args[0], rlxc_atom_constant(scale)};
    args[0] = rlxc_emit_op(b, "multiply", args, 2, (rlxc_attrs){0}, call->var->name);
    args[1] = rlxc_atom_constant(shift);
    *out = rlxc_emit_op(b, "add", args, 2, (rlxc_attrs){0}, call->var->name);
    return !rlxc_failed(b->ctx);
}

/* A batch_norm becomes the tuple of its results. */
static void fold_norm(fold *f, rlxc_builder *b, rlxc_binding *call)
{
    affine *a = affine_of(f, b, call->args[0]);
    if (rlxc_attr_get_bool(call, "training", false))
        return;
    const int64_t axis = rlxc_attr_get_int(call, "axis", 1);
    rlxc_affine_step step = {.kind = RLXC_STEP_NORM,
                             .epsilon = rlxc_attr_get_float(call, "epsilon", 1e-5),
                             .scaled = rlxc_attr_get_bool(call, "scale", true),
                             .centred = rlxc_attr_get_bool(call, "center", true)};
    bool folds = a && (axis == 1 || axis == 1 - (int64_t)a->ndim);
    for (uint32_t i = 0; i < 4; i++) {
        if (call->args[i + 1].kind != RLXC_ATOM_CONSTANT)
            return;
        step.by[i] = call->args[i + 1].constant;
        folds = folds && per_channel(call->args[i + 1], a, true);
    }
    rlxc_atom results[3] = {{0}, call->args[3], call->args[4]};
    if (folds && take_in(b->ctx, a, &step))
        results[0] = value_of(f, b, call, a);
    else if (!scale_and_shift(b, call, &step, &results[0]))
        return;
    rlxc_atom *kept = rlxc_copy(b->ctx, results, sizeof results);
    call->form = RLXC_FORM_TUPLE;
    call->op = NULL;
    call->attrs = (rlxc_attrs){0};
    call->args = kept;
    call->n_args = 3;
    rlxc_map_set(b->ctx, &f->normalised, rlxc_key(call->var), kept);
}

static rlxc_rewrite_action fold_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                        rlxc_atom *replacement)
{
    fold *f = user;
    if (binding->form == RLXC_FORM_TUPLE_GET && binding->args[0].kind == RLXC_ATOM_VAR) {
        const rlxc_atom *results = rlxc_map_get(&f->normalised, rlxc_key(binding->args[0].var));
        if (!results || binding->index >= 3)
            return RLXC_REWRITE_KEEP;
        *replacement = results[binding->index];
        if (binding->index == 0 && f->uses[binding->var->id] != 1)
            rlxc_map_set(b->ctx, &f->affines, rlxc_key(replacement->var), NULL);
        return RLXC_REWRITE_REPLACE;
    }
    if (binding->form != RLXC_FORM_CALL || !binding->op)
        return RLXC_REWRITE_KEEP;
    if (binding->op->legalize == rlxc_legalize_conv)
        note_conv(f, b, binding);
    else if (binding->op->legalize == rlxc_legalize_batch_norm)
        fold_norm(f, b, binding);
    else if (binding->op->legalize == rlxc_legalize_binary)
        return fold_binary(f, b, binding, replacement);
    return RLXC_REWRITE_KEEP;
}

/* --- the new constants -------------------------------------------------------------------------
 */

static void finish(rlxc_context *ctx, const affine *a)
{
    const rlxc_constant *w = a->conv->args[1].constant;
    size_t n = count_of(w), each = a->channels ? n / a->channels : 0, size = a->dtype.bits / 8u;
    void *weight = rlxc_try_alloc_unset(ctx, n + 1, size);
    rlxc_constant *sum = channel_constant(ctx, a->dtype, a->shift, a->channels, a->ndim, 1);
    if (!weight || !sum)
        return;
    for (size_t i = 0; i < n; i++)
        put_value(a->dtype, weight, i, rlxc_constant_double(w, i) * a->scale[i / each]);
    rlxc_constant *product = rlxc_constant_new(ctx, a->dtype, w->ndim, w->shape, weight, n * size);
    if (a->lifted)
        rlxc_fold_lifted(ctx, w, &a->steps, product, sum);
    rlxc_atom args[2] = {a->conv->args[0], rlxc_atom_constant(product)};
    a->product->args = rlxc_copy(ctx, args, sizeof args);
    args[0] = rlxc_atom_var(a->product->var);
    args[1] = rlxc_atom_constant(sum);
    a->sum->args = rlxc_copy(ctx, args, sizeof args);
}

bool rlxc_pass_fold_batch_norm(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *function = module->globals.items[i]->relax;
        if (!function)
            continue;
        fold f = {.uses = rlxc_count_uses(ctx, function)};
        const rlxc_rewrite_pass pass = {.user = &f, .binding = fold_binding};
        if (!f.uses)
            return false;
        rlxc_rewrite_function(ctx, module, function, &pass);
        for (uint32_t k = 0; k < f.folded.count && !rlxc_failed(ctx); k++)
            finish(ctx, f.folded.items[k]);
    }
    return !rlxc_failed(ctx);
}
