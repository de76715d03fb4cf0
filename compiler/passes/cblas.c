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
#define RLX_CBLAS_ACTIVATION(number, name, op) ROWS("_" #name, "(" op " ", ")"),
#include "rlx/cblas.def"
    ROWS("", "", "")};

/* The only permutation there is: of the last two dimensions. */
static bool turns_last(const rlxc_binding *turn, int32_t ndim)
{
    const rlxc_attr *axes = rlxc_attrs_find(&turn->attrs, "axes");
    if (!axes || axes->kind != RLXC_ATTR_LIST)
        return ndim == 2;
    if (axes->list.count != (uint32_t)ndim)
        return false;
    for (int32_t i = 0; i < ndim; i++) {
        int64_t axis = 0;
        const int32_t want = i < ndim - 2 ? i : 2 * ndim - 3 - i;
        if (!rlxc_attr_as_int(&axes->list.items[i], &axis) ||
            (axis < 0 ? axis + ndim : axis) != want)
            return false;
    }
    return true;
}

static const rlxc_sinfo *matrix(rlxc_context *ctx, rlxc_atom atom)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, NULL, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim >= 2 && rlxc_dtype_eq(s->dtype, RLX_F32)
               ? s
               : NULL;
}

static const rlxc_binding *inside(const rlxc_match *match, const char *op)
{
    for (uint32_t i = 0; i < match->n_inside; i++)
        if (rlxc_is_op(match->inside[i], op))
            return match->inside[i];
    return NULL;
}

/* rlxc_fusion.check */
static bool is_product(void *user, rlxc_context *ctx, const rlxc_match *match)
{
    const rlxc_binding *product = inside(match, "matmul"), *turn = inside(match, "permute_dims");
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
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, NULL, bias);
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim == 1 && s->dims &&
           rlxc_dtype_eq(s->dtype, RLX_F32) &&
           rlxc_prove_eq(ctx, s->dims[0], y->dims[y->ndim - 1], NULL);
}

/* --- the section ------------------------------------------------------------------------------ */

/* What a function computes, found binding by binding. */
typedef struct reading {
    rlxc_context *ctx;
    const rlxc_function *composite;
    const rlxc_binding *call; /* of it, in the function that leaves */
    const rlxc_function *outer;
    const rlxc_rvar *turned, *last; /* the results so far */
    rlxc_atom b;                    /* |turned|'s operand */
    rlx_cblas_row row;
} reading;

/* The number of the operand of the function that leaves; RLX_CBLAS_NONE: |atom| is none. */
static uint32_t operand_of(const reading *r, rlxc_atom atom)
{
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_VAR && i < r->composite->n_params; i++) {
        if (r->composite->params[i] != atom.var || i >= r->call->n_args)
            continue;
        const rlxc_atom given = r->call->args[i];
        for (uint32_t k = 0; given.kind == RLXC_ATOM_VAR && k < r->outer->n_params; k++)
            if (r->outer->params[k] == given.var)
                return k;
    }
    return RLX_CBLAS_NONE;
}

static bool is_last(const reading *r, rlxc_atom atom)
{
    return r->last && atom.kind == RLXC_ATOM_VAR && atom.var == r->last;
}

static bool read_product(reading *r, const rlxc_binding *b)
{
    const bool turned =
        b->args[1].kind == RLXC_ATOM_VAR && r->turned && b->args[1].var == r->turned;
    r->row.flags = turned ? RLX_CBLAS_TURNED : 0;
    r->row.a = operand_of(r, b->args[0]);
    r->row.b = operand_of(r, turned ? r->b : b->args[1]);
    return !r->last && r->row.a != RLX_CBLAS_NONE && r->row.b != RLX_CBLAS_NONE;
}

static bool read_bias(reading *r, const rlxc_binding *b)
{
    const bool second = is_last(r, b->args[0]);
    r->row.bias = operand_of(r, b->args[second]);
    return r->row.activation == 0 && (second || is_last(r, b->args[1])) &&
           r->row.bias != RLX_CBLAS_NONE;
}

static bool read_activation(reading *r, const rlxc_binding *b)
{
#define RLX_CBLAS_ACTIVATION(number, name, op) {number, op},
    static const struct {
        uint32_t number;
        const char *op;
    } activations[] = {
#include "rlx/cblas.def"
    };
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        if (rlxc_is_op(b, activations[i].op) && r->row.activation == 0) {
            r->row.activation = activations[i].number;
            return is_last(r, b->args[0]);
        }
    return false;
}

static bool read_binding(reading *r, const rlxc_binding *b)
{
    if (rlxc_is_op(b, "permute_dims") && !r->turned && !r->last) {
        r->turned = b->var;
        r->b = b->args[0];
        const rlxc_sinfo *s = rlxc_atom_sinfo(r->ctx, NULL, r->b);
        return s && s->kind == RLXC_SINFO_TENSOR && turns_last(b, s->ndim);
    }
    bool ok = b->form == RLXC_FORM_COPY && is_last(r, b->args[0]);
    if (rlxc_is_op(b, "matmul"))
        ok = read_product(r, b);
    else if (rlxc_is_op(b, "add"))
        ok = read_bias(r, b);
    else if (b->form == RLXC_FORM_CALL)
        ok = read_activation(r, b);
    r->last = b->var;
    return ok;
}

/* The one call of the one local function that |f| consists of. */
static bool read_function(reading *r, const rlxc_function *f)
{
    const rlxc_rvar *local = NULL;
    r->outer = f;
    for (uint32_t i = 0; i < f->body.n_blocks; i++)
        for (uint32_t k = 0; k < f->body.blocks[i]->n; k++) {
            const rlxc_binding *b = f->body.blocks[i]->bindings[k];
            if (b->form == RLXC_FORM_FUNCTION && !local) {
                local = b->var;
                r->composite = b->function;
            } else if (b->form == RLXC_FORM_CALL && !b->op && !r->call &&
                       b->callee.kind == RLXC_ATOM_VAR && b->callee.var == local) {
                r->call = b;
            } else if (b->form != RLXC_FORM_COPY) {
                return false;
            }
        }
    if (!r->call)
        return false;
    r->row = (rlx_cblas_row){.bias = RLX_CBLAS_NONE, .n_operands = f->n_params};
    const rlxc_body *body = &r->composite->body;
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++)
            if (!read_binding(r, body->blocks[i]->bindings[k]))
                return false;
    return is_last(r, body->result);
}

static void put_word(uint8_t *p, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(word >> 8 * i);
}

/* rlxc_generator.emit */
static bool emit(void *user, rlxc_context *ctx, rlxc_module *module, const rlxc_taken *taken,
                 uint32_t n, rlxc_section *out)
{
    size_t size = 4;
    (void)user;
    (void)module;
    for (uint32_t i = 0; i < n; i++)
        size += sizeof(rlx_cblas_row) + strlen(taken[i].symbol);
    uint8_t *data = rlxc_alloc(ctx, size), *at = data + 4;
    put_word(data, n);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_function *f = taken[i].global->relax;
        reading r = {.ctx = ctx};
        if (!f || !read_function(&r, f)) {
            rlxc_error(ctx, f ? f->range : taken[i].global->prim->range,
                       "code generator \"cblas\": '%s' is not one product of matrices with a bias "
                       "and an activation",
                       taken[i].global->name);
            return false;
        }
        const uint32_t length = (uint32_t)strlen(taken[i].symbol);
        r.row.symbol = length;
        const uint32_t *words = &r.row.symbol;
        for (size_t k = 0; k < sizeof r.row / 4; k++, at += 4)
            put_word(at, words[k]);
        memcpy(at, taken[i].symbol, length);
        at += length;
    }
    *out = (rlxc_section){out->kind, "rows", data, size};
    return true;
}

const rlxc_library rlxc_cblas = {
    .doc = "products of float32 matrices with a bias and an activation, by OpenBLAS",
    .fusions = fusions,
    .n_fusions = sizeof fusions / sizeof *fusions,
    .generator = {.name = "cblas", .emit = emit}};
