/* Names for the printer: hints made valid identifiers and unique among the names in scope.
 *
 * `x`, then `x_1`, `x_2`... A counter per hint keeps long functions linear. Python's keywords and
 * the names that TVMScript itself uses are never used. */
#include <string.h>

#include "compiler/ir/names.h"
#include "compiler/script/print.h"

void rlxc_printer_init(rlxc_printer *p, rlxc_context *ctx)
{
    memset(p, 0, sizeof *p);
    p->ctx = ctx;
    p->out.ctx = ctx;
    p->cls_name = RLXC_DEFAULT_CLASS;
}

static void take(rlxc_printer *p, const char *interned)
{
    rlxc_map_set(p->ctx, &p->taken, rlxc_key(interned), p);
}

void rlxc_print_reset_names(rlxc_printer *p)
{
    p->taken = (rlxc_map){0};
    p->names = (rlxc_map){0}; /* symbols of different functions are distinct */
    p->counters = (rlxc_map){0};
    p->in_scope.count = 0;
    for (const char *const *name = rlxc_reserved_names; *name; name++)
        take(p, rlxc_intern_cstr(p->ctx, *name));
    take(p, rlxc_intern_cstr(p->ctx, p->cls_name));
}

uint32_t rlxc_print_scope_begin(const rlxc_printer *p)
{
    return p->in_scope.count;
}

void rlxc_print_scope_end(rlxc_printer *p, uint32_t mark)
{
    while (p->in_scope.count > mark)
        rlxc_map_set(p->ctx, &p->taken, rlxc_key(p->in_scope.items[--p->in_scope.count]), NULL);
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The hint as an interned identifier. */
static const char *identifier(rlxc_context *ctx, const char *hint)
{
    size_t length = hint != NULL ? strlen(hint) : 0;
    if (length == 0)
        return rlxc_intern_cstr(ctx, "v");
    if (length > 200)
        length = 200;
    char text[208];
    size_t n = 0;
    if (hint[0] >= '0' && hint[0] <= '9')
        text[n++] = 'v';
    for (size_t i = 0; i < length; i++)
        text[n++] = is_word(hint[i]) ? hint[i] : '_';
    return rlxc_intern(ctx, text, n);
}

const char *rlxc_print_name(rlxc_printer *p, const void *entity, const char *hint)
{
    if (p->hints_only)
        return hint != NULL && hint[0] != '\0' ? hint : "v";
    const char *name = rlxc_map_get(&p->names, rlxc_key(entity));
    if (name != NULL)
        return name;

    const char *base = identifier(p->ctx, hint);
    name = base;
    if (rlxc_map_get(&p->taken, rlxc_key(name)) != NULL) {
        uintptr_t number = (uintptr_t)rlxc_map_get(&p->counters, rlxc_key(base));
        do
            name = rlxc_internf(p->ctx, "%s_%llu", base, (unsigned long long)++number);
        while (rlxc_map_get(&p->taken, rlxc_key(name)) != NULL && !rlxc_out_of_memory(p->ctx));
        rlxc_map_set(p->ctx, &p->counters, rlxc_key(base), (void *)number);
    }
    take(p, name);
    RLXC_PUSH(p->ctx, &p->in_scope, name);
    rlxc_map_set(p->ctx, &p->names, rlxc_key(entity), (void *)(uintptr_t)name);
    return name;
}
