/* Branches of Relax functions.
 *
 * The value of an `if` is the variable that both branches bind last. A branch that ends in a plain
 * copy or a tuple has that atom as its value, so that printed text reads back unchanged. */
#include <string.h>

#include "compiler/script/parse_relax.h"

static void drop_last_binding(rlxc_parser *p)
{
    if (!p->block || p->block->n == 0)
        return;
    p->block->n--;
    if (p->block->n == 0 && p->body->n_blocks > 0 &&
        p->body->blocks[p->body->n_blocks - 1] == p->block)
        p->body->n_blocks--;
}

/* One branch, at its colon or, an else-branch that holds an if, at `elif`; its body gets the atom
 * it ends with. */
static rlxc_body *parse_branch(rlxc_parser *p, bool is_function, rlxc_relax_progress *out)
{
    const bool is_elif = rlxc_py_is_word(&p->py, "elif");
    rlxc_body *saved_body = p->body;
    rlxc_binding_block *saved_block = p->block;
    rlxc_py_block block;
    uint32_t mark = rlxc_names_mark(&p->names);
    rlxc_body *body = rlxc_alloc(p->ctx, sizeof *body);
    *out = (rlxc_relax_progress){.is_function = is_function};
    p->body = body;
    p->block = NULL;
    if (is_elif)
        rlxc_relax_if(p, out);
    else if (rlxc_py_block_begin(&p->py, &block))
        rlxc_relax_statements(p, &block, out);
    if (!is_elif && !out->returned && out->name && out->copied)
        drop_last_binding(p);
    body->result = out->value;
    rlxc_names_restore(p->ctx, &p->names, mark);
    p->body = saved_body;
    p->block = saved_block;
    return body;
}

static bool branches_agree(rlxc_parser *p, rlxc_range range, const rlxc_relax_progress *then,
                           const rlxc_relax_progress *otherwise)
{
    if (then->returned != otherwise->returned) {
        rlxc_error(p->ctx, range, "both branches of an if must return, or neither");
        return false;
    }
    if (then->returned)
        return true;
    if (!then->name || !otherwise->name) {
        rlxc_error(p->ctx, range, "each branch of an if must end by binding a variable");
        return false;
    }
    if (strcmp(then->name, otherwise->name) != 0) {
        rlxc_error(p->ctx, range,
                   "the branches of an if must bind the same variable last, got '%s' and '%s'",
                   then->name, otherwise->name);
        return false;
    }
    return true;
}

/* TVM does not check results of packed functions against the declared type, and some modules
 * declare conditions as floats. If an if reads such a result, its type is not assumed; the if
 * checks that it is a bool or an integer. */
static void trust_no_declaration(rlxc_parser *p, rlxc_atom cond)
{
    if (cond.kind != RLXC_ATOM_VAR || cond.var->annotation || !p->block)
        return;
    for (uint32_t i = p->block->n; i > 0; i--) {
        rlxc_binding *b = p->block->bindings[i - 1];
        if (b->var != cond.var)
            continue;
        const rlxc_sinfo *declared = b->n_sinfo_args == 1 ? b->sinfo_args[0] : NULL;
        if (b->form != RLXC_FORM_CALL || b->callee.kind != RLXC_ATOM_EXTERN || !declared ||
            declared->kind != RLXC_SINFO_TENSOR || !rlxc_dtype_is_float(declared->dtype))
            return;
        const rlxc_sinfo *any = rlxc_sinfo_object(p->ctx);
        b->sinfo_args = rlxc_copy(p->ctx, &any, sizeof any);
        return;
    }
}

void rlxc_relax_if(rlxc_parser *p, rlxc_relax_progress *io)
{
    rlxc_range range = p->py.token.range;
    rlxc_relax_progress then, otherwise = {0};
    rlxc_atom cond;
    if (!rlxc_parse_enter(p, range)) {
        rlxc_py_skip(&p->py);
        return;
    }
    uint32_t errors = rlxc_error_count(p->ctx);
    rlxc_py_next(&p->py);
    rlxc_py_reset(&p->py);
    const rlxc_py *e = rlxc_py_expr(&p->py);
    if (!e) {
        rlxc_py_skip(&p->py);
        rlxc_parse_leave(p);
        return;
    }
    if (!rlxc_parse_atom(p, e, &cond))
        cond = (rlxc_atom){.kind = RLXC_ATOM_NONE};
    trust_no_declaration(p, cond);
    rlxc_binding *b = rlxc_binding_new(p->ctx, RLXC_FORM_IF, NULL);
    b->range = rlxc_py_range_to_here(&p->py, range);
    b->args = rlxc_copy(p->ctx, &cond, sizeof cond);
    b->n_args = 1;
    bool may_return = io->is_function;
    b->then = parse_branch(p, may_return, &then);
    if (rlxc_py_is_word(&p->py, "elif") || rlxc_py_accept_word(&p->py, "else"))
        b->otherwise = parse_branch(p, may_return, &otherwise);
    else if (rlxc_error_count(p->ctx) == errors)
        rlxc_error(p->ctx, range, "an if of a Relax function needs an else");
    rlxc_parse_leave(p);
    if (rlxc_error_count(p->ctx) > errors || !branches_agree(p, range, &then, &otherwise)) {
        const char *broken = then.name ? then.name : otherwise.name;
        if (broken)
            rlxc_names_define(p->ctx, &p->names, broken, RLXC_NAME_BROKEN);
        return;
    }
    bool returned = then.returned;
    const char *name = returned ? "gv" : then.name;
    b->var = rlxc_rvar_new(p->ctx, p->function, name, NULL);
    b->var->range = range;
    if (!returned && then.annotation == otherwise.annotation)
        b->var->annotation = then.annotation;
    rlxc_parse_emit(p, b, name);
    rlx_dtype dtype = rlxc_parse_atom_dtype(p, b->then->result);
    if (rlx_dtype_eq(dtype, rlxc_parse_atom_dtype(p, b->otherwise->result)))
        rlxc_parse_set_dtype(p, b->var, dtype);
    if (returned) {
        io->returned = true;
        io->value = p->body->result = rlxc_atom_var(b->var);
        p->body->result_range = range;
        return;
    }
    if (strcmp(name, "_") != 0)
        rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_RVAR)->rvar = b->var;
    rlxc_relax_note_binding(p, io, name, b);
}
