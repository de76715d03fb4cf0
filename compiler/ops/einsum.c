/* einsum: one kernel with a spatial axis for each letter of the result and a reduction axis for
 * each other letter. Letters may repeat within an operand (a diagonal). An ellipsis stands for the
 * dimensions that an operand has beyond its letters; they get letters that the text does not use,
 * from the right, and must have equal sizes. */
#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

#include <string.h>

enum { MAX_OPERANDS = 16, N_LETTERS = 128 };

typedef struct subscripts {
    char inputs[MAX_OPERANDS][RLXC_MAX_NDIM];
    uint32_t ranks[MAX_OPERANDS], n_inputs;
    char output[RLXC_MAX_NDIM + 1];
    uint32_t n_output;
    uint32_t dots[MAX_OPERANDS + 1]; /* of the result: the last; letters before "...", plus 1 */
    bool open; /* an operand with an ellipsis has an unknown rank: nothing else is complete */
} subscripts;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Without "->" the result has the letters that occur once, in order. */
static void implicit_output(subscripts *s)
{
    for (int c = 'A'; c <= 'z'; c++) {
        uint32_t seen = 0;
        for (uint32_t i = 0; i < s->n_inputs; i++)
            for (uint32_t k = 0; k < s->ranks[i]; k++)
                seen += s->inputs[i][k] == c;
        if (seen == 1 && s->n_output < RLXC_MAX_NDIM)
            s->output[s->n_output++] = (char)c;
    }
}

/* Puts the last |count| of the |names|, which are in reverse order, before letter |at|. */
static void insert(char *letters, uint32_t *io_n, uint32_t at, const char *names, uint32_t count)
{
    memmove(letters + at + count, letters + at, *io_n - at);
    for (uint32_t k = 0; k < count; k++)
        letters[at + k] = names[count - 1 - k];
    *io_n += count;
}

/* Replaces each ellipsis by letters; false after an error. */
static bool expand_dots(const rlxc_call_view *v, const char *text, bool arrow, subscripts *s)
{
    char names[RLXC_MAX_NDIM];
    uint32_t n = 0, most = 0;
    bool any = false;
    for (char c = 'Z'; c >= 'A' && n < RLXC_MAX_NDIM; c--)
        if (!strchr(text, c))
            names[n++] = c;
    for (uint32_t i = 0; i < s->n_inputs; i++) {
        const int32_t ndim = v->in[0]->fields[i]->ndim;
        if (s->dots[i] == 0)
            continue;
        any = true;
        if (ndim == RLXC_UNKNOWN_NDIM) {
            s->open = true;
            continue;
        }
        const uint32_t hidden = (uint32_t)ndim > s->ranks[i] ? (uint32_t)ndim - s->ranks[i] : 0;
        if (hidden > n) {
            rlxc_infer_error(v, "subscripts \"%s\" use too many letters", text);
            return false;
        }
        insert(s->inputs[i], &s->ranks[i], s->dots[i] - 1, names, hidden);
        most = hidden > most ? hidden : most;
    }
    const uint32_t dots = s->dots[MAX_OPERANDS];
    if (s->open)
        return true;
    if ((arrow && most > 0 && dots == 0) || (dots > 0 && !any)) {
        rlxc_infer_error(v, "subscripts \"%s\" have an ellipsis on one side only", text);
        return false;
    }
    if (s->n_output + most > RLXC_MAX_NDIM) {
        rlxc_infer_error(v, "the result would have more than %d dimensions", RLXC_MAX_NDIM);
        return false;
    }
    insert(s->output, &s->n_output, dots > 0 ? dots - 1 : 0, names, most);
    return true;
}

static bool parse(const rlxc_call_view *v, subscripts *out)
{
    const char *text = rlxc_attr_get_str(v->call, "subscripts", ""), *p = text;
    *out = (subscripts){.n_inputs = 1};
    bool arrow = false, bad = false;
    for (; *p && !bad; p++) {
        const uint32_t operand = arrow ? MAX_OPERANDS : out->n_inputs - 1;
        if (*p == ' ')
            continue;
        if (strncmp(p, "...", 3) == 0 && out->dots[operand] == 0) {
            out->dots[operand] = 1 + (arrow ? out->n_output : out->ranks[operand]);
            p += 2;
        } else if (p[0] == '-' && p[1] == '>' && !arrow) {
            arrow = true;
            p++;
        } else if (*p == ',' && !arrow && out->n_inputs < MAX_OPERANDS) {
            out->n_inputs++;
        } else if (is_letter(*p) && arrow && out->n_output < RLXC_MAX_NDIM) {
            bad = memchr(out->output, *p, out->n_output) != NULL;
            out->output[out->n_output++] = *p;
        } else if (is_letter(*p) && !arrow && out->ranks[out->n_inputs - 1] < RLXC_MAX_NDIM) {
            uint32_t i = out->n_inputs - 1;
            out->inputs[i][out->ranks[i]++] = *p;
        } else {
            bad = true;
        }
    }
    if (bad || out->n_inputs != v->in[0]->n_fields) {
        rlxc_infer_error(v, "subscripts \"%s\" do not fit %u operands", text, v->in[0]->n_fields);
        return false;
    }
    if (!arrow)
        implicit_output(out);
    if (!expand_dots(v, text, arrow, out))
        return false;
    for (uint32_t i = 0; i < out->n_inputs; i++) {
        const rlxc_sinfo *s = v->in[0]->fields[i];
        if (s->ndim != RLXC_UNKNOWN_NDIM && s->ndim != (int32_t)out->ranks[i]) {
            rlxc_infer_error(v, "operand %u has %d dimensions, its subscripts name %u", i, s->ndim,
                             out->ranks[i]);
            return false;
        }
    }
    return true;
}

/* The dimension each letter stands for; false after an error or when unknown. */
static bool letter_dims(const rlxc_call_view *v, const subscripts *s,
                        const rlxc_expr *dims[N_LETTERS], bool *out_error)
{
    uint32_t firsts[N_LETTERS]; /* operand and dimension */
    *out_error = false;
    memset(dims, 0, N_LETTERS * sizeof dims[0]);
    for (uint32_t i = 0; i < s->n_inputs; i++) {
        const rlxc_sinfo *x = v->in[0]->fields[i];
        if (!rlxc_dims_known(x))
            return false;
        for (uint32_t k = 0; k < s->ranks[i]; k++) {
            const rlxc_expr **d = &dims[(unsigned char)s->inputs[i][k]];
            if (*d && rlxc_prove_ne(v->ctx, *d, x->dims[k], NULL)) {
                rlxc_infer_error(v, "subscript '%c' has two different sizes", s->inputs[i][k]);
                *out_error = true;
                return false;
            }
            uint32_t *first = &firsts[(unsigned char)s->inputs[i][k]];
            if (!*d) {
                *d = x->dims[k];
                *first = i << 8 | k;
            } else if (!rlxc_require_equal(v, rlxc_size_of_field(v, 0, *first >> 8, *first & 255),
                                           rlxc_size_of_field(v, 0, i, k))) {
                *out_error = true;
                return false;
            }
        }
    }
    return true;
}

const rlxc_sinfo *rlxc_infer_einsum(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    subscripts s;
    const rlxc_expr *of[N_LETTERS];
    bool error;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !parse(&v, &s))
        return NULL;
    rlx_dtype dtype = v.in[0]->fields[0]->dtype;
    for (uint32_t i = 1; i < s.n_inputs; i++)
        if (!rlxc_dtype_eq(dtype, v.in[0]->fields[i]->dtype))
            return rlxc_infer_error(&v, "operands 0 and %u differ in element type", i);
    if (s.open)
        return rlxc_tensor_ndim(&v, dtype, RLXC_UNKNOWN_NDIM);
    if (!letter_dims(&v, &s, of, &error))
        return error ? NULL : rlxc_tensor_ndim(&v, dtype, (int32_t)s.n_output);
    rlxc_dims dims = {.n = s.n_output};
    for (uint32_t i = 0; i < s.n_output; i++) {
        dims.at[i] = of[(unsigned char)s.output[i]];
        if (!dims.at[i])
            return rlxc_infer_error(&v, "subscript '%c' of the result appears in no operand",
                                    s.output[i]);
    }
    return rlxc_tensor_of(&v, dtype, &dims);
}

rlxc_atom rlxc_legalize_einsum(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    subscripts s;
    const rlxc_expr *axis[N_LETTERS] = {0}, *dims[N_LETTERS] = {0};
    if (!rlxc_te_begin(&te, b, call, "einsum", RLXC_PATTERN_OUT_FUSABLE) || !parse(&te.view, &s))
        return (rlxc_atom){0};
    if (s.open) {
        rlxc_infer_error(&te.view, "cannot be compiled: ranks are not known");
        return (rlxc_atom){0};
    }
    rlxc_te_operand x[MAX_OPERANDS];
    for (uint32_t i = 0; i < s.n_inputs; i++) {
        x[i] = rlxc_te_field_of(&te, 0, i, "operand");
        for (uint32_t k = 0; k < s.ranks[i]; k++) {
            const rlxc_expr **d = &dims[(unsigned char)s.inputs[i][k]];
            if (!*d)
                *d = x[i].dims[k];
        }
    }
    const rlxc_buffer *out = rlxc_te_output(&te, "T_einsum");
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    const rlxc_buffer *acc = out;
    if (!rlxc_dtype_eq(dtype, out->dtype))
        acc = rlxc_te_temp(&te, "T_einsum_acc", dtype, out->shape, out->ndim);
    rlxc_te_block(&te, "T_einsum");
    for (uint32_t i = 0; i < s.n_output; i++)
        axis[(unsigned char)s.output[i]] =
            rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, rlxc_internf(ctx, "ax%u", i), out->shape[i]);
    const rlxc_expr *value = NULL;
    for (uint32_t i = 0; i < s.n_inputs; i++) {
        const rlxc_expr *at[RLXC_MAX_NDIM];
        for (uint32_t k = 0; k < s.ranks[i]; k++) {
            unsigned char c = (unsigned char)s.inputs[i][k];
            if (!axis[c])
                axis[c] =
                    rlxc_te_axis(&te, RLXC_AXIS_REDUCE, rlxc_internf(ctx, "k_%c", c), dims[c]);
            at[k] = axis[c];
        }
        const rlxc_expr *factor = rlxc_te_widen(&te, rlxc_te_get(&te, &x[i], at));
        value = value ? rlxc_mul(ctx, value, factor) : factor;
    }
    if (te.n_axes == s.n_output) { /* nothing is summed */
        rlxc_te_store(&te, acc, value);
    } else {
        rlxc_te_reduce(&te, acc, rlxc_te_number(ctx, dtype, 0),
                       rlxc_add(ctx, rlxc_te_load(&te, acc, te.axes), value));
    }
    if (acc != out) {
        rlxc_te_spatial(&te, "compute", out);
        rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, rlxc_te_load(&te, acc, te.axes)));
    }
    return rlxc_te_finish(&te);
}
