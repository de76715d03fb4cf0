/* rlx dump --memory: what a function takes of the host's planned memory together with the functions
 * that it calls. A call's regions come on top of those of the caller, so the most is the caller's
 * own plus the largest of its callees. That the symbols of these have the values of --dim as well
 * is an assumption, which the line states. */
#include "vm/cli/plan.h"

#include <stdlib.h>

enum { MOST_DEPTH = 1000 };

typedef enum need_state {
    NEED_NOT_SEEN,
    NEED_ENTERED, /* a function that calls itself needs as much as its calls go deep */
    NEED_UNKNOWN,
    NEED_KNOWN
} need_state;

typedef struct need {
    need_state state;
    uint64_t bytes;
} need;

typedef struct needs {
    const rlx_executable *exe;
    const char *const *dims;
    uint32_t n_dims, depth, root;
    bool assumes; /* that a symbol of a callee has the value of --dim */
    need *of;     /* by function */
} needs;

/* False if a region's size is not known. */
static bool add_regions(needs *n, uint32_t f, uint64_t *bytes)
{
    bool found[CLI_MAX_NAMED] = {0}, known = false;
    cli_symbols symbols;
    cli_plan plan = {0};
    if (cli_symbols_init(&symbols, n->exe, f) == CLI_OK &&
        cli_symbols_bind(&symbols, n->dims, n->n_dims, found) == CLI_OK &&
        cli_plan_init(&plan, &symbols) == CLI_OK)
        known = true;
    for (uint32_t z = 0; known && z < plan.n_regions; z++) {
        if (rlx_function_plan_device(n->exe, f, z) != 0)
            continue;
        n->assumes =
            n->assumes || (f != n->root && rlx_function_plan_slots(n->exe, f, z, NULL, 0) > 0);
        known = plan.known[z] && !__builtin_add_overflow(*bytes, plan.sums[z].peak, bytes);
    }
    cli_plan_deinit(&plan);
    cli_symbols_deinit(&symbols);
    return known;
}

static need *need_of(needs *n, uint32_t f);

/* The largest need of the functions that |f| calls by name; false if one is not known. */
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
        *most = known && callee->bytes > *most ? callee->bytes : *most;
    }
    return known;
}

static need *need_of(needs *n, uint32_t f)
{
    need *out = &n->of[f];
    uint64_t most = 0;
    if (out->state != NEED_NOT_SEEN)
        return out;
    out->state = NEED_ENTERED;
    n->depth++;
    const bool known = n->depth < MOST_DEPTH && add_regions(n, f, &out->bytes) &&
                       find_most(n, f, &most) &&
                       !__builtin_add_overflow(out->bytes, most, &out->bytes);
    n->depth--;
    out->state = known ? NEED_KNOWN : NEED_UNKNOWN;
    return out;
}

int cli_print_need(const rlx_executable *exe, uint32_t f, const char *const *dims, uint32_t n_dims)
{
    const uint32_t n_functions = rlx_executable_function_count(exe);
    needs n = {.exe = exe, .dims = dims, .n_dims = n_dims, .root = f};
    rlx_instruction in;
    char text[32];
    bool calls = false;
    for (uint32_t pc = 0; !calls && rlx_function_instruction(exe, f, pc, &in); pc += in.n_words)
        calls = in.op == RLX_OP_CALL_FUNC;
    if (!calls)
        return CLI_OK;
    n.of = calloc((size_t)n_functions + 1, sizeof *n.of);
    if (!n.of) {
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    const need *all = need_of(&n, f);
    if (all->state == NEED_KNOWN)
        printf("  with the functions it calls: at most %llu bytes (%s)%s\n",
               (unsigned long long)all->bytes, cli_bytes_text(all->bytes, text, sizeof text),
               n.assumes ? " if their symbols have these values as well" : "");
    else
        puts("  with the functions it calls: not known before the call");
    free(n.of);
    return CLI_OK;
}
