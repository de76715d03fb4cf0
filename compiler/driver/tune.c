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

enum { SCREENED = 3 /* samples of a first look */, ROUNDS = 5 /* of alternating runs */ };

#define BEFORE_RULES "verify_plan"
#define KEPT 0.97 /* share of the time, at most */

typedef struct tuner {
    rlxc_context *ctx;
    const rlxc_options *options;
    const rlxc_tune_request *request;
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
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_tuned f;
        if (module->globals.items[i]->prim &&
            rlxc_tuned_describe(t->ctx, t->options, module->globals.items[i]->prim, &f))
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

/* The second program's time divided by the first's: median of alternating runs; 1 after errors.
 */
static double ratio_of(const rlxc_tuned_program *first, const rlxc_tuned_program *other,
                       double *out_first)
{
    double ratios[ROUNDS], times[ROUNDS];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const double a = rlxc_tuned_time(first, SCREENED), b = rlxc_tuned_time(other, SCREENED);
        if (a <= 0 || b <= 0)
            return 1;
        times[i] = a;
        ratios[i] = b / a;
    }
    qsort(ratios, ROUNDS, sizeof *ratios, compare);
    qsort(times, ROUNDS, sizeof *times, compare);
    *out_first = times[ROUNDS / 2];
    return ratios[ROUNDS / 2];
}

static const char *text_of(rlxc_context *ctx, rlxc_schedule_steps *list)
{
    rlxc_schedules one = {0};
    RLXC_PUSH(ctx, &one.items, list);
    return rlxc_print_schedules(ctx, "Module", &one);
}

typedef struct search {
    tuner *t;
    rlxc_tuned *f;
    rlxc_tuned_program standard; /* with the steps that rules decided */
    double best_ns;
    const char *best;
} search;

static void try_steps(search *s, const char *steps)
{
    rlxc_tuned_program p;
    s->f->tried++;
    if (rlxc_tuned_compile(s->f, s->t->options, steps, &p)) {
        const double ns = rlxc_tuned_time(&p, SCREENED);
        if (ns > 0 && ns < s->best_ns) {
            s->best_ns = ns;
            s->best = steps;
        }
    }
    rlxc_tuned_release(&p);
}

/* Keeps the best of the first look if it still beats the default. */
static void confirm(search *s)
{
    rlxc_tuned_program p;
    rlxc_tuned *f = s->f;
    double standard = f->default_ns;
    if (s->best && rlxc_tuned_compile(f, s->t->options, s->best, &p)) {
        const double ratio = ratio_of(&s->standard, &p, &standard);
        if (ratio <= KEPT) {
            f->best = s->best;
            f->default_ns = standard;
            f->tuned_ns = standard * ratio;
        }
        rlxc_tuned_release(&p);
    }
}

static void tune_function(tuner *t, rlxc_tuned *f)
{
    search s = {.t = t, .f = f, .best_ns = f->default_ns};
    if (rlxc_tuned_compile(f, t->options, NULL, &s.standard)) {
        for (uint32_t k = 0; k < f->steps->items.count; k++)
            for (uint32_t i = 0; i < rlxc_alternative_count() && now() < t->deadline; i++) {
                rlxc_schedule_steps *list = rlxc_alternative(t->ctx, f->steps, k, i);
                if (list)
                    try_steps(&s, text_of(t->ctx, list));
            }
        confirm(&s);
    }
    rlxc_tuned_release(&s.standard);
    if (t->request->line)
        t->request->line(t->request->user,
                         rlxc_internf(t->ctx, "%10.1f us  %5.3f  %3u tried  %s %s\n",
                                      f->default_ns / 1e3, f->tuned_ns / f->default_ns, f->tried,
                                      f->name, f->dims));
}

/* Measures each function with the rules' own steps; functions that cannot run alone are skipped. */
static void measure_defaults(tuner *t, const rlxc_schedules *made)
{
    for (uint32_t i = 0; i < t->functions.count && now() < t->deadline; i++) {
        rlxc_tuned *f = &t->functions.items[i];
        rlxc_tuned_program p;
        for (uint32_t k = 0; k < made->items.count; k++)
            if (strcmp(made->items.items[k]->function, f->name) == 0)
                f->steps = made->items.items[k];
        if (!f->steps)
            continue;
        if (rlxc_tuned_compile(f, t->options, NULL, &p))
            f->tuned_ns = f->default_ns = rlxc_tuned_time(&p, SCREENED);
        rlxc_tuned_release(&p);
    }
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const rlxc_tuned *)a)->default_ns, y = ((const rlxc_tuned *)b)->default_ns;
    return (x < y) - (x > y);
}

/* --- results ---------------------------------------------------------------------------------- */

static bool append(tuner *t)
{
    const char *path = t->request->database;
    rlxc_text text = {.ctx = t->ctx};
    for (uint32_t i = 0; i < t->functions.count; i++) {
        const rlxc_tuned *f = &t->functions.items[i];
        const rlxc_database_entry entry = {.hash = f->hash,
                                           .function = f->name,
                                           .target = t->request->target,
                                           .dims = f->dims,
                                           .steps = f->best,
                                           .machine = rlxc_machine_name(t->ctx),
                                           .version = RLX_VERSION,
                                           .default_ns = f->default_ns,
                                           .tuned_ns = f->tuned_ns};
        const char *line = f->best ? rlxc_database_line(t->ctx, &entry) : "";
        rlxc_text_puts(&text, line ? line : "");
    }
    if (!path || text.length == 0 || rlxc_failed(t->ctx))
        return !rlxc_failed(t->ctx);
    FILE *file = fopen(path, "a");
    const bool ok = file && fputs(text.data, file) >= 0;
    if ((file && fclose(file) != 0) || !ok)
        rlxc_error(t->ctx, (rlxc_range){0}, "cannot append to the database %s", path);
    return !rlxc_failed(t->ctx);
}

static bool write_csv(tuner *t)
{
    rlxc_text text = {.ctx = t->ctx};
    rlxc_text_puts(&text, "function,hash,dims,default_ns,tuned_ns,ratio,tried\n");
    for (uint32_t i = 0; i < t->functions.count; i++) {
        const rlxc_tuned *f = &t->functions.items[i];
        if (f->default_ns > 0)
            rlxc_text_printf(&text, "%s,%016" PRIx64 ",%s,%.0f,%.0f,%.3f,%u\n", f->name, f->hash,
                             f->dims, f->default_ns, f->tuned_ns, f->tuned_ns / f->default_ns,
                             f->tried);
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
    if (!rlxc_lower_module(ctx, module, &own, &hooks))
        return false;
    measure_defaults(&t, &steps.made);
    if (t.functions.count)
        qsort(t.functions.items, t.functions.count, sizeof *t.functions.items, by_time);
    for (uint32_t i = 0; i < t.functions.count && now() < t.deadline && !rlxc_failed(ctx); i++)
        if (t.functions.items[i].default_ns > 0)
            tune_function(&t, &t.functions.items[i]);
    return append(&t) && write_csv(&t);
}
