/* Values of symbols that a function refuses, for `rlx dump --memory`: read from the checks at its
 * entry, before anything is laid out or called. */
#include "vm/cli/plan.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry_check {
    uint32_t pc, expr, message; /* pc: of the next instruction */
} entry_check;

/* Advances to the next check at the entry; false: there is none. */
static bool next_check(const cli_symbols *s, entry_check *c)
{
    rlx_instruction in;
    while (rlx_function_instruction(s->exe, s->function, c->pc, &in)) {
        c->pc += in.n_words;
        if (in.op == RLX_OP_CHECK) {
            c->expr = in.operands[0].value;
            c->message = in.operands[1].value;
            return true;
        }
        if (in.op != RLX_OP_MATCH_TYPE && in.op != RLX_OP_MATCH_SHAPE &&
            in.op != RLX_OP_TUPLE_ITEM && in.op != RLX_OP_EVAL_SLOT && in.op != RLX_OP_DIM_OF)
            return false;
    }
    return false;
}

typedef enum outcome { TAKEN, REFUSED, OVERFLOWS } outcome;

static outcome check(const cli_symbols *s, uint32_t expr, const int64_t *values)
{
    int64_t holds;
    if (rlx_executable_eval(s->exe, expr, values, s->n, &holds, NULL) != RLX_OK)
        return OVERFLOWS;
    return holds ? TAKEN : REFUSED;
}

bool cli_is_refused(const cli_symbols *s, const bool *known, const int64_t *values,
                    rlx_str *message)
{
    cli_symbols only = *s;
    bool refused = false;
    only.bound = calloc((size_t)s->n + 1, sizeof *only.bound);
    if (only.bound && s->n_symbols > 0)
        memcpy(only.bound, known, s->n_symbols * sizeof *known);
    for (entry_check c = {0}; only.bound && !refused && next_check(s, &c);) {
        const rlx_value text = rlx_executable_constant(s->exe, c.message);
        refused =
            cli_symbols_missing(&only, c.expr) == RLX_NONE && check(s, c.expr, values) == REFUSED;
        if (refused && text.kind == RLX_KIND_STRING)
            *message = rlx_string_get(text.as.string);
    }
    free(only.bound);
    return refused;
}

/* The largest value that the check takes, if it takes 0; else 0. INT64_MAX where it refuses none:
 * the next one may overflow in the check, which states no bound. */
static int64_t most_for(const cli_symbols *s, uint32_t expr, uint32_t symbol, int64_t *values)
{
    int64_t low = 0, high = INT64_MAX;
    outcome at_high;
    values[symbol] = high;
    at_high = check(s, expr, values);
    if (at_high == TAKEN)
        return high;
    values[symbol] = low;
    if (check(s, expr, values) != TAKEN)
        return low;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        values[symbol] = middle;
        const outcome now = check(s, expr, values);
        if (now == TAKEN)
            low = middle;
        else
            high = middle;
        at_high = now == TAKEN ? at_high : now;
    }
    return at_high == REFUSED ? low : INT64_MAX;
}

int64_t cli_upper_bound(const cli_symbols *s, uint32_t symbol)
{
    cli_symbols only = *s;
    int64_t most = INT64_MAX;
    int64_t *values = calloc((size_t)s->n + 1, sizeof *values);
    only.bound = calloc((size_t)s->n + 1, sizeof *only.bound);
    if (only.bound)
        only.bound[symbol] = true;
    for (entry_check c = {0}; values && only.bound && next_check(s, &c);) {
        if (cli_symbols_missing(&only, c.expr) != RLX_NONE)
            continue;
        const int64_t now = most_for(s, c.expr, symbol, values);
        most = now > 0 && now < most ? now : most;
    }
    free(values);
    free(only.bound);
    return most;
}
