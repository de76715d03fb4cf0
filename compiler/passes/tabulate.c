/* Pass tabulate: functions of one number of 8 bits become look-ups in a table of all 256 results.
 *
 *   d = (astype(x, "float32") - zero) * scale
 *   h = d * clip(d / 6 + 0.5, 0, 1)              becomes   y = lookup(x, table)
 *   y = astype(clip(round(h / s) + z, 0, 255), "uint8")
 *
 * Activations of quantized networks look like that: hard-swish between two layers has two divisions
 * an element. The table is the same chain of operators on the constant 0, 1, ... 255, which
 * fold_constant evaluates. An operator belongs to the chain if its operands are x, constants of one
 * element, or results of operators in the chain that nothing else reads; so the whole chain
 * disappears. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/passes/passes.h"

enum {
    ENTRIES = 256,
    FEWEST = 6, /* operators; fewer take no longer than a look-up */
    MOST = 64,
    MOST_SOURCES = 8
};

typedef struct tabulator {
    rlxc_map makers;      /* rlxc_rvar -> rlxc_binding */
    const uint32_t *uses; /* by variable id */
    uint32_t n_vars;
} tabulator;

typedef struct chain { /* the operators that one result is computed by, the last one first */
    const tabulator *t;
    rlxc_builder *b;
    const rlxc_rvar *x;
    const rlxc_binding *items[MOST];
    uint32_t reads[MOST]; /* of each one's result, by the others */
    rlxc_atom made[MOST]; /* of 0, 1, ... 255, once emitted */
    uint32_t n;
} chain;

/* --- the chain -------------------------------------------------------------------------------- */

static bool is_byte_tensor(const rlxc_sinfo *s)
{
    return s && s->kind == RLXC_SINFO_TENSOR && rlxc_dtype_is_byte(s->dtype) && s->dims;
}

static bool have_same_shape(const rlxc_sinfo *a, const rlxc_sinfo *b)
{
    bool same = a && b && a->kind == RLXC_SINFO_TENSOR && b->kind == RLXC_SINFO_TENSOR && a->dims &&
                b->dims && a->ndim == b->ndim;
    for (int32_t i = 0; same && i < a->ndim; i++)
        same = a->dims[i] == b->dims[i];
    return same;
}

static bool has_one_element(const rlxc_builder *b, rlxc_atom atom)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, atom);
    bool one = s && s->kind == RLXC_SINFO_TENSOR && s->dims;
    for (int32_t i = 0; one && i < s->ndim; i++)
        one = rlxc_is_const(s->dims[i], 1);
    return one;
}

/* True for operators whose scale and zero point, if they are no vectors, count for all elements. */
static bool has_scale(const rlxc_binding *by)
{
    return rlxc_is_op(by, "quantize") || rlxc_is_op(by, "dequantize");
}

/* The operator by element that computes the variable; NULL: something else does. */
static const rlxc_binding *maker_of(const tabulator *t, rlxc_atom atom)
{
    const rlxc_binding *by =
        atom.kind == RLXC_ATOM_VAR ? rlxc_map_get(&t->makers, rlxc_key(atom.var)) : NULL;
    const bool is_call = by && by->form == RLXC_FORM_CALL && by->op;
    return is_call && (rlxc_has_op_flag(by, RLXC_OP_BY_ELEMENT) || has_scale(by)) ? by : NULL;
}

/* A number, a constant of one element, or operators by element on such. */
static bool is_scalar(const chain *c, rlxc_atom atom, int depth)
{
    const rlxc_binding *by = maker_of(c->t, atom);
    if (atom.kind == RLXC_ATOM_PRIM)
        return atom.prim->kind == RLXC_EXPR_INT || atom.prim->kind == RLXC_EXPR_FLOAT;
    if (atom.kind == RLXC_ATOM_CONSTANT || depth == 0 || !by)
        return atom.kind == RLXC_ATOM_CONSTANT && has_one_element(c->b, atom);
    for (uint32_t i = 0; i < by->n_args; i++)
        if (!is_scalar(c, by->args[i], depth - 1))
            return false;
    return true;
}

static uint32_t position(const chain *c, const rlxc_rvar *var)
{
    uint32_t i = 0;
    while (i < c->n && c->items[i]->var != var)
        i++;
    return i;
}

/* Adds the operator |by| and all that it is computed from; false if something is not of x. */
static bool add(chain *c, const rlxc_binding *by, uint32_t *io_place)
{
    enum { SCALAR_DEPTH = 4 };
    if (c->n == MOST)
        return false;
    *io_place = c->n;
    c->items[c->n++] = by;
    for (uint32_t i = 0; i < by->n_args; i++) {
        const rlxc_atom arg = by->args[i];
        if (is_scalar(c, arg, SCALAR_DEPTH) || (arg.kind == RLXC_ATOM_VAR && arg.var == c->x))
            continue;
        uint32_t at = arg.kind == RLXC_ATOM_VAR ? position(c, arg.var) : c->n;
        const rlxc_binding *from = maker_of(c->t, arg);
        if (at == c->n &&
            (!from || !have_same_shape(from->var->sinfo, by->var->sinfo) || !add(c, from, &at)))
            return false;
        c->reads[at]++;
    }
    return true;
}

/* Operators element by element that |by| stands for. */
static uint32_t work_of(const rlxc_binding *by)
{
    return rlxc_is_op(by, "quantize") ? 5 : rlxc_is_op(by, "dequantize") ? 3 : 1;
}

/* The chain from |x| to the result of |last|; false if there is none, or another reader of what is
 * between. */
static bool find_chain(chain *c, const rlxc_rvar *x, const rlxc_binding *last)
{
    uint32_t place, work = work_of(last);
    c->x = x;
    c->n = 0;
    memset(c->reads, 0, sizeof c->reads);
    if (!add(c, last, &place))
        return false;
    for (uint32_t i = 1; i < c->n; i++) {
        const uint32_t id = c->items[i]->var->id;
        if (id >= c->t->n_vars || c->t->uses[id] != c->reads[i])
            return false;
        work += work_of(c->items[i]);
    }
    return work >= FEWEST;
}

/* The tensors of 8 bits that |by| is computed from, the nearest first. */
typedef struct sources {
    const rlxc_rvar *at[MOST_SOURCES];
    uint32_t n, steps;
} sources;

static void find_sources(const chain *c, const rlxc_binding *by, sources *out)
{
    for (uint32_t i = 0; i < by->n_args && out->steps < 2 * MOST; i++) {
        const rlxc_atom arg = by->args[i];
        const rlxc_binding *from = maker_of(c->t, arg);
        out->steps++;
        if (arg.kind != RLXC_ATOM_VAR)
            continue;
        bool is_new = is_byte_tensor(arg.var->sinfo) && out->n < MOST_SOURCES &&
                      have_same_shape(arg.var->sinfo, by->var->sinfo);
        for (uint32_t k = 0; is_new && k < out->n; k++)
            is_new = out->at[k] != arg.var;
        if (is_new)
            out->at[out->n++] = arg.var;
        if (from)
            find_sources(c, from, out);
    }
}

/* --- the table -------------------------------------------------------------------------------- */

/* The numbers of the type, in the order of their bits. */
static rlxc_atom all_numbers(rlxc_context *ctx, rlx_dtype dtype)
{
    static const int64_t shape[1] = {ENTRIES};
    uint8_t *bytes = rlxc_alloc(ctx, ENTRIES);
    for (int i = 0; i < ENTRIES; i++)
        bytes[i] = (uint8_t)i;
    return rlxc_atom_constant(rlxc_constant_new(ctx, dtype, 1, shape, bytes, ENTRIES));
}

static rlxc_atom emit_item(chain *c, uint32_t i, rlxc_atom numbers)
{
    const rlxc_binding *by = c->items[i];
    rlxc_atom *args = rlxc_copy(c->b->ctx, by->args, by->n_args * sizeof *args);
    if (c->made[i].kind != RLXC_ATOM_NONE)
        return c->made[i];
    for (uint32_t k = 0; k < by->n_args; k++) {
        const uint32_t at = args[k].kind == RLXC_ATOM_VAR ? position(c, args[k].var) : c->n;
        if (args[k].kind == RLXC_ATOM_VAR && args[k].var == c->x)
            args[k] = numbers;
        else if (at < c->n)
            args[k] = emit_item(c, at, numbers);
    }
    rlxc_attrs attrs = by->attrs;
    if (has_scale(by)) /* of scalars: any axis */
        attrs = rlxc_attrs_with(c->b->ctx, attrs, rlxc_intern_cstr(c->b->ctx, "axis"),
                                rlxc_attr_int(-1));
    return c->made[i] = rlxc_emit_op(c->b, by->op->name, args, by->n_args, attrs, by->var->name);
}

static rlxc_atom emit_lookup(chain *c)
{
    rlxc_context *ctx = c->b->ctx;
    const rlxc_expr *entries = rlxc_i64(ctx, ENTRIES);
    memset(c->made, 0, sizeof c->made);
    rlxc_atom table[2] = {emit_item(c, 0, all_numbers(ctx, c->x->sinfo->dtype)),
                          rlxc_atom_shape(ctx, &entries, 1)};
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, c->b->module, table[0]);
    if (s && s->ndim != 1)
        table[0] = rlxc_emit_op(c->b, "reshape", table, 2, (rlxc_attrs){0}, "table");
    const rlxc_atom args[2] = {rlxc_atom_var((rlxc_rvar *)c->x), table[0]};
    return rlxc_emit_op(c->b, "lookup", args, 2, (rlxc_attrs){0}, c->items[0]->var->name);
}

static rlxc_rewrite_action tabulate(void *user, rlxc_builder *b, rlxc_binding *call,
                                    rlxc_atom *replacement)
{
    tabulator *t = user;
    rlxc_map_set(b->ctx, &t->makers, rlxc_key(call->var), call);
    if (!maker_of(t, rlxc_atom_var(call->var)) || !is_byte_tensor(call->var->sinfo))
        return RLXC_REWRITE_KEEP;
    chain c = {.t = t, .b = b};
    sources all = {0};
    const rlxc_rvar *best = NULL;
    uint32_t longest = 0;
    find_sources(&c, call, &all);
    for (uint32_t i = 0; i < all.n; i++)
        if (find_chain(&c, all.at[i], call) && c.n > longest) {
            longest = c.n;
            best = all.at[i];
        }
    if (!best || !find_chain(&c, best, call))
        return RLXC_REWRITE_KEEP;
    b->range = call->range;
    *replacement = emit_lookup(&c);
    return rlxc_failed(b->ctx) ? RLXC_REWRITE_KEEP : RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_tabulate(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        tabulator t = {.uses = rlxc_count_uses(ctx, f), .n_vars = f->n_vars};
        const rlxc_rewrite_pass pass = {.user = &t, .binding = tabulate};
        if (t.uses)
            rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}
