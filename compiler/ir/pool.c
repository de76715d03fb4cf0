/* Memory pools: their text, and which of them are candidates (pool.h). */
#include "compiler/ir/pool.h"

#include <string.h>

#include "compiler/ir/device.h"
#include "rlx/plan.h"

#define MOST_BYTES (UINT64_C(1) << 46)

static const char *const targets[] = {"cpu", "opencl", "cuda"};
enum { N_TARGETS = sizeof targets / sizeof *targets };

static const char *const kinds[] = {"workspace", "constants"};

typedef struct pool_reader {
    rlxc_context *ctx;
    rlxc_range range;
    const char *text; /* all of it, for messages */
    rlxc_pool *pool;
} pool_reader;

static bool wrong(const pool_reader *r, const char *what)
{
    rlxc_error(r->ctx, r->range, "memory pool '%s': %s", r->text, what);
    return false;
}

/* --- values ---------------------------------------------------------------------------------- */

static bool read_name(const pool_reader *r, const char *value, size_t length)
{
    /* The executable stores a pool as its name and a number, so the name must not be a number. */
    if (!rlxc_is_device_word(value, length) || (value[0] >= '0' && value[0] <= '9'))
        return wrong(
            r,
            "a name has 1 to 63 letters, digits, '_', '.' and '-' and does not begin with a digit");
    r->pool->name = rlxc_intern(r->ctx, value, length);
    return true;
}

static bool read_scope(const pool_reader *r, const char *value, size_t length)
{
    if (!rlxc_is_device_word(value, length))
        return wrong(r, "a scope has 1 to 63 letters, digits, '_', '.' and '-'");
    r->pool->scope = rlxc_intern(r->ctx, value, length);
    return true;
}

/* Digits, then K, M, G or nothing; 0 if it is not a number from 1 to |most|. */
static uint64_t read_bytes(const char *value, size_t length, uint64_t most)
{
    uint64_t n = 0;
    size_t i = 0;
    for (; i < length && value[i] >= '0' && value[i] <= '9'; i++) {
        n = n * 10 + (uint64_t)(value[i] - '0');
        if (n > most)
            return 0;
    }
    if (i > 0 && i + 1 == length) {
        const uint32_t shift = value[i] == 'K'   ? 10
                               : value[i] == 'M' ? 20
                               : value[i] == 'G' ? 30
                                                 : 0;
        return shift > 0 && n <= most >> shift ? n << shift : 0;
    }
    return i == length ? n : 0;
}

static bool read_size(const pool_reader *r, const char *value, size_t length)
{
    r->pool->size = read_bytes(value, length, MOST_BYTES);
    return r->pool->size > 0 || wrong(r, "size must be a number of bytes from 1 to 2^46, with K, M "
                                         "or G for 2^10, 2^20, 2^30");
}

static bool read_align(const pool_reader *r, const char *value, size_t length)
{
    const uint64_t align = read_bytes(value, length, RLX_PLAN_ALIGN);
    if (align == 0 || (align & (align - 1)) != 0)
        return wrong(r,
                     "align must be a power of two up to 64; every buffer is aligned to 64 anyway");
    r->pool->align = (uint32_t)align;
    return true;
}

static uint32_t target_of(const char *text, size_t length)
{
    for (uint32_t i = 1; i < N_TARGETS; i++)
        if (strlen(targets[i]) == length && memcmp(targets[i], text, length) == 0)
            return i;
    return rlxc_is_cpu_kind(text, length) ? 0 : N_TARGETS;
}

static bool read_targets(const pool_reader *r, const char *value, size_t length)
{
    r->pool->targets = 0;
    for (size_t from = 0; from <= length;) {
        size_t to = from;
        while (to < length && value[to] != '+')
            to++;
        const uint32_t target = target_of(value + from, to - from);
        if (target == N_TARGETS)
            return wrong(r, "targets are cpu, opencl and cuda, with '+' between them");
        r->pool->targets |= 1u << target;
        from = to + 1;
    }
    return true;
}

static bool read_kind(const pool_reader *r, const char *value, size_t length)
{
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i]) == length && memcmp(kinds[i], value, length) == 0) {
            r->pool->kind = (rlxc_pool_kind)i;
            return true;
        }
    return wrong(r, "the kind of a pool is workspace or constants");
}

static const struct {
    const char *key;
    bool (*read)(const pool_reader *r, const char *value, size_t length);
} keys[] = {{"name", read_name},   {"size", read_size},       {"align", read_align},
            {"scope", read_scope}, {"targets", read_targets}, {"kind", read_kind}};
enum { N_KEYS = sizeof keys / sizeof *keys };

bool rlxc_pool_parse(rlxc_context *ctx, rlxc_range range, const char *text, rlxc_pool *out)
{
    const pool_reader r = {ctx, range, text, out};
    uint32_t seen = 0;
    *out = (rlxc_pool){.size = RLXC_POOL_OPEN, .align = 1, .targets = 1};
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ","), name = strcspn(at, "=,");
        uint32_t k = 0;
        while (k < N_KEYS && (strlen(keys[k].key) != name || memcmp(keys[k].key, at, name) != 0))
            k++;
        if (k == N_KEYS || name == length)
            return wrong(&r, "expected name=NAME, size=BYTES, align=N, targets=KIND+KIND, "
                             "scope=SCOPE and kind=workspace or constants, with commas "
                             "between them");
        if (seen & 1u << k)
            return wrong(&r, "a key is given twice");
        seen |= 1u << k;
        if (!keys[k].read(&r, at + name + 1, length - name - 1))
            return false;
        at += length;
        if (*at == 0)
            break;
    }
    if (!out->name)
        return wrong(&r, "it has no name");
    if (!out->scope)
        out->scope = rlxc_internf(ctx, "global.%s", out->name);
    return rlxc_is_device_word(out->scope, strlen(out->scope)) ||
           wrong(&r, "its name is too long for a scope");
}

const char *rlxc_pool_text(rlxc_context *ctx, const rlxc_pool *pool)
{
    rlxc_text text = {.ctx = ctx};
    rlxc_text_printf(&text, "name=%s", pool->name);
    if (pool->size != RLXC_POOL_OPEN)
        rlxc_text_printf(&text, ",size=%llu", (unsigned long long)pool->size);
    rlxc_text_printf(&text, ",align=%u,targets=", pool->align);
    for (uint32_t i = 0, n = 0; i < N_TARGETS; i++)
        if (pool->targets & 1u << i)
            rlxc_text_printf(&text, "%s%s", n++ ? "+" : "", targets[i]);
    rlxc_text_printf(&text, ",scope=%s,kind=%s", pool->scope, kinds[pool->kind]);
    return text.data ? text.data : "";
}

/* --- lists ----------------------------------------------------------------------------------- */

bool rlxc_pools_add(rlxc_context *ctx, rlxc_pools *pools, const rlxc_pool *pool)
{
    uint32_t at = pools->n;
    for (uint32_t i = 0; i < pools->n; i++) {
        const rlxc_pool *p = &pools->items[i];
        if (strcmp(p->name, pool->name) == 0) {
            at = i;
        } else if (p->targets & pool->targets && strcmp(p->scope, pool->scope) == 0 &&
                   p->kind == pool->kind) {
            rlxc_error(ctx, (rlxc_range){0},
                       "the memory pools '%s' and '%s' have the same scope '%s': give each its own",
                       p->name, pool->name, p->scope);
            return false;
        }
    }
    if (at == RLXC_MAX_POOLS) {
        rlxc_error(ctx, (rlxc_range){0}, "more than %d memory pools", RLXC_MAX_POOLS);
        return false;
    }
    pools->items[at] = *pool;
    pools->n += at == pools->n;
    return true;
}

bool rlxc_pools_of(rlxc_context *ctx, const rlxc_module *module, rlxc_pools *out)
{
    const rlxc_attr *a = rlxc_attrs_find(&module->attrs, rlxc_intern_cstr(ctx, RLXC_POOLS));
    out->n = 0;
    if (a && a->kind != RLXC_ATTR_LIST) {
        rlxc_error(ctx, (rlxc_range){0}, "%s: expected a list of texts", RLXC_POOLS);
        return false;
    }
    for (uint32_t i = 0; a && i < a->list.count; i++) {
        rlxc_pool pool;
        if (a->list.items[i].kind != RLXC_ATTR_STRING) {
            rlxc_error(ctx, (rlxc_range){0}, "%s: expected a list of texts", RLXC_POOLS);
            return false;
        }
        if (!rlxc_pool_parse(ctx, (rlxc_range){0}, a->list.items[i].s, &pool) ||
            !rlxc_pools_add(ctx, out, &pool))
            return false;
    }
    return !rlxc_failed(ctx);
}

bool rlxc_pool_takes(const rlxc_pool *pool, const char *kind, size_t length, const char *scope)
{
    const uint32_t target = target_of(kind, length);
    return target < N_TARGETS && pool->targets & 1u << target &&
           (rlxc_is_plain_scope(scope) || strcmp(pool->scope, scope) == 0);
}
