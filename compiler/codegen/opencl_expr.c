/* Scalar expressions of TIR -> OpenCL text.
 *
 * Loads, calls and long texts become named constants, so that shared subexpressions are computed
 * once. A name is valid within its statement, but not in nested bodies; a name given inside a
 * branch is valid only there. Data arithmetic wraps and never traps. Index arithmetic does not
 * wrap; it is done in int where the ranges of the loops prove that it fits, for the addresses of
 * most devices have 32 bits and more only at a cost. */
#include <string.h>

#include "compiler/codegen/opencl.h"

enum { LONG_TEXT = 160 };

const char *rlxc_cl_problem(rlxc_cl *g, const char *what)
{
    if (!rlxc_failed(g->ctx))
        rlxc_error(g->ctx, g->range, "%s: %s", g->f->name, what);
    return "0";
}

void rlxc_cl_memo_forget(rlxc_cl *g, uint32_t mark)
{
    while (g->memo_log.count > mark)
        rlxc_map_set(g->ctx, &g->memo, rlxc_key(g->memo_log.items[--g->memo_log.count]), NULL);
}

static void remember(rlxc_cl *g, const rlxc_expr *e, const char *text)
{
    rlxc_map_set(g->ctx, &g->memo, rlxc_key(e), (void *)(uintptr_t)text);
    RLXC_PUSH(g->ctx, &g->memo_log, e);
}

const char *rlxc_cl_named(rlxc_cl *g, const char *type, const char *value)
{
    const char *name = rlxc_cl_name(g, "t");
    rlxc_cl_line(g, "const %s %s = %s;", type, name, rlxc_c_bare(g, value));
    rlxc_c_local(g, name);
    return name;
}

/* --- indices ---------------------------------------------------------------------------------- */

bool rlxc_cl_fits_int(rlxc_cl *g, const rlxc_expr *e)
{
    const rlxc_bound b = rlxc_bound_of(g->ctx, e, &g->bounds);
    return b.min >= INT32_MIN && b.max <= INT32_MAX;
}

static bool is_signed_int(const rlxc_expr *e)
{
    return rlxc_dtype_is_int(e->dtype) && e->dtype.code == RLX_INT;
}

/* True if |e| is computed from parts by arithmetic that does not wrap. */
static bool is_index_node(const rlxc_expr *e)
{
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_ADD:
    case RLXC_EXPR_SUB:
    case RLXC_EXPR_MUL:
    case RLXC_EXPR_MIN:
    case RLXC_EXPR_MAX:
    case RLXC_EXPR_FLOORDIV:
    case RLXC_EXPR_FLOORMOD:
        return is_signed_int(e);
    case RLXC_EXPR_CAST:
        return is_signed_int(e) && is_signed_int(e->bin.a) && e->bin.a->dtype.bits <= e->dtype.bits;
    case RLXC_EXPR_DIV:
    case RLXC_EXPR_MOD:
    case RLXC_EXPR_EQ:
    case RLXC_EXPR_NE:
    case RLXC_EXPR_LT:
    case RLXC_EXPR_LE:
    case RLXC_EXPR_GT:
    case RLXC_EXPR_GE:
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_SELECT:
    case RLXC_EXPR_LOAD:
    case RLXC_EXPR_CALL:
    case RLXC_EXPR_LET:
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        return false;
    }
    return false;
}

/* Division of numbers that are not negative by a positive constant needs no test. */
static bool divides_plainly(rlxc_cl *g, const rlxc_expr *e)
{
    int64_t d = 0;
    return rlxc_is_int(e->bin.b, &d) && d > 0 &&
           rlxc_bound_of(g->ctx, e->bin.a, &g->bounds).min >= 0;
}

/* True if |e| and everything it is computed from fit in an int. */
static bool all_fit(rlxc_cl *g, const rlxc_expr *e)
{
    if (!rlxc_cl_fits_int(g, e))
        return false;
    if (!is_index_node(e))
        return true;
    return all_fit(g, e->bin.a) && (e->kind == RLXC_EXPR_CAST || all_fit(g, e->bin.b));
}

/* A value that was not computed as an index. */
static const char *cast_index(rlxc_cl *g, const rlxc_expr *e, const char *type)
{
    const char *text = rlxc_cl_expr(g, e);
    const bool has_type = g->is_c && strcmp(rlxc_cl_type(g, e->dtype), type) == 0;
    return has_type ? text : rlxc_internf(g->ctx, "(%s)%s", type, text);
}

static const char *index_text(rlxc_cl *g, const rlxc_expr *e, bool narrow)
{
    const char *type = rlxc_cl_type(g, narrow ? RLX_I32 : RLX_I64);
    int64_t value;
    if (rlxc_is_int(e, &value))
        return rlxc_cl_int(g, narrow ? RLX_I32 : RLX_I64, value);
    if (e->kind == RLXC_EXPR_VAR) {
        const rlxc_cl_var *var = rlxc_map_get(&g->vars, rlxc_key(e));
        const bool is_int = var && (var->is_int || (e->dtype.bits == 32 && is_signed_int(e)));
        if (var && is_int == narrow && (is_int || (e->dtype.bits == 64 && is_signed_int(e))))
            return var->name;
    }
    if (g->is_c && e->kind == RLXC_EXPR_VAR && rlxc_map_get(&g->vars, rlxc_key(e)))
        return rlxc_internf(g->ctx, "(%s)%s", type,
                            ((const rlxc_cl_var *)rlxc_map_get(&g->vars, rlxc_key(e)))->name);
    if (!is_index_node(e) || ((e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD) &&
                              !divides_plainly(g, e)))
        return cast_index(g, e, type);
    if (e->kind == RLXC_EXPR_CAST)
        return index_text(g, e->bin.a, narrow);
    /* C widens the narrower operand implicitly. */
    const bool narrow_a = narrow || (g->is_c && all_fit(g, e->bin.a));
    const bool narrow_b = narrow || (g->is_c && !narrow_a && all_fit(g, e->bin.b));
    const char *a = index_text(g, e->bin.a, narrow_a), *b = index_text(g, e->bin.b, narrow_b),
               *text;
    if (e->kind == RLXC_EXPR_MIN || e->kind == RLXC_EXPR_MAX)
        text = rlxc_internf(g->ctx, "%s%s%s(%s, %s)", g->is_c ? "rlx_" : "",
                            e->kind == RLXC_EXPR_MIN ? "min" : "max",
                            !g->is_c ? ""
                            : narrow ? "_int"
                                     : "_long",
                            a, b);
    else
        text = rlxc_internf(g->ctx, "(%s %s %s)", a,
                            e->kind == RLXC_EXPR_ADD        ? "+"
                            : e->kind == RLXC_EXPR_SUB      ? "-"
                            : e->kind == RLXC_EXPR_MUL      ? "*"
                            : e->kind == RLXC_EXPR_FLOORDIV ? "/"
                                                            : "%",
                            b);
    return strlen(text) > LONG_TEXT ? rlxc_cl_named(g, type, text) : text;
}

const char *rlxc_cl_index(rlxc_cl *g, const rlxc_expr *e)
{
    if (!rlxc_dtype_is_int(e->dtype) && !rlxc_dtype_is_bool(e->dtype))
        return rlxc_cl_problem(g, "an index or extent is not an integer");
    return index_text(g, e, all_fit(g, e));
}

const char *rlxc_cl_int_index(rlxc_cl *g, const rlxc_expr *e)
{
    const char *text = rlxc_cl_index(g, e);
    return !g->is_c || all_fit(g, e)
               ? text
               : rlxc_internf(g->ctx, "(%s)%s", rlxc_cl_type(g, RLX_I32), text);
}

/* --- memory ----------------------------------------------------------------------------------- */

const rlxc_expr *rlxc_cl_offset(rlxc_context *ctx, const rlxc_buffer *buffer,
                                const rlxc_expr *const *indices, uint32_t n)
{
    const rlxc_expr *offset =
        buffer->elem_offset ? rlxc_cast(ctx, RLX_I64, buffer->elem_offset) : rlxc_i64(ctx, 0);
    const rlxc_expr *compact = rlxc_i64(ctx, 1);
    for (uint32_t i = n; i-- > 0;) {
        const rlxc_expr *stride =
            buffer->strides ? rlxc_cast(ctx, RLX_I64, buffer->strides[i]) : compact;
        if (!rlxc_is_const(indices[i], 0))
            offset =
                rlxc_add(ctx, rlxc_mul(ctx, rlxc_cast(ctx, RLX_I64, indices[i]), stride), offset);
        if (i > 0 && !buffer->strides)
            compact = rlxc_mul(ctx, compact, rlxc_cast(ctx, RLX_I64, buffer->shape[i]));
    }
    return offset;
}

const char *rlxc_cl_element_at(rlxc_cl *g, const rlxc_buffer *buffer, const rlxc_expr *offset)
{
    rlxc_context *ctx = g->ctx;
    const rlxc_cl_memory *m = rlxc_map_get(&g->memory, rlxc_key(buffer->data));
    if (!m) {
        rlxc_internal(ctx, g->range, "codegen", "%s: buffer %s has no storage", g->f->name,
                      buffer->name);
        return NULL;
    }
    const char *at = rlxc_cl_index(g, offset), *type = rlxc_cl_memory_type(g, buffer->dtype);
    if (strcmp(type, rlxc_cl_memory_type(g, m->dtype)) == 0)
        return m->is_one ? m->name : rlxc_internf(ctx, "%s[%s]", m->name, rlxc_c_bare(g, at));
    return rlxc_internf(ctx, "((%s%s%s%s *)%s%s)[%s]", m->is_const ? "const " : "", m->space,
                        *m->space ? " " : "", type, m->is_one ? "&" : "", m->name, at);
}

const char *rlxc_cl_element(rlxc_cl *g, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                            uint32_t n)
{
    if (n != buffer->ndim) {
        rlxc_error(g->ctx, g->range, "%s: %s has %u dimensions, got %u indices", g->f->name,
                   buffer->name, buffer->ndim, n);
        return NULL;
    }
    const rlxc_expr *offset = rlxc_cl_offset(g->ctx, buffer, indices, n);
    const char *variable = rlxc_cl_register(g, buffer, offset);
    return variable ? variable : rlxc_cl_element_at(g, buffer, offset);
}

static const char *load(rlxc_cl *g, const rlxc_expr *e)
{
    const rlxc_buffer *b = e->load.buffer;
    const char *why = rlxc_cl_lacks_type(g->target, b->dtype);
    if (why)
        return rlxc_cl_problem(g, why);
    const char *at = rlxc_cl_element(g, b, e->load.indices, e->load.n);
    const char *value = at ? rlxc_cl_from_memory(g, at, b->dtype) : "0";
    /* In C it stays part of the statement, which stores only at its end. */
    return at && !g->is_c ? rlxc_cl_named(g, rlxc_cl_type(g, b->dtype), value) : value;
}

/* --- operators -------------------------------------------------------------------------------- */

static const char *divide(rlxc_cl *g, const rlxc_expr *e, const char *a, const char *b)
{
    rlx_dtype t = e->bin.a->dtype;
    const bool wide = t.bits == 64, is_signed = t.code == RLX_INT;
    const bool remainder = e->kind == RLXC_EXPR_MOD || e->kind == RLXC_EXPR_FLOORMOD;
    const bool floors =
        is_signed && (e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD);
    if (divides_plainly(g, e))
        return rlxc_internf(g->ctx, "(%s)(%s %s %s)", rlxc_cl_type(g, t), a, remainder ? "%" : "/",
                            b);
    g->used[wide ? RLXC_CL_DIVIDE_LONG : RLXC_CL_DIVIDE_INT] = true;
    return rlxc_internf(g->ctx, "(%s)rlx_%s%s_%s%s(%s, %s)", rlxc_cl_type(g, t),
                        floors ? "floor" : "", remainder ? "mod" : "div", is_signed ? "" : "u",
                        wide ? "long" : "int", a, b);
}

static const char *minmax(rlxc_cl *g, const rlxc_expr *e, const char *a, const char *b)
{
    rlx_dtype t = e->bin.a->dtype;
    const bool is_min = e->kind == RLXC_EXPR_MIN;
    if (rlxc_dtype_is_bool(t))
        return rlxc_internf(g->ctx, is_min ? "(%s && %s)" : "(%s || %s)", a, b);
    if (!rlxc_dtype_is_float(t))
        return rlxc_internf(g->ctx, "(%s %s %s ? %s : %s)", a, is_min ? "<" : ">", b, a, b);
    const bool wide = t.bits == 64;
    g->used[is_min ? (wide ? RLXC_CL_MIN_DOUBLE : RLXC_CL_MIN_FLOAT)
                   : (wide ? RLXC_CL_MAX_DOUBLE : RLXC_CL_MAX_FLOAT)] = true;
    return rlxc_internf(g->ctx, "rlx_%s_%s(%s, %s)", is_min ? "min" : "max",
                        wide ? "double" : "float", a, b);
}

static const char *arithmetic(rlxc_cl *g, const rlxc_expr *e)
{
    rlx_dtype t = e->bin.a->dtype;
    const bool is_float = rlxc_dtype_is_float(t);
    const char *a = rlxc_cl_number(g, rlxc_cl_expr(g, e->bin.a), t);
    const char *b = rlxc_cl_number(g, rlxc_cl_expr(g, e->bin.b), t), *text = NULL, *op = NULL;
    const char *f = rlxc_cl_suffix(g, t);
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_ADD:
        op = "+";
        break;
    case RLXC_EXPR_SUB:
        op = "-";
        break;
    case RLXC_EXPR_MUL:
        op = "*";
        break;
    case RLXC_EXPR_DIV:
        op = "/";
        break;
    case RLXC_EXPR_MOD:
        if (!is_float)
            return divide(g, e, a, b);
        return rlxc_cl_round(g, rlxc_internf(g->ctx, "fmod%s(%s, %s)", f, a, b), t);
    case RLXC_EXPR_FLOORDIV:
        if (!is_float)
            return divide(g, e, a, b);
        return rlxc_cl_round(g, rlxc_internf(g->ctx, "floor%s(%s / %s)", f, a, b), t);
    case RLXC_EXPR_FLOORMOD:
        if (!is_float)
            return divide(g, e, a, b);
        text = rlxc_internf(g->ctx, "(%s - floor%s(%s / %s) * %s)", a, f, a, b, b);
        return rlxc_cl_round(g, text, t);
    case RLXC_EXPR_MIN:
    case RLXC_EXPR_MAX:
        text = minmax(g, e, a, b);
        return rlxc_dtype_is_float8(t) ? rlxc_cl_round(g, text, t) : text;
    case RLXC_EXPR_EQ:
        return rlxc_internf(g->ctx, "(%s == %s)", a, b);
    case RLXC_EXPR_NE:
        return rlxc_internf(g->ctx, "(%s != %s)", a, b);
    case RLXC_EXPR_LT:
        return rlxc_internf(g->ctx, "(%s < %s)", a, b);
    case RLXC_EXPR_LE:
        return rlxc_internf(g->ctx, "(%s <= %s)", a, b);
    case RLXC_EXPR_GT:
        return rlxc_internf(g->ctx, "(%s > %s)", a, b);
    case RLXC_EXPR_GE:
        return rlxc_internf(g->ctx, "(%s >= %s)", a, b);
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        RLXC_OTHER_EXPRS(RLXC_EXPR_CASE)
        return rlxc_cl_problem(g, "not a binary operator");
    }
    if (is_float)
        return rlxc_cl_round(g, rlxc_internf(g->ctx, "(%s %s %s)", a, op, b), t);
    if (rlxc_dtype_is_bool(t)) /* of one bit */
        return rlxc_internf(g->ctx, e->kind == RLXC_EXPR_MUL ? "(%s && %s)" : "(%s != %s)", a, b);
    return e->kind == RLXC_EXPR_DIV ? divide(g, e, a, b) : rlxc_cl_wrap(g, t, op, a, b);
}

static const char *binary(rlxc_cl *g, const rlxc_expr *e)
{
    const rlx_dtype a = e->bin.a->dtype, b = e->bin.b->dtype;
    if (a.code != b.code || a.bits != b.bits || rlxc_dtype_is_handle(a))
        return rlxc_cl_problem(g, "an operator needs two numbers of one type");
    return arithmetic(g, e);
}

/* |e| with its statements in a text of their own: *out_text is empty if it needs none. */
static const char *aside(rlxc_cl *g, const rlxc_expr *e, rlxc_text *out_text)
{
    rlxc_text *outer = g->out;
    const uint32_t mark = g->memo_log.count;
    *out_text = (rlxc_text){.ctx = g->ctx};
    g->out = out_text;
    g->depth++;
    const char *value = rlxc_cl_expr(g, e);
    g->depth--;
    g->out = outer;
    rlxc_cl_memo_forget(g, mark);
    return value;
}

static void write_side(rlxc_cl *g, const rlxc_text *statements, const char *name, const char *value)
{
    if (statements->length)
        rlxc_text_add(g->out, statements->data, statements->length);
    g->depth++;
    rlxc_cl_line(g, "%s = %s;", name, rlxc_c_bare(g, value));
    g->depth--;
}

/* cond ? yes : no, computing only the selected side. */
static const char *choose(rlxc_cl *g, const rlxc_expr *cond, const rlxc_expr *yes,
                          const rlxc_expr *no)
{
    rlxc_text first, second;
    const char *c = rlxc_cl_expr(g, cond), *type = rlxc_cl_type(g, yes->dtype);
    if (!rlxc_dtype_is_bool(cond->dtype) || yes->dtype.code != no->dtype.code ||
        yes->dtype.bits != no->dtype.bits)
        return rlxc_cl_problem(g, "a conditional needs a bool and two values of one type");
    const char *y = aside(g, yes, &first), *n = aside(g, no, &second);
    if (!first.length && !second.length)
        return rlxc_internf(g->ctx, "(%s ? %s : %s)", c, y, n);
    const char *name = rlxc_cl_name(g, "t");
    rlxc_cl_line(g, "%s %s;", type, name);
    rlxc_c_local(g, name);
    rlxc_cl_line(g, "if (%s) {", rlxc_c_bare(g, c));
    write_side(g, &first, name, y);
    rlxc_cl_line(g, "} else {");
    write_side(g, &second, name, n);
    rlxc_cl_line(g, "}");
    return name;
}

static const char *logical(rlxc_cl *g, const rlxc_expr *e)
{
    const bool is_and = e->kind == RLXC_EXPR_AND;
    rlxc_text second;
    if (!rlxc_dtype_is_bool(e->bin.a->dtype) || !rlxc_dtype_is_bool(e->bin.b->dtype))
        return rlxc_cl_problem(g, "and, or need bools");
    const char *a = rlxc_cl_expr(g, e->bin.a), *b = aside(g, e->bin.b, &second);
    if (!second.length)
        return rlxc_internf(g->ctx, is_and ? "(%s && %s)" : "(%s || %s)", a, b);
    const char *name = rlxc_cl_name(g, "t");
    rlxc_cl_line(g, "bool %s = %s;", name, a);
    rlxc_c_local(g, name);
    rlxc_cl_line(g, is_and ? "if (%s) {" : "if (!%s) {", name);
    write_side(g, &second, name, b);
    rlxc_cl_line(g, "}");
    return name;
}

static const char *variable(rlxc_cl *g, const rlxc_expr *e)
{
    const rlxc_cl_var *var = rlxc_map_get(&g->vars, rlxc_key(e));
    if (!var) {
        rlxc_error(g->ctx, g->range, "%s: variable %s has no value here", g->f->name, e->var.name);
        return "0";
    }
    const char *type = rlxc_cl_type(g, e->dtype);
    return var->is_int && strcmp(type, rlxc_cl_type(g, RLX_I32)) != 0
               ? rlxc_internf(g->ctx, "(%s)%s", type, var->name)
               : var->name;
}

static const char *emit(rlxc_cl *g, const rlxc_expr *e)
{
    if (e->dtype.lanes > 1)
        return rlxc_cl_vector(g, e);
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_VAR:
        return variable(g, e);
    case RLXC_EXPR_INT:
        return rlxc_cl_int(g, e->dtype, e->i);
    case RLXC_EXPR_FLOAT:
        return rlxc_cl_float(g, e->dtype, e->f);
    case RLXC_EXPR_STRING:
        return rlxc_cl_problem(g, "a string is used as a number");
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
        return logical(g, e);
        RLXC_NUMBER_EXPRS(RLXC_EXPR_CASE)
        return binary(g, e);
    case RLXC_EXPR_NOT:
        if (!rlxc_dtype_is_bool(e->bin.a->dtype))
            return rlxc_cl_problem(g, "not needs a bool");
        return rlxc_internf(g->ctx, "!%s", rlxc_cl_expr(g, e->bin.a));
    case RLXC_EXPR_CAST:
        return rlxc_cl_cast(g, rlxc_cl_expr(g, e->bin.a), e->bin.a->dtype, e->dtype);
    case RLXC_EXPR_SELECT:
        return choose(g, e->select.cond, e->select.yes, e->select.no);
    case RLXC_EXPR_LOAD:
        return load(g, e);
    case RLXC_EXPR_CALL:
        if (rlxc_is_choice(e))
            return choose(g, e->call.args[0], e->call.args[1], e->call.args[2]);
        return rlxc_cl_call(g, e);
    case RLXC_EXPR_LET: {
        const char *value = rlxc_cl_expr(g, e->let.value);
        const char *name = rlxc_cl_named(g, rlxc_cl_type(g, e->let.var->dtype), value);
        rlxc_cl_bind(g, e->let.var, name, false);
        return rlxc_cl_expr(g, e->let.body);
    }
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        break;
    }
    return rlxc_cl_problem(g, "a vector is left in an expression");
}

const char *rlxc_cl_expr(rlxc_cl *g, const rlxc_expr *e)
{
    if (rlxc_failed(g->ctx))
        return "0";
    if (e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_INT || e->kind == RLXC_EXPR_FLOAT)
        return emit(g, e);
    const char *known = rlxc_map_get(&g->memo, rlxc_key(e));
    if (known)
        return known;
    const char *why = rlxc_cl_lacks_type(g->target, e->dtype);
    if (why)
        return rlxc_cl_problem(g, why);
    const char *text = emit(g, e);
    if (strlen(text) > LONG_TEXT || e->kind == RLXC_EXPR_CALL)
        text = rlxc_cl_named(g, rlxc_cl_type(g, e->dtype), text);
    remember(g, e, text);
    return text;
}
