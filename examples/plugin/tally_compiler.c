/* The compiler half of the tally. Its patterns find elementwise operators, from which the compiler
   makes regions; each region that fits into the scratch memory becomes a program, the others stay
   on the CPU. Build:
   cc -shared -fPIC tally_compiler.c -o tally_compiler.so $(pkg-config --cflags rlxc)
   rlxc model.py --plugin ./tally_compiler.so -o model.rlx */
#include "tally.h"

#include <rlx/compiler.h>
#include <rlx/ir.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 96,
    LINE = 64,
    TEXT = LINE * (2 * STEPS + TALLY_TENSORS) + TALLY_SYMBOL + 40,
    NONE = -1
};

static const struct {
    const char *instruction, *op, *pattern;
    int reads;
} table[] = {
#define ROW(name, op, pattern, reads, value) {#name, op, pattern, reads},
    TALLY_INSTRUCTIONS(ROW)
#undef ROW
};
enum { N_TABLE = sizeof table / sizeof *table };

/* --- from a region to steps --------------------------------------------------------------------
 */

/* A value of the region: an operand, a number, or the result of an instruction on earlier steps. */
typedef struct step {
    int operand;     /* or NONE */
    int instruction; /* row of the table, or NONE */
    int reads[2];
    uint32_t number; /* the bits of a float */
    int last;        /* the last step that reads it; results are read by step |n_steps| */
    int row;
} step;

typedef struct program {
    step steps[STEPS];
    int n_steps, operands, results[TALLY_TENSORS], n_results;
    char text[TEXT];
} program;

/* The meaning of a body's variables: steps or local functions. */
typedef struct scope {
    struct {
        const rlx_ir_var *var;
        int step;
        const rlx_ir_function *function;
    } vars[STEPS];
    int n;
    const rlx_ir_sinfo *type; /* of all its tensors */
} scope;

static bool name(scope *s, const rlx_ir_var *var, int index, const rlx_ir_function *function)
{
    if (s->n == STEPS || (function == NULL && index == NONE))
        return false;
    if (function == NULL && s->type == NULL)
        s->type = rlx_ir_var_sinfo(var);
    if (function == NULL && rlx_ir_var_sinfo(var) != s->type)
        return false; /* the tally does not broadcast */
    s->vars[s->n].var = var;
    s->vars[s->n].step = index;
    s->vars[s->n++].function = function;
    return true;
}

static int find(const scope *s, const rlx_ir_value *v)
{
    for (int i = 0; i < s->n; i++)
        if (s->vars[i].var == rlx_ir_value_var(v))
            return i;
    return NONE;
}

static int add_step(program *p, step s)
{
    if (p->n_steps == STEPS)
        return NONE;
    s.last = NONE;
    p->steps[p->n_steps] = s;
    return p->n_steps++;
}

static int step_of(program *p, const scope *s, const rlx_ir_value *v)
{
    const int i = find(s, v);
    size_t size = 0;
    const int64_t *dims;
    if (rlx_ir_value_get_kind(v) == RLX_IR_VALUE_VAR)
        return i == NONE ? NONE : s->vars[i].step;
    if (rlx_ir_value_get_kind(v) != RLX_IR_VALUE_CONSTANT ||
        !rlx_dtype_eq(rlx_ir_value_dtype(v), RLX_F32))
        return NONE;
    const void *data = rlx_ir_value_data(v, &dims, &size);
    step number = {.operand = NONE, .instruction = NONE, .reads = {NONE, NONE}};
    if (data == NULL || size != sizeof number.number)
        return NONE; /* a tensor of constants */
    memcpy(&number.number, data, size);
    return add_step(p, number);
}

static bool add_body(program *p, scope *s, const rlx_ir_body *body, int *results, int *n_results);

/* The steps of a function of the region, whose parameters are |args|: its result. */
static int call(program *p, const scope *caller, const rlx_ir_function *f, const rlx_ir_binding *b)
{
    scope s = {.n = 0};
    int results[TALLY_TENSORS], n = 0;
    for (uint32_t i = 0; i < rlx_ir_function_param_count(f); i++)
        if (!name(&s, rlx_ir_function_param(f, i), step_of(p, caller, rlx_ir_binding_arg(b, i)),
                  NULL))
            return NONE;
    return add_body(p, &s, rlx_ir_function_body(f), results, &n) && n == 1 ? results[0] : NONE;
}

static int operate(program *p, const scope *s, const rlx_ir_binding *b)
{
    const char *op = rlx_ir_binding_op(b);
    const int callee = op == NULL ? find(s, rlx_ir_binding_callee(b)) : NONE;
    if (op == NULL)
        return callee == NONE || s->vars[callee].function == NULL
                   ? NONE
                   : call(p, s, s->vars[callee].function, b);
    for (int i = 0; i < N_TABLE; i++) {
        if (strcmp(table[i].op, op) != 0)
            continue;
        step made = {.operand = NONE, .instruction = i, .reads = {NONE, NONE}};
        for (int k = 0; k < table[i].reads; k++)
            if ((made.reads[k] = step_of(p, s, rlx_ir_binding_arg(b, (uint32_t)k))) == NONE)
                return NONE;
        return add_step(p, made);
    }
    return NONE;
}

static bool add_binding(program *p, scope *s, const rlx_ir_binding *b)
{
    const rlx_ir_var *var = rlx_ir_binding_var(b);
    switch (rlx_ir_binding_form(b)) {
    case RLX_IR_FUNCTION:
        return name(s, var, NONE, rlx_ir_binding_function(b));
    case RLX_IR_CALL:
        return name(s, var, operate(p, s, b), NULL);
    case RLX_IR_COPY:
        return name(s, var, step_of(p, s, rlx_ir_binding_arg(b, 0)), NULL);
    case RLX_IR_TUPLE: /* the results */
        return true;
    case RLX_IR_TUPLE_GET:
    case RLX_IR_MATCH_CAST:
    case RLX_IR_IF:
        return false;
    }
    return false;
}

static bool add_result(program *p, const scope *s, const rlx_ir_value *v, int *results, int *n)
{
    const int index = step_of(p, s, v);
    if (index == NONE || *n == TALLY_TENSORS)
        return false;
    results[(*n)++] = index;
    return true;
}

/* False if the tally cannot compute it. */
static bool add_body(program *p, scope *s, const rlx_ir_body *body, int *results, int *n_results)
{
    const rlx_ir_value *result = rlx_ir_body_result(body);
    const rlx_ir_binding *tuple = NULL;
    for (uint32_t i = 0; i < rlx_ir_body_block_count(body); i++) {
        const rlx_ir_block *block = rlx_ir_body_block(body, i);
        for (uint32_t k = 0; k < rlx_ir_block_binding_count(block); k++) {
            const rlx_ir_binding *b = rlx_ir_block_binding(block, k);
            if (rlx_ir_binding_form(b) == RLX_IR_TUPLE &&
                rlx_ir_binding_var(b) == rlx_ir_value_var(result))
                tuple = b;
            if (!add_binding(p, s, b))
                return false;
        }
    }
    bool ok = true;
    const bool is_tuple = rlx_ir_value_get_kind(result) == RLX_IR_VALUE_TUPLE;
    const uint32_t n = tuple != NULL ? rlx_ir_binding_arg_count(tuple)
                       : is_tuple    ? rlx_ir_value_count(result)
                                     : 1;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = add_result(p, s,
                        tuple != NULL ? rlx_ir_binding_arg(tuple, i)
                        : is_tuple    ? rlx_ir_value_item(result, i)
                                      : result,
                        results, n_results);
    return ok;
}

static bool is_float32(const rlx_ir_var *var)
{
    const rlx_ir_sinfo *type = rlx_ir_var_sinfo(var);
    return rlx_ir_sinfo_get_kind(type) == RLX_IR_SINFO_TENSOR &&
           rlx_dtype_eq(rlx_ir_sinfo_dtype(type), RLX_F32) && rlx_ir_sinfo_rank(type) >= 0;
}

/* --- from steps to a program -------------------------------------------------------------------
 */

static void use(program *p, int at, int by)
{
    if (at != NONE && p->steps[at].last < by)
        p->steps[at].last = by;
}

/* Operands and numbers are read by the step before which they are loaded. */
static int free_row(const program *p, int now)
{
    bool taken[TALLY_ROWS] = {false};
    for (int i = 0; i < p->n_steps; i++)
        if (p->steps[i].row != NONE && p->steps[i].last > now)
            taken[p->steps[i].row] = true;
    for (int row = 0; row < TALLY_ROWS; row++)
        if (!taken[row])
            return row;
    return NONE;
}

/* Prints the line that fills a row with step |i|, once. */
static bool fill(program *p, size_t *at, int i, int now)
{
    step *s = &p->steps[i];
    if (s->row != NONE)
        return true;
    if ((s->row = free_row(p, now)) == NONE)
        return false;
    if (s->operand != NONE)
        *at += (size_t)snprintf(p->text + *at, LINE, "load %d %d\n", s->row, s->operand);
    else
        *at += (size_t)snprintf(p->text + *at, LINE, "fill %d %08x\n", s->row, s->number);
    return true;
}

/* False if there are not enough rows of scratch memory. */
static bool print(program *p, const char *symbol)
{
    size_t at = 0;
    for (int i = 0; i < p->n_steps; i++)
        for (int k = 0; k < 2; k++)
            use(p, p->steps[i].reads[k], i);
    for (int i = 0; i < p->n_results; i++)
        use(p, p->results[i], p->n_steps);
    at += (size_t)snprintf(p->text, sizeof p->text, "program %s %d %d\n", symbol, p->operands,
                           p->n_results);
    for (int i = 0; i < p->n_steps; i++) {
        step *s = &p->steps[i];
        if (s->instruction == NONE)
            continue;
        for (int k = 0; k < table[s->instruction].reads; k++)
            if (!fill(p, &at, s->reads[k], i - 1))
                return false;
        if ((s->row = free_row(p, i)) == NONE)
            return false;
        at += (size_t)snprintf(p->text + at, LINE, "%s %d %d", table[s->instruction].instruction,
                               s->row, p->steps[s->reads[0]].row);
        if (s->reads[1] != NONE)
            at += (size_t)snprintf(p->text + at, LINE, " %d", p->steps[s->reads[1]].row);
        at += (size_t)snprintf(p->text + at, LINE, "\n");
    }
    for (int i = 0; i < p->n_results; i++) {
        if (!fill(p, &at, p->results[i], p->n_steps - 1))
            return false;
        at += (size_t)snprintf(p->text + at, LINE, "store %d %d\n", i, p->steps[p->results[i]].row);
    }
    snprintf(p->text + at, LINE, "end\n");
    return true;
}

/* The program of |f|; false if the tally cannot compute it. */
static bool translate(const rlx_ir_function *f, const char *symbol, program *p)
{
    scope s = {.n = 0};
    memset(p, 0, sizeof *p);
    p->operands = (int)rlx_ir_function_param_count(f);
    if (p->operands == 0 || p->operands > TALLY_TENSORS || strlen(symbol) > TALLY_SYMBOL)
        return false;
    for (int i = 0; i < p->operands; i++) {
        const rlx_ir_var *param = rlx_ir_function_param(f, (uint32_t)i);
        const step operand = {.operand = i, .instruction = NONE, .reads = {NONE, NONE}};
        if (!is_float32(param) || !name(&s, param, add_step(p, operand), NULL))
            return false;
    }
    if (!add_body(p, &s, rlx_ir_function_body(f), p->results, &p->n_results))
        return false;
    for (int i = 0; i < p->n_steps; i++)
        p->steps[i].row = NONE;
    return print(p, symbol);
}

/* --- what the compiler calls -------------------------------------------------------------------
 */

static bool is_marked(const rlx_ir_function *f)
{
    const char *key = NULL;
    const rlx_ir_attr *attr;
    for (uint32_t i = 0; (attr = rlx_ir_function_attr(f, i, &key)) != NULL; i++)
        if (strcmp(key, "Codegen") == 0)
            return strcmp(rlx_ir_attr_string(attr), "tally") == 0;
    return false;
}

/* A function and the local functions in it become ordinary ones. */
static rlx_status give_back(rlx_ir_module *m, rlx_ir_function *f, rlx_error *err)
{
    const rlx_ir_body *body = rlx_ir_function_body(f);
    for (uint32_t i = 0; i < rlx_ir_body_block_count(body); i++) {
        const rlx_ir_block *block = rlx_ir_body_block(body, i);
        for (uint32_t k = 0; k < rlx_ir_block_binding_count(block); k++) {
            const rlx_ir_function *local = rlx_ir_binding_function(rlx_ir_block_binding(block, k));
            if (local != NULL)
                RLX_TRY(rlx_ir_function_unmark(m, (rlx_ir_function *)(uintptr_t)local, err));
        }
    }
    return rlx_ir_function_unmark(m, f, err);
}

/* relax_to_tir: regions without a program are compiled for the CPU. */
static rlx_status lower(void *user, rlx_ir_module *m, rlx_error *err)
{
    rlx_status status = RLX_OK;
    rlx_ir_global g;
    program *p = malloc(sizeof *p);
    (void)user;
    if (p == NULL)
        return rlx_fail(err, RLX_E_NOMEM, "tally: out of memory");
    for (uint32_t i = 0; status == RLX_OK && rlx_ir_module_global(m, i, &g); i++)
        if (g.function != NULL && is_marked(g.function) && !translate(g.function, g.name, p))
            status = give_back(m, g.function, err);
    free(p);
    return status;
}

/* tir_to_runtime: the section is the programs' text. */
static rlx_status emit(void *user, rlx_ir_module *m, const rlx_ir_taken *functions, uint32_t n,
                       rlx_ir_section *out, rlx_error *err)
{
    rlx_status status = RLX_OK;
    program *p = malloc(sizeof *p);
    (void)user;
    (void)m;
    if (p == NULL)
        return rlx_fail(err, RLX_E_NOMEM, "tally: out of memory");
    for (uint32_t i = 0; status == RLX_OK && i < n; i++)
        status = functions[i].function != NULL &&
                         translate(functions[i].function, functions[i].symbol, p)
                     ? rlx_ir_section_write(out, p->text, strlen(p->text), err)
                     : rlx_fail(err, RLX_E_INVALID_MODULE, "tally: '%s' is not a program of it",
                                functions[i].symbol);
    free(p);
    return status;
}

RLX_API rlx_status rlx_plugin_compiler(rlx_compiler *c, rlx_error *err)
{
    const rlx_generator_desc tally = {
        .size = sizeof tally, .name = "tally", .run = lower, .emit = emit, .format = "tally text"};
    for (int i = 0; i < N_TABLE; i++) {
        char composite[32];
        const rlx_fusion_desc fusion = {
            .size = sizeof fusion, .name = composite, .pattern = table[i].pattern};
        snprintf(composite, sizeof composite, "tally.%s", table[i].instruction);
        RLX_TRY(rlx_compiler_add_fusion(c, &fusion, err));
    }
    return rlx_compiler_add_generator(c, &tally, err);
}
