/* See headers.h. */
#include "tests/support/headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rlx_test.h"

static char *read_whole(const char *path)
{
    FILE *stream = fopen(path, "r");
    char *whole = calloc(1, 1 << 18);
    cr_assert(stream && whole, "%s", path);
    cr_assert_gt(fread(whole, 1, (1 << 18) - 1, stream), 0);
    fclose(stream);
    return whole;
}

uint32_t rlx_test_calls_all(const char *header, const char *file, bool (*exempt)(const char *name))
{
    uint32_t n = 0;
    char *here = read_whole(file), *whole = read_whole(header);
    for (char *at = whole; (at = strstr(at, "RLX_API ")); at++) {
        char name[80], call[84];
        const char *bracket = at + strcspn(at, "(;"), *begin = bracket;
        while (begin > at && (begin[-1] == '_' || (begin[-1] >= 'a' && begin[-1] <= 'z')))
            begin--;
        if (*bracket != '(' || strncmp(begin, "rlx_", 4) != 0 ||
            bracket - begin >= (long)sizeof name || bracket == begin)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(bracket - begin), begin);
        snprintf(call, sizeof call, "%s(", name);
        cr_expect(exempt(name) || strstr(here, call), "%s of %s is not tried", name, header);
        n++;
    }
    free(whole);
    free(here);
    return n;
}
