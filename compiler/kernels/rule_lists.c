/* Applies the lists of loop steps that rules make: the engine applies a list to the rule's own
 * stages as if they were a separate function, so that the rest of the function, such as kernels of
 * other rules, does not matter. */
#include "compiler/kernels/device/gemm.h"
#include "compiler/kernels/device/updates.h"
#include "compiler/kernels/rules.h"
#include "compiler/schedule/engine.h"
#include "compiler/target/target.h"

/* True if only the |n| stages from |i| on use the buffer. */
static bool only_in(const rlxc_stages *s, const rlxc_buffer *b, uint32_t i, uint32_t n)
{
    for (uint32_t k = 0; k < s->n; k++) {
        const rlxc_stage *stage = &s->items[k];
        const rlxc_expr *const *indices;
        bool same;
        if ((k < i || k >= i + n) && !stage->removed &&
            ((stage->simple && stage->out == b) || rlxc_stage_loads(s, k, b, &indices, &same) > 0))
            return false;
    }
    return true;
}

/* The stages as the body of a function: a root block with their own temporaries. */
static const rlxc_stmt *body_of(rlxc_schedule *c, uint32_t i, uint32_t n)
{
    rlxc_stages *s = c->s;
    rlxc_context *ctx = s->ctx;
    rlxc_stage *own = rlxc_copy(ctx, &s->items[i], n * sizeof *own);
    const rlxc_stmt **stmts = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *stmts);
    RLXC_VEC(rlxc_buffer *) temps = {0};
    if (!stmts)
        return NULL;
    if (!rlxc_target_is_device(s->target)) { /* the host computes nothing in front of a launch */
        rlxc_name_positions(c, own, n);
        rlxc_table_indices(c, own, n);
    }
    for (uint32_t k = 0; k < n; k++)
        stmts[k] = own[k].changed || own[k].value != s->items[i + k].value
                       ? rlxc_restated(ctx, &own[k])
                       : own[k].stmt;
    for (uint32_t k = 0; k < s->temps.count; k++)
        if (only_in(s, s->temps.items[k], i, n))
            RLXC_PUSH(ctx, &temps, s->temps.items[k]);
    rlxc_block *root = rlxc_alloc(ctx, sizeof *root);
    *root = (rlxc_block){.name = rlxc_intern_cstr(ctx, "root"),
                         .allocs = temps.items,
                         .n_allocs = temps.count,
                         .body = rlxc_stmt_seq(ctx, stmts, n)};
    return rlxc_stmt_block(ctx, root, NULL, NULL);
}

bool rlxc_run_steps(rlxc_schedule *c, uint32_t i, uint32_t n, const rlxc_schedule_steps *steps,
                    bool given)
{
    rlxc_stages *s = c->s;
    rlxc_context *ctx = s->ctx;
    const char *why = NULL;
    rlxc_schedule own = {.s = s};
    rlxc_prim_func part = *s->f;
    part.body = body_of(&own, i, n);
    if (!part.body)
        return false;
    const rlxc_block *before = part.body->block.block;
    const rlxc_kernel_row rewrites[] = {rlxc_gemm_row, rlxc_scatter_row};
    const rlxc_engine_options engine = {
        .target = rlxc_target_text(ctx, s->target),
        .device = rlxc_target_is_device(s->target) ? &s->target->device : NULL,
        .kernels = rewrites,
        .n_kernels = sizeof rewrites / sizeof *rewrites,
        .user = (void *)(uintptr_t)s->options,
        .why = given ? NULL : &why};
    if (!rlxc_apply_steps(ctx, &part, steps, &engine))
        return !given && !rlxc_failed(ctx) ? rlxc_decline(s, "%s", why ? why : "no") : false;
    for (uint32_t k = 0; k < before->n_allocs; k++)
        rlxc_stage_drop_temp(s, before->allocs[k]);
    const rlxc_block *after = part.body->block.block;
    for (uint32_t k = 0; k < own.out.count; k++)
        RLXC_PUSH(ctx, &c->out, own.out.items[k]);
    RLXC_PUSH(ctx, &c->out, after->n_allocs ? part.body : after->body);
    for (uint32_t k = 1; k < n; k++)
        s->items[i + k].done = true;
    return true;
}

void rlxc_steps_of_rule(const rlxc_schedule_steps *list, const rlxc_step *step, uint32_t *out_first,
                        uint32_t *out_end)
{
    const char *block;
    const uint32_t mark = (uint32_t)(step - list->items.items);
    uint32_t first = mark, end = mark + 1;
    while (first > 0 && list->items.items[first - 1].kind == RLXC_STEP_get_block)
        first--;
    while (end < list->items.count && !rlxc_rule_of_step(list, &list->items.items[end], &block))
        end++;
    while (end < list->items.count && list->items.items[end - 1].kind == RLXC_STEP_get_block)
        end--;
    *out_first = first;
    *out_end = end;
}
