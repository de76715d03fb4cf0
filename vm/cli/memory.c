/* rlx dump --memory: the plan of each function, then the other allocations of its code.
 *
 * Sizes are shown as the expressions in the file and, where the symbols' values are known from
 * --dim, as bytes. The walk follows the order of the code: allocations on a path that a run does
 * not take are listed too. "until" is the instruction that kills the register; other registers may
 * hold the same storage longer. */
#include "vm/cli/plan.h"

#include <stdlib.h>
#include <string.h>

#include <rlx/checked.h>

enum { NO_EXPR = UINT32_MAX, TEXT = 256 };

typedef struct row {
    uint32_t pc, until; /* until RLX_NONE: the function's end */
    rlx_opcode op;
    uint32_t target, storage; /* registers */
    bool known;
    uint64_t bytes;
    char text[TEXT];
} row;

typedef struct walk {
    cli_symbols symbols;
    uint32_t *expr_of; /* per slot: its latest expression */
    uint32_t *row_of;  /* per register: the row that defined it last */
    row *rows;
    uint32_t n_rows, room;
} walk;

static const char *slot_text(const walk *w, uint32_t slot, char *buffer, size_t size)
{
    const cli_symbols *s = &w->symbols;
    if (slot < s->n && w->expr_of[slot] != NO_EXPR)
        return rlx_expr_text(s->exe, s->function, w->expr_of[slot], buffer, size);
    return cli_symbol_name(s, slot, buffer, size);
}

/* slot := expression. */
static void eval_slot(walk *w, uint32_t slot, uint32_t expr)
{
    cli_symbols *s = &w->symbols;
    s->bound[slot] =
        cli_symbols_missing(s, expr) == RLX_NONE &&
        rlx_executable_eval(s->exe, expr, s->values, s->n, &s->values[slot], NULL) == RLX_OK;
    w->expr_of[slot] = expr;
}

static void forget_slot(walk *w, uint32_t slot)
{
    if (slot >= w->symbols.n)
        return;
    w->symbols.bound[slot] = false;
    w->expr_of[slot] = NO_EXPR;
}

/* Values bound by a match are known only at run time. The depth of types is bounded at load. */
static void forget_type(walk *w, uint32_t index)
{
    rlx_type_info type;
    if (!rlx_executable_type(w->symbols.exe, index, &type))
        return;
    for (uint32_t i = 0; i < type.n_dims; i++) {
        if (type.dims[i].kind == RLX_DIM_BIND)
            forget_slot(w, type.dims[i].index);
    }
    for (uint32_t i = 0; i < type.n_children; i++)
        forget_type(w, type.children[i]);
}

static row *add_row(walk *w, uint32_t pc, rlx_opcode op, uint32_t target)
{
    if (w->n_rows == w->room) {
        size_t room = w->room ? (size_t)w->room * 2 : 64;
        row *more = room <= UINT32_MAX / 2 ? realloc(w->rows, room * sizeof *more) : NULL;
        if (!more)
            return NULL;
        w->rows = more;
        w->room = (uint32_t)room;
    }
    row *r = &w->rows[w->n_rows];
    *r = (row){.pc = pc, .until = RLX_NONE, .op = op, .target = target, .storage = RLX_NONE};
    w->row_of[target] = w->n_rows++;
    return r;
}

static void append(row *r, const char *text)
{
    size_t used = strlen(r->text);
    snprintf(r->text + used, sizeof r->text - used, "%s", text);
}

static void append_device(const walk *w, row *r, uint32_t device)
{
    char buffer[TEXT];
    append(r, cli_device_text(w->symbols.exe, device, buffer, sizeof buffer));
}

/* "float32 (n, 128)", and the bytes if every dimension is known. */
static void describe_tensor(const walk *w, row *r, uint32_t word, const rlx_operand *dims)
{
    char buffer[TEXT];
    rlx_dtype dtype;
    int64_t values[RLX_MAX_NDIM];
    size_t bytes;
    memcpy(&dtype, &word, sizeof dtype);
    append(r, rlx_dtype_name(dtype, buffer));
    append(r, " (");
    r->known = dims->n <= RLX_MAX_NDIM;
    for (uint32_t i = 0; i < dims->n; i++) {
        const uint32_t slot = dims->items[i];
        append(r, i ? ", " : "");
        append(r, slot_text(w, slot, buffer, sizeof buffer));
        r->known = r->known && w->symbols.bound[slot];
        if (r->known)
            values[i] = w->symbols.values[slot];
    }
    append(r, ")");
    r->known = r->known && rlx_nbytes(values, dims->n, dtype, &bytes);
    if (r->known)
        r->bytes = bytes;
}

static bool step(walk *w, uint32_t pc, const rlx_instruction *in)
{
    const rlx_operand *o = in->operands;
    cli_symbols *s = &w->symbols;
    char buffer[TEXT];
    row *r = NULL;
    if (in->op == RLX_OP_EVAL_SLOT) {
        eval_slot(w, o[0].value, o[1].value);
    } else if (in->op == RLX_OP_KILL) {
        if (w->row_of[o[0].value] != RLX_NONE)
            w->rows[w->row_of[o[0].value]].until = pc;
        w->row_of[o[0].value] = RLX_NONE;
    } else if (in->op == RLX_OP_ALLOC_STORAGE || in->op == RLX_OP_ALLOC_STORAGE_ON) {
        if (!(r = add_row(w, pc, RLX_OP_ALLOC_STORAGE, o[0].value)))
            return false;
        r->known = s->bound[o[1].value] && s->values[o[1].value] >= 0;
        r->bytes = r->known ? (uint64_t)s->values[o[1].value] : 0;
        append(r, slot_text(w, o[1].value, buffer, sizeof buffer));
        append(r, " bytes");
        append_device(w, r, in->op == RLX_OP_ALLOC_STORAGE_ON ? o[3].value : 0);
    } else if (in->op == RLX_OP_ALLOC_TENSOR) {
        if (!(r = add_row(w, pc, in->op, o[0].value)))
            return false;
        r->storage = o[1].value;
        describe_tensor(w, r, o[3].value, &o[4]);
        append(r, " at ");
        append(r, slot_text(w, o[2].value, buffer, sizeof buffer));
    } else if (in->op == RLX_OP_NEW_TENSOR) {
        if (!(r = add_row(w, pc, in->op, o[0].value)))
            return false;
        describe_tensor(w, r, o[1].value, &o[2]);
    } else if (in->op == RLX_OP_NEW_TENSOR_ON) {
        if (!(r = add_row(w, pc, RLX_OP_NEW_TENSOR, o[0].value)))
            return false;
        describe_tensor(w, r, o[1].value, &o[3]);
        append_device(w, r, o[2].value);
    } else {
        for (uint32_t i = 0; i < in->n_operands; i++) {
            if (o[i].letter == 'w')
                forget_slot(w, o[i].value);
            else if (o[i].letter == 't')
                forget_type(w, o[i].value);
        }
    }
    return true;
}

static void print_rows(const walk *w)
{
    char buffer[TEXT], register_text[32];
    for (uint32_t i = 0; i < w->n_rows; i++) {
        const row *r = &w->rows[i];
        snprintf(register_text, sizeof register_text, "r%u", r->target);
        printf("  %6u..", r->pc);
        if (r->until == RLX_NONE)
            printf("%-6s", "end");
        else
            printf("%-6u", r->until);
        printf(" %12s  %s %-5s ", r->known ? cli_bytes_text(r->bytes, buffer, sizeof buffer) : "?",
               r->op == RLX_OP_ALLOC_STORAGE ? "storage" : "tensor ", register_text);
        if (r->storage != RLX_NONE)
            printf("in r%u ", r->storage);
        cli_place_text(w->symbols.exe, w->symbols.function, r->pc, buffer, sizeof buffer);
        printf("%s%s%s\n", r->text, *buffer ? "  " : "", buffer);
    }
}

static void print_sums(const walk *w)
{
    uint64_t storages = 0, planned = 0, own = 0;
    uint32_t unknown = 0;
    char a[32], b[32], c[32];
    for (uint32_t i = 0; i < w->n_rows; i++) {
        const row *r = &w->rows[i];
        uint64_t *sum = r->op == RLX_OP_ALLOC_STORAGE  ? &storages
                        : r->op == RLX_OP_ALLOC_TENSOR ? &planned
                                                       : &own;
        unknown += !r->known;
        if (r->known && __builtin_add_overflow(*sum, r->bytes, sum))
            *sum = UINT64_MAX;
    }
    printf("  sum: %s of storage for %s of tensors, %s of tensors on their own",
           cli_bytes_text(storages, a, sizeof a), cli_bytes_text(planned, b, sizeof b),
           cli_bytes_text(own, c, sizeof c));
    if (unknown)
        printf(", %u of unknown size (--dim gives symbols values)", unknown);
    putchar('\n');
}

static int walk_function(walk *w, const rlx_function_info *info)
{
    rlx_instruction in;
    w->expr_of = malloc((info->n_slots ? info->n_slots : 1) * sizeof *w->expr_of);
    w->row_of = malloc((info->n_registers ? info->n_registers : 1) * sizeof *w->row_of);
    bool ok = w->expr_of && w->row_of;
    if (ok) {
        memset(w->expr_of, 0xff, info->n_slots * sizeof *w->expr_of);
        memset(w->row_of, 0xff, info->n_registers * sizeof *w->row_of);
    }
    for (uint32_t pc = 0;
         ok && rlx_function_instruction(w->symbols.exe, w->symbols.function, pc, &in);
         pc += in.n_words)
        ok = step(w, pc, &in);
    if (ok)
        return CLI_OK;
    cli_complain("out of memory");
    return CLI_FAILED;
}

/* The title of a function's memory; false if no call has the sizes of --dim. */
static bool print_title(const cli_symbols *s, rlx_str name, bool nothing)
{
    rlx_str message = {"", 0};
    const bool refused = cli_is_refused(s, s->bound, s->values, &message);
    printf("memory of %.*s", (int)name.len, name.data);
    cli_symbols_print(s, stdout);
    if (refused)
        printf(": no call has these sizes: %.*s\n", (int)message.len, message.data);
    else
        puts(nothing ? ": nothing is allocated" : "");
    return !refused;
}

/* Prints the plan, and draws it if it is the first: *svg is NULL from then on. */
static int dump_plan(const cli_symbols *symbols, const char **svg)
{
    cli_plan plan;
    int status = cli_plan_init(&plan, symbols);
    if (status == CLI_OK)
        status = cli_plan_print(&plan);
    if (status == CLI_OK && *svg && plan.n_buffers > 0) {
        status = cli_plan_draw(&plan, *svg);
        *svg = NULL;
    }
    cli_plan_deinit(&plan);
    return status;
}

static int dump_function(const rlx_executable *exe, uint32_t f, const char *const *dims,
                         uint32_t n_dims, bool *found, const char **svg)
{
    walk w = {0};
    rlx_function_info info;
    (void)rlx_executable_function(exe, f, &info);
    int status = cli_symbols_init(&w.symbols, exe, f);
    if (status == CLI_OK)
        status = cli_symbols_bind(&w.symbols, dims, n_dims, found);
    if (status == CLI_OK)
        status = walk_function(&w, &info);
    rlx_plan_counts plan = {0};
    rlx_function_plan(exe, f, &plan);
    const bool shown = status == CLI_OK &&
                       print_title(&w.symbols, info.name, w.n_rows == 0 && plan.n_buffers == 0);
    if (shown)
        status = dump_plan(&w.symbols, svg);
    if (shown && status == CLI_OK)
        status = cli_print_need(exe, f, dims, n_dims);
    if (shown && status == CLI_OK && w.n_rows > 0) {
        print_rows(&w);
        print_sums(&w);
    }
    cli_symbols_deinit(&w.symbols);
    free(w.expr_of);
    free(w.row_of);
    free(w.rows);
    return status;
}

static bool has_name(const rlx_str *names, uint32_t n, rlx_str name)
{
    for (uint32_t i = 0; i < n; i++)
        if (rlx_str_eq(names[i], name))
            return true;
    return false;
}

/* Lists the symbols that the functions have. */
static void complain_of_symbol(const rlx_executable *exe, const char *dim)
{
    rlx_str *names = NULL;
    uint32_t n = 0;
    char shown[CLI_NAME_SHOWN];
    const rlx_str given = cli_symbol_of(dim);
    for (uint32_t f = 0; f < rlx_executable_function_count(exe); f++) {
        cli_symbols s;
        rlx_str *more = NULL;
        if (cli_symbols_init(&s, exe, f) == CLI_OK)
            more = realloc(names, ((size_t)n + s.n_symbols + 1) * sizeof *names);
        names = more ? more : names;
        for (uint32_t i = 0; more && i < s.n_symbols; i++)
            if (s.names[i].len > 0 && !has_name(names, n, s.names[i]))
                names[n++] = s.names[i];
        cli_symbols_deinit(&s);
    }
    cli_complain_of_name(given, names, n, "--dim %s: no function has such a symbol",
                         cli_name_text(given, shown, sizeof shown));
    free(names);
}

/* A constant's place in the data section. */
typedef struct span {
    uint64_t begin, end;
} span;

static int compare_spans(const void *a, const void *b)
{
    const span *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The bytes of the data section that constants use: equal ones share theirs. */
static bool constant_bytes(const rlx_executable *exe, uint64_t *out)
{
    const uint32_t n_constants = rlx_executable_constant_count(exe);
    uint64_t sum = 0, end = 0;
    uint32_t n = 0;
    span *spans = malloc(((size_t)n_constants + 1) * sizeof *spans);
    if (!spans)
        return false;
    for (uint32_t c = 0; c < n_constants; c++) {
        const rlx_value v = rlx_executable_constant(exe, c);
        const uintptr_t at =
            v.kind == RLX_KIND_TENSOR ? (uintptr_t)rlx_tensor_data(v.as.tensor) : 0;
        if (at)
            spans[n++] = (span){at, at + rlx_tensor_nbytes(v.as.tensor)};
    }
    qsort(spans, n, sizeof *spans, compare_spans);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t begin = spans[i].begin > end ? spans[i].begin : end;
        sum += spans[i].end > begin ? spans[i].end - begin : 0;
        end = spans[i].end > end ? spans[i].end : end;
    }
    free(spans);
    *out = sum;
    return true;
}

int cli_dump_memory(const rlx_executable *exe, const char *const *dims, uint32_t n_dims,
                    const char *svg)
{
    bool found[CLI_MAX_NAMED] = {0};
    uint64_t bytes;
    char text[32];
    int status = CLI_OK;
    for (uint32_t f = 0; f < rlx_executable_function_count(exe) && status == CLI_OK; f++)
        status = dump_function(exe, f, dims, n_dims, found, &svg);
    for (uint32_t i = 0; i < n_dims && status == CLI_OK; i++) {
        if (found[i])
            continue;
        complain_of_symbol(exe, dims[i]);
        status = CLI_USAGE;
    }
    if (status == CLI_OK && (!constant_bytes(exe, &bytes) || !cli_print_pools(exe))) {
        cli_complain("out of memory");
        status = CLI_FAILED;
    }
    if (status == CLI_OK)
        printf("constants: %s, mapped from the file\n", cli_bytes_text(bytes, text, sizeof text));
    return status;
}
