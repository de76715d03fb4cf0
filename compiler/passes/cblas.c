/* Code generator "cblas": products of float32 matrices, with a bias and an activation, by a BLAS.
 *
 *   y = activation(matmul(a, b or permute_dims(b)) + bias)
 *
 * with any batch dimensions and any sizes. The section says of each function which of its operands
 * are a, b and the bias (include/rlx/loaders.h states its layout); sizes come with the tensors. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/libraries.h"
#include "rlx/loaders.h"

/* --- patterns --------------------------------------------------------------------------------- */

#define PLAIN "(matmul a b)"
#define TURNED "(matmul a (permute_dims b))"
#define ROW(suffix, text)                                                                \
    {                                                                                    \
        .name = "cblas." suffix, .pattern = text, .lift_constants = true, .alone = true, \
        .check = is_product,                                                             \
    }
#define ROWS(suffix, before, after)                                         \
    ROW("matmul_turned_bias" suffix, before "(add " TURNED " bias)" after), \
        ROW("matmul_bias" suffix, before "(add " PLAIN " bias)" after),     \
        ROW("matmul_turned" suffix, before TURNED after), ROW("matmul" suffix, before PLAIN after)

static bool is_product(void *user, rlxc_context *ctx, const rlxc_match *match);

/* Larger patterns come first. */
static const rlxc_fusion fusions[] = {
#define RLX_ACTIVATION(number, name, op) ROWS("_" #name, "(" op " ", ")"),
#include "rlx/activations.def"
    ROWS("", "", "")};

/* The only permutation there is: of the last two dimensions. */
static bool turns_last(const rlxc_binding *turn, int32_t ndim)
{
    int64_t order[RLXC_MAX_NDIM];
    if (!rlxc_permutation(turn, ndim, order))
        return false;
    for (int32_t i = 0; i < ndim; i++)
        if (order[i] != (i < ndim - 2 ? i : 2 * ndim - 3 - i))
            return false;
    return true;
}

static const rlxc_sinfo *matrix(rlxc_context *ctx, rlxc_atom atom)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, NULL, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim >= 2 && rlxc_dtype_eq(s->dtype, RLX_F32)
               ? s
               : NULL;
}

/* rlxc_fusion.check */
static bool is_product(void *user, rlxc_context *ctx, const rlxc_match *match)
{
    const rlxc_binding *product = rlxc_library_inside(match, "matmul"),
                       *turn = rlxc_library_inside(match, "permute_dims");
    const rlxc_atom bias = rlxc_match_atom(match, "bias");
    (void)user;
    if (!product || product->n_args < 2 || !matrix(ctx, product->args[0]))
        return false;
    const rlxc_sinfo *b = matrix(ctx, product->args[1]), *y = product->var->sinfo;
    if (!b || !y || y->kind != RLXC_SINFO_TENSOR || !rlxc_dtype_eq(y->dtype, RLX_F32) || !y->dims ||
        (turn && !turns_last(turn, b->ndim)))
        return false;
    if (bias.kind == RLXC_ATOM_NONE)
        return true;
    const rlxc_sinfo *s = rlxc_library_tensor(ctx, bias, 1);
    return s && rlxc_prove_eq(ctx, s->dims[0], y->dims[y->ndim - 1], NULL);
}

/* --- the section ------------------------------------------------------------------------------ */

/* What a function computes, found binding by binding. */
typedef struct product {
    rlx_cblas_row row;
    const rlxc_rvar *turned;
    rlxc_atom b; /* |turned|'s operand */
} product;

static bool read_product(product *p, const rlxc_library_reading *r, const rlxc_binding *b)
{
    const bool turned =
        b->args[1].kind == RLXC_ATOM_VAR && p->turned && b->args[1].var == p->turned;
    p->row.flags = turned ? RLX_CBLAS_TURNED : 0;
    p->row.a = rlxc_library_operand(r, b->args[0]);
    p->row.b = rlxc_library_operand(r, turned ? p->b : b->args[1]);
    return !r->last && p->row.a != RLX_NO_OPERAND && p->row.b != RLX_NO_OPERAND;
}

static bool read_bias(product *p, const rlxc_library_reading *r, const rlxc_binding *b)
{
    const bool second = rlxc_library_is_last(r, b->args[0]);
    p->row.bias = rlxc_library_operand(r, b->args[second]);
    return p->row.activation == 0 && (second || rlxc_library_is_last(r, b->args[1])) &&
           p->row.bias != RLX_NO_OPERAND;
}

/* rlxc_library_rows.prepare */
static void prepare(void *row)
{
    product *p = row;
    p->row.a = p->row.b = p->row.bias = RLX_NO_OPERAND;
}

/* rlxc_library_rows.read */
static bool read_binding(void *row, rlxc_library_reading *r, const rlxc_binding *b)
{
    product *p = row;
    if (rlxc_is_op(b, "permute_dims") && !p->turned && !r->last) {
        p->turned = b->var;
        p->b = b->args[0];
        const rlxc_sinfo *s = rlxc_atom_sinfo(r->ctx, NULL, p->b);
        return s && s->kind == RLXC_SINFO_TENSOR && turns_last(b, s->ndim);
    }
    const bool ok = rlxc_is_op(b, "matmul") ? read_product(p, r, b)
                    : rlxc_is_op(b, "add")  ? read_bias(p, r, b)
                                            : rlxc_library_activation(r, b, &p->row.activation);
    r->last = b->var;
    return ok;
}

/* rlxc_generator.emit */
static bool emit(void *user, rlxc_context *ctx, rlxc_module *module, const rlxc_taken *taken,
                 uint32_t n, rlxc_section *out)
{
    static const rlxc_library_rows rows = {.what =
                                               "product of matrices with a bias and an activation",
                                           .bytes = sizeof(product),
                                           .n_words = sizeof(rlx_cblas_row) / 4,
                                           .prepare = prepare,
                                           .read = read_binding};
    (void)user;
    (void)module;
    return rlxc_library_write(ctx, &rows, taken, n, out);
}

const rlxc_library rlxc_cblas = {
    .doc = "products of float32 matrices with a bias and an activation, by OpenBLAS",
    .fusions = fusions,
    .n_fusions = sizeof fusions / sizeof *fusions,
    .generator = {.name = "cblas", .emit = emit}};
