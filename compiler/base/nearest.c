/* Edit distance by rows (Wagner and Fischer 1974), in a row of fixed size. */
#include "compiler/base/nearest.h"

#include <stdint.h>

enum { MAX_NAME = 48 };

size_t rlxc_edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[MAX_NAME + 1];
    if (n > MAX_NAME || m > MAX_NAME)
        return SIZE_MAX;
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
