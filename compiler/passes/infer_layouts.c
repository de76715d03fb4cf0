/* Packed layouts of convolutions and poolings (infer_forms.h).
 *
 *   "NCHW4c"    [n, c / 4, h, w, 4]          "OIHW4i4o"  [o / 4, i / 4, h, w, 4, 4]
 *
 * A capital letter is a dimension; a number with a small letter is a split-off part of that
 * letter's dimension, innermost last. The operator gets its operands in the same order without
 * parts, and its result is split again. */
#include "compiler/passes/infer_forms.h"

#include <string.h>

#include "compiler/ops/builtin_call.h"
#include "compiler/ops/compose.h"

typedef struct layout_part {
    char letter;    /* capital */
    int64_t factor; /* 0: the dimension itself */
} layout_part;

typedef struct packed_layout {
    layout_part parts[RLXC_MAX_NDIM];
    uint32_t n, n_dims;
    char plain[RLXC_MAX_NDIM + 1]; /* "NCHW" */
} packed_layout;

enum { MAX_FACTOR = 1 << 16 }; /* of all parts together */

/* False where |text| is no layout. */
static bool read_layout(const char *text, packed_layout *out)
{
    *out = (packed_layout){0};
    for (const char *p = text; *p; p++) {
        layout_part part = {0};
        for (; *p >= '0' && *p <= '9' && part.factor < MAX_FACTOR; p++)
            part.factor = part.factor * 10 + (*p - '0');
        bool small = *p >= 'a' && *p <= 'z', capital = *p >= 'A' && *p <= 'Z';
        part.letter = (char)(small ? *p - 'a' + 'A' : *p);
        if (out->n == RLXC_MAX_NDIM || small != (part.factor > 0) || !(small || capital) ||
            (capital && strchr(out->plain, part.letter)))
            return false;
        if (capital)
            out->plain[out->n_dims++] = part.letter;
        out->parts[out->n++] = part;
    }
    int64_t product = 1;
    for (uint32_t i = 0; i < out->n; i++) {
        product *= out->parts[i].factor > 0 ? out->parts[i].factor : 1;
        if (!strchr(out->plain, out->parts[i].letter) || product > MAX_FACTOR)
            return false;
    }
    return out->n > 0;
}

/* The positions in |l| of each dimension followed by its parts: the order in which they can be
 * joined. */
static void joined_order(const packed_layout *l, int64_t *out)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d < l->n_dims; d++)
        for (int parts = 0; parts < 2; parts++)
            for (uint32_t i = 0; i < l->n; i++)
                if (l->parts[i].letter == l->plain[d] && (l->parts[i].factor > 0) == (parts == 1))
                    out[n++] = i;
}

static rlxc_atom permuted(rlxc_builder *b, rlxc_atom x, const int64_t *axes, uint32_t n)
{
    return rlxc_emit_op(b, "permute_dims", &x, 1,
                        rlxc_one_attr(b->ctx, "axes", rlxc_attr_ints(b->ctx, axes, n)), "lv");
}

static rlxc_atom reshaped(rlxc_builder *b, rlxc_atom x, const rlxc_expr *const *dims, uint32_t n)
{
    const rlxc_atom args[2] = {x, rlxc_atom_shape(b->ctx, dims, n)};
    return rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, "lv");
}

static const rlxc_sinfo *tensor_of(const rlxc_builder *b, rlxc_atom x, uint32_t ndim)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, x);
    return s && s->kind == RLXC_SINFO_TENSOR && rlxc_dims_known(s) && (uint32_t)s->ndim == ndim
               ? s
               : NULL;
}

static void report_dims(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, uint32_t n,
                        const char *text)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, x);
    if (s != NULL) /* NULL: an error was reported */
        rlxc_error(b->ctx, call->range,
                   "R.%s: expected %u known dimensions as layout \"%s\" has, got %s",
                   call->op->name, n, text, rlxc_sinfo_text(b->ctx, s));
}

/* |x|, laid out as |l|, without parts; kind NONE after an error. */
static rlxc_atom joined(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x,
                        const packed_layout *l, const char *text)
{
    const rlxc_sinfo *s = tensor_of(b, x, l->n);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t order[RLXC_MAX_NDIM];
    if (l->n == l->n_dims)
        return x;
    bool fits = s != NULL;
    for (uint32_t i = 0; fits && i < l->n; i++)
        fits = l->parts[i].factor == 0 || rlxc_is_const(s->dims[i], l->parts[i].factor);
    if (!fits) {
        report_dims(b, call, x, l->n, text);
        return (rlxc_atom){0};
    }
    joined_order(l, order);
    for (uint32_t d = 0, at = 0; d < l->n_dims; d++) {
        dims[d] = s->dims[order[at++]];
        for (; at < l->n && l->parts[order[at]].factor > 0; at++)
            dims[d] = rlxc_mul(b->ctx, dims[d], s->dims[order[at]]);
        dims[d] = rlxc_canonical(b->ctx, dims[d], NULL);
    }
    return reshaped(b, permuted(b, x, order, l->n), dims, l->n_dims);
}

/* Makes |binding| the result of splitting |x|, in the order of |l| without parts, into the parts.
 */
static bool divide(rlxc_builder *b, rlxc_binding *binding, rlxc_atom x, const packed_layout *l,
                   const char *text)
{
    const rlxc_sinfo *s = tensor_of(b, x, l->n_dims);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t order[RLXC_MAX_NDIM], back[RLXC_MAX_NDIM], size;
    if (!s) {
        report_dims(b, binding, x, l->n_dims, text);
        return false;
    }
    joined_order(l, order);
    for (uint32_t d = 0, at = 0; d < l->n_dims; d++) {
        const uint32_t whole = at++;
        int64_t factor = 1;
        for (; at < l->n && l->parts[order[at]].factor > 0; at++) {
            factor *= l->parts[order[at]].factor;
            dims[at] = rlxc_i64(b->ctx, l->parts[order[at]].factor);
        }
        if (rlxc_is_int(s->dims[d], &size) && size % factor != 0) {
            rlxc_error(
                b->ctx, binding->range,
                "R.%s: %lld, dimension %c of the result, is not a multiple of %lld, which layout "
                "\"%s\" needs",
                binding->op->name, (long long)size, l->plain[d], (long long)factor, text);
            return false;
        }
        dims[whole] = rlxc_canonical(
            b->ctx, rlxc_binary(b->ctx, RLXC_EXPR_FLOORDIV, s->dims[d], rlxc_i64(b->ctx, factor)),
            NULL);
    }
    for (uint32_t i = 0; i < l->n; i++)
        back[order[i]] = i;
    rlxc_atom parts = reshaped(b, x, dims, l->n);
    binding->op = rlxc_find_operator("permute_dims", strlen("permute_dims"));
    binding->args = rlxc_copy(b->ctx, &parts, sizeof parts);
    binding->n_args = 1;
    binding->attrs = rlxc_one_attr(b->ctx, "axes", rlxc_attr_ints(b->ctx, back, l->n));
    return true;
}

static bool is_packed(const char *text)
{
    return strpbrk(text, "0123456789") != NULL;
}

bool rlxc_unpack_layouts(rlxc_builder *b, rlxc_binding *binding)
{
    rlxc_context *ctx = b->ctx;
    const bool conv = rlxc_attrs_find(&binding->attrs, rlxc_intern_cstr(ctx, "data_layout"));
    const char *names[3] = {conv ? "data_layout" : "layout", "kernel_layout", "out_layout"};
    const char *texts[3];
    packed_layout layouts[3];
    bool any = false;
    for (int i = 0; i < 3; i++) {
        texts[i] = rlxc_attr_get_str(binding, names[i], "");
        if (i == 2 && texts[i][0] == '\0')
            texts[i] = texts[0];
        any |= is_packed(texts[i]);
    }
    if (!any || binding->n_args < (conv ? 2U : 1U))
        return true;
    b->range = binding->range;
    rlxc_atom *args = rlxc_copy(ctx, binding->args, binding->n_args * sizeof *args);
    rlxc_attrs attrs = binding->attrs;
    for (int i = 0; i < 3; i++) {
        if (i == 1 && !conv)
            continue;
        if (!read_layout(texts[i], &layouts[i])) {
            rlxc_error(ctx, binding->range, "R.%s: %s \"%s\" is not a layout", binding->op->name,
                       names[i], texts[i]);
            return false;
        }
        if (i < 2)
            args[i] = joined(b, binding, args[i], &layouts[i], texts[i]);
        if (i < 2 && args[i].kind == RLXC_ATOM_NONE)
            return false;
        const char *name = rlxc_intern_cstr(ctx, names[i]);
        if (rlxc_attrs_find(&attrs, name)) /* R.image.resize2d has no out_layout */
            attrs = rlxc_attrs_with(ctx, attrs, name, rlxc_attr_string(ctx, layouts[i].plain));
    }
    if (!is_packed(texts[2])) {
        binding->args = args;
        binding->attrs = attrs;
        return true;
    }
    rlxc_atom plain =
        rlxc_emit_op(b, binding->op->name, args, binding->n_args, attrs, binding->var->name);
    return divide(b, binding, plain, &layouts[2], texts[2]);
}
