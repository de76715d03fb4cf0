/* Bytecode emission: bindings and control flow.
 *
 * A tail call of the function by itself is not a call: the function restarts (imported loops have
 * this form).
 *
 * An IF becomes: if cond else L1; then branch; move phi; goto L2; L1: else branch; move phi; L2.
 * Both branches fill the same register. Nesting is limited where it was made (RLXC_MAX_DEPTH);
 * bindings are a loop. */
#include "compiler/analysis/alias.h"
#include "compiler/codegen/emit.h"
#include "compiler/ir/op.h"

void rlxc_bc_locate(rlxc_bc_function *fn, rlxc_range range, const char *name)
{
    if (range.line == 0 || (range.file == fn->located.file && range.line == fn->located.line &&
                            range.col == fn->located.col))
        return;
    fn->located = range;
    rlx_error err = {0};
    const char *base = rlxc_file_base(fn->ctx, range.file);
    const char *label = rlxc_line_label(fn->ctx, range.file, range.line);
    if (!fn->m->failed)
        rlxc_bc_ok(fn->m, range,
                   rlx_exec_builder_location(fn->m->builder, rlx_str_from(base), range.line,
                                             label ? 0 : range.col,
                                             rlx_str_from(label ? label : name), &err),
                   &err);
}

/* A storage is named after its tensor. */
static void locate(rlxc_bc_function *fn, const rlxc_binding *b, const rlxc_binding *next)
{
    bool is_storage = next && rlxc_is_op(b, "memory.alloc_storage");
    rlxc_bc_locate(fn, b->range, is_storage ? next->var->name : b->var->name);
}

static uint32_t new_label(rlxc_bc_function *fn)
{
    uint32_t label = 0;
    rlx_error err = {0};
    if (!fn->m->failed)
        rlxc_bc_ok(fn->m, fn->range, rlx_exec_builder_label(fn->m->builder, &label, &err), &err);
    return label;
}

static void bind_label(rlxc_bc_function *fn, uint32_t label)
{
    rlx_error err = {0};
    if (!fn->m->failed)
        rlxc_bc_ok(fn->m, fn->range, rlx_exec_builder_bind(fn->m->builder, label, &err), &err);
    fn->ended = false;
}

/* The binding that makes the result of |body|, if only kills follow it. */
static const rlxc_binding *result_binding(const rlxc_body *body)
{
    for (uint32_t i = body->n_blocks; i-- > 0;)
        for (uint32_t j = body->blocks[i]->n; j-- > 0;) {
            const rlxc_binding *b = body->blocks[i]->bindings[j];
            if (rlxc_has_op_flag(b, RLXC_OP_KILLS))
                continue;
            return body->result.kind == RLXC_ATOM_VAR && body->result.var == b->var ? b : NULL;
        }
    return NULL;
}

/* True if the self call |b| returns the function's declared type whatever the symbols of the next
 * iteration are: the VM checks results by the symbols of the last one. */
static bool is_again(const rlxc_bc_function *fn, const rlxc_binding *b)
{
    const rlxc_global *g = b->form == RLXC_FORM_CALL && !b->op && b->callee.kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(fn->m->module, b->callee.text)
                               : NULL;
    return g && g->relax == fn->f && b->n_args == fn->f->n_params &&
           (!fn->f->ret ||
            (b->var->sinfo && rlxc_sinfo_subsumes(fn->ctx, fn->f->ret, b->var->sinfo)));
}

/* The result is |out|, in |phi|. |temps| computed the condition; they die at the start of either
 * branch. */
static void emit_branch(rlxc_bc_function *fn, const rlxc_body *body, const rlxc_rvar *out,
                        uint32_t phi, bool tail, const rlxc_bc_scope *scope, const uint32_t *temps,
                        uint32_t n_temps)
{
    for (uint32_t i = 0; i < n_temps; i++)
        RLXC_BC_EMIT(fn, RLX_OP_KILL, temps[i]);
    fn->enters_branch = true;
    rlxc_bc_body(fn, body, tail);
    fn->enters_branch = false;
    if (!rlxc_bc_check_atom(fn, body->result))
        return;
    if (!fn->ended)
        RLXC_BC_EMIT(fn, RLX_OP_MOVE, phi, rlxc_bc_atom_as(fn, body->result, out->sinfo));
    rlxc_bc_release_temps(fn);
    rlxc_bc_scope_end_branch(fn, scope);
}

static void emit_if(rlxc_bc_function *fn, const rlxc_binding *b, bool tail)
{
    uint32_t cond = rlxc_bc_atom(fn, b->args[0]);
    uint32_t phi = rlxc_bc_define(fn, b->var);
    uint32_t otherwise = new_label(fn), end = new_label(fn), n_temps = fn->temps.count;
    uint32_t *temps = rlxc_copy(fn->ctx, fn->temps.items, n_temps * sizeof *temps);
    fn->temps.count = 0;
    RLXC_BC_EMIT(fn, RLX_OP_IF, cond, otherwise);
    rlxc_bc_scope scope = rlxc_bc_scope_open(fn);
    emit_branch(fn, b->then, b->var, phi, tail, &scope, temps, n_temps);
    RLXC_BC_EMIT(fn, RLX_OP_GOTO, end);
    bool first_ended = fn->ended;
    bind_label(fn, otherwise);
    rlxc_bc_scope_rewind(fn, &scope);
    emit_branch(fn, b->otherwise, b->var, phi, tail, &scope, temps, n_temps);
    bool ended = first_ended && fn->ended;
    bind_label(fn, end);
    fn->ended = ended;
    rlxc_bc_scope_close(fn, &scope);
    for (uint32_t i = 0; i < n_temps; i++)
        RLXC_PUSH(fn->ctx, &fn->free_regs, temps[i]);
}

static void emit_move(rlxc_bc_function *fn, const rlxc_binding *b, uint32_t source)
{
    uint32_t dst = rlxc_bc_define(fn, b->var);
    RLXC_BC_EMIT(fn, RLX_OP_MOVE, dst, source);
}

static void emit_binding(rlxc_bc_function *fn, const rlxc_binding *b, bool tail)
{
    uint32_t source;
    if (!rlxc_bc_fits(fn->m, b->n_args, "arguments", b->range))
        return;
    for (uint32_t i = 0; i < b->n_args; i++)
        if (!rlxc_bc_check_atom(fn, b->args[i]))
            return;
    switch (b->form) {
    case RLXC_FORM_COPY:
        emit_move(fn, b, rlxc_bc_atom_as(fn, b->args[0], b->var->sinfo));
        break;
    case RLXC_FORM_CALL:
        if (tail && is_again(fn, b)) {
            rlxc_map_set(fn->ctx, &fn->m->restarts, rlxc_key(b), fn->m);
            rlxc_bc_again(fn, b->args, b->n_args);
            fn->ended = true;
        } else {
            rlxc_bc_call(fn, b);
        }
        break;
    case RLXC_FORM_TUPLE:
        rlxc_bc_make_tuple(fn, b->var, b->args, b->n_args);
        break;
    case RLXC_FORM_TUPLE_GET:
        if (b->args[0].kind == RLXC_ATOM_TUPLE && b->index < b->args[0].n) {
            emit_move(fn, b, rlxc_bc_atom_as(fn, b->args[0].items[b->index], b->var->sinfo));
            break;
        }
        source = rlxc_bc_atom(fn, b->args[0]);
        RLXC_BC_EMIT(fn, RLX_OP_TUPLE_ITEM, rlxc_bc_define(fn, b->var), source, b->index);
        break;
    case RLXC_FORM_MATCH_CAST:
        source = rlxc_bc_atom_as(fn, b->args[0], b->var->sinfo);
        rlxc_bc_match(fn, source, b->sinfo_args[0]);
        if (fn->uses[b->var->id] > 0)
            emit_move(fn, b, rlxc_bc_unboxed(fn, b->args[0], b->var->sinfo, source));
        break;
    case RLXC_FORM_IF:
        emit_if(fn, b, tail);
        break;
    case RLXC_FORM_FUNCTION:
        rlxc_internal(fn->ctx, b->range, "emit_bytecode", "local function '%s' was not lifted",
                      b->var->name);
        fn->m->failed = true;
        break;
    }
}

/* A value that is never read or killed dies at once. */
static void drop_unused(rlxc_bc_function *fn, const rlxc_binding *b)
{
    if (fn->uses[b->var->id] == 0)
        rlxc_bc_kill(fn, b->var);
}

void rlxc_bc_body(rlxc_bc_function *fn, const rlxc_body *body, bool tail)
{
    const rlxc_binding *last = tail ? result_binding(body) : NULL;
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        const rlxc_binding_block *block = body->blocks[i];
        for (uint32_t j = 0; j < block->n; j++) {
            const rlxc_binding *b = block->bindings[j];
            if (fn->m->failed || rlxc_failed(fn->ctx))
                return;
            fn->range = b->range;
            fn->enters_branch = fn->enters_branch && rlxc_has_op_flag(b, RLXC_OP_KILLS);
            locate(fn, b, j + 1 < block->n ? block->bindings[j + 1] : NULL);
            emit_binding(fn, b, b == last);
            rlxc_bc_release_temps(fn);
            if (fn->ended)
                return;
            drop_unused(fn, b);
        }
    }
}
