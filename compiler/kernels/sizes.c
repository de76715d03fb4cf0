/* The table of rules, and their sizes in steps. */
#include "compiler/kernels/rules.h"

#include <inttypes.h>
#include <string.h>

/* --- the table -------------------------------------------------------------------------------- */

#define ROW(name, least, most, doc) {#name, least, most, doc},
#define PRODUCT_ROW(name, least, most, doc) {"product_" #name, least, most, doc},
#define LIST(rule, rows) static const rlxc_size_row rule##_sizes[] = {rows(ROW)};
RLXC_SIZE_LISTS(LIST)
static const rlxc_size_row winograd_sizes[] = {RLXC_WINOGRAD_SIZES(ROW)
                                                   RLXC_TILE_SIZES(PRODUCT_ROW)},
                           inline_sizes[] = {{"", 0, 0, ""}};
#undef LIST
#undef PRODUCT_ROW
#undef ROW

_Static_assert(sizeof(rlxc_winograd_sizes) / sizeof(int64_t) <= RLXC_MAX_SIZES, "the longest list");

static const rlxc_rule rules[] = {
#define RLXC_RULE(name, targets, level, pattern, step, kernel, doc) \
    {#name,                                                         \
     targets,                                                       \
     pattern,                                                       \
     RLXC_STEP_##step,                                              \
     kernel,                                                        \
     name##_sizes,                                                  \
     (uint32_t)(sizeof name##_sizes / sizeof *name##_sizes),        \
     rlxc_decide_##name,                                            \
     rlxc_apply_##name},
#include "compiler/kernels/rules.def"
#undef RLXC_RULE
};

const rlxc_rule *rlxc_rules(uint32_t *out_count)
{
    *out_count = sizeof rules / sizeof *rules;
    return rules;
}

const rlxc_rule *rlxc_rule_named(const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}

bool rlxc_rule_is_for(const rlxc_rule *rule, const rlxc_target *target)
{
    const size_t length = strlen(target->kind);
    const char *at = rule->targets;
    while (*at) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, target->kind, length) == 0)
            return true;
        at += word + (at[word] != '\0');
    }
    return rule->targets[0] == '\0';
}

/* --- steps ------------------------------------------------------------------------------------ */

static const rlxc_expr *ref_of(const rlxc_step *step, const char *name)
{
    const rlxc_attr *value = rlxc_attrs_find(&step->args, name);
    return value && value->kind == RLXC_ATTR_EXPR ? value->expr : NULL;
}

static const char *string_of(const rlxc_step *step, const char *name)
{
    const rlxc_attr *value = rlxc_attrs_find(&step->args, name);
    return value && value->kind == RLXC_ATTR_STRING ? value->s : NULL;
}

/* The name of the block that |ref| refers to. */
static const char *block_of(const rlxc_schedule_steps *list, const rlxc_expr *ref)
{
    for (uint32_t i = 0; i < list->items.count && ref; i++) {
        const rlxc_step *step = &list->items.items[i];
        if (step->kind == RLXC_STEP_get_block && step->n_results == 1 && step->results[0] == ref)
            return string_of(step, "name");
    }
    return NULL;
}

const rlxc_rule *rlxc_rule_of_step(const rlxc_schedule_steps *list, const rlxc_step *step,
                                   const char **out_block)
{
    const bool tensorize = step->kind == RLXC_STEP_tensorize;
    const bool marks = step->kind == RLXC_STEP_annotate;
    const char *kernel = string_of(step, tensorize ? "tensor_intrin"
                                         : marks   ? "ann_val"
                                                   : "rewrite");
    const char *key = marks ? string_of(step, "ann_key") : RLXC_RULE_MARK;
    *out_block = block_of(list, ref_of(step, tensorize || marks ? "block_or_loop" : "block"));
    for (size_t i = 0; i < sizeof rules / sizeof *rules && *out_block; i++)
        if (rules[i].step == step->kind && strcmp(key ? key : "", RLXC_RULE_MARK) == 0 &&
            (rules[i].kernel[0] == '\0' || (kernel && strcmp(kernel, rules[i].kernel) == 0)))
            return &rules[i];
    return NULL;
}

bool rlxc_rules_take(const rlxc_schedule_steps *list)
{
    const char *block;
    bool kernels = false, loops = false; /* in the steps of a rule that makes a list */
    for (uint32_t i = 0; i < list->items.count; i++) {
        const rlxc_step *step = &list->items.items[i];
        if (step->kind == RLXC_STEP_get_block)
            continue;
        if (rlxc_rule_of_step(list, step, &block)) {
            loops = step->kind == RLXC_STEP_annotate;
            kernels |=
                loops || step->kind == RLXC_STEP_tensorize || step->kind == RLXC_STEP_rewrite;
        } else if (!loops) {
            return false;
        }
    }
    return kernels;
}

/* --- names of blocks ---------------------------------------------------------------------------
 */

typedef struct naming {
    rlxc_context *ctx;
    rlxc_map all, taken; /* names: of all blocks; of those that were renamed or keep theirs */
    bool again;          /* a name is duplicated */
} naming;

static void remember(rlxc_context *ctx, rlxc_map *names, const char *name)
{
    rlxc_map_set(ctx, names, rlxc_key(name), (void *)(uintptr_t)name);
}

static bool note_name(void *user, const rlxc_stmt *s)
{
    naming *n = user;
    if (s->kind == RLXC_STMT_BLOCK && s->block.block->name) {
        n->again = n->again || rlxc_map_get(&n->all, rlxc_key(s->block.block->name));
        remember(n->ctx, &n->all, s->block.block->name);
    }
    return true;
}

static const rlxc_stmt *rename_block(void *user, const rlxc_stmt *s)
{
    naming *n = user;
    if (s->kind != RLXC_STMT_BLOCK || !s->block.block->name)
        return NULL;
    const char *old = s->block.block->name, *name = old;
    if (rlxc_map_get(&n->taken, rlxc_key(old)))
        for (uint32_t k = 1; name == old || rlxc_map_get(&n->all, rlxc_key(name)); k++) {
            if (rlxc_failed(n->ctx))
                return NULL;
            name = rlxc_internf(n->ctx, "%s_%u", old, k);
        }
    remember(n->ctx, &n->taken, name);
    remember(n->ctx, &n->all, name);
    if (name == old)
        return NULL;
    rlxc_block *block = rlxc_copy(n->ctx, s->block.block, sizeof *block);
    block->name = name;
    rlxc_stmt *renamed = rlxc_copy(n->ctx, s, sizeof *renamed);
    renamed->block.block = block;
    return renamed;
}

void rlxc_name_blocks(rlxc_context *ctx, rlxc_prim_func *f)
{
    naming n = {.ctx = ctx};
    const rlxc_stmt_rewriter rewriter = {.user = &n, .stmt = rename_block};
    rlxc_stmt_visit(f->body, note_name, &n);
    if (!n.again)
        return;
    const rlxc_stmt *body = rlxc_stmt_rewrite(ctx, f->body, &rewriter);
    if (!rlxc_failed(ctx))
        f->body = body;
}

/* --- sizes ------------------------------------------------------------------------------------ */

rlxc_attrs rlxc_sizes_to_attrs(rlxc_context *ctx, const rlxc_rule *rule, const int64_t *sizes)
{
    rlxc_attrs attrs = {0};
    for (uint32_t i = 0; i < rule->n_sizes; i++)
        if (sizes[i] != 0)
            attrs = rlxc_attrs_with(ctx, attrs, rlxc_intern_cstr(ctx, rule->sizes[i].name),
                                    rlxc_attr_int(sizes[i]));
    return attrs;
}

static bool refuse(rlxc_context *ctx, const rlxc_step *step, const char *why)
{
    rlxc_error(ctx, step->range, "%s: %s", rlxc_print_step(ctx, step), why);
    return false;
}

bool rlxc_sizes_of_step(rlxc_context *ctx, const rlxc_rule *rule, const rlxc_step *step,
                        int64_t out[RLXC_MAX_SIZES])
{
    const rlxc_attr *given = rlxc_attrs_find(&step->args, "sizes");
    const uint32_t n = given && given->kind == RLXC_ATTR_DICT ? given->list.count : 0;
    bool known[RLXC_MAX_SIZES] = {false};
    for (uint32_t i = 0; i < rule->n_sizes; i++)
        out[i] = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = 0;
        while (i < rule->n_sizes && strcmp(rule->sizes[i].name, given->list.keys[k]) != 0)
            i++;
        if (i == rule->n_sizes)
            return refuse(
                ctx, step,
                rlxc_internf(ctx, "%s has no size '%s'", rule->name, given->list.keys[k]));
        if (!rlxc_attr_as_int(&given->list.items[k], &out[i]))
            return refuse(ctx, step,
                          rlxc_internf(ctx, "size '%s' is not a number", rule->sizes[i].name));
        known[i] = true;
    }
    for (uint32_t i = 0; i < rule->n_sizes; i++) {
        const rlxc_size_row *row = &rule->sizes[i];
        if (!known[i] && row->least > 0)
            return refuse(ctx, step, rlxc_internf(ctx, "size '%s' is missing", row->name));
        if (out[i] < row->least || out[i] > row->most)
            return refuse(ctx, step,
                          rlxc_internf(ctx,
                                       "size '%s' is %" PRId64 ", between %" PRId64 " and %" PRId64
                                       " is needed",
                                       row->name, out[i], row->least, row->most));
    }
    return true;
}
