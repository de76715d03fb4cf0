/* The matrices of F(4x4, 3x3) and the stages as expressions (winograd_stages.h). */
#include "compiler/ops/winograd_stages.h"

#include "compiler/ir/sym.h"

enum { OUT = RLXC_WINOGRAD_OUT, IN = RLXC_WINOGRAD_IN, FILTER = RLXC_WINOGRAD_FILTER };

static const double matrix_b[IN * IN] = {4, 0,  -5, 0,  1, 0, /* */
                                         0, -4, -4, 1,  1, 0, /* */
                                         0, 4,  -4, -1, 1, 0, /* */
                                         0, -2, -1, 2,  1, 0, /* */
                                         0, 2,  -1, -2, 1, 0, /* */
                                         0, 4,  0,  -5, 0, 1};

static const double matrix_g[IN * FILTER] = {1.0 / 4,  0,         0,        /* */
                                             -1.0 / 6, -1.0 / 6,  -1.0 / 6, /* */
                                             -1.0 / 6, 1.0 / 6,   -1.0 / 6, /* */
                                             1.0 / 24, 1.0 / 12,  1.0 / 6,  /* */
                                             1.0 / 24, -1.0 / 12, 1.0 / 6,  /* */
                                             0,        0,         1};

static const double matrix_a[OUT * IN] = {1, 1, 1,  1, 1,  0, /* */
                                          0, 1, -1, 2, -2, 0, /* */
                                          0, 1, 1,  4, 4,  0, /* */
                                          0, 1, -1, 8, -8, 1};

static const struct {
    const double *values;
    uint32_t rows, columns;
} matrices[] = {[RLXC_WINOGRAD_B] = {matrix_b, IN, IN},
                [RLXC_WINOGRAD_G] = {matrix_g, IN, FILTER},
                [RLXC_WINOGRAD_A] = {matrix_a, OUT, IN}};

static const rlxc_winograd_step steps_b[] = {
    {6, 4, 2, -4},  {7, 3, 1, -4}, {8, 4, 2, -1},  {9, 3, 1, -1}, {10, 4, 2, -5}, {11, 5, 3, -5},
    {12, 10, 0, 4}, {13, 6, 7, 1}, {14, 6, 7, -1}, {15, 8, 9, 2}, {16, 8, 9, -2}, {17, 11, 1, 4}};

static const rlxc_winograd_step steps_a[] = {
    {6, 1, 2, 1},  {7, 1, 2, -1},  {8, 3, 4, 1},  {9, 3, 4, -1}, {10, 0, 6, 1},
    {11, 7, 9, 8}, {12, 10, 8, 1}, {13, 7, 9, 2}, {14, 6, 8, 4}, {15, 11, 5, 1}};

rlxc_winograd_program rlxc_winograd_program_of(rlxc_winograd_matrix matrix)
{
    if (matrix == RLXC_WINOGRAD_A)
        return (rlxc_winograd_program){
            steps_a, sizeof steps_a / sizeof *steps_a, {12, 13, 14, 15}, OUT};
    return (rlxc_winograd_program){
        steps_b, sizeof steps_b / sizeof *steps_b, {12, 13, 14, 15, 16, 17}, IN};
}

double rlxc_winograd_value(rlxc_winograd_matrix matrix, uint32_t row, uint32_t column)
{
    return matrices[matrix].values[row * matrices[matrix].columns + column];
}

const rlxc_expr *rlxc_winograd_coefficient(rlxc_context *ctx, rlxc_winograd_matrix matrix,
                                           rlx_dtype dtype, const rlxc_expr *row,
                                           const rlxc_expr *column)
{
    uint32_t n = matrices[matrix].columns;
    const rlxc_expr *at = rlxc_add(ctx, rlxc_mul(ctx, row, rlxc_i64(ctx, n)), column);
    const rlxc_expr *value = rlxc_float(ctx, dtype, 0);
    for (uint32_t i = 0; i < matrices[matrix].rows * n; i++)
        if (matrices[matrix].values[i] < 0 || matrices[matrix].values[i] > 0)
            value = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_EQ, at, rlxc_i64(ctx, i)),
                                rlxc_float(ctx, dtype, matrices[matrix].values[i]), value);
    return value;
}

const rlxc_expr *rlxc_winograd_along(rlxc_context *ctx, const rlxc_buffer *y, uint32_t axis)
{
    const rlxc_expr *rounded = rlxc_add(ctx, y->shape[1 + axis], rlxc_i64(ctx, OUT - 1));
    return rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rounded, rlxc_i64(ctx, OUT)),
                          NULL);
}

const rlxc_expr *rlxc_winograd_tiles(rlxc_context *ctx, const rlxc_buffer *y)
{
    const rlxc_expr *dims[3] = {y->shape[0], rlxc_winograd_along(ctx, y, 0),
                                rlxc_winograd_along(ctx, y, 1)};
    return rlxc_product(ctx, dims, 3);
}

void rlxc_winograd_place(rlxc_context *ctx, const rlxc_buffer *y, const rlxc_expr *t,
                         const rlxc_expr *out[3])
{
    const rlxc_expr *down = rlxc_winograd_along(ctx, y, 0);
    const rlxc_expr *across = rlxc_winograd_along(ctx, y, 1);
    const rlxc_expr *row = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, t, across);
    out[0] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, row, down);
    out[1] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, row, down);
    out[2] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, t, across);
}

const rlxc_expr *rlxc_winograd_input(rlxc_context *ctx, const rlxc_winograd *w,
                                     const rlxc_expr *const axes[6])
{
    const rlxc_expr *place[3], *at[4], *inside = NULL;
    rlxc_winograd_place(ctx, w->y, axes[2], place);
    at[0] = place[0];
    at[3] = axes[3];
    for (uint32_t i = 0; i < 2; i++) {
        const rlxc_expr *first = rlxc_mul(ctx, place[1 + i], rlxc_i64(ctx, OUT));
        at[1 + i] = rlxc_sub(ctx, rlxc_add(ctx, first, axes[4 + i]), rlxc_i64(ctx, w->before[i]));
        const rlxc_expr *low = rlxc_binary(ctx, RLXC_EXPR_LE, rlxc_i64(ctx, 0), at[1 + i]);
        const rlxc_expr *high = rlxc_binary(ctx, RLXC_EXPR_LT, at[1 + i], w->x->shape[1 + i]);
        const rlxc_expr *both = rlxc_binary(ctx, RLXC_EXPR_AND, low, high);
        inside = inside ? rlxc_binary(ctx, RLXC_EXPR_AND, inside, both) : both;
    }
    rlx_dtype t = w->x->dtype;
    const rlxc_expr *args[3] = {inside, rlxc_load(ctx, w->x, at, 4), rlxc_float(ctx, t, 0)};
    const rlxc_expr *element = rlxc_call(ctx, t, rlxc_intern_cstr(ctx, "if_then_else"), args, 3);
    const rlxc_expr *left = rlxc_winograd_coefficient(ctx, RLXC_WINOGRAD_B, t, axes[0], axes[4]);
    const rlxc_expr *right = rlxc_winograd_coefficient(ctx, RLXC_WINOGRAD_B, t, axes[1], axes[5]);
    return rlxc_mul(ctx, rlxc_mul(ctx, left, right), element);
}

/* Element |i| of group |group|, each of |n|; |group| NULL: there is one. */
static const rlxc_expr *in_group(rlxc_context *ctx, const rlxc_expr *group, const rlxc_expr *n,
                                 const rlxc_expr *i)
{
    return group ? rlxc_add(ctx, rlxc_mul(ctx, group, n), i) : i;
}

const rlxc_expr *rlxc_winograd_product(rlxc_context *ctx, const rlxc_winograd *w,
                                       const rlxc_expr *const *axes)
{
    const uint32_t n = w->weight->ndim;
    const rlxc_expr *group = w->outputs ? axes[3] : NULL, *const *last = axes + (group ? 4 : 3);
    const rlxc_expr *output = last[0], *channel = last[1];
    const rlxc_expr *channels = w->weight->shape[n == 4 ? 2 : n - 2];
    const rlxc_expr *v[4] = {axes[0], axes[1], axes[2], in_group(ctx, group, channels, channel)};
    const rlxc_expr *u[6] = {axes[0], axes[1], channel, in_group(ctx, group, w->outputs, output)};
    if (n > 4) {
        const rlxc_expr *width = w->weight->shape[n - 1], *panels = NULL;
        const rlxc_expr *panel = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, output, width);
        if (group && n == 5)
            panels =
                rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, w->outputs, width), NULL);
        u[2] = group;
        u[n - 3] = in_group(ctx, panels ? group : NULL, panels, panel);
        u[n - 2] = channel;
        u[n - 1] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, output, width);
    }
    return rlxc_mul(ctx, rlxc_load(ctx, w->v, v, 4), rlxc_load(ctx, w->weight, u, n));
}

const rlxc_expr *rlxc_winograd_output(rlxc_context *ctx, const rlxc_winograd *w,
                                      const rlxc_expr *const axes[6])
{
    const rlxc_expr *four = rlxc_i64(ctx, OUT), *tile[2], *within[2];
    for (uint32_t i = 0; i < 2; i++) {
        tile[i] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, axes[1 + i], four);
        within[i] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, axes[1 + i], four);
    }
    const rlxc_expr *row =
        rlxc_add(ctx, rlxc_mul(ctx, axes[0], rlxc_winograd_along(ctx, w->y, 0)), tile[0]);
    const rlxc_expr *t =
        rlxc_add(ctx, rlxc_mul(ctx, row, rlxc_winograd_along(ctx, w->y, 1)), tile[1]);
    const rlxc_expr *at[5] = {axes[4], axes[5], t, axes[3]};
    if (w->outputs) {
        at[3] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, axes[3], w->outputs);
        at[4] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, axes[3], w->outputs);
    }
    rlx_dtype dtype = w->m->dtype;
    const rlxc_expr *left =
        rlxc_winograd_coefficient(ctx, RLXC_WINOGRAD_A, dtype, within[0], axes[4]);
    const rlxc_expr *right =
        rlxc_winograd_coefficient(ctx, RLXC_WINOGRAD_A, dtype, within[1], axes[5]);
    return rlxc_mul(ctx, rlxc_mul(ctx, left, right), rlxc_load(ctx, w->m, at, w->m->ndim));
}
