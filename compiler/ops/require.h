/* Requirements of operators on their operands' dimensions.
 *
 * Inference states each requirement here. A requirement that is provably violated is an error at
 * the call; one that provably holds costs nothing; any other is recorded for the run-time check
 * that compiler/ops/state.h emits before the operator, and the result's type assumes that it holds.
 * Operators do not handle unproved requirements themselves. */
#ifndef RLXC_OPS_REQUIRE_H
#define RLXC_OPS_REQUIRE_H

#include "compiler/ops/op_infer.h"

typedef enum rlxc_relation {
    RLXC_EQUAL,     /* a == b */
    RLXC_BROADCAST, /* a == b, or one of them is 1 */
    RLXC_FITS,      /* a == b, or a is 1 */
    RLXC_MULTIPLE,  /* a % b == 0; b is positive */
    RLXC_AT_MOST    /* a <= b */
} rlxc_relation;

/* A size, and for messages the dimension of an operand that it comes from. */
typedef struct rlxc_size {
    const rlxc_expr *dim;
    uint32_t argument, field, index; /* RLXC_NO_PLACE: of several operands; not of a tuple */
} rlxc_size;
enum { RLXC_NO_PLACE = 1 << 30 };

typedef struct rlxc_requirement {
    rlxc_relation relation;
    const rlxc_expr *a, *b;
    const char *message;
} rlxc_requirement;

/* The requirements that one inference of a call could not prove. */
struct rlxc_requirements {
    RLXC_VEC(rlxc_requirement) items;
};

/* Collects the call's unproved requirements in |out|; returns the result's type as inference does,
 * NULL after an error. */
const rlxc_sinfo *rlxc_infer_requirements(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call, rlxc_requirements *out);

/* Dimension |index| of argument |argument|, whose dimensions must be known. */
rlxc_size rlxc_size_of(const rlxc_call_view *v, uint32_t argument, uint32_t index);
/* As above for a field of a tuple argument. */
rlxc_size rlxc_size_of_field(const rlxc_call_view *v, uint32_t argument, uint32_t field,
                             uint32_t index);
/* Dimension |index| of |s|, the type of an argument, of a tuple's field, or of the broadcast of
 * several of them. */
rlxc_size rlxc_size_in(const rlxc_call_view *v, const rlxc_sinfo *s, uint32_t index);

/* A number from the call's attributes. */
rlxc_size rlxc_size_given(const rlxc_call_view *v, int64_t value);

/* False after an error. */
bool rlxc_require(const rlxc_call_view *v, rlxc_relation relation, rlxc_size a, rlxc_size b);
bool rlxc_require_equal(const rlxc_call_view *v, rlxc_size a, rlxc_size b);
/* The dimension that |a| and |b| broadcast to; NULL after an error. */
const rlxc_expr *rlxc_require_broadcast(const rlxc_call_view *v, rlxc_size a, rlxc_size b);

bool rlxc_relation_disproved(rlxc_context *ctx, rlxc_relation relation, const rlxc_expr *a,
                             const rlxc_expr *b);
/* The condition of a relation. */
const rlxc_expr *rlxc_relation_holds(rlxc_context *ctx, rlxc_relation relation, const rlxc_expr *a,
                                     const rlxc_expr *b);
bool rlxc_relation_named(const char *name, rlxc_relation *out);
const char *rlxc_relation_name(rlxc_relation relation);

/* The broadcast of dimensions |a| and |b|, assuming that they fit. The expression does not depend
 * on the order and grouping of the operands. */
const rlxc_expr *rlxc_broadcast_size(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b);
/* The index into an operand's dimension |own| for |index| into the result's, |whole|: 0 if the
 * operand is broadcast. */
const rlxc_expr *rlxc_broadcast_index(rlxc_context *ctx, const rlxc_expr *own,
                                      const rlxc_expr *whole, const rlxc_expr *index);

#endif
