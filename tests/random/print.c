/* Prints random programs as TVMScript. After a reduction, values that main's results do not need
 * are omitted, so that a reduced program prints short; a program as generated keeps its dead code.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "tests/random/program.h"

const char *const binary_names[B_COUNT] = {
    "add",          "subtract",   "multiply", "maximum",     "minimum",    "divide",
    "floor_divide", "floor_mod",  "mod",      "bitwise_and", "bitwise_or", "bitwise_xor",
    "less",         "less_equal", "equal",    "not_equal",   "greater",    "greater_equal"};
const char *const reduce_names[] = {"sum", "mean", "max", "min", "prod", "variance", "std"};
const char *const elem_names[] = {"float32", "float16", "bfloat16", "int32",
                                  "int64",   "int8",    "uint8",    "bool"};

typedef struct printer {
    const program *p;
    const function *f;
    char *out;
    size_t length, capacity;
} printer;

__attribute__((format(printf, 2, 3))) static void put(printer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->out + w->length, w->capacity - w->length, format, args);
    va_end(args);
    w->length += (size_t)n;
    if (w->length >= w->capacity)
        w->length = w->capacity - 1;
}

static void put_dim(printer *w, const dim *d)
{
    if (d->n == 0)
        put(w, "0");
    for (unsigned i = 0; i < d->n; i++) {
        const dim_term *t = &d->t[i];
        bool bare = t->c == 1 && t->atoms[0];
        put(w, "%s", i ? " + " : "");
        if (!bare)
            put(w, "%lld", (long long)t->c);
        for (unsigned j = 0; j < MAX_FACTORS && t->atoms[j]; j++)
            put(w, "%s%s", j || !bare ? " * " : "", w->f->atoms[t->atoms[j] - 1].name);
    }
}

static void put_shape(printer *w, const dim *d, unsigned n, bool quoted)
{
    put(w, "(");
    for (unsigned i = 0; i < n; i++) {
        int64_t c;
        bool quotes = quoted && !dim_constant(&d[i], &c);
        put(w, "%s", quotes ? "\"" : "");
        put_dim(w, &d[i]);
        put(w, "%s%s", quotes ? "\"" : "", n == 1 || i + 1 < n ? ", " : "");
    }
    put(w, ")");
}

/* Whether all atoms are named; in a signature they must also be bound by a parameter. */
static bool can_print(const function *f, const type *t, bool signature)
{
    for (unsigned i = 0; i < t->ndim; i++)
        for (unsigned j = 0; j < t->d[i].n; j++)
            for (unsigned k = 0; k < MAX_FACTORS && t->d[i].t[j].atoms[k]; k++) {
                const atom *a = &f->atoms[t->d[i].t[j].atoms[k] - 1];
                if (!a->name[0] || (signature && !a->signature))
                    return false;
            }
    return true;
}

static void put_type(printer *w, const type *t, bool quoted)
{
    put(w, "R.Tensor(");
    if (can_print(w->f, t, quoted))
        put_shape(w, t->d, t->ndim, quoted);
    else
        put(w, "ndim=%u", t->ndim);
    put(w, ", dtype=\"%s\")", elem_names[t->elem]);
}

static void put_const(printer *w, elem t, double f)
{
    bool whole = f == floor(f) && fabs(f) < 1e9; /* larger values print with an exponent */
    if (t == B8)
        put(w, "R.const(%s, \"bool\")", f != 0 ? "True" : "False");
    else
        put(w, "R.const(%.9g%s, \"%s\")", f, t < I32 && whole ? ".0" : "", elem_names[t]);
}

static void put_name(printer *w, int id)
{
    const value *v = &w->f->values[id];
    if (v->op == OP_CONST)
        put_const(w, v->types[0].elem, v->f);
    else
        put(w, "%c%d", v->op == OP_PARAM ? 'p' : 'v', v->named_after >= 0 ? v->named_after : id);
}

static void put_args(printer *w, const value *v)
{
    for (unsigned i = 0; i < v->n_args; i++) {
        put(w, "%s", i ? ", " : "");
        put_name(w, v->args[i]);
    }
}

static void put_ints(printer *w, const int64_t *ints, unsigned n)
{
    put(w, "[");
    for (unsigned i = 0; i < n; i++)
        put(w, "%s%lld", i ? ", " : "", (long long)ints[i]);
    put(w, "]");
}

static void put_reduce(printer *w, const value *v, const char *name)
{
    put(w, "R.%s(", name);
    put_args(w, v);
    put(w, ", axis=");
    if (v->op == OP_ARG_REDUCE)
        put(w, "%lld", (long long)v->ints[0]);
    else if (v->n_ints == 0)
        put(w, "None");
    else
        put_ints(w, v->ints, v->n_ints);
    put(w, ", keepdims=%s)", v->flag ? "True" : "False");
}

static void put_slice(printer *w, const value *v)
{
    put(w, "R.strided_slice(");
    put_args(w, v);
    for (unsigned i = 0; i < 4; i++) {
        static const char *const names[] = {"axes", "begin", "end", "strides"};
        put(w, ", %s=[%lld]", names[i], (long long)v->ints[i]);
    }
    put(w, ")");
}

static void put_split(printer *w, const value *v)
{
    put(w, "R.split(");
    put_args(w, v);
    put(w, ", ");
    if (v->flag)
        put(w, "%lld", (long long)v->ints[1]);
    else
        put_ints(w, v->ints + 1, v->n_ints - 1);
    put(w, ", axis=%lld)", (long long)v->ints[0]);
}

static void put_window(printer *w, const value *v)
{
    const long long i0 = v->ints[0], i1 = v->ints[1], i2 = v->ints[2];
    if (v->op == OP_CONV2D) {
        put(w, "R.nn.conv2d(");
        put_args(w, v);
        put(w,
            ", strides=[%lld, %lld], padding=[%lld, %lld, %lld, %lld], dilation=[%lld, %lld], "
            "groups=%lld)",
            i0, i0, i1, i1, i1, i1, i2, i2, (long long)v->ints[3]);
        return;
    }
    put(w, "R.nn.%s_pool2d(", v->flag ? "max" : "avg");
    put_args(w, v);
    put(w, ", pool_size=[%lld, %lld], strides=[%lld, %lld], padding=[%lld, %lld, %lld, %lld]%s)",
        i0, i0, i1, i1, i2, i2, i2, i2, !v->flag && v->sub ? ", count_include_pad=True" : "");
}

/* name(args, tail) */
static void put_call(printer *w, const value *v, const char *name)
{
    put(w, "R.%s(", name);
    put_args(w, v);
}

static void put_value(printer *w, const value *v)
{
    const long long axis = v->n_ints ? v->ints[0] : 0;
    switch (v->op) {
    case OP_PARAM:
    case OP_CONST:
    case OP_PHI:
        return;
    case OP_ALIAS:
        put_name(w, v->args[0]);
        return;
    case OP_TUPLE:
        put(w, "(");
        put_args(w, v);
        put(w, "%s)", v->n_args == 1 ? "," : "");
        return;
    case OP_GET:
        put_args(w, v);
        put(w, "[%lld]", axis);
        return;
    case OP_CALL:
        put(w, "cls.%s(", w->p->functions[v->sub].name);
        put_args(w, v);
        put(w, ")");
        return;
    case OP_MATCH_CAST:
        put_call(w, v, "match_cast");
        put(w, ", ");
        put_type(w, &v->types[0], false);
        put(w, ")");
        return;
    case OP_UNARY:
        put_call(w, v, unary_rows[v->sub].name);
        put(w, "%s)", unary_rows[v->sub].more[0] == '~' ? "" : unary_rows[v->sub].more);
        return;
    case OP_BINARY: {
        bool logical = v->sub >= B_AND && v->sub <= B_XOR && v->types[0].elem == B8 && v->flag;
        put_call(w, v,
                 !logical          ? binary_names[v->sub]
                 : v->sub == B_AND ? "logical_and"
                 : v->sub == B_OR  ? "logical_or"
                                   : "logical_xor");
        put(w, ")");
        return;
    }
    case OP_POWER:
        put_call(w, v, "power");
        put(w, ", ");
        put_const(w, v->types[0].elem, v->f);
        put(w, ")");
        return;
    case OP_CLIP:
        put_call(w, v, "clip");
        put(w, ", R.prim_value(%lld), R.prim_value(%lld))", -axis, axis);
        return;
    case OP_WHERE:
        put_call(w, v, "where");
        put(w, ")");
        return;
    case OP_ASTYPE:
        put_call(w, v, "astype");
        put(w, ", dtype=\"%s\")", elem_names[v->types[0].elem]);
        return;
    case OP_REDUCE:
        put_reduce(w, v, reduce_names[v->sub]);
        return;
    case OP_ARG_REDUCE:
        put_reduce(w, v, v->sub ? "argmin" : "argmax");
        return;
    case OP_SCAN:
        put_call(w, v, v->sub ? "cumprod" : "cumsum");
        put(w, ", axis=%lld, exclusive=%s)", axis, v->flag ? "True" : "False");
        return;
    case OP_MATMUL:
        put_call(w, v, "matmul");
        put(w, ")");
        return;
    case OP_RESHAPE:
    case OP_BROADCAST:
        put_call(w, v, v->op == OP_RESHAPE ? "reshape" : "broadcast_to");
        put(w, ", R.shape([");
        for (unsigned i = 0; i < v->n_shape; i++) {
            put(w, "%s", i ? ", " : "");
            if (v->flag && i == 0)
                put(w, "-1");
            else
                put_dim(w, &v->shape[i]);
        }
        put(w, "]))");
        return;
    case OP_FLATTEN:
        put_call(w, v, "flatten");
        put(w, ")");
        return;
    case OP_PERMUTE:
        put_call(w, v, "permute_dims");
        put(w, ", axes=");
        put_ints(w, v->ints, v->n_ints);
        put(w, ")");
        return;
    case OP_EXPAND:
    case OP_SQUEEZE:
        put_call(w, v, v->op == OP_EXPAND ? "expand_dims" : "squeeze");
        put(w, ", axis=[%lld])", axis);
        return;
    case OP_CONCAT:
    case OP_STACK:
        put(w, "R.%s((", v->op == OP_CONCAT ? "concat" : "stack");
        put_args(w, v);
        put(w, "%s), axis=%lld)", v->n_args == 1 ? "," : "", axis);
        return;
    case OP_SPLIT:
        put_split(w, v);
        return;
    case OP_SLICE:
        put_slice(w, v);
        return;
    case OP_TAKE:
        put_call(w, v, "take");
        put(w, ", axis=%lld)", axis);
        return;
    case OP_FLIP:
        put_call(w, v, "flip");
        put(w, ", axis=%lld)", axis);
        return;
    case OP_TILE:
        put_call(w, v, "tile");
        put(w, ", repeats=");
        put_ints(w, v->ints, v->n_ints);
        put(w, ")");
        return;
    case OP_REPEAT:
        put_call(w, v, "repeat");
        put(w, ", repeats=%lld, axis=%lld)", (long long)v->ints[1], axis);
        return;
    case OP_PAD:
        put_call(w, v, "nn.pad");
        put(w, ", pad_width=");
        put_ints(w, v->ints, v->n_ints);
        put(w, ", pad_value=%.1f)", v->f);
        return;
    case OP_TRI:
        put_call(w, v, v->flag ? "triu" : "tril");
        put(w, ", %lld)", axis);
        return;
    case OP_FULL:
        put(w, "R.full(R.shape([");
        for (unsigned i = 0; i < v->n_shape; i++) {
            put(w, "%s", i ? ", " : "");
            put_dim(w, &v->shape[i]);
        }
        put(w, "]), ");
        put_const(w, v->types[0].elem, v->f);
        put(w, ", dtype=\"%s\")", elem_names[v->types[0].elem]);
        return;
    case OP_ARANGE:
        put(w, "R.arange(R.prim_value(0), ");
        put_dim(w, &v->shape[0]);
        put(w, ", R.prim_value(1), dtype=\"%s\")", elem_names[v->types[0].elem]);
        return;
    case OP_SOFTMAX:
        put_call(w, v, v->flag ? "nn.log_softmax" : "nn.softmax");
        put(w, ", axis=%lld)", axis);
        return;
    case OP_LAYER_NORM:
    case OP_RMS_NORM:
        put_call(w, v, v->op == OP_LAYER_NORM ? "nn.layer_norm" : "nn.rms_norm");
        put(w, ", axes=[-1])");
        return;
    case OP_CONV2D:
    case OP_POOL:
        put_window(w, v);
        return;
    case OP_SORT:
        put_call(w, v, "sort");
        put(w, ", axis=%lld, descending=%s)", axis, v->flag ? "True" : "False");
        return;
    case OP_QUANTIZE:
    case OP_DEQUANTIZE:
        put_call(w, v, v->op == OP_QUANTIZE ? "quantize" : "dequantize");
        put(w, ", axis=%lld, out_dtype=\"%s\")", axis, elem_names[v->types[0].elem]);
        return;
    case OP_UNIQUE:
    case OP_NONZERO:
        put_call(w, v, v->op == OP_UNIQUE ? "unique" : "nonzero");
        put(w, ")");
        return;
    case OP_TIR:
        if (v->sub == TIR_NEST)
            put(w, "R.call_tir(cls.nest_%llx, (", (unsigned long long)v->ints[0]);
        else
            put(w, "R.call_tir(cls.%s, (", tir_rows[v->sub].name);
        put_args(w, v);
        put(w, "%s), out_sinfo=", v->n_args == 1 ? "," : "");
        put_type(w, &v->types[0], false);
        put(w, ")");
        return;
    }
}

/* --- statements ------------------------------------------------------------------------------ */

void find_needed(const function *f, bool needed[MAX_VALUES])
{
    memset(needed, 0, MAX_VALUES * sizeof *needed);
    for (unsigned i = 0; i < f->n_results; i++)
        needed[f->results[i]] = true;
    /* users come after their arguments, a phi after its condition and branches */
    for (unsigned i = f->n_stmts; i-- > 0;) {
        const stmt *s = &f->stmts[i];
        const value *v = &f->values[s->value];
        if (s->kind == ST_IF)
            for (unsigned j = i, depth = 0; j < f->n_stmts; j++) {
                depth += f->stmts[j].kind == ST_IF;
                depth -= f->stmts[j].kind == ST_END_IF;
                if (depth == 0) {
                    if (needed[f->stmts[j].value])
                        needed[s->value] = true;
                    break;
                }
            }
        if ((s->kind == ST_BIND || s->kind == ST_END_IF) && needed[s->value])
            for (unsigned j = 0; j < v->n_args; j++)
                needed[v->args[j]] = true;
    }
}

/* Whether the dataflow block from |from| prints any binding. */
static bool binds_any(const function *f, unsigned from, const bool *needed)
{
    for (unsigned i = from; f->stmts[i].kind != ST_END_DATAFLOW; i++)
        if (f->stmts[i].kind == ST_BIND && needed[f->stmts[i].value])
            return true;
    return false;
}

static void put_outputs(printer *w, unsigned end, const bool *needed)
{
    const char *before = "";
    unsigned from = end;
    int last = -1;
    while (w->f->stmts[from].kind != ST_DATAFLOW)
        from--;
    put(w, "    R.output(");
    for (unsigned i = from + 1; i < end; i++) {
        int id = w->f->stmts[i].value;
        if (!needed[id])
            continue;
        last = id;
        if (!w->f->values[id].is_output)
            continue;
        put(w, "%s", before);
        put_name(w, id);
        before = ", ";
    }
    if (!before[0] && last >= 0)
        put_name(w, last);
    put(w, ")\n");
}

static void put_body(printer *w, const bool *needed)
{
    const function *f = w->f;
    unsigned skipping = 0; /* nesting depth of omitted branches */
    int indent = 8;
    for (unsigned i = 0; i < f->n_stmts; i++) {
        const stmt *s = &f->stmts[i];
        if (s->kind == ST_IF) {
            unsigned j = i, depth = 0;
            do {
                depth += f->stmts[j].kind == ST_IF;
                depth -= f->stmts[j].kind == ST_END_IF;
            } while (depth && ++j);
            if (skipping || !needed[f->stmts[j].value]) {
                skipping++;
                continue;
            }
            put(w, "%*sif ", indent, "");
            put_name(w, s->value);
            put(w, ":\n");
            indent += 4;
        } else if (s->kind == ST_END_IF) {
            if (skipping)
                skipping--;
            else
                indent -= 4;
        } else if (skipping) {
            continue;
        } else if (s->kind == ST_ELSE) {
            put(w, "%*selse:\n", indent - 4, "");
        } else if (s->kind == ST_DATAFLOW && binds_any(f, i, needed)) {
            put(w, "%*swith R.dataflow():\n", indent, "");
            indent += 4;
        } else if (s->kind == ST_END_DATAFLOW) {
            unsigned from = i;
            while (f->stmts[from].kind != ST_DATAFLOW)
                from--;
            if (binds_any(f, from, needed)) {
                indent -= 4;
                put(w, "%*s", indent, "");
                put_outputs(w, i, needed);
            }
        } else if (s->kind == ST_BIND && needed[s->value]) {
            put(w, "%*s", indent, "");
            put_name(w, s->value);
            put(w, " = ");
            put_value(w, &f->values[s->value]);
            put(w, "\n");
        }
    }
}

static void put_result(printer *w)
{
    const function *f = w->f;
    put(w, "        return ");
    for (unsigned i = 0; i < f->n_results; i++) {
        put(w, "%s", f->n_results == 1 ? "" : i == 0 ? "(" : ", ");
        if (f->nested_result && i == 1)
            put(w, "(");
        put_name(w, f->results[i]);
    }
    put(w, "%s%s\n", f->n_results > 1 ? ")" : "",
        f->nested_result && f->n_results > 2   ? ")"
        : f->nested_result && f->n_results > 1 ? ",)"
                                               : "");
}

static void put_result_type(printer *w)
{
    const function *f = w->f;
    put(w, ")%s", f->n_results ? " -> " : "");
    put(w, "%s", f->n_results > 1 ? "R.Tuple(" : "");
    for (unsigned i = 0; i < f->n_results; i++) {
        put(w, "%s", i ? ", " : "");
        if (f->nested_result && i == 1)
            put(w, "R.Tuple(");
        put_type(w, &f->values[f->results[i]].types[0], true);
    }
    put(w, "%s%s:\n", f->n_results > 1 ? ")" : "", f->nested_result ? ")" : "");
}

static void put_function(printer *w, bool is_main, bool all)
{
    const function *f = w->f;
    bool needed[MAX_VALUES];
    find_needed(f, needed);
    for (unsigned i = 0; all && i < f->n_values; i++)
        needed[i] = true;
    put(w, "    @R.function%s\n    def %s(", is_main ? "" : "(private=True)", f->name);
    for (unsigned i = 0; i < f->n_params; i++) {
        put(w, "%sp%d: ", i ? ", " : "", f->params[i]);
        put_type(w, &f->values[f->params[i]].types[0], true);
    }
    put_result_type(w);
    for (unsigned i = 0; i < f->n_atoms; i++)
        if (f->atoms[i].name[0])
            put(w, "        %s = T.int64()\n", f->atoms[i].name);
    put(w, "        cls = Module\n");
    put_body(w, needed);
    put_result(w);
}

static bool is_called(const program *p, unsigned callee, bool all)
{
    for (unsigned k = 0; k < callee; k++) {
        bool needed[MAX_VALUES];
        find_needed(&p->functions[k], needed);
        for (unsigned i = 0; i < p->functions[k].n_values; i++)
            if (p->functions[k].values[i].op == OP_CALL &&
                p->functions[k].values[i].sub == callee && (needed[i] || all))
                return true;
    }
    return false;
}

/* Whether any function calls PrimFunc |sub|. */
static bool uses_tir(const program *p, unsigned sub)
{
    for (unsigned k = 0; k < p->n_functions; k++)
        for (unsigned i = 0; i < p->functions[k].n_values; i++)
            if (p->functions[k].values[i].op == OP_TIR && p->functions[k].values[i].sub == sub)
                return true;
    return false;
}

void print_program(const program *p, char *out, size_t capacity)
{
    printer w = {.p = p, .out = out, .capacity = capacity};
    put(&w,
        "# seed %llu\n"
        "from tvm.script import ir as I\n"
        "from tvm.script import relax as R\n"
        "from tvm.script import tir as T\n\n\n"
        "@I.ir_module\n"
        "class Module:\n",
        (unsigned long long)p->seed);
    for (unsigned k = 0; k < TIR_COUNT; k++)
        if (uses_tir(p, k))
            put(&w, "%s\n", tir_rows[k].text);
    for (unsigned i = 0; i < p->functions[0].n_values; i++) { /* only main calls nests */
        const value *v = &p->functions[0].values[i];
        if (v->op != OP_TIR || v->sub != TIR_NEST)
            continue;
        nest_print((uint64_t)v->ints[0], w.out + w.length, w.capacity - w.length);
        w.length += strlen(w.out + w.length);
        put(&w, "\n");
    }
    for (unsigned k = p->n_functions; k-- > 0;) {
        w.f = &p->functions[k];
        if (k > 0 && !is_called(p, k, !p->cut))
            continue;
        put_function(&w, k == 0, !p->cut);
        put(&w, "\n");
    }
}
