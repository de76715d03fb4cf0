/* rlx dump --memory: the memory plan of a function, before anything runs.
 *
 * A region whose slots all have values is laid out as the VM would do it: peak, lower bound, each
 * buffer's interval, offset and size, and its tensors. A region with unknown values is shown with
 * formulas: the lower bound is the largest of the sums at the points where a buffer begins, each
 * sum printed once. The peak equals it if the layout wastes nothing, so the peak is also computed
 * for some example values. */
#include "vm/cli/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A longer formula is unreadable. */
enum { TEXT = 512, MAX_SUMS = 1000, MAX_TERMS = 8000 };

/* --- formulas --------------------------------------------------------------------------------- */

typedef struct term { /* a term of a sum: how often an expression occurs in it */
    uint32_t expr, count;
} term;

typedef struct sum {
    term *terms; /* by expression */
    uint32_t n;
    bool dropped; /* another sum is at least as large for all sizes */
} sum;

typedef struct formula {
    sum sums[MAX_SUMS];
    uint32_t n_sums, n_terms;
    term terms[MAX_TERMS]; /* of all sums */
} formula;

/* True if every term of |a| occurs at least as often in |b|. */
static bool is_within(const sum *a, const sum *b)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->n; i++, k++) {
        while (k < b->n && b->terms[k].expr < a->terms[i].expr)
            k++;
        if (k == b->n || b->terms[k].expr > a->terms[i].expr ||
            b->terms[k].count < a->terms[i].count)
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

typedef struct event {
    uint32_t time, begins, expr; /* begins: 1, otherwise it ends */
} event;

static int compare_events(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (int)x->begins - (int)y->begins; /* ends first: intervals are half open */
}

/* The terms of |live|, which has them by expression, as a sum of its own; false: too many. */
static bool add_sum(formula *f, const term *live, uint32_t n)
{
    if (f->n_sums == MAX_SUMS || n > MAX_TERMS - f->n_terms)
        return false;
    f->sums[f->n_sums++] = (sum){.terms = f->terms + f->n_terms, .n = n};
    memcpy(f->terms + f->n_terms, live, n * sizeof *live);
    f->n_terms += n;
    return true;
}

/* Adds |e| to |live|, sorted by expression; returns the new number of terms. */
static uint32_t count_event(term *live, uint32_t n, const event *e)
{
    uint32_t at = 0, high = n;
    while (at < high) {
        uint32_t mid = at + (high - at) / 2;
        if (live[mid].expr < e->expr)
            at = mid + 1;
        else
            high = mid;
    }
    if (at < n && live[at].expr == e->expr) {
        live[at].count += e->begins ? 1 : UINT32_MAX;
        if (live[at].count > 0)
            return n;
        memmove(live + at, live + at + 1, (n - at - 1) * sizeof *live);
        return n - 1;
    }
    memmove(live + at + 1, live + at, (n - at) * sizeof *live);
    live[at] = (term){e->expr, 1};
    return n + 1;
}

/* The sums at points where a buffer of |region| has begun and the next event is an end: they
 * dominate all others. 1: found, 0: too many to be useful, -1: out of memory. */
static int find_sums(const cli_plan *p, uint32_t region, formula *f)
{
    const uint32_t *rows = p->by_region + p->region_start[region];
    uint32_t n = p->region_start[region + 1] - p->region_start[region], n_events = 0, n_live = 0;
    event *events = malloc((2 * (size_t)n + 1) * sizeof *events);
    term *live = malloc(((size_t)n + 1) * sizeof *live);
    int found = events && live ? 1 : -1;
    for (uint32_t i = 0; i < n && found > 0; i++) {
        const rlx_plan_buffer *b = &p->buffers[rows[i]];
        if (b->first >= b->last)
            continue;
        events[n_events++] = (event){b->first, 1, b->size};
        events[n_events++] = (event){b->last, 0, b->size};
    }
    if (found > 0)
        qsort(events, n_events, sizeof *events, compare_events);
    for (uint32_t i = 0; i < n_events && found > 0; i++) {
        n_live = count_event(live, n_live, &events[i]);
        if (n_live > MAX_TERMS)
            found = 0;
        else if (events[i].begins && !events[i + 1].begins)
            found = add_sum(f, live, n_live);
    }
    free(events);
    free(live);
    return found;
}

/* The sums at the starts of the region's buffers, without dominated ones. */
static bool print_bound(const cli_plan *p, uint32_t region)
{
    formula *f = calloc(1, sizeof *f);
    uint32_t left = 0;
    int found = f ? find_sums(p, region, f) : -1;
    for (uint32_t i = 0; found > 0 && i < f->n_sums; i++) {
        for (uint32_t k = 0; k < f->n_sums && !f->sums[i].dropped; k++)
            f->sums[i].dropped =
                k != i && !f->sums[k].dropped && is_within(&f->sums[i], &f->sums[k]);
        left += !f->sums[i].dropped;
    }
    if (found == 0)
        printf("  peak: a formula of %u buffers is too long to print\n",
               p->region_start[region + 1] - p->region_start[region]);
    if (found > 0) {
        printf("  peak >= %s", left > 1 ? "max(" : left ? "" : "0");
        for (uint32_t i = 0, printed = 0; i < f->n_sums; i++) {
            if (f->sums[i].dropped)
                continue;
            if (printed++)
                printf(",\n              ");
            print_sum(p, &f->sums[i]);
        }
        printf("%s  (bytes, each size rounded up to %u)\n", left > 1 ? ")" : "", RLX_PLAN_ALIGN);
    }
    free(f);
    return found >= 0;
}

typedef struct trial { /* of example values for the unknown symbols of a region */
    const cli_plan *p;
    uint32_t region, n;
    bool *known;     /* by slot: true */
    int64_t *values; /* by slot */
    double most;     /* the largest excess over the sum */
} trial;

/* Prints the peak for the values, if calls may have them. |what| names them. */
static void try_values(trial *t, const char *what)
{
    rlx_plan_sums sums;
    rlx_str message;
    if (cli_is_refused(t->p->symbols, t->known, t->values, &message) ||
        rlx_plan_compute(t->p->exe, t->p->function, t->region, t->values, NULL, NULL, &sums,
                         NULL) != RLX_OK)
        return;
    printf("%s %s: %llu", t->n++ ? "," : "  peak where each unknown symbol is", what,
           (unsigned long long)sums.peak);
    if (sums.bound)
        t->most = fmax(t->most, (double)sums.peak / (double)sums.bound - 1);
}

/* Sets the unknown symbols to their upper bounds; false if one has none, or more is unknown. */
static bool set_to_bounds(trial *t)
{
    const cli_symbols *s = t->p->symbols;
    uint32_t slots[64];
    const uint32_t n = rlx_function_plan_slots(t->p->exe, t->p->function, t->region, slots, 64);
    for (uint32_t i = 0; i < s->n_symbols; i++)
        t->values[i] = s->bound[i] ? s->values[i] : cli_upper_bound(s, i);
    for (uint32_t i = 0; i < n && i < 64; i++)
        if (slots[i] >= s->n_symbols || t->values[slots[i]] == INT64_MAX)
            return false;
    return n <= 64;
}

/* The actual peaks with example values for all unknown symbols, to compare with the formula: the
 * layout for these sizes may need more than the largest sum. */
static bool print_tried(const cli_plan *p, uint32_t region)
{
    static const int64_t tried[] = {1, 16, 128, 1024};
    const cli_symbols *s = p->symbols;
    trial t = {.p = p, .region = region};
    t.values = malloc((s->n ? s->n : 1) * sizeof *t.values);
    t.known = malloc((s->n ? s->n : 1) * sizeof *t.known);
    for (size_t k = 0; t.values && t.known && k < sizeof tried / sizeof *tried; k++) {
        char what[24];
        for (uint32_t i = 0; i < s->n; i++) {
            t.values[i] = s->bound[i] ? s->values[i] : tried[k];
            t.known[i] = true;
        }
        snprintf(what, sizeof what, "%lld", (long long)tried[k]);
        try_values(&t, what);
    }
    const bool done = t.values && t.known;
    if (done && set_to_bounds(&t))
        try_values(&t, "at its upper bound");
    if (t.n > 0)
        printf("; at most %.1f %% above that\n", 100 * t.most);
    free(t.values);
    free(t.known);
    return done;
}

/* --- a region --------------------------------------------------------------------------------- */

/* "float32 (n, 128)" of each tensor of |buffer|. */
static void print_tensors(const cli_plan *p, uint32_t buffer)
{
    char text[TEXT];
    uint32_t at, type;
    for (uint32_t i = p->tensor_start[buffer]; i < p->tensor_start[buffer + 1]; i++)
        if (rlx_function_plan_tensor(p->exe, p->function, p->tensors[i], &at, &type))
            printf("  %s", rlx_type_text(p->exe, p->function, type, text, sizeof text));
}

static void print_rows(const cli_plan *p, uint32_t region)
{
    char size[TEXT], place[TEXT], offset[32];
    for (uint32_t k = p->region_start[region]; k < p->region_start[region + 1]; k++) {
        uint32_t i = p->by_region[k];
        const rlx_plan_buffer *b = &p->buffers[i];
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

const char *cli_region_place(const rlx_executable *exe, uint32_t device, char *buffer, size_t size)
{
    cli_device_text(exe, device, buffer, size);
    cli_pool_text(exe, device, buffer + strlen(buffer), size - strlen(buffer));
    return buffer;
}

static const char *region_device(const cli_plan *p, uint32_t region, char *buffer, size_t size)
{
    return cli_region_place(p->exe, rlx_function_plan_device(p->exe, p->function, region), buffer,
                            size);
}

/* The symbols without a value in the sizes of |region|. */
static void print_missing(const cli_plan *p, uint32_t region)
{
    uint32_t slots[64], n = rlx_function_plan_slots(p->exe, p->function, region, slots, 64);
    char name[CLI_NAME_SHOWN], device[TEXT];
    printf("region %u%s: needs", region, region_device(p, region, device, sizeof device));
    for (uint32_t i = 0; i < n && i < 64; i++)
        if (!p->symbols->bound[slots[i]])
            printf(" %s", cli_symbol_name(p->symbols, slots[i], name, sizeof name));
    printf("%s\n",
           region > 0 ? " (laid out when the values are known)" : " (--dim gives symbols values)");
}

static bool print_region(const cli_plan *p, uint32_t region)
{
    char peak[32], bound[32], device[TEXT];
    if (p->region_start[region] == p->region_start[region + 1])
        return true; /* a pool that nothing lies in */
    if (!p->known[region]) {
        print_missing(p, region);
        print_rows(p, region);
        return print_bound(p, region) && print_tried(p, region);
    }
    const rlx_plan_sums *s = &p->sums[region];
    printf("region %u%s: peak %llu bytes (%s), lower bound %llu (%s)", region,
           region_device(p, region, device, sizeof device), (unsigned long long)s->peak,
           cli_bytes_text(s->peak, peak, sizeof peak), (unsigned long long)s->bound,
           cli_bytes_text(s->bound, bound, sizeof bound));
    if (s->bound)
        printf(", %.1f %% above it", 100.0 * ((double)s->peak / (double)s->bound - 1.0));
    putchar('\n');
    print_rows(p, region);
    return print_bound(p, region);
}

/* --- the function ----------------------------------------------------------------------------- */

/* True if the file states all offsets: the sizes are numbers, whatever the symbols are. */
static bool is_static(const cli_plan *p, uint32_t region)
{
    bool all = p->region_start[region] < p->region_start[region + 1];
    for (uint32_t k = p->region_start[region]; k < p->region_start[region + 1]; k++)
        all = all && p->buffers[p->by_region[k]].offset != RLX_PLAN_AT_RUN_TIME;
    return all;
}

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
    free(p->by_region);
    free(p->region_start);
    free(p->tensors);
    free(p->tensor_start);
    free(p->sums);
}

/* Lists 0 .. n - 1 by |key| of each, below |n_keys|: those of |k| begin at (*start)[k]. */
static bool group(uint32_t n, uint32_t n_keys, uint32_t (*key)(const cli_plan *p, uint32_t i),
                  const cli_plan *p, uint32_t **start, uint32_t **list)
{
    *start = calloc((size_t)n_keys + 2, sizeof **start);
    *list = calloc((size_t)n + 1, sizeof **list);
    if (!*start || !*list)
        return false;
    for (uint32_t i = 0; i < n; i++)
        (*start)[key(p, i) + 2]++;
    for (uint32_t k = 1; k <= n_keys; k++)
        (*start)[k + 1] += (*start)[k];
    for (uint32_t i = 0; i < n; i++)
        (*list)[(*start)[key(p, i) + 1]++] = i;
    return true;
}

static uint32_t region_of(const cli_plan *p, uint32_t buffer)
{
    return p->buffers[buffer].region;
}

static uint32_t buffer_of(const cli_plan *p, uint32_t tensor)
{
    uint32_t buffer = 0, type;
    rlx_function_plan_tensor(p->exe, p->function, tensor, &buffer, &type);
    return buffer;
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
    if (!group(counts.n_buffers, counts.n_regions, region_of, p, &p->region_start, &p->by_region) ||
        !group(counts.n_tensors, counts.n_buffers, buffer_of, p, &p->tensor_start, &p->tensors)) {
        cli_complain("out of memory");
        return CLI_FAILED;
    }
    for (uint32_t z = 0; z < counts.n_regions; z++) {
        const bool bound = has_values(symbols, p->function, z);
        p->known[z] = bound || is_static(p, z);
        if (!p->known[z] || rlx_plan_compute(p->exe, p->function, z, symbols->values, p->sizes,
                                             p->offsets, &p->sums[z], &err) == RLX_OK)
            continue;
        if (bound)
            return cli_fail(&err);
        p->known[z] = false; /* dimensions may have no values without the symbols */
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
