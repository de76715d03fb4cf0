/* Layouts of buffers (layout.h).
 *
 * An order determines a layout: each buffer is placed at the lowest offset where it does not
 * overlap earlier buffers that are in use at the same time. Some order gives the optimal layout:
 * the order of that layout's offsets. A greedy layout repeatedly moves the buffer that sets the
 * peak earlier in the order, and keeps the best of these layouts. hill_climb searches orders. A
 * change moves a buffer whose end is the peak, or one that is in use at the same time, to an
 * earlier position. It is kept if the peak is no higher than it was some changes ago, which lets
 * the search leave a local minimum. */
#include "compiler/analysis/layout.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_PAIRS ((uint64_t)1 << 23)
#define CLIMB_STEPS ((uint64_t)1 << 30)
#define AUTO_STEPS ((uint64_t)1 << 23)
#define UNPLACED UINT64_MAX

enum {
    HISTORY = 64,           /* changes after which a peak is compared with its own past */
    PATIENCE = 4096,        /* changes without a new best, after which the search begins anew */
    CHANGES_PER_CLOCK = 64, /* looks at the clock */
    SECOND_CHANCES = 256    /* of a greedy layout */
};

typedef struct taken { /* bytes of a placed buffer */
    uint64_t begin, end;
} taken;

typedef struct search {
    rlxc_context *ctx;
    const rlxc_layout_options *options;
    const rlx_plan_interval *rows;
    uint32_t n;
    uint32_t *start, *meets; /* per buffer: those in use at the same time */
    uint64_t bound, steps;   /* steps: remaining */
    uint32_t *order, *position;
    uint64_t *offsets; /* by |order| */
    taken *near;
    uint32_t *best_order;
    uint64_t *best, best_peak; /* the best layout; the peak is UINT64_MAX without one */
    uint64_t random;
} search;

struct rlxc_layout_row {
    const char *name;
    void (*run)(search *s);
    bool is_auto; /* keeps the given layout if it is no worse */
};

/* --- bounds and pairs ------------------------------------------------------------------------- */

typedef struct event {
    uint32_t time, buffer;
    bool begins;
} event;

static bool is_used(const rlx_plan_interval *row)
{
    return row->first < row->last && row->bytes > 0;
}

static bool comes_before(const event *a, const event *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->begins != b->begins)
        return b->begins; /* intervals are half open */
    return a->buffer < b->buffer;
}

static int compare_events(const void *a, const void *b)
{
    return comes_before(a, b) ? -1 : comes_before(b, a);
}

/* The starts and ends of the buffers in use, by time; NULL when memory is out. */
static event *list_events(rlxc_context *ctx, const rlx_plan_interval *rows, uint32_t n,
                          uint32_t *out_n)
{
    event *events = rlxc_try_alloc(ctx, (size_t)n + 1, 2 * sizeof *events);
    uint32_t k = 0;
    for (uint32_t i = 0; i < n && events; i++) {
        if (!is_used(&rows[i]))
            continue;
        events[k++] = (event){rows[i].first, i, true};
        events[k++] = (event){rows[i].last, i, false};
    }
    if (events)
        qsort(events, k, sizeof *events, compare_events);
    *out_n = k;
    return events;
}

static uint64_t bound_of(const rlx_plan_interval *rows, uint32_t n, const event *events,
                         uint32_t n_events)
{
    uint64_t live = 0, most = 0;
    for (uint32_t i = 0; i < n_events; i++) {
        live += events[i].begins ? rows[events[i].buffer].bytes : 0;
        live -= events[i].begins ? 0 : rows[events[i].buffer].bytes;
        most = live > most ? live : most;
    }
    for (uint32_t i = 0; i < n; i++) /* one that is never in use gets its bytes, too */
        most = rows[i].bytes > most ? rows[i].bytes : most;
    return most;
}

uint64_t rlxc_layout_bound(rlxc_context *ctx, const rlx_plan_interval *rows, uint32_t n)
{
    uint32_t n_events;
    const event *events = list_events(ctx, rows, n, &n_events);
    return events ? bound_of(rows, n, events, n_events) : 0;
}

uint64_t rlxc_layout_peak(const rlx_plan_interval *rows, uint32_t n, const uint64_t *offsets)
{
    uint64_t peak = 0;
    for (uint32_t i = 0; i < n; i++)
        if (offsets[i] + rows[i].bytes > peak)
            peak = offsets[i] + rows[i].bytes;
    return peak;
}

/* Visits the pairs of buffers in use at the same time: counts them in |s->start|, or lists them in
 * |s->meets| from |fill| on. False if there are too many. */
static bool each_pair(search *s, const event *events, uint32_t n_events, uint32_t *active,
                      uint32_t *fill)
{
    uint32_t n = 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < n_events; i++) {
        const uint32_t b = events[i].buffer;
        uint32_t at = 0;
        if (!events[i].begins) {
            while (active[at] != b)
                at++;
            active[at] = active[--n];
            continue;
        }
        total += n;
        if (total > MOST_PAIRS)
            return false;
        for (uint32_t k = 0; k < n; k++) {
            if (fill) {
                s->meets[fill[b]++] = active[k];
                s->meets[fill[active[k]]++] = b;
            } else {
                s->start[b + 1]++;
                s->start[active[k] + 1]++;
            }
        }
        active[n++] = b;
    }
    return true;
}

static bool prepare(search *s)
{
    const uint32_t n = s->n;
    uint32_t n_events;
    const event *events = list_events(s->ctx, s->rows, n, &n_events);
    uint32_t *active = rlxc_try_alloc(s->ctx, (size_t)n + 1, 2 * sizeof *active);
    s->start = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *s->start);
    if (!events || !active || !s->start || !each_pair(s, events, n_events, active, NULL))
        return false;
    for (uint32_t i = 0; i < n; i++)
        s->start[i + 1] += s->start[i];
    uint32_t *fill = active + n;
    memcpy(fill, s->start, n * sizeof *fill);
    s->meets = rlxc_try_alloc(s->ctx, (size_t)s->start[n] + 1, sizeof *s->meets);
    s->order = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *s->order);
    s->position = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *s->position);
    s->best_order = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *s->best_order);
    s->offsets = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *s->offsets);
    s->best = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *s->best);
    s->near = rlxc_try_alloc(s->ctx, (size_t)n + 1, sizeof *s->near);
    if (!s->meets || !s->order || !s->position || !s->best_order || !s->offsets || !s->best ||
        !s->near)
        return false;
    s->bound = bound_of(s->rows, n, events, n_events);
    s->best_peak = UINT64_MAX;
    return each_pair(s, events, n_events, active, fill);
}

/* --- placing ---------------------------------------------------------------------------------- */

/* The lowest offset at which |b| does not overlap the placed buffers in use at the same time. */
static uint64_t lowest_free(search *s, uint32_t b)
{
    const uint64_t bytes = s->rows[b].bytes;
    uint64_t end = 0, work = s->start[b + 1] - s->start[b] + 1;
    uint32_t n = 0;
    for (uint32_t e = s->start[b]; e < s->start[b + 1]; e++) {
        const uint32_t a = s->meets[e];
        const uint64_t begin = s->offsets[a];
        uint32_t at = n;
        if (begin == UNPLACED)
            continue;
        for (; at > 0 && s->near[at - 1].begin > begin; at--)
            s->near[at] = s->near[at - 1];
        s->near[at] = (taken){begin, begin + s->rows[a].bytes};
        work += n++ - at;
    }
    s->steps -= work < s->steps ? work : s->steps;
    for (uint32_t k = 0; k < n && s->near[k].begin < end + bytes; k++)
        end = s->near[k].end > end ? s->near[k].end : end;
    return end;
}

/* Places the buffers from |from| on in |s->order|; returns the peak. */
static uint64_t place(search *s, uint32_t from)
{
    for (uint32_t i = from; i < s->n; i++)
        s->offsets[s->order[i]] = UNPLACED;
    for (uint32_t i = from; i < s->n; i++)
        s->offsets[s->order[i]] = lowest_free(s, s->order[i]);
    return rlxc_layout_peak(s->rows, s->n, s->offsets);
}

static void keep_if_better(search *s, uint64_t peak)
{
    if (peak >= s->best_peak)
        return;
    s->best_peak = peak;
    memcpy(s->best, s->offsets, s->n * sizeof *s->best);
    memcpy(s->best_order, s->order, s->n * sizeof *s->best_order);
}

/* --- greedy ----------------------------------------------------------------------------------- */

typedef struct rank { /* by falling keys, then as given */
    uint64_t keys[2];
    uint32_t buffer;
} rank;

static int compare_ranks(const void *a, const void *b)
{
    const rank *x = a, *y = b;
    for (int k = 0; k < 2; k++)
        if (x->keys[k] != y->keys[k])
            return x->keys[k] > y->keys[k] ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* The position in the order of the first buffer whose end is |peak|. */
static uint32_t find_peak(const search *s, uint64_t peak)
{
    uint32_t i = 0;
    while (i + 1 < s->n && s->offsets[s->order[i]] + s->rows[s->order[i]].bytes != peak)
        i++;
    return i;
}

/* A buffer that sets the peak was placed too late: it moves to an earlier position, and the buffers
 * after it are placed again. The distance changes with each attempt, so that attempts do not
 * cycle. */
static void give_second_chances(search *s, uint64_t peak)
{
    for (uint32_t k = 0; k < SECOND_CHANCES && peak > s->bound && s->steps > 0; k++) {
        const uint32_t from = find_peak(s, peak), b = s->order[from];
        const uint32_t to = (uint32_t)((uint64_t)from * (k % 4) / 8);
        memmove(s->order + to + 1, s->order + to, (from - to) * sizeof *s->order);
        s->order[to] = b;
        peak = place(s, to);
        keep_if_better(s, peak);
    }
}

static void place_by(search *s, bool conflicts_first)
{
    rank *ranks = rlxc_try_alloc(s->ctx, (size_t)s->n + 1, sizeof *ranks);
    for (uint32_t b = 0; b < s->n && ranks; b++) {
        ranks[b] = (rank){{s->rows[b].bytes, s->start[b + 1] - s->start[b]}, b};
        if (conflicts_first)
            ranks[b] = (rank){{ranks[b].keys[1], ranks[b].keys[0]}, b};
    }
    if (!ranks)
        return;
    qsort(ranks, s->n, sizeof *ranks, compare_ranks);
    for (uint32_t i = 0; i < s->n; i++)
        s->order[i] = ranks[i].buffer;
    const uint64_t peak = place(s, 0);
    keep_if_better(s, peak);
    give_second_chances(s, peak);
}

static void by_size(search *s)
{
    place_by(s, false);
}

static void by_conflicts(search *s)
{
    place_by(s, true);
}

/* --- climbing --------------------------------------------------------------------------------- */

uint64_t rlxc_layout_seed(const rlxc_layout_options *options)
{
    return ((uint64_t)options->seed << 1 | 1) * UINT64_C(0x9e3779b97f4a7c15);
}

uint32_t rlxc_layout_random(uint64_t *state, uint32_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 32) * n >> 32);
}

static uint32_t random_below(search *s, uint32_t n)
{
    return rlxc_layout_random(&s->random, n);
}

static void index_order(search *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->position[s->order[i]] = i;
}

/* Moves the buffer at |from| in the order to |to|, between which the others shift. */
static void move(search *s, uint32_t from, uint32_t to)
{
    const uint32_t b = s->order[from];
    for (uint32_t i = from; i > to; i--)
        s->position[s->order[i] = s->order[i - 1]] = i;
    for (uint32_t i = from; i < to; i++)
        s->position[s->order[i] = s->order[i + 1]] = i;
    s->position[s->order[to] = b] = to;
}

/* The position of a buffer whose end is |peak|, or of one in use at the same time. */
static uint32_t choose(search *s, uint64_t peak)
{
    uint32_t n = 0, b = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->offsets[i] + s->rows[i].bytes == peak && random_below(s, ++n) == 0)
            b = i;
    const uint32_t degree = s->start[b + 1] - s->start[b];
    if (degree > 0 && random_below(s, 3) == 0)
        b = s->meets[s->start[b] + random_below(s, degree)];
    return s->position[b];
}

static bool is_over(const search *s, const struct timespec *begin, uint32_t changes)
{
    struct timespec now;
    if (s->steps == 0 || s->best_peak == s->bound || rlxc_failed(s->ctx))
        return true;
    if (s->options->seconds == 0 || changes % CHANGES_PER_CLOCK != 0)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec - begin->tv_sec >= (time_t)s->options->seconds;
}

/* Begins anew: some buffers of the best order change places. */
static uint64_t shake(search *s)
{
    memcpy(s->order, s->best_order, s->n * sizeof *s->order);
    index_order(s);
    for (uint32_t i = 0; i < 4 + s->n / 16; i++)
        move(s, random_below(s, s->n), random_below(s, s->n));
    return place(s, 0);
}

static void climb(search *s)
{
    uint64_t history[HISTORY], peak;
    uint32_t changes = 0, since = 0;
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (s->n < 2 || s->best_peak == UINT64_MAX)
        return;
    memcpy(s->order, s->best_order, s->n * sizeof *s->order);
    index_order(s);
    peak = place(s, 0);
    for (uint32_t i = 0; i < HISTORY; i++)
        history[i] = peak;
    for (; !is_over(s, &begin, changes); changes++) {
        const uint32_t from = choose(s, peak);
        const uint32_t to = from > 0 ? random_below(s, from) : random_below(s, s->n);
        const uint32_t low = from < to ? from : to;
        move(s, from, to);
        const uint64_t found = place(s, low);
        if (found < s->best_peak)
            since = 0;
        keep_if_better(s, found);
        if (found <= peak || found <= history[changes % HISTORY]) {
            peak = found;
        } else {
            move(s, to, from);
            place(s, low);
        }
        history[changes % HISTORY] = peak;
        if (++since > PATIENCE) {
            since = 0;
            peak = shake(s);
            for (uint32_t i = 0; i < HISTORY; i++)
                history[i] = peak;
        }
    }
}

static void run_climb(search *s)
{
    by_size(s);
    by_conflicts(s);
    climb(s);
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct rlxc_layout_row strategies[] = {
    {"auto", run_climb, true},
    {"greedy_by_size", by_size, false},
    {"greedy_by_conflicts", by_conflicts, false},
    {"hill_climb", run_climb, false},
};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

bool rlxc_layout_climbs(const rlxc_layout_options *options)
{
    return options->row->run == run_climb;
}

static bool unknown(rlxc_context *ctx, const char *text, size_t length)
{
    rlxc_text names = {.ctx = ctx};
    for (uint32_t i = 0; i < N_STRATEGIES; i++)
        rlxc_text_printf(&names, "%s%s", i ? ", " : "", strategies[i].name);
    rlxc_error(ctx, (rlxc_range){0}, "memory layout: unknown layout '%.*s'; expected one of: %s",
               (int)length, text, names.data ? names.data : "none");
    return false;
}

static bool read_number(const char **at, uint64_t most, uint64_t *out)
{
    const char *digits = *at;
    uint64_t value = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return *at > digits && (**at == ',' || **at == '\0');
}

/* One "KEY=NUMBER" at |*at|. */
static bool read_setting(const char **at, rlxc_layout_options *out)
{
    uint64_t value, most = UINT32_MAX;
    const size_t length = strcspn(*at, "=,");
    const char *key = *at;
    if (key[length] != '=')
        return false;
    *at += length + 1;
    const bool steps = length == 5 && memcmp(key, "steps", 5) == 0;
    if (!read_number(at, steps ? UINT64_MAX : most, &value))
        return false;
    if (steps)
        out->steps = value;
    else if (length == 7 && memcmp(key, "seconds", 7) == 0)
        out->seconds = (uint32_t)value;
    else if (length == 4 && memcmp(key, "seed", 4) == 0)
        out->seed = (uint32_t)value;
    else
        return false;
    return true;
}

bool rlxc_layout_parse(rlxc_context *ctx, const char *text, rlxc_layout_options *out)
{
    const char *at = text ? text : strategies[0].name;
    const size_t length = strcspn(at, ",");
    *out = (rlxc_layout_options){NULL, CLIMB_STEPS, 0, 1};
    for (uint32_t i = 0; i < N_STRATEGIES && !out->row; i++)
        if (strlen(strategies[i].name) == length && memcmp(strategies[i].name, at, length) == 0)
            out->row = &strategies[i];
    if (!out->row)
        return unknown(ctx, at, length);
    if (out->row->is_auto)
        out->steps = AUTO_STEPS;
    for (at += length; *at == ',';) {
        at++;
        if (!read_setting(&at, out)) {
            rlxc_error(ctx, (rlxc_range){0},
                       "memory layout: expected NAME[,steps=N][,seconds=N][,seed=N], got '%s'",
                       text);
            return false;
        }
    }
    return true;
}

void rlxc_layout(rlxc_context *ctx, const rlxc_layout_options *options,
                 const rlx_plan_interval *rows, uint32_t n, uint64_t *offsets)
{
    search s = {.ctx = ctx, .options = options, .rows = rows, .n = n};
    s.steps = options->steps;
    s.random = rlxc_layout_seed(options);
    const uint64_t given = rlxc_layout_peak(rows, n, offsets);
    if (options->row->is_auto && given <= rlxc_layout_bound(ctx, rows, n))
        return;
    if (!prepare(&s))
        return;
    options->row->run(&s);
    if (s.best_peak != UINT64_MAX && !(options->row->is_auto && given <= s.best_peak))
        memcpy(offsets, s.best, n * sizeof *offsets);
}
