/* Pass fold_constant: pure operators whose arguments are all constants are evaluated now.
 *
 * All foldable bindings of the module go into one scratch module with one function, which is
 * compiled without optimisation for the machine the compiler runs on and run through the public VM
 * API; so folding gives exactly what running gives, and costs one code generation however many
 * weights are transposed. Only values that are cheaper to store than to compute are folded: results
 * are limited in size, absolutely and relative to their inputs, and storage-only weights (float8)
 * are not widened. Values that kernels can compute from less data as they read them are not folded
 * (fold_cut.c). */
#include "compiler/passes/passes.h"

#include <stdio.h>
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/analysis/effects.h"
#include "compiler/ir/lifted.h"
#include "compiler/ir/rewrite.h"
#include "compiler/passes/fold.h"
#include "compiler/passes/fuse.h"

enum {
    MAX_RESULT_BYTES = 64 << 20, /* unless the inputs have as many */
    TOTAL_BYTES = 256 << 20,     /* limit for all inputs and results of one compilation, ... */
    TOTAL_STEPS = 64,            /* ... plus this many times the bytes of each constant read */
    MAX_GROWTH = 8,              /* result bytes per input byte beyond SMALL_BYTES */
    SMALL_BYTES = 4096
};

/* A folded binding: its value in the scratch function, later its constants. */
typedef struct folded {
    const rlxc_binding *binding;
    rlxc_atom scratch; /* variable in the scratch function */
    int64_t bytes;
    bool is_read;            /* by a kernel that computes the elements it reads */
    bool wanted;             /* read by something else that is not folded */
    bool is_needed;          /* wanted, or a folded binding is computed from it */
    rlxc_constant *constant; /* the result, if it is a tensor; without bytes until it is known */
    rlxc_atom result;        /* constant, or tuple of constants */
} folded;

typedef struct fold {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_module *scratch;
    rlxc_builder builder; /* of the scratch function */
    rlxc_map by_var;      /* rlxc_rvar -> folded */
    RLXC_VEC(folded *) all;
    rlxc_map seen;      /* constants */
    int64_t total_room; /* bytes of inputs and results that may still be folded */
} fold;

/* Bytes of a value with constant shape; -1 for any other. */
static int64_t static_bytes(const rlxc_sinfo *s)
{
    if (s->kind == RLXC_SINFO_TUPLE) {
        int64_t total = 0;
        for (uint32_t i = 0; i < s->n_fields; i++) {
            int64_t bytes = static_bytes(s->fields[i]);
            if (bytes < 0 || __builtin_add_overflow(total, bytes, &total))
                return -1;
        }
        return total;
    }
    if (s->kind != RLXC_SINFO_TENSOR || !s->dims || rlxc_dtype_is_void(s->dtype))
        return -1;
    int64_t bytes = (s->dtype.bits + 7) / 8;
    for (int32_t i = 0; i < s->ndim; i++) {
        int64_t dim;
        if (!rlxc_is_int(s->dims[i], &dim) || __builtin_mul_overflow(bytes, dim, &bytes))
            return -1;
    }
    return bytes;
}

/* The argument in the scratch function; false if it is not constant. |io_bytes| adds up tensor
 * inputs. */
static bool scratch_atom(fold *f, rlxc_atom a, rlxc_atom *out, int64_t *io_bytes)
{
    *out = a;
    switch (a.kind) {
    case RLXC_ATOM_VAR: {
        const folded *known = rlxc_map_get(&f->by_var, rlxc_key(a.var));
        if (!known)
            return false;
        int64_t bytes = static_bytes(a.var->sinfo);
        *io_bytes += bytes > 0 ? bytes : 0;
        *out = known->scratch;
        return true;
    }
    case RLXC_ATOM_CONSTANT:
        *io_bytes += (int64_t)a.constant->nbytes;
        if (!rlxc_map_get(&f->seen, rlxc_key(a.constant)))
            f->total_room += (int64_t)a.constant->nbytes * TOTAL_STEPS;
        rlxc_map_set(f->ctx, &f->seen, rlxc_key(a.constant), f);
        return true;
    case RLXC_ATOM_SHAPE:
        for (uint32_t i = 0; i < a.n; i++) {
            if (a.dims[i]->kind != RLXC_EXPR_INT)
                return false;
        }
        return true;
    case RLXC_ATOM_PRIM:
        return a.prim->kind == RLXC_EXPR_INT || a.prim->kind == RLXC_EXPR_FLOAT;
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
        return true;
    case RLXC_ATOM_TUPLE: {
        rlxc_atom *items = rlxc_alloc(f->ctx, (a.n + 1) * sizeof *items);
        for (uint32_t i = 0; i < a.n; i++) {
            if (!scratch_atom(f, a.items[i], &items[i], io_bytes))
                return false;
        }
        *out = rlxc_atom_tuple(f->ctx, items, a.n);
        return true;
    }
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_GLOBAL:
    case RLXC_ATOM_EXTERN:
        return false;
    }
    return false;
}

/* True for a call_tir that a pass made to be evaluated here, whatever its size. */
static const rlxc_prim_func *made_to_fold(const fold *f, const rlxc_binding *b)
{
    const rlxc_prim_func *prim = rlxc_called_prim(f->module, b);
    return prim && prim->to_fold ? prim : NULL;
}

static bool foldable_form(const fold *f, const rlxc_binding *b)
{
    if (b->form == RLXC_FORM_TUPLE_GET || b->form == RLXC_FORM_COPY)
        return true;
    return b->form == RLXC_FORM_CALL && b->op && b->op->legalize && b->n_args > 0 &&
           !(b->op->flags & (RLXC_OP_CALLS | RLXC_OP_DATA_DEPENDENT)) &&
           rlxc_binding_is_mergeable(f->module, b);
}

/* True if the operator converts a storage-only type. */
static bool widens_stored(fold *f, const rlxc_binding *b)
{
    const rlxc_sinfo *out = b->var->sinfo;
    if (b->form != RLXC_FORM_CALL || out->kind != RLXC_SINFO_TENSOR ||
        rlxc_dtype_is_stored(out->dtype))
        return false;
    for (uint32_t i = 0; i < b->n_args; i++) {
        const rlxc_sinfo *s =
            b->args[i].kind == RLXC_ATOM_VAR || b->args[i].kind == RLXC_ATOM_CONSTANT
                ? rlxc_atom_sinfo(f->ctx, f->module, b->args[i])
                : NULL;
        if (s && s->kind == RLXC_SINFO_TENSOR && s->ndim > 0 && rlxc_dtype_is_stored(s->dtype))
            return true;
    }
    return false;
}

/* --- results of lifted constants --- */

/* |a| with constants for the variables that are folded. */
static rlxc_atom of_constants(const fold *f, rlxc_atom a)
{
    if (a.kind == RLXC_ATOM_VAR) {
        const folded *known = rlxc_map_get(&f->by_var, rlxc_key(a.var));
        return known && known->constant ? rlxc_atom_constant(known->constant) : a;
    }
    if (a.kind != RLXC_ATOM_TUPLE)
        return a;
    rlxc_atom *items = rlxc_alloc(f->ctx, ((size_t)a.n + 1) * sizeof *items);
    for (uint32_t i = 0; i < a.n; i++)
        items[i] = of_constants(f, a.items[i]);
    return rlxc_atom_tuple(f->ctx, items, a.n);
}

static void find_open(void *user, rlxc_atom a)
{
    *(bool *)user |= a.kind == RLXC_ATOM_VAR;
}

/* Makes the constant for the result of |b|, of |bytes|, if it is a tensor. False if |b| reads
 * lifted constants and may not be folded: all it reads must be constants, the result a tensor. */
static bool make_constant(fold *f, const rlxc_binding *b, const rlxc_prim_func *own, int64_t bytes,
                          rlxc_constant **out)
{
    const rlxc_sinfo *s = b->var->sinfo;
    const bool tensor = s->kind == RLXC_SINFO_TENSOR;
    rlxc_atom *args = rlxc_alloc(f->ctx, ((size_t)b->n_args + 1) * sizeof *args);
    bool lifted = false, open = false;
    for (uint32_t i = 0; i < b->n_args; i++) {
        args[i] = of_constants(f, b->args[i]);
        lifted |= rlxc_is_lifted(args[i]);
        rlxc_atom_visit(args[i], find_open, &open);
    }
    if (lifted && (open || !tensor))
        return false;
    if (!tensor)
        return true;
    int64_t shape[RLXC_MAX_NDIM];
    for (int32_t i = 0; i < s->ndim; i++)
        rlxc_is_int(s->dims[i], &shape[i]);
    *out = rlxc_constant_new(f->ctx, s->dtype, (uint32_t)s->ndim, shape, NULL, (size_t)bytes);
    if (!lifted)
        return true;
    rlxc_binding *made = rlxc_copy(f->ctx, b, sizeof *b);
    made->args = args;
    const rlxc_constant *first = rlxc_first_lifted(made);
    (*out)->name = first ? first->name : NULL;
    (*out)->lifted = true;
    (*out)->made = made;
    (*out)->made_by = own ? rlxc_prim_func_clone(f->ctx, own) : NULL;
    return true;
}

static void consider(fold *f, const rlxc_binding *b)
{
    const rlxc_prim_func *own = made_to_fold(f, b);
    if ((!own && !foldable_form(f, b)) || !b->var->sinfo)
        return;
    int64_t result = static_bytes(b->var->sinfo), inputs = 0;
    if (result < 0)
        return;
    rlxc_atom *args = rlxc_alloc(f->ctx, (b->n_args + 1) * sizeof *args);
    if (own) {
        const rlxc_global *g =
            rlxc_module_add_prim(f->ctx, f->scratch, rlxc_prim_func_clone(f->ctx, own), true);
        if (!g)
            return;
        args[0] = rlxc_atom_global(f->ctx, g->name);
    }
    for (uint32_t i = own ? 1 : 0; i < b->n_args; i++) {
        if (!scratch_atom(f, b->args[i], &args[i], &inputs))
            return;
    }
    if (result > SMALL_BYTES && widens_stored(f, b))
        return;
    /* Operators without tensor operands (zeros, arange) are cheaper to compute than to store. */
    if (!own && (inputs == 0 || (result > SMALL_BYTES && result / MAX_GROWTH > inputs) ||
                 (result > MAX_RESULT_BYTES && result > inputs) || inputs + result > f->total_room))
        return;
    rlxc_constant *constant = NULL;
    if (!make_constant(f, b, own, result, &constant))
        return;
    f->total_room -= own ? 0 : inputs + result;
    rlxc_binding *copy = rlxc_copy(f->ctx, b, sizeof *b);
    copy->args = args;
    copy->var = rlxc_rvar_new(f->ctx, f->builder.function, b->var->name, b->var->sinfo);
    folded *known = rlxc_alloc(f->ctx, sizeof *known);
    *known = (folded){.binding = b,
                      .bytes = result,
                      .constant = constant,
                      .scratch = rlxc_emit(&f->builder, copy)};
    rlxc_map_set(f->ctx, &f->by_var, rlxc_key(b->var), known);
    RLXC_PUSH(f->ctx, &f->all, known);
}

static folded *known_of(const fold *f, rlxc_atom a)
{
    return a.kind == RLXC_ATOM_VAR ? rlxc_map_get(&f->by_var, rlxc_key(a.var)) : NULL;
}

static void want_atom(void *user, rlxc_atom a)
{
    folded *known = known_of(user, a);
    if (known)
        known->wanted = true;
}

static void read_atom(void *user, rlxc_atom a)
{
    folded *known = known_of(user, a);
    if (known)
        known->is_read = true;
}

static void need_atom(void *user, rlxc_atom a)
{
    folded *known = known_of(user, a);
    if (known)
        known->is_needed = true;
}

/* What a lifted constant is computed from must be constants: those that are not lifted have bytes.
 */
static void want_known(void *user, rlxc_atom a)
{
    folded *known = known_of(user, a);
    if (known && known->constant && !known->constant->lifted)
        known->wanted = true;
}

static void visit_operands(const rlxc_binding *b, void (*visit)(void *, rlxc_atom), fold *f)
{
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], visit, f);
}

static void collect_body(fold *f, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        for (uint32_t k = 0; k < body->blocks[i]->n && !rlxc_failed(f->ctx); k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            consider(f, b);
            if (!rlxc_map_get(&f->by_var, rlxc_key(b->var))) {
                rlxc_atom_visit(b->callee, want_atom, f);
                visit_operands(b, rlxc_reads_by_element(b) ? read_atom : want_atom, f);
            }
            if (b->form == RLXC_FORM_FUNCTION)
                collect_body(f, &b->function->body);
            if (b->form == RLXC_FORM_IF) {
                collect_body(f, b->then);
                collect_body(f, b->otherwise);
            }
        }
    }
    rlxc_atom_visit(body->result, want_atom, f);
}

/* Leaves out the bindings that are decoded when the program runs; the values that they read are
   needed. */
static void leave_out_decoded(fold *f)
{
    rlxc_context *ctx = f->ctx;
    const uint32_t n = f->all.count;
    rlxc_fold_value *values = rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *values);
    for (uint32_t i = 0; i < n; i++) {
        const folded *known = f->all.items[i];
        values[i] = (rlxc_fold_value){.binding = known->binding,
                                      .bytes = known->bytes,
                                      .is_read = known->is_read,
                                      .is_needed = known->wanted};
    }
    rlxc_cut_folds(ctx, values, n);
    rlxc_map dropped = {0}; /* rlxc_rvar of the scratch function */
    uint32_t kept = 0;
    for (uint32_t i = n; i-- > 0;) {
        folded *known = f->all.items[i];
        known->wanted = known->wanted || known->is_read;
        if (values[i].is_decoded)
            visit_operands(known->binding, want_atom, f);
        else if (known->wanted || known->is_needed)
            visit_operands(known->binding, need_atom, f);
        if ((known->wanted || known->is_needed) && known->constant && known->constant->lifted)
            visit_operands(known->binding, want_known, f);
    }
    for (uint32_t i = 0; i < n; i++) {
        folded *known = f->all.items[i];
        if (values[i].is_decoded)
            rlxc_map_set(ctx, &f->by_var, rlxc_key(known->binding->var), NULL);
        if (values[i].is_decoded || (!known->wanted && !known->is_needed))
            rlxc_map_set(ctx, &dropped, rlxc_key(known->scratch.var), known);
        else
            f->all.items[kept++] = known;
    }
    f->all.count = kept;
    rlxc_binding_block *block = f->builder.block;
    uint32_t left = 0;
    for (uint32_t i = 0; i < block->n; i++)
        if (!rlxc_map_get(&dropped, rlxc_key(block->bindings[i]->var)))
            block->bindings[left++] = block->bindings[i];
    block->n = left;
}

/* --- running the scratch module --- */

/* Reports a failed check of compiler/ops/checks.h as an error of the module, at the operator. */
static void report_bad_value(fold *f, const rlx_error *err)
{
    rlxc_range range = {0};
    char place[200];
    snprintf(place, sizeof place, "%s:%u:%u: ", err->where.file, err->where.line,
             err->where.column);
    const char *text = strncmp(err->message, place, strlen(place)) == 0
                           ? err->message + strlen(place)
                           : err->message;
    for (uint32_t i = 0; i < f->all.count; i++) {
        const rlxc_range *r = &f->all.items[i]->binding->range;
        if (text != err->message && r->line == err->where.line && r->col == err->where.column)
            range = *r;
    }
    rlxc_error(f->ctx, range, "%s", text);
}

static bool evaluate(fold *f, const rlxc_options *options)
{
    rlxc_context *ctx = f->ctx;
    rlxc_function *main = f->builder.function;
    RLXC_VEC(rlxc_atom) results = {0};
    RLXC_VEC(rlxc_fold_result) values = {0};
    for (uint32_t i = 0; i < f->all.count; i++) {
        if (!f->all.items[i]->wanted)
            continue;
        RLXC_PUSH(ctx, &results, f->all.items[i]->scratch);
        RLXC_PUSH(ctx, &values, ((rlxc_fold_result){.constant = f->all.items[i]->constant}));
    }
    if (results.count == 0 || rlxc_failed(ctx))
        return false;
    rlxc_atom tuple = rlxc_atom_tuple(ctx, results.items, results.count);
    main->ret = rlxc_sinfo_object(ctx); /* types have a limit of fields, results have not */
    rlxc_rvar *var = rlxc_rvar_new(ctx, main, "results", rlxc_atom_sinfo(ctx, f->scratch, tuple));
    rlxc_binding *make = rlxc_binding_new(ctx, RLXC_FORM_TUPLE, var);
    make->args = tuple.items;
    make->n_args = tuple.n;
    main->body.result = rlxc_emit(&f->builder, make);
    rlx_error err = {0};
    bool ok = rlxc_run_folds(ctx, f->scratch, main, f->builder.block, options, values.items,
                             values.count, &err);
    for (uint32_t i = 0, at = 0; ok && i < f->all.count; i++)
        if (f->all.items[i]->wanted)
            f->all.items[i]->result = values.items[at++].atom;
    if (!ok && !rlxc_failed(ctx) && err.code == RLX_E_INVALID_ARG)
        report_bad_value(f, &err);
    if (!ok && !rlxc_failed(ctx))
        rlxc_internal(ctx, (rlxc_range){0}, "fold_constant", "evaluation failed: %s", err.message);
    return ok;
}

/* --- putting the results in --- */

/* True for a look-up in a table of the numbers themselves, in order: what quantizing a dequantized
 * value with the same scale and zero point is. */
static bool gives_its_operand(const rlxc_binding *b)
{
    if (!rlxc_is_op(b, "lookup") || b->args[0].kind != RLXC_ATOM_VAR ||
        b->args[1].kind != RLXC_ATOM_CONSTANT || !rlxc_may_stand_for(b->var, b->args[0]))
        return false;
    const rlxc_constant *table = b->args[1].constant;
    const rlxc_sinfo *x = b->args[0].var->sinfo;
    bool same = x && x->kind == RLXC_SINFO_TENSOR && rlxc_dtype_eq(x->dtype, table->dtype) &&
                !table->lifted;
    for (size_t i = 0; same && i < table->nbytes; i++)
        same = ((const uint8_t *)table->data)[i] == i;
    return same;
}

static rlxc_rewrite_action put_constant(void *user, rlxc_builder *b, rlxc_binding *binding,
                                        rlxc_atom *replacement)
{
    (void)b;
    fold *f = user;
    const folded *known = rlxc_map_get(&f->by_var, rlxc_key(binding->var));
    if (!known && gives_its_operand(binding)) {
        *replacement = binding->args[0];
        return RLXC_REWRITE_REPLACE;
    }
    if (!known)
        return RLXC_REWRITE_KEEP;
    if (!known->wanted)
        return RLXC_REWRITE_DROP;
    if (binding->var->is_dataflow || known->result.kind == RLXC_ATOM_CONSTANT) {
        *replacement = known->result;
        return RLXC_REWRITE_REPLACE;
    }
    binding->form = RLXC_FORM_TUPLE;
    binding->op = NULL;
    binding->args = known->result.items;
    binding->n_args = known->result.n;
    binding->attrs = (rlxc_attrs){0};
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_fold_constant(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    if (!options->compile_here)
        return true;
    fold f = {
        .ctx = ctx, .module = module, .scratch = rlxc_module_new(ctx), .total_room = TOTAL_BYTES};
    rlxc_function *main = rlxc_alloc(ctx, sizeof *main);
    main->name = rlxc_intern_cstr(ctx, "main");
    main->is_pure = true;
    f.builder = (rlxc_builder){
        .ctx = ctx, .module = f.scratch, .function = main, .block = rlxc_block_new(ctx, false)};
    rlxc_body_push(ctx, &main->body, f.builder.block);
    if (!rlxc_module_add_relax(ctx, f.scratch, main, false))
        return false;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        if (module->globals.items[i]->relax)
            collect_body(&f, &module->globals.items[i]->relax->body);
    }
    if (!rlxc_failed(ctx))
        leave_out_decoded(&f);
    if (f.all.count == 0 || rlxc_failed(ctx))
        return !rlxc_failed(ctx);
    if (!evaluate(&f, options))
        return !rlxc_failed(ctx);
    const rlxc_rewrite_pass pass = {.user = &f, .binding = put_constant};
    rlxc_rewrite_module(ctx, module, &pass);
    return !rlxc_failed(ctx);
}
