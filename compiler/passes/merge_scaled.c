/* Pass merge_scaled: PrimFuncs that differ only in numbers become one that takes them.
 *
 *   y = R.call_tir(cls.fused_divide_round, (x,), ...)      where x / T.float32(0.25) + ...
 *   z = R.call_tir(cls.fused_divide1_round, (y,), ...)     where x / T.float32(0.75) + ...
 * becomes
 *   y = R.call_tir(cls.fused_divide_round, (x, 0.25), ...)
 *   z = R.call_tir(cls.fused_divide_round, (y, 0.75), ...)
 *
 * In a quantized network each layer has scales and zero points of its own, so that no two of its
 * kernels were equal. A number is an operand of +, -, * or / in an elementwise block: float32, or
 * int32 where the other operand comes from memory; and the zero point of an 8-bit convolution
 * (ops/quant_conv.h). Indices, bounds, exponents, and numbers that a rule may look for in other
 * products and reductions are not changed. Numbers on which all functions of a group agree stay as
 * well; those that always occur together are one parameter. */
#include <math.h>

#include "compiler/analysis/effects.h"
#include "compiler/ir/operation.h"
#include "compiler/ir/rewrite.h"
#include "compiler/passes/add_inputs.h"
#include "compiler/passes/fuse.h"
#include "compiler/passes/passes.h"

enum {
    MOST_NUMBERS = 64, /* of a function */
    MOST_TAKEN = 8,    /* as parameters; with more a call costs more than the code saves */
    STAYS = UINT32_MAX
};

typedef struct member { /* a function of a group */
    rlxc_global *global;
    const rlxc_expr **numbers;
    const struct group *group;
    struct member *next;
} member;

typedef struct group {          /* functions that are equal but for their numbers */
    const rlxc_prim_func *form; /* with a parameter for each number */
    member *first, *last;
    uint32_t n_numbers, n_inputs, n_taken;
    uint32_t slots[MOST_NUMBERS]; /* the parameter that replaces a number, or STAYS */
    struct group *next;           /* with the same hash */
} group;

typedef struct merge {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_map callees; /* interned name -> rlxc_callee */
    rlxc_map groups;  /* hash -> group */
    RLXC_VEC(group *) all;
    rlxc_map members; /* interned name -> member of a group that is merged */
} merge;

/* --- the numbers of a function ---------------------------------------------------------------- */

typedef struct lifter {
    rlxc_context *ctx;
    const uint32_t *slots; /* NULL: each number has a parameter of its own */
    const rlxc_expr *numbers[MOST_NUMBERS];
    rlxc_buffer *buffers[MOST_NUMBERS]; /* of the parameters */
    uint32_t n;
    bool too_many;
} lifter;

static bool is_number(const rlxc_expr *binary, const rlxc_expr *e, const rlxc_expr *other)
{
    int exponent;
    if (e->kind == RLXC_EXPR_FLOAT) /* division by a power of two is a multiplication */
        return rlxc_dtype_eq(e->dtype, RLX_F32) &&
               (binary->kind != RLXC_EXPR_DIV || fabs(frexp(e->f, &exponent)) != 0.5);
    return e->kind == RLXC_EXPR_INT && rlxc_dtype_eq(e->dtype, RLX_I32) && other->from_memory &&
           binary->kind != RLXC_EXPR_DIV;
}

/* A load of the parameter for the number |e|. */
static const rlxc_expr *lifted(lifter *l, const rlxc_expr *e)
{
    if (l->n == MOST_NUMBERS) {
        l->too_many = true;
        return e;
    }
    const uint32_t slot = l->slots ? l->slots[l->n] : l->n;
    l->numbers[l->n++] = e;
    if (slot == STAYS)
        return e;
    if (!l->buffers[slot])
        l->buffers[slot] = rlxc_buffer_new(l->ctx, "number", e->dtype, NULL, 0);
    return rlxc_load(l->ctx, l->buffers[slot], NULL, 0);
}

static const rlxc_expr *lift_node(void *user, const rlxc_expr *e)
{
    lifter *l = user;
    if (e->kind == RLXC_EXPR_LOAD || l->too_many)
        return e;
    if (e->kind != RLXC_EXPR_ADD && e->kind != RLXC_EXPR_SUB && e->kind != RLXC_EXPR_MUL &&
        e->kind != RLXC_EXPR_DIV)
        return NULL;
    const rlxc_expr *a = e->bin.a, *b = e->bin.b;
    const bool lifts_a = is_number(e, a, b), lifts_b = is_number(e, b, a);
    if (!lifts_a && !lifts_b)
        return NULL;
    a = lifts_a ? lifted(l, a) : rlxc_expr_rewrite_all(l->ctx, a, lift_node, l);
    b = lifts_b ? lifted(l, b) : rlxc_expr_rewrite_all(l->ctx, b, lift_node, l);
    return rlxc_binary(l->ctx, (rlxc_expr_kind)e->kind, a, b);
}

/* A block without axes computes one element: nothing in it is a loop. */
static bool is_elementwise(const rlxc_block *b)
{
    return b->body->kind == RLXC_STMT_STORE && !b->init &&
           (b->n_axes == 0 || rlxc_tagged_kind(&b->annotations) == RLXC_OPERATION_elementwise);
}

static void put_value(rlxc_context *ctx, const rlxc_stmt **io_store, const rlxc_expr *value)
{
    rlxc_stmt *store = rlxc_copy(ctx, *io_store, sizeof *store);
    store->store.value = value;
    *io_store = store;
}

static bool lift_elementwise(lifter *l, rlxc_block *io_block)
{
    const rlxc_expr *old = io_block->body->store.value;
    const rlxc_expr *value = rlxc_expr_rewrite_all(l->ctx, old, lift_node, l);
    if (value != old)
        put_value(l->ctx, &io_block->body, value);
    return value != old;
}

typedef struct filling {
    rlxc_context *ctx;
    const rlxc_expr *old, *new;
} filling;

/* Gives elements outside the image another value. */
static const rlxc_expr *fill_border(void *user, const rlxc_expr *e)
{
    const filling *f = user;
    if (!rlxc_is_choice(e) || e->call.args[2] != f->old)
        return NULL;
    const rlxc_expr *args[3] = {e->call.args[0], e->call.args[1], f->new};
    return rlxc_call(f->ctx, e->dtype, e->call.name, args, 3);
}

/* Lifts the zero point of an 8-bit convolution. It is the value outside the image, and the sum
 * begins with minus the zero point times the sum of the filter. */
static bool lift_zero(lifter *l, rlxc_block *io_block)
{
    rlxc_context *ctx = l->ctx;
    int64_t opposite;
    if (!io_block->init || io_block->init->kind != RLXC_STMT_STORE ||
        io_block->body->kind != RLXC_STMT_STORE ||
        rlxc_tagged_kind(&io_block->annotations) != RLXC_OPERATION_conv)
        return false;
    const rlxc_expr *init = io_block->init->store.value;
    if (init->kind != RLXC_EXPR_MUL || !rlxc_dtype_eq(init->dtype, RLX_I32) ||
        init->bin.b->kind != RLXC_EXPR_LOAD || !rlxc_is_int(init->bin.a, &opposite) ||
        opposite >= 0 || opposite < -UINT8_MAX)
        return false;
    const rlxc_expr *number = rlxc_int(ctx, RLX_U8, -opposite), *zero = lifted(l, number);
    if (zero == number)
        return false;
    const rlxc_expr *fill = rlxc_cast(ctx, RLX_I32, zero);
    filling f = {ctx, rlxc_int(ctx, RLX_I32, -opposite), fill};
    put_value(ctx, &io_block->body,
              rlxc_expr_rewrite_all(ctx, io_block->body->store.value, fill_border, &f));
    put_value(ctx, &io_block->init,
              rlxc_mul(ctx, rlxc_sub(ctx, rlxc_int(ctx, RLX_I32, 0), fill), init->bin.b));
    return true;
}

/* Callback of the statement rewriter. */
static const rlxc_stmt *lift_block(void *user, const rlxc_stmt *s)
{
    lifter *l = user;
    if (s->kind != RLXC_STMT_BLOCK)
        return NULL;
    rlxc_block block = *s->block.block;
    if (!(is_elementwise(&block) ? lift_elementwise(l, &block) : lift_zero(l, &block)))
        return NULL;
    block.has_reads = false; /* computed again when needed */
    block.n_reads = 0;
    rlxc_stmt *out = rlxc_copy(l->ctx, s, sizeof *out);
    out->block.block = rlxc_copy(l->ctx, &block, sizeof block);
    return out;
}

/* A copy of |f| whose numbers are parameters after its |n_inputs| inputs. */
static rlxc_prim_func *lift(lifter *l, const rlxc_prim_func *f, uint32_t n_inputs)
{
    rlxc_context *ctx = l->ctx;
    const rlxc_stmt_rewriter rewriter = {.user = l, .stmt = lift_block};
    rlxc_prim_func *g = rlxc_prim_func_clone(ctx, f);
    g->body = rlxc_stmt_rewrite(ctx, g->body, &rewriter);
    rlxc_prim_param params[MOST_NUMBERS];
    uint32_t n = 0;
    for (; n < MOST_NUMBERS && l->buffers[n]; n++)
        params[n] = (rlxc_prim_param){
            .var = rlxc_var(ctx, rlxc_intern_cstr(ctx, "number"), rlxc_dtype_handle()),
            .buffer = l->buffers[n]};
    rlxc_add_params(ctx, g, n_inputs, params, n);
    return g;
}

/* --- groups ----------------------------------------------------------------------------------- */

static group *group_of(merge *m, const rlxc_prim_func *form, const lifter *l, uint32_t n_inputs)
{
    const uint64_t hash = rlxc_prim_func_hash(m->ctx, form);
    group *first = rlxc_map_get(&m->groups, hash), *g = first;
    while (g && !(g->n_inputs == n_inputs && rlxc_prim_funcs_merge(m->ctx, g->form, form)))
        g = g->next;
    if (g)
        return g;
    g = rlxc_alloc(m->ctx, sizeof *g);
    *g = (group){.form = form, .n_numbers = l->n, .n_inputs = n_inputs, .next = first};
    rlxc_map_set(m->ctx, &m->groups, hash, g);
    RLXC_PUSH(m->ctx, &m->all, g);
    return g;
}

/* Puts |global| into the group of functions that are equal but for their numbers. */
static void sort_in(merge *m, rlxc_global *global)
{
    rlxc_context *ctx = m->ctx;
    const rlxc_callee *c = rlxc_extensible(&m->callees, global->name, global->prim);
    if (!c || !global->prim->is_private)
        return;
    lifter l = {.ctx = ctx};
    const rlxc_prim_func *form = lift(&l, global->prim, c->n_inputs);
    if (l.n == 0 || l.too_many || rlxc_failed(ctx))
        return;
    group *g = group_of(m, form, &l, c->n_inputs);
    member *one = rlxc_alloc(ctx, sizeof *one);
    *one = (member){.global = global,
                    .numbers = rlxc_copy(ctx, l.numbers, l.n * sizeof *l.numbers),
                    .group = g};
    if (g->last)
        g->last->next = one;
    else
        g->first = one;
    g->last = one;
}

/* True if the numbers |a| and |b| are equal in each function. */
static bool always_equal(const group *g, uint32_t a, uint32_t b)
{
    for (const member *one = g->first; one; one = one->next)
        if (one->numbers[a] != one->numbers[b])
            return false;
    return true;
}

static bool is_agreed(const group *g, uint32_t a)
{
    for (const member *one = g->first; one; one = one->next)
        if (one->numbers[a] != g->first->numbers[a])
            return false;
    return true;
}

/* Decides which numbers become parameters; false if there are too many. */
static bool choose(group *g)
{
    for (uint32_t a = 0; a < g->n_numbers; a++) {
        g->slots[a] = STAYS;
        for (uint32_t b = 0; b < a && g->slots[a] == STAYS; b++)
            if (always_equal(g, a, b))
                g->slots[a] = g->slots[b];
        if (g->slots[a] == STAYS && !is_agreed(g, a))
            g->slots[a] = g->n_taken++;
    }
    return g->n_taken > 0 && g->n_taken <= MOST_TAKEN;
}

/* The first function of the group takes the numbers; the others are no longer called. */
static void join(merge *m, group *g)
{
    lifter l = {.ctx = m->ctx, .slots = g->slots};
    if (g->first == g->last || !choose(g))
        return;
    g->first->global->prim = lift(&l, g->first->global->prim, g->n_inputs);
    for (const member *one = g->first; one; one = one->next)
        rlxc_map_set(m->ctx, &m->members, rlxc_key(one->global->name), (void *)(uintptr_t)one);
}

/* --- the calls -------------------------------------------------------------------------------- */

static rlxc_atom constant_of(rlxc_context *ctx, const rlxc_expr *number)
{
    const float f = (float)number->f;
    const int32_t i = (int32_t)number->i;
    const uint8_t byte = (uint8_t)number->i;
    const bool is_float = number->kind == RLXC_EXPR_FLOAT;
    const size_t size = number->dtype.bits / 8;
    const void *data = is_float ? (const void *)&f : size == 1 ? (const void *)&byte : &i;
    return rlxc_atom_constant(
        rlxc_constant_new(ctx, number->dtype, 0, NULL, rlxc_copy(ctx, data, size), size));
}

static rlxc_rewrite_action pass_numbers(void *user, rlxc_builder *b, rlxc_binding *call,
                                        rlxc_atom *replacement)
{
    const merge *m = user;
    (void)replacement;
    const member *one = rlxc_called_prim(m->module, call)
                            ? rlxc_map_get(&m->members, rlxc_key(call->args[0].text))
                            : NULL;
    if (!one)
        return RLXC_REWRITE_KEEP;
    const group *g = one->group;
    rlxc_atom items[MOST_TAKEN];
    for (uint32_t i = g->n_numbers; i-- > 0;)
        if (g->slots[i] != STAYS)
            items[g->slots[i]] = constant_of(b->ctx, one->numbers[i]);
    rlxc_add_inputs(b->ctx, call, g->first->global->name, items, g->n_taken);
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_merge_scaled(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    merge m = {.ctx = ctx, .module = module};
    (void)options;
    rlxc_count_callees(ctx, module, &m.callees);
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim)
            sort_in(&m, module->globals.items[i]);
    for (uint32_t i = 0; i < m.all.count && !rlxc_failed(ctx); i++)
        join(&m, m.all.items[i]);
    if (m.members.count > 0 && !rlxc_failed(ctx)) {
        const rlxc_rewrite_pass pass = {.user = &m, .binding = pass_numbers};
        rlxc_rewrite_module(ctx, module, &pass);
        rlxc_drop_unreachable(ctx, module);
    }
    return !rlxc_failed(ctx);
}
