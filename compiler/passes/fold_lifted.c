/* Scales and shifts of convolutions' channels as operators on lifted constants. See fold_lifted.h.
 *
 * They are computed in double and rounded once, as in fold_batch_norm.c. */
#include "compiler/passes/fold_lifted.h"

#include "compiler/ir/lifted.h"

typedef struct folding {
    rlxc_context *ctx;
    int64_t channels;
    const rlxc_constant *scale, *shift; /* [channels] */
} folding;

/* |channels| times |value|. */
static const rlxc_constant *all(const folding *f, double value)
{
    const size_t n = (size_t)f->channels;
    double *data = rlxc_try_alloc_unset(f->ctx, n + 1, sizeof *data);
    for (size_t i = 0; data && i < n; i++)
        data[i] = value;
    return rlxc_constant_new(f->ctx, RLX_F64, 1, &f->channels, data, data ? n * sizeof *data : 0);
}

/* |c| as doubles in one dimension; it may have one element. */
static const rlxc_constant *flat(const folding *f, const rlxc_constant *c)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < c->ndim; i++)
        n *= c->shape[i];
    return rlxc_constant_cast(f->ctx, rlxc_constant_reshaped(f->ctx, c, 1, &n), RLX_F64);
}

/* |a| may be a constant of all channels, so that the result has all. */
static void apply(const folding *f, const char *op, const rlxc_constant **a, const rlxc_constant *b)
{
    *a = rlxc_constant_each(f->ctx, op, *a, b);
}

static void scale_by(folding *f, const rlxc_constant *factor)
{
    apply(f, "multiply", &f->scale, factor);
    apply(f, "multiply", &f->shift, factor);
}

static void normalise(folding *f, const rlxc_affine_step *s)
{
    const rlxc_constant *spread = all(f, s->epsilon), *factor = all(f, 1);
    apply(f, "add", &spread, flat(f, s->by[3]));
    apply(f, "sqrt", &spread, NULL);
    if (s->scaled)
        apply(f, "multiply", &factor, flat(f, s->by[0]));
    apply(f, "divide", &factor, spread);
    apply(f, "subtract", &f->shift, flat(f, s->by[2]));
    scale_by(f, factor);
    if (s->centred)
        apply(f, "add", &f->shift, flat(f, s->by[1]));
}

static void take_step(folding *f, const rlxc_affine_step *s)
{
    const rlxc_constant *factor = all(f, 1);
    switch (s->kind) {
    case RLXC_STEP_ADD:
        apply(f, "add", &f->shift, flat(f, s->by[0]));
        break;
    case RLXC_STEP_SUBTRACT:
        apply(f, "subtract", &f->shift, flat(f, s->by[0]));
        break;
    case RLXC_STEP_MULTIPLY:
        scale_by(f, flat(f, s->by[0]));
        break;
    case RLXC_STEP_DIVIDE:
        apply(f, "divide", &factor, flat(f, s->by[0]));
        scale_by(f, factor);
        break;
    case RLXC_STEP_NORM:
        normalise(f, s);
        break;
    }
}

void rlxc_fold_lifted(rlxc_context *ctx, const rlxc_constant *weight,
                      const rlxc_affine_steps *steps, rlxc_constant *product, rlxc_constant *sum)
{
    folding f = {.ctx = ctx, .channels = weight->shape[0]};
    int64_t shape[RLXC_MAX_NDIM];
    f.scale = all(&f, 1);
    f.shift = all(&f, 0);
    for (uint32_t i = 0; i < steps->count; i++)
        take_step(&f, &steps->items[i]);
    for (uint32_t i = 0; i < weight->ndim; i++)
        shape[i] = i == 0 ? f.channels : 1;
    const rlxc_constant *scaled =
        rlxc_constant_each(ctx, "multiply", rlxc_constant_cast(ctx, weight, RLX_F64),
                           rlxc_constant_reshaped(ctx, f.scale, weight->ndim, shape));
    rlxc_constant_state(ctx, product, scaled);
    rlxc_constant_state(ctx, sum, f.shift);
}
