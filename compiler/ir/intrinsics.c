/* The intrinsic table as an array, and facts that follow from a row alone: result types and the
 * constants that TVMScript spells as calls (T.infinity("float32")). Code generation is
 * compiler/codegen/llvm_intrinsics.c. */
#include "compiler/ir/intrinsics.h"

#include <math.h>
#include <string.h>

#include "rlx/floats.h"

static const rlxc_intrinsic rows[] = {
#define RLXC_INTRINSIC(name, min, max, result, lowering, symbol) \
    {#name, min, max, RLXC_RESULT_##result, RLXC_LOWER_##lowering, symbol, RLXC_INTRINSIC_##name},
#include "compiler/ir/intrinsics.def"
#undef RLXC_INTRINSIC
};

const rlxc_intrinsic *rlxc_intrinsics(uint32_t *out_count)
{
    *out_count = RLXC_N_INTRINSICS;
    return rows;
}

const rlxc_intrinsic *rlxc_find_intrinsic(const char *name, size_t length)
{
    for (uint32_t i = 0; i < RLXC_N_INTRINSICS; i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

rlx_dtype rlxc_intrinsic_dtype(const rlxc_intrinsic *row, rlx_dtype given,
                               const rlxc_expr *const *args, uint32_t n)
{
    switch (row->result) {
    case RLXC_RESULT_SAME:
        return n > 0 ? args[0]->dtype : rlxc_dtype_void();
    case RLXC_RESULT_SECOND:
        return n > 1 ? args[1]->dtype : rlxc_dtype_void();
    case RLXC_RESULT_BOOL: {
        rlx_dtype t = RLX_B8;
        t.lanes = n > 0 ? args[0]->dtype.lanes : (uint16_t)1;
        return t;
    }
    case RLXC_RESULT_INT32:
        return RLX_I32;
    case RLXC_RESULT_HANDLE:
        return rlxc_dtype_handle();
    case RLXC_RESULT_VOID:
        return rlxc_dtype_void();
    case RLXC_RESULT_GIVEN:
        return given;
    }
    return rlxc_dtype_void();
}

bool rlxc_intrinsic_has_effects(const rlxc_intrinsic *row)
{
    return row->lowering == RLXC_LOWER_DEVICE || row->index == RLXC_INTRINSIC_call_extern ||
           row->index == RLXC_INTRINSIC_call_packed || row->index == RLXC_INTRINSIC_call_cpacked ||
           row->index == RLXC_INTRINSIC_check_index ||
           row->index == RLXC_INTRINSIC_call_llvm_intrin;
}

const rlxc_expr *rlxc_intrinsic_constant(rlxc_context *ctx, const rlxc_intrinsic *row,
                                         rlx_dtype dtype)
{
    if (row->lowering != RLXC_LOWER_CONSTANT || dtype.lanes != 1)
        return NULL;
    bool is_min = row->index == RLXC_INTRINSIC_min_value;
    if (rlxc_dtype_is_float(dtype)) {
        double top = rlx_float_decode(dtype, rlx_float_largest(dtype));
        if (row->index == RLXC_INTRINSIC_infinity)
            top = (double)INFINITY;
        else if (row->index == RLXC_INTRINSIC_nan)
            top = (double)NAN;
        return rlxc_float(ctx, dtype, is_min ? -top : top);
    }
    if (row->index == RLXC_INTRINSIC_infinity || row->index == RLXC_INTRINSIC_nan)
        return NULL;
    if (rlxc_dtype_is_bool(dtype))
        return rlxc_bool(ctx, !is_min);
    if (!rlxc_dtype_is_int(dtype))
        return NULL;
    if (dtype.code == RLX_UINT)
        return rlxc_int(ctx, dtype, is_min ? 0 : -1); /* wraps to all ones */
    int64_t top = (int64_t)(((uint64_t)1 << (dtype.bits - 1)) - 1);
    return rlxc_int(ctx, dtype, is_min ? -top - 1 : top);
}

const rlxc_expr *rlxc_intrinsic_call(rlxc_context *ctx, const char *name,
                                     const rlxc_expr *const *args, uint32_t n)
{
    const rlxc_intrinsic *row = rlxc_find_intrinsic(name, strlen(name));
    rlx_dtype t = row ? rlxc_intrinsic_dtype(row, rlxc_dtype_void(), args, n) : rlxc_dtype_void();
    return rlxc_call(ctx, t, rlxc_intern_cstr(ctx, name), args, n);
}
