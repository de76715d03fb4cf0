/* Aliasing and retention of bindings (alias.h).
 *
 * Invariants: without information the answer is conservative. An operator shares memory with its
 * first operand if and only if its row says ALIASES_0; kernels write only into their outputs; a
 * builtin's result is fresh if its row says so; any other callee may return its operands. Positions
 * and lifetimes are in liveness.c. */
#include "compiler/analysis/alias.h"

#include <string.h>

#include "compiler/ir/device.h"
#include "compiler/ir/op.h"

bool rlxc_is_void(const rlxc_sinfo *sinfo)
{
    return sinfo && sinfo->kind == RLXC_SINFO_TUPLE && sinfo->n_fields == 0;
}

bool rlxc_may_hold_memory(const rlxc_sinfo *sinfo)
{
    if (!sinfo)
        return true;
    return sinfo->kind != RLXC_SINFO_PRIM && sinfo->kind != RLXC_SINFO_SHAPE &&
           !rlxc_is_void(sinfo);
}

bool rlxc_is_op(const rlxc_binding *binding, const char *name)
{
    return binding->form == RLXC_FORM_CALL && binding->op && strcmp(binding->op->name, name) == 0;
}

bool rlxc_has_op_flag(const rlxc_binding *binding, uint32_t flags)
{
    return binding->form == RLXC_FORM_CALL && binding->op && (binding->op->flags & flags) != 0;
}

bool rlxc_is_planned_storage(const rlxc_binding *b)
{
    return rlxc_is_op(b, "memory.alloc_storage") && b->n_args > 2 &&
           b->args[2].kind == RLXC_ATOM_STRING && strcmp(b->args[2].text, RLXC_PLANNED_SCOPE) == 0;
}

const rlx_builtin *rlxc_find_builtin(const char *name)
{
    uint32_t n = 0;
    const rlx_builtin *table = rlx_builtin_table(&n);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

bool rlxc_calls_fresh_builtin(const rlxc_binding *b)
{
    const rlxc_sinfo *type = b->var->sinfo;
    bool is_tensor = type && type->kind == RLXC_SINFO_TENSOR;
    const rlx_builtin *row = b->form == RLXC_FORM_CALL && b->callee.kind == RLXC_ATOM_EXTERN
                                 ? rlxc_find_builtin(b->callee.text)
                                 : NULL;
    uint32_t wanted = RLX_BUILTIN_FRESH | (is_tensor ? RLX_BUILTIN_FRESH_TENSOR : 0);
    return row && (row->flags & wanted);
}

static void visit_args(const rlxc_binding *b, uint32_t first, rlxc_atom_fn visit, void *user)
{
    for (uint32_t i = first; i < b->n_args; i++)
        visit(user, b->args[i]);
}

/* True if the to_vdevice |b| is between two memories: else it gives its operand. */
static bool copies(const rlxc_module *module, const rlxc_binding *b)
{
    const rlxc_sinfo *from = b->n_args > 0 && b->args[0].kind == RLXC_ATOM_VAR
                                 ? b->args[0].var->sinfo
                                 : NULL,
                     *to = b->var->sinfo;
    return from && from->kind == RLXC_SINFO_TENSOR && from->vdevice && to &&
           to->kind == RLXC_SINFO_TENSOR && to->vdevice &&
           rlxc_vdevice_index(module, from->vdevice) != rlxc_vdevice_index(module, to->vdevice);
}

static void call_sources(const rlxc_module *module, const rlxc_binding *b, rlxc_atom_fn visit,
                         void *user)
{
    if (!rlxc_may_hold_memory(b->var->sinfo))
        return;
    if (b->op) {
        if (rlxc_is_op(b, "to_vdevice") ? !copies(module, b) : b->op->flags & RLXC_OP_ALIASES_0) {
            if (b->n_args > 0)
                visit(user, b->args[0]);
        } else if ((b->op->flags & RLXC_OP_CALLS) && !rlxc_is_op(b, "call_tir") &&
                   !rlxc_is_op(b, "call_dps_packed")) {
            visit_args(b, 0, visit, user);
        }
        return;
    }
    if (b->callee.kind == RLXC_ATOM_GLOBAL) {
        const rlxc_global *g = rlxc_module_find(module, b->callee.text);
        if (g && g->prim)
            return;
    } else if (b->callee.kind == RLXC_ATOM_EXTERN) {
        if (rlxc_calls_fresh_builtin(b))
            return;
    } else {
        visit(user, b->callee);
    }
    visit_args(b, 0, visit, user);
}

void rlxc_alias_sources(const rlxc_module *module, const rlxc_binding *b, rlxc_atom_fn visit,
                        void *user)
{
    switch (b->form) {
    case RLXC_FORM_COPY:
    case RLXC_FORM_TUPLE_GET:
    case RLXC_FORM_MATCH_CAST:
        visit(user, b->args[0]);
        break;
    case RLXC_FORM_TUPLE:
        visit_args(b, 0, visit, user);
        break;
    case RLXC_FORM_CALL:
        call_sources(module, b, visit, user);
        break;
    case RLXC_FORM_IF:
        visit(user, b->then->result);
        visit(user, b->otherwise->result);
        break;
    case RLXC_FORM_FUNCTION:
        break;
    }
}

void rlxc_binding_reads(const rlxc_binding *b, rlxc_atom_fn visit, void *user)
{
    if (b->form == RLXC_FORM_CALL && !b->op && b->callee.kind == RLXC_ATOM_VAR)
        visit(user, b->callee);
    visit_args(b, 0, visit, user);
}

bool rlxc_call_retains(const rlxc_module *module, const rlxc_binding *b, bool module_retains)
{
    if (b->form != RLXC_FORM_CALL)
        return false;
    if (b->op) {
        if (rlxc_is_op(b, "call_dps_packed"))
            return b->n_args > 0 && b->args[0].kind == RLXC_ATOM_EXTERN &&
                   !rlxc_find_builtin(b->args[0].text);
        return (b->op->flags & RLXC_OP_CALLS) && module_retains && !rlxc_is_op(b, "call_tir") &&
               !rlxc_is_op(b, "call_tir_inplace");
    }
    if (b->callee.kind == RLXC_ATOM_EXTERN)
        return !rlxc_find_builtin(b->callee.text);
    if (b->callee.kind == RLXC_ATOM_GLOBAL) {
        const rlxc_global *g = rlxc_module_find(module, b->callee.text);
        if (g && g->prim)
            return false;
    }
    return module_retains;
}

/* Nesting is at most RLXC_MAX_DEPTH deep, by construction. */
bool rlxc_each_binding(const rlxc_body *body, bool (*visit)(void *user, rlxc_binding *binding),
                       void *user)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        const rlxc_binding_block *block = body->blocks[i];
        for (uint32_t j = 0; j < block->n; j++) {
            rlxc_binding *b = block->bindings[j];
            if (b->form == RLXC_FORM_IF && (!rlxc_each_binding(b->then, visit, user) ||
                                            !rlxc_each_binding(b->otherwise, visit, user)))
                return false;
            if (b->form == RLXC_FORM_FUNCTION &&
                !rlxc_each_binding(&b->function->body, visit, user))
                return false;
            if (!visit(user, b))
                return false;
        }
    }
    return true;
}

typedef struct search {
    const rlxc_module *module;
    uint32_t flags;
} search;

static bool stop_at_retaining(void *user, rlxc_binding *b)
{
    const search *s = user;
    return !rlxc_call_retains(s->module, b, false);
}

bool rlxc_module_retains(const rlxc_module *module)
{
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        search s = {module, 0};
        if (f && !rlxc_each_binding(&f->body, stop_at_retaining, &s))
            return true;
    }
    return false;
}

static bool stop_at_flag(void *user, rlxc_binding *b)
{
    const search *s = user;
    return !rlxc_has_op_flag(b, s->flags);
}

bool rlxc_uses_op_flag(const rlxc_function *f, uint32_t flags)
{
    search s = {NULL, flags};
    return !rlxc_each_binding(&f->body, stop_at_flag, &s);
}

bool rlxc_has_kills(const rlxc_function *f)
{
    return rlxc_uses_op_flag(f, RLXC_OP_KILLS);
}
