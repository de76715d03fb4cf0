/* The operator names that TVM registers (docs/relax-operators.txt), against the parser: unsupported
 * names state a reason, supported ones do not, and docs/relax-operators.md says the same.
 * RLX_BLESS=1 rewrites the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/op.h"
#include "compiler/script/script.h"
#include "tests/support/rlx_test.h"

enum { MAX_NAMES = 1000, MAX_PAGE = 1 << 16 };

typedef struct entry {
    char name[80], reason[120]; /* empty reason: rlxc supports it */
} entry;

static uint32_t read_names(entry *out)
{
    char line[256];
    uint32_t n = 0;
    FILE *f = fopen("docs/relax-operators.txt", "r");
    cr_assert(f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        cr_assert_lt(n, MAX_NAMES);
        const char *colon = strstr(line, ": ");
        snprintf(out[n].name, sizeof out[n].name, "%.*s", (int)strcspn(line, ":"), line);
        snprintf(out[n].reason, sizeof out[n].reason, "%s", colon ? colon + 2 : "");
        cr_expect(n == 0 || strcmp(out[n - 1].name, out[n].name) < 0, "%s is not in its place",
                  out[n].name);
        n++;
    }
    fclose(f);
    return n;
}

/* Whether the parser knows R.|name|, whatever its arguments. */
static bool is_supported(const char *name)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const char *text = rlxc_internf(
        ctx, "@R.function\ndef main(x: R.Object):\n    gv = R.%s(x)\n    return gv\n", name);
    (void)rlxc_parse_module(ctx, "case.py", text, strlen(text));
    bool known = strstr(rlxc_render_diagnostics(ctx), "is not supported") == NULL;
    rlxc_context_destroy(ctx);
    return known;
}

/* Writes a row of the page for each reason, with its operators. */
static void write_page(const entry *names, uint32_t n, char *out)
{
    size_t at = 0;
    uint32_t missing = 0;
    for (uint32_t i = 0; i < n; i++)
        missing += names[i].reason[0] != '\0';
    at += (size_t)snprintf(out, MAX_PAGE,
                           "# Relax operators that are left out\n\nTVM 0.26 and 0.27 register %u "
                           "operators; rlxc supports all but these %u. `rlxc --list-ops` prints "
                           "the supported ones.\n\n| left out | why |\n| --- | --- |\n",
                           n, missing);
    for (uint32_t i = 0; i < n; i++) {
        bool first = names[i].reason[0] != '\0';
        for (uint32_t k = 0; k < i; k++)
            first &= strcmp(names[k].reason, names[i].reason) != 0;
        for (uint32_t k = i; k < n && first; k++)
            if (strcmp(names[k].reason, names[i].reason) == 0)
                at += (size_t)snprintf(out + at, MAX_PAGE - at, "%s `%s`", k == i ? "|" : ",",
                                       names[k].name);
        if (first)
            at += (size_t)snprintf(out + at, MAX_PAGE - at, " | %s |\n", names[i].reason);
        cr_assert_lt(at, MAX_PAGE);
    }
}

RLX_TEST(registry, missing_operators_are_the_ones_that_the_page_lists)
{
    entry *names = calloc(MAX_NAMES, sizeof *names);
    char *page = calloc(MAX_PAGE, 1), *now = calloc(MAX_PAGE, 1);
    const char *path = "docs/relax-operators.md", *bless = getenv("RLX_BLESS");
    uint32_t n = read_names(names);
    cr_assert_gt(n, 200);
    for (uint32_t i = 0; i < n; i++)
        cr_expect_eq(is_supported(names[i].name), names[i].reason[0] == '\0', "%s: %s",
                     names[i].name,
                     names[i].reason[0] ? "rlxc has it, it needs no reason"
                                        : "rlxc has no such operator, and the list no reason");
    write_page(names, n, page);
    FILE *f = fopen(path, bless ? "w" : "r");
    cr_assert(f, "%s", path);
    if (bless)
        fputs(page, f);
    else
        now[fread(now, 1, MAX_PAGE - 1, f)] = '\0';
    fclose(f);
    cr_expect(bless || strcmp(page, now) == 0, "%s is stale; RLX_BLESS=1 rewrites it", path);
    free(names);
    free(page);
    free(now);
}
