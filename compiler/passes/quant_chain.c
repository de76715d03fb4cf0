/* Turns the bindings that compute a weight from constants into an expression of one element, and
 * decomposes that into (number - zero) * scale.
 *
 * The operators are lowered into a scratch module, so that R.dequantize, arithmetic written out by
 * exporters and PrimFuncs in the module have one form: stages whose loads are replaced by the
 * expressions they read, back to the constants. Interval arithmetic, starting from the actual
 * values of the constants, gives the width of the numbers. Float16 weights are not rounded to
 * float16 in between, which is closer to the values before quantization. */
#include "compiler/passes/quant_chain.h"

#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/constant.h"
#include "compiler/ir/lifted.h"
#include "compiler/kernels/quantized/quant.h"
#include "compiler/ops/te.h"
#include "compiler/schedule/stages.h"

enum {
    MAX_STEPS = 48,
    MAX_NODES = 4096,
    MAX_NUMBER_BITS = 62,
    MAX_EXACT = 1 << 24 /* magnitude of a number, exact in float32 */
};

/* --- lowering the bindings -------------------------------------------------------------------- */

typedef struct lowering {
    rlxc_quant_chain *c;
    rlxc_module *module;
    const rlxc_map *defs;
    rlxc_map done; /* variable -> rlxc_atom */
    uint32_t steps;
} lowering;

static bool lower(lowering *l, rlxc_atom from, rlxc_atom *to);

/* The bytes of a constant of packed elements, as the pass unpack reads them. */
static bool take_bytes(lowering *l, const rlxc_binding *b, rlxc_atom *out)
{
    const rlxc_atom *a = b->args;
    if (!rlxc_is_op(b, "memory.view") || b->n_args != 3 || a[2].kind != RLXC_ATOM_DTYPE ||
        !rlxc_dtype_eq(a[2].dtype, RLX_U8) || !lower(l, a[0], out) ||
        out->kind != RLXC_ATOM_CONSTANT || !rlx_dtype_is_packed(out->constant->dtype))
        return false;
    const rlxc_constant *c = out->constant;
    const int64_t size = (int64_t)c->nbytes;
    const rlxc_expr *dim = rlxc_i64(l->c->ctx, size);
    const rlxc_atom args[3] = {*out, rlxc_atom_shape(l->c->ctx, &dim, 1), a[2]};
    rlxc_constant *bytes =
        c->lifted ? rlxc_constant_call(l->c->ctx, b->op->name, args, 3, b->attrs, RLX_U8, 1, &size)
                  : rlxc_constant_new(l->c->ctx, RLX_U8, 1, &size, NULL, 0);
    bytes->data = c->data;
    bytes->nbytes = c->nbytes;
    *out = rlxc_atom_constant(bytes);
    return true;
}

static bool lower_binding(lowering *l, const rlxc_binding *b, rlxc_atom *out)
{
    rlxc_quant_chain *c = l->c;
    rlxc_context *ctx = c->ctx;
    if (b->form == RLXC_FORM_COPY)
        return lower(l, b->args[0], out);
    if (take_bytes(l, b, out))
        return true;
    if (b->form != RLXC_FORM_CALL || !b->op || b->n_args == 0 || !b->var->sinfo)
        return false;
    rlxc_binding *copy = rlxc_copy(ctx, b, sizeof *b);
    rlxc_atom *args = rlxc_alloc(ctx, b->n_args * sizeof *args);
    for (uint32_t i = 0; i < b->n_args; i++)
        if (!lower(l, b->args[i], &args[i]))
            return false;
    copy->args = args;
    copy->var = rlxc_rvar_new(ctx, c->builder.function, b->var->name, b->var->sinfo);
    rlxc_atom made = {0};
    uint32_t before = c->builder.block->n;
    if (b->op->legalize)
        made = b->op->legalize(&c->builder, copy);
    if (made.kind == RLXC_ATOM_NONE && !rlxc_failed(ctx))
        made = rlxc_emit(&c->builder, copy);
    for (uint32_t i = before; i < c->builder.block->n; i++) {
        rlxc_binding *new = c->builder.block->bindings[i];
        rlxc_map_set(ctx, &c->defs, rlxc_key(new->var), new);
    }
    *out = made;
    return !rlxc_failed(ctx);
}

static bool lower(lowering *l, rlxc_atom from, rlxc_atom *to)
{
    rlxc_context *ctx = l->c->ctx;
    *to = from;
    if (from.kind == RLXC_ATOM_TUPLE) {
        rlxc_atom *items = rlxc_alloc(ctx, (from.n + 1) * sizeof *items);
        for (uint32_t i = 0; i < from.n; i++)
            if (!lower(l, from.items[i], &items[i]))
                return false;
        *to = rlxc_atom_tuple(ctx, items, from.n);
        return true;
    }
    if (from.kind == RLXC_ATOM_GLOBAL) {
        const rlxc_global *g = rlxc_module_find(l->module, from.text);
        const rlxc_global *own =
            g && g->prim
                ? rlxc_module_add_prim(ctx, l->c->scratch, rlxc_prim_func_clone(ctx, g->prim), true)
                : NULL;
        if (own)
            *to = rlxc_atom_global(ctx, own->name);
        return own != NULL;
    }
    if (from.kind != RLXC_ATOM_VAR)
        return true;
    rlxc_atom *known = rlxc_map_get(&l->done, rlxc_key(from.var));
    const rlxc_binding *b = rlxc_map_get(l->defs, rlxc_key(from.var));
    if (known)
        *to = *known;
    if (known || !b || l->steps++ >= MAX_STEPS || !lower_binding(l, b, to))
        return known != NULL;
    rlxc_map_set(ctx, &l->done, rlxc_key(from.var), rlxc_copy(ctx, to, sizeof *to));
    return true;
}

/* --- one element as an expression ------------------------------------------------------------- */

typedef struct frame { /* of the PrimFunc whose expression is being substituted */
    rlxc_quant_chain *c;
    const rlxc_stages *s;
    const rlxc_binding *call;
    bool bad;
} frame;

static const rlxc_expr *element(rlxc_quant_chain *c, rlxc_atom a, const rlxc_expr *const *at,
                                uint32_t n);

static const rlxc_expr *stage_value(frame *f, const rlxc_buffer *buffer,
                                    const rlxc_expr *const *at);

static const rlxc_expr *put_load(void *user, const rlxc_expr *e)
{
    frame *f = user;
    rlxc_context *ctx = f->c->ctx;
    if (e->kind != RLXC_EXPR_LOAD || f->bad)
        return NULL;
    const rlxc_expr **at = rlxc_alloc(ctx, (e->load.n + 1) * sizeof *at), *value = NULL;
    for (uint32_t i = 0; i < e->load.n; i++)
        at[i] = rlxc_expr_rewrite(ctx, e->load.indices[i], put_load, f);
    const rlxc_prim_func *prim = f->s->f;
    uint32_t i = 0;
    while (i < prim->n_params && prim->params[i].buffer != e->load.buffer)
        i++;
    if (i < f->call->args[1].n)
        value = element(f->c, f->call->args[1].items[i], at, e->load.n);
    else
        value = stage_value(f, e->load.buffer, at);
    f->bad = f->bad || !value;
    return value ? value : e;
}

/* The element |at| of a buffer that a stage of the function writes. */
static const rlxc_expr *stage_value(frame *f, const rlxc_buffer *buffer, const rlxc_expr *const *at)
{
    rlxc_quant_chain *c = f->c;
    const rlxc_stage *stage = NULL;
    for (uint32_t i = 0; i < f->s->n; i++) {
        if (!f->s->items[i].simple)
            return NULL;
        if (f->s->items[i].out == buffer) {
            if (stage)
                return NULL;
            stage = &f->s->items[i];
        }
    }
    if (!stage || stage->init || c->steps++ >= MAX_STEPS)
        return NULL;
    const rlxc_expr *values[RLXC_STAGE_AXES];
    for (uint32_t a = 0; a < stage->n_axes; a++) {
        values[a] = NULL;
        for (uint32_t d = 0; d < buffer->ndim; d++)
            if (stage->indices[d] == stage->vars[a])
                values[a] = at[d];
        if (!values[a])
            return NULL;
    }
    const rlxc_expr *value = rlxc_replace(c->ctx, stage->value, stage->vars, values, stage->n_axes);
    return rlxc_expr_rewrite(c->ctx, value, put_load, f);
}

/* Element |at| of a reshaped value is the one at the same place in row-major order. */
static const rlxc_expr *reshaped(rlxc_quant_chain *c, const rlxc_binding *b,
                                 const rlxc_expr *const *at, uint32_t n)
{
    rlxc_context *ctx = c->ctx;
    const rlxc_sinfo *to = b->var->sinfo, *from = rlxc_atom_sinfo(ctx, c->scratch, b->args[0]);
    if (!rlxc_dims_known(to) || !from || !rlxc_dims_known(from) || (uint32_t)to->ndim != n)
        return NULL;
    const rlxc_expr *place = rlxc_i64(ctx, 0), *inner[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < n; i++)
        place = rlxc_add(ctx, rlxc_mul(ctx, place, to->dims[i]), at[i]);
    for (uint32_t i = (uint32_t)from->ndim; i-- > 0;) {
        inner[i] = i ? rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, place, from->dims[i]) : place;
        place = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, place, from->dims[i]);
    }
    return element(c, b->args[0], inner, (uint32_t)from->ndim);
}

/* Numbers of 64 bits as bytes, if all are: indices of ONNX are int64, and sums of such may wrap. */
static const rlxc_constant *narrowed(rlxc_context *ctx, const rlxc_constant *k)
{
    const size_t n = k->nbytes / 8;
    if (!rlxc_dtype_is_int(k->dtype) || k->dtype.bits != 64 || k->lifted || n == 0)
        return k;
    for (size_t i = 0; i < n; i++)
        if (rlxc_constant_int(k, i) < 0 || rlxc_constant_int(k, i) > UINT8_MAX)
            return k;
    unsigned char *bytes = rlxc_try_alloc(ctx, n, 1);
    for (size_t i = 0; i < n && bytes; i++)
        bytes[i] = (unsigned char)rlxc_constant_int(k, i);
    return bytes ? rlxc_constant_new(ctx, RLX_U8, k->ndim, k->shape, bytes, n) : k;
}

static const rlxc_expr *leaf(rlxc_quant_chain *c, const rlxc_constant *constant,
                             const rlxc_expr *const *at, uint32_t n)
{
    rlxc_context *ctx = c->ctx;
    const rlxc_expr *value = constant->ndim == 0 ? rlxc_te_immediate(ctx, constant) : NULL;
    if (value || constant->ndim != n)
        return value;
    for (uint32_t i = 0; i < c->leaves.count; i++)
        if (c->leaves.items[i].of == constant)
            return rlxc_cast(ctx, constant->dtype,
                             rlxc_load(ctx, c->leaves.items[i].buffer, at, n));
    const rlx_dtype type = constant->dtype;
    const rlxc_expr *shape[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < n; i++)
        shape[i] = rlxc_i64(ctx, constant->shape[i]);
    rlxc_quant_leaf made = {.of = constant};
    constant = made.constant = narrowed(ctx, constant);
    made.buffer = rlxc_buffer_new(ctx, rlxc_internf(ctx, "leaf%u", c->leaves.count),
                                  constant->dtype, shape, n);
    made.wide = rlxc_dtype_is_int(constant->dtype) &&
                constant->nbytes >= (size_t)(c->rows * c->columns / 2);
    RLXC_PUSH(ctx, &c->leaves, made);
    return rlxc_cast(ctx, type, rlxc_load(ctx, made.buffer, at, n));
}

static const rlxc_expr *element(rlxc_quant_chain *c, rlxc_atom a, const rlxc_expr *const *at,
                                uint32_t n)
{
    rlxc_context *ctx = c->ctx;
    if (a.kind == RLXC_ATOM_CONSTANT)
        return leaf(c, a.constant, at, n);
    const rlxc_binding *b =
        a.kind == RLXC_ATOM_VAR ? rlxc_map_get(&c->defs, rlxc_key(a.var)) : NULL;
    if (!b || b->form != RLXC_FORM_CALL || !b->op || c->steps++ >= MAX_STEPS)
        return NULL;
    if (strcmp(b->op->name, "reshape") == 0)
        return reshaped(c, b, at, n);
    if (strcmp(b->op->name, "call_tir") != 0 || b->n_args < 2 ||
        b->args[0].kind != RLXC_ATOM_GLOBAL || b->args[1].kind != RLXC_ATOM_TUPLE)
        return NULL;
    const rlxc_global *g = rlxc_module_find(c->scratch, b->args[0].text);
    rlxc_stages s;
    if (!g || !g->prim || g->prim->n_params != b->args[1].n + 1)
        return NULL;
    for (uint32_t i = 0; i < g->prim->n_params; i++)
        if (!g->prim->params[i].buffer)
            return NULL;
    const rlxc_buffer *out = g->prim->params[b->args[1].n].buffer;
    if (out->ndim != n || !rlxc_stages_of(ctx, c->options, g->prim, &s))
        return NULL;
    frame f = {.c = c, .s = &s, .call = b};
    const rlxc_expr *value = stage_value(&f, out, at);
    return f.bad ? NULL : value;
}

/* --- intervals -------------------------------------------------------------------------------- */

static bool dtype_range(rlx_dtype t, int64_t *lo, int64_t *hi)
{
    if (t.bits > 32 || !rlxc_dtype_is_int(t))
        return false;
    *lo = rlxc_type_range(t).min;
    *hi = rlxc_type_range(t).max;
    return true;
}

static bool leaf_range(const rlxc_quant_chain *c, const rlxc_buffer *buffer, int64_t *lo,
                       int64_t *hi)
{
    const rlxc_constant *k = NULL;
    for (uint32_t i = 0; i < c->leaves.count; i++)
        if (c->leaves.items[i].buffer == buffer)
            k = c->leaves.items[i].constant;
    if (!k || !dtype_range(k->dtype, lo, hi))
        return false;
    if (k->dtype.bits % 8 || k->nbytes == 0 || k->lifted)
        return true;
    *lo = *hi = rlxc_constant_int(k, 0);
    for (size_t i = 1, n = k->nbytes / (k->dtype.bits / 8u); i < n; i++) {
        int64_t v = rlxc_constant_int(k, i);
        *lo = v < *lo ? v : *lo;
        *hi = v > *hi ? v : *hi;
    }
    return true;
}

typedef struct interval {
    int64_t lo, hi;
} interval;

static bool range_of(rlxc_quant_chain *c, const rlxc_expr *e, interval *out);

/* Bounds of a & b and a >> b where b is a constant that is not negative. */
static bool bits_range(rlxc_quant_chain *c, const rlxc_expr *e, interval *out)
{
    interval a;
    int64_t by;
    bool is_and = strcmp(e->call.name, "bitwise_and") == 0;
    if (e->call.n != 2 || (!is_and && strcmp(e->call.name, "shift_right") != 0))
        return false;
    const rlxc_expr *x = e->call.args[0], *y = e->call.args[1];
    if (is_and && x->kind == RLXC_EXPR_INT) {
        x = y;
        y = e->call.args[0];
    }
    if (is_and && rlxc_is_int(y, &by) && by >= 0) {
        *out = (interval){0, by};
        return true;
    }
    if (is_and || !range_of(c, x, &a))
        return false;
    if (rlxc_is_int(y, &by) && by >= 0 && by < MAX_NUMBER_BITS)
        *out = (interval){a.lo >> by, a.hi >> by};
    else
        *out = (interval){a.lo < 0 ? a.lo : 0, a.hi > 0 ? a.hi : 0};
    return true;
}

static bool sum_range(const rlxc_expr *e, interval a, interval b, interval *out)
{
    if (e->kind == RLXC_EXPR_SUB)
        return !__builtin_sub_overflow(a.lo, b.hi, &out->lo) &&
               !__builtin_sub_overflow(a.hi, b.lo, &out->hi);
    return !__builtin_add_overflow(a.lo, b.lo, &out->lo) &&
           !__builtin_add_overflow(a.hi, b.hi, &out->hi);
}

/* True for a < b where a is never less: the sign of an index that is none. */
static bool is_never(rlxc_quant_chain *c, const rlxc_expr *cond)
{
    interval a, b;
    return cond->kind == RLXC_EXPR_LT && range_of(c, cond->bin.a, &a) &&
           range_of(c, cond->bin.b, &b) && a.lo >= b.hi;
}

/* Bounds of an expression if its type were wide enough; false if no better than the type's. */
static bool wide_range(rlxc_quant_chain *c, const rlxc_expr *e, interval *out)
{
    const rlxc_expr_kind kind = (rlxc_expr_kind)e->kind;
    interval a, b;
    if (kind == RLXC_EXPR_INT)
        a = b = (interval){e->i, e->i};
    else if (kind == RLXC_EXPR_VAR)
        a = b = (interval){0, (e == c->row ? c->rows : c->columns) - 1};
    else if (kind == RLXC_EXPR_LOAD)
        return leaf_range(c, e->load.buffer, &out->lo, &out->hi);
    else if (kind == RLXC_EXPR_CAST)
        return rlxc_dtype_is_int(e->bin.a->dtype) && range_of(c, e->bin.a, out);
    else if ((kind == RLXC_EXPR_MIN || kind == RLXC_EXPR_MAX) && range_of(c, e->bin.a, &a) &&
             range_of(c, e->bin.b, &b)) {
        const bool first = kind == RLXC_EXPR_MIN;
        *out =
            (interval){(a.lo < b.lo) == first ? a.lo : b.lo, (a.hi < b.hi) == first ? a.hi : b.hi};
        return true;
    } else if (kind == RLXC_EXPR_SELECT && is_never(c, e->select.cond))
        return range_of(c, e->select.no, out);
    else if (rlxc_is_choice(e)) {
        if (!range_of(c, e->call.args[1], &a) || !range_of(c, e->call.args[2], &b))
            return false;
    } else if (kind == RLXC_EXPR_CALL)
        return bits_range(c, e, out);
    else if (kind == RLXC_EXPR_ADD || kind == RLXC_EXPR_SUB)
        return range_of(c, e->bin.a, &a) && range_of(c, e->bin.b, &b) && sum_range(e, a, b, out);
    else if (kind == RLXC_EXPR_FLOORMOD && range_of(c, e->bin.b, &b) && b.lo >= 1)
        a = b = (interval){0, b.hi - 1};
    else if (kind != RLXC_EXPR_SELECT || !range_of(c, e->select.yes, &a) ||
             !range_of(c, e->select.no, &b))
        return false;
    *out = (interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    return true;
}

/* Bounds of an integer expression; at worst those of its type. */
static bool range_of(rlxc_quant_chain *c, const rlxc_expr *e, interval *out)
{
    interval type, wide;
    bool narrow = dtype_range(e->dtype, &type.lo, &type.hi);
    bool known = c->steps++ < MAX_NODES && wide_range(c, e, &wide);
    if (known && (!narrow || (wide.lo >= type.lo && wide.hi <= type.hi))) {
        *out = wide;
        return true;
    }
    *out = type;
    return narrow;
}

/* --- taking it apart -------------------------------------------------------------------------- */

typedef struct search {
    const rlxc_quant_chain *c;
    bool wide;
} search;

static bool find_wide(void *user, const rlxc_expr *e)
{
    search *s = user;
    for (uint32_t i = 0; e->kind == RLXC_EXPR_LOAD && i < s->c->leaves.count; i++)
        s->wide = s->wide ||
                  (s->c->leaves.items[i].wide && s->c->leaves.items[i].buffer == e->load.buffer);
    return !s->wide;
}

static bool has_wide(const rlxc_quant_chain *c, const rlxc_expr *e)
{
    search s = {.c = c};
    rlxc_expr_visit(c->ctx, e, find_wide, &s);
    return s.wide;
}

/* a zero point may be split off only if there is none yet, and only the outer scale multiplies it.
 */
static bool set_zero(rlxc_quant_chain *c, const rlxc_expr *zero)
{
    interval r;
    if (c->zero)
        return false;
    const rlxc_expr *inner = zero;
    while (inner->kind == RLXC_EXPR_CAST && rlxc_dtype_is_float(inner->dtype))
        inner = inner->bin.a;
    c->zero = rlxc_cast(c->ctx, RLX_F32, zero);
    if (rlxc_dtype_is_int(inner->dtype) && range_of(c, inner, &r) && r.lo == r.hi)
        c->zero = rlxc_float(c->ctx, RLX_F32, (double)r.lo);
    return true;
}

static bool take_factor(rlxc_quant_chain *c, const rlxc_expr *factor)
{
    if (c->zero)
        return false; /* (number * factor - zero): another form */
    c->scale = !c->scale ? factor
                         : rlxc_mul(c->ctx, rlxc_cast(c->ctx, RLX_F32, c->scale),
                                    rlxc_cast(c->ctx, RLX_F32, factor));
    return true;
}

/* True for an integer that is exact in float32. */
static bool is_exact(rlxc_quant_chain *c, const rlxc_expr *e, interval *out)
{
    return range_of(c, e, out) && out->lo >= -MAX_EXACT && out->hi <= MAX_EXACT;
}

/* |index| without the clipping to its dimension, which does nothing to indices in range. */
static const rlxc_expr *without_clipping(const rlxc_expr *index)
{
    while ((index->kind == RLXC_EXPR_MIN || index->kind == RLXC_EXPR_MAX) &&
           index->bin.b->kind == RLXC_EXPR_INT)
        index = index->bin.a;
    return index;
}

/* An element of a small constant at the number: all numbers must be in range, so that no index has
 * to be checked. */
static bool take_palette(rlxc_quant_chain *c, const rlxc_expr *e)
{
    interval r;
    int64_t entries;
    uint32_t numbers = 0;
    if (e->kind != RLXC_EXPR_LOAD || !rlxc_dtype_is_float(e->dtype))
        return false;
    for (uint32_t i = 0; i < e->load.n; i++) {
        if (has_wide(c, e->load.indices[i])) {
            c->palette_axis = i;
            numbers++;
        } else if (e->load.indices[i]->kind != RLXC_EXPR_INT)
            return false;
    }
    const rlxc_expr *number =
        numbers == 1 ? without_clipping(e->load.indices[c->palette_axis]) : NULL;
    if (!number || !rlxc_is_int(e->load.buffer->shape[c->palette_axis], &entries) ||
        !range_of(c, number, &r) || r.lo < 0 || r.hi >= entries || r.hi >= c->palette_entries)
        return false;
    if (!c->zero)
        c->zero = rlxc_float(c->ctx, RLX_F32, 0);
    c->palette = e;
    c->number = number;
    c->least = 0;
    c->most = r.hi;
    return true;
}

static bool take_apart(rlxc_quant_chain *c, const rlxc_expr *e)
{
    rlxc_context *ctx = c->ctx;
    interval r;
    while (rlxc_dtype_is_float(e->dtype)) {
        bool binary = rlxc_is_binary(e), left = binary && has_wide(c, e->bin.a),
             right = binary && has_wide(c, e->bin.b);
        if (e->kind == RLXC_EXPR_CAST) {
            e = e->bin.a;
        } else if (e->kind == RLXC_EXPR_MUL && left != right) {
            if (!take_factor(c, left ? e->bin.b : e->bin.a))
                return false;
            e = left ? e->bin.a : e->bin.b;
        } else if (e->kind == RLXC_EXPR_SUB && left && !right) {
            if (!set_zero(c, e->bin.b))
                return false;
            e = e->bin.a;
        } else {
            return take_palette(c, e);
        }
    }
    while (e->kind == RLXC_EXPR_CAST && rlxc_dtype_is_int(e->bin.a->dtype) &&
           e->dtype.bits > e->bin.a->dtype.bits &&
           (e->dtype.code == RLX_INT || e->bin.a->dtype.code == RLX_UINT))
        e = e->bin.a;
    if (e->kind == RLXC_EXPR_SUB && e->dtype.code == RLX_INT && e->dtype.bits >= 32 &&
        has_wide(c, e->bin.a) && !has_wide(c, e->bin.b) && is_exact(c, e->bin.b, &r)) {
        if (!set_zero(c, e->bin.b))
            return false;
        e = e->bin.a;
    }
    if (!rlxc_dtype_is_int(e->dtype) || !is_exact(c, e, &r) || r.hi - r.lo > 255)
        return false;
    if (r.lo >= 0 && r.hi <= 15)
        r.lo = 0; /* form of unsigned numbers */
    if (!c->zero)
        c->zero = rlxc_float(ctx, RLX_F32, 0);
    c->number = e;
    c->least = r.lo;
    c->most = r.hi;
    return true;
}

/* A plain bfloat16 weight. */
static bool take_bits(rlxc_quant_chain *c, const rlxc_expr *e)
{
    const rlx_dtype u16 = {RLX_UINT, 16, 1};
    c->bfloat16 = e->dtype.code == RLX_BFLOAT;
    c->number = rlxc_call(c->ctx, u16, rlxc_intern_cstr(c->ctx, "reinterpret"), &e, 1);
    c->zero = rlxc_float(c->ctx, RLX_F32, 0);
    c->scale = NULL;
    c->least = 0;
    c->most = UINT16_MAX;
    return c->bfloat16;
}

/* True if |e| is the same for all rows of a group. */
static bool constant_in(rlxc_quant_chain *c, const rlxc_expr *e, int64_t group)
{
    rlxc_context *ctx = c->ctx;
    rlxc_bounds bounds = {0};
    const rlxc_expr *g = rlxc_loop_var(ctx, "g"), *r = rlxc_loop_var(ctx, "r");
    rlxc_bounds_set(ctx, &bounds, c->column, (rlxc_bound){0, c->columns - 1});
    rlxc_bounds_set(ctx, &bounds, g, (rlxc_bound){0, (c->rows - 1) / group});
    rlxc_bounds_set(ctx, &bounds, r, (rlxc_bound){0, group - 1});
    const rlxc_expr *row = rlxc_add(ctx, rlxc_mul(ctx, g, rlxc_i64(ctx, group)), r);
    e = rlxc_simplify(ctx, rlxc_substitute(ctx, e, &c->row, &row, 1), &bounds);
    return !rlxc_expr_uses_var(ctx, e, r);
}

static bool find_group(rlxc_quant_chain *c)
{
    const int64_t sizes[] = {c->rows, 1024, 512, 256, 128, 64, 32, 16, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > c->rows || (c->scale && !constant_in(c, c->scale, sizes[i])) ||
            !constant_in(c, c->zero, sizes[i]))
            continue;
        /* one group may be extended to whole words */
        c->group = sizes[i] == c->rows ? rlxc_quant_one_group(c->rows) : sizes[i];
        return true;
    }
    return false;
}

/* Rows and columns of |w|. */
static bool find_sizes(rlxc_quant_chain *c, const rlxc_sinfo *w, int64_t dims[4])
{
    if (!w || w->kind != RLXC_SINFO_TENSOR || (w->ndim != 2 && w->ndim != 4) || !w->dims)
        return false;
    for (int32_t i = 0; i < w->ndim; i++)
        if (!rlxc_is_int(w->dims[i], &dims[i]) || dims[i] < 1 || dims[i] > INT32_MAX)
            return false;
    c->rows = w->ndim == 2 ? dims[0] : dims[1];
    c->columns = w->ndim == 2 ? dims[1] : dims[0];
    for (int32_t i = 2; i < w->ndim; i++)
        if (__builtin_mul_overflow(c->rows, dims[i], &c->rows))
            return false;
    return c->rows <= INT32_MAX;
}

/* Element of |row| and |column|; the number of indices. */
static uint32_t find_indices(const rlxc_quant_chain *c, const rlxc_sinfo *w, const int64_t dims[4],
                             const rlxc_expr *at[4])
{
    rlxc_context *ctx = c->ctx;
    at[0] = c->row;
    at[1] = c->column;
    if (w->ndim == 2)
        return 2;
    const rlxc_expr *tap = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, c->row, rlxc_i64(ctx, dims[1]));
    at[0] = c->column;
    at[1] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, c->row, rlxc_i64(ctx, dims[1]));
    at[2] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, tap, rlxc_i64(ctx, dims[3]));
    at[3] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, tap, rlxc_i64(ctx, dims[3]));
    return 4;
}

bool rlxc_quant_chain_of(rlxc_quant_chain *c, rlxc_module *module, const rlxc_map *defs,
                         rlxc_atom weight)
{
    rlxc_context *ctx = c->ctx;
    const rlxc_sinfo *w = rlxc_atom_sinfo(ctx, module, weight);
    int64_t dims[4];
    if (!find_sizes(c, w, dims))
        return false;
    rlxc_function *main = rlxc_alloc(ctx, sizeof *main);
    main->name = rlxc_intern_cstr(ctx, "main");
    c->scratch = rlxc_module_new(ctx);
    c->builder = (rlxc_builder){
        .ctx = ctx, .module = c->scratch, .function = main, .block = rlxc_block_new(ctx, false)};
    lowering l = {.c = c, .module = module, .defs = defs};
    rlxc_atom made;
    if (!lower(&l, weight, &made))
        return false;
    c->row = rlxc_shape_var(ctx, "k");
    c->column = rlxc_shape_var(ctx, "n");
    const rlxc_expr *at[4];
    const uint32_t n = find_indices(c, w, dims, at);
    const rlxc_expr *e = element(c, made, at, n);
    if (!e || rlxc_failed(ctx))
        return false;
    rlxc_var_list used = {0};
    rlxc_collect_vars(ctx, e, &used);
    for (uint32_t i = 0; i < used.vars.count; i++)
        if (used.vars.items[i] != c->row && used.vars.items[i] != c->column)
            return false;
    rlxc_bounds bounds = {0};
    rlxc_bounds_set(ctx, &bounds, c->row, (rlxc_bound){0, c->rows - 1});
    rlxc_bounds_set(ctx, &bounds, c->column, (rlxc_bound){0, c->columns - 1});
    e = rlxc_simplify(ctx, e, &bounds);
    return rlxc_quant_is_safe(ctx, e, &bounds) && (take_apart(c, e) || take_bits(c, e)) &&
           find_group(c) && !rlxc_failed(ctx);
}
