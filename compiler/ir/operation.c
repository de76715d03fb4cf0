/* Proves what a block computes (operation.h). A computation is analysed once (whether each element
 * is stored once, its term, the axes of each factor, the sliding windows); the tests of the kinds
 * only query the result. Names and the order of axes or operands do not matter. */
#include "compiler/ir/operation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/ir/sym.h"

enum { REASON = 256 };

/* A pair of axes, one of the result, that index one dimension together. */
typedef struct slide {
    uint32_t pixel, window;
    bool overlaps; /* neighbouring windows overlap, or may */
} slide;
typedef RLXC_VEC(slide) slides;

typedef struct survey {
    rlxc_context *ctx;
    const rlxc_computation *c;
    const char **why;                                          /* or NULL */
    rlxc_operation op;                                         /* everything except kind and roles
                                                                */
    bool by_x[RLXC_OPERATION_AXES], by_w[RLXC_OPERATION_AXES]; /* the factors have the axis */
    slides slides;                                             /* over x, or over a lone term */
    bool w_overlaps;
    bool in_place, transposed, gathers; /* the loads, without reduction */
    bool folds;                         /* the update is no operator on the element and a term */
    const rlxc_expr *own;               /* then: the element, which the term reads */
    bool bad;
} survey;

static bool refuse(const survey *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const survey *s, const char *format, ...)
{
    char text[REASON];
    va_list args;
    if (!s->why)
        return false;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *s->why = rlxc_intern_cstr(s->ctx, text);
    return false;
}

typedef struct load_list {
    rlxc_context *ctx;
    RLXC_VEC(const rlxc_expr *) loads;
} load_list;

static bool list_load(void *user, const rlxc_expr *e)
{
    load_list *l = user;
    if (e->kind == RLXC_EXPR_LOAD)
        RLXC_PUSH(l->ctx, &l->loads, e);
    return true;
}

static load_list loads_in(rlxc_context *ctx, const rlxc_expr *e)
{
    load_list l = {.ctx = ctx};
    rlxc_expr_visit(ctx, e, list_load, &l);
    return l;
}

/* --- the form --------------------------------------------------------------------------------- */

static uint32_t axis_of(const rlxc_computation *c, const rlxc_expr *var)
{
    uint32_t k = 0;
    while (k < c->n_axes && c->vars[k] != var)
        k++;
    return k;
}

static bool uses_axes(const survey *s, const rlxc_expr *e)
{
    for (uint32_t k = 0; k < s->c->n_axes; k++)
        if (rlxc_expr_uses_var(s->ctx, e, s->c->vars[k]))
            return true;
    return false;
}

/* True if each element is stored once: at the axes of the result, in any order, or at constant
 * indices. */
static bool stores_once(const survey *s)
{
    const rlxc_computation *c = s->c;
    bool seen[RLXC_OPERATION_AXES] = {false};
    for (uint32_t i = 0; i < c->out->ndim; i++) {
        const uint32_t k = axis_of(c, c->indices[i]);
        if (k == c->n_axes) {
            if (!uses_axes(s, c->indices[i]))
                continue;
            return refuse(s, "dimension %u of %s is not indexed by an axis", i, c->out->name);
        }
        if (seen[k] || c->reduces[k])
            return refuse(s, "%s is indexed twice by axis %s, or by a reduction axis", c->out->name,
                          c->vars[k]->var.name);
        seen[k] = true;
    }
    for (uint32_t k = 0; k < c->n_axes; k++)
        if (!c->reduces[k] && !seen[k])
            return refuse(s, "%s is stored again in each iteration of axis %s", c->out->name,
                          c->vars[k]->var.name);
    return true;
}

static bool visit_node(void *user, const rlxc_expr *e)
{
    survey *s = user;
    const rlxc_intrinsic *row =
        e->kind == RLXC_EXPR_CALL ? rlxc_find_intrinsic(e->call.name, strlen(e->call.name)) : NULL;
    if (s->bad)
        return false;
    if (e->kind == RLXC_EXPR_LET || e->dtype.lanes > 1 ||
        (e->kind == RLXC_EXPR_VAR && rlxc_dtype_is_handle(e->dtype)) ||
        (row && rlxc_intrinsic_has_effects(row))) {
        s->bad = true;
        return refuse(s, "the value contains a let, vectors, addresses or calls with effects");
    }
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer->data == s->c->out->data && e != s->own) {
        s->bad = true;
        return refuse(s, "reads an element of %s other than the one it stores",
                      e->load.buffer->name);
    }
    return true;
}

static bool is_free(survey *s, const rlxc_expr *e)
{
    rlxc_expr_visit(s->ctx, e, visit_node, s);
    return !s->bad;
}

/* The operands of |e|, a candidate for an update. */
static bool operands_of(const rlxc_expr *e, const rlxc_expr *out[2])
{
    if (e->kind == RLXC_EXPR_CALL && e->call.n == 2 && strncmp(e->call.name, "bitwise_", 8) == 0) {
        out[0] = e->call.args[0];
        out[1] = e->call.args[1];
        return true;
    }
    if (e->kind != RLXC_EXPR_ADD && e->kind != RLXC_EXPR_MUL && e->kind != RLXC_EXPR_MIN &&
        e->kind != RLXC_EXPR_MAX && e->kind != RLXC_EXPR_AND && e->kind != RLXC_EXPR_OR)
        return false;
    out[0] = e->bin.a;
    out[1] = e->bin.b;
    return true;
}

/* True if |e| reads the stored buffer. */
static bool reads_out(const survey *s, const rlxc_expr *e)
{
    const load_list l = loads_in(s->ctx, e);
    for (uint32_t i = 0; i < l.loads.count; i++)
        if (l.loads.items[i]->load.buffer->data == s->c->out->data)
            return true;
    return false;
}

/* Decomposes value = own combine term, or any function of own and the loads. */
static bool read_update(survey *s)
{
    const rlxc_computation *c = s->c;
    const rlxc_expr *v = c->value, *sides[2],
                    *own = rlxc_load(s->ctx, c->out, c->indices, c->out->ndim);
    if (!c->init)
        return refuse(s, "a reduction without initial value");
    if (!is_free(s, c->init))
        return false;
    if (operands_of(v, sides) && (sides[0] == own) != (sides[1] == own) &&
        !reads_out(s, sides[sides[0] == own])) {
        s->op.combine = (rlxc_expr_kind)v->kind;
        s->op.term = sides[sides[0] == own];
    } else {
        s->folds = true;
        s->own = own;
        s->op.combine = RLXC_EXPR_VAR;
        s->op.term = v;
    }
    return is_free(s, s->op.term);
}

/* --- factors ---------------------------------------------------------------------------------- */

static bool is_zero(const rlxc_expr *e)
{
    return rlxc_is_const(e, 0) || (e->kind == RLXC_EXPR_FLOAT && e->f == 0);
}

/* The value under a condition, which is added to *io_where, if it is 0 otherwise; else |e| itself.
 */
static const rlxc_expr *without_condition(rlxc_context *ctx, const rlxc_expr *e,
                                          const rlxc_expr **io_where)
{
    const rlxc_expr *cond, *yes, *no;
    if (e->kind == RLXC_EXPR_SELECT) {
        cond = e->select.cond;
        yes = e->select.yes;
        no = e->select.no;
    } else if (rlxc_is_choice(e)) {
        cond = e->call.args[0];
        yes = e->call.args[1];
        no = e->call.args[2];
    } else {
        return e;
    }
    if (!is_zero(no))
        return e;
    *io_where = *io_where ? rlxc_binary(ctx, RLXC_EXPR_AND, *io_where, cond) : cond;
    return without_condition(ctx, yes, io_where);
}

/* How axes |pixel| and |window| of the computation combine in |index|. */
static void add_slide(survey *s, const rlxc_expr *index, uint32_t pixel, uint32_t window,
                      slides *out)
{
    const rlxc_computation *c = s->c;
    const rlxc_expr *rest;
    int64_t step, tap, width, reach;
    if (!rlxc_expr_uses_var(s->ctx, index, c->vars[pixel]) ||
        !rlxc_expr_uses_var(s->ctx, index, c->vars[window]) ||
        !rlxc_linear_in(s->ctx, index, c->vars[pixel], &step, &rest) || step == 0)
        return;
    const bool apart = rlxc_linear_in(s->ctx, index, c->vars[window], &tap, &rest) && step > 0 &&
                       tap > 0 && rlxc_is_int(c->extents[window], &width) &&
                       !__builtin_mul_overflow(tap, width, &reach) && step >= reach;
    RLXC_PUSH(s->ctx, out, (slide){pixel, window, !apart});
}

/* The windows over |e|'s operands; axes of |other|, if any, select its channels. */
static slides slides_of(survey *s, const rlxc_expr *e, const bool *other)
{
    const rlxc_computation *c = s->c;
    const load_list l = loads_in(s->ctx, e);
    slides out = {0};
    for (uint32_t i = 0; i < l.loads.count; i++)
        for (uint32_t d = 0; d < l.loads.items[i]->load.n; d++) {
            const rlxc_expr *index = l.loads.items[i]->load.indices[d];
            for (uint32_t p = 0; index->kind != RLXC_EXPR_VAR && p < c->n_axes; p++)
                for (uint32_t r = 0; !c->reduces[p] && r < c->n_axes; r++)
                    if (c->reduces[r] && !(other && other[p]))
                        add_slide(s, index, p, r, &out);
        }
    return out;
}

static bool overlaps(const slides *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i].overlaps)
            return true;
    return false;
}

static void find_axes(survey *s, const rlxc_expr *e, bool *out)
{
    for (uint32_t k = 0; k < s->c->n_axes; k++)
        out[k] = rlxc_expr_uses_var(s->ctx, e, s->c->vars[k]);
}

static bool reads(rlxc_context *ctx, const rlxc_expr *e)
{
    return loads_in(ctx, e).loads.count > 0;
}

/* term = x * w: x is the factor over which windows slide, w has the result's last axis. */
static void read_factors(survey *s)
{
    const rlxc_computation *c = s->c;
    const rlxc_expr *where = NULL, *e = without_condition(s->ctx, s->op.term, &where);
    if (s->op.combine != RLXC_EXPR_ADD || e->kind != RLXC_EXPR_MUL || e->bin.a == e->bin.b ||
        !reads(s->ctx, e->bin.a) || !reads(s->ctx, e->bin.b)) {
        s->slides = slides_of(s, s->op.term, NULL);
        return;
    }
    bool by_a[RLXC_OPERATION_AXES], by_b[RLXC_OPERATION_AXES];
    find_axes(s, e->bin.a, by_a);
    find_axes(s, e->bin.b, by_b);
    const slides a = slides_of(s, e->bin.a, by_b), b = slides_of(s, e->bin.b, by_a);
    const uint32_t last = c->out->ndim ? axis_of(c, c->indices[c->out->ndim - 1]) : c->n_axes;
    bool turned = last < c->n_axes && by_a[last] && !by_b[last];
    if (overlaps(&a) != overlaps(&b))
        turned = overlaps(&b);
    else if ((a.count == 0) != (b.count == 0))
        turned = a.count == 0;
    s->op.where = where;
    s->op.x = turned ? e->bin.b : e->bin.a;
    s->op.w = turned ? e->bin.a : e->bin.b;
    s->slides = turned ? b : a;
    s->w_overlaps = overlaps(turned ? &a : &b);
    memcpy(s->by_x, turned ? by_b : by_a, sizeof s->by_x);
    memcpy(s->by_w, turned ? by_a : by_b, sizeof s->by_w);
}

/* --- loads, without reduction ----------------------------------------------------------------- */

static void look_at_load(survey *s, const rlxc_expr *load)
{
    const rlxc_computation *c = s->c;
    uint32_t last = 0, places[RLXC_OPERATION_AXES], n = 0;
    for (uint32_t i = 0; i < load->load.n; i++) {
        const rlxc_expr *index = load->load.indices[i];
        if (rlxc_is_const(index, 0))
            continue;
        uint32_t at = 0;
        while (at < c->out->ndim && c->indices[at] != index)
            at++;
        if (at == c->out->ndim || index->kind != RLXC_EXPR_VAR) {
            s->in_place = s->transposed = false;
            s->gathers = s->gathers || reads(s->ctx, index);
            continue;
        }
        for (uint32_t k = 0; k < n; k++)
            s->transposed = s->transposed && places[k] != at;
        s->in_place = s->in_place && at >= last && s->transposed;
        if (n < RLXC_OPERATION_AXES)
            places[n++] = at;
        last = at + 1;
    }
}

static bool make_survey(survey *s)
{
    const rlxc_computation *c = s->c;
    bool reduces = false;
    for (uint32_t k = 0; k < c->n_axes; k++)
        reduces = reduces || c->reduces[k];
    if (!stores_once(s))
        return false;
    if (reduces) {
        if (!read_update(s))
            return false;
        read_factors(s);
        return true;
    }
    if (c->init)
        return refuse(s, "has an initial value, but no reduction axis");
    if (!is_free(s, c->value))
        return false;
    s->in_place = s->transposed = true;
    const load_list l = loads_in(s->ctx, c->value);
    for (uint32_t i = 0; i < l.loads.count; i++)
        look_at_load(s, l.loads.items[i]);
    return true;
}

/* --- kinds ------------------------------------------------------------------------------------ */

/* Sets the role of result axes to |result|, of reduced ones to |reduced|. */
static bool set_roles(survey *s, rlxc_axis_role result, rlxc_axis_role reduced)
{
    for (uint32_t k = 0; k < s->c->n_axes; k++)
        s->op.roles[k] = (char)(s->c->reduces[k] ? reduced : result);
    return true;
}

static void set_windows(survey *s)
{
    for (uint32_t i = 0; i < s->slides.count; i++) {
        s->op.roles[s->slides.items[i].pixel] = RLXC_AXIS_ROLE_pixel;
        s->op.roles[s->slides.items[i].window] = RLXC_AXIS_ROLE_window;
    }
}

static bool fits_conv(survey *s)
{
    if (!s->op.x)
        return refuse(s, "the term is not a product of two loads");
    if (s->slides.count == 0 || s->w_overlaps)
        return refuse(s, "no factor has sliding windows, or both have");
    set_roles(s, RLXC_AXIS_ROLE_batch, RLXC_AXIS_ROLE_reduction);
    for (uint32_t k = 0; k < s->c->n_axes; k++)
        if (!s->c->reduces[k] && s->by_w[k])
            s->op.roles[k] = (char)(s->by_x[k] ? RLXC_AXIS_ROLE_group : RLXC_AXIS_ROLE_column);
    set_windows(s);
    return true;
}

static bool fits_matmul(survey *s)
{
    bool meets = false;
    if (!s->op.x)
        return refuse(s, "the term is not a product of two loads");
    if (overlaps(&s->slides) || s->w_overlaps)
        return refuse(s, "a factor has sliding windows");
    set_roles(s, RLXC_AXIS_ROLE_batch, RLXC_AXIS_ROLE_reduction);
    for (uint32_t k = 0; k < s->c->n_axes; k++) {
        meets = meets || (s->c->reduces[k] && s->by_x[k] && s->by_w[k]);
        if (!s->c->reduces[k] && s->by_x[k] != s->by_w[k])
            s->op.roles[k] = (char)(s->by_x[k] ? RLXC_AXIS_ROLE_row : RLXC_AXIS_ROLE_column);
    }
    return meets || refuse(s, "the factors have no reduced axis in common");
}

static bool fits_pool(survey *s)
{
    if (s->folds || s->op.x || s->slides.count == 0)
        return refuse(s, "no window slides over the values that are %s",
                      s->op.x ? "multiplied" : "combined");
    set_roles(s, RLXC_AXIS_ROLE_spatial, RLXC_AXIS_ROLE_reduction);
    set_windows(s);
    return true;
}

static bool fits_reduction(survey *s)
{
    const char **why = s->why;
    if (!s->op.term || s->folds)
        return refuse(s, s->folds ? "the update is not a sum, product, maximum or minimum"
                                  : "no axis is reduced");
    s->why = NULL;
    const bool more = fits_conv(s) || fits_matmul(s) || fits_pool(s);
    s->why = why;
    if (more)
        return refuse(s, "it is a product, or has sliding windows");
    return set_roles(s, RLXC_AXIS_ROLE_spatial, RLXC_AXIS_ROLE_reduction);
}

static bool fits_fold(survey *s)
{
    if (!s->folds)
        return refuse(s, "no axis is reduced, or the order of its iterations does not matter");
    return set_roles(s, RLXC_AXIS_ROLE_spatial, RLXC_AXIS_ROLE_reduction);
}

/* True if not reduced, with loads of the given form. */
static bool reads_so(survey *s, bool so, const char *otherwise)
{
    if (s->op.term)
        return refuse(s, "axes are reduced");
    return so ? set_roles(s, RLXC_AXIS_ROLE_spatial, RLXC_AXIS_ROLE_reduction)
              : refuse(s, "%s", otherwise);
}

static bool fits_elementwise(survey *s)
{
    return reads_so(s, s->in_place, "not every operand is read at the result's position");
}

static bool fits_transpose(survey *s)
{
    return reads_so(s, s->transposed && !s->in_place,
                    "no operand has the result's axes in another order");
}

static bool fits_gather(survey *s)
{
    return reads_so(s, s->gathers, "no index is loaded");
}

static bool fits_rearrange(survey *s)
{
    return reads_so(s, !s->transposed && !s->gathers,
                    "the operands are indexed by the result's axes, or an index is loaded");
}

static const struct {
    const char *name;
    bool (*fits)(survey *s);
} kinds[] = {
#define RLXC_OPERATION(kind, doc) {#kind, fits_##kind},
#include "compiler/ir/operation.def"
#undef RLXC_OPERATION
};

/* True if one of the kinds from |first| up to |end| fits. */
static bool prove(rlxc_context *ctx, const rlxc_computation *c, uint32_t first, uint32_t end,
                  rlxc_operation *out, const char **why)
{
    survey s = {.ctx = ctx, .c = c, .why = why};
    *out = (rlxc_operation){.kind = RLXC_OPERATIONS};
    if (first >= RLXC_OPERATIONS)
        return refuse(&s, "there is no such operator");
    if (c->n_axes > RLXC_OPERATION_AXES)
        return refuse(&s, "more than %d axes", RLXC_OPERATION_AXES);
    if (!make_survey(&s))
        return false;
    for (uint32_t k = first; k < end && !rlxc_failed(ctx); k++)
        if (kinds[k].fits(&s)) {
            *out = s.op;
            out->kind = (rlxc_operation_kind)k;
            return true;
        }
    return false;
}

bool rlxc_operation_prove(rlxc_context *ctx, const rlxc_computation *c, rlxc_operation_kind kind,
                          rlxc_operation *out, const char **why)
{
    return prove(ctx, c, kind, (uint32_t)kind + 1, out, why);
}

bool rlxc_operation_recognise(rlxc_context *ctx, const rlxc_computation *c, rlxc_operation *out,
                              const char **why)
{
    return prove(ctx, c, 0, RLXC_OPERATIONS, out, why);
}

bool rlxc_parts_may_begin_at(rlxc_expr_kind combine, const rlxc_expr *start)
{
    if (combine == RLXC_EXPR_MIN || combine == RLXC_EXPR_MAX)
        return true;
    const double identity = combine == RLXC_EXPR_MUL ? 1 : 0;
    return (combine == RLXC_EXPR_ADD || combine == RLXC_EXPR_MUL) &&
           ((start->kind == RLXC_EXPR_FLOAT && start->f == identity) ||
            (start->kind == RLXC_EXPR_INT && (double)start->i == identity));
}

const char *rlxc_operation_name(rlxc_operation_kind kind)
{
    return kind < RLXC_OPERATIONS ? kinds[kind].name : "none";
}
