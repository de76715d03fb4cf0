/* Pass canonicalize: removes copies, tuple accesses and casts that add no information, and lets
 * convolutions and poolings pad their operand themselves.
 *
 *   y = x                      uses of y become uses of x
 *   t = (a, b); u = t[1]       uses of u become uses of b
 *   y = match_cast(x, S)       if x already has type S and S binds no new symbol
 *   y = conv2d(pad(x), w)      y = conv2d(x, w, padding=...), if spatial dimensions are padded by 0
 *   y = max_pool2d(pad(x))     the same, if they are padded by -infinity; an average, by 0
 *
 * An output of a dataflow block is never replaced by one of the block's own variables: the name
 * must stay an output. Functions with kills of their own are left as they are. */
#include "compiler/analysis/alias.h"
#include "compiler/analysis/effects.h"
#include "compiler/passes/passes.h"

#include "compiler/ir/rewrite.h"
#include "compiler/ops/window.h"

#include <math.h>
#include <string.h>

typedef struct seen {
    rlxc_map tuples; /* rlxc_rvar -> binding that made the tuple */
    rlxc_map pads;   /* rlxc_rvar -> its binding, a call of nn.pad */
} seen;

/* The widths before and after each of the |ndim| dimensions. */
static bool read_widths(const rlxc_binding *pad, int32_t ndim, int64_t out[2 * RLXC_MAX_NDIM])
{
    uint32_t n;
    rlxc_attr_get_ints(pad, "pad_width", out, 2 * RLXC_MAX_NDIM, &n);
    return ndim > 0 && n == 2 * (uint32_t)ndim;
}

/* True if |call| treats its own padding as elements of |value|. A mean must also count it. */
static bool pads_with(const rlxc_binding *call, const rlxc_window *w, double value)
{
    if (call->op->legalize == rlxc_legalize_conv)
        return value == 0;
    if (strncmp(call->op->name, "nn.max", 6) == 0)
        return value == (double)-INFINITY;
    bool padded = false;
    for (uint32_t i = 0; i < w->n; i++)
        padded = padded || w->before[i] != 0 || w->after[i] != 0;
    return value == 0 && (!padded || rlxc_attr_get_bool(call, "count_include_pad", false));
}

/* Lets |call|, a convolution or a pooling, read the operand of the nn.pad that it reads. */
static void take_pad(const seen *c, rlxc_builder *b, rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    int64_t widths[2 * RLXC_MAX_NDIM], padding[2 * RLXC_MAX_SPATIAL];
    const rlxc_atom x = call->args[0];
    const bool pools = call->op->legalize == rlxc_legalize_pool;
    const rlxc_binding *pad =
        x.kind == RLXC_ATOM_VAR ? rlxc_map_get(&c->pads, rlxc_key(x.var)) : NULL;
    if (!pad || !rlxc_may_stand_for(pad->var, pad->args[0]) ||
        !rlxc_infer_begin(&v, b->ctx, b->module, call) ||
        !(pools ? rlxc_window_read_pool(&v, &w) : rlxc_window_read_conv(&v, &w)) ||
        !read_widths(pad, v.in[0]->ndim, widths) ||
        !pads_with(call, &w, rlxc_attr_get_float(pad, "pad_value", 0)) ||
        (pools && rlxc_attr_get_bool(call, "ceil_mode", false)))
        return;
    for (uint32_t i = 0; i < w.n; i++) {
        int64_t *side = &widths[2 * w.space[i]];
        if (side[0] < 0 || side[1] < 0 ||
            __builtin_add_overflow(side[0], w.before[i], &padding[i]) ||
            __builtin_add_overflow(side[1], w.after[i], &padding[i + w.n]))
            return;
        side[0] = side[1] = 0;
    }
    for (int32_t i = 0; i < 2 * v.in[0]->ndim; i++)
        if (widths[i] != 0) /* of the batch, or of channels */
            return;
    rlxc_atom *args = rlxc_copy(b->ctx, call->args, call->n_args * sizeof *args);
    args[0] = pad->args[0];
    call->args = args;
    call->attrs =
        rlxc_attrs_with(b->ctx, call->attrs, "padding", rlxc_attr_ints(b->ctx, padding, 2 * w.n));
    if (pools)
        call->attrs =
            rlxc_attrs_with(b->ctx, call->attrs, "count_include_pad", rlxc_attr_bool(true));
}

static void see_call(seen *c, rlxc_builder *b, rlxc_binding *call)
{
    if (rlxc_call_destroys(call)) /* perhaps the operand of a pad */
        c->pads = (rlxc_map){0};
    if (!call->op)
        return;
    if (call->op->legalize == rlxc_legalize_pad &&
        strcmp(rlxc_attr_get_str(call, "pad_mode", "constant"), "constant") == 0)
        rlxc_map_set(b->ctx, &c->pads, rlxc_key(call->var), call);
    else if (call->op->legalize == rlxc_legalize_conv || call->op->legalize == rlxc_legalize_pool)
        take_pad(c, b, call);
}

static rlxc_rewrite_action look_through(void *user, rlxc_builder *b, rlxc_binding *binding,
                                        rlxc_atom *replacement)
{
    seen *c = user;
    switch (binding->form) {
    case RLXC_FORM_COPY:
        if (!rlxc_may_stand_for(binding->var, binding->args[0]) ||
            binding->args[0].kind == RLXC_ATOM_TUPLE)
            return RLXC_REWRITE_KEEP;
        *replacement = binding->args[0];
        return RLXC_REWRITE_REPLACE;
    case RLXC_FORM_TUPLE:
        rlxc_map_set(b->ctx, &c->tuples, rlxc_key(binding->var), binding);
        return RLXC_REWRITE_KEEP;
    case RLXC_FORM_TUPLE_GET: {
        if (binding->args[0].kind != RLXC_ATOM_VAR)
            return RLXC_REWRITE_KEEP;
        const rlxc_binding *made = rlxc_map_get(&c->tuples, rlxc_key(binding->args[0].var));
        if (!made || binding->index >= made->n_args ||
            !rlxc_may_stand_for(binding->var, made->args[binding->index]))
            return RLXC_REWRITE_KEEP;
        *replacement = made->args[binding->index];
        return RLXC_REWRITE_REPLACE;
    }
    case RLXC_FORM_MATCH_CAST: {
        const rlxc_sinfo *have = rlxc_atom_sinfo(b->ctx, b->module, binding->args[0]);
        if (have != binding->sinfo_args[0] || !rlxc_may_stand_for(binding->var, binding->args[0]))
            return RLXC_REWRITE_KEEP;
        *replacement = binding->args[0];
        return RLXC_REWRITE_REPLACE;
    }
    case RLXC_FORM_CALL:
        see_call(c, b, binding);
        return RLXC_REWRITE_KEEP;
    case RLXC_FORM_IF:
    case RLXC_FORM_FUNCTION:
        return RLXC_REWRITE_KEEP;
    }
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_canonicalize(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        seen c = {0};
        const rlxc_rewrite_pass pass = {.user = &c, .binding = look_through};
        rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}
