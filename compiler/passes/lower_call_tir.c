/* Pass lower_call_tir: results of call_tir and call_dps_packed become explicit tensors.
 *
 *   y = R.call_tir(cls.f, (x,), out_sinfo=S)
 * becomes
 *   y = R.builtin.alloc_tensor(shape of S, dtype of S, device of S, "global");  cls.f(x, y)
 *
 * Several outputs become several tensors and a tuple; tir_vars make the call R.vm.call_tir_dyn. An
 * operand of call_tir_inplace or call_inplace_packed is written in place only if nothing provably
 * reads its memory later, and is copied otherwise. Afterwards there are no dataflow blocks (memory
 * has effects) and no copies, and known tuple items are used directly. Functions with kill_* forms
 * keep their bindings as they are, since their kills name variables. */
#include <string.h>

#include "compiler/analysis/effects.h"
#include "compiler/analysis/liveness.h"
#include "compiler/ir/device.h"
#include "compiler/ir/op.h"
#include "compiler/passes/passes.h"

enum {
    MAX_INPLACE = 64,
    MAX_OPERANDS = 60000 /* of one call; an instruction has at most 65535 words */
};

typedef struct lowering {
    rlxc_context *ctx;
    const rlxc_module *module;
    bool keep_forms;               /* the function has kills of its own */
    uint32_t n_vars;               /* before the pass */
    uint64_t *may_reuse;           /* by result id of a call_tir_inplace: operands, a bit each */
    rlxc_map tuples;               /* id of a tuple variable -> its TUPLE atom */
    const rlxc_lifetime *lifetime; /* before the pass */
} lowering;

static bool int_attr_item(const rlxc_attr *list, uint32_t i, int64_t *out)
{
    if (!list)
        return false;
    if (list->kind != RLXC_ATTR_LIST)
        return i == 0 && rlxc_attr_as_int(list, out);
    return i < list->list.count && rlxc_attr_as_int(&list->list.items[i], out);
}

/* The argument that output |i| overwrites; -1: it has a tensor of its own. */
static int64_t inplace_index(const rlxc_binding *b, uint32_t i)
{
    int64_t index;
    if (!rlxc_is_op(b, "call_tir_inplace") ||
        !int_attr_item(rlxc_attrs_find(&b->attrs, "inplace_indices"), i, &index))
        return -1;
    return index;
}

/* --- before: blocks without dataflow, operands that may be overwritten ----------------------- */

static bool is_overwritable(const lowering *l, rlxc_atom atom, uint32_t position)
{
    if (atom.kind != RLXC_ATOM_VAR || atom.var->id >= l->n_vars)
        return false;
    const rlxc_lifetime *t = &l->lifetime[atom.var->id];
    return t->fresh && !t->kept && t->aliases == 1 && t->read == position;
}

static void note_inplace(void *user, rlxc_binding *b, uint32_t position)
{
    lowering *l = user;
    const rlxc_atom *operands = b->args;
    uint32_t n = b->n_args;
    if (b->form != RLXC_FORM_CALL || !rlxc_call_destroys(b) || b->var->id >= l->n_vars)
        return;
    if (b->op && (n < 2 || b->args[1].kind != RLXC_ATOM_TUPLE))
        return;
    if (b->op) {
        operands = b->args[1].items;
        n = b->args[1].n;
    }
    for (uint32_t i = 0; i < n && i < MAX_INPLACE; i++)
        if (is_overwritable(l, operands[i], position))
            l->may_reuse[b->var->id] |= UINT64_C(1) << i;
}

/* --- calls ----------------------------------------------------------------------------------- */

static rlxc_atom emit_alloc(rlxc_builder *b, const rlxc_sinfo *out, const char *name)
{
    if (out->kind != RLXC_SINFO_TENSOR || out->ndim < 0 || !out->dims ||
        rlxc_dtype_is_void(out->dtype)) {
        rlxc_error(b->ctx, b->range,
                   "the result '%s' needs a tensor type with a data type and all dimensions, got "
                   "%s",
                   name, rlxc_sinfo_text(b->ctx, out));
        return (rlxc_atom){0};
    }
    const int64_t device = rlxc_vdevice_index(b->module, out->vdevice);
    rlxc_atom args[4] = {rlxc_atom_shape(b->ctx, out->dims, (uint32_t)out->ndim),
                         rlxc_atom_dtype(out->dtype), rlxc_atom_prim(rlxc_i64(b->ctx, device)),
                         rlxc_atom_string(b->ctx, "global")};
    rlxc_rvar *var = rlxc_rvar_new(b->ctx, rlxc_outermost(b->function), name, out);
    rlxc_binding *alloc = rlxc_binding_new(b->ctx, RLXC_FORM_CALL, var);
    alloc->op = rlxc_find_operator("builtin.alloc_tensor", strlen("builtin.alloc_tensor"));
    alloc->args = rlxc_copy(b->ctx, args, sizeof args);
    alloc->n_args = 4;
    alloc->range = b->range;
    return rlxc_emit(b, alloc);
}

static rlxc_atom emit_copy(rlxc_builder *b, rlxc_atom source, const rlxc_sinfo *sinfo)
{
    rlxc_rvar *var = rlxc_rvar_new(b->ctx, rlxc_outermost(b->function), "copy", sinfo);
    rlxc_binding *copy = rlxc_binding_new(b->ctx, RLXC_FORM_CALL, var);
    copy->callee = rlxc_atom_extern(b->ctx, "rlx.copy");
    copy->args = rlxc_copy(b->ctx, &source, sizeof source);
    copy->n_args = 1;
    copy->sinfo_args = rlxc_copy(b->ctx, &sinfo, sizeof(const rlxc_sinfo *));
    copy->n_sinfo_args = 1;
    copy->range = b->range;
    return rlxc_emit(b, copy);
}

static void emit_void_call(rlxc_builder *b, rlxc_binding *call)
{
    const rlxc_sinfo *nothing = rlxc_sinfo_tuple(b->ctx, NULL, 0);
    call->var = rlxc_rvar_new(b->ctx, rlxc_outermost(b->function), "_", nothing);
    call->range = b->range;
    if (call->callee.kind == RLXC_ATOM_EXTERN) {
        call->sinfo_args = rlxc_copy(b->ctx, &nothing, sizeof(const rlxc_sinfo *));
        call->n_sinfo_args = 1;
    }
    rlxc_emit(b, call);
}

static void emit_dps_call(rlxc_builder *b, rlxc_atom callee, const rlxc_atom *args, uint32_t n,
                          const rlxc_atom *tir_vars)
{
    rlxc_binding *call = rlxc_binding_new(b->ctx, RLXC_FORM_CALL, NULL);
    if (tir_vars) {
        rlxc_atom *packed = rlxc_alloc(b->ctx, ((size_t)n + 1) * sizeof *packed);
        for (uint32_t i = 0; i < n; i++)
            packed[i] = args[i];
        packed[n] = *tir_vars;
        rlxc_atom dyn[2] = {callee, rlxc_atom_tuple(b->ctx, packed, n + 1)};
        call->op = rlxc_find_operator("vm.call_tir_dyn", strlen("vm.call_tir_dyn"));
        call->args = rlxc_copy(b->ctx, dyn, sizeof dyn);
        call->n_args = 2;
    } else {
        call->callee = callee;
        call->args = args;
        call->n_args = n;
    }
    emit_void_call(b, call);
}

static uint32_t packed_count(rlxc_builder *b, rlxc_atom packed)
{
    if (packed.kind == RLXC_ATOM_TUPLE)
        return packed.n;
    const rlxc_sinfo *sinfo = rlxc_atom_sinfo(b->ctx, b->module, packed);
    return sinfo && sinfo->kind == RLXC_SINFO_TUPLE ? sinfo->n_fields : 1;
}

/* The arguments of the call: an inline tuple, a tuple variable, or one lone tensor. */
static uint32_t call_operands(rlxc_builder *b, rlxc_atom packed, const rlxc_atom **out)
{
    if (packed.kind == RLXC_ATOM_TUPLE) {
        *out = packed.items;
        return packed.n;
    }
    const rlxc_sinfo *sinfo = rlxc_atom_sinfo(b->ctx, b->module, packed);
    bool is_tuple = sinfo && sinfo->kind == RLXC_SINFO_TUPLE;
    uint32_t n = is_tuple ? sinfo->n_fields : 1;
    rlxc_atom *items = rlxc_alloc(b->ctx, ((size_t)n + 1) * sizeof *items);
    items[0] = packed;
    for (uint32_t i = 0; is_tuple && i < n; i++) {
        rlxc_rvar *var =
            rlxc_rvar_new(b->ctx, rlxc_outermost(b->function), "item", sinfo->fields[i]);
        rlxc_binding *get = rlxc_binding_new(b->ctx, RLXC_FORM_TUPLE_GET, var);
        get->args = rlxc_copy(b->ctx, &packed, sizeof packed);
        get->n_args = 1;
        get->index = i;
        get->range = b->range;
        items[i] = rlxc_emit(b, get);
    }
    *out = items;
    return n;
}

static rlxc_rewrite_action lower_call(lowering *l, rlxc_builder *b, rlxc_binding *binding,
                                      rlxc_atom *replacement)
{
    rlxc_context *ctx = l->ctx;
    if (binding->n_args < 2 || binding->n_sinfo_args < 1) {
        rlxc_error(ctx, binding->range, "R.%s needs a callee, arguments and out_sinfo",
                   binding->op->name);
        return RLXC_REWRITE_KEEP;
    }
    const rlxc_sinfo *out = binding->sinfo_args[0];
    bool many = out->kind == RLXC_SINFO_TUPLE || binding->n_sinfo_args > 1;
    const rlxc_sinfo *const *fields = binding->sinfo_args;
    uint32_t n_out = binding->n_sinfo_args;
    if (out->kind == RLXC_SINFO_TUPLE && binding->n_sinfo_args == 1) {
        fields = out->fields;
        n_out = out->n_fields;
    }
    size_t total = (size_t)n_out + packed_count(b, binding->args[1]);
    if (total > MAX_OPERANDS) {
        rlxc_error(ctx, binding->range, "R.%s: %zu arguments and results; the limit is %d",
                   binding->op->name, total, MAX_OPERANDS);
        return RLXC_REWRITE_KEEP;
    }
    const rlxc_atom *operands;
    uint32_t n_in = call_operands(b, binding->args[1], &operands);
    size_t n_max = (size_t)n_in + n_out + 1;
    rlxc_atom *args = rlxc_alloc(ctx, n_max * sizeof *args);
    rlxc_atom *outs = rlxc_alloc(ctx, n_max * sizeof *outs);
    for (uint32_t i = 0; i < n_in; i++)
        args[i] = operands[i];
    uint32_t n = n_in;
    uint64_t may_reuse = binding->var->id < l->n_vars ? l->may_reuse[binding->var->id] : 0;
    for (uint32_t i = 0; i < n_out; i++) {
        int64_t in = inplace_index(binding, i);
        if (in >= 0) {
            if (in >= n_in) {
                rlxc_error(ctx, binding->range,
                           "R.call_tir_inplace: inplace_indices[%u] is %lld, but there are %u "
                           "arguments",
                           i, (long long)in, n_in);
                return RLXC_REWRITE_KEEP;
            }
            if (in >= MAX_INPLACE || !(may_reuse >> in & 1))
                args[in] = emit_copy(b, args[in], fields[i]);
            outs[i] = args[in];
            continue;
        }
        const char *hint = n_out == 1 ? binding->var->name : "alloc";
        outs[i] = args[n] = emit_alloc(b, fields[i], hint);
        if (outs[i].kind == RLXC_ATOM_NONE)
            return RLXC_REWRITE_KEEP;
        n++;
    }
    emit_dps_call(b, binding->args[0], args, n, binding->n_args > 2 ? &binding->args[2] : NULL);
    if (!many) {
        *replacement = outs[0];
        return RLXC_REWRITE_REPLACE;
    }
    binding->form = RLXC_FORM_TUPLE;
    binding->op = NULL;
    binding->args = outs;
    binding->n_args = n_out;
    binding->attrs = (rlxc_attrs){0};
    binding->sinfo_args = NULL;
    binding->n_sinfo_args = 0;
    rlxc_atom tuple = rlxc_atom_tuple(ctx, outs, n_out);
    rlxc_map_set(ctx, &l->tuples, (uint64_t)binding->var->id + 1,
                 rlxc_copy(ctx, &tuple, sizeof tuple));
    return RLXC_REWRITE_KEEP;
}

/* A call of call_inplace_packed: copies operands that are read later. */
static void copy_overwritten(lowering *l, rlxc_builder *b, rlxc_binding *call)
{
    const rlxc_attr *indices = rlxc_attrs_find(&call->attrs, "inplace_indices");
    uint64_t may_reuse = call->var->id < l->n_vars ? l->may_reuse[call->var->id] : 0;
    rlxc_atom *args = rlxc_alloc(l->ctx, ((size_t)call->n_args + 1) * sizeof *args);
    int64_t in;
    for (uint32_t i = 0; i < call->n_args; i++)
        args[i] = call->args[i];
    for (uint32_t i = 0; int_attr_item(indices, i, &in); i++) {
        if (in < -1 || in >= call->n_args) {
            rlxc_error(l->ctx, call->range,
                       "R.call_inplace_packed: inplace_indices[%u] is %lld, but there are %u "
                       "arguments",
                       i, (long long)in, call->n_args);
            return;
        }
        if (in >= 0 && (in >= MAX_INPLACE || !(may_reuse >> in & 1)))
            args[in] = emit_copy(b, args[in], rlxc_atom_sinfo(l->ctx, l->module, args[in]));
    }
    call->args = args;
}

static rlxc_rewrite_action known_item(lowering *l, const rlxc_binding *binding,
                                      rlxc_atom *replacement)
{
    rlxc_atom tuple = binding->args[0];
    if (tuple.kind == RLXC_ATOM_VAR) {
        const rlxc_atom *known = rlxc_map_get(&l->tuples, (uint64_t)tuple.var->id + 1);
        if (!known)
            return RLXC_REWRITE_KEEP;
        tuple = *known;
    }
    if (tuple.kind != RLXC_ATOM_TUPLE || binding->index >= tuple.n)
        return RLXC_REWRITE_KEEP;
    *replacement = tuple.items[binding->index];
    return RLXC_REWRITE_REPLACE;
}

static rlxc_rewrite_action lower_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                         rlxc_atom *replacement)
{
    lowering *l = user;
    b->range = binding->range;
    if (rlxc_is_op(binding, "call_tir") || rlxc_is_op(binding, "call_tir_inplace") ||
        rlxc_is_op(binding, "call_dps_packed"))
        return lower_call(l, b, binding, replacement);
    if (binding->form == RLXC_FORM_CALL && !binding->op && rlxc_call_destroys(binding))
        copy_overwritten(l, b, binding);
    if (l->keep_forms)
        return RLXC_REWRITE_KEEP;
    switch (binding->form) {
    case RLXC_FORM_COPY:
        *replacement = binding->args[0];
        return RLXC_REWRITE_REPLACE;
    case RLXC_FORM_TUPLE: {
        rlxc_atom tuple = rlxc_atom_tuple(l->ctx, binding->args, binding->n_args);
        rlxc_map_set(l->ctx, &l->tuples, (uint64_t)binding->var->id + 1,
                     rlxc_copy(l->ctx, &tuple, sizeof tuple));
        return RLXC_REWRITE_KEEP;
    }
    case RLXC_FORM_TUPLE_GET:
        return known_item(l, binding, replacement);
    case RLXC_FORM_CALL:
    case RLXC_FORM_MATCH_CAST:
    case RLXC_FORM_IF:
    case RLXC_FORM_FUNCTION:
        break;
    }
    return RLXC_REWRITE_KEEP;
}

/* --- after: tuples nobody looks at ------------------------------------------------------------ */

static void uncount(void *user, rlxc_atom atom)
{
    uint32_t *uses = user;
    if (atom.kind == RLXC_ATOM_VAR)
        uses[atom.var->id]--;
}

/* Backwards, so that values used only by a dropped tuple are dropped too. */
static void drop_unused_tuples(rlxc_body *body, uint32_t *uses)
{
    for (uint32_t i = body->n_blocks; i-- > 0;) {
        rlxc_binding_block *block = body->blocks[i];
        uint32_t kept = block->n;
        for (uint32_t j = block->n; j-- > 0;) {
            rlxc_binding *b = block->bindings[j];
            bool is_plain = b->form == RLXC_FORM_TUPLE || b->form == RLXC_FORM_TUPLE_GET;
            if (is_plain && uses[b->var->id] == 0) {
                for (uint32_t k = 0; k < b->n_args; k++)
                    rlxc_atom_visit(b->args[k], uncount, uses);
                continue;
            }
            if (b->form == RLXC_FORM_IF) {
                drop_unused_tuples(b->then, uses);
                drop_unused_tuples(b->otherwise, uses);
            }
            block->bindings[--kept] = b;
        }
        if (kept > 0)
            memmove(block->bindings, block->bindings + kept,
                    (block->n - kept) * sizeof(rlxc_binding *));
        block->n -= kept;
    }
}

static bool lower_function(rlxc_context *ctx, rlxc_module *module, rlxc_function *f,
                           bool module_retains)
{
    lowering l = {.ctx = ctx, .module = module, .n_vars = f->n_vars};
    l.keep_forms = rlxc_has_kills(f);
    l.may_reuse = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof *l.may_reuse);
    l.lifetime = rlxc_lifetimes(ctx, module, f, module_retains);
    if (!l.may_reuse || !l.lifetime)
        return false;
    rlxc_walk walk = {&l, note_inplace, NULL, NULL, NULL};
    rlxc_walk_positions(f, &walk);
    rlxc_drop_dataflow(&f->body);
    if (f->is_pure) /* its effects on memory are invisible to callers */
        f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "relax.force_pure"),
                                   rlxc_attr_bool(true));
    rlxc_rewrite_pass pass = {&l, lower_binding, NULL, NULL};
    rlxc_rewrite_function(ctx, module, f, &pass);
    if (rlxc_failed(ctx))
        return false;
    if (!l.keep_forms) {
        uint32_t *uses = rlxc_count_uses(ctx, f);
        if (!uses)
            return false;
        drop_unused_tuples(&f->body, uses);
    }
    return true;
}

bool rlxc_pass_lower_call_tir(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    bool retains = rlxc_module_retains(module);
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (f && !lower_function(ctx, module, f, retains))
            return false;
    }
    return !rlxc_failed(ctx);
}
