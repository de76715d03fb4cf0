/* Effects of bindings. The facts are in the operator table's flags, in functions' purity and in the
 * binding's form; this file only looks them up, for all passes. */
#include "compiler/analysis/effects.h"

#include <string.h>

#include "compiler/analysis/alias.h"

static bool call_is_pure(const rlxc_module *module, const rlxc_binding *b)
{
    if (b->op)
        return !(b->op->flags &
                 (RLXC_OP_IMPURE | RLXC_OP_MEMORY | RLXC_OP_BINDS_SYMBOLS | RLXC_OP_CHECKS));
    const rlxc_attr *pure = rlxc_attrs_find(&b->attrs, "pure");
    int64_t stated;
    if (pure && rlxc_attr_as_int(pure, &stated))
        return stated != 0;
    if (b->callee.kind == RLXC_ATOM_GLOBAL) {
        const rlxc_global *g = rlxc_module_find(module, b->callee.text);
        return g && g->relax &&
               g->relax->is_pure; /* a PrimFunc called directly writes its arguments */
    }
    if (b->callee.kind == RLXC_ATOM_VAR) {
        const rlxc_sinfo *s = b->callee.var->sinfo;
        return s && s->kind == RLXC_SINFO_CALLABLE && s->pure;
    }
    return false;
}

bool rlxc_binding_is_pure(const rlxc_module *module, const rlxc_binding *b)
{
    switch (b->form) {
    case RLXC_FORM_COPY:
    case RLXC_FORM_TUPLE:
    case RLXC_FORM_TUPLE_GET:
    case RLXC_FORM_FUNCTION:
        return true;
    case RLXC_FORM_MATCH_CAST:
        return false;
    case RLXC_FORM_CALL:
        return call_is_pure(module, b);
    case RLXC_FORM_IF:
        for (int side = 0; side < 2; side++) {
            const rlxc_body *body = side ? b->otherwise : b->then;
            for (uint32_t i = 0; i < body->n_blocks; i++) {
                for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
                    if (!rlxc_binding_is_pure(module, body->blocks[i]->bindings[k]))
                        return false;
                }
            }
        }
        return true;
    }
    return false;
}

typedef struct mention {
    const char *name;
    bool found;
} mention;

static void look_at(void *user, rlxc_atom atom)
{
    mention *m = user;
    m->found |= atom.kind == RLXC_ATOM_GLOBAL && strcmp(atom.text, m->name) == 0;
}

bool rlxc_is_mentioned(const rlxc_module *module, const char *name)
{
    mention m = {name, false};
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (module->globals.items[i]->relax)
            rlxc_body_visit(&module->globals.items[i]->relax->body, look_at, &m);
    return m.found;
}

bool rlxc_is_kept_check(const rlxc_binding *b)
{
    return b->form == RLXC_FORM_CALL && b->callee.kind == RLXC_ATOM_EXTERN &&
           strncmp(b->callee.text, "rlx.check_", strlen("rlx.check_")) == 0 && b->var->sinfo &&
           (b->var->sinfo->kind == RLXC_SINFO_OBJECT || rlxc_is_void(b->var->sinfo));
}

/* Clears |*only| where a statement does something else than to fail. */
static bool find_effect(void *user, const rlxc_stmt *s)
{
    bool *only = user;
    const bool harmless = s->kind == RLXC_STMT_BLOCK || s->kind == RLXC_STMT_FOR ||
                          s->kind == RLXC_STMT_IF || s->kind == RLXC_STMT_LET ||
                          s->kind == RLXC_STMT_SEQ || rlxc_stmt_is_check(s);
    *only = *only && harmless;
    return *only;
}

/* A call of a PrimFunc itself that writes nothing. */
static bool calls_check_kernel(const rlxc_module *module, const rlxc_binding *b)
{
    bool only = true;
    const rlxc_global *g = b->form == RLXC_FORM_CALL && b->callee.kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(module, b->callee.text)
                               : NULL;
    if (!g || !g->prim)
        return false;
    rlxc_stmt_visit(g->prim->body, find_effect, &only);
    return only;
}

bool rlxc_only_checks(const rlxc_module *module, const rlxc_binding *b)
{
    return b->form == RLXC_FORM_MATCH_CAST || rlxc_has_op_flag(b, RLXC_OP_CHECKS) ||
           rlxc_is_kept_check(b) || calls_check_kernel(module, b);
}

bool rlxc_call_destroys(const rlxc_binding *b)
{
    return b->op ? (b->op->flags & RLXC_OP_DESTROYS) != 0
                 : rlxc_attrs_find(&b->attrs, "inplace_indices") != NULL;
}

bool rlxc_binding_is_mergeable(const rlxc_module *module, const rlxc_binding *b)
{
    if (b->form == RLXC_FORM_IF || b->form == RLXC_FORM_FUNCTION ||
        !rlxc_binding_is_pure(module, b))
        return false;
    return !(b->form == RLXC_FORM_CALL && rlxc_call_destroys(b));
}
