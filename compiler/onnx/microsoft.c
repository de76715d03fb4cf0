/* Operators in the language models that ONNX Runtime's model builder writes (domain com.microsoft).
 *
 * GroupQueryAttention appends keys and values to caches whose rows of a batch are filled to
 * different lengths, seqlens_k + 1 with what is new. Results are caches of max(length of the old
 * ones, total_sequence_length) positions; unfilled ones keep their old value, or 0. Capped scores,
 * and scores that share their softmax with a sink, are composed of several operators; others are
 * one operator. Not supported: integer caches, scores as a result. */
#include <math.h>
#include <stdint.h>

#include "compiler/onnx/attention.h"
#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/norm.h"
#include "compiler/onnx/standard.h"
#include "compiler/onnx/window.h"
#include "compiler/ops/compose.h"

enum {
    QUERY,
    KEY,
    VALUE,
    PAST_KEY,
    PAST_VALUE,
    SEQLENS,
    TOTAL,
    COS,
    SIN,
    POSITIONS,
    BIAS,
    SINK,
    FURTHER,
    QUERY_NORM = 14,
    KEY_NORM,
    AFTER
};

typedef struct grouped {
    int64_t heads, shared, size;
    const rlxc_expr *batch, *queries, *places; /* of the new caches */
    rlxc_atom place;                           /* (batch, 1, queries, 1): of the queries there */
} grouped;

/* |x| (batch, queries, heads * size) as (batch, queries, heads, size). */
static rlxc_atom split_heads(rlxc_ox *im, const grouped *g, rlxc_atom x, int64_t heads)
{
    const rlxc_expr *dims[4] = {g->batch, g->queries, rlxc_ox_i(im, heads), rlxc_ox_i(im, g->size)};
    return rlxc_ox_reshape(im, x, dims, 4);
}

/* Queries, keys and values: three inputs, or one that concatenates them. */
static void read_heads(rlxc_ox *im, grouped *g, rlxc_atom out[3])
{
    rlxc_atom x = rlxc_ox_in(im, QUERY);
    const bool packed = !rlxc_ox_has(im, KEY);
    const int64_t parts = packed ? g->heads + 2 * g->shared : g->heads;
    const int64_t width = rlxc_ox_need_dim(im, x, 2, "the width of the query");
    g->batch = rlxc_ox_dim(im, x, 0);
    g->queries = rlxc_ox_dim(im, x, 1);
    g->size = width / parts;
    if (g->size < 1 || width % parts != 0) {
        rlxc_ox_fail(im, "%lld elements do not divide into %lld heads", (long long)width,
                     (long long)parts);
        return;
    }
    int64_t begin = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t heads = i ? g->shared : g->heads, end = begin + heads * g->size;
        rlxc_atom part = packed
                             ? rlxc_ox_slice(im, x, 2, rlxc_ox_i(im, begin), rlxc_ox_i(im, end), 1)
                             : rlxc_ox_in(im, i);
        out[i] = split_heads(im, g, part, heads);
        begin = end;
    }
}

static rlxc_atom rotate(rlxc_ox *im, const grouped *g, rlxc_atom x)
{
    const rlxc_expr *dims[2] = {g->batch, g->queries};
    const int64_t axis[1] = {2};
    rlxc_atom turn[2], place = rlxc_ox_has(im, POSITIONS) ? rlxc_ox_in(im, POSITIONS)
                                                          : rlxc_ox_reshape(im, g->place, dims, 2);
    const int64_t half = rlxc_ox_need_dim(im, rlxc_ox_in(im, COS), 1, "the number of angles");
    if (half > g->size / 2) {
        rlxc_ox_fail(im, "%lld angles for heads of %lld", (long long)half, (long long)g->size);
        return x;
    }
    for (uint32_t i = 0; i < 2; i++) {
        turn[i] = rlxc_ox_take(im, rlxc_ox_in(im, COS + i), place, 0);
        turn[i] = rlxc_ox_expand_dims(im, turn[i], axis, 1);
    }
    return rlxc_ox_rotated(im, x, turn, 2 * half, rlxc_ox_int(im, "rotary_interleaved", 0) != 0);
}

/* The cache of input |past| with |x| (batch, queries, heads, size) written at the queries'
 * positions. */
static rlxc_atom append(rlxc_ox *im, const grouped *g, uint32_t past, rlxc_atom x)
{
    static const int64_t swap[4] = {0, 2, 1, 3};
    const rlxc_expr *dims[4] = {g->batch, rlxc_ox_i(im, g->shared), g->queries,
                                rlxc_ox_i(im, g->size)};
    x = rlxc_ox_transpose(im, x, swap, 4);
    if (!rlxc_ox_has(im, past))
        return x;
    rlxc_atom cache = rlxc_ox_in(im, past);
    const rlxc_expr *have = rlxc_ox_dim(im, cache, 2);
    if (!rlxc_prove_eq(im->ctx, have, g->places, NULL))
        cache = rlxc_ox_pad_axis(im, cache, 2, rlxc_ox_i(im, 0), rlxc_sub(im->ctx, g->places, have),
                                 "constant", rlxc_ox_number(im, rlxc_ox_type(im, cache), 0));
    const rlxc_atom args[3] = {cache, rlxc_ox_broadcast(im, g->place, dims, 4), x};
    return rlxc_ox_opv(im, "scatter_elements", args, 3,
                       rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 2));
}

/* The bias of the scores, which hides keys after the query and before the window. */
static rlxc_atom bias_of(rlxc_ox *im, const grouped *g, rlx_dtype t)
{
    const int64_t window = rlxc_ox_int(im, "local_window_size", -1);
    rlxc_atom key = rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), g->places), 3, 4);
    rlxc_atom seen = rlxc_ox_op2(im, "less_equal", key, g->place);
    if (window > 0) {
        rlxc_atom by = rlxc_ox_number(im, RLX_I64, (double)window);
        rlxc_atom near = rlxc_ox_op2(im, "greater", key, rlxc_ox_op2(im, "subtract", g->place, by));
        seen = rlxc_ox_op2(im, "logical_and", seen, near);
    }
    rlxc_atom bias = rlxc_ox_number(im, t, 0);
    if (rlxc_ox_has(im, BIAS)) { /* as long as the sequence, which the caches may exceed */
        bias = rlxc_ox_cast(im, rlxc_ox_in(im, BIAS), t);
        const rlxc_expr *have = rlxc_ox_ndim(im, bias) == 4 ? rlxc_ox_dim(im, bias, 3) : NULL;
        if (!have)
            rlxc_ox_fail(im, "attention_bias has %u dimensions, expected 4",
                         rlxc_ox_ndim(im, bias));
        else if (!rlxc_prove_eq(im->ctx, have, g->places, NULL))
            bias =
                rlxc_ox_pad_axis(im, bias, 3, rlxc_ox_i(im, 0), rlxc_sub(im->ctx, g->places, have),
                                 "constant", rlxc_ox_number(im, t, 0));
    }
    return rlxc_ox_op3(im, "where", seen, bias, rlxc_ox_number(im, t, -(double)INFINITY));
}

/* The sink: true if each row of scores has an extra one without a key, that of its head, or 0. */
static bool has_sink(rlxc_ox *im)
{
    return rlxc_ox_has(im, SINK) || rlxc_ox_int(im, "smooth_softmax", 0) > 0;
}

/* exp(score) by the sum of its row, the sink's included; |scores| (batch, shared, heads of each,
 * queries, keys). */
static rlxc_atom softmax(rlxc_ox *im, const grouped *g, rlxc_atom scores)
{
    const int64_t last[1] = {4};
    const rlx_dtype t = rlxc_ox_type(im, scores);
    const rlxc_expr *one = rlxc_ox_i(im, 1);
    const rlxc_expr *dims[4] = {rlxc_ox_i(im, g->shared), rlxc_ox_i(im, g->heads / g->shared), one,
                                one};
    if (!has_sink(im))
        return rlxc_ox_op0(im, "nn.softmax", scores,
                           rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 4));
    rlxc_atom sink = rlxc_ox_number(im, t, 0);
    if (rlxc_ox_has(im, SINK))
        sink = rlxc_ox_reshape(im, rlxc_ox_cast(im, rlxc_ox_in(im, SINK), t), dims, 4);
    rlxc_atom most = rlxc_ox_reduce(im, "max", scores, last, 1, true);
    most = rlxc_ox_op2(im, "maximum", most, sink);
    rlxc_atom e = rlxc_ox_op1(im, "exp", rlxc_ox_op2(im, "subtract", scores, most));
    rlxc_atom more = rlxc_ox_op1(im, "exp", rlxc_ox_op2(im, "subtract", sink, most));
    rlxc_atom sum = rlxc_ox_op2(im, "add", rlxc_ox_reduce(im, "sum", e, last, 1, true), more);
    return rlxc_ox_op2(im, "divide", e, sum);
}

/* The result (batch, queries, heads, size) of queries |x[0]| of such dimensions, caches |x[1]|,
 * |x[2]| (batch, shared, keys, size) and |x[3]|, the bias of the scores. */
static rlxc_atom as_products(rlxc_ox *im, const grouped *g, const rlxc_atom x[4], double scale,
                             double cap)
{
    static const int64_t by_head[5] = {0, 2, 3, 1, 4}, turned[4] = {0, 1, 3, 2},
                         by_query[5] = {0, 3, 1, 2, 4};
    const rlx_dtype t = rlxc_ox_type(im, x[3]);
    const rlxc_expr *shared = rlxc_ox_i(im, g->shared), *size = rlxc_ox_i(im, g->size),
                    *each = rlxc_ox_i(im, g->heads / g->shared);
    const rlxc_expr *split[5] = {g->batch, g->queries, shared, each, size};
    const rlxc_expr *whole[4] = {g->batch, g->queries, rlxc_ox_i(im, g->heads), size};
    const int64_t third[1] = {2};
    rlxc_atom q =
        rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, x[0], t), rlxc_ox_number(im, t, scale));
    q = rlxc_ox_transpose(im, rlxc_ox_reshape(im, q, split, 5), by_head, 5);
    rlxc_atom k = rlxc_ox_transpose(im, rlxc_ox_cast(im, x[1], t), turned, 4);
    rlxc_atom s = rlxc_ox_op2(im, "matmul", q, rlxc_ox_expand_dims(im, k, third, 1));
    if (cap != 0) {
        rlxc_atom c = rlxc_ox_number(im, t, cap);
        s = rlxc_ox_op2(im, "multiply", rlxc_ox_op1(im, "tanh", rlxc_ox_op2(im, "divide", s, c)),
                        c);
    }
    rlxc_atom bias = x[3];
    const rlxc_expr *dims[5] = {rlxc_ox_dim(im, bias, 0), rlxc_ox_i(im, 1), rlxc_ox_i(im, 1),
                                rlxc_ox_dim(im, bias, 2), rlxc_ox_dim(im, bias, 3)};
    if (!rlxc_is_const(rlxc_ox_dim(im, bias, 1), 1)) {
        dims[1] = shared;
        dims[2] = each;
    }
    s = rlxc_ox_op2(im, "add", s, rlxc_ox_reshape(im, bias, dims, 5));
    rlxc_atom v = rlxc_ox_expand_dims(im, rlxc_ox_cast(im, x[2], t), third, 1);
    rlxc_atom y = rlxc_ox_op2(im, "matmul", softmax(im, g, s), v);
    y = rlxc_ox_reshape(im, rlxc_ox_transpose(im, y, by_query, 5), whole, 4);
    return rlxc_ox_cast(im, y, rlxc_ox_type(im, x[0]));
}

/* Checks that attributes and inputs are supported. */
static bool is_known(rlxc_ox *im, const grouped *g)
{
    if (g->heads < 1 || g->heads > INT32_MAX || g->shared < 1 || g->heads % g->shared != 0)
        rlxc_ox_fail(im, "num_heads must be an int32 and a multiple of kv_num_heads");
    static const struct {
        const char *name;
        int64_t only;
    } rows[] = {{"qk_output", 0}, {"sliding_window_cache", 0}, {"causal", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rlxc_ox_int(im, rows[i].name, rows[i].only) != rows[i].only)
            rlxc_ox_fail(im, "%s %lld is not supported", rows[i].name,
                         (long long)rlxc_ox_int(im, rows[i].name, 0));
    if (!rlxc_ox_is(im, "k_quant_type", "NONE", "NONE") ||
        !rlxc_ox_is(im, "v_quant_type", "NONE", "NONE"))
        rlxc_ox_fail(im, "caches of integers are not supported");
    for (uint32_t i = FURTHER; i < rlxc_ox_n_inputs(im); i++)
        if (rlxc_ox_has(im, i) && (i < QUERY_NORM || i >= AFTER))
            rlxc_ox_fail(im, "input %u is not supported", i);
    if (rlxc_ox_has(im, QUERY_NORM) != rlxc_ox_has(im, KEY_NORM))
        rlxc_ox_fail(im, "one of q_norm_weight and k_norm_weight is missing");
    return rlxc_ox_good(im);
}

void rlxc_ox_import_group_query_attention(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x[4] = {{0}};
    grouped g = {.heads = rlxc_ox_int(im, "num_heads", 0),
                 .shared = rlxc_ox_int(im, "kv_num_heads", 0)};
    if (!is_known(im, &g))
        return;
    read_heads(im, &g, x);
    const rlxc_expr *total = rlxc_ox_one(im, TOTAL), *one = rlxc_ox_i(im, 1);
    if (!total || !rlxc_ox_good(im))
        return;
    g.places = g.queries;
    if (rlxc_ox_has(im, PAST_KEY))
        g.places = rlxc_canonical(
            im->ctx,
            rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_ox_dim(im, rlxc_ox_in(im, PAST_KEY), 2), total),
            NULL);
    const rlxc_expr *dims[4] = {g.batch, one, one, one};
    rlxc_ox_check_elements(im, rlxc_ox_in(im, SEQLENS), rlxc_ox_i(im, 0), g.places,
                           "number of seqlens_k");
    /* prompts of all lengths begin at 0 */
    rlxc_atom last =
        rlxc_ox_reshape(im, rlxc_ox_cast(im, rlxc_ox_in(im, SEQLENS), RLX_I64), dims, 4);
    rlxc_atom after = rlxc_ox_scalar(
        im, rlxc_canonical(im->ctx, rlxc_sub(im->ctx, g.queries, one), NULL), RLX_I64);
    g.place = rlxc_ox_op2(im, "maximum", rlxc_ox_op2(im, "subtract", last, after),
                          rlxc_ox_number(im, RLX_I64, 0));
    g.place = rlxc_ox_op2(im, "add", g.place,
                          rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), g.queries), 2, 4));
    for (uint32_t i = 0; i < 2 && rlxc_ox_has(im, QUERY_NORM); i++)
        x[i] = rlxc_ox_rms_norm(im, x[i], rlxc_ox_in(im, QUERY_NORM + i), -1,
                                rlxc_ox_float(im, "qk_norm_epsilon", 1e-6));
    for (uint32_t i = 0; i < 2 && rlxc_ox_int(im, "do_rotary", 0) != 0; i++)
        x[i] = rotate(im, &g, x[i]);
    for (uint32_t i = 0; i < 2; i++) {
        x[1 + i] = append(im, &g, PAST_KEY + i, x[1 + i]);
        rlxc_ox_set(im, 1 + i, x[1 + i]);
    }
    const rlx_dtype t = rlxc_ox_type(im, x[0]);
    x[3] = bias_of(im, &g, rlxc_ox_wide(t));
    double scale = rlxc_ox_float(im, "scale", 0);
    scale = scale == 0 ? 1 / sqrt((double)g.size) : scale;
    rlxc_attrs attrs = rlxc_one_attr(im->ctx, "scale", rlxc_attr_float(scale));
    attrs = rlxc_and_attr(im->ctx, attrs, "unseen_zero", rlxc_attr_bool(true));
    attrs = rlxc_and_attr(im->ctx, attrs, "layout", rlxc_attr_string(im->ctx, "BHSD"));
    const double cap = rlxc_ox_float(im, "softcap", 0);
    attrs = rlxc_and_attr(im->ctx, attrs, "softcap", rlxc_attr_float(cap));
    rlxc_atom y = has_sink(im) ? as_products(im, &g, x, scale, cap)
                               : rlxc_ox_opv(im, "nn.attention_as_stored", x, 4, attrs);
    const rlxc_expr *flat[3] = {g.batch, g.queries, rlxc_ox_i(im, g.heads * g.size)};
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, y, flat, 3));
}

/* For each of |half| angles, its position stream out of three: consecutive, or interleaved, by
 * attribute mrope_section. NULL: the node fails. */
static const double *streams_of(rlxc_ox *im, int64_t half)
{
    enum { STREAMS = 3, MOST_ANGLES = 1 << 16 };
    int64_t section[STREAMS] = {0}, all = 0;
    const int64_t layout = rlxc_ox_int(im, "mrope_layout", 0);
    uint32_t n = 0;
    rlxc_ox_ints(im, "mrope_section", section, STREAMS, &n);
    for (uint32_t i = 0; i < n && section[i] >= 0 && section[i] <= half; i++)
        all += section[i];
    if (n != STREAMS || all != half || half > MOST_ANGLES || layout < 0 || layout > 1) {
        rlxc_ox_fail(im,
                     "mrope_section has %u numbers with a sum of %lld for %lld angles, layout %lld",
                     n, (long long)all, (long long)half, (long long)layout);
        return NULL;
    }
    double *out = rlxc_alloc(im->ctx, ((size_t)half + 1) * sizeof *out);
    for (int64_t i = 0; i < half; i++) {
        if (layout == 0)
            out[i] = i < section[0] ? 0 : i < section[0] + section[1] ? 1 : 2;
        else
            out[i] = i < STREAMS * section[i % STREAMS] ? (double)(i % STREAMS) : 0;
    }
    return out;
}

/* Rows of |table| at |place| (3, batch, length), each angle by its stream. */
static rlxc_atom gathered_by_stream(rlxc_ox *im, rlxc_atom table, rlxc_atom place, int64_t half)
{
    const double *streams = streams_of(im, half);
    if (!streams)
        return table;
    const rlxc_atom of = rlxc_ox_const_tensor(im, RLX_I64, 1, &half, streams);
    rlxc_atom y = {0};
    for (uint32_t k = 0; k < 3; k++) {
        const rlxc_atom which = rlxc_ox_number(im, RLX_I64, k);
        const rlxc_atom in[2] = {table, rlxc_ox_take_inside(im, place, which, 0)};
        const rlxc_atom part = rlxc_ox_standard(im, "Gather", in, 2);
        y = k ? rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "equal", of, which), part, y) : part;
    }
    return y;
}

/* Rotates pairs of elements by the angles of their positions, which are given for each row of the
 * batch, or as the first position; with |row->arg| there are three position streams. */
void rlxc_ox_import_placed_rotary_embedding(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom x = rlxc_ox_in(im, 0), place = rlxc_ox_in(im, 1), turn[2];
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlxc_expr *given[RLXC_MAX_NDIM];
    const int64_t half = rlxc_ox_need_dim(im, rlxc_ox_in(im, 2), 1, "the number of angles");
    int64_t size = half > INT32_MAX ? 0 : 2 * half;
    if (!rlxc_ox_good(im))
        return;
    if (ndim != 3 && ndim != 4) {
        rlxc_ox_fail(im, "input 0 has %u dimensions, expected 3 or 4", ndim);
        return;
    }
    rlxc_ox_dims(im, x, given);
    const rlxc_expr *length = given[ndim == 3 ? 1 : 2];
    const int64_t width = rlxc_ox_need_dim(im, x, ndim - 1, "the width of the input");
    const int64_t heads = rlxc_ox_int(im, "num_heads", 0);
    if (ndim == 4)
        size = width;
    else if (heads > 0)
        size = width / heads;
    if (size < 1 || width % size != 0 || (ndim == 3 && heads > 0 && width / size != heads) ||
        half > size / 2) {
        rlxc_ox_fail(im, "%lld angles for %lld elements, %lld a head", (long long)half,
                     (long long)width, (long long)size);
        return;
    }
    if (ndim == 3) { /* (batch, length, heads, size) */
        const rlxc_expr *dims[4] = {given[0], length, rlxc_ox_i(im, width / size),
                                    rlxc_ox_i(im, size)};
        x = rlxc_ox_reshape(im, x, dims, 4);
    }
    if (row->arg) {
        const rlxc_expr *three = rlxc_ox_i(im, 3);
        if (rlxc_ox_ndim(im, place) != 3) {
            rlxc_ox_fail(im, "position_ids has %u dimensions, expected 3", rlxc_ox_ndim(im, place));
            return;
        }
        place = rlxc_ox_state_dims(im, place, &three, 1u << 0);
    } else if (rlxc_ox_ndim(im, place) == 1) {
        rlxc_atom first = rlxc_ox_cast(im, rlxc_ox_reshape(im, place, NULL, 0), RLX_I64);
        place = rlxc_ox_op2(im, "add", rlxc_ox_arange(im, rlxc_ox_i(im, 0), length), first);
    }
    const int64_t axis[1] = {ndim == 3 ? -2 : -3};
    for (uint32_t i = 0; i < 2; i++) {
        const rlxc_atom in[2] = {rlxc_ox_in(im, 2 + i), place};
        turn[i] = row->arg /* ((batch,) length, half) */
                      ? gathered_by_stream(im, in[0], in[1], half)
                      : rlxc_ox_standard(im, "Gather", in, 2);
        if (ndim == 3 || rlxc_ox_ndim(im, turn[i]) == 3)
            turn[i] = rlxc_ox_expand_dims(im, turn[i], axis, 1);
    }
    x = rlxc_ox_rotated(im, x, turn, 2 * half, rlxc_ox_int(im, "interleaved", 0) != 0);
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, x, given, ndim));
}
