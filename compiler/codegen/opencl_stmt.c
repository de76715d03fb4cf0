/* Lowered statements of a launch -> OpenCL text.
 *
 * Temporaries of a thread are arrays of constant size; those of a block are declared at the start
 * of the kernel. Checks: device_checks.c. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/codegen/opencl.h"

enum { MAX_LOCAL_BYTES = 1 << 16, MAX_INDENT = 60 };

/* --- text ------------------------------------------------------------------------------------- */

void rlxc_cl_line(rlxc_cl *g, const char *format, ...)
{
    va_list args;
    char small[512];
    va_start(args, format);
    const int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    const uint32_t indent = 2 * g->depth < MAX_INDENT ? 2 * g->depth : MAX_INDENT;
    rlxc_text_printf(g->out, "%*s", (int)indent, "");
    if (n >= 0 && (size_t)n < sizeof small) {
        rlxc_text_add(g->out, small, (size_t)n);
    } else if (n >= 0) {
        char *big = rlxc_try_alloc(g->ctx, (size_t)n + 1, 1);
        va_start(args, format);
        if (big) {
            vsnprintf(big, (size_t)n + 1, format, args);
            rlxc_text_add(g->out, big, (size_t)n);
        }
        va_end(args);
    }
    rlxc_text_puts(g->out, "\n");
}

const char *rlxc_cl_name(rlxc_cl *g, const char *hint)
{
    rlxc_text text = {.ctx = g->ctx};
    for (const char *c = hint; *c && text.length < 32; c++) {
        const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (letter || (text.length && *c >= '0' && *c <= '9'))
            rlxc_text_add(&text, c, 1);
        else if (text.length)
            rlxc_text_puts(&text, "_");
    }
    if (g->is_c)
        return rlxc_c_name(g, text.length ? text.data : "v");
    rlxc_text_printf(&text, "%s_%u", text.length ? "" : "v", ++g->n_names);
    return rlxc_intern(g->ctx, text.data, text.length);
}

void rlxc_cl_bind(rlxc_cl *g, const rlxc_expr *var, const char *name, bool is_int)
{
    rlxc_cl_var *row = rlxc_alloc(g->ctx, sizeof *row);
    *row = (rlxc_cl_var){name, is_int};
    rlxc_map_set(g->ctx, &g->vars, rlxc_key(var), row);
}

/* --- temporaries ------------------------------------------------------------------------------ */

/* The most elements: at least one; the other extents do not matter where one is 0. */
static bool count_elements(const rlxc_cl *g, const rlxc_expr *const *extents, uint32_t n,
                           rlx_dtype t, int64_t *out)
{
    int64_t count = t.lanes;
    for (uint32_t i = 0; i < n; i++)
        count = rlxc_is_const(extents[i], 0) ? 0 : count;
    for (uint32_t i = 0; i < n && count > 0; i++) {
        const int64_t extent = rlxc_bound_of(g->ctx, extents[i], &g->bounds).max;
        if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count > INT32_MAX)
            return false;
    }
    *out = count > 0 ? count : 1;
    return true;
}

void rlxc_cl_set_memory(rlxc_cl *g, const rlxc_expr *data, const char *name, const char *space,
                        rlx_dtype t, bool is_const)
{
    rlxc_cl_memory *m = rlxc_alloc(g->ctx, sizeof *m);
    *m = (rlxc_cl_memory){name, space, t, is_const, false};
    rlxc_map_set(g->ctx, &g->memory, rlxc_key(data), m);
}

static void one_element(rlxc_cl *g, const rlxc_expr *var, const char *name, rlx_dtype t)
{
    rlxc_cl_memory *m = rlxc_map_get(&g->memory, rlxc_key(var));
    m->is_one = true;
    /* 0: compilers warn where they cannot prove that a condition has let it be stored */
    rlxc_cl_line(g, "%s %s = 0;", rlxc_cl_memory_type(g, t), name);
}

static void allocate(rlxc_cl *g, const rlxc_expr *var, rlx_dtype t, const char *scope,
                     const rlxc_expr *const *extents, uint32_t n)
{
    int64_t count = 0;
    if (g->is_c && rlxc_c_place(g, var, t))
        return;
    const bool shared = rlxc_is_shared(scope);
    const char *why = rlxc_cl_lacks_type(g->target, t), *name = rlxc_cl_name(g, var->var.name);
    if (why || !count_elements(g, extents, n, t, &count)) {
        rlxc_error(g->ctx, g->range, "%s: temporary %s: %s", g->f->name, var->var.name,
                   why ? why
                       : "memory of a thread or a block needs a constant upper bound of its size");
        return;
    }
    const uint64_t bytes = (uint64_t)count * (t.bits <= 8 ? 1u : t.bits / 8u);
    uint64_t *sum = shared ? &g->shared_bytes : &g->local_bytes;
    const uint64_t most = !shared     ? MAX_LOCAL_BYTES
                          : g->target ? g->target->device.shared_bytes
                                      : UINT32_MAX;
    *sum += bytes;
    if (*sum > most) {
        rlxc_error(g->ctx, g->range,
                   "%s: temporaries of a %s take %" PRIu64 " bytes; the limit is %" PRIu64,
                   g->f->name, shared ? "block" : "thread", *sum, most);
        return;
    }
    rlxc_c_local(g, name);
    rlxc_cl_set_memory(g, var, name, shared ? "__local" : "", t, false);
    if (!shared && !g->is_c && rlxc_cl_declare_registers(g, var, name, count))
        return;
    if (shared)
        rlxc_text_printf(g->shared, "  __local %s %s[%" PRId64 "];\n", rlxc_cl_memory_type(g, t),
                         name, count);
    else if (g->is_c && count == 1)
        one_element(g, var, name, t);
    else
        rlxc_cl_line(g, "%s %s[%" PRId64 "];", rlxc_cl_memory_type(g, t), name, count);
}

void rlxc_cl_elements(rlxc_cl *g, rlxc_text *out, rlx_dtype t, const void *data, size_t nbytes)
{
    const size_t item = t.bits <= 8 ? 1 : t.bits / 8u;
    if (g->is_c && nbytes < item) { /* C has no empty list */
        rlxc_text_puts(out, "{0}");
        return;
    }
    rlxc_text_puts(out, "{");
    for (size_t i = 0; i + item <= nbytes && !rlxc_failed(g->ctx); i += item) {
        const unsigned char *bytes = (const unsigned char *)data + i;
        uint64_t value = 0;
        for (size_t k = item; k-- > 0;)
            value = value << 8 | bytes[k];
        const bool is_float = rlxc_dtype_is_float(t) && t.bits >= 32;
        const rlx_dtype bits = RLX_DTYPE(t.code == RLX_INT ? RLX_INT : RLX_UINT, t.bits);
        rlxc_text_printf(out, "%s", i % (g->is_c ? 8 * item : 512) == 0 ? "\n  " : " ");
        if (is_float) { /* by its bits, so that NaN stays what it is */
            double wide;
            float narrow;
            const uint32_t low = (uint32_t)value;
            memcpy(&wide, &value, sizeof wide);
            memcpy(&narrow, &low, sizeof narrow);
            rlxc_text_puts(out, rlxc_cl_float(g, t, t.bits == 64 ? wide : (double)narrow));
        } else {
            const int unused = 64 - bits.bits; /* the sign goes through them */
            const int64_t number =
                bits.code == RLX_INT ? (int64_t)(value << unused) >> unused : (int64_t)value;
            rlxc_text_puts(out, rlxc_cl_int(g, bits, number));
        }
        rlxc_text_puts(out, ",");
    }
    rlxc_text_puts(out, "}");
}

/* The constant's bytes as an array of program scope. */
static void allocate_const(rlxc_cl *g, const rlxc_stmt *s)
{
    const rlx_dtype t = s->allocate_const.dtype;
    const char *name = g->is_c ? rlxc_c_global_name(g, s->allocate_const.var->var.name)
                               : rlxc_cl_name(g, s->allocate_const.var->var.name);
    const char *why = rlxc_cl_lacks_type(g->target, t);
    const size_t item = t.bits <= 8 ? 1 : t.bits / 8u;
    if (why) {
        rlxc_cl_problem(g, why);
        return;
    }
    rlxc_text_printf(&g->constants, "%s %s %s[%zu] = ", g->is_c ? "static const" : "__constant",
                     rlxc_cl_memory_type(g, t), name,
                     s->allocate_const.nbytes / item ? s->allocate_const.nbytes / item : 1);
    rlxc_cl_elements(g, &g->constants, t, s->allocate_const.data, s->allocate_const.nbytes);
    rlxc_text_puts(&g->constants, ";\n");
    rlxc_cl_set_memory(g, s->allocate_const.var, name, g->is_c ? "" : "__constant", t, true);
}

/* --- statements ------------------------------------------------------------------------------- */

/* The names that a loop's or a branch's head gave end here: the body may store what they hold. */
static void body(rlxc_cl *g, const rlxc_stmt *s)
{
    rlxc_cl_memo_forget(g, 0);
    g->depth++;
    rlxc_cl_stmt(g, s);
    g->depth--;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;
}

/* The range of a loop variable goes to g->bounds; true if the end fits in an int, too. */
static bool bind_range(rlxc_cl *g, const rlxc_stmt *s, int64_t most)
{
    const rlxc_bound min = rlxc_bound_of(g->ctx, s->loop.min, &g->bounds);
    const rlxc_bound extent = rlxc_bound_of(g->ctx, s->loop.extent, &g->bounds);
    rlxc_bound range = {min.min, most};
    if (min.max != INT64_MAX && extent.max != INT64_MAX && extent.max > 0 &&
        plus(min.max, extent.max - 1) < most)
        range.max = plus(min.max, extent.max - 1);
    rlxc_bounds_set(g->ctx, &g->bounds, s->loop.var, range);
    return range.min >= INT32_MIN && range.max < INT32_MAX;
}

static bool is_loop(rlxc_cl *g, const rlxc_stmt *s)
{
    if (rlxc_dtype_is_int(s->loop.var->dtype) && s->loop.min->dtype.lanes == 1 &&
        s->loop.extent->dtype.lanes == 1)
        return true;
    rlxc_cl_problem(g, "a loop variable is not an integer");
    return false;
}

/* The number of turns decides: without a known bound the counter is long. */
static void serial_loop(rlxc_cl *g, const rlxc_stmt *s)
{
    const uint32_t mark = g->bounds.vars.count;
    const bool is_int = bind_range(g, s, INT64_MAX);
    const char *name = rlxc_cl_name(g, s->loop.var->var.name);
    const rlxc_expr *end = rlxc_add(g->ctx, rlxc_cast(g->ctx, RLX_I64, s->loop.min),
                                    rlxc_cast(g->ctx, RLX_I64, s->loop.extent));
    const char *from = is_int ? rlxc_cl_int_index(g, s->loop.min) : rlxc_cl_index(g, s->loop.min);
    const char *to = rlxc_cl_index(g, end);
    rlxc_cl_bind(g, s->loop.var, name, is_int);
    if (s->loop.kind == RLXC_LOOP_UNROLLED && !g->is_c)
        rlxc_cl_line(g, "#pragma unroll");
    rlxc_cl_line(g, "for (%s %s = %s; %s < %s; ++%s) {",
                 rlxc_cl_type(g, is_int ? RLX_I32 : RLX_I64), name, rlxc_c_bare(g, from), name, to,
                 name);
    body(g, s->loop.body);
    rlxc_cl_line(g, "}");
    if (g->bounds.vars.count > mark)
        g->bounds.vars.count = g->bounds.ranges.count = mark;
}

static const char *thread_text(rlxc_cl *g, int axis)
{
    return rlxc_internf(g->ctx, "(int)%s(%d)", axis < 3 ? "get_group_id" : "get_local_id",
                        axis % 3);
}

/* A loop of threads inside the launch: the thread runs the iteration with its number, if there is
   one. */
static void bound_loop(rlxc_cl *g, const rlxc_stmt *s)
{
    const int axis = rlxc_thread_axis(s->loop.thread);
    const uint32_t mark = g->bounds.vars.count;
    const char *name = rlxc_cl_name(g, s->loop.var->var.name);
    const char *thread = thread_text(g, axis);
    rlxc_cl_line(g, "{");
    g->depth++;
    if (!rlxc_is_whole_axis(g->ctx, g->launch, s)) {
        rlxc_cl_line(g, "if (%s < %s)", thread, rlxc_cl_index(g, s->loop.extent));
        rlxc_cl_line(g, "{");
        g->depth++;
    }
    const uint32_t depth = g->depth;
    const char *min = rlxc_cl_index(g, s->loop.min);
    const bool is_int = bind_range(g, s, INT32_MAX - 1) && rlxc_is_const(s->loop.min, 0);
    rlxc_cl_bind(g, s->loop.var, name, is_int);
    rlxc_cl_line(g, "const %s %s = %s + %s;", is_int ? "int" : "long", name, min, thread);
    rlxc_cl_stmt(g, s->loop.body);
    if (g->bounds.vars.count > mark)
        g->bounds.vars.count = g->bounds.ranges.count = mark;
    g->depth = depth;
    if (!rlxc_is_whole_axis(g->ctx, g->launch, s)) {
        g->depth--;
        rlxc_cl_line(g, "}");
    }
    g->depth--;
    rlxc_cl_line(g, "}");
}

static void while_loop(rlxc_cl *g, const rlxc_stmt *s)
{
    rlxc_cl_line(g, "while (true) {");
    g->depth++;
    rlxc_cl_line(g, "if (!%s)", rlxc_cl_expr(g, s->while_.cond));
    rlxc_cl_line(g, "  break;");
    g->depth--;
    body(g, s->while_.body);
    rlxc_cl_line(g, "}");
}

static const char *condition(rlxc_cl *g, const rlxc_expr *e)
{
    return rlxc_dtype_is_bool(e->dtype) ? rlxc_cl_expr(g, e)
                                        : rlxc_cl_problem(g, "a condition is not a bool");
}

static void conditional(rlxc_cl *g, const rlxc_stmt *s)
{
    rlxc_cl_line(g, "if (%s) {", rlxc_c_bare(g, condition(g, s->if_.cond)));
    body(g, s->if_.then);
    if (s->if_.otherwise) {
        rlxc_cl_line(g, "} else {");
        body(g, s->if_.otherwise);
    }
    rlxc_cl_line(g, "}");
}

static void store(rlxc_cl *g, const rlxc_stmt *s)
{
    const rlx_dtype t = s->store.buffer->dtype;
    const char *why = rlxc_cl_lacks_type(g->target, t);
    if (why) {
        rlxc_cl_problem(g, why);
        return;
    }
    if (s->store.value->dtype.lanes > 1) {
        rlxc_cl_store_vector(g, s);
        return;
    }
    const char *value = rlxc_cl_cast(g, rlxc_cl_expr(g, s->store.value), s->store.value->dtype, t);
    const char *at = rlxc_cl_element(g, s->store.buffer, s->store.indices, s->store.n);
    if (at)
        rlxc_cl_line(g, "%s = %s;", at, rlxc_c_bare(g, rlxc_cl_to_memory(g, value, t)));
}

/* Ends the thread unless |cond|, or lets it wait: what follows would not be safe. */
static void end_unless(rlxc_cl *g, const rlxc_stmt *check, const char *cond, const char *a,
                       const char *b)
{
    if (g->is_c) {
        rlxc_cl_line(g, "if (!%s)", cond);
        rlxc_cl_line(g, "  return %s;", g->refuse);
        return;
    }
    const uint32_t at = 3 * rlxc_check_number(g->launch, check);
    rlxc_cl_line(g, "if (!%s) {", cond);
    if (a)
        rlxc_cl_line(g, "  %s[%u] = %s, %s[%u] = %s;", g->checks, at + 1, a, g->checks, at + 2, b);
    rlxc_cl_line(g, "  %s[%u] = 1;", g->checks, at);
    if (g->launch->stop)
        body(g, g->launch->stop);
    else
        rlxc_cl_line(g, "  return;");
    rlxc_cl_line(g, "}");
}

static void evaluate(rlxc_cl *g, const rlxc_stmt *s)
{
    const rlxc_expr *e = s->evaluate;
    if (e->kind != RLXC_EXPR_CALL)
        return;
    if (rlxc_is_barrier(e)) {
        const char *why = rlxc_cl_lacks_call(e);
        if (why)
            rlxc_cl_problem(g, rlxc_internf(g->ctx, "T.tvm_storage_sync: %s", why));
        rlxc_cl_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
    } else if (rlxc_is_index_check(e)) {
        const char *index = rlxc_cl_index(g, e->call.args[1]);
        const char *size = rlxc_cl_index(g, e->call.args[3]);
        end_unless(g, s,
                   rlxc_internf(g->ctx, "((%s)%s >= 0 && %s < %s)", rlxc_cl_type(g, RLX_I64), index,
                                index, size),
                   index, size);
    } else if (strcmp(e->call.name, "assume") != 0) {
        rlxc_cl_expr(g, e); /* for its diagnostic */
    }
}

static void let(rlxc_cl *g, const rlxc_stmt *s)
{
    const rlx_dtype t = s->let.var->dtype;
    const char *why = rlxc_cl_lacks_type(g->target, t);
    if (why || t.code != s->let.value->dtype.code || t.bits != s->let.value->dtype.bits) {
        rlxc_cl_problem(g, why ? why : "a variable and its value have different types");
        return;
    }
    const char *value = rlxc_cl_expr(g, s->let.value),
               *name = rlxc_cl_name(g, s->let.var->var.name);
    rlxc_cl_line(g, "const %s %s = %s;", rlxc_cl_type(g, t), name, rlxc_c_bare(g, value));
    rlxc_c_local(g, name);
    rlxc_cl_bind(g, s->let.var, name, false);
}

void rlxc_cl_stmt(rlxc_cl *g, const rlxc_stmt *s)
{
    if (rlxc_failed(g->ctx))
        return;
    const uint32_t mark = g->memo_log.count;
    if (s->range.line)
        g->range = s->range;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n; i++)
            rlxc_cl_stmt(g, s->seq.items[i]);
        break;
    case RLXC_STMT_FOR:
        if (!is_loop(g, s))
            break;
        if (s->loop.kind == RLXC_LOOP_BOUND)
            bound_loop(g, s);
        else
            serial_loop(g, s);
        break;
    case RLXC_STMT_WHILE:
        while_loop(g, s);
        break;
    case RLXC_STMT_IF:
        conditional(g, s);
        break;
    case RLXC_STMT_LET:
        let(g, s);
        break;
    case RLXC_STMT_STORE:
        store(g, s);
        break;
    case RLXC_STMT_EVALUATE:
        evaluate(g, s);
        break;
    case RLXC_STMT_ASSERT:
        end_unless(g, s, condition(g, s->assert_.cond), NULL, NULL);
        break;
    case RLXC_STMT_ALLOCATE:
        allocate(g, s->allocate.var, s->allocate.dtype, s->allocate.scope, s->allocate.extents,
                 s->allocate.n);
        break;
    case RLXC_STMT_ALLOCATE_CONST:
        allocate_const(g, s);
        break;
    case RLXC_STMT_DECL_BUFFER:
        if (!rlxc_map_get(&g->memory, rlxc_key(s->decl->data)))
            allocate(g, s->decl->data, s->decl->dtype, s->decl->scope, s->decl->shape,
                     s->decl->ndim);
        break;
    case RLXC_STMT_ATTR:
        break;
    case RLXC_STMT_BLOCK:
        rlxc_internal(g->ctx, s->range, "codegen", "%s: block %s was not lowered", g->f->name,
                      s->block.block->name);
        break;
    }
    rlxc_cl_memo_forget(g, mark);
}
