/* Einsum: the equation in letters alone (rlxc_einsum_letters), because dimensions of 1 broadcast
 * here and not in operator einsum. */
#include <limits.h>
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/ops/require.h"

/* An equation without spaces and ellipsis. */
typedef struct equation {
    const char *text;
    char hidden[RLXC_MAX_NDIM + 1]; /* letters of the ellipsis, the first dimension's first */
} equation;

/* Dimensions of 1 of letters that are larger in another operand broadcast: they are dropped from
 * |parts| and the equation. */
static void drop_units(rlxc_ox *im, equation *eq, rlxc_atom *parts, uint32_t n)
{
    rlxc_text out = {.ctx = im->ctx};
    bool larger[UCHAR_MAX + 1] = {false};
    for (uint32_t pass = 0; pass < 2; pass++) {
        const char *p = eq->text;
        for (uint32_t i = 0; i < n && !im->failed; i++) {
            const rlxc_expr *dims[RLXC_MAX_NDIM];
            const uint32_t length = (uint32_t)strcspn(p, ",-"), ndim = rlxc_ox_ndim(im, parts[i]);
            int64_t units[RLXC_MAX_NDIM];
            uint32_t n_units = 0;
            if (length != ndim)
                return; /* the operator reports it */
            rlxc_ox_dims(im, parts[i], dims);
            for (uint32_t k = 0; k < ndim; k++) {
                bool *other = &larger[(unsigned char)p[k]];
                if (pass == 0)
                    *other = *other || !rlxc_is_const(dims[k], 1);
                else if (*other && rlxc_is_const(dims[k], 1))
                    units[n_units++] = k;
                else
                    rlxc_text_add(&out, p + k, 1);
            }
            if (n_units > 0)
                parts[i] =
                    rlxc_ox_op0(im, "squeeze", parts[i],
                                rlxc_ox_with_ints(im, (rlxc_attrs){0}, "axis", units, n_units));
            const char *rest = p + length;
            p = rest + (*rest == ',');
            if (pass == 1) /* an equation of too few or too many terms stays one */
                rlxc_text_printf(&out, "%s", i + 1 == n ? rest : *rest == ',' ? "," : "");
        }
    }
    eq->text = out.data ? out.data : "";
}

/* The other dimensions of the ellipsis broadcast where they are not proved to be equal. */
static void broadcast_hidden(rlxc_ox *im, const equation *eq, rlxc_atom *parts, uint32_t n)
{
    const rlxc_expr *of[UCHAR_MAX + 1] = {0}, *dims[RLXC_MAX_NDIM];
    for (uint32_t pass = 0; pass < 2 && eq->hidden[0]; pass++) {
        const char *p = eq->text;
        for (uint32_t i = 0; i < n && !im->failed; i++) {
            const uint32_t length = (uint32_t)strcspn(p, ",-"), ndim = rlxc_ox_ndim(im, parts[i]);
            bool same = true;
            if (length != ndim)
                return;
            rlxc_ox_dims(im, parts[i], dims);
            for (uint32_t k = 0; k < ndim; k++) {
                const rlxc_expr **d = &of[(unsigned char)p[k]];
                if (!strchr(eq->hidden, p[k]))
                    continue;
                if (pass == 0)
                    *d = *d ? rlxc_broadcast_size(im->ctx, *d, dims[k]) : dims[k];
                same = same && rlxc_prove_eq(im->ctx, *d, dims[k], NULL);
                dims[k] = *d;
            }
            if (pass == 1 && !same)
                parts[i] = rlxc_ox_broadcast(im, parts[i], dims, ndim);
            p += length + (p[length] == ',');
        }
    }
}

/* Subscripts without an ellipsis: checks at run time that a letter has one size, unless proved. */
static void state_letters(rlxc_ox *im, const char *text, rlxc_atom *parts, uint32_t n)
{
    const rlxc_expr *of[UCHAR_MAX + 1] = {0}, *dims[RLXC_MAX_NDIM];
    int64_t known;
    for (uint32_t pass = 0; pass < 2; pass++) { /* known sizes come first */
        const char *p = text;
        for (uint32_t i = 0; i < n && !im->failed; i++) {
            const uint32_t length = (uint32_t)strcspn(p, ",-"), ndim = rlxc_ox_ndim(im, parts[i]);
            if (length != ndim)
                return; /* the operator reports it */
            rlxc_ox_dims(im, parts[i], dims);
            for (uint32_t k = 0; k < ndim; k++) {
                const rlxc_expr **d = &of[(unsigned char)p[k]];
                if (!*d || (pass == 0 && rlxc_is_int(dims[k], &known)))
                    *d = dims[k];
                dims[k] = *d;
            }
            if (pass == 1)
                parts[i] = rlxc_ox_state_dims(im, parts[i], dims, UINT32_MAX);
            p += length + (p[length] == ',');
        }
    }
}

void rlxc_ox_import_einsum(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t n = rlxc_ox_n_inputs(im);
    rlxc_atom *parts = rlxc_alloc(im->ctx, (n + 1) * sizeof *parts);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = rlxc_ox_in(im, i);
    if (im->failed)
        return;
    equation eq;
    const char *given = rlxc_ox_str(im, "equation", "");
    int32_t *ranks = rlxc_alloc(im->ctx, ((size_t)n + 1) * sizeof *ranks);
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = (int32_t)rlxc_ox_ndim(im, parts[i]);
    eq.text = rlxc_einsum_letters(im->ctx, given, ranks, n, eq.hidden);
    if (!eq.text) {
        rlxc_ox_fail(im, "the result of the equation \"%s\" has no ellipsis", given);
        return;
    }
    drop_units(im, &eq, parts, n);
    broadcast_hidden(im, &eq, parts, n);
    state_letters(im, eq.text, parts, n);
    rlxc_attr subscripts = rlxc_attr_string(im->ctx, eq.text);
    rlxc_ox_set(im, 0,
                rlxc_ox_op0(im, "einsum", rlxc_atom_tuple(im->ctx, parts, n),
                            rlxc_ox_with(im, (rlxc_attrs){0}, "subscripts", subscripts)));
}
