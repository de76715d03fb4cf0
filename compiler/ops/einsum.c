/* einsum: one kernel with a spatial axis for each letter of the result and a reduction axis for
 * each other letter. Letters may repeat within an operand (a diagonal). */
#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

#include <string.h>

enum { MAX_OPERANDS = 16, N_LETTERS = 128 };

typedef struct subscripts {
    char inputs[MAX_OPERANDS][RLXC_MAX_NDIM];
    uint32_t ranks[MAX_OPERANDS], n_inputs;
    char output[RLXC_MAX_NDIM + 1];
    uint32_t n_output;
    bool open; /* there is an ellipsis, and a rank is not known: nothing else is set */
} subscripts;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Without "->", the result has the ellipsis and the letters that occur once, in order. */
static void add_result(rlxc_text *out, const char *terms, const char *hidden)
{
    rlxc_text_printf(out, "->%s", hidden);
    for (char c = 'A'; c <= 'z'; c++) {
        const char *at = strchr(terms, c);
        if (at && !strchr(hidden, c) && !strchr(at + 1, c))
            rlxc_text_add(out, &c, 1);
    }
}

const char *rlxc_einsum_letters(rlxc_context *ctx, const char *text, const int32_t *ranks,
                                uint32_t n, char hidden[RLXC_MAX_NDIM + 1])
{
    rlxc_text packed = {.ctx = ctx}, out = {.ctx = ctx};
    char free_letters[RLXC_MAX_NDIM + 1];
    uint32_t n_free = 0, most = 0, term = 0;
    for (const char *c = text; *c; c++)
        if (*c != ' ')
            rlxc_text_add(&packed, c, 1);
    const char *p = packed.data ? packed.data : "";
    for (char c = 'Z'; c >= 'A' && n_free < RLXC_MAX_NDIM; c--)
        if (!strchr(p, c))
            free_letters[n_free++] = c;
    bool arrow = false, lost = false;
    for (bool more = true; more; term++) {
        const size_t length = strcspn(p, ",-");
        const char *dots = length >= 3 ? memmem(p, length, "...", 3) : NULL;
        const uint32_t letters = (uint32_t)length - (dots ? 3 : 0);
        const uint32_t ndim = arrow                          ? most + letters
                              : term < n && ranks[term] >= 0 ? (uint32_t)ranks[term]
                                                             : letters;
        uint32_t own = dots && ndim > letters ? ndim - letters : 0;
        own = own < n_free ? own : n_free;
        most = own > most ? own : most;
        lost = lost || (arrow && most > 0 && !dots);
        const size_t before = dots ? (size_t)(dots - p) : length;
        rlxc_text_add(&out, p, before);
        for (uint32_t k = own; k > 0; k--)
            rlxc_text_add(&out, free_letters + k - 1, 1);
        if (dots)
            rlxc_text_add(&out, dots + 3, length - before - 3);
        p += length;
        more = *p != '\0'; /* one separator: operands may be scalars, as in "i,->i" */
        const size_t separator = more ? 1 + (size_t)(*p == '-' && p[1] == '>') : 0;
        arrow = arrow || *p == '-';
        rlxc_text_add(&out, p, separator);
        p += separator;
    }
    for (uint32_t k = 0; k < most; k++)
        hidden[k] = free_letters[most - 1 - k];
    hidden[most] = '\0';
    if (!arrow)
        add_result(&out, rlxc_intern_cstr(ctx, out.data ? out.data : ""), hidden);
    return lost ? NULL : out.data ? out.data : "";
}

static bool parse(const rlxc_call_view *v, subscripts *out)
{
    const char *text = rlxc_attr_get_str(v->call, "subscripts", "");
    const uint32_t n = v->in[0]->n_fields;
    int32_t *ranks = rlxc_alloc(v->ctx, ((size_t)n + 1) * sizeof *ranks);
    char hidden[RLXC_MAX_NDIM + 1];
    bool arrow = false, bad = false;
    *out = (subscripts){.n_inputs = 1};
    for (uint32_t i = 0; i < n; i++) {
        ranks[i] = v->in[0]->fields[i]->ndim;
        out->open = out->open || (ranks[i] == RLXC_UNKNOWN_NDIM && strchr(text, '.'));
    }
    if (out->open)
        return true;
    const char *p = rlxc_einsum_letters(v->ctx, text, ranks, n, hidden);
    if (!p) {
        rlxc_infer_error(v, "the result of subscripts \"%s\" has no ellipsis", text);
        return false;
    }
    for (; *p && !bad; p++) {
        if (p[0] == '-' && p[1] == '>' && !arrow) {
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
    if (bad || out->n_inputs != n) {
        rlxc_infer_error(v, "subscripts \"%s\" do not fit %u operands", text, n);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (ranks[i] != RLXC_UNKNOWN_NDIM && ranks[i] != (int32_t)out->ranks[i]) {
            rlxc_infer_error(v, "operand %u has %d dimensions, its subscripts name %u", i, ranks[i],
                             out->ranks[i]);
            return false;
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
