/* Ranks that are known only at run time: checks of the ranks that an operator permits, and the
 * values that select its code (compiler/passes/split_ranks.c). */
#include <stdio.h>

#include "builtins/builtins.h"

enum { RANKS = 32, LIST_TEXT = 96, MOST_TEXT = 200 };

/* The number of dimensions of args[0], a tensor or a shape. */
static rlx_status rank_of(const rlx_value *args, int64_t *out, rlx_error *err)
{
    rlx_tensor *x;
    if (args[0].kind == RLX_KIND_SHAPE) {
        *out = rlx_shape_ndim(args[0].as.shape);
        return RLX_OK;
    }
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    *out = rlx_tensor_ndim(x);
    return RLX_OK;
}

/* The last dimension of args[0]; -1 if its rank is 0. */
static rlx_status last_dim_of(const rlx_value *args, int64_t *out, rlx_error *err)
{
    rlx_tensor *x;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    const uint32_t ndim = rlx_tensor_ndim(x);
    *out = ndim > 0 ? rlx_tensor_dims(x)[ndim - 1] : -1;
    return RLX_OK;
}

/* "4", "1 to 3 or 5": the numbers of |set|. */
static void set_text(uint64_t set, char out[LIST_TEXT])
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < RANKS && used + 16 < LIST_TEXT; i++) {
        uint32_t last = i;
        if (!(set >> i & 1))
            continue;
        while (set >> (last + 1) & 1)
            last++;
        const char *before = used == 0 ? "" : set >> (last + 1) ? ", " : " or ";
        used += (size_t)snprintf(out + used, LIST_TEXT - used, "%s%u", before, i);
        if (last > i)
            used += (size_t)snprintf(out + used, LIST_TEXT - used, " to %u", last);
        i = last;
    }
}

/* Fails unless |have| is in the set args[1]; args[2] names the operand for the message. */
static rlx_status check(const rlx_value *args, uint32_t n, int64_t have, const char *what,
                        rlx_value *out, rlx_error *err)
{
    int64_t set;
    char expected[LIST_TEXT];
    RLX_TRY(rlxb_int(args, 1, &set, err));
    const rlx_str name = rlxb_text(args, n, 2);
    set &= UINT32_MAX;
    if (have >= 0 && have < RANKS && (set >> have & 1)) {
        *out = rlx_value_retain(args[0]);
        return RLX_OK;
    }
    set_text((uint64_t)set, expected);
    return rlx_fail(err, RLX_E_SHAPE, "%.*s has %s%lld, expected %s",
                    name.len < MOST_TEXT ? (int)name.len : MOST_TEXT, name.data, what,
                    (long long)have, expected);
}

rlx_status rlxb_check_rank(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                           rlx_error *err)
{
    (void)cc;
    int64_t have;
    RLX_TRY(rank_of(args, &have, err));
    return check(args, n, have, "a rank of ", out, err);
}

rlx_status rlxb_check_last_dim(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                               rlx_value *out, rlx_error *err)
{
    (void)cc;
    int64_t have;
    RLX_TRY(last_dim_of(args, &have, err));
    return check(args, n, have, "a last dimension of ", out, err);
}

static rlx_status equals(rlx_call_context *cc, const rlx_value *args, int64_t have, rlx_value *out,
                         rlx_error *err)
{
    int64_t wanted;
    RLX_TRY(rlxb_int(args, 1, &wanted, err));
    return rlxb_scalar_of(cc, RLX_B8, have == wanted, out, err);
}

rlx_status rlxb_has_rank(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    (void)n;
    int64_t have;
    RLX_TRY(rank_of(args, &have, err));
    return equals(cc, args, have, out, err);
}

rlx_status rlxb_has_last_dim(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                             rlx_value *out, rlx_error *err)
{
    (void)n;
    int64_t have;
    RLX_TRY(last_dim_of(args, &have, err));
    return equals(cc, args, have, out, err);
}
