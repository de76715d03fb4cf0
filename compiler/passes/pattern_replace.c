/* Replacements of patterns, "PATTERN -> REPLACEMENT": a value in the same notation, made of the
 * pattern's captures.
 *
 *     x            a capture        0.5          a scalar of the root's element type
 *     (op a b){.axis=1}             a call of R.op with attributes; others have their defaults
 *     (tuple a b)  (item 1 a)       (call f a)   f is a Relax function of the module
 *
 * The recursion is as deep as the text nests. */
#include <string.h>

#include "compiler/ir/op.h"
#include "compiler/ops/compose.h"
#include "compiler/passes/match_patterns.h"
#include "compiler/passes/pattern_nodes.h"
#include "compiler/script/script.h"

typedef struct replacement {
    rlxc_pattern_text text;
    const char *written;
} replacement;

static rlxc_atom nothing(void)
{
    return (rlxc_atom){.kind = RLXC_ATOM_NONE};
}

static rlxc_atom refuse(rlxc_matching *t, const replacement *r, const char *why, const char *what)
{
    rlxc_error(t->g.ctx, t->root->range, "replacement '%.200s': %s '%s'", r->written, why, what);
    return nothing();
}

static rlxc_binding *new_binding(rlxc_matching *t, rlxc_form form, const rlxc_atom *args,
                                 uint32_t n)
{
    rlxc_context *ctx = t->g.ctx;
    rlxc_rvar *var = rlxc_rvar_new(ctx, t->b->function, t->root->var->name, NULL);
    rlxc_binding *b = rlxc_binding_new(ctx, form, var);
    b->args = args;
    b->n_args = n;
    return b;
}

static rlxc_atom emit_op(rlxc_matching *t, const replacement *r, const rlxc_pattern_node *node,
                         const rlxc_atom *args)
{
    rlxc_context *ctx = t->g.ctx;
    rlxc_var_list symbols = {0};
    const rlxc_fragment fragment = {ctx, t->b->module, &symbols, false};
    rlxc_text attrs = {.ctx = ctx};
    const rlxc_operator *op = node->op ? rlxc_find_operator(node->op, strlen(node->op)) : NULL;
    if (!op)
        return refuse(t, r, "there is no operator", node->op ? node->op : "_");
    for (uint32_t i = 0; i < node->n_conditions; i++) {
        if (!node->conditions[i].key)
            return refuse(t, r, "only attributes can be given to", op->name);
        rlxc_text_printf(&attrs, "%s%s=%s", i > 0 ? ", " : "", node->conditions[i].key,
                         rlxc_print_attr_text(ctx, &node->conditions[i].value));
    }
    rlxc_binding *call =
        rlxc_parse_call_text(&fragment, op, args, node->n, attrs.data ? attrs.data : "");
    if (!call)
        return nothing();
    call->range = (rlxc_range){0};
    call->var = rlxc_rvar_new(ctx, t->b->function, t->root->var->name, NULL);
    return rlxc_emit(t->b, call);
}

static rlxc_atom emit_call(rlxc_matching *t, const replacement *r, const rlxc_pattern_node *node,
                           const rlxc_atom *args)
{
    const char *name = node->op ? node->op : "_";
    const rlxc_global *g = rlxc_module_find(t->b->module, name);
    if (!g || !g->relax)
        return refuse(t, r, "the module has no Relax function", name);
    rlxc_binding *call = new_binding(t, RLXC_FORM_CALL, args, node->n);
    call->callee = rlxc_atom_global(t->g.ctx, name);
    return rlxc_emit(t->b, call);
}

/* A scalar of the root's element type. */
static rlxc_atom emit_number(rlxc_matching *t, const replacement *r, double value)
{
    rlxc_context *ctx = t->g.ctx;
    const rlxc_sinfo *s = t->root->var->sinfo;
    if (s && s->kind == RLXC_SINFO_TENSOR && !rlxc_dtype_is_void(s->dtype))
        return rlxc_scalar_atom(ctx, s->dtype, value);
    return refuse(t, r, "a number has the element type of the value replaced, which is",
                  s ? rlxc_sinfo_text(ctx, s) : "unknown");
}

static rlxc_atom emit_node(rlxc_matching *t, const replacement *r, const rlxc_pattern_node *node,
                           bool is_root)
{
    rlxc_context *ctx = t->g.ctx;
    rlxc_atom *args = rlxc_alloc(ctx, RLXC_PATTERN_CHILDREN * sizeof *args);
    if (node->name != RLXC_PATTERN_NO_NAME) {
        const char *name = r->text.names[node->name];
        rlxc_atom atom = rlxc_match_capture(t, name);
        if (node->n > 0 || node->n_conditions > 0)
            return refuse(t, r,
                          "a capture in a replacement takes no operands or conditions:", name);
        if (atom.kind == RLXC_ATOM_NONE)
            return refuse(t, r, "the pattern does not capture", name);
        return atom;
    }
    for (uint32_t i = 0; i < node->n; i++) {
        args[i] = emit_node(t, r, node->children[i], false);
        if (args[i].kind == RLXC_ATOM_NONE)
            return nothing();
    }
    switch (node->kind) {
    case RLXC_NODE_NUMBER:
        return emit_number(t, r, node->value);
    case RLXC_NODE_CALL:
        return emit_op(t, r, node, args);
    case RLXC_NODE_CALLEE:
        return emit_call(t, r, node, args);
    case RLXC_NODE_TUPLE:
        return is_root ? rlxc_emit(t->b, new_binding(t, RLXC_FORM_TUPLE, args, node->n))
                       : rlxc_atom_tuple(ctx, args, node->n);
    case RLXC_NODE_ITEM: {
        rlxc_binding *get = new_binding(t, RLXC_FORM_TUPLE_GET, args, 1);
        if (node->index < 0)
            return refuse(t, r, "item needs a number", "");
        get->index = (uint32_t)node->index;
        return rlxc_emit(t->b, get);
    }
    case RLXC_NODE_ANY:
    case RLXC_NODE_EITHER:
    case RLXC_NODE_BOTH:
    case RLXC_NODE_NOT:
    case RLXC_NODE_SOMEWHERE:
        return refuse(t, r, "this is a pattern, not a value:", r->written);
    }
    return nothing();
}

static rlxc_atom build(rlxc_matching *t)
{
    const replacement *r = t->user;
    return emit_node(t, r, r->text.root, true);
}

static bool any_root(const rlxc_binding *b)
{
    return b->form != RLXC_FORM_FUNCTION && b->form != RLXC_FORM_IF &&
           b->form != RLXC_FORM_MATCH_CAST;
}

bool rlxc_replace_pattern_by(rlxc_context *ctx, rlxc_module *module, rlxc_function *function,
                             const char *text, bool shared, rlxc_match_build_fn build_fn,
                             void *user, uint32_t *io_replaced)
{
    const rlxc_pattern_rule rule = {"pattern", shared, build_fn, rlxc_pattern_parse(ctx, text),
                                    user};
    const rlxc_pattern_rewrite rewrite = {&rule, 1, any_root, NULL};
    return rule.pattern.root && rlxc_rewrite_patterns(ctx, module, function, &rewrite, io_replaced);
}

bool rlxc_replace_pattern(rlxc_context *ctx, rlxc_module *module, rlxc_function *function,
                          const char *text, bool shared, uint32_t *io_replaced)
{
    const rlxc_pattern_text pattern = rlxc_pattern_parse(ctx, text);
    if (!pattern.root)
        return false;
    if (!*pattern.end) {
        rlxc_error(ctx, (rlxc_range){0}, "pattern '%.200s': expected '->' and a replacement", text);
        return false;
    }
    const char *written = pattern.end + strlen("->");
    replacement r = {rlxc_pattern_parse(ctx, written), written};
    return r.text.root &&
           rlxc_replace_pattern_by(ctx, module, function, text, shared, build, &r, io_replaced);
}
