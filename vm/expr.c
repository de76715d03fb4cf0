/* Integer expressions: evaluation, and the text of expressions, types and signatures.

   Evaluation is exact in int64 or fails. Recursion is bounded by RLXV_MAX_EXPR_DEPTH and
   RLXV_MAX_TYPE_DEPTH, which the loader enforces. Text is Python's, as TVMScript would print it. */
#include "vm/exec.h"
#include "vm/need.h"

#include <rlx/checked.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SHOWN = 96 };

bool rlxv_eval(const rlx_executable *exe, uint32_t e, const int64_t *slots, int64_t *out)
{
    const rlxv_expr *x = &exe->exprs[e];
    int64_t a, b;
    if (x->op == RLX_EXPR_CONST) {
        *out = x->value;
        return true;
    }
    if (x->op == RLX_EXPR_SLOT) {
        *out = slots[x->a];
        return true;
    }
    if (!rlxv_eval(exe, x->a, slots, &a))
        return false;
    if (x->op == RLX_EXPR_SELECT)
        return rlxv_eval(exe, a ? x->b : x->c, slots, out);
    if (!rlxv_eval(exe, x->b, slots, &b))
        return false;
    switch (x->op) {
    case RLX_EXPR_ADD:
        return rlx_add_i64(a, b, out);
    case RLX_EXPR_SUB:
        return rlx_sub_i64(a, b, out);
    case RLX_EXPR_MUL:
        return rlx_mul_i64(a, b, out);
    case RLX_EXPR_FLOORDIV:
        return rlx_floordiv_i64(a, b, out);
    case RLX_EXPR_FLOORMOD:
        return rlx_floormod_i64(a, b, out);
    case RLX_EXPR_MIN:
        *out = a < b ? a : b;
        return true;
    case RLX_EXPR_MAX:
        *out = a > b ? a : b;
        return true;
    case RLX_EXPR_EQ:
        *out = a == b;
        return true;
    case RLX_EXPR_NE:
        *out = a != b;
        return true;
    case RLX_EXPR_LT:
        *out = a < b;
        return true;
    case RLX_EXPR_LE:
        *out = a <= b;
        return true;
    case RLX_EXPR_CONST:
    case RLX_EXPR_SLOT:
    case RLX_EXPR_SELECT:
        break;
    }
    return false;
}

rlx_status rlx_executable_eval(const rlx_executable *exe, uint32_t expr, const int64_t *slots,
                               uint32_t n_slots, int64_t *out, rlx_error *err)
{
    RLXV_NEED(err, exe && (slots || n_slots == 0) && out);
    if (expr >= exe->n_exprs)
        return rlx_fail(err, RLX_E_INVALID_ARG, "there is no expression %u", expr);
    if (exe->exprs[expr].slots > n_slots)
        return rlx_fail(err, RLX_E_INVALID_ARG, "expression %u needs %u slots, %u are given", expr,
                        exe->exprs[expr].slots, n_slots);
    if (!rlxv_eval(exe, expr, slots, out))
        return rlx_fail(err, RLX_E_SHAPE, "expression %u overflows or divides by zero", expr);
    return RLX_OK;
}

rlx_str rlxv_slot_name_of(const rlxv_function *fn, uint32_t slot, char *buffer, size_t size)
{
    uint32_t low = 0, high = fn ? fn->n_slot_names : 0;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (fn->slot_names[mid].slot == slot)
            return fn->slot_names[mid].name;
        if (fn->slot_names[mid].slot < slot)
            low = mid + 1;
        else
            high = mid;
    }
    int n = snprintf(buffer, size, "s%u", slot);
    return (rlx_str){buffer, n > 0 ? (size_t)n : 0};
}

const char *rlxv_expr_infix(rlx_expr_op op)
{
    switch (op) {
    case RLX_EXPR_ADD:
        return "+";
    case RLX_EXPR_SUB:
        return "-";
    case RLX_EXPR_MUL:
        return "*";
    case RLX_EXPR_FLOORDIV:
        return "//";
    case RLX_EXPR_FLOORMOD:
        return "%";
    case RLX_EXPR_EQ:
        return "==";
    case RLX_EXPR_NE:
        return "!=";
    case RLX_EXPR_LT:
        return "<";
    case RLX_EXPR_LE:
        return "<=";
    case RLX_EXPR_MIN:
    case RLX_EXPR_MAX:
    case RLX_EXPR_SELECT:
    case RLX_EXPR_CONST:
    case RLX_EXPR_SLOT:
        break;
    }
    return NULL;
}

/* Prints a name, quoted if it is not plain. */
static void print_name(rlxv_buffer *b, rlx_str name)
{
    char shown[NAME_SHOWN];
    rlxv_buffer_printf(b, rlx_name_is_plain(name) ? "%s" : "'%s'",
                       rlx_name_text(name, shown, sizeof shown));
}

/* |nested|: an infix expression gets parentheses. */
static void print_expr(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn,
                       uint32_t e, bool nested)
{
    const rlxv_expr *x = &exe->exprs[e];
    const char *infix = rlxv_expr_infix(x->op);
    char buffer[16];
    if (x->op == RLX_EXPR_CONST) {
        rlxv_buffer_printf(b, "%lld", (long long)x->value);
    } else if (x->op == RLX_EXPR_SLOT) {
        rlx_str name = rlxv_slot_name_of(fn, x->a, buffer, sizeof buffer);
        print_name(b, name);
    } else if (infix) {
        rlxv_buffer_printf(b, nested ? "(" : "");
        print_expr(b, exe, fn, x->a, true);
        rlxv_buffer_printf(b, " %s ", infix);
        print_expr(b, exe, fn, x->b, true);
        rlxv_buffer_printf(b, nested ? ")" : "");
    } else {
        rlxv_buffer_printf(b, "%s(",
                           x->op == RLX_EXPR_MIN   ? "min"
                           : x->op == RLX_EXPR_MAX ? "max"
                                                   : "select");
        print_expr(b, exe, fn, x->a, false);
        rlxv_buffer_printf(b, ", ");
        print_expr(b, exe, fn, x->b, false);
        if (x->op == RLX_EXPR_SELECT) {
            rlxv_buffer_printf(b, ", ");
            print_expr(b, exe, fn, x->c, false);
        }
        rlxv_buffer_printf(b, ")");
    }
}

void rlxv_print_expr(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn, uint32_t e)
{
    print_expr(b, exe, fn, e, false);
}

static void print_dims(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn,
                       const rlxv_type *t)
{
    char buffer[16];
    for (uint32_t i = 0; i < t->n_dims; i++) {
        if (i > 0)
            rlxv_buffer_printf(b, ", ");
        const rlx_dim *d = &t->raw_dims[i];
        if (d->kind == RLX_DIM_EXPR) {
            print_expr(b, exe, fn, d->index, false);
        } else if (d->kind == RLX_DIM_BIND) {
            rlx_str name = rlxv_slot_name_of(fn, d->index, buffer, sizeof buffer);
            print_name(b, name);
        } else {
            rlxv_buffer_printf(b, "?");
        }
    }
}

void rlxv_print_type(rlxv_buffer *b, const rlx_executable *exe, const rlxv_function *fn, uint32_t t)
{
    const rlxv_type *x = &exe->types[t];
    char name[24];
    switch (x->kind) {
    case RLX_TYPE_OBJECT:
        rlxv_buffer_printf(b, "Object");
        return;
    case RLX_TYPE_CALLABLE:
        rlxv_buffer_printf(b, "Callable");
        return;
    case RLX_TYPE_PRIM:
        rlxv_buffer_printf(b, "Prim(%s", rlx_dtype_name(x->dtype, name));
        rlxv_buffer_printf(b, x->n_dims ? ", " : "");
        print_dims(b, exe, fn, x);
        rlxv_buffer_printf(b, ")");
        return;
    case RLX_TYPE_SHAPE:
        rlxv_buffer_printf(b, x->rank_known ? "Shape([" : "Shape(");
        print_dims(b, exe, fn, x);
        rlxv_buffer_printf(b, x->rank_known ? "])" : ")");
        return;
    case RLX_TYPE_TENSOR:
        rlxv_buffer_printf(b, x->rank_known ? "Tensor((" : "Tensor(");
        print_dims(b, exe, fn, x);
        rlxv_buffer_printf(b, x->rank_known ? (x->n_dims == 1 ? ",)" : ")") : "");
        if (x->dtype.bits)
            rlxv_buffer_printf(b, "%s%s", x->rank_known ? ", " : "",
                               rlx_dtype_name(x->dtype, name));
        rlxv_buffer_printf(b, ")");
        return;
    case RLX_TYPE_TUPLE:
        rlxv_buffer_printf(b, "Tuple(");
        for (uint32_t i = 0; i < x->n_children; i++) {
            rlxv_buffer_printf(b, i ? ", " : "");
            rlxv_print_type(b, exe, fn, x->children[i]);
        }
        rlxv_buffer_printf(b, ")");
        return;
    }
}

/* --- text into a caller's buffer -------------------------------------------------------------- */

/* Without an executable or a caller's buffer: false, and the text is empty. */
static bool begin(rlxv_buffer *b, const rlx_executable *exe, char *buffer, size_t size)
{
    if (!exe && buffer && size > 0)
        buffer[0] = '\0';
    if (exe)
        rlxv_buffer_init(b, &exe->allocator);
    return exe && buffer;
}

static const char *finish(rlxv_buffer *b, char *buffer, size_t size)
{
    size_t n = b->failed ? 0 : b->size;
    if (n >= size)
        n = size ? size - 1 : 0;
    if (n)
        memcpy(buffer, b->data, n);
    if (size)
        buffer[n] = 0;
    rlxv_buffer_deinit(b);
    return buffer;
}

static const rlxv_function *function_at(const rlx_executable *exe, uint32_t f)
{
    return f < exe->n_functions ? &exe->functions[f] : NULL;
}

const char *rlx_type_text(const rlx_executable *exe, uint32_t f, uint32_t type, char *buffer,
                          size_t size)
{
    rlxv_buffer b;
    if (!begin(&b, exe, buffer, size))
        return buffer ? buffer : "";
    if (type < exe->n_types)
        rlxv_print_type(&b, exe, function_at(exe, f), type);
    return finish(&b, buffer, size);
}

const char *rlx_expr_text(const rlx_executable *exe, uint32_t f, uint32_t expr, char *buffer,
                          size_t size)
{
    rlxv_buffer b;
    if (!begin(&b, exe, buffer, size))
        return buffer ? buffer : "";
    if (expr < exe->n_exprs)
        rlxv_print_expr(&b, exe, function_at(exe, f), expr);
    return finish(&b, buffer, size);
}

const char *rlx_function_signature(const rlx_executable *exe, uint32_t f, char *buffer, size_t size)
{
    rlxv_buffer b;
    if (!begin(&b, exe, buffer, size))
        return buffer ? buffer : "";
    const rlxv_function *fn = function_at(exe, f);
    if (fn) {
        rlxv_buffer_printf(&b, "%.*s(", (int)fn->name.len, fn->name.data);
        for (uint32_t i = 0; i < fn->n_params; i++) {
            rlx_str name = fn->params[i].name;
            rlxv_buffer_printf(&b, i ? ", " : "");
            print_name(&b, name);
            rlxv_buffer_printf(&b, ": ");
            rlxv_print_type(&b, exe, fn, fn->params[i].type);
        }
        rlxv_buffer_printf(&b, ") -> ");
        rlxv_print_type(&b, exe, fn, fn->result_type);
    }
    return finish(&b, buffer, size);
}

const char *rlx_function_slot_name(const rlx_executable *exe, uint32_t f, uint32_t slot,
                                   char *buffer, size_t size)
{
    if (!buffer)
        return "";
    if (!exe) {
        if (size > 0)
            buffer[0] = '\0';
        return buffer;
    }
    char text[16];
    rlx_str name = rlxv_slot_name_of(function_at(exe, f), slot, text, sizeof text);
    snprintf(buffer, size, "%.*s", (int)name.len, name.data);
    return buffer;
}
