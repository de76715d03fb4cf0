/* The operator table as data: lookup by name, the nearest name for a misspelt one.
 *
 * The table is constant and small (under 200 rows), so a lookup compares lengths and first letters
 * along it; no index is built, which keeps the library free of mutable state. */
#include "compiler/ops/families.h"

#include <string.h>

enum { FIRST_ROW = __COUNTER__ + 1 };

static const rlxc_operator table[] = {
#define RLXC_OP(name, inputs, attrs, infer, legalize, flags, pattern, doc) \
    {name, inputs, attrs, infer, legalize, (flags), (pattern), doc, __COUNTER__ - FIRST_ROW},
#include "compiler/ops/ops.def"
#undef RLXC_OP
};

enum { N_ROWS = sizeof table / sizeof table[0], MAX_NAME = 48 };

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

/* Edit distance, both texts at most MAX_NAME long. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[MAX_NAME + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = change < best ? change : best;
        }
    }
    return row[m];
}

const char *rlxc_suggest_operator(const char *name, size_t length)
{
    if (length == 0 || length > MAX_NAME)
        return NULL;
    size_t best = length / 3 + 1; /* further away it would be a guess */
    const char *nearest = NULL;
    for (uint32_t i = 0; i < N_ROWS; i++) {
        const char *full = table[i].name;
        const char *dot = strrchr(full, '.');
        size_t d = distance(name, length, full, strlen(full));
        /* "softmax" for "nn.softmax": the folder was forgotten */
        if (dot && strlen(dot + 1) == length && memcmp(dot + 1, name, length) == 0)
            d = 1;
        if (d < best) {
            best = d;
            nearest = full;
        }
    }
    return nearest;
}
