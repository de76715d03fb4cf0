/* Checks in kernels of devices: assertions, and T.check_index. A check that fails ends its thread,
 * or lets it only wait for others (device_wait.c), so that no later access uses a wrong index. It
 * stores its number and two values in memory that the host reads at the end of the call. The
 * messages are part of the launch. */
#include <string.h>

#include "compiler/codegen/device_launch.h"

bool rlxc_is_index_check(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_CALL && strcmp(e->call.name, "check_index") == 0 &&
           e->call.n == 4 && e->call.args[0]->kind == RLXC_EXPR_STRING &&
           e->call.args[2]->kind == RLXC_EXPR_STRING;
}

static bool find_barrier(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || (s->kind == RLXC_STMT_EVALUATE && rlxc_is_barrier(s->evaluate));
    return !*found;
}

bool rlxc_has_barrier(const rlxc_stmt *s)
{
    bool found = false;
    rlxc_stmt_visit(s, find_barrier, &found);
    return found;
}

typedef struct finding {
    rlxc_context *ctx;
    const rlxc_prim_func *f;
    RLXC_VEC(const rlxc_stmt *) found;
    rlxc_text text;
} finding;

/* A line of its own. */
static void add_text(finding *x, const char *text)
{
    for (; *text; text++)
        rlxc_text_add(&x->text, *text == '\n' ? " " : text, 1);
}

static bool find_check(void *user, const rlxc_stmt *s)
{
    finding *x = user;
    const bool index = s->kind == RLXC_STMT_EVALUATE;
    if (!rlxc_stmt_is_check(s) || (index && !rlxc_is_index_check(s->evaluate)))
        return true;
    if (x->found.count)
        rlxc_text_puts(&x->text, "\n");
    RLXC_PUSH(x->ctx, &x->found, s);
    if (index) {
        add_text(x, s->evaluate->call.args[0]->s);
        rlxc_text_puts(&x->text, "{a}");
        add_text(x, s->evaluate->call.args[2]->s);
        rlxc_text_puts(&x->text, "{b}");
        return true;
    }
    const rlxc_range range = s->range.line ? s->range : x->f->range;
    add_text(x,
             s->assert_.message && *s->assert_.message ? s->assert_.message : "assertion failed");
    if (range.line)
        rlxc_text_printf(&x->text, " (%s:%u:%u)", rlxc_file_base(x->ctx, range.file), range.line,
                         range.col);
    return true;
}

bool rlxc_device_checks(rlxc_context *ctx, const rlxc_prim_func *f, rlxc_launch *launch)
{
    finding x = {.ctx = ctx, .f = f, .text = {.ctx = ctx}};
    rlxc_stmt_visit(launch->body, find_check, &x);
    if (x.found.count == 0)
        return !rlxc_failed(ctx);
    const rlxc_stmt *first = x.found.items[0];
    if (x.found.count > RLX_MAX_CHECKS / 4) {
        rlxc_error(ctx, first->range.line ? first->range : f->range,
                   "%s: it has more than 1024 checks", f->name);
        return false;
    }
    rlxc_launch_arg *args = rlxc_try_alloc(ctx, (size_t)launch->n_args + 1, sizeof *args);
    if (!args)
        return false;
    for (uint32_t i = 0; i < launch->n_args; i++)
        args[i] = launch->args[i];
    args[launch->n_args] = (rlxc_launch_arg){.is_checks = true};
    launch->args = args;
    launch->n_args++;
    launch->checks = x.found.items;
    launch->n_checks = x.found.count;
    if (rlxc_has_barrier(launch->body))
        rlxc_device_go_on(ctx, launch);
    launch->checks_text = rlxc_intern(ctx, x.text.data, x.text.length);
    return !rlxc_failed(ctx);
}

/* The check of a vector becomes one for each lane, with the texts of the vector's. */
static bool same_check(const rlxc_stmt *a, const rlxc_stmt *b)
{
    if (a->kind == RLXC_STMT_ASSERT && b->kind == RLXC_STMT_ASSERT)
        return a->assert_.message == b->assert_.message &&
               memcmp(&a->range, &b->range, sizeof a->range) == 0;
    return a->kind == RLXC_STMT_EVALUATE && b->kind == RLXC_STMT_EVALUATE &&
           strcmp(a->evaluate->call.args[0]->s, b->evaluate->call.args[0]->s) == 0 &&
           strcmp(a->evaluate->call.args[2]->s, b->evaluate->call.args[2]->s) == 0;
}

uint32_t rlxc_check_number(const rlxc_launch *launch, const rlxc_stmt *s)
{
    for (uint32_t i = 0; i < launch->n_checks; i++)
        if (launch->checks[i] == s || same_check(launch->checks[i], s))
            return i;
    return 0;
}
