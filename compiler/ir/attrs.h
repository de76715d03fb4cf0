/* Attribute values: function attributes, operator attributes, block and loop annotations.
 * Attributes are an ordered list of key -> value; values are immutable arena data. Printing keeps
 * the order. */
#ifndef RLXC_IR_ATTRS_H
#define RLXC_IR_ATTRS_H

#include "compiler/base/context.h"

struct rlxc_expr;
struct rlxc_constant;

typedef enum rlxc_attr_kind {
    RLXC_ATTR_NONE, /* Python None */
    RLXC_ATTR_BOOL,
    RLXC_ATTR_INT,
    RLXC_ATTR_FLOAT,
    RLXC_ATTR_STRING,
    RLXC_ATTR_DTYPE,
    RLXC_ATTR_LIST, /* list or tuple */
    RLXC_ATTR_DICT,
    RLXC_ATTR_EXPR,  /* T.bool(True), T.int64(4), symbolic integers */
    RLXC_ATTR_TENSOR /* weights that a front end attaches to a function ("params") */
} rlxc_attr_kind;

typedef struct rlxc_attr rlxc_attr;
struct rlxc_attr {
    rlxc_attr_kind kind;
    union {
        int64_t i; /* BOOL, INT */
        double f;
        const char *s; /* interned */
        rlx_dtype dtype;
        const struct rlxc_expr *expr;
        const struct rlxc_constant *tensor;
        struct {
            const rlxc_attr *items; /* LIST, values of DICT */
            const char **keys;      /* DICT: interned keys, else NULL */
            uint32_t count;
        } list;
    };
};

/* An ordered attribute dictionary; {NULL, NULL, 0} is empty. Copy on write: share freely. */
typedef struct rlxc_attrs {
    const char **keys; /* interned */
    const rlxc_attr *values;
    uint32_t count;
} rlxc_attrs;

const rlxc_attr *rlxc_attrs_find(const rlxc_attrs *attrs, const char *key); /* NULL when absent */
/* A new dictionary with |key| set to |value| (replaced in place or appended). */
rlxc_attrs rlxc_attrs_with(rlxc_context *ctx, rlxc_attrs attrs, const char *key, rlxc_attr value);
rlxc_attrs rlxc_attrs_without(rlxc_context *ctx, rlxc_attrs attrs, const char *key);
bool rlxc_attr_equal(const rlxc_attr *a, const rlxc_attr *b);
bool rlxc_attrs_equal(const rlxc_attrs *a, const rlxc_attrs *b);

rlxc_attr rlxc_attr_int(int64_t value);
rlxc_attr rlxc_attr_bool(bool value);
rlxc_attr rlxc_attr_float(double value);
rlxc_attr rlxc_attr_string(rlxc_context *ctx, const char *text);
rlxc_attr rlxc_attr_dtype(rlx_dtype dtype);
rlxc_attr rlxc_attr_expr(const struct rlxc_expr *expr);
rlxc_attr rlxc_attr_tensor(const struct rlxc_constant *tensor);
rlxc_attr rlxc_attr_ints(rlxc_context *ctx, const int64_t *values, uint32_t count);
/* The value as an integer if it is INT, BOOL or a constant EXPR. */
bool rlxc_attr_as_int(const rlxc_attr *attr, int64_t *out);

#endif
