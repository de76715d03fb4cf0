/* rlx dump --memory: the memory plan of a function, before anything runs.
 *
 * A region whose slots all have values is laid out as the VM would do it: peak, lower bound, each
 * buffer's interval, offset and size, and its tensors. A region that needs a value nobody gave is
 * shown with its formulas: the lower bound is the largest of the sums at the points where a buffer
 * begins, each sum written out once. The peak is that wherever the layout wastes nothing, so it is
 * computed for some values beside it. */
#include "vm/cli/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512, MAX_SUMS = 2000 };

/* --- formulas --------------------------------------------------------------------------------- */

typedef struct term { /* of a sum: how often an expression stands in it */
    uint32_t expr, count;
} term;

typedef struct sum {
    term *terms;
    uint32_t n;
    bool dropped; /* another sum is at least as large, whatever the sizes */
} sum;

static void add_term(sum *s, uint32_t expr)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->terms[i].expr == expr) {
            s->terms[i].count++;
            return;
        }
    }
    s->terms[s->n++] = (term){expr, 1};
}

/* Every term of |a| stands at least as often in |b|. */
static bool is_within(const sum *a, const sum *b)
{
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t have = 0;
        for (uint32_t k = 0; k < b->n; k++)
            if (b->terms[k].expr == a->terms[i].expr)
                have = b->terms[k].count;
        if (have < a->terms[i].count)
            return false;
    }
    return true;
}

static void print_sum(const cli_plan *p, const sum *s)
{
    char text[TEXT];
    for (uint32_t i = 0; i < s->n; i++) {
        if (i)
            printf(" + ");
        if (s->terms[i].count > 1)
            printf("%u * ", s->terms[i].count);
        printf("(%s)", rlx_expr_text(p->exe, p->function, s->terms[i].expr, text, sizeof text));
    }
}

/* The sums at the beginnings of the region's buffers, but those that others contain. */
static bool print_bound(const cli_plan *p, uint32_t region)
{
    sum *sums = calloc(p->n_buffers ? p->n_buffers : 1, sizeof *sums);
    uint32_t n = 0, left = 0;
    bool ok = sums != NULL;
    if (p->n_buffers > MAX_SUMS) {
        free(sums);
        printf("  peak: a formula of %u buffers is too long to print\n", p->n_buffers);
        return true;
    }
    for (uint32_t i = 0; ok && i < p->n_buffers; i++) {
        const rlx_plan_buffer *at = &p->buffers[i];
        if (at->region != region || at->first == at->last)
            continue;
        sums[n].terms = malloc(p->n_buffers * sizeof(term));
        ok = sums[n].terms != NULL;
        for (uint32_t k = 0; ok && k < p->n_buffers; k++) {
            const rlx_plan_buffer *b = &p->buffers[k];
            if (b->region == region && b->first <= at->first && at->first < b->last)
                add_term(&sums[n], b->size);
        }
        n += ok;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n && !sums[i].dropped; k++)
            sums[i].dropped = k != i && !sums[k].dropped && is_within(&sums[i], &sums[k]);
    for (uint32_t i = 0; i < n; i++)
        left += !sums[i].dropped;
    if (ok) {
        printf("  peak >= %s", left > 1 ? "max(" : left ? "" : "0");
        for (uint32_t i = 0, printed = 0; i < n; i++) {
            if (sums[i].dropped)
                continue;
            if (printed++)
                printf(",\n              ");
            print_sum(p, &sums[i]);
        }
        printf("%s  (bytes, each size rounded up to %u)\n", left > 1 ? ")" : "", RLX_PLAN_ALIGN);
    }
    for (uint32_t i = 0; sums && i < p->n_buffers; i++)
        free(sums[i].terms);
    free(sums);
    return ok;
}

/* The plan's own peaks where all symbols without a value are some number, to hold against the
   formula: the layout found for these sizes may need more than the largest sum. */
static bool print_tried(const cli_plan *p, uint32_t region)
{
    static const int64_t tried[] = {1, 16, 128, 1024};
    const cli_symbols *s = p->symbols;
    int64_t *values = malloc((s->n ? s->n : 1) * sizeof *values);
    double most = 0;
    uint32_t n = 0;
    if (!values)
        return false;
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        rlx_plan_sums sums;
        for (uint32_t i = 0; i < s->n; i++)
            values[i] = s->bound[i] ? s->values[i] : tried[k];
        if (rlx_plan_compute(p->exe, p->function, region, values, NULL, NULL, &sums, NULL) !=
            RLX_OK)
            continue;
        printf("%s %lld: %llu", n++ ? "," : "  peak where what is not known is",
               (long long)tried[k], (unsigned long long)sums.peak);
        if (sums.bound)
            most = fmax(most, (double)sums.peak / (double)sums.bound - 1);
    }
    if (n > 0)
        printf("; at most %.1f %% above that\n", 100 * most);
    free(values);
    return true;
}

/* --- a region --------------------------------------------------------------------------------- */

/* "float32 (n, 128)" of each tensor of |buffer|. */
static void print_tensors(const cli_plan *p, uint32_t buffer)
{
    char text[TEXT];
    uint32_t at, type;
    for (uint32_t t = 0; rlx_function_plan_tensor(p->exe, p->function, t, &at, &type); t++)
        if (at == buffer)
            printf("  %s", rlx_type_text(p->exe, p->function, type, text, sizeof text));
}

static void print_rows(const cli_plan *p, uint32_t region)
{
    char size[TEXT], place[TEXT], offset[32];
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const rlx_plan_buffer *b = &p->buffers[i];
        if (b->region != region)
            continue;
        snprintf(offset, sizeof offset, "?");
        if (p->known[region])
            snprintf(offset, sizeof offset, "%llu", (unsigned long long)p->offsets[i]);
        printf("  u%-4u %6u..%-6u offset %-10s ", i, b->first, b->last, offset);
        if (p->known[region])
            printf("size %-10llu", (unsigned long long)p->sizes[i]);
        else
            printf("size %s", rlx_expr_text(p->exe, p->function, b->size, size, sizeof size));
        print_tensors(p, i);
        cli_place_text(p->exe, p->function, b->first, place, sizeof place);
        printf("%s%s\n", *place ? "  " : "", place);
    }
}

/* What the bytes of |region| are counted in: the symbols without a value. */
static void print_missing(const cli_plan *p, uint32_t region)
{
    uint32_t slots[64], n = rlx_function_plan_slots(p->exe, p->function, region, slots, 64);
    char name[64];
    printf("region %u: needs", region);
    for (uint32_t i = 0; i < n && i < 64; i++)
        if (!p->symbols->bound[slots[i]])
            printf(" %s", cli_symbol_name(p->symbols, slots[i], name, sizeof name));
    printf("%s\n",
           region > 0 ? " (laid out when the values are known)" : " (--dim gives symbols values)");
}

static bool print_region(const cli_plan *p, uint32_t region)
{
    char peak[32], bound[32];
    if (!p->known[region]) {
        print_missing(p, region);
        print_rows(p, region);
        return print_bound(p, region) && print_tried(p, region);
    }
    const rlx_plan_sums *s = &p->sums[region];
    printf("region %u: peak %llu bytes (%s), lower bound %llu (%s)", region,
           (unsigned long long)s->peak, cli_bytes_text(s->peak, peak, sizeof peak),
           (unsigned long long)s->bound, cli_bytes_text(s->bound, bound, sizeof bound));
    if (s->bound)
        printf(", %.1f %% above it", 100.0 * ((double)s->peak / (double)s->bound - 1.0));
    putchar('\n');
    print_rows(p, region);
    return print_bound(p, region);
}

/* --- the function ----------------------------------------------------------------------------- */

static bool has_values(const cli_symbols *s, uint32_t function, uint32_t region)
{
    uint32_t n = rlx_function_plan_slots(s->exe, function, region, NULL, 0);
    uint32_t *slots = malloc((n ? n : 1) * sizeof *slots);
    bool all = slots != NULL;
    if (all)
        rlx_function_plan_slots(s->exe, function, region, slots, n);
    for (uint32_t i = 0; i < n && all; i++)
        all = s->bound[slots[i]];
    free(slots);
    return all;
}

void cli_plan_deinit(cli_plan *p)
{
    free(p->buffers);
    free(p->sizes);
    free(p->offsets);
    free(p->known);
    free(p->sums);
}

int cli_plan_init(cli_plan *p, const cli_symbols *symbols)
{
    rlx_plan_counts counts = {0};
    rlx_error err = {0};
    *p = (cli_plan){.exe = symbols->exe, .function = symbols->function, .symbols = symbols};
    rlx_function_plan(p->exe, p->function, &counts);
    p->n_regions = counts.n_regions;
    p->n_buffers = counts.n_buffers;
    p->buffers = calloc(counts.n_buffers + (size_t)1, sizeof *p->buffers);
    p->sizes = calloc(counts.n_buffers + (size_t)1, sizeof *p->sizes);
    p->offsets = calloc(counts.n_buffers + (size_t)1, sizeof *p->offsets);
    p->known = calloc(counts.n_regions + (size_t)1, sizeof *p->known);
    p->sums = calloc(counts.n_regions + (size_t)1, sizeof *p->sums);
    if (!p->buffers || !p->sizes || !p->offsets || !p->known || !p->sums) {
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    for (uint32_t i = 0; i < counts.n_buffers; i++)
        rlx_function_plan_buffer(p->exe, p->function, i, &p->buffers[i]);
    for (uint32_t z = 0; z < counts.n_regions; z++) {
        p->known[z] = has_values(symbols, p->function, z);
        if (p->known[z] && rlx_plan_compute(p->exe, p->function, z, symbols->values, p->sizes,
                                            p->offsets, &p->sums[z], &err) != RLX_OK)
            return cli_fail(&err);
    }
    return CLI_OK;
}

int cli_plan_print(const cli_plan *p)
{
    for (uint32_t z = 0; z < p->n_regions; z++) {
        if (print_region(p, z))
            continue;
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    return CLI_OK;
}
