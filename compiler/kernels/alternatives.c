/* Variations of the rules' step lists (alternatives.def). */
#include "compiler/kernels/rules.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *rule, *sizes;
} alternatives[] = {
#define RLXC_ALTERNATIVE(rule, sizes) {#rule, sizes},
#include "compiler/kernels/alternatives.def"
#undef RLXC_ALTERNATIVE
};

uint32_t rlxc_alternative_count(void)
{
    return sizeof alternatives / sizeof *alternatives;
}

/* Changes the sizes as |text| says; false if nothing changes or a size leaves its bounds. */
static bool change(const rlxc_rule *rule, const char *text, int64_t sizes[RLXC_MAX_SIZES])
{
    bool changed = false;
    while (*text) {
        const size_t length = strcspn(text, "=*/");
        uint32_t i = 0;
        while (i < rule->n_sizes && (strlen(rule->sizes[i].name) != length ||
                                     memcmp(rule->sizes[i].name, text, length) != 0))
            i++;
        char *end;
        const char how = text[length];
        const int64_t by = how ? strtoll(text + length + 1, &end, 10) : 0;
        if (i == rule->n_sizes || by < 0 || (how == '/' && by == 0))
            return false;
        const int64_t new = how == '=' ? by : how == '*' ? sizes[i] * by : sizes[i] / by;
        if (new < rule->sizes[i].least || new > rule->sizes[i].most)
            return false;
        changed = changed || new != sizes[i];
        sizes[i] = new;
        text = end + (*end == ' ');
    }
    return changed;
}

rlxc_schedule_steps *rlxc_alternative(rlxc_context *ctx, const rlxc_schedule_steps *list,
                                      uint32_t step, uint32_t number)
{
    const char *block;
    int64_t sizes[RLXC_MAX_SIZES];
    const rlxc_step *old = &list->items.items[step];
    const rlxc_rule *rule = rlxc_rule_of_step(list, old, &block);
    if (!rule || strcmp(alternatives[number].rule, rule->name) != 0 ||
        !rlxc_sizes_of_step(ctx, rule, old, sizes) ||
        !change(rule, alternatives[number].sizes, sizes))
        return NULL;
    rlxc_schedule_steps *made = rlxc_copy(ctx, list, sizeof *made);
    made->items.items =
        rlxc_copy(ctx, list->items.items, list->items.count * sizeof *list->items.items);
    made->items.capacity = list->items.count;
    const rlxc_attrs attrs = rlxc_sizes_to_attrs(ctx, rule, sizes);
    const rlxc_attr dict = {
        .kind = RLXC_ATTR_DICT,
        .list = {.items = attrs.values, .keys = attrs.keys, .count = attrs.count}};
    rlxc_step_arg(ctx, &made->items.items[step], "sizes", dict);
    return made;
}
