/* Pass sink_checks: moves a check of indices into the kernel that reads them.
 *
 *   y = R.call_pure_packed("rlx.check_index", x, R.shape([-10]), R.shape([10]), "take: index")
 *   z = R.call_tir(cls.take, (w, y), ...)
 * becomes
 *   z = R.call_tir(cls.take, (w, x), ...)
 * where take has the attribute rlx.checks, a list of rows {"param": 1, "low": -10, "high": 10,
 * "text": "take: index"}: code generation compares all elements of parameter 1 before the kernel's
 * body, which costs less than the call of a builtin. Symbolic limits [-n, n) are "size": [p, d],
 * where n is dimension d of the buffer parameter p. Later readers of y read x.
 *
 * The kernel is the first reader of y, in the same block with no effect between. All calls of its
 * PrimFunc must pass an index with the same check, since the function itself is changed. If the
 * operator that needs the check is not the one that the kernel is named after, as in a fused
 * kernel, the row has its place: "file", "line", "column", "name". */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/analysis/effects.h"
#include "compiler/ir/device.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/fuse.h"
#include "compiler/passes/passes.h"

typedef struct check { /* a call of rlx.check_index */
    const rlxc_binding *binding;
    const rlxc_expr *size; /* the limits are [-size, size); NULL: low and high */
    int64_t low, high;
    const char *text;
    int64_t param;    /* of the kernel that may take over the check */
    int64_t place[2]; /* of |size| in its parameters: buffer, dimension */
} check;

typedef struct site { /* a call that may take checks over */
    const rlxc_binding *call;
    RLXC_VEC(check *) checks;
} site;

typedef struct callee { /* of one PrimFunc */
    rlxc_prim_func *prim;
    uint32_t mentions; /* in all functions */
    RLXC_VEC(site *) sites;
} callee;

typedef struct sink {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_map callees; /* interned name -> callee */
    RLXC_VEC(callee *) all;
    RLXC_VEC(check *) open; /* checks of the block that nothing has read yet */
    rlxc_map checks;        /* variable of a check that a kernel takes over -> check */
} sink;

/* --- finding them ----------------------------------------------------------------------------- */

static bool are_numbers(check *c, const rlxc_expr *low, const rlxc_expr *high)
{
    return rlxc_is_int(low, &c->low) && rlxc_is_int(high, &c->high) && c->low <= 0 &&
           c->low >= -RLXC_MOST_CHECKED && c->high >= 1 && c->high <= RLXC_MOST_CHECKED;
}

static check *as_check(sink *s, const rlxc_binding *b)
{
    if (b->form != RLXC_FORM_CALL || b->callee.kind != RLXC_ATOM_EXTERN || b->n_args != 4 ||
        strcmp(b->callee.text, "rlx.check_index") != 0 || b->args[1].kind != RLXC_ATOM_SHAPE ||
        b->args[2].kind != RLXC_ATOM_SHAPE || b->args[3].kind != RLXC_ATOM_STRING ||
        b->args[1].n != 1 || b->args[2].n != 1 || !b->var->sinfo ||
        b->var->sinfo->kind != RLXC_SINFO_TENSOR)
        return NULL;
    if (!rlxc_may_stand_for(b->var, b->args[0]))
        return NULL; /* its result is read where the tensor is unknown */
    check *c = rlxc_alloc(s->ctx, sizeof *c);
    *c = (check){.binding = b, .text = b->args[3].text};
    const rlxc_expr *low = b->args[1].dims[0], *high = b->args[2].dims[0];
    if (are_numbers(c, low, high))
        return c;
    c->size = high;
    return rlxc_prove_eq(s->ctx, low, rlxc_sub(s->ctx, rlxc_i64(s->ctx, 0), high), NULL) ? c : NULL;
}

static callee *callee_of(sink *s, const rlxc_global *g)
{
    callee *c = rlxc_map_get(&s->callees, rlxc_key(g->name));
    if (c == NULL) {
        c = rlxc_alloc(s->ctx, sizeof *c);
        c->prim = g->prim;
        rlxc_map_set(s->ctx, &s->callees, rlxc_key(g->name), c);
        RLXC_PUSH(s->ctx, &s->all, c);
    }
    return c;
}

/* Counts PrimFuncs, and closes checks that |atom| reads. */
static void look(void *user, rlxc_atom atom)
{
    sink *s = user;
    const rlxc_global *g =
        atom.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(s->module, atom.text) : NULL;
    if (g != NULL && g->prim != NULL)
        callee_of(s, g)->mentions++;
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_VAR && i < s->open.count; i++)
        if (s->open.items[i]->binding->var == atom.var)
            s->open.items[i--] = s->open.items[--s->open.count];
}

/* The parameter that receives argument |arg| of a call; -1 if it is not a buffer. */
static int64_t param_of(const rlxc_prim_func *f, uint32_t arg)
{
    for (uint32_t i = 0, k = 0; i < f->n_params; i++) {
        if (f->params[i].buffer == NULL)
            return -1;
        if (k++ == arg)
            return i;
    }
    return -1;
}

/* Finds |c->size| among the dimensions of the call's arguments |args|. */
static bool find_size(sink *s, const rlxc_prim_func *prim, rlxc_atom args, check *c)
{
    for (uint32_t i = 0; i < args.n; i++) {
        const rlxc_sinfo *t = rlxc_atom_sinfo(s->ctx, s->module, args.items[i]);
        const int64_t param = param_of(prim, i);
        if (param < 0 || t == NULL || t->kind != RLXC_SINFO_TENSOR || t->dims == NULL ||
            t->ndim != (int32_t)prim->params[param].buffer->ndim)
            continue;
        for (uint32_t d = 0; d < (uint32_t)t->ndim; d++)
            if (rlxc_prove_eq(s->ctx, t->dims[d], c->size, NULL)) {
                c->place[0] = param;
                c->place[1] = d;
                return true;
            }
    }
    return false;
}

/* True if |c| can move into the kernel that |b| calls. */
static void offer(sink *s, const rlxc_binding *b, check *c)
{
    const rlxc_prim_func *prim = rlxc_called_prim(s->module, b);
    uint32_t found = 0;
    if (prim == NULL || b->args[1].kind != RLXC_ATOM_TUPLE)
        return;
    for (uint32_t i = 0; i < b->args[1].n; i++)
        if (b->args[1].items[i].kind == RLXC_ATOM_VAR &&
            b->args[1].items[i].var == c->binding->var) {
            c->param = param_of(prim, i);
            found++;
        }
    if (found != 1 || c->param < 0 || !rlxc_dtype_is_int(prim->params[c->param].buffer->dtype) ||
        (c->size != NULL && !find_size(s, prim, b->args[1], c)))
        return;
    callee *to = callee_of(s, rlxc_module_find(s->module, b->args[0].text));
    if (to->sites.count == 0 || to->sites.items[to->sites.count - 1]->call != b) {
        site *here = rlxc_alloc(s->ctx, sizeof *here);
        *here = (site){.call = b};
        RLXC_PUSH(s->ctx, &to->sites, here);
    }
    site *here = to->sites.items[to->sites.count - 1];
    RLXC_PUSH(s->ctx, &here->checks, c);
}

static void look_at_binding(sink *s, const rlxc_binding *b)
{
    check *c = as_check(s, b);
    for (uint32_t i = 0; i < s->open.count; i++)
        offer(s, b, s->open.items[i]);
    rlxc_atom_visit(b->callee, look, s);
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], look, s);
    if (!rlxc_only_checks(s->module, b) && !rlxc_binding_is_mergeable(s->module, b))
        s->open.count = 0;
    if (c != NULL)
        RLXC_PUSH(s->ctx, &s->open, c);
}

static void look_at_body(sink *s, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks && !rlxc_failed(s->ctx); i++) {
        s->open.count = 0;
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            if (b->form == RLXC_FORM_IF) {
                look_at_body(s, b->then);
                look_at_body(s, b->otherwise);
                s->open.count = 0;
            }
            look_at_binding(s, b);
        }
    }
    s->open.count = 0;
    rlxc_atom_visit(body->result, look, s);
}

/* --- moving them ------------------------------------------------------------------------------ */

/* Errors name the call of the kernel. */
static bool is_at_call(const check *c, const site *at)
{
    return c->binding->range.file == at->call->range.file &&
           c->binding->range.line == at->call->range.line;
}

static bool same_check(const check *a, const check *b)
{
    return a->param == b->param && a->text == b->text && (a->size == NULL) == (b->size == NULL) &&
           (a->size == NULL ? a->low == b->low && a->high == b->high
                            : a->place[0] == b->place[0] && a->place[1] == b->place[1]);
}

/* The check at |at| that equals |c| of |of|, with a place that errors can name in the same way. */
static check *find_same(const site *at, const check *c, const site *of)
{
    for (uint32_t i = 0; i < at->checks.count; i++) {
        check *other = at->checks.items[i];
        const rlxc_range x = c->binding->range, y = other->binding->range;
        const bool same_place = x.file == y.file && x.line == y.line && x.col == y.col;
        if (same_check(c, other) && (is_at_call(c, of) ? is_at_call(other, at) : same_place))
            return other;
    }
    return NULL;
}

static bool is_everywhere(const callee *to, const check *c)
{
    for (uint32_t i = 1; i < to->sites.count; i++)
        if (find_same(to->sites.items[i], c, to->sites.items[0]) == NULL)
            return false;
    return true;
}

static void add(sink *s, rlxc_attrs *row, const char *key, rlxc_attr value)
{
    *row = rlxc_attrs_with(s->ctx, *row, rlxc_intern_cstr(s->ctx, key), value);
}

static rlxc_attr row_of(sink *s, const check *c, const site *at)
{
    rlxc_attrs row = {0};
    const rlxc_range range = c->binding->range;
    add(s, &row, "param", rlxc_attr_int(c->param));
    if (c->size == NULL) {
        add(s, &row, "low", rlxc_attr_int(c->low));
        add(s, &row, "high", rlxc_attr_int(c->high));
    } else {
        add(s, &row, "size", rlxc_attr_ints(s->ctx, c->place, 2));
    }
    add(s, &row, "text", rlxc_attr_string(s->ctx, c->text));
    if (!is_at_call(c, at)) {
        const char *label = rlxc_line_label(s->ctx, range.file, range.line);
        add(s, &row, "file", rlxc_attr_string(s->ctx, rlxc_file_base(s->ctx, range.file)));
        add(s, &row, "line", rlxc_attr_int(range.line));
        add(s, &row, "column", rlxc_attr_int(label != NULL ? 0 : range.col));
        add(s, &row, "name", rlxc_attr_string(s->ctx, label != NULL ? label : ""));
    }
    return (rlxc_attr){.kind = RLXC_ATTR_DICT, .list = {row.values, row.keys, row.count}};
}

static void decide(sink *s, const callee *to)
{
    RLXC_VEC(rlxc_attr) rows = {0};
    if (to->sites.count == 0 || to->sites.count != to->mentions || rlxc_prim_is_device(to->prim))
        return;
    const site *first = to->sites.items[0];
    for (uint32_t i = 0; i < first->checks.count; i++) {
        const check *c = first->checks.items[i];
        if (!is_everywhere(to, c))
            continue;
        for (uint32_t k = 0; k < to->sites.count; k++) {
            check *same = find_same(to->sites.items[k], c, first);
            rlxc_map_set(s->ctx, &s->checks, rlxc_key(same->binding->var), same);
        }
        RLXC_PUSH(s->ctx, &rows, row_of(s, c, first));
    }
    if (rows.count == 0)
        return;
    const rlxc_attr list = {.kind = RLXC_ATTR_LIST, .list = {rows.items, NULL, rows.count}};
    to->prim->attrs =
        rlxc_attrs_with(s->ctx, to->prim->attrs, rlxc_intern_cstr(s->ctx, "rlx.checks"), list);
}

static rlxc_rewrite_action drop(void *user, rlxc_builder *b, rlxc_binding *binding,
                                rlxc_atom *replacement)
{
    const sink *s = user;
    (void)b;
    if (!rlxc_map_get(&s->checks, rlxc_key(binding->var)))
        return RLXC_REWRITE_KEEP;
    *replacement = binding->args[0];
    return RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_sink_checks(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    sink s = {.ctx = ctx, .module = module};
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->relax != NULL)
            look_at_body(&s, &module->globals.items[i]->relax->body);
    for (uint32_t i = 0; i < s.all.count; i++)
        decide(&s, s.all.items[i]);
    if (s.checks.count > 0) {
        const rlxc_rewrite_pass pass = {.user = &s, .binding = drop};
        rlxc_rewrite_module(ctx, module, &pass);
    }
    return !rlxc_failed(ctx);
}
