/* Prints expressions, literals and attribute values.
 *
 * Parentheses are the fewest that keep the tree: the constructors do not reassociate, so a right
 * operand of the same level keeps its own. Integers of the context's default type (int32 in TIR,
 * int64 at graph level) are bare, others are written T.int8(1). Truncating integer division and
 * remainder have no Python operator and are calls. Expressions are DAGs, so printing is bounded by
 * a count of nodes: an excess is reported, never silently cut. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/script/print.h"

enum { MAX_NODES = 1 << 20, MAX_DECIMALS = 17 };

void rlxc_print_line(rlxc_printer *p)
{
    for (int i = 0; i < p->indent; i++)
        rlxc_text_add(&p->out, "    ", 4);
}

const char *rlxc_float_text(double value, char buffer[RLXC_FLOAT_TEXT])
{
    if (isnan(value))
        return strcpy(buffer, "nan");
    if (isinf(value))
        return strcpy(buffer, value < 0 ? "-inf" : "inf");

    /* Takes digits and exponent from the C library, which rounds correctly, and skips the locale's
     * decimal separator. */
    char text[RLXC_FLOAT_TEXT];
    for (int decimals = 0; decimals < MAX_DECIMALS; decimals++) {
        snprintf(text, sizeof text, "%.*e", decimals, value);
        if (strtod(text, NULL) == value)
            break;
    }
    char digits[MAX_DECIMALS + 1];
    int n = 0;
    const char *at = text;
    for (; *at != 'e' && *at != '\0'; at++)
        if (*at >= '0' && *at <= '9' && n < MAX_DECIMALS)
            digits[n++] = *at;
    int exponent = *at == 'e' ? (int)strtol(at + 1, NULL, 10) : 0;
    while (n > 1 && digits[n - 1] == '0')
        n--;

    char *o = buffer;
    if (signbit(value))
        *o++ = '-';
    if (exponent >= -4 && exponent < 16) {
        int point = exponent + 1; /* digits before the point */
        if (point <= 0) {
            *o++ = '0';
            *o++ = '.';
            for (int i = point; i < 0; i++)
                *o++ = '0';
            for (int i = 0; i < n; i++)
                *o++ = digits[i];
        } else {
            for (int i = 0; i < point || i < n; i++) {
                if (i == point)
                    *o++ = '.';
                *o++ = i < n ? digits[i] : '0';
            }
            if (n <= point) {
                *o++ = '.';
                *o++ = '0';
            }
        }
        *o = '\0';
        return buffer;
    }
    *o++ = digits[0];
    *o++ = '.';
    if (n == 1)
        *o++ = '0';
    for (int i = 1; i < n; i++)
        *o++ = digits[i];
    snprintf(o, 8, "e%+03d", exponent);
    return buffer;
}

void rlxc_print_quoted(rlxc_printer *p, const char *text)
{
    rlxc_text_add(&p->out, "\"", 1);
    const char *start = text;
    const char *at = text;
    for (; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c >= 0x20 && c != 0x7f && c != '"' && c != '\\')
            continue;
        rlxc_text_add(&p->out, start, (size_t)(at - start));
        if (c == '"' || c == '\\')
            rlxc_text_printf(&p->out, "\\%c", c);
        else if (c == '\n')
            rlxc_text_puts(&p->out, "\\n");
        else if (c == '\t')
            rlxc_text_puts(&p->out, "\\t");
        else
            rlxc_text_printf(&p->out, "\\x%02x", c);
        start = at + 1;
    }
    rlxc_text_add(&p->out, start, (size_t)(at - start));
    rlxc_text_add(&p->out, "\"", 1);
}

/* --- expressions ----------------------------------------------------------------------------- */

static const char *binary_text(const rlxc_expr *e)
{
    switch ((rlxc_expr_kind)e->kind) {
#define X(kind, text)      \
    case RLXC_EXPR_##kind: \
        return text;
        RLXC_BINARY_EXPRS(X)
#undef X
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        RLXC_OTHER_EXPRS(RLXC_EXPR_CASE)
        break;
    }
    return NULL;
}

/* The name after "T." for a binary kind printed as a call, or NULL. */
static const char *binary_call(const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_MIN)
        return "min";
    if (e->kind == RLXC_EXPR_MAX)
        return "max";
    if (e->kind == RLXC_EXPR_MOD)
        return "truncmod";
    if (e->kind == RLXC_EXPR_DIV && !rlxc_dtype_is_float(e->dtype))
        return "Div";
    return NULL;
}

static enum rlxc_print_precedence precedence_of(const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_NOT)
        return RLXC_PREC_NOT;
    if (!rlxc_is_binary(e) || binary_call(e) != NULL)
        return RLXC_PREC_ATOM;
    if (e->kind == RLXC_EXPR_OR)
        return RLXC_PREC_OR;
    if (e->kind == RLXC_EXPR_AND)
        return RLXC_PREC_AND;
    if (e->kind >= RLXC_EXPR_EQ && e->kind <= RLXC_EXPR_GE)
        return RLXC_PREC_COMPARE;
    return e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_SUB ? RLXC_PREC_ADD : RLXC_PREC_MUL;
}

static void print_args(rlxc_printer *p, const rlxc_expr *const *args, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            rlxc_text_puts(&p->out, ", ");
        rlxc_print_operand(p, args[i], RLXC_PREC_ANY);
    }
}

static void print_call2(rlxc_printer *p, const char *name, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_expr *args[2] = {a, b};
    rlxc_text_printf(&p->out, "T.%s(", name);
    print_args(p, args, 2);
    rlxc_text_puts(&p->out, ")");
}

static void print_int(rlxc_printer *p, rlx_dtype dtype, int64_t value, bool bare_allowed)
{
    if (rlxc_dtype_is_bool(dtype)) {
        rlxc_text_puts(&p->out, value != 0 ? "T.bool(True)" : "T.bool(False)");
        return;
    }
    char digits[24];
    if (dtype.code == RLX_UINT)
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    else
        snprintf(digits, sizeof digits, "%lld", (long long)value);
    if (bare_allowed && rlxc_dtype_eq(dtype, p->relax ? RLX_I64 : RLX_I32))
        rlxc_text_puts(&p->out, digits);
    else
        rlxc_text_printf(&p->out, "T.%s(%s)", rlxc_dtype_name(p->ctx, dtype), digits);
}

static void print_float(rlxc_printer *p, rlx_dtype dtype, double value)
{
    char text[RLXC_FLOAT_TEXT];
    rlxc_float_text(value, text);
    const char *quote = isfinite(value) ? "" : "\"";
    rlxc_text_printf(&p->out, "T.%s(%s%s%s)", rlxc_dtype_name(p->ctx, dtype), quote, text, quote);
}

static void print_binary(rlxc_printer *p, const rlxc_expr *e)
{
    const char *call = binary_call(e);
    if (call != NULL) {
        print_call2(p, call, e->bin.a, e->bin.b);
        return;
    }
    enum rlxc_print_precedence own = precedence_of(e);
    /* Comparisons chain in Python, so neither side may be a bare comparison. */
    rlxc_print_operand(p, e->bin.a, own == RLXC_PREC_COMPARE ? own + 1 : own);
    rlxc_text_printf(&p->out, " %s ", binary_text(e));
    rlxc_print_operand(p, e->bin.b, own + 1);
}

const char *rlxc_print_buffer_name(rlxc_printer *p, const rlxc_buffer *buffer)
{
    return rlxc_print_name(p, buffer, buffer->name);
}

static void print_load(rlxc_printer *p, const rlxc_expr *e)
{
    rlxc_text_printf(&p->out, "%s[", rlxc_print_buffer_name(p, e->load.buffer));
    print_args(p, e->load.indices, e->load.n);
    rlxc_text_puts(&p->out, e->load.n == 0 ? "()]" : "]");
}

static void print_shuffle(rlxc_printer *p, const rlxc_expr *e)
{
    uint32_t n = (uint32_t)e->call.args[0]->i;
    rlxc_text_puts(&p->out, "T.Shuffle([");
    print_args(p, e->call.args + 1, n);
    rlxc_text_puts(&p->out, "], [");
    print_args(p, e->call.args + 1 + n, e->call.n - 1 - n);
    rlxc_text_puts(&p->out, "])");
}

static void print_call(rlxc_printer *p, const rlxc_expr *e)
{
    if (strcmp(e->call.name, "Shuffle") == 0) {
        print_shuffle(p, e);
        return;
    }
    if (strcmp(e->call.name, "call_prim") == 0) {
        rlxc_text_printf(&p->out, "%s.%s(", p->cls_name, e->call.args[0]->s);
        print_args(p, e->call.args + 1, e->call.n - 1);
        rlxc_text_puts(&p->out, ")");
        return;
    }
    rlxc_text_printf(&p->out, "T.%s(", e->call.name);
    const rlxc_intrinsic *row = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
    if (row == NULL || row->result == RLXC_RESULT_GIVEN) {
        rlxc_text_printf(&p->out, "\"%s\"", rlxc_dtype_name(p->ctx, e->dtype));
        if (e->call.n > 0)
            rlxc_text_puts(&p->out, ", ");
    }
    print_args(p, e->call.args, e->call.n);
    rlxc_text_puts(&p->out, ")");
}

static void print_node(rlxc_printer *p, const rlxc_expr *e)
{
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_VAR:
        rlxc_text_puts(&p->out, rlxc_print_name(p, e, e->var.name));
        return;
    case RLXC_EXPR_INT:
        print_int(p, e->dtype, e->i, true);
        return;
    case RLXC_EXPR_FLOAT:
        print_float(p, e->dtype, e->f);
        return;
    case RLXC_EXPR_STRING:
        rlxc_print_quoted(p, e->s);
        return;
        RLXC_BINARY_EXPRS(RLXC_EXPR_CASE)
        print_binary(p, e);
        return;
    case RLXC_EXPR_NOT:
        rlxc_text_puts(&p->out, "not ");
        rlxc_print_operand(p, e->bin.a, RLXC_PREC_NOT);
        return;
    case RLXC_EXPR_CAST:
        rlxc_text_printf(&p->out, "T.Cast(\"%s\", ", rlxc_dtype_name(p->ctx, e->dtype));
        rlxc_print_operand(p, e->bin.a, RLXC_PREC_ANY);
        rlxc_text_puts(&p->out, ")");
        return;
    case RLXC_EXPR_SELECT: {
        const rlxc_expr *args[3] = {e->select.cond, e->select.yes, e->select.no};
        rlxc_text_puts(&p->out, "T.Select(");
        print_args(p, args, 3);
        rlxc_text_puts(&p->out, ")");
        return;
    }
    case RLXC_EXPR_LOAD:
        print_load(p, e);
        return;
    case RLXC_EXPR_CALL:
        print_call(p, e);
        return;
    case RLXC_EXPR_LET:
        rlxc_text_puts(&p->out, "T.Let(");
        rlxc_print_operand(p, e->let.body, RLXC_PREC_ANY);
        rlxc_text_puts(&p->out, ", where={");
        rlxc_print_operand(p, e->let.var, RLXC_PREC_ANY);
        rlxc_text_puts(&p->out, ": ");
        rlxc_print_operand(p, e->let.value, RLXC_PREC_ANY);
        rlxc_text_puts(&p->out, "})");
        return;
    case RLXC_EXPR_RAMP: {
        const rlxc_expr *args[2] = {e->ramp.base, e->ramp.stride};
        rlxc_text_puts(&p->out, "T.Ramp(");
        print_args(p, args, 2);
        rlxc_text_printf(&p->out, ", %u)", e->ramp.lanes);
        return;
    }
    case RLXC_EXPR_BROADCAST:
        rlxc_text_puts(&p->out, "T.Broadcast(");
        rlxc_print_operand(p, e->ramp.base, RLXC_PREC_ANY);
        rlxc_text_printf(&p->out, ", %u)", e->ramp.lanes);
        return;
    }
}

void rlxc_print_operand(rlxc_printer *p, const rlxc_expr *e, enum rlxc_print_precedence precedence)
{
    if (p->overflow)
        return;
    if (++p->nodes > MAX_NODES) {
        p->overflow = true;
        if (p->hints_only)
            rlxc_text_puts(&p->out, "...");
        else
            rlxc_error(p->ctx, (rlxc_range){0}, "an expression is too large to print");
        return;
    }
    bool wrap = precedence_of(e) < precedence;
    if (wrap)
        rlxc_text_puts(&p->out, "(");
    print_node(p, e);
    if (wrap)
        rlxc_text_puts(&p->out, ")");
}

void rlxc_print_expression(rlxc_printer *p, const rlxc_expr *e)
{
    p->nodes = 0;
    rlxc_print_operand(p, e, RLXC_PREC_ANY);
}

void rlxc_print_dims(rlxc_printer *p, const rlxc_expr *const *dims, uint32_t n)
{
    rlxc_text_puts(&p->out, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            rlxc_text_puts(&p->out, ", ");
        rlxc_print_expression(p, dims[i]);
    }
    rlxc_text_puts(&p->out, n == 1 ? ",)" : ")");
}

/* --- attribute values ------------------------------------------------------------------------ */

static void print_attr_list(rlxc_printer *p, const rlxc_attr *attr)
{
    bool dict = attr->kind == RLXC_ATTR_DICT;
    rlxc_text_puts(&p->out, dict ? "{" : "[");
    for (uint32_t i = 0; i < attr->list.count; i++) {
        if (i > 0)
            rlxc_text_puts(&p->out, ", ");
        if (dict) {
            rlxc_print_quoted(p, attr->list.keys[i]);
            rlxc_text_puts(&p->out, ": ");
        }
        rlxc_print_attr(p, &attr->list.items[i]);
    }
    rlxc_text_puts(&p->out, dict ? "}" : "]");
}

/* parse_attr.c describes the form of the call. */
void rlxc_print_index_map(rlxc_printer *p, const rlxc_expr *map)
{
    uint32_t n = (uint32_t)map->call.args[0]->i;
    rlxc_text_puts(&p->out, "lambda");
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *var = map->call.args[1 + i];
        rlxc_text_printf(&p->out, "%s %s", i ? "," : "", rlxc_print_name(p, var, var->var.name));
    }
    rlxc_text_puts(&p->out, ": ");
    rlxc_print_dims(p, map->call.args + 1 + n, map->call.n - 1 - n);
}

void rlxc_print_attr(rlxc_printer *p, const rlxc_attr *attr)
{
    char text[RLXC_FLOAT_TEXT];
    switch (attr->kind) {
    case RLXC_ATTR_NONE:
        rlxc_text_puts(&p->out, "None");
        return;
    case RLXC_ATTR_BOOL:
        rlxc_text_puts(&p->out, attr->i != 0 ? "True" : "False");
        return;
    case RLXC_ATTR_INT:
        rlxc_text_printf(&p->out, "%lld", (long long)attr->i);
        return;
    case RLXC_ATTR_FLOAT:
        rlxc_text_printf(&p->out, isfinite(attr->f) ? "%s" : "float(\"%s\")",
                         rlxc_float_text(attr->f, text));
        return;
    case RLXC_ATTR_STRING:
        rlxc_print_quoted(p, attr->s);
        return;
    case RLXC_ATTR_DTYPE:
        rlxc_text_printf(&p->out, "R.dtype(\"%s\")", rlxc_dtype_name(p->ctx, attr->dtype));
        return;
    case RLXC_ATTR_LIST:
    case RLXC_ATTR_DICT:
        print_attr_list(p, attr);
        return;
    case RLXC_ATTR_TENSOR:
        rlxc_print_constant(p, attr->tensor);
        return;
    case RLXC_ATTR_EXPR:
        /* A bare integer would read back as a plain number. */
        if (attr->expr->kind == RLXC_EXPR_INT)
            print_int(p, attr->expr->dtype, attr->expr->i, false);
        else if (!rlxc_is_index_map(attr->expr))
            rlxc_print_expression(p, attr->expr);
        else {
            rlxc_text_puts(&p->out, "T.index_map(");
            rlxc_print_index_map(p, attr->expr);
            rlxc_text_puts(&p->out, ")");
        }
        return;
    }
}

void rlxc_print_attr_dict(rlxc_printer *p, const rlxc_attrs *attrs)
{
    rlxc_text_puts(&p->out, "{");
    for (uint32_t i = 0; i < attrs->count; i++) {
        if (i > 0)
            rlxc_text_puts(&p->out, ", ");
        rlxc_print_quoted(p, attrs->keys[i]);
        rlxc_text_puts(&p->out, ": ");
        rlxc_print_attr(p, &attrs->values[i]);
    }
    rlxc_text_puts(&p->out, "}");
}

const char *rlxc_print_expr(rlxc_context *ctx, const rlxc_expr *e)
{
    rlxc_printer p;
    rlxc_printer_init(&p, ctx);
    p.hints_only = true;
    rlxc_print_expression(&p, e);
    return p.out.data != NULL ? p.out.data : "";
}

const char *rlxc_print_dim(rlxc_context *ctx, const rlxc_expr *e)
{
    rlxc_printer p;
    rlxc_printer_init(&p, ctx);
    p.hints_only = true;
    p.relax = true;
    rlxc_print_expression(&p, e);
    return p.out.data != NULL ? p.out.data : "";
}

const char *rlxc_print_attr_text(rlxc_context *ctx, const rlxc_attr *attr)
{
    rlxc_printer p;
    rlxc_printer_init(&p, ctx);
    p.hints_only = true;
    p.relax = true;
    rlxc_print_attr(&p, attr);
    return p.out.data != NULL ? p.out.data : "";
}
