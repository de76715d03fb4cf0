/* Branches, and loops as private functions that call themselves (loop.h).
 *
 * A loop's function is first built with the initial types of its states; dimensions that an
 * iteration changes become free, and it is built again, until the types are stable. */
#include "compiler/onnx/loop.h"

void rlxc_ox_begin_branch(rlxc_ox *im, rlxc_ox_branch *b)
{
    *b = (rlxc_ox_branch){.outer = im->frame->body, .block = im->frame->b.block};
    b->scope = (rlxc_ox_scope){.outer = im->scope, .frame = im->frame};
    im->scope = &b->scope;
    im->frame->body = &b->body;
    im->frame->b.block = NULL;
    rlxc_ox_begin_block(im, true);
}

/* Ends it with |items| as its value. */
rlxc_body *rlxc_ox_end_branch(rlxc_ox *im, rlxc_ox_branch *b, const rlxc_atom *items, uint32_t n)
{
    b->body.result = n == 1 ? items[0] : rlxc_atom_tuple(im->ctx, items, n);
    im->scope = b->scope.outer;
    im->frame->body = b->outer;
    im->frame->b.block = b->block;
    return rlxc_copy(im->ctx, &b->body, sizeof b->body);
}

rlxc_atom rlxc_ox_emit_if(rlxc_ox *im, rlxc_atom cond, rlxc_body *then, rlxc_body *otherwise)
{
    if (im->failed)
        return (rlxc_atom){0};
    rlxc_ox_begin_block(im, false);
    rlxc_rvar *var = rlxc_rvar_new(im->ctx, im->frame->b.function, "chosen", NULL);
    rlxc_binding *binding = rlxc_binding_new(im->ctx, RLXC_FORM_IF, var);
    binding->args = rlxc_copy(im->ctx, &cond, sizeof cond);
    binding->n_args = 1;
    binding->then = then;
    binding->otherwise = otherwise;
    rlxc_atom out = rlxc_emit(&im->frame->b, binding);
    rlxc_ox_begin_block(im, true);
    if (rlxc_error_count(im->ctx) > im->errors)
        im->failed = true;
    return im->failed ? (rlxc_atom){0} : out;
}

/* --- loops ------------------------------------------------------------------------------------ */

static const rlxc_sinfo *type_of(rlxc_ox *im, rlxc_atom a)
{
    return rlxc_atom_sinfo(im->ctx, im->module, a);
}

/* The parameter's type of a state: Object, or the initial one's, its dimensions at |open| free. */
static const rlxc_sinfo *state_type(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_atom init,
                                    bool is_object, uint64_t open)
{
    if (is_object)
        return rlxc_sinfo_object(im->ctx);
    const rlxc_sinfo *s = rlxc_ox_inner_sinfo(im, frame, type_of(im, init));
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    if (!open || s->kind != RLXC_SINFO_TENSOR || !s->dims)
        return s;
    for (int32_t i = 0; i < s->ndim; i++)
        dims[i] = open >> i & 1 ? rlxc_fresh_shape_var(im->ctx, rlxc_internf(im->ctx, "k%d", i))
                                : s->dims[i];
    return rlxc_sinfo_tensor(im->ctx, s->dtype, s->ndim, dims, NULL);
}

static rlxc_rvar *add_param(rlxc_ox *im, rlxc_rvar **params, uint32_t *n, const char *name,
                            const rlxc_sinfo *s)
{
    rlxc_rvar *v = rlxc_rvar_new(im->ctx, im->frame->b.function, name, s);
    v->annotation = s;
    params[(*n)++] = v;
    return v;
}

/* Gives the function its parameters and result type, once all that the body uses is known:
 * |params|, captured values, symbolic sizes. False when memory is out or there are too many sizes.
 */
static bool set_signature(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_rvar *const *params,
                          uint32_t n_params, const rlxc_atom *state, const uint64_t *open,
                          uint32_t n)
{
    rlxc_context *ctx = im->ctx;
    rlxc_function *f = frame->b.function;
    const uint32_t n_captured = frame->captures.count, n_symbols = frame->inner_symbols.count;
    f->params = rlxc_try_alloc(ctx, (size_t)n_params + n_captured + 2, sizeof *f->params);
    const rlxc_sinfo **fields = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *fields);
    if (!f->params || !fields)
        return false;
    if (n_symbols > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "a loop uses %u symbolic sizes from outside; at most %d are supported",
                     n_symbols, RLXC_MAX_NDIM);
        return false;
    }
    for (uint32_t k = 0; k < n_params; k++)
        f->params[f->n_params++] = params[k];
    for (uint32_t k = 0; k < n_captured; k++)
        f->params[f->n_params++] = frame->capture_params.items[k];
    if (n_symbols > 0) {
        rlxc_rvar *v =
            rlxc_rvar_new(ctx, f, "symbols",
                          rlxc_sinfo_shape(ctx, (int32_t)n_symbols, frame->inner_symbols.items));
        v->annotation = v->sinfo;
        f->params[f->n_params++] = v;
    }
    for (uint32_t k = 0; k < n; k++) {
        const rlxc_sinfo *s = type_of(im, state[k]);
        fields[k] = open[k] ? rlxc_sinfo_tensor(ctx, s->dtype, s->ndim, NULL, NULL) : s;
    }
    f->ret = rlxc_sinfo_tuple(ctx, fields, n);
    return rlxc_module_add_relax(ctx, im->module, f, true);
}

/* The recursive call for the next iteration, with |first|, the |n| states |next|, captured values,
 * symbolic sizes. False when memory is out. */
static bool call_again(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_atom first[3],
                       const rlxc_atom *next, uint32_t n, rlxc_atom *out)
{
    rlxc_context *ctx = im->ctx;
    rlxc_function *f = frame->b.function;
    uint32_t at = 0;
    rlxc_atom *args = rlxc_try_alloc(ctx, (size_t)f->n_params + 1, sizeof *args);
    if (!args)
        return false;
    for (uint32_t k = 0; k < 3; k++)
        args[at++] = first[k];
    for (uint32_t k = 0; k < n; k++)
        args[at++] = next[k];
    for (uint32_t k = 0; k < frame->capture_params.count; k++)
        args[at++] = rlxc_atom_var(frame->capture_params.items[k]);
    if (frame->inner_symbols.count > 0)
        args[at++] = rlxc_atom_shape(ctx, frame->inner_symbols.items, frame->inner_symbols.count);
    rlxc_binding *binding =
        rlxc_binding_new(ctx, RLXC_FORM_CALL, rlxc_rvar_new(ctx, f, "rest", NULL));
    binding->callee = rlxc_atom_global(ctx, f->name);
    binding->args = args;
    binding->n_args = at;
    *out = rlxc_emit(&frame->b, binding);
    return true;
}

/* Builds the function. */
void rlxc_ox_build_loop(rlxc_ox *im, const rlxc_ox_loop *l, const rlxc_atom *init, uint32_t n,
                        uint64_t *open, rlxc_ox_attempt *out)
{
    rlxc_context *ctx = im->ctx;
    rlxc_ox_scope scope;
    rlxc_ox_branch b;
    rlxc_atom state[RLXC_OX_MAX_STATES], next[RLXC_OX_MAX_STATES], go = {0};
    rlxc_rvar *params[RLXC_OX_MAX_STATES + 3];
    uint32_t n_params = 0;
    rlxc_ox_frame *frame = &out->frame;
    const rlxc_sinfo *scalar = rlxc_sinfo_tensor(ctx, RLX_I64, 0, NULL, NULL);
    const rlxc_sinfo *truth = rlxc_sinfo_tensor(ctx, RLX_B8, 0, NULL, NULL);
    rlxc_ox_push_frame(im, frame, &scope, "loop");
    rlxc_function *f = frame->b.function;
    rlxc_atom i = rlxc_atom_var(add_param(im, params, &n_params, "i", scalar));
    rlxc_atom limit = rlxc_atom_var(add_param(im, params, &n_params, "limit", scalar));
    rlxc_atom on = rlxc_atom_var(add_param(im, params, &n_params, "on", truth));
    for (uint32_t k = 0; k < n; k++)
        state[k] = rlxc_atom_var(
            add_param(im, params, &n_params, "state",
                      state_type(im, frame, init[k], l->objects && l->objects[k], open[k])));
    rlxc_atom test = rlxc_ox_op2(im, "logical_and", on, rlxc_ox_op2(im, "less", i, limit));

    rlxc_ox_begin_branch(im, &b);
    for (uint32_t k = 0; k < n; k++)
        next[k] = state[k];
    l->body(im, l->user, i, state, next, &go);
    rlxc_atom one_more = rlxc_ox_op2(im, "add", i, rlxc_ox_number(im, RLX_I64, 1));
    out->again = l->again && *l->again;
    if (l->again)
        *l->again = false;
    for (uint32_t k = 0; k < n && !im->failed; k++) {
        if (l->objects && l->objects[k])
            continue;
        const rlxc_sinfo *have = type_of(im, state[k]), *got = type_of(im, next[k]);
        if (got->kind != RLXC_SINFO_TENSOR || got->ndim != have->ndim ||
            !rlxc_dtype_eq(got->dtype, have->dtype)) {
            rlxc_ox_fail(im, "state %u changes from %s to %s in the loop", k,
                         rlxc_sinfo_text(ctx, have), rlxc_sinfo_text(ctx, got));
            break;
        }
        for (int32_t d = 0; d < have->ndim && got->dims; d++)
            if (!(open[k] >> d & 1) && !rlxc_prove_eq(ctx, have->dims[d], got->dims[d], NULL)) {
                open[k] |= (uint64_t)1 << d;
                out->again = true;
            }
    }
    bool ok =
        !im->failed && !out->again && set_signature(im, frame, params, n_params, state, open, n);
    rlxc_atom call = {0};
    if (ok) {
        const rlxc_atom first[3] = {one_more, limit, go.kind == RLXC_ATOM_NONE ? on : go};
        ok = call_again(im, frame, first, next, n, &call);
    }
    rlxc_body *then = rlxc_ox_end_branch(im, &b, &call, 1);
    rlxc_ox_begin_branch(im, &b);
    rlxc_atom done = rlxc_atom_tuple(ctx, state, n);
    rlxc_body *otherwise = rlxc_ox_end_branch(im, &b, &done, 1);
    if (ok && !im->failed) {
        f->body.result = rlxc_ox_emit_if(im, test, then, otherwise);
        rlxc_ox_finish_function(im, f);
    }
    rlxc_ox_pop_frame(im);
    out->function = ok && !im->failed ? f : NULL;
}

bool rlxc_ox_run_loop(rlxc_ox *im, const rlxc_ox_loop *l, rlxc_atom limit, rlxc_atom on,
                      const rlxc_atom *init, uint32_t n, rlxc_atom *out)
{
    rlxc_context *ctx = im->ctx;
    uint64_t open[RLXC_OX_MAX_STATES] = {0};
    rlxc_ox_attempt a = {0};
    if (n > RLXC_OX_MAX_STATES - 1 || im->loop_depth >= RLXC_OX_MAX_LOOP_DEPTH) {
        rlxc_ox_fail(im, "%s",
                     n > RLXC_OX_MAX_STATES - 1 ? "too many states"
                                                : "loops are nested too deeply");
        return false;
    }
    for (uint32_t k = 0; k < n; k++)
        open[k] = l->open ? l->open[k] : 0;
    im->loop_depth++;
    for (uint32_t round = 0; round < RLXC_OX_MAX_ROUNDS && !im->failed; round++) {
        a = (rlxc_ox_attempt){0};
        rlxc_ox_build_loop(im, l, init, n, open, &a);
        if (!a.again)
            break;
    }
    im->loop_depth--;
    if (!a.function) {
        rlxc_ox_fail(im, "the shapes of the loop's states do not reach a fixed point");
        return false;
    }
    uint32_t at = 0;
    rlxc_atom *args = rlxc_try_alloc(ctx, (size_t)a.function->n_params + 1, sizeof *args);
    if (!args)
        return false;
    args[at++] = rlxc_ox_number(im, RLX_I64, 0);
    args[at++] = limit;
    args[at++] = on;
    for (uint32_t k = 0; k < n; k++)
        args[at++] = init[k];
    for (uint32_t k = 0; k < a.frame.captures.count; k++)
        args[at++] = a.frame.captures.items[k]->atom;
    if (a.frame.outer_symbols.count > 0)
        args[at++] = rlxc_atom_shape(ctx, a.frame.outer_symbols.items, a.frame.outer_symbols.count);
    for (uint32_t k = 0; k < at; k++)
        if (args[k].kind == RLXC_ATOM_NONE)
            im->failed = true;
    if (im->failed)
        return false;
    rlxc_binding *binding = rlxc_binding_new(
        ctx, RLXC_FORM_CALL, rlxc_rvar_new(ctx, im->frame->b.function, "states", NULL));
    binding->callee = rlxc_atom_global(ctx, a.function->name);
    binding->args = args;
    binding->n_args = at;
    rlxc_atom all = rlxc_emit(&im->frame->b, binding);
    for (uint32_t k = 0; k < n; k++)
        out[k] = rlxc_ox_shaped(im, rlxc_ox_field(im, all, k));
    return !im->failed;
}

/* --- results of the turns --------------------------------------------------------------------- */

rlxc_atom rlxc_ox_nothing_collected(rlxc_ox *im)
{
    return rlxc_ox_builtin(im, "rlx.null_value", NULL, 0, rlxc_sinfo_object(im->ctx));
}

rlxc_atom rlxc_ox_collect(rlxc_ox *im, rlxc_atom state, rlxc_atom value)
{
    const rlxc_atom args[2] = {state, value};
    return rlxc_ox_builtin(im, "rlx.collect", args, 2, rlxc_sinfo_object(im->ctx));
}

rlxc_atom rlxc_ox_collected(rlxc_ox *im, rlxc_atom state, const rlxc_sinfo *elem,
                            const rlxc_expr *turns, bool backwards)
{
    rlxc_context *ctx = im->ctx;
    const rlxc_expr *shape[RLXC_MAX_NDIM], *dims[RLXC_MAX_NDIM + 1];
    if (im->failed || elem->ndim < 0 || elem->ndim >= RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "a collected result must have a known rank of less than %d",
                     RLXC_MAX_NDIM);
        return (rlxc_atom){0};
    }
    dims[0] = turns ? turns : rlxc_fresh_shape_var(ctx, "turns");
    for (int32_t d = 0; d < elem->ndim; d++) {
        const rlxc_expr *known = elem->dims ? elem->dims[d] : NULL;
        shape[d] = known ? known : rlxc_ox_i(im, 0); /* of zero iterations */
        dims[d + 1] = known ? known : rlxc_fresh_shape_var(ctx, rlxc_internf(ctx, "d%d", d));
    }
    const rlxc_atom args[4] = {state, rlxc_atom_prim(rlxc_ox_i(im, backwards)),
                               rlxc_atom_shape(ctx, shape, (uint32_t)elem->ndim),
                               rlxc_atom_dtype(elem->dtype)};
    rlxc_atom all =
        rlxc_ox_builtin(im, "rlx.collected", args, 4,
                        rlxc_sinfo_tensor(ctx, elem->dtype, elem->ndim + 1, NULL, NULL));
    return rlxc_ox_match(im, all, rlxc_sinfo_tensor(ctx, elem->dtype, elem->ndim + 1, dims, NULL));
}
