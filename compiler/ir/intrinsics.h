/* The table of TIR intrinsics (intrinsics.def): read by parser, printer and code generation. */
#ifndef RLXC_IR_INTRINSICS_H
#define RLXC_IR_INTRINSICS_H

#include "compiler/ir/expr.h"

typedef enum rlxc_intrinsic_result {
    RLXC_RESULT_SAME,
    RLXC_RESULT_SECOND,
    RLXC_RESULT_BOOL,
    RLXC_RESULT_INT32,
    RLXC_RESULT_HANDLE,
    RLXC_RESULT_VOID,
    RLXC_RESULT_GIVEN
} rlxc_intrinsic_result;

typedef enum rlxc_intrinsic_lowering {
    RLXC_LOWER_LIBM,
    RLXC_LOWER_LLVM,
    RLXC_LOWER_VECTOR,
    RLXC_LOWER_INLINE,
    RLXC_LOWER_DEVICE,
    RLXC_LOWER_CALLEE,
    RLXC_LOWER_CONSTANT
} rlxc_intrinsic_lowering;

typedef struct rlxc_intrinsic {
    const char *name;
    uint8_t min_args, max_args;
    rlxc_intrinsic_result result;
    rlxc_intrinsic_lowering lowering;
    const char *symbol;
    uint16_t index; /* rlxc_intrinsic_id */
} rlxc_intrinsic;

typedef enum rlxc_intrinsic_id {
#define RLXC_INTRINSIC(name, min, max, result, lowering, symbol) RLXC_INTRINSIC_##name,
#include "compiler/ir/intrinsics.def"
#undef RLXC_INTRINSIC
    RLXC_N_INTRINSICS
} rlxc_intrinsic_id;

/* NULL when there is no such intrinsic. */
const rlxc_intrinsic *rlxc_find_intrinsic(const char *name, size_t length);
const rlxc_intrinsic *rlxc_intrinsics(uint32_t *out_count);

/* True if calls do more than compute a value, so that they are not moved, repeated or dropped. */
bool rlxc_intrinsic_has_effects(const rlxc_intrinsic *row);
/* The type of a call with these arguments; |given| is used for RESULT_GIVEN. */
rlx_dtype rlxc_intrinsic_dtype(const rlxc_intrinsic *row, rlx_dtype given,
                               const rlxc_expr *const *args, uint32_t n);
/* The value of a CONSTANT row ("infinity", "min_value", ...) of type |dtype|; NULL when the type
 * has none. */
const rlxc_expr *rlxc_intrinsic_constant(rlxc_context *ctx, const rlxc_intrinsic *row,
                                         rlx_dtype dtype);
/* Makes the call with its type from the table: T.exp(x) as rlxc_intrinsic_call(ctx, "exp", &x, 1).
 * The name must be in the table, with a result that is not GIVEN. */
const rlxc_expr *rlxc_intrinsic_call(rlxc_context *ctx, const char *name,
                                     const rlxc_expr *const *args, uint32_t n);

#endif
