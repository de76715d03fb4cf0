/* Attention of sequences packed one after the other (attention_var_len; attention.h).
 *
 * A token's sequence and its place there follow from the starts of the sequences; from both, the
 * keys that its query sees are one range of all keys. */
#include "compiler/ops/attention.h"
#include "compiler/ops/compose.h"

#include <string.h>

bool rlxc_attention_has_window(const rlxc_binding *call)
{
    const rlxc_attr *window = rlxc_attrs_find(&call->attrs, "window_size");
    return window && window->kind != RLXC_ATTR_NONE;
}

bool rlxc_attention_is_top_left(const rlxc_binding *call)
{
    return strcmp(rlxc_attr_get_str(call, "causal_mask", "BottomRight"), "TopLeft") == 0;
}

/* Tokens of sequences packed one after the other; int64 vectors, one element a token. */
typedef struct packed_tokens {
    rlxc_atom starts; /* of the sequences */
    rlxc_atom next;   /* number of the sequence after the token's */
    rlxc_atom place;  /* of the token in its sequence */
} packed_tokens;

static rlxc_atom take_rows(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, rlxc_atom at)
{
    rlxc_atom args[2] = {x, at};
    return rlxc_lower_op(b, call, "take", args, 2, rlxc_one_attr(b->ctx, "axis", rlxc_attr_int(0)));
}

/* The element of |starts| before |next|. */
static rlxc_atom start_before(rlxc_builder *b, const rlxc_binding *call, rlxc_atom starts,
                              rlxc_atom next)
{
    rlxc_atom one = rlxc_scalar_atom(b->ctx, RLX_I64, 1);
    return take_rows(b, call, starts, rlxc_lower2(b, call, "subtract", next, one));
}

static packed_tokens read_packed(rlxc_builder *b, const rlxc_binding *call, uint32_t argument,
                                 const rlxc_expr *n_starts, const rlxc_expr *n)
{
    rlxc_context *ctx = b->ctx;
    packed_tokens t = {.starts = rlxc_lower_astype(b, call, call->args[argument], RLX_I64)};
    rlxc_atom count = rlxc_atom_prim(n);
    rlxc_atom index = rlxc_lower_op(b, call, "arange", &count, 1,
                                    rlxc_one_attr(ctx, "dtype", rlxc_attr_dtype(RLX_I64)));
    const rlxc_expr *one = rlxc_i64(ctx, 1), *row[2] = {one, n_starts}, *column[2] = {n, one};
    rlxc_atom begun =
        rlxc_lower2(b, call, "less_equal", rlxc_lower_reshape(b, call, t.starts, row, 2),
                    rlxc_lower_reshape(b, call, index, column, 2));
    rlxc_atom ones = rlxc_lower_astype(b, call, begun, RLX_I64);
    t.next = rlxc_lower_op(b, call, "sum", &ones, 1,
                           rlxc_one_attr(ctx, "axis", rlxc_attr_ints(ctx, (int64_t[]){1}, 1)));
    t.place = rlxc_lower2(b, call, "subtract", index, start_before(b, call, t.starts, t.next));
    return t;
}

/* For each of |queries|, how many of |keys| satisfy key |op| query. */
static rlxc_atom how_many(rlxc_builder *b, const rlxc_binding *call, const char *op, rlxc_atom keys,
                          rlxc_atom queries, const rlxc_expr *n_keys, const rlxc_expr *n_queries)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *one = rlxc_i64(ctx, 1), *row[2] = {one, n_keys}, *column[2] = {n_queries, one};
    rlxc_atom which = rlxc_lower2(b, call, op, rlxc_lower_reshape(b, call, keys, row, 2),
                                  rlxc_lower_reshape(b, call, queries, column, 2));
    rlxc_atom ones = rlxc_lower_astype(b, call, which, RLX_I64);
    return rlxc_lower_op(b, call, "sum", &ones, 1,
                         rlxc_one_attr(ctx, "axis", rlxc_attr_ints(ctx, (int64_t[]){1}, 1)));
}

rlxc_key_range rlxc_attention_key_range(rlxc_builder *b, const rlxc_binding *call,
                                        const rlxc_call_view *v)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *queries = v->in[0]->dims[1], *keys = v->in[1]->dims[1];
    packed_tokens q = read_packed(b, call, 3, v->in[3]->dims[0], queries);
    packed_tokens k = read_packed(b, call, 4, v->in[4]->dims[0], keys);
    rlxc_key_range r = {how_many(b, call, "less", k.next, q.next, keys, queries),
                        how_many(b, call, "less_equal", k.next, q.next, keys, queries)};
    bool causal = rlxc_attr_get_str(call, "causal_mask", NULL) != NULL;
    if (!causal && !rlxc_attention_has_window(call))
        return r;
    /* the key at the query's position */
    rlxc_atom begin = start_before(b, call, k.starts, q.next);
    rlxc_atom last = rlxc_lower2(b, call, "add", q.place, begin);
    if (!rlxc_attention_is_top_left(call)) { /* counted from the end of the sequence of keys */
        rlxc_atom ends[2] = {take_rows(b, call, k.starts, q.next),
                             take_rows(b, call, q.starts, q.next)};
        rlxc_atom other = start_before(b, call, q.starts, q.next);
        rlxc_atom shift =
            rlxc_lower2(b, call, "subtract", rlxc_lower2(b, call, "subtract", ends[0], begin),
                        rlxc_lower2(b, call, "subtract", ends[1], other));
        last = rlxc_lower2(b, call, "add", last, shift);
    }
    rlxc_atom one = rlxc_scalar_atom(ctx, RLX_I64, 1);
    rlxc_atom after = rlxc_lower2(b, call, "add", last, one);
    if (causal)
        r.end = rlxc_lower2(b, call, "minimum", r.end, after);
    if (rlxc_attention_has_window(call)) {
        double size = (double)rlxc_attr_get_int(call, "window_size", 1);
        rlxc_atom near =
            rlxc_lower2(b, call, "subtract", after, rlxc_scalar_atom(ctx, RLX_I64, size));
        r.first = rlxc_lower2(b, call, "maximum", r.first, near);
    }
    return r;
}

rlxc_atom rlxc_attention_packed_mask(rlxc_builder *b, const rlxc_binding *call,
                                     const rlxc_call_view *v)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *one = rlxc_i64(ctx, 1), *keys = v->in[1]->dims[1],
                    *column[2] = {v->in[0]->dims[1], one};
    const rlxc_key_range r = rlxc_attention_key_range(b, call, v);
    rlxc_atom count = rlxc_atom_prim(keys);
    rlxc_atom key = rlxc_lower_op(b, call, "arange", &count, 1,
                                  rlxc_one_attr(ctx, "dtype", rlxc_attr_dtype(RLX_I64)));
    rlxc_atom first = rlxc_lower_reshape(b, call, r.first, column, 2),
              end = rlxc_lower_reshape(b, call, r.end, column, 2);
    return rlxc_lower2(b, call, "logical_and", rlxc_lower2(b, call, "less_equal", first, key),
                       rlxc_lower2(b, call, "greater", end, key));
}
