/* The tuner (tune.h): collects functions before the rules run, measures them, then measures
 * alternatives, slowest functions first, until the time is up. */
#include "compiler/driver/tune.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/files.h"
#include "compiler/driver/tune_function.h"

enum {
    SCREENED = 3, /* samples of a first look */
    ROUNDS = 7,   /* of alternating runs */
    AGREE = 5,    /* rounds of them in which the candidate must be faster */
    REASONS = 8,  /* functions that the note of those not tuned names */
    WARM_UP = 2   /* calls before samples, and to find how many calls a sample takes */
};

#define BEFORE_RULES "verify_plan"
#define KEPT 0.97     /* share of the time, at most */
#define NO_WORSE 1.02 /* at other values of symbolic dimensions: what runs differ by */
#define SAMPLE 4e-3   /* seconds, at least */
#define LONG 20e6     /* nanoseconds: a function that one sample is enough for */

typedef struct tuner {
    rlxc_context *ctx;
    const rlxc_options *options;
    const rlxc_tune_request *request;
    rlxc_database database;
    RLXC_VEC(rlxc_tuned) functions;
    double deadline;
} tuner;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool collect(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    tuner *t = user;
    (void)seconds;
    if (strcmp(pass->name, BEFORE_RULES) != 0)
        return true;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(t->ctx); i++) {
        rlxc_tuned f;
        rlxc_prim_func *prim = module->globals.items[i]->prim;
        if (!prim)
            continue;
        if (rlxc_tuned_describe(t->ctx, t->options, prim, &f)) {
            f.known = rlxc_database_entry_of(&t->database, f.hash);
            f.known_steps = f.known ? rlxc_database_find(&t->database, t->ctx, prim) : NULL;
            f.blocks = rlxc_block_names(t->ctx, prim, &f.n_blocks);
        }
        RLXC_PUSH(t->ctx, &t->functions, f);
    }
    return !rlxc_failed(t->ctx);
}

/* --- measuring -------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Samples for a function that takes so long, and the seconds that they take. */
static uint32_t samples_of(double ns)
{
    return ns > LONG ? 1 : SCREENED;
}

static double cost_of(double ns)
{
    return (samples_of(ns) + WARM_UP) * (1e-9 * ns > SAMPLE ? 1e-9 * ns : SAMPLE);
}

typedef struct compared {
    double ratio, first_ns; /* medians of alternating runs; |ratio|: the second's time by it */
    uint32_t faster;        /* rounds in which the second took less time */
} compared;

/* A ratio of 2 after errors. */
static compared compare_programs(const rlxc_tuned_program *first, const rlxc_tuned_program *second,
                                 double expected_ns)
{
    const uint32_t n = samples_of(expected_ns);
    double ratios[ROUNDS], times[ROUNDS];
    compared out = {2, expected_ns, 0};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const double a = rlxc_tuned_time(first, n), b = rlxc_tuned_time(second, n);
        if (a <= 0 || b <= 0)
            return out;
        times[i] = a;
        ratios[i] = b / a;
        out.faster += b < a;
    }
    qsort(ratios, ROUNDS, sizeof *ratios, compare);
    qsort(times, ROUNDS, sizeof *times, compare);
    out.ratio = ratios[ROUNDS / 2];
    out.first_ns = times[ROUNDS / 2];
    return out;
}

static const char *text_of(rlxc_context *ctx, const rlxc_schedule_steps *list)
{
    rlxc_schedules one = {0};
    RLXC_PUSH(ctx, &one.items, (rlxc_schedule_steps *)(uintptr_t)list);
    return rlxc_print_schedules(ctx, "Module", &one);
}

/* --- searching -------------------------------------------------------------------------------- */

typedef struct search {
    tuner *t;
    rlxc_tuned *f;
    double best_ns, reserved; /* |reserved|: seconds for the last comparison */
    const rlxc_schedule_steps *best;
} search;

static bool has_time(const search *s)
{
    const double next = s->f->compile_seconds + cost_of(s->f->default_ns);
    return !rlxc_failed(s->t->ctx) && now() + next + s->reserved < s->t->deadline;
}

/* True if the steps are faster than the best so far: then they are the best. */
static bool try_steps(search *s, const rlxc_schedule_steps *list, const rlxc_rule *off)
{
    rlxc_context *ctx = s->t->ctx;
    rlxc_tuned_program p;
    const rlxc_tuned_how how = {.steps = list ? text_of(ctx, list) : NULL, .off = off};
    bool better = false;
    s->f->tried++;
    if (rlxc_tuned_compile(s->f, 0, s->t->options, &how, &p)) {
        const double ns = rlxc_tuned_time(&p, samples_of(s->f->default_ns));
        better = ns > 0 && ns < s->best_ns && (list || p.steps.made.items.count == 1);
        if (better && !list) { /* the other rules' steps, copied into our context as text */
            rlxc_schedules read = {0};
            const char *text = rlxc_print_schedules(p.ctx, "Module", &p.steps.made);
            text = rlxc_intern_cstr(ctx, text);
            better = rlxc_parse_schedules(ctx, "<steps>", text, strlen(text), &read);
            list = better ? read.items.items[0] : NULL;
        }
        if (better) {
            s->best_ns = ns;
            s->best = list;
        }
    }
    rlxc_tuned_release(&p);
    return better;
}

static bool uses(const rlxc_schedule_steps *list, const rlxc_rule *rule)
{
    const char *block;
    for (uint32_t i = 0; i < list->items.count; i++)
        if (rlxc_rule_of_step(list, &list->items.items[i], &block) == rule)
            return true;
    return false;
}

/* The function without one of its rules. Attention of symbolic sizes stays: without the rule it
 * stores all scores, more than was measured. The last rule takes what all others leave. */
static void try_without_rules(search *s)
{
    uint32_t n;
    const rlxc_rule *rules = rlxc_rules(&n);
    for (uint32_t i = 0; i + 1 < n && has_time(s); i++)
        if (uses(s->f->steps, &rules[i]) &&
            (s->f->n_points == 1 || strcmp(rules[i].name, "attention") != 0))
            try_steps(s, NULL, &rules[i]);
}

/* All alternatives to one step of the best list; those that are better are built upon. */
static bool improve(search *s)
{
    bool better = false;
    for (uint32_t k = 0; k < s->best->items.count; k++)
        for (uint32_t i = 0; i < rlxc_alternative_count() && has_time(s); i++) {
            const rlxc_schedule_steps *list = rlxc_alternative(s->t->ctx, s->best, k, i);
            better |= list && try_steps(s, list, NULL);
        }
    return better;
}

/* Whether the best still beats the rules' own steps, and is no slower at other sizes. */
static bool confirm(search *s)
{
    rlxc_tuned *f = s->f;
    const rlxc_tuned_how rules = {0}, tuned = {.steps = text_of(s->t->ctx, s->best)};
    bool kept = true;
    for (uint32_t i = 0; i < f->n_points && kept; i++) {
        rlxc_tuned_program a, b = {0};
        kept = rlxc_tuned_compile(f, i, s->t->options, &rules, &a) &&
               rlxc_tuned_compile(f, i, s->t->options, &tuned, &b);
        if (kept) {
            const compared c = compare_programs(&a, &b, f->default_ns);
            kept = i == 0 ? c.ratio <= KEPT && c.faster >= AGREE : c.ratio <= NO_WORSE;
            if (i == 0 && kept) {
                f->default_ns = c.first_ns;
                f->tuned_ns = c.first_ns * c.ratio;
            }
        }
        rlxc_tuned_release(&a);
        rlxc_tuned_release(&b);
    }
    if (!kept)
        f->tuned_ns = f->default_ns;
    return kept;
}

static bool append(tuner *t, const rlxc_tuned *f)
{
    const char *steps = "";
    if (!t->request->database || (!f->best && !f->complete))
        return true;
    if (f->best)
        steps = text_of(t->ctx, rlxc_steps_by_position(t->ctx, f->best, f->blocks, f->n_blocks));
    const rlxc_database_entry entry = {.hash = f->hash,
                                       .function = f->name,
                                       .target = t->request->target,
                                       .dims = f->points[0].dims,
                                       .steps = steps,
                                       .machine = rlxc_machine_name(t->ctx),
                                       .version = RLX_VERSION,
                                       .complete = f->complete,
                                       .default_ns = f->default_ns,
                                       .tuned_ns = f->tuned_ns};
    const char *line = rlxc_database_line(t->ctx, &entry);
    return line && rlxc_database_append(t->ctx, t->request->database, line);
}

static void show(const tuner *t, const rlxc_tuned *f)
{
    if (!t->request->line)
        return;
    const char *how =
        f->known && f->known->complete ? "   known" : rlxc_internf(t->ctx, "%3u tried", f->tried);
    t->request->line(t->request->user,
                     rlxc_internf(t->ctx, "%10.1f us  %5.3f  %s  %s %s\n", f->default_ns / 1e3,
                                  f->tuned_ns / f->default_ns, how, f->name, f->points[0].dims));
}

static void tune_function(tuner *t, rlxc_tuned *f)
{
    search s = {.t = t, .f = f, .best_ns = f->default_ns, .best = f->steps};
    s.reserved =
        f->n_points * 2 * f->compile_seconds + f->n_points * ROUNDS * 2 * cost_of(f->default_ns);
    if (!has_time(&s)) {
        f->why_not = "out of time";
        return;
    }
    if (f->known_steps)
        try_steps(&s, f->known_steps, NULL);
    try_without_rules(&s);
    while (improve(&s))
        continue;
    f->complete = has_time(&s);
    if (s.best != f->steps && !rlxc_failed(t->ctx) && confirm(&s))
        f->best = s.best;
    if (append(t, f))
        show(t, f);
}

/* --- all functions ---------------------------------------------------------------------------- */

/* What rules made of the function; a schedule from a file is not the tuner's to change. */
static const rlxc_schedule_steps *steps_of(const rlxc_schedules *made, const char *name)
{
    for (uint32_t i = 0; i < made->items.count; i++)
        if (strcmp(made->items.items[i]->function, name) == 0)
            return rlxc_rules_take(made->items.items[i]) ? made->items.items[i] : NULL;
    return NULL;
}

/* Scalar parameters may be invalid indices, which no check of shapes catches: such a function first
   runs with checks. */
static bool is_safe(const tuner *t, const rlxc_tuned *f)
{
    bool safe = true;
    const rlxc_tuned_how how = {.checked = true};
    for (uint32_t i = 0; i < f->n_points && f->has_scalars && safe; i++) {
        rlxc_tuned_program p;
        safe = rlxc_tuned_compile(f, i, t->options, &how, &p) && rlxc_tuned_time(&p, 1) > 0;
        rlxc_tuned_release(&p);
    }
    return safe;
}

/* Measures the function with the rules' own steps, or says why not. */
static void measure_default(tuner *t, rlxc_tuned *f)
{
    rlxc_tuned_program p;
    const double start = now();
    const rlxc_tuned_how rules = {0};
    f->why_not = !f->steps        ? "no rule applies to its blocks"
                 : !is_safe(t, f) ? "its scalar parameters give invalid indices when it runs alone"
                                  : NULL;
    if (f->why_not)
        return;
    if (rlxc_tuned_compile(f, 0, t->options, &rules, &p)) {
        f->compile_seconds = now() - start;
        f->tuned_ns = f->default_ns = rlxc_tuned_time(&p, SCREENED);
    }
    rlxc_tuned_release(&p);
    if (!(f->default_ns > 0))
        f->why_not = "it cannot run alone";
}

static void measure_defaults(tuner *t, const rlxc_schedules *made)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        rlxc_tuned *f = &t->functions.items[i];
        if (f->why_not)
            continue;
        f->steps = steps_of(made, f->name);
        if (f->known && f->known->complete) {
            f->default_ns = f->known->default_ns;
            f->tuned_ns = f->known->tuned_ns;
        } else if (now() < t->deadline) {
            measure_default(t, f);
        } else {
            f->why_not = "out of time";
        }
    }
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const rlxc_tuned *)a)->default_ns, y = ((const rlxc_tuned *)b)->default_ns;
    return (x < y) - (x > y);
}

/* --- results ---------------------------------------------------------------------------------- */

/* One warning for all functions that were not tuned. */
static void say_why_not(const tuner *t)
{
    rlxc_text text = {.ctx = t->ctx};
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        const rlxc_tuned *f = &t->functions.items[i];
        if (f->why_not && n++ < REASONS)
            rlxc_text_printf(&text, "%s%s: %s", n > 1 ? "; " : "", f->name, f->why_not);
    }
    if (n)
        rlxc_warning(t->ctx, (rlxc_range){0}, "functions not tuned: %u (%s%s)", n,
                     text.data ? text.data : "", n > REASONS ? "; ..." : "");
}

static bool write_csv(tuner *t)
{
    rlxc_text text = {.ctx = t->ctx};
    rlxc_text_puts(&text, "function,hash,dims,default_ns,tuned_ns,ratio,tried\n");
    for (uint32_t i = 0; i < t->functions.count; i++) {
        const rlxc_tuned *f = &t->functions.items[i];
        if (f->default_ns > 0)
            rlxc_text_printf(&text, "%s,%016" PRIx64 ",%s,%.0f,%.0f,%.3f,%u\n", f->name, f->hash,
                             f->points[0].dims, f->default_ns, f->tuned_ns,
                             f->tuned_ns / f->default_ns, f->tried);
    }
    return !t->request->csv || (!rlxc_failed(t->ctx) &&
                                rlxc_write_file(t->ctx, t->request->csv, text.data, text.length));
}

bool rlxc_tune(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
               const rlxc_tune_request *request)
{
    rlxc_rule_steps steps = {0};
    rlxc_options own = *options;
    tuner t = {.ctx = ctx, .options = options, .request = request};
    const rlxc_pass_hooks hooks = {.user = &t, .after = collect};
    own.steps = &steps;
    t.deadline = now() + request->seconds;
    /* Append nothing: the file exists even if no faster schedule is found, and a path that cannot
     * be written fails before the search. */
    if (request->database &&
        (!rlxc_database_read(ctx, request->database, request->target, true, &t.database) ||
         !rlxc_database_append(ctx, request->database, "")))
        return false;
    if (!rlxc_lower_module(ctx, module, &own, &hooks))
        return false;
    measure_defaults(&t, &steps.made);
    if (t.functions.count)
        qsort(t.functions.items, t.functions.count, sizeof *t.functions.items, by_time);
    for (uint32_t i = 0; i < t.functions.count && !rlxc_failed(ctx); i++) {
        rlxc_tuned *f = &t.functions.items[i];
        if (f->default_ns > 0 && f->known && f->known->complete)
            show(&t, f);
        else if (f->default_ns > 0)
            tune_function(&t, f);
    }
    say_why_not(&t);
    return !rlxc_failed(ctx) && write_csv(&t);
}
