/* Calls of T.* inside expressions: typed literals and casts, named operators, intrinsics.
 *
 * The table ir/intrinsics.def lists the intrinsics with their arity and result type; any other name
 * gets a diagnostic. */
#include <math.h>
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/ir/sym.h"
#include "compiler/script/parse.h"

enum { MAX_ARGS = 34 };

static bool arity(rlxc_parser *p, const rlxc_py *call, const char *name, uint32_t least,
                  uint32_t most)
{
    if (call->n >= least && call->n <= most && call->n <= MAX_ARGS)
        return true;
    if (least == most)
        rlxc_error(p->ctx, call->range, "T.%s takes %u argument%s, got %u", name, least,
                   least == 1 ? "" : "s", call->n);
    else
        rlxc_error(p->ctx, call->range, "T.%s takes %u to %u arguments, got %u", name, least, most,
                   call->n);
    return false;
}

static bool args_of(rlxc_parser *p, const rlxc_py *call, uint32_t first, const rlxc_expr **out)
{
    for (uint32_t i = first; i < call->n; i++)
        if (!(out[i - first] = rlxc_parse_prim(p, call->items[i])))
            return false;
    return true;
}

/* inf, -inf, nan as Python spells them; false for other text. */
bool rlxc_parse_special_float(const char *text, double *out)
{
    bool negative = text[0] == '-';
    if (negative)
        text++;
    if (strcmp(text, "inf") == 0 || strcmp(text, "infinity") == 0)
        *out = negative ? -(double)INFINITY : (double)INFINITY;
    else if (strcmp(text, "nan") == 0)
        *out = (double)NAN;
    else
        return false;
    return true;
}

/* T.float32(1.5), T.int64(n), T.bool(True), T.float32("inf") */
static const rlxc_expr *typed(rlxc_parser *p, const rlxc_py *call, const char *name, rlx_dtype t)
{
    double special;
    if (!arity(p, call, name, 1, 1))
        return NULL;
    const rlxc_py *arg = call->items[0];
    bool is_float = rlxc_dtype_is_float(t);
    if (arg->kind == RLXC_PY_STRING) {
        if (is_float && rlxc_parse_special_float(arg->text, &special))
            return rlxc_float(p->ctx, t, special);
        rlxc_error(p->ctx, arg->range, "T.%s cannot hold \"%.40s\"", name, arg->text);
        return NULL;
    }
    if (arg->kind == RLXC_PY_FLOAT && is_float)
        return rlxc_float(p->ctx, t, arg->f);
    if (arg->kind == RLXC_PY_INT && is_float)
        return rlxc_float(p->ctx, t, arg->huge ? (double)(uint64_t)arg->i : (double)arg->i);
    if (arg->kind == RLXC_PY_INT && rlxc_dtype_is_int(t) && arg->i > rlxc_type_range(t).max) {
        rlxc_error(p->ctx, arg->range, "T.%s cannot hold %lld", name, (long long)arg->i);
        return NULL;
    }
    if (arg->kind == RLXC_PY_INT && rlxc_dtype_is_int(t))
        return rlxc_int(p->ctx, t, arg->i);
    const rlxc_expr *value = rlxc_parse_prim(p, arg);
    if (!value)
        return NULL;
    if (rlxc_dtype_is_void(t) || rlxc_dtype_is_handle(value->dtype) != rlxc_dtype_is_handle(t)) {
        rlxc_error(p->ctx, call->range, "%s cannot become T.%s",
                   rlxc_dtype_name(p->ctx, value->dtype), name);
        return NULL;
    }
    return rlxc_cast(p->ctx, t, value);
}

/* T.FloatImm("float32", 0.5), T.IntImm("int64", 3) */
static const rlxc_expr *parse_immediate(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    const bool is_float = name[0] == 'F';
    rlx_dtype t;
    if (!arity(p, call, name, 2, 2) || !rlxc_parse_dtype(p, call->items[0], &t))
        return NULL;
    if (is_float ? !rlxc_dtype_is_float(t) : !rlxc_dtype_is_int(t)) {
        rlxc_error(p->ctx, call->range, "T.%s cannot be %s", name, rlxc_dtype_name(p->ctx, t));
        return NULL;
    }
    rlxc_py value = *call;
    value.items++;
    value.n = 1;
    return typed(p, &value, rlxc_dtype_name(p->ctx, t), t);
}

static const rlxc_expr *parse_cast(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    rlx_dtype t;
    if (!arity(p, call, name, 2, 2))
        return NULL;
    bool type_first = name[0] == 'C' || call->items[0]->kind == RLXC_PY_STRING;
    if (!rlxc_parse_dtype(p, call->items[type_first ? 0 : 1], &t))
        return NULL;
    const rlxc_expr *value = rlxc_parse_prim(p, call->items[type_first ? 1 : 0]);
    if (!value)
        return NULL;
    if (rlxc_dtype_is_void(t) || rlxc_dtype_is_handle(t) || rlxc_dtype_is_handle(value->dtype)) {
        rlxc_error(p->ctx, call->range, "no cast from %s to %s",
                   rlxc_dtype_name(p->ctx, value->dtype), rlxc_dtype_name(p->ctx, t));
        return NULL;
    }
    return rlxc_cast(p->ctx, t, value);
}

static const rlxc_expr *parse_vector(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    bool ramp = name[0] == 'R';
    const rlxc_expr *args[MAX_ARGS];
    int64_t lanes;
    uint32_t n = ramp ? 3 : 2;
    if (!arity(p, call, name, n, n) || !args_of(p, call, 0, args))
        return NULL;
    if (!rlxc_is_int(args[n - 1], &lanes) || lanes < 1 || lanes > UINT16_MAX) {
        rlxc_error(p->ctx, call->range, "T.%s needs a constant number of lanes, 1 to 65535", name);
        return NULL;
    }
    for (uint32_t i = 0; i + 1 < n; i++)
        if (args[i]->dtype.lanes != 1 || (ramp && !rlxc_dtype_is_int(args[i]->dtype))) {
            rlxc_error(p->ctx, call->range,
                       ramp ? "T.%s needs integers, got %s" : "T.%s needs a scalar, got %s", name,
                       rlxc_dtype_name(p->ctx, args[i]->dtype));
            return NULL;
        }
    return ramp ? rlxc_ramp(p->ctx, args[0], args[1], (uint32_t)lanes)
                : rlxc_broadcast(p->ctx, args[0], (uint32_t)lanes);
}

/* T.Shuffle([a, b], [0, 4, 1, 5]): lanes of vectors laid end to end. */
static const rlxc_expr *parse_shuffle(rlxc_parser *p, const rlxc_py *call)
{
    enum { MOST = 64 };
    const rlxc_expr *args[2 * MOST + 1];
    uint32_t n = 1;
    if (call->n != 2 || !rlxc_py_is_list(call->items[0]) || !rlxc_py_is_list(call->items[1]) ||
        call->items[0]->n + call->items[1]->n > MOST || call->items[0]->n == 0 ||
        call->items[1]->n == 0) {
        rlxc_error(p->ctx, call->range, "T.Shuffle takes a list of vectors and a list of lanes");
        return NULL;
    }
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < call->items[k]->n; i++)
            if (!(args[n++] = rlxc_parse_prim(p, call->items[k]->items[i])))
                return NULL;
    args[0] = rlxc_int(p->ctx, RLX_I32, call->items[0]->n);
    rlx_dtype t = args[1]->dtype;
    t.lanes = (uint16_t)call->items[1]->n;
    return rlxc_call(p->ctx, t, rlxc_intern_cstr(p->ctx, "Shuffle"), args, n);
}

/* T.large_uint_imm("uint64", low, high): two halves of a constant. */
static const rlxc_expr *parse_large(rlxc_parser *p, const rlxc_py *call)
{
    const rlxc_expr *args[MAX_ARGS];
    rlx_dtype t = RLX_U64;
    bool typed_call = call->n == 3;
    int64_t low, high;
    if (!arity(p, call, "large_uint_imm", 2, 3) ||
        (typed_call && !rlxc_parse_dtype(p, call->items[0], &t)) ||
        !args_of(p, call, typed_call ? 1 : 0, args))
        return NULL;
    if (!rlxc_is_int(args[0], &low) || !rlxc_is_int(args[1], &high) || !rlxc_dtype_is_int(t)) {
        rlxc_error(p->ctx, call->range, "T.large_uint_imm takes two constants");
        return NULL;
    }
    return rlxc_int(p->ctx, t,
                    (int64_t)((uint64_t)high << 32 | ((uint64_t)low & UINT64_C(0xffffffff))));
}

/* T.Let(body, where={v: value, ...}) */
static const rlxc_expr *parse_let(rlxc_parser *p, const rlxc_py *call)
{
    const rlxc_py *where = rlxc_py_keyword(call, "where");
    const rlxc_expr *vars[8], *values[8];
    if (call->n != 1 || !where || where->kind != RLXC_PY_DICT || where->n > 8) {
        rlxc_error(p->ctx, call->range, "T.Let takes a body and where={variable: value}");
        return NULL;
    }
    uint32_t mark = rlxc_names_mark(&p->names), n = 0;
    for (; n < where->n; n++) {
        if (where->keys[n]->kind != RLXC_PY_NAME) {
            rlxc_error(p->ctx, where->keys[n]->range, "T.Let binds names");
            break;
        }
        const char *name = where->keys[n]->text;
        if (!(values[n] = rlxc_parse_prim(p, where->items[n])))
            break;
        vars[n] = rlxc_var(p->ctx, name, values[n]->dtype);
        rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_EXPR)->expr = vars[n];
    }
    const rlxc_expr *body = n == where->n ? rlxc_parse_prim(p, call->items[0]) : NULL;
    rlxc_names_restore(p->ctx, &p->names, mark);
    for (; body && n > 0; n--)
        body = rlxc_let(p->ctx, vars[n - 1], values[n - 1], body);
    return body;
}

/* An argument that may be text: a literal, from the metadata, or the name of an LLVM intrinsic.
 */
static const rlxc_expr *argument(rlxc_parser *p, const rlxc_py *e)
{
    e = rlxc_parse_literal(p, e);
    if (e->kind == RLXC_PY_CALL && e->n == 1 && e->items[0]->kind == RLXC_PY_STRING &&
        rlxc_parse_path_is(p, e->base, "T.llvm_lookup_intrinsic_id"))
        e = e->items[0];
    return e->kind == RLXC_PY_STRING ? rlxc_string(p->ctx, e->text) : rlxc_parse_prim(p, e);
}

/* Type and function name come first: call_extern("int32", "f", x), reinterpret("int32", x). */
static const rlxc_expr *parse_given(rlxc_parser *p, const rlxc_py *call, const char *name,
                                    const rlxc_intrinsic *row)
{
    const rlxc_expr *args[MAX_ARGS];
    const rlxc_py *dtype = rlxc_py_keyword(call, "dtype");
    rlx_dtype t;
    uint32_t first = 0;
    if (!dtype) {
        if (!arity(p, call, name, row->min_args + 1, row->max_args + 1))
            return NULL;
        dtype = call->items[0];
        first = 1;
        if (dtype->kind != RLXC_PY_STRING && dtype->kind != RLXC_PY_ATTR && call->n == 2) {
            dtype = call->items[1]; /* reinterpret(x, "int32") */
            first = 0;
        }
    } else if (!arity(p, call, name, row->min_args, row->max_args)) {
        return NULL;
    }
    if (!rlxc_parse_dtype(p, dtype, &t))
        return NULL;
    uint32_t n = 0;
    for (uint32_t i = first; i < call->n; i++) {
        const rlxc_py *item = call->items[i];
        if (item == dtype)
            continue;
        args[n] = argument(p, item);
        if (!args[n++])
            return NULL;
    }
    bool is_extern = strncmp(row->name, "call_", 5) == 0;
    if (n == 0 || is_extern != (args[0]->kind == RLXC_EXPR_STRING)) {
        rlxc_error(p->ctx, call->range,
                   is_extern ? "T.%s needs the function's name in quotes" : "T.%s needs a value",
                   name);
        return NULL;
    }
    if (row->index == RLXC_INTRINSIC_reinterpret &&
        (size_t)t.bits * t.lanes != (size_t)args[0]->dtype.bits * args[0]->dtype.lanes) {
        rlxc_error(p->ctx, call->range, "T.reinterpret needs types of one size, got %s and %s",
                   rlxc_dtype_name(p->ctx, args[0]->dtype), rlxc_dtype_name(p->ctx, t));
        return NULL;
    }
    return rlxc_call(p->ctx, t, rlxc_intern_cstr(p->ctx, row->name), args, n);
}

/* A buffer as an argument of a packed function, in the form of T.tvm_stack_make_array.
 */
const rlxc_expr *rlxc_parse_whole_buffer(rlxc_parser *p, const rlxc_buffer *b)
{
    const rlxc_expr *zero = rlxc_int(p->ctx, RLX_I32, 0);
    rlx_dtype t = b->dtype;
    const rlxc_expr *number =
        rlxc_dtype_is_float(t) ? rlxc_float(p->ctx, t, 0.0) : rlxc_int(p->ctx, t, 0);
    const rlxc_expr *args[6] = {
        b->data,
        rlxc_intrinsic_call(p->ctx, "tvm_stack_make_shape", b->shape, b->ndim),
        b->strides ? rlxc_intrinsic_call(p->ctx, "tvm_stack_make_shape", b->strides, b->ndim)
                   : zero,
        rlxc_int(p->ctx, RLX_I32, b->ndim),
        number,
        b->elem_offset ? b->elem_offset : zero};
    return rlxc_intrinsic_call(p->ctx, "tvm_stack_make_array", args, 6);
}

/* Calls with text, buffers and addresses among their arguments. */
static const rlxc_expr *parse_callee(rlxc_parser *p, const rlxc_py *call, const char *name,
                                     const rlxc_intrinsic *row)
{
    const rlxc_expr *args[MAX_ARGS];
    rlx_dtype given = rlxc_dtype_void();
    if (row->index == RLXC_INTRINSIC_type_annotation) {
        if (!arity(p, call, name, 1, 1) || !rlxc_parse_dtype(p, call->items[0], &given))
            return NULL;
        return rlxc_call(p->ctx, given, rlxc_intern_cstr(p->ctx, row->name), NULL, 0);
    }
    if (!arity(p, call, name, row->min_args, row->max_args))
        return NULL;
    bool is_packed =
        row->index == RLXC_INTRINSIC_call_packed || row->index == RLXC_INTRINSIC_call_cpacked;
    for (uint32_t i = 0; i < call->n; i++) {
        const rlxc_py *item = call->items[i];
        const rlxc_buffer *buffer = is_packed ? rlxc_parse_buffer_name(p, item) : NULL;
        args[i] = buffer ? rlxc_parse_whole_buffer(p, buffer) : argument(p, item);
        if (!args[i])
            return NULL;
    }
    if (is_packed && args[0]->kind != RLXC_EXPR_STRING) {
        rlxc_error(p->ctx, call->range, "T.%s needs the function's name in quotes", name);
        return NULL;
    }
    return rlxc_intrinsic_call(p->ctx, row->name, args, call->n);
}

/* The operand types of an intrinsic: 'f' floats, 'i' integers, 'n' any number, 'a' any. */
static char takes(const rlxc_intrinsic *row)
{
    static const char *const floats[] = {"sigmoid", "exp10", "rsqrt", "ldexp"};
    static const char *const integers[] = {
        "popcount",    "clz",        "q_multiply_shift", "q_multiply_shift_per_axis",
        "bitwise_and", "bitwise_or", "bitwise_xor",      "bitwise_not",
        "shift_left",  "shift_right"};
    if (row->index == RLXC_INTRINSIC_if_then_else || row->index == RLXC_INTRINSIC_ret ||
        row->index == RLXC_INTRINSIC_isnullptr || row->index == RLXC_INTRINSIC_likely)
        return 'a';
    if (row->lowering != RLXC_LOWER_INLINE)
        return 'f';
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (strcmp(row->name, floats[i]) == 0)
            return 'f';
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcmp(row->name, integers[i]) == 0)
            return 'i';
    return 'n';
}

static bool fits(char kind, rlx_dtype t)
{
    bool integer = rlxc_dtype_is_int(t) || rlxc_dtype_is_bool(t);
    return kind == 'a' || (kind == 'i' && integer) || (kind != 'i' && rlxc_dtype_is_float(t)) ||
           (kind == 'n' && integer);
}

static const rlxc_expr *parse_row(rlxc_parser *p, const rlxc_py *call, const char *name,
                                  const rlxc_intrinsic *row)
{
    const rlxc_expr *args[MAX_ARGS];
    rlx_dtype t;
    if (row->lowering == RLXC_LOWER_CONSTANT) {
        if (!arity(p, call, name, 1, 1) || !rlxc_parse_dtype(p, call->items[0], &t))
            return NULL;
        const rlxc_expr *value = rlxc_intrinsic_constant(p->ctx, row, t);
        if (!value)
            rlxc_error(p->ctx, call->range, "%s has no %s", rlxc_dtype_name(p->ctx, t), name);
        return value;
    }
    if (row->lowering == RLXC_LOWER_DEVICE)
        return parse_callee(p, call, name, row);
    if (row->lowering == RLXC_LOWER_CALLEE && row->index != RLXC_INTRINSIC_call_extern &&
        row->index != RLXC_INTRINSIC_call_pure_extern &&
        (row->result != RLXC_RESULT_GIVEN || row->index == RLXC_INTRINSIC_type_annotation))
        return parse_callee(p, call, name, row);
    if (row->result == RLXC_RESULT_GIVEN)
        return parse_given(p, call, name, row);
    if (!arity(p, call, name, row->min_args, row->max_args) || !args_of(p, call, 0, args))
        return NULL;
    uint32_t pair = row->result == RLXC_RESULT_SECOND ? 1 : 0;
    if (call->n == pair + 2 && row->index != RLXC_INTRINSIC_ldexp &&
        !rlxc_parse_unify(p, &args[pair], &args[pair + 1]))
        return NULL;
    char kind = takes(row);
    if (call->n > 0 && !fits(kind, args[0]->dtype)) {
        rlxc_error(p->ctx, call->range, "T.%s takes %s, got %s", name,
                   kind == 'f'   ? "a floating-point value"
                   : kind == 'i' ? "an integer"
                                 : "a number",
                   rlxc_dtype_name(p->ctx, args[0]->dtype));
        return NULL;
    }
    t = rlxc_intrinsic_dtype(row, rlxc_dtype_void(), args, call->n);
    return rlxc_call(p->ctx, t, rlxc_intern_cstr(p->ctx, row->name), args, call->n);
}

static const struct {
    const char *name;
    rlxc_expr_kind kind;
} named_operators[] = {
    {"Add", RLXC_EXPR_ADD},
    {"Sub", RLXC_EXPR_SUB},
    {"Mul", RLXC_EXPR_MUL},
    {"Div", RLXC_EXPR_DIV},
    {"truncdiv", RLXC_EXPR_DIV},
    {"TruncDiv", RLXC_EXPR_DIV},
    {"div", RLXC_EXPR_DIV},
    {"Mod", RLXC_EXPR_MOD},
    {"truncmod", RLXC_EXPR_MOD},
    {"TruncMod", RLXC_EXPR_MOD},
    {"FloorDiv", RLXC_EXPR_FLOORDIV},
    {"floordiv", RLXC_EXPR_FLOORDIV},
    {"FloorMod", RLXC_EXPR_FLOORMOD},
    {"floormod", RLXC_EXPR_FLOORMOD},
    {"Min", RLXC_EXPR_MIN},
    {"min", RLXC_EXPR_MIN},
    {"Max", RLXC_EXPR_MAX},
    {"max", RLXC_EXPR_MAX},
    {"EQ", RLXC_EXPR_EQ},
    {"NE", RLXC_EXPR_NE},
    {"LT", RLXC_EXPR_LT},
    {"LE", RLXC_EXPR_LE},
    {"GT", RLXC_EXPR_GT},
    {"GE", RLXC_EXPR_GE},
    {"And", RLXC_EXPR_AND},
    {"Or", RLXC_EXPR_OR},
};

static const rlxc_expr *parse_choice(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    const rlxc_expr *args[MAX_ARGS];
    if (!arity(p, call, name, 3, 3) || !args_of(p, call, 0, args))
        return NULL;
    if (rlxc_dtype_is_handle(args[0]->dtype)) {
        rlxc_error(p->ctx, call->range, "the condition of T.Select is a handle");
        return NULL;
    }
    return rlxc_select(p->ctx, args[0], args[1], args[2]);
}

static const rlxc_expr *parse_small(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    const rlxc_expr *args[MAX_ARGS];
    bool is_not = strcmp(name, "Not") == 0;
    uint32_t n = is_not ? 1 : 2;
    if (!arity(p, call, name, n, n) || !args_of(p, call, 0, args))
        return NULL;
    if (is_not)
        return rlxc_not(p->ctx, args[0]);
    if (!rlxc_dtype_is_int(args[0]->dtype) || !rlxc_dtype_is_int(args[1]->dtype)) {
        rlxc_error(p->ctx, call->range, "T.ceildiv needs integers");
        return NULL;
    }
    const rlxc_expr *up =
        rlxc_sub(p->ctx, rlxc_add(p->ctx, args[0], args[1]), rlxc_int(p->ctx, args[1]->dtype, 1));
    return rlxc_binary(p->ctx, RLXC_EXPR_FLOORDIV, up, args[1]);
}

static void unsupported(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    static const struct {
        const char *prefix, *why;
    } rows[] = {
        {"launch_thread", "is a statement, not a value"},
        {"env_thread", "needs a name of its own: tx = T.env_thread(...)"},
        {"tvm_thread_allreduce", "is a statement, not a value"},
        {"tvm_thread_context", "belongs to GPUs"},
        {"tvm_load_matrix", "belongs to GPUs"},
        {"tvm_mma", "belongs to GPUs"},
        {"tvm_bmma", "belongs to GPUs"},
        {"tvm_fill_fragment", "belongs to GPUs"},
        {"tvm_store_matrix", "belongs to GPUs"},
        {"ptx_", "belongs to GPUs"},
        {"mma_", "belongs to GPUs"},
        {"create_barriers", "belongs to GPUs"},
        {"texture2d", "belongs to GPUs"},
        {"vscale", "makes vectors of unknown length"},
        {"call_packed_lowered", "only occurs after MakePackedAPI"},
        {"call_cpacked_lowered", "only occurs after MakePackedAPI"},
        {"tvm_struct_", "only occurs after MakePackedAPI"},
        {"tvm_stack_alloca", "only occurs after MakePackedAPI"},
        {"TVMBackend", "only occurs after MakePackedAPI"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) == 0) {
            rlxc_error(p->ctx, call->range, "T.%s is not supported: it %s", name, rows[i].why);
            return;
        }
    rlxc_error(p->ctx, call->range, "T.%s is not supported", name);
}

const rlxc_expr *rlxc_parse_intrinsic(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    static const char *const others[][2] = {{"power", "pow"},
                                            {"tvm_call_packed", "call_packed"},
                                            {"tvm_call_cpacked", "call_cpacked"},
                                            {"tvm_thread_invariant", "likely"},
                                            {"ramp", "Ramp"},
                                            {"broadcast", "Broadcast"}};
    rlx_dtype t;
    const rlxc_expr *args[2];
    double special;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0)
            name = others[i][1];
    if (rlxc_parse_spelled(p, call, name, &args[0]))
        return args[0];
    if (rlxc_dtype_parse(name, strlen(name), &t))
        return typed(p, call, name, t);
    for (size_t i = 0; i < sizeof named_operators / sizeof *named_operators; i++)
        if (strcmp(named_operators[i].name, name) == 0) {
            if (!arity(p, call, name, 2, 2) || !args_of(p, call, 0, args))
                return NULL;
            return rlxc_parse_binary(p, named_operators[i].kind, args[0], args[1], call->range);
        }
    if (strcmp(name, "Cast") == 0 || strcmp(name, "cast") == 0)
        return parse_cast(p, call, name);
    if (strcmp(name, "FloatImm") == 0 || strcmp(name, "IntImm") == 0)
        return parse_immediate(p, call, name);
    if (strcmp(name, "Select") == 0)
        return parse_choice(p, call, name);
    if (strcmp(name, "Ramp") == 0 || strcmp(name, "Broadcast") == 0)
        return parse_vector(p, call, name);
    if (strcmp(name, "Shuffle") == 0)
        return parse_shuffle(p, call);
    if (strcmp(name, "large_uint_imm") == 0)
        return parse_large(p, call);
    if (strcmp(name, "Let") == 0)
        return parse_let(p, call);
    if (strcmp(name, "Not") == 0 || strcmp(name, "ceildiv") == 0)
        return parse_small(p, call, name);
    if (strcmp(name, "float") == 0 && call->n == 1 && call->items[0]->kind == RLXC_PY_STRING &&
        rlxc_parse_special_float(call->items[0]->text, &special))
        return rlxc_float(p->ctx, RLX_F32, special);
    const rlxc_intrinsic *row = rlxc_find_intrinsic(name, strlen(name));
    if (row)
        return parse_row(p, call, name, row);
    unsupported(p, call, name);
    return NULL;
}
