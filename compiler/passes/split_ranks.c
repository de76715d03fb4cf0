/* Pass split_ranks: compiles operators whose code depends on a rank known only at run time for each
 * rank that they permit.
 *
 * For a call with an operand of unknown rank, inference tries each rank up to MOST_RANK. The actual
 * rank must be one of those that fit, which is checked before the call, with the operator's name.
 * If one fits, the operand is cast to it, and the rest of the block knows the rank too. If several
 * fit, the call is repeated in each branch of a chain of ifs. The same is done for the length of
 * index vectors (gather_nd, scatter_nd), on which the result's rank depends. Elementwise operators
 * and those flagged RLXC_OP_ANY_RANK take any rank.
 *
 * Afterwards no other operator that is to be legalized has an operand of unknown rank. */
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/ir/device.h"
#include "compiler/ir/names.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ops/builtin_call.h"
#include "compiler/ops/op_infer.h"

enum { MOST_RANK = 6, MOST_ASKED = 1 << 14 };

/* A value that replaces another in a block because its type is more precise. */
typedef struct known {
    const rlxc_binding_block *block;
    rlxc_atom atom;
} known;

typedef struct splitter {
    rlxc_map known; /* variable -> known */
    bool branched;  /* the function has ifs that this pass made */
    uint32_t asked; /* number of inferences for the current call */
} splitter;

/* An unknown of a call: the rank of an operand, or its last dimension. */
typedef struct open {
    uint32_t argument, field; /* NO_FIELD: of no tuple */
    const rlxc_sinfo *type;
    bool last_dim;
} open;
enum { NO_FIELD = UINT32_MAX };

/* --- what is open ----------------------------------------------------------------------------- */

static bool unranked(const rlxc_sinfo *s)
{
    return s && (s->kind == RLXC_SINFO_TENSOR || s->kind == RLXC_SINFO_SHAPE) &&
           s->ndim == RLXC_UNKNOWN_NDIM;
}

/* Operators whose result's rank depends on the last dimension of argument 1. */
static bool by_last_dim(const rlxc_operator *op)
{
    return strcmp(op->name, "gather_nd") == 0 || strcmp(op->name, "scatter_nd") == 0;
}

static bool find_open(const rlxc_builder *b, const rlxc_binding *call, open *out)
{
    for (uint32_t i = 0; i < call->n_args; i++) {
        const rlxc_atom atom = call->args[i];
        const uint32_t n = atom.kind == RLXC_ATOM_TUPLE ? atom.n : 1;
        for (uint32_t k = 0; k < n; k++) {
            const bool field = atom.kind == RLXC_ATOM_TUPLE;
            const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, field ? atom.items[k] : atom);
            *out = (open){i, field ? k : NO_FIELD, s, false};
            if (unranked(s))
                return true;
        }
    }
    if (!by_last_dim(call->op) || call->n_args < 2)
        return false;
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, call->args[1]);
    int64_t depth;
    *out = (open){1, NO_FIELD, s, true};
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim > 0 &&
           !(s->dims && rlxc_is_int(s->dims[s->ndim - 1], &depth));
}

/* The operand |o| of |call|. */
static rlxc_atom operand(const rlxc_binding *call, const open *o)
{
    const rlxc_atom atom = call->args[o->argument];
    return o->field == NO_FIELD ? atom : atom.items[o->field];
}

/* |call| with |atom| in place of |o|, at every occurrence. */
static rlxc_binding with_operand(rlxc_context *ctx, const rlxc_binding *call, const open *o,
                                 rlxc_atom atom)
{
    rlxc_binding out = *call;
    const rlxc_atom old = operand(call, o);
    rlxc_atom *args = rlxc_copy(ctx, call->args, call->n_args * sizeof *args);
    for (uint32_t i = 0; i < call->n_args; i++) {
        if (args[i].kind == RLXC_ATOM_TUPLE && args[i].n > 0) {
            rlxc_atom *items = rlxc_copy(ctx, args[i].items, args[i].n * sizeof *items);
            for (uint32_t k = 0; k < args[i].n; k++)
                if (rlxc_atom_equal(items[k], old))
                    items[k] = atom;
            args[i].items = items;
        } else if (rlxc_atom_equal(args[i], old)) {
            args[i] = atom;
        }
    }
    out.args = args;
    return out;
}

/* The type of |o| in case |k|: of that rank, or with that last dimension. */
static const rlxc_sinfo *type_in_case(rlxc_context *ctx, const open *o, int32_t k)
{
    const rlxc_sinfo *t = o->type;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    const int32_t ndim = o->last_dim ? t->ndim : k;
    for (int32_t i = 0; i < ndim; i++)
        dims[i] = t->dims && o->last_dim ? t->dims[i]
                                         : rlxc_fresh_shape_var(ctx, rlxc_internf(ctx, "d%d", i));
    if (o->last_dim)
        dims[ndim - 1] = rlxc_i64(ctx, k);
    return t->kind == RLXC_SINFO_SHAPE ? rlxc_sinfo_shape(ctx, ndim, dims)
                                       : rlxc_sinfo_tensor(ctx, t->dtype, ndim, dims, t->vdevice);
}

/* --- which cases fit -------------------------------------------------------------------------- */

static rlxc_binding in_case(rlxc_builder *b, const rlxc_binding *call, const open *o, int32_t k)
{
    rlxc_rvar *var = rlxc_alloc(b->ctx, sizeof *var);
    *var = (rlxc_rvar){.name = "x", .sinfo = type_in_case(b->ctx, o, k), .id = UINT32_MAX};
    return with_operand(b->ctx, call, o, rlxc_atom_var(var));
}

static bool infers(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_said said = rlxc_said_so_far(b->ctx);
    const uint32_t errors = rlxc_error_count(b->ctx);
    const rlxc_sinfo *s = call->op->infer(b->ctx, b->module, call);
    const bool ok = s && rlxc_error_count(b->ctx) == errors;
    rlxc_take_back(b->ctx, said);
    return ok;
}

/* True if |call| is valid for some choice of its unknowns. */
static bool fits(splitter *s, rlxc_builder *b, const rlxc_binding *call)
{
    open o;
    if (s->asked++ > MOST_ASKED || rlxc_out_of_memory(b->ctx))
        return true;
    if (!infers(b, call))
        return false;
    if (!find_open(b, call, &o))
        return true;
    for (int32_t k = 0; k <= MOST_RANK; k++) {
        const rlxc_binding one = in_case(b, call, &o, k);
        if (fits(s, b, &one))
            return true;
    }
    return false;
}

/* --- emission --------------------------------------------------------------------------------- */

/* The operand in messages: "argument 'x' ('data')" */
static const char *operand_text(rlxc_context *ctx, const rlxc_binding *call, const open *o)
{
    rlxc_op_schema schema;
    rlxc_operator_schema(ctx, call->op, &schema);
    const uint32_t i = o->argument < schema.n_inputs ? o->argument : schema.n_inputs - 1;
    const rlxc_op_input *input = &schema.inputs[i];
    const rlxc_atom atom = operand(call, o);
    const char *name = "";
    if (atom.kind == RLXC_ATOM_VAR &&
        (atom.var->given || !rlxc_line_label(ctx, call->range.file, call->range.line)))
        name = rlxc_internf(ctx, " '%.60s'", rlxc_shown_name(ctx, atom.var));
    return rlxc_internf(ctx, "%s: %s%.*s%s", call->op->name, o->last_dim ? "index vectors of " : "",
                        (int)input->name_length, input->name, name);
}

static rlxc_atom cast_to_case(rlxc_builder *b, const rlxc_binding *call, const open *o,
                              rlxc_atom atom, int32_t k)
{
    const bool var = atom.kind == RLXC_ATOM_VAR;
    rlxc_rvar *cast = rlxc_rvar_new(b->ctx, b->function, var ? atom.var->name : "ranked",
                                    type_in_case(b->ctx, o, k));
    cast->given = var ? atom.var->given : NULL;
    cast->is_dataflow = b->block->is_dataflow;
    return rlxc_emit_match_cast(b, cast, atom, call->range);
}

static rlxc_atom emit_cases(splitter *s, rlxc_builder *b, const rlxc_binding *call);

static rlxc_body *branch(splitter *s, rlxc_builder *b, const rlxc_binding *call, const open *o,
                         rlxc_atom x, uint32_t set);

/* The value of |call| for |o| in |set|. */
static rlxc_atom choose(splitter *s, rlxc_builder *b, const rlxc_binding *call, const open *o,
                        rlxc_atom x, uint32_t set)
{
    rlxc_context *ctx = b->ctx;
    const int32_t first = __builtin_ctz(set);
    if ((set & (set - 1)) == 0) {
        const rlxc_binding one = with_operand(ctx, call, o, cast_to_case(b, call, o, x, first));
        return emit_cases(s, b, &one);
    }
    const rlxc_atom asked[2] = {x, rlxc_prim_i64(ctx, first)};
    const rlxc_sinfo *boolean =
        rlxc_sinfo_tensor(ctx, RLX_B8, 0, NULL, rlxc_placed_host(ctx, b->module));
    const rlxc_atom cond = rlxc_emit_builtin(
        b, call, o->last_dim ? "rlx.has_last_dim" : "rlx.has_rank", asked, 2, boolean, true);
    rlxc_rvar *var = rlxc_rvar_new(ctx, b->function, call->var->name, NULL);
    rlxc_binding *out = rlxc_binding_new(ctx, RLXC_FORM_IF, var);
    out->args = rlxc_copy(ctx, &cond, sizeof cond);
    out->n_args = 1;
    out->range = call->range;
    out->then = branch(s, b, call, o, x, 1u << first);
    out->otherwise = branch(s, b, call, o, x, set & (set - 1));
    s->branched = true;
    return rlxc_failed(ctx) ? (rlxc_atom){0} : rlxc_emit(b, out);
}

static rlxc_body *branch(splitter *s, rlxc_builder *b, const rlxc_binding *call, const open *o,
                         rlxc_atom x, uint32_t set)
{
    rlxc_body *body = rlxc_alloc(b->ctx, sizeof *body);
    rlxc_binding_block *outer = b->block;
    b->block = rlxc_block_new(b->ctx, false);
    rlxc_body_push(b->ctx, body, b->block);
    body->result = choose(s, b, call, o, x, set);
    body->result_range = call->range;
    b->block = outer;
    return body;
}

/* The value of |call| for all choices of its unknowns. */
static rlxc_atom emit_cases(splitter *s, rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    open o;
    if (rlxc_failed(ctx))
        return (rlxc_atom){0};
    if (!find_open(b, call, &o)) {
        rlxc_binding *out = rlxc_copy(ctx, call, sizeof *call);
        out->var = rlxc_rvar_new(ctx, b->function, call->var->name, NULL);
        out->var->given = call->var->given;
        return rlxc_emit(b, out);
    }
    uint32_t set = 0;
    for (int32_t k = 0; k <= MOST_RANK; k++) {
        const rlxc_binding one = in_case(b, call, &o, k);
        s->asked = 0;
        set |= fits(s, b, &one) ? 1u << k : 0;
    }
    if (set == 0) { /* the operator reports why */
        rlxc_binding one = in_case(b, call, &o, 2);
        while (infers(b, &one) && find_open(b, &one, &o))
            one = in_case(b, &one, &o, 2);
        if (one.op->infer(ctx, b->module, &one))
            rlxc_error(ctx, call->range, "%s has no rank that fits", operand_text(ctx, call, &o));
        return (rlxc_atom){0};
    }
    rlxc_atom x = operand(call, &o);
    const rlxc_atom args[3] = {x, rlxc_prim_i64(ctx, set),
                               rlxc_atom_string(ctx, operand_text(ctx, call, &o))};
    const bool shape = o.type->kind == RLXC_SINFO_SHAPE;
    rlxc_rvar *given = x.kind == RLXC_ATOM_VAR ? x.var : NULL;
    x = rlxc_emit_builtin(b, call, o.last_dim ? "rlx.check_last_dim" : "rlx.check_rank", args, 3,
                          o.type, !shape);
    if (given && x.kind == RLXC_ATOM_VAR)
        x.var->given = given->given;
    if (set & (set - 1))
        return choose(s, b, call, &o, x, set);
    known *k = rlxc_alloc(ctx, sizeof *k);
    *k = (known){b->block, cast_to_case(b, call, &o, x, __builtin_ctz(set))};
    if (given)
        rlxc_map_set(ctx, &s->known, rlxc_key(given), k);
    const rlxc_binding one = with_operand(ctx, call, &o, k->atom);
    return emit_cases(s, b, &one);
}

/* --- the walk --------------------------------------------------------------------------------- */

/* |atom| with its most precise type; for a tuple with a field of unknown rank, its fields. */
static rlxc_atom as_known(splitter *s, rlxc_builder *b, rlxc_atom atom)
{
    rlxc_context *ctx = b->ctx;
    if (atom.kind == RLXC_ATOM_TUPLE) {
        rlxc_atom *items = rlxc_alloc(ctx, (atom.n + 1) * sizeof *items);
        bool changed = false;
        for (uint32_t i = 0; i < atom.n; i++) {
            items[i] = as_known(s, b, atom.items[i]);
            changed |= !rlxc_atom_equal(items[i], atom.items[i]);
        }
        return changed ? rlxc_atom_tuple(ctx, items, atom.n) : atom;
    }
    if (atom.kind != RLXC_ATOM_VAR)
        return atom;
    const known *k = rlxc_map_get(&s->known, rlxc_key(atom.var));
    if (k && k->block == b->block)
        return k->atom;
    const rlxc_sinfo *t = atom.var->sinfo;
    bool any = false;
    for (uint32_t i = 0; t && t->kind == RLXC_SINFO_TUPLE && i < t->n_fields; i++)
        any |= unranked(t->fields[i]);
    if (!any)
        return atom;
    rlxc_atom *items = rlxc_alloc(ctx, (t->n_fields + 1) * sizeof *items);
    for (uint32_t i = 0; i < t->n_fields; i++) {
        rlxc_rvar *var = rlxc_rvar_new(ctx, b->function, atom.var->name, NULL);
        rlxc_binding *get = rlxc_binding_new(ctx, RLXC_FORM_TUPLE_GET, var);
        get->args = rlxc_copy(ctx, &atom, sizeof atom);
        get->n_args = 1;
        get->index = i;
        items[i] = rlxc_emit(b, get);
    }
    return rlxc_atom_tuple(ctx, items, t->n_fields);
}

static rlxc_rewrite_action split_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                         rlxc_atom *replacement)
{
    splitter *s = user;
    open o;
    if (binding->form != RLXC_FORM_CALL || !binding->op || !binding->op->legalize ||
        binding->op->flags & (RLXC_OP_ANY_RANK | RLXC_OP_BY_ELEMENT))
        return RLXC_REWRITE_KEEP;
    rlxc_atom *args = rlxc_alloc(b->ctx, (binding->n_args + 1) * sizeof *args);
    bool changed = false;
    for (uint32_t i = 0; i < binding->n_args; i++) {
        args[i] = as_known(s, b, binding->args[i]);
        changed |= !rlxc_atom_equal(args[i], binding->args[i]);
    }
    if (changed)
        binding->args = args;
    if (!find_open(b, binding, &o))
        return RLXC_REWRITE_KEEP;
    *replacement = emit_cases(s, b, binding);
    return rlxc_failed(b->ctx) ? RLXC_REWRITE_KEEP : RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_split_ranks(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f)
            continue;
        splitter s = {.asked = 0};
        const rlxc_rewrite_pass pass = {&s, split_binding, NULL, NULL};
        rlxc_rewrite_function(ctx, module, f, &pass);
        if (s.branched && !rlxc_failed(ctx))
            rlxc_drop_dataflow(&f->body); /* ifs are not allowed in dataflow blocks */
    }
    return !rlxc_failed(ctx);
}
