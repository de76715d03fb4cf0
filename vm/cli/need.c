/* rlx dump --memory: the planned memory of a function together with the functions that it calls, on
 * each device and in each pool. A callee's regions come on top of the caller's, so the need is the
 * caller's own plus the largest of its callees. It is assumed that the callees' symbols also have
 * the values of --dim; the line says so. */
#include "vm/cli/plan.h"

#include <stdlib.h>

enum { MOST_DEPTH = 1000, TEXT = 256 };

typedef enum need_state {
    NEED_NOT_SEEN,
    NEED_ENTERED, /* a function that calls itself needs as much as its calls go deep */
    NEED_UNKNOWN,
    NEED_KNOWN
} need_state;

typedef struct need {
    need_state state;
    uint64_t *bytes; /* by row of the file's devices: its own, then with its callees */
    uint64_t *below; /* by row: the largest of its callees */
} need;

typedef struct needs {
    const rlx_executable *exe;
    const char *const *dims;
    uint32_t n_dims, n_rows, depth, root;
    bool assumes;   /* that a symbol of a callee has the value of --dim */
    need *of;       /* by function */
    uint64_t *rows; /* of all of them */
} needs;

/* False if a region's size is not known. */
static bool add_regions(needs *n, uint32_t f, uint64_t *bytes)
{
    bool found[CLI_MAX_NAMED] = {0}, known = false;
    cli_symbols symbols;
    cli_plan plan = {0};
    rlx_str message;
    if (cli_symbols_init(&symbols, n->exe, f) == CLI_OK &&
        cli_symbols_bind(&symbols, n->dims, n->n_dims, found) == CLI_OK &&
        !cli_is_refused(&symbols, symbols.bound, symbols.values, &message) &&
        cli_plan_init(&plan, &symbols) == CLI_OK)
        known = true;
    for (uint32_t z = 0; known && z < plan.n_regions; z++) {
        const uint32_t row = rlx_function_plan_device(n->exe, f, z);
        n->assumes =
            n->assumes || (f != n->root && rlx_function_plan_slots(n->exe, f, z, NULL, 0) > 0);
        known =
            plan.known[z] && !__builtin_add_overflow(bytes[row], plan.sums[z].peak, &bytes[row]);
    }
    cli_plan_deinit(&plan);
    cli_symbols_deinit(&symbols);
    return known;
}

static need *need_of(needs *n, uint32_t f);

/* The largest needs of the functions that |f| calls by name; false if one is not known. */
static bool find_most(needs *n, uint32_t f, uint64_t *most)
{
    rlx_instruction in;
    bool known = true;
    for (uint32_t pc = 0; known && rlx_function_instruction(n->exe, f, pc, &in); pc += in.n_words) {
        known = in.op != RLX_OP_CALL_CLOSURE;
        if (in.op != RLX_OP_CALL_FUNC)
            continue;
        const need *callee = need_of(n, in.operands[1].value);
        known = callee->state == NEED_KNOWN;
        for (uint32_t k = 0; known && k < n->n_rows; k++)
            most[k] = callee->bytes[k] > most[k] ? callee->bytes[k] : most[k];
    }
    return known;
}

static need *need_of(needs *n, uint32_t f)
{
    need *out = &n->of[f];
    if (out->state != NEED_NOT_SEEN)
        return out;
    out->state = NEED_ENTERED;
    out->bytes = n->rows + (size_t)2 * f * n->n_rows;
    out->below = out->bytes + n->n_rows;
    n->depth++;
    bool known =
        n->depth < MOST_DEPTH && add_regions(n, f, out->bytes) && find_most(n, f, out->below);
    n->depth--;
    for (uint32_t k = 0; known && k < n->n_rows; k++)
        known = !__builtin_add_overflow(out->bytes[k], out->below[k], &out->bytes[k]);
    out->state = known ? NEED_KNOWN : NEED_UNKNOWN;
    return out;
}

/* "at most 448 bytes (448 bytes), 1024 bytes (1.0 KiB) on cpu:0 (global.sram) in pool sram" */
static void print_most(const needs *n, const need *all)
{
    char text[32], place[TEXT];
    bool any = false;
    printf("  with the functions it calls: ");
    for (uint32_t k = 0; k < n->n_rows; k++) {
        const bool is_last = k + 1 == n->n_rows && !any;
        if (all->bytes[k] == 0 && !is_last)
            continue;
        printf("%s%llu bytes (%s)%s", any ? ", " : "at most ", (unsigned long long)all->bytes[k],
               cli_bytes_text(all->bytes[k], text, sizeof text),
               all->bytes[k] ? cli_region_place(n->exe, k, place, sizeof place) : "");
        any = true;
    }
    puts(n->assumes ? " if their symbols have these values as well" : "");
}

int cli_print_need(const rlx_executable *exe, uint32_t f, const char *const *dims, uint32_t n_dims)
{
    const size_t n_functions = rlx_executable_function_count(exe);
    needs n = {.exe = exe, .dims = dims, .n_dims = n_dims, .root = f};
    rlx_instruction in;
    bool calls = false;
    for (uint32_t pc = 0; !calls && rlx_function_instruction(exe, f, pc, &in); pc += in.n_words)
        calls = in.op == RLX_OP_CALL_FUNC;
    if (!calls)
        return CLI_OK;
    n.n_rows = rlx_executable_device_count(exe);
    n.of = calloc(n_functions + 1, sizeof *n.of);
    n.rows = calloc(n_functions + 1, (size_t)2 * n.n_rows * sizeof *n.rows);
    const bool done = n.of && n.rows;
    const need *all = done ? need_of(&n, f) : NULL;
    if (!done)
        cli_complain("out of memory");
    else if (all->state == NEED_KNOWN)
        print_most(&n, all);
    else
        puts("  with the functions it calls: not known before the call");
    free(n.of);
    free(n.rows);
    return done ? CLI_OK : CLI_FAILED;
}
