/* The operator table as data: lookup by name, the nearest name for a misspelt one.
 *
 * The table is constant and small (under 200 rows), so a lookup compares lengths and first letters
 * along it; no index is built, which keeps the library free of mutable state. */
#include "compiler/base/nearest.h"
#include "compiler/ops/op_infer.h"

#include <string.h>

enum { FIRST_ROW = __COUNTER__ + 1 };

static const rlxc_operator table[] = {
#define RLXC_OP(name, inputs, attrs, infer, legalize, flags, pattern, doc) \
    {name, inputs, attrs, infer, legalize, (flags), (pattern), doc, __COUNTER__ - FIRST_ROW},
#include "compiler/ops/ops.def"
#undef RLXC_OP
};

enum { N_ROWS = sizeof table / sizeof table[0] };

const rlxc_operator *rlxc_find_operator(const char *name, size_t length)
{
    for (uint32_t i = 0; i < N_ROWS; i++)
        if (table[i].name[0] == name[0] && strncmp(table[i].name, name, length) == 0 &&
            table[i].name[length] == '\0')
            return &table[i];
    return NULL;
}

const rlxc_operator *rlxc_operators(uint32_t *out_count)
{
    *out_count = N_ROWS;
    return table;
}

const char *rlxc_suggest_operator(const char *name, size_t length)
{
    if (length == 0)
        return NULL;
    size_t best = length / 3 + 1; /* larger distances are guesses */
    const char *nearest = NULL;
    for (uint32_t i = 0; i < N_ROWS; i++) {
        const char *full = table[i].name;
        const char *dot = strrchr(full, '.');
        size_t d = rlxc_edit_distance(name, length, full, strlen(full));
        /* "softmax" for "nn.softmax": the namespace is missing */
        if (dot && strlen(dot + 1) == length && memcmp(dot + 1, name, length) == 0)
            d = 1;
        if (d < best) {
            best = d;
            nearest = full;
        }
    }
    return nearest;
}
