/* Pass sink_checks: a check of indices becomes part of the kernel that reads them.
 *
 *   y = R.call_pure_packed("rlx.check_index", x, R.shape([-10]), R.shape([10]), "take: index")
 *   z = R.call_tir(cls.take, (w, y), ...)
 * becomes
 *   z = R.call_tir(cls.take, (w, x), ...)
 * where take has the attributes rlx.check_param (the buffer's number among the parameters), _low,
 * _high and _text: code generation compares all elements before the kernel's body, which costs less
 * than the call of a builtin. Whatever reads y later reads x.
 *
 * The limits are one pair of numbers. The kernel is the first that reads y, stands in the same
 * block with no effect between, and comes from the same line, as errors name it; all calls of its
 * PrimFunc pass an index of the same check, since the function itself is changed. */
#include <string.h>

#include "compiler/passes/alias.h"
#include "compiler/passes/effects.h"
#include "compiler/passes/fuse.h"
#include "compiler/passes/passes.h"

typedef struct check { /* a call of rlx.check_index */
    const rlxc_binding *binding;
    int64_t low, high;
    const char *text;
    int64_t param; /* of the kernel that may take it over */
} check;

typedef struct callee { /* of one PrimFunc */
    rlxc_prim_func *prim;
    uint32_t mentions; /* in all functions */
    RLXC_VEC(check *) checks;
} callee;

typedef struct sink {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_map callees; /* interned name -> callee */
    RLXC_VEC(callee *) all;
    RLXC_VEC(check *) open; /* of the block, that nothing has read yet */
    rlxc_map checks;        /* variable of a check that a kernel takes over -> check */
} sink;

/* --- finding them ----------------------------------------------------------------------------- */

static check *as_check(sink *s, const rlxc_binding *b)
{
    int64_t low, high;
    if (b->form != RLXC_FORM_CALL || b->callee.kind != RLXC_ATOM_EXTERN || b->n_args != 4 ||
        strcmp(b->callee.text, "rlx.check_index") != 0 || b->args[1].kind != RLXC_ATOM_SHAPE ||
        b->args[2].kind != RLXC_ATOM_SHAPE || b->args[3].kind != RLXC_ATOM_STRING ||
        b->args[1].n != 1 || b->args[2].n != 1 || !rlxc_is_int(b->args[1].dims[0], &low) ||
        !rlxc_is_int(b->args[2].dims[0], &high) || low > 0 || low < -RLXC_MOST_CHECKED ||
        high < 1 || high > RLXC_MOST_CHECKED || !b->var->sinfo ||
        b->var->sinfo->kind != RLXC_SINFO_TENSOR)
        return NULL;
    if (b->args[0].kind == RLXC_ATOM_VAR && b->args[0].var->is_dataflow && !b->var->is_dataflow)
        return NULL; /* what it gives is read where the tensor is not known */
    check *c = rlxc_alloc(s->ctx, sizeof *c);
    *c = (check){.binding = b, .low = low, .high = high, .text = b->args[3].text};
    return c;
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

/* The number of the parameter that gets argument |arg| of a call; -1: not one of integers. */
static int64_t param_of(const rlxc_prim_func *f, uint32_t arg)
{
    for (uint32_t i = 0, k = 0; i < f->n_params; i++) {
        if (f->params[i].buffer == NULL)
            return -1;
        if (k++ == arg)
            return rlxc_dtype_is_int(f->params[i].buffer->dtype) ? (int64_t)i : -1;
    }
    return -1;
}

/* Whether |c| can go into the kernel that |b| calls. */
static void offer(sink *s, const rlxc_binding *b, check *c)
{
    const rlxc_prim_func *prim = rlxc_called_prim(s->module, b);
    uint32_t found = 0;
    if (prim == NULL || b->args[1].kind != RLXC_ATOM_TUPLE ||
        b->range.file != c->binding->range.file || b->range.line != c->binding->range.line)
        return;
    for (uint32_t i = 0; i < b->args[1].n; i++)
        if (b->args[1].items[i].kind == RLXC_ATOM_VAR &&
            b->args[1].items[i].var == c->binding->var) {
            c->param = param_of(prim, i);
            found++;
        }
    if (found != 1 || c->param < 0)
        return;
    callee *to = callee_of(s, rlxc_module_find(s->module, b->args[0].text));
    RLXC_PUSH(s->ctx, &to->checks, c);
}

static void look_at_binding(sink *s, const rlxc_binding *b)
{
    check *c = as_check(s, b);
    for (uint32_t i = 0; i < s->open.count; i++)
        offer(s, b, s->open.items[i]);
    rlxc_atom_visit(b->callee, look, s);
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], look, s);
    const bool only_checks = b->form == RLXC_FORM_MATCH_CAST || rlxc_has_op_flag(b, RLXC_OP_CHECKS);
    if (!only_checks && !rlxc_binding_is_mergeable(s->module, b))
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

static bool same_check(const check *a, const check *b)
{
    return a->low == b->low && a->high == b->high && a->text == b->text && a->param == b->param;
}

static void set_attr(sink *s, rlxc_prim_func *f, const char *key, rlxc_attr value)
{
    f->attrs = rlxc_attrs_with(s->ctx, f->attrs, rlxc_intern_cstr(s->ctx, key), value);
}

static void decide(sink *s, const callee *to)
{
    if (to->checks.count == 0 || to->checks.count != to->mentions)
        return;
    const check *first = to->checks.items[0];
    for (uint32_t i = 1; i < to->checks.count; i++)
        if (!same_check(first, to->checks.items[i]))
            return;
    for (uint32_t i = 0; i < to->checks.count; i++)
        rlxc_map_set(s->ctx, &s->checks, rlxc_key(to->checks.items[i]->binding->var),
                     to->checks.items[i]);
    set_attr(s, to->prim, "rlx.check_param", rlxc_attr_int(first->param));
    set_attr(s, to->prim, "rlx.check_low", rlxc_attr_int(first->low));
    set_attr(s, to->prim, "rlx.check_high", rlxc_attr_int(first->high));
    set_attr(s, to->prim, "rlx.check_text", rlxc_attr_string(s->ctx, first->text));
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
