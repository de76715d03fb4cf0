/* A product for tensor cores. A warp multiplies 16 rows by 8 columns over a few terms; each of its
 * 32 threads (lanes) holds some elements of the three matrices, its fragment, in the order of PTX's
 * manual for mma.m16n8k16 (p = 2 elements of a factor in a register) and m16n8k8 of TF32 (p = 1):
 *
 *     A[i]: row i / p % 2 * 8 + lane / 4, term i / 2p * 4p + lane % 4 * p + i % p
 *     B[i]: term i / p * 4p + lane % 4 * p + i % p, column lane / 4
 *     C[i]: row i / 2 * 8 + lane / 4, column lane % 4 * 2 + i % 2
 *
 * The factors' copies in shared memory are in this order too, so that a thread reads its fragment
 * at once and no two threads read the same bank. */
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/kernels/device/gemm_blocks.h"

enum { LANES = 32, ROWS = 16, COLUMNS = 8, SUMS = 4 };

static const rlxc_fragment_kind kinds_of_fragments[] = {
    {{RLX_FLOAT, 16, 1}, "m16n8k16", "fp16", 16, 2, false},
    {{RLX_BFLOAT, 16, 1}, "m16n8k16", "bf16", 16, 2, false},
    {{RLX_FLOAT, 32, 1}, "m16n8k8", "tf32", 8, 1, true},
};

typedef struct fragment_axes { /* variables of a block of fragments */
    const rlxc_expr *lane, *item, *tile[RLXC_GEMM_AXES];
    rlxc_gemm_loop loops[RLXC_GEMM_AXES + 2];
    uint32_t n;
} fragment_axes;

static const rlxc_expr *times(rlxc_context *ctx, const rlxc_expr *e, int64_t by)
{
    return rlxc_mul(ctx, e, rlxc_i64(ctx, by));
}

static const rlxc_expr *over(rlxc_context *ctx, const rlxc_expr *e, int64_t by)
{
    return rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, e, rlxc_i64(ctx, by));
}

static const rlxc_expr *modulo(rlxc_context *ctx, const rlxc_expr *e, int64_t by)
{
    return rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, e, rlxc_i64(ctx, by));
}

static const rlxc_expr *sum(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                            const rlxc_expr *c)
{
    return rlxc_add(ctx, rlxc_add(ctx, a, b), c);
}

static const rlxc_expr *new_axis(const rlxc_gemm_blocks *r, fragment_axes *f, const char *name,
                                 const rlxc_expr *extent, bool reduces)
{
    const rlxc_expr *var = rlxc_var(r->ctx, rlxc_intern_cstr(r->ctx, name), RLX_I64);
    f->loops[f->n++] = (rlxc_gemm_loop){var, extent, reduces};
    return var;
}

/* The axes of a block: batch if there is one, the tiles of |kinds|, lanes, and |items| elements of
 * a lane (0: the block has no such axis). */
static fragment_axes open(const rlxc_gemm_blocks *r, const int64_t sizes[RLXC_GEMM_AXES],
                          const char *kinds, int64_t items)
{
    static const char letters[] = "bmnk";
    static const char *const names[] = {"vb", "vm", "vn", "vk"};
    fragment_axes f = {.n = 0};
    for (; *kinds; kinds++) {
        const int k = (int)(strchr(letters, *kinds) - letters);
        if (k == RLXC_GEMM_BATCH && r->g.n[k] == 0)
            continue;
        const rlxc_expr *tiles = rlxc_simplify(r->ctx, over(r->ctx, r->padded[k], sizes[k]), NULL);
        f.tile[k] = new_axis(r, &f, names[k], tiles, k == RLXC_GEMM_TERM && items == 0);
    }
    f.lane = new_axis(r, &f, "vl", rlxc_i64(r->ctx, LANES), false);
    f.item = items ? new_axis(r, &f, "vi", rlxc_i64(r->ctx, items), false) : NULL;
    return f;
}

/* The element's place in the product, as values of the blocks' variables. */
static void place(rlxc_gemm_blocks *r, const fragment_axes *f, const int64_t sizes[RLXC_GEMM_AXES],
                  const rlxc_expr *row, const rlxc_expr *column, const rlxc_expr *term)
{
    const rlxc_expr *inside[RLXC_GEMM_AXES] = {NULL, row, column, term};
    memset(r->vars, 0, sizeof r->vars);
    r->vars[RLXC_GEMM_BATCH] = f->tile[RLXC_GEMM_BATCH];
    for (int k = RLXC_GEMM_ROW; k < RLXC_GEMM_AXES; k++)
        if (inside[k])
            r->vars[k] = rlxc_add(r->ctx, times(r->ctx, f->tile[k], sizes[k]), inside[k]);
}

static rlxc_buffer *new_buffer(const rlxc_gemm_blocks *r, const char *suffix,
                               const fragment_axes *f, rlx_dtype dtype, const char *scope,
                               int64_t items)
{
    const rlxc_expr *shape[RLXC_GEMM_AXES + 2];
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->loops[i].var != f->item && !f->loops[i].reduces)
            shape[n++] = f->loops[i].extent;
    shape[n++] = rlxc_i64(r->ctx, items);
    rlxc_buffer *out = rlxc_buffer_new(r->ctx, rlxc_internf(r->ctx, "%s%s", r->name, suffix), dtype,
                                       rlxc_copy(r->ctx, shape, n * sizeof *shape), n);
    out->scope = rlxc_intern_cstr(r->ctx, scope);
    return out;
}

/* The fragment of |b| that the block's variables name, from element |item| on. */
static uint32_t index_of(const fragment_axes *f, const char *kinds, const rlxc_expr *item,
                         const rlxc_expr *out[RLXC_GEMM_AXES + 2])
{
    static const char letters[] = "bmnk";
    uint32_t n = 0;
    for (; *kinds; kinds++)
        if (f->tile[strchr(letters, *kinds) - letters])
            out[n++] = f->tile[strchr(letters, *kinds) - letters];
    out[n++] = f->lane;
    out[n++] = item;
    return n;
}

static const rlxc_stmt *factor(rlxc_gemm_blocks *r, const int64_t sizes[RLXC_GEMM_AXES],
                               const char *suffix, bool rows, const rlxc_expr *value,
                               rlxc_buffer **out)
{
    rlxc_context *ctx = r->ctx;
    const char *kinds = rows ? "bmk" : "bnk";
    const int64_t per = r->fragment->per_register, items = rows ? 4 * per : 2 * per;
    const fragment_axes f = open(r, sizes, kinds, items);
    const rlxc_gemm_axis padded[] = {rows ? RLXC_GEMM_ROW : RLXC_GEMM_COLUMN, RLXC_GEMM_TERM};
    const rlxc_expr *at[RLXC_GEMM_AXES + 2], *line = over(ctx, f.lane, 4);
    const rlxc_expr *half = over(ctx, f.item, rows ? 2 * per : per);
    const rlxc_expr *term = sum(ctx, times(ctx, half, 4 * per),
                                times(ctx, modulo(ctx, f.lane, 4), per), modulo(ctx, f.item, per));
    if (rows)
        line = rlxc_add(ctx, times(ctx, modulo(ctx, over(ctx, f.item, per), 2), 8), line);
    place(r, &f, sizes, rows ? line : NULL, rows ? NULL : line, term);
    *out = new_buffer(r, suffix, &f, value->dtype, "shared", items);
    value = rlxc_gemm_padded(r, padded, 2, value);
    const uint32_t n = index_of(&f, kinds, f.item, at);
    return rlxc_gemm_nest(r, suffix, f.loops, f.n, rlxc_stmt_store(ctx, *out, at, n, value), NULL);
}

static const rlxc_expr *address(rlxc_context *ctx, const rlxc_buffer *b, const fragment_axes *f,
                                const char *kinds)
{
    const rlxc_expr *at[RLXC_GEMM_AXES + 2];
    const uint32_t n = index_of(f, kinds, rlxc_i64(ctx, 0), at);
    const rlxc_expr *first = rlxc_load(ctx, b, at, n);
    return rlxc_intrinsic_call(ctx, "address_of", &first, 1);
}

static const rlxc_stmt *product(rlxc_gemm_blocks *r, const int64_t sizes[RLXC_GEMM_AXES],
                                const rlxc_buffer *x, const rlxc_buffer *w, rlxc_buffer **out)
{
    rlxc_context *ctx = r->ctx;
    const fragment_axes f = open(r, sizes, "bmnk", 0);
    const rlx_dtype dtype = r->g.stage->out->dtype;
    const rlxc_fragment_kind *kind = r->fragment;
    *out = new_buffer(r, "", &f, dtype, "local", SUMS);
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *at[RLXC_GEMM_AXES + 2];
    const rlxc_stmt *init[SUMS];
    for (int i = 0; i < SUMS; i++) {
        const uint32_t n = index_of(&f, "bmn", rlxc_i64(ctx, i), at);
        init[i] = rlxc_stmt_store(ctx, *out, rlxc_copy(ctx, at, n * sizeof *at), n,
                                  rlxc_float(ctx, dtype, 0));
    }
    const rlxc_expr *args[14] = {rlxc_string(ctx, "float32"),
                                 rlxc_string(ctx, kind->shape),
                                 rlxc_string(ctx, "row"),
                                 rlxc_string(ctx, "col"),
                                 rlxc_string(ctx, kind->type),
                                 rlxc_string(ctx, kind->type),
                                 rlxc_string(ctx, "fp32"),
                                 address(ctx, x, &f, "bmk"),
                                 zero,
                                 address(ctx, w, &f, "bnk"),
                                 zero,
                                 address(ctx, *out, &f, "bmn"),
                                 zero,
                                 rlxc_bool(ctx, false)};
    const rlxc_stmt *body = rlxc_stmt_evaluate(ctx, rlxc_intrinsic_call(ctx, "ptx_mma", args, 14));
    return rlxc_gemm_nest(r, "", f.loops, f.n, body, rlxc_stmt_seq(ctx, init, SUMS));
}

static const rlxc_stmt *result(rlxc_gemm_blocks *r, const int64_t sizes[RLXC_GEMM_AXES],
                               const rlxc_buffer *sums, bool epilogue)
{
    rlxc_context *ctx = r->ctx;
    const fragment_axes f = open(r, sizes, "bmn", SUMS);
    const rlxc_expr *at[RLXC_GEMM_AXES + 2], *inside = NULL;
    const rlxc_expr *row = rlxc_add(ctx, times(ctx, over(ctx, f.item, 2), 8), over(ctx, f.lane, 4));
    const rlxc_expr *column =
        rlxc_add(ctx, times(ctx, modulo(ctx, f.lane, 4), 2), modulo(ctx, f.item, 2));
    place(r, &f, sizes, row, column, NULL);
    const uint32_t n = index_of(&f, "bmn", f.item, at);
    const rlxc_stmt *body = rlxc_gemm_result(r, rlxc_load(ctx, sums, at, n), epilogue);
    for (int k = RLXC_GEMM_ROW; k <= RLXC_GEMM_COLUMN; k++) {
        const rlxc_expr *below = rlxc_binary(ctx, RLXC_EXPR_LT, r->vars[k], r->g.extents[k]);
        if (r->padded[k] != r->g.extents[k])
            inside = inside ? rlxc_binary(ctx, RLXC_EXPR_AND, inside, below) : below;
    }
    if (inside)
        body = rlxc_stmt_if(ctx, inside, body, NULL);
    return rlxc_gemm_nest(r, "_out", f.loops, f.n, body, NULL);
}

static const rlxc_expr *before_conversion(const rlxc_expr *e)
{
    const bool converts = e->kind == RLXC_EXPR_CAST && rlxc_dtype_is_float(e->dtype) &&
                          e->dtype.bits == 32 && rlxc_dtype_is_float(e->bin.a->dtype);
    return converts ? e->bin.a : e;
}

const rlxc_fragment_kind *rlxc_gemm_fragment(const rlxc_gemm *g, bool allow_tf32,
                                             const rlxc_expr **out_x, const rlxc_expr **out_w)
{
    if (!rlx_dtype_eq(g->stage->out->dtype, RLX_F32))
        return NULL;
    for (size_t i = 0; i < sizeof kinds_of_fragments / sizeof *kinds_of_fragments; i++) {
        const rlxc_fragment_kind *kind = &kinds_of_fragments[i];
        *out_x = kind->rounds ? g->op.x : before_conversion(g->op.x);
        *out_w = kind->rounds ? g->op.w : before_conversion(g->op.w);
        if (rlx_dtype_eq((*out_x)->dtype, kind->dtype) &&
            rlx_dtype_eq((*out_w)->dtype, kind->dtype) && (allow_tf32 || !kind->rounds))
            return kind;
    }
    return NULL;
}

bool rlxc_gemm_fits_fragments(rlxc_gemm_blocks *r, bool allow_tf32, int64_t fragment, int64_t rows,
                              int64_t columns, int64_t terms)
{
    const rlxc_expr *x, *w;
    r->fragment = rlxc_gemm_fragment(&r->g, allow_tf32, &x, &w);
    if (!r->fragment || fragment != r->fragment->terms || rows % ROWS != 0 ||
        columns % COLUMNS != 0 || terms % fragment != 0)
        return false;
    r->g.op.x = x;
    r->g.op.w = w;
    return true;
}

void rlxc_gemm_fragments(rlxc_gemm_blocks *r, bool epilogue, const rlxc_stmt *parts[4],
                         rlxc_buffer *temps[3])
{
    const int64_t sizes[RLXC_GEMM_AXES] = {1, ROWS, COLUMNS, r->fragment->terms};
    parts[0] = factor(r, sizes, "_x", true, r->g.op.x, &temps[0]);
    parts[1] = factor(r, sizes, "_w", false, r->g.op.w, &temps[1]);
    parts[2] = product(r, sizes, temps[0], temps[1], &temps[2]);
    parts[3] = result(r, sizes, temps[2], epilogue);
}
