/* The rewrite "gemm": a product of any axes as one of rows, columns and terms (gemm.h). */
#include "compiler/kernels/device/gemm_blocks.h"

#include <string.h>

#include "compiler/kernels/rules.h"

/* --- which product ---------------------------------------------------------------------------- */

static rlxc_gemm_axis kind_of(const rlxc_stages *s, const rlxc_gemm *g, uint32_t axis)
{
    const rlxc_stage *stage = g->stage;
    const bool in_x = rlxc_expr_uses_var(s->ctx, g->op.x, stage->vars[axis]);
    const bool in_w = rlxc_expr_uses_var(s->ctx, g->op.w, stage->vars[axis]);
    return stage->reduces[axis] ? RLXC_GEMM_TERM
           : in_x == in_w       ? RLXC_GEMM_BATCH
           : in_x               ? RLXC_GEMM_ROW
                                : RLXC_GEMM_COLUMN;
}

static bool is_zero(const rlxc_expr *e)
{
    return rlxc_is_const(e, 0) || (e->kind == RLXC_EXPR_FLOAT && e->f == 0);
}

bool rlxc_gemm_of(const rlxc_stages *s, uint32_t i, rlxc_gemm *out)
{
    *out = (rlxc_gemm){.stage = &s->items[i]};
    if (!rlxc_stage_operation(s, out->stage, &out->op))
        return false;
    if (!out->op.x || out->op.where)
        return rlxc_decline(s, "%s is a %s%s", out->stage->out->name,
                            rlxc_operation_name(out->op.kind),
                            out->op.where ? " under a condition" : ", not a product");
    if (!is_zero(out->stage->init))
        return rlxc_decline(s, "the sum begins at %s, not at 0", rlxc_told(s, out->stage->init));
    rlxc_gemm_split_groups(s->ctx, out);
    for (int k = 0; k < RLXC_GEMM_AXES; k++)
        out->extents[k] = rlxc_i64(s->ctx, 1);
    for (uint32_t a = 0; a < out->stage->n_axes; a++) {
        const rlxc_gemm_axis kind = kind_of(s, out, a);
        out->axes[kind][out->n[kind]++] = a;
        out->extents[kind] = rlxc_simplify(
            s->ctx, rlxc_mul(s->ctx, out->extents[kind], out->stage->extents[a]), NULL);
    }
    if (!out->n[RLXC_GEMM_ROW] || !out->n[RLXC_GEMM_COLUMN])
        return rlxc_decline(s, "no axis of %s belongs to %s alone", out->stage->out->name,
                            out->n[RLXC_GEMM_ROW] ? "the second factor" : "the first factor");
    rlxc_stage *epilogue = rlxc_epilogue_of(s, i, i);
    out->epilogue = i + 1 < s->n && epilogue == &s->items[i + 1] ? epilogue : NULL;
    return true;
}

/* --- the blocks ------------------------------------------------------------------------------- */

typedef rlxc_gemm_blocks rewriting;

/* The stage's axes in those of the block being made; axes of kinds that it has no variable for stay
 * as they are. */
const rlxc_expr *rlxc_gemm_in_vars(const rewriting *r, const rlxc_expr *e)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_stage *s = r->g.stage;
    const rlxc_expr *old[RLXC_STAGE_AXES], *now[RLXC_STAGE_AXES];
    uint32_t n = 0;
    for (int k = 0; k < RLXC_GEMM_AXES; k++) {
        const rlxc_expr *below = rlxc_i64(ctx, 1);
        uint32_t outer = 0; /* the outermost axis with more than one iteration */
        while (outer + 1 < r->g.n[k] && rlxc_is_const(s->extents[r->g.axes[k][outer]], 1))
            outer++;
        for (uint32_t i = r->g.n[k]; i-- > 0 && r->vars[k];) {
            const uint32_t axis = r->g.axes[k][i];
            const rlxc_expr *value = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, r->vars[k], below);
            if (i < outer)
                value = rlxc_i64(ctx, 0);
            else if (i > outer)
                value = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, value, s->extents[axis]);
            old[n] = s->vars[axis];
            now[n++] = rlxc_cast(ctx, s->vars[axis]->dtype, rlxc_simplify(ctx, value, NULL));
            below = rlxc_simplify(ctx, rlxc_mul(ctx, below, s->extents[axis]), NULL);
        }
    }
    return rlxc_substitute(ctx, e, old, now, n);
}

/* Gives the block to be made variables for these kinds, the batch only where there is one; returns
 * their number. */
static uint32_t open_axes(rewriting *r, const char *kinds, rlxc_gemm_axis *out)
{
    static const char letters[] = "bmnk";
    uint32_t n = 0;
    memset(r->vars, 0, sizeof r->vars);
    for (; *kinds; kinds++) {
        const rlxc_gemm_axis kind = (rlxc_gemm_axis)(strchr(letters, *kinds) - letters);
        if (kind == RLXC_GEMM_BATCH && r->g.n[kind] == 0)
            continue;
        r->vars[kind] = rlxc_var(r->ctx, rlxc_internf(r->ctx, "v%c", *kinds), RLX_I64);
        out[n++] = kind;
    }
    return n;
}

const rlxc_stmt *rlxc_gemm_nest(const rewriting *r, const char *suffix, const rlxc_gemm_loop *axes,
                                uint32_t n, const rlxc_stmt *body, const rlxc_stmt *init)
{
    enum { MOST_AXES = RLXC_GEMM_AXES + 2 };
    rlxc_context *ctx = r->ctx;
    const rlxc_expr *loops[MOST_AXES];
    rlxc_axis of[MOST_AXES];
    for (uint32_t i = 0; i < n; i++) {
        loops[i] = rlxc_loop_var(ctx, &axes[i].var->var.name[1]);
        of[i] = (rlxc_axis){axes[i].reduces ? RLXC_AXIS_REDUCE : RLXC_AXIS_SPATIAL, axes[i].var,
                            rlxc_i64(ctx, 0), axes[i].extent};
    }
    const rlxc_block block = {.name = rlxc_internf(ctx, "%s%s", r->name, suffix),
                              .axes = rlxc_copy(ctx, of, n * sizeof *of),
                              .n_axes = n,
                              .init = init,
                              .body = body};
    const rlxc_stmt *out = rlxc_stmt_block(ctx, rlxc_copy(ctx, &block, sizeof block), loops, NULL);
    for (uint32_t i = n; i-- > 0;)
        out = rlxc_loop_of(ctx, loops[i], axes[i].extent, RLXC_LOOP_SERIAL, out);
    return out;
}

/* A nest of loops over these axes, of these extents, around a block. */
static const rlxc_stmt *nest(const rewriting *r, const char *suffix, const rlxc_gemm_axis *kinds,
                             uint32_t n, const rlxc_expr *const *extents, const rlxc_stmt *body,
                             const rlxc_stmt *init)
{
    rlxc_gemm_loop axes[RLXC_GEMM_AXES];
    for (uint32_t i = 0; i < n; i++)
        axes[i] = (rlxc_gemm_loop){r->vars[kinds[i]], extents[kinds[i]],
                                   kinds[i] == RLXC_GEMM_TERM && init};
    return rlxc_gemm_nest(r, suffix, axes, n, body, init);
}

static rlxc_buffer *new_buffer(const rewriting *r, const char *suffix, const rlxc_gemm_axis *kinds,
                               uint32_t n, rlx_dtype dtype, const char *scope)
{
    const rlxc_expr *shape[RLXC_GEMM_AXES];
    for (uint32_t i = 0; i < n; i++)
        shape[i] = r->padded[kinds[i]];
    rlxc_buffer *out = rlxc_buffer_new(r->ctx, rlxc_internf(r->ctx, "%s%s", r->name, suffix), dtype,
                                       rlxc_copy(r->ctx, shape, n * sizeof *shape), n);
    out->scope = rlxc_intern_cstr(r->ctx, scope);
    return out;
}

static const rlxc_expr *zero_of(rlxc_context *ctx, rlx_dtype t)
{
    return rlxc_dtype_is_float(t) ? rlxc_float(ctx, t, 0) : rlxc_int(ctx, t, 0);
}

const rlxc_expr *rlxc_gemm_padded(rewriting *r, const rlxc_gemm_axis *kinds, uint32_t n,
                                  const rlxc_expr *value)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_expr *inside = NULL, *vars[RLXC_GEMM_AXES];
    memcpy(vars, r->vars, sizeof vars);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_gemm_axis k = kinds[i];
        if (r->padded[k] == r->g.extents[k])
            continue;
        if (r->clamp && k != RLXC_GEMM_TERM) {
            const rlxc_expr *last = rlxc_sub(ctx, r->g.extents[k], rlxc_i64(ctx, 1));
            r->vars[k] = rlxc_binary(ctx, RLXC_EXPR_MIN, r->vars[k], last);
            continue;
        }
        const rlxc_expr *below = rlxc_binary(ctx, RLXC_EXPR_LT, r->vars[k], r->g.extents[k]);
        inside = inside ? rlxc_binary(ctx, RLXC_EXPR_AND, inside, below) : below;
    }
    value = rlxc_gemm_in_vars(r, value);
    memcpy(r->vars, vars, sizeof vars);
    if (!inside)
        return value;
    const rlxc_expr *args[3] = {inside, value, zero_of(ctx, value->dtype)};
    return rlxc_call(ctx, value->dtype, rlxc_intern_cstr(ctx, "if_then_else"), args, 3);
}

/* A factor as a block of its own. */
static const rlxc_stmt *factor(rewriting *r, const char *suffix, const char *axes,
                               const rlxc_expr *value, rlxc_buffer **out)
{
    rlxc_gemm_axis kinds[RLXC_GEMM_AXES];
    const rlxc_expr *indices[RLXC_GEMM_AXES];
    const uint32_t n = open_axes(r, axes, kinds);
    for (uint32_t i = 0; i < n; i++)
        indices[i] = r->vars[kinds[i]];
    *out = new_buffer(r, suffix, kinds, n, value->dtype, "shared");
    value = rlxc_gemm_padded(r, kinds, n, value);
    return nest(r, suffix, kinds, n, r->padded, rlxc_stmt_store(r->ctx, *out, indices, n, value),
                NULL);
}

static const rlxc_expr *load_of(const rewriting *r, const rlxc_buffer *b, const char *axes)
{
    static const char letters[] = "bmnk";
    const rlxc_expr *indices[RLXC_GEMM_AXES];
    uint32_t n = 0;
    for (; *axes; axes++)
        if (r->vars[strchr(letters, *axes) - letters])
            indices[n++] = r->vars[strchr(letters, *axes) - letters];
    return rlxc_load(r->ctx, b, indices, n);
}

/* sum = x * w */
static const rlxc_stmt *product(rewriting *r, const rlxc_buffer *x, const rlxc_buffer *w,
                                rlxc_buffer **out)
{
    rlxc_context *ctx = r->ctx;
    rlxc_gemm_axis kinds[RLXC_GEMM_AXES];
    const rlx_dtype dtype = r->g.stage->out->dtype;
    const uint32_t n = open_axes(r, "bmnk", kinds);
    *out = new_buffer(r, "", kinds, n - 1, dtype, "local");
    const rlxc_expr *now = load_of(r, *out, "bmn");
    const rlxc_expr *term = rlxc_mul(ctx, load_of(r, x, "bmk"), load_of(r, w, "bkn"));
    const rlxc_expr *sum = rlxc_add(ctx, now, rlxc_cast(ctx, dtype, term));
    return nest(r, "", kinds, n, r->padded,
                rlxc_stmt_store(ctx, *out, now->load.indices, n - 1, sum),
                rlxc_stmt_store(ctx, *out, now->load.indices, n - 1, zero_of(ctx, dtype)));
}

const rlxc_stmt *rlxc_gemm_result(const rewriting *r, const rlxc_expr *value, bool epilogue)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_stage *s = r->g.stage;
    const rlxc_expr *at[RLXC_STAGE_AXES];
    const rlxc_buffer *to = s->out;
    for (uint32_t d = 0; d < s->out->ndim; d++)
        at[d] = rlxc_gemm_in_vars(r, s->indices[d]);
    if (epilogue) { /* its axes are the dimensions of the result */
        value = rlxc_epilogue_value(ctx, r->g.epilogue, s->out, at, value);
        to = r->g.epilogue->out;
    }
    return rlxc_stmt_store(ctx, to, at, to->ndim, value);
}

/* The result, or what the epilogue makes of it, to where it belongs. */
static const rlxc_stmt *result(rewriting *r, const rlxc_buffer *sum, bool epilogue)
{
    rlxc_gemm_axis kinds[RLXC_GEMM_AXES];
    const uint32_t n = open_axes(r, "bmn", kinds);
    return nest(r, "_out", kinds, n, r->g.extents,
                rlxc_gemm_result(r, load_of(r, sum, "bmn"), epilogue), NULL);
}

/* --- the rewrite ------------------------------------------------------------------------------ */

enum { MOST = 4096 };

static int64_t size_of(const rlxc_kernel_use *use, const char *name)
{
    const rlxc_attr *given = rlxc_attrs_find(&use->sizes, rlxc_intern_cstr(use->ctx, name));
    int64_t value;
    return given && rlxc_attr_as_int(given, &value) && value >= 0 && value <= MOST ? value : 0;
}

static bool set_padded(rewriting *r, rlxc_gemm_axis kind, int64_t multiple)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_expr *by = rlxc_i64(ctx, multiple);
    if (multiple < 1)
        return false;
    const rlxc_expr *up = rlxc_add(ctx, r->g.extents[kind], rlxc_i64(ctx, multiple - 1));
    up = rlxc_mul(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, up, by), by);
    r->padded[kind] = rlxc_simplify(ctx, up, NULL);
    if (rlxc_prove_eq(ctx, r->padded[kind], r->g.extents[kind], NULL))
        r->padded[kind] = r->g.extents[kind];
    return true;
}

/* Without the annotation of the rule whose steps request the rewrite. */
static const rlxc_stmt *unmarked(void *user, const rlxc_stmt *s)
{
    rlxc_context *ctx = user;
    if (s->kind != RLXC_STMT_BLOCK ||
        !rlxc_attrs_find(&s->block.block->annotations, rlxc_intern_cstr(ctx, RLXC_RULE_MARK)))
        return NULL;
    rlxc_block *block = rlxc_copy(ctx, s->block.block, sizeof *block);
    block->annotations = rlxc_only_tag(ctx, block->annotations);
    return rlxc_stmt_block(ctx, block, s->block.values, s->block.predicate);
}

static bool rewrite(void *user, const rlxc_kernel_use *use)
{
    rlxc_context *ctx = use->ctx;
    rlxc_options options = *(const rlxc_options *)user;
    rlxc_stages s;
    uint32_t at = 0;
    rewriting r = {.ctx = ctx, .name = use->block};
    const bool epilogue = size_of(use, "epilogue") == 1;
    r.clamp = size_of(use, "clamp") == 1;
    const int64_t fragment = size_of(use, "fragment");
    options.explain = NULL;
    use->f->body =
        rlxc_stmt_rewrite(ctx, use->f->body, &(rlxc_stmt_rewriter){.user = ctx, .stmt = unmarked});
    if (!rlxc_stages_of(ctx, &options, use->f, &s))
        return false;
    while (at < s.n && strcmp(rlxc_stage_name(&s.items[at]), use->block) != 0)
        at++;
    if (at == s.n || !s.items[at].simple || !s.items[at].init || !rlxc_gemm_of(&s, at, &r.g) ||
        (epilogue && !r.g.epilogue))
        return false;
    r.padded[RLXC_GEMM_BATCH] = r.g.extents[RLXC_GEMM_BATCH];
    if (!set_padded(&r, RLXC_GEMM_ROW, size_of(use, "rows")) ||
        !set_padded(&r, RLXC_GEMM_COLUMN, size_of(use, "columns")) ||
        !set_padded(&r, RLXC_GEMM_TERM, size_of(use, "terms")) ||
        (fragment &&
         !rlxc_gemm_fits_fragments(&r, options.allow_tf32, fragment, size_of(use, "rows"),
                                   size_of(use, "columns"), size_of(use, "terms"))))
        return false;
    const rlxc_stmt **stmts = rlxc_try_alloc(ctx, (size_t)s.n + 1, sizeof *stmts), *parts[4];
    rlxc_buffer *temps[3]; /* x, w, sum */
    if (!stmts)
        return false;
    if (fragment) {
        rlxc_gemm_fragments(&r, epilogue, parts, temps);
    } else {
        parts[0] = factor(&r, "_x", "bmk", r.g.op.x, &temps[0]);
        parts[1] = factor(&r, "_w", "bkn", r.g.op.w, &temps[1]);
        parts[2] = product(&r, temps[0], temps[1], &temps[2]);
        parts[3] = result(&r, temps[2], epilogue);
    }
    stmts[at] = rlxc_stmt_seq(ctx, parts, 4);
    s.items[at].done = true;
    if (epilogue)
        rlxc_epilogue_done(&s, at, &s.items[at + 1]);
    for (uint32_t k = 0; k < 3; k++)
        RLXC_PUSH(ctx, &s.temps, temps[k]);
    rlxc_put_stages(&s, stmts);
    return !rlxc_failed(ctx);
}

void rlxc_step_gemm(rlxc_schedule_steps *l, rlxc_step_ref block, const rlxc_gemm_sizes *sizes)
{
    const struct {
        const char *name;
        int64_t value;
    } all[] = {{"rows", sizes->rows},   {"columns", sizes->columns},
               {"terms", sizes->terms}, {"epilogue", sizes->epilogue},
               {"clamp", sizes->clamp}, {"fragment", sizes->fragment}};
    enum { ALWAYS = 4 }; /* the others are said where they are not 0 */
    rlxc_attrs out = {0};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (k < ALWAYS || all[k].value)
            out = rlxc_attrs_with(l->ctx, out, rlxc_intern_cstr(l->ctx, all[k].name),
                                  rlxc_attr_int(all[k].value));
    rlxc_step_rewrite(l, block, "gemm", out);
}

const rlxc_kernel_row rlxc_gemm_row = {
    "gemm", RLXC_STEP_rewrite, "a product of rows, columns and terms, with factors of their own",
    rewrite};
