/* The random tester: generates programs from consecutive seeds, checks each, and reduces and prints
 * those that fail.
 *
 *     random_tests [--seed S] [--count N] [--jobs J] [--nests] [--print] [--keep]
 *
 * --nests: only programs that call random loops (nests.c). --print shows the programs instead of
 * running them; --keep does not reduce. Prints "N passed, M failed"; exits 0, or 1 after failures.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/random/program.h"

typedef struct settings {
    unsigned long long seed, count;
    unsigned jobs;
    bool print, keep, nests;
} settings;

typedef struct totals { /* shared by the workers */
    _Atomic unsigned long long next, passed, failed, compared, skipped;
} totals;

/* --- cutting --------------------------------------------------------------------------------- */

/* Whether |p| still fails in the same way: crash, message or difference. */
static bool still_fails(const program *p, const outcome *was, outcome *now)
{
    check_program(p, now);
    const char *error = strstr(was->message, "error: "),
               *now_error = strstr(now->message, "error: ");
    return now->failed && strncmp(now->message, was->message, 12) == 0 && !error == !now_error &&
           (!error || strncmp(error, now_error, 30) == 0);
}

/* Turns value |id| of main into a parameter. */
static bool make_param(program *p, int id)
{
    function *f = &p->functions[0];
    value *v = &f->values[id];
    if (v->op == OP_PARAM || v->op == OP_CONST || v->op == OP_PHI || v->is_tuple ||
        v->named_after >= 0 || f->n_params == MAX_PARAMS)
        return false;
    for (unsigned i = 0; i < v->types[0].ndim; i++)
        for (unsigned j = 0; j < v->types[0].d[i].n; j++)
            for (unsigned k = 0; k < MAX_FACTORS && v->types[0].d[i].t[j].atoms[k]; k++)
                if (!f->atoms[v->types[0].d[i].t[j].atoms[k] - 1].signature)
                    return false;
    *v = (value){.op = OP_PARAM, .n_types = 1, .types = {v->types[0]}, .named_after = -1};
    f->params[f->n_params++] = id;
    for (unsigned i = 0; i < f->n_stmts; i++)
        if (f->stmts[i].kind == ST_BIND && f->stmts[i].value == id) {
            f->n_stmts--;
            memmove(&f->stmts[i], &f->stmts[i + 1], (f->n_stmts - i) * sizeof *f->stmts);
            break;
        }
    return true;
}

/* Removes statements that no result needs: they were not printed, now they are not evaluated
 * either. */
static void drop_unneeded(function *f)
{
    bool needed[MAX_VALUES];
    unsigned kept = 0, skipping = 0;
    find_needed(f, needed);
    for (unsigned i = 0; i < f->n_stmts; i++) {
        const stmt s = f->stmts[i];
        if (s.kind == ST_IF) {
            unsigned j = i, depth = 0;
            do {
                depth += f->stmts[j].kind == ST_IF;
                depth -= f->stmts[j].kind == ST_END_IF;
            } while (depth && ++j);
            skipping += skipping || !needed[f->stmts[j].value];
        }
        bool keep = !skipping && (s.kind != ST_BIND || needed[s.value]);
        if (s.kind == ST_END_IF && skipping)
            skipping--;
        if (keep)
            f->stmts[kept++] = s;
    }
    f->n_stmts = kept;
    kept = 0;
    for (unsigned i = 0; i < f->n_params; i++)
        if (needed[f->params[i]] || i == 0)
            f->params[kept++] = f->params[i];
    f->n_params = kept;
}

/* Drops parameters one by one, as long as the signature still binds every symbol in use. */
static void cut_params(program *p, const outcome *was)
{
    static program trial;
    outcome now;
    for (unsigned i = p->functions[0].n_params; i-- > 0;) {
        bool needed[MAX_VALUES];
        trial = *p;
        function *f = &trial.functions[0];
        find_needed(f, needed);
        if (needed[f->params[i]])
            continue;
        f->n_params--;
        memmove(&f->params[i], &f->params[i + 1], (f->n_params - i) * sizeof *f->params);
        if (still_fails(&trial, was, &now))
            *p = trial;
    }
}

static void cut(program *p, outcome *was)
{
    static program trial;
    outcome now;
    if (was->result >= 0 && p->functions[0].n_results > 1) {
        trial = *p;
        trial.functions[0].results[0] = p->functions[0].results[was->result];
        trial.functions[0].n_results = 1;
        trial.functions[0].nested_result = false;
        if (still_fails(&trial, was, &now)) {
            *p = trial;
            *was = now;
        }
    }
    for (unsigned i = p->functions[0].n_results; i-- > 0 && p->functions[0].n_results > 1;) {
        trial = *p;
        function *f = &trial.functions[0];
        f->n_results--;
        f->nested_result = false;
        memmove(&f->results[i], &f->results[i + 1], (f->n_results - i) * sizeof *f->results);
        if (still_fails(&trial, was, &now)) {
            *p = trial;
            *was = now;
        }
    }
    trial = *p;
    trial.cut = true;
    bool needed[MAX_VALUES];
    unsigned n_params = trial.functions[0].n_params;
    int params[MAX_PARAMS];
    memcpy(params, trial.functions[0].params, sizeof params);
    for (unsigned k = 0; k < trial.n_functions; k++) {
        unsigned n = trial.functions[k].n_params;
        int own[MAX_PARAMS];
        memcpy(own, trial.functions[k].params, sizeof own);
        drop_unneeded(&trial.functions[k]);
        trial.functions[k].n_params = n;
        memcpy(trial.functions[k].params, own, sizeof own);
    }
    trial.functions[0].n_params = n_params;
    if (still_fails(&trial, was, &now)) {
        *p = trial;
        *was = now;
    }
    find_needed(&p->functions[0], needed);
    for (int id = (int)p->functions[0].n_values; p->cut && id-- > 0;) {
        if (!needed[id])
            continue;
        trial = *p;
        if (!make_param(&trial, id))
            continue;
        find_needed(&trial.functions[0], needed);
        if (still_fails(&trial, was, &now)) {
            *p = trial;
            *was = now;
        } else {
            find_needed(&p->functions[0], needed);
        }
    }
    cut_params(p, was);
}

/* --- workers --------------------------------------------------------------------------------- */

static void show(const program *p, const outcome *o, const char *title)
{
    char *text = malloc(MAX_TEXT);
    if (!text)
        return;
    print_program(p, text, MAX_TEXT);
    printf("=== seed %llu%s: %s\n%s\n", (unsigned long long)p->seed, title, o->message, text);
    fflush(stdout);
    free(text);
}

static void work(const settings *s, totals *t)
{
    static program p;
    outcome o;
    for (unsigned long long i; (i = t->next++) < s->count;) {
        if (i > 0 && i % 250 == 0)
            fprintf(stderr, "%llu programs begun, %llu failed\n", i, t->failed);
        generate(&p, s->seed + i, s->nests);
        check_program(&p, &o);
        t->compared += (unsigned long long)o.compared;
        t->skipped += (unsigned long long)o.skipped;
        if (!o.failed) {
            t->passed++;
            continue;
        }
        t->failed++;
        if (!s->keep)
            cut(&p, &o);
        show(&p, &o, s->keep ? "" : ", cut");
    }
}

static void print_all(const settings *s)
{
    static program p;
    const outcome none = {.message = ""};
    for (unsigned long long i = 0; i < s->count; i++) {
        generate(&p, s->seed + i, s->nests);
        show(&p, &none, "");
    }
}

static bool parse(int argc, char **argv, settings *s)
{
    for (int i = 1; i < argc; i++) {
        const char *more = i + 1 < argc ? argv[i + 1] : "";
        char *end = NULL;
        unsigned long long number = strtoull(more, &end, 10);
        bool takes = strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--count") == 0 ||
                     strcmp(argv[i], "--jobs") == 0;
        if (strcmp(argv[i], "--print") == 0)
            s->print = true;
        else if (strcmp(argv[i], "--keep") == 0)
            s->keep = true;
        else if (strcmp(argv[i], "--nests") == 0)
            s->nests = true;
        else if (!takes || !more[0] || *end)
            return false;
        else if (argv[i][2] == 's')
            s->seed = number;
        else if (argv[i][2] == 'c')
            s->count = number;
        else
            s->jobs = (unsigned)number;
        i += takes;
    }
    return true;
}

int main(int argc, char **argv)
{
    settings s = {.seed = 1, .count = 60, .jobs = 2};
    if (!parse(argc, argv, &s)) {
        fprintf(
            stderr,
            "usage: random_tests [--seed S] [--count N] [--jobs J] [--nests] [--print] [--keep]\n");
        return 2;
    }
    if (s.print) {
        print_all(&s);
        return 0;
    }
    totals *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED)
        return 2;
    for (unsigned k = 0; k < s.jobs; k++)
        if (fork() == 0) {
            work(&s, t);
            _exit(0);
        }
    while (wait(NULL) > 0)
        continue;
    unsigned long long done = t->passed + t->failed;
    if (done < s.count)
        t->failed += s.count - done; /* a worker died */
    printf("random programs: %llu elements compared, %llu without a reference\n", t->compared,
           t->skipped);
    printf("%llu passed, %llu failed\n", t->passed, t->failed);
    return t->failed != 0;
}
