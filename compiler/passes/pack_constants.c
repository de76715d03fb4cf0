/* Pass pack_constants: constant operands of matmul-like kernels are stored as the kernel reads
 * them.
 *
 *     call_tir(f, (x, W), ...)    f reads W[k, j]          W: (K, N), a constant
 *     call_tir(g, (x, P), ...)    g reads P[j // w, k, j % w]
 *
 * P holds panels of w columns, w being the width of the register tile that the schedule will choose
 * for the stage (kernels/matmul/tile_plan.h); padding columns of the last panel are zero. A kernel
 * then walks through each panel as one contiguous stream, whatever the layout of the weights was:
 * rows of columns, or columns of rows where a transposition was fused into the product. The outputs
 * of each group of a convolution are whole panels.
 *
 * A function is packed once for all its calls that pass a constant there, a constant once for all
 * functions that want the same panels; what is no longer used is not written to the file. Functions
 * with parts that are not simple stages stay as they are: they may address the buffer in other
 * ways. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/constant.h"
#include "compiler/ir/device.h"
#include "compiler/ir/lifted.h"
#include "compiler/ir/rewrite.h"
#include "compiler/kernels/matmul/tile_plan.h"
#include "compiler/passes/passes.h"

typedef struct packed_constant {
    rlxc_panel_layout layout;
    const rlxc_constant *constant;
    struct packed_constant *next;
} packed_constant;

typedef struct candidate { /* an operand of a PrimFunc that could be packed */
    uint32_t param;
    rlxc_panel_layout layout;
    const char *packed; /* the function that reads panels, made when first needed */
    struct candidate *next;
} candidate;

typedef struct packer {
    rlxc_context *ctx;
    rlxc_module *module;
    const rlxc_options *options;
    rlxc_map analysed;   /* rlxc_prim_func -> itself */
    rlxc_map candidates; /* rlxc_prim_func -> candidate list */
    rlxc_map constants;  /* rlxc_constant -> packed_constant list */
} packer;

/* --- which operands -------------------------------------------------------------------------- */

static void add_candidate(packer *p, rlxc_prim_func *f, rlxc_panel_layout *layout, void *user)
{
    (void)user;
    candidate *first = rlxc_map_get(&p->candidates, rlxc_key(f));
    for (const candidate *c = first; c; c = c->next)
        if (c->layout.buffer == layout->buffer)
            return;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->params[i].buffer != layout->buffer || layout->buffer->elem_offset)
            continue;
        candidate *c = rlxc_alloc(p->ctx, sizeof *c);
        *c = (candidate){.param = i, .layout = *layout, .next = first};
        rlxc_map_set(p->ctx, &p->candidates, rlxc_key(f), c);
    }
}

/* Calls |found| for each operand of |f| that could be packed. */
static void find_layouts(packer *p, rlxc_prim_func *f,
                         void (*found)(packer *p, rlxc_prim_func *f, rlxc_panel_layout *layout,
                                       void *user),
                         void *user)
{
    rlxc_stages s;
    if (!rlxc_stages_of(p->ctx, p->options, f, &s))
        return;
    for (uint32_t i = 0; i < s.n; i++)
        if (!s.items[i].simple)
            return;
    rlxc_stages_inline(&s);
    for (uint32_t i = 0; i < s.n && !rlxc_failed(p->ctx); i++) {
        rlxc_panel_layout layout;
        if (!s.items[i].removed && rlxc_tile_panel_layout(&s, &s.items[i], &layout))
            found(p, f, &layout, user);
    }
}

static candidate *candidates_of(packer *p, rlxc_prim_func *f)
{
    if (!rlxc_map_get(&p->analysed, rlxc_key(f))) {
        rlxc_map_set(p->ctx, &p->analysed, rlxc_key(f), f);
        find_layouts(p, f, add_candidate, NULL);
    }
    return rlxc_map_get(&p->candidates, rlxc_key(f));
}

/* --- the function ---------------------------------------------------------------------------- */

typedef struct packing {
    rlxc_context *ctx;
    rlxc_panel_layout layout;
    uint32_t param, ndim; /* of the operand as it was */
} packing;

/* Takes groups of columns over the variables of the copied function. */
static void take_groups(packer *p, rlxc_prim_func *f, rlxc_panel_layout *layout, void *user)
{
    packing *how = user;
    (void)p;
    if (layout->buffer == f->params[how->param].buffer)
        how->layout = *layout;
}

static void index_panels(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const packing *p = user;
    const rlxc_expr *width = rlxc_i64(p->ctx, p->layout.width), *column = at[p->layout.column];
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->ndim; i++)
        if (i != p->layout.row && i != p->layout.column)
            out[n++] = at[i];
    const bool grouped = p->layout.grouped && column == p->layout.grouped;
    out[n++] = grouped ? p->layout.panel : rlxc_binary(p->ctx, RLXC_EXPR_FLOORDIV, column, width);
    out[n++] = at[p->layout.row];
    out[n++] = grouped ? p->layout.place : rlxc_binary(p->ctx, RLXC_EXPR_FLOORMOD, column, width);
}

/* The dimensions of |layout|'s panels of a tensor with dimensions |dims|. */
static uint32_t panel_dims(const rlxc_panel_layout *layout, const int64_t *dims, uint32_t ndim,
                           int64_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ndim; i++)
        if (i != layout->row && i != layout->column)
            out[n++] = dims[i];
    out[n++] = (dims[layout->column] + layout->width - 1) / layout->width;
    out[n++] = dims[layout->row];
    out[n++] = layout->width;
    return n;
}

static const char *pack_function(packer *p, const rlxc_prim_func *f, const candidate *c)
{
    rlxc_context *ctx = p->ctx;
    rlxc_prim_func *g = rlxc_prim_func_clone(ctx, f);
    const rlxc_buffer *old = g->params[c->param].buffer;
    int64_t dims[RLXC_STAGE_AXES], panels[RLXC_STAGE_AXES + 1];
    const rlxc_expr *shape[RLXC_STAGE_AXES + 1];
    for (uint32_t i = 0; i < old->ndim; i++)
        if (!rlxc_is_int(old->shape[i], &dims[i]))
            return NULL;
    uint32_t n = panel_dims(&c->layout, dims, old->ndim, panels);
    for (uint32_t i = 0; i < n; i++)
        shape[i] = rlxc_i64(ctx, panels[i]);
    rlxc_buffer *to =
        rlxc_buffer_new(ctx, rlxc_internf(ctx, "%s_panels", old->name), old->dtype, shape, n);
    to->data = old->data;
    to->scope = old->scope;
    packing how = {ctx, c->layout, c->param, old->ndim};
    if (c->layout.grouped)
        find_layouts(p, g, take_groups, &how);
    g->params[c->param].buffer = to;
    const rlxc_redirection r = {ctx, old, to, index_panels, &how, true};
    g->body = rlxc_redirect_stmt(&r, g->body);
    g->is_private = true;
    g->name = rlxc_internf(ctx, "%s_packed", f->name);
    rlxc_global *global = rlxc_module_add_prim(ctx, p->module, g, true);
    return global ? global->name : NULL;
}

/* --- the constant ---------------------------------------------------------------------------- */

/* Copies |from| into panels of dimensions |panels|: whole ones, then the last, which zeros fill up.
 * All other dimensions stay in front. */
static void copy_panels(const rlxc_panel_layout *layout, const int64_t *dims, uint32_t ndim,
                        const int64_t *panels, size_t item, const unsigned char *from,
                        unsigned char *to)
{
    const uint32_t n = ndim + 1, panel = n - 3, row = n - 2, column = n - 1;
    const int64_t width = layout->width, whole = dims[layout->column] / width;
    rlxc_strided_copy copy = {.n = n, .item = item};
    int64_t step = 1;
    for (uint32_t i = n; i-- > 0; step *= panels[i]) {
        copy.shape[i] = panels[i];
        copy.to_step[i] = step;
    }
    step = 1;
    for (uint32_t i = ndim, other = panel; i-- > 0; step *= dims[i])
        copy.from_step[i == layout->row ? row : i == layout->column ? column : --other] = step;
    copy.from_step[panel] = copy.from_step[column] * width;
    copy.shape[panel] = whole;
    rlxc_copy_strided(&copy, from, to);
    copy.shape[panel] = panels[panel] - whole;
    copy.shape[column] = dims[layout->column] - whole * width;
    rlxc_copy_strided(&copy, from + (size_t)(whole * copy.from_step[panel]) * item,
                      to + (size_t)(whole * copy.to_step[panel]) * item);
}

/* The constant of dimensions |panels| with |data|: rows and columns last, columns padded and split,
 * their blocks moved before the rows. */
static rlxc_constant *in_panels(rlxc_context *ctx, const rlxc_constant *c,
                                const rlxc_panel_layout *layout, const int64_t *panels,
                                const void *data)
{
    const uint32_t n = c->ndim + 1, row = c->ndim - 2, column = c->ndim - 1;
    int64_t order[RLXC_STAGE_AXES + 1], shape[RLXC_STAGE_AXES + 1], pad[2 * RLXC_STAGE_AXES] = {0};
    for (uint32_t i = 0, at = 0; i < c->ndim; i++)
        if (i != layout->row && i != layout->column)
            order[at++] = i;
    order[row] = layout->row;
    order[column] = layout->column;
    const rlxc_constant *moved = rlxc_constant_permuted(ctx, c, order, NULL);
    memcpy(shape, moved->shape, c->ndim * sizeof *shape);
    shape[column] = panels[n - 3] * layout->width;
    pad[2 * column + 1] = shape[column] - moved->shape[column];
    const rlxc_attrs width =
        rlxc_attrs_with(ctx, (rlxc_attrs){0}, rlxc_intern_cstr(ctx, "pad_width"),
                        rlxc_attr_ints(ctx, pad, 2 * c->ndim));
    size_t bytes = c->dtype.bits / 8u;
    for (uint32_t i = 0; i < n; i++)
        bytes *= (size_t)panels[i];
    const rlxc_constant *padded =
        rlxc_constant_by(ctx, moved, "nn.pad", (rlxc_atom){0}, width, c->ndim, shape, NULL, bytes);
    shape[column] = panels[n - 3];
    shape[n - 1] = layout->width;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i == n - 3 ? n - 2 : i == n - 2 ? n - 3 : i;
    return rlxc_constant_permuted(ctx, rlxc_constant_reshaped(ctx, padded, n, shape), order, data);
}

static const rlxc_constant *pack_constant(packer *p, const rlxc_constant *c,
                                          const rlxc_panel_layout *layout)
{
    packed_constant *first = rlxc_map_get(&p->constants, rlxc_key(c));
    for (const packed_constant *known = first; known; known = known->next)
        if (known->layout.row == layout->row && known->layout.column == layout->column &&
            known->layout.width == layout->width)
            return known->constant;
    int64_t panels[RLXC_STAGE_AXES + 1];
    size_t bytes = c->dtype.bits / 8u;
    const size_t item = bytes;
    uint32_t n = panel_dims(layout, c->shape, c->ndim, panels);
    for (uint32_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(bytes, (size_t)panels[i], &bytes))
            return NULL;
    unsigned char *data = rlxc_try_alloc_unset(p->ctx, bytes ? bytes : 1, 1);
    if (!data)
        return NULL;
    if (c->ndim > 0 && c->shape[layout->column] % layout->width != 0)
        memset(data, 0, bytes);
    copy_panels(layout, c->shape, c->ndim, panels, item, c->data, data);
    packed_constant *made = rlxc_alloc(p->ctx, sizeof *made);
    const rlxc_constant *constant = in_panels(p->ctx, c, layout, panels, data);
    *made = (packed_constant){.layout = *layout, .constant = constant, .next = first};
    rlxc_map_set(p->ctx, &p->constants, rlxc_key(c), made);
    return constant;
}

static bool fits(const rlxc_constant *c, const rlxc_buffer *buffer)
{
    bool same = c->ndim == buffer->ndim && c->ndim < RLXC_STAGE_AXES &&
                rlxc_dtype_eq(c->dtype, buffer->dtype) && c->dtype.bits % 8 == 0 &&
                c->dtype.lanes == 1;
    for (uint32_t i = 0; same && i < c->ndim; i++)
        same = rlxc_is_const(buffer->shape[i], c->shape[i]);
    return same;
}

/* --- the calls ------------------------------------------------------------------------------- */

/* Packs one operand of the call; false if there is none left. */
static bool pack_operand(packer *p, rlxc_binding *call)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_global *g = rlxc_module_find(p->module, call->args[0].text);
    if (!g || !g->prim || rlxc_prim_is_device(g->prim))
        return false;
    for (candidate *c = candidates_of(p, g->prim); c; c = c->next) {
        rlxc_atom tuple = call->args[1];
        if (c->param >= tuple.n || tuple.items[c->param].kind != RLXC_ATOM_CONSTANT ||
            !fits(tuple.items[c->param].constant, c->layout.buffer))
            continue;
        const rlxc_constant *packed = pack_constant(p, tuple.items[c->param].constant, &c->layout);
        if (packed && !c->packed)
            c->packed = pack_function(p, g->prim, c);
        if (!packed || !c->packed)
            return false;
        rlxc_atom *items = rlxc_copy(ctx, tuple.items, tuple.n * sizeof *items);
        rlxc_atom *args = rlxc_copy(ctx, call->args, call->n_args * sizeof *args);
        items[c->param] = rlxc_atom_constant(packed);
        args[0] = rlxc_atom_global(ctx, c->packed);
        args[1] = rlxc_atom_tuple(ctx, items, tuple.n);
        call->args = args;
        return true;
    }
    return false;
}

static rlxc_rewrite_action pack_call(void *user, rlxc_builder *b, rlxc_binding *binding,
                                     rlxc_atom *replacement)
{
    (void)b;
    (void)replacement;
    packer *p = user;
    if (rlxc_is_op(binding, "call_tir") && binding->n_args >= 2 &&
        binding->args[0].kind == RLXC_ATOM_GLOBAL && binding->args[1].kind == RLXC_ATOM_TUPLE)
        while (!rlxc_failed(p->ctx) && pack_operand(p, binding))
            ; /* a packed operand is not a candidate again */
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_pack_constants(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    packer p = {.ctx = ctx, .module = module, .options = options};
    const rlxc_rewrite_pass pass = {.user = &p, .binding = pack_call};
    rlxc_rewrite_module(ctx, module, &pass);
    return !rlxc_failed(ctx);
}
