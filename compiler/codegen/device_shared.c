/* Shared memory of a block that exceeds CUDA's limit for variables: all of it is then sized at the
 * launch, and each temporary has an offset in it. */
#include <string.h>

#include "compiler/codegen/device_launch.h"
#include "compiler/target/target.h"

enum { ALIGN = 128, OF_VARIABLES = 48 << 10 };

typedef struct search {
    const rlxc_expr *var; /* NULL: all */
    uint64_t bytes;       /* of those before it */
    bool found, unknown;
} search;

/* Bytes of the allocation, rounded up to a multiple of ALIGN; false if the size is not constant, or
   too large. */
static bool bytes_of(const rlxc_stmt *s, uint64_t *out)
{
    const rlx_dtype t = s->allocate.dtype;
    uint64_t bytes = (uint64_t)(t.bits <= 8 ? 1 : t.bits / 8) * t.lanes;
    for (uint32_t i = 0; i < s->allocate.n; i++) {
        int64_t extent;
        if (!rlxc_is_int(s->allocate.extents[i], &extent) || extent < 0 ||
            __builtin_mul_overflow(bytes, (uint64_t)extent, &bytes) || bytes > UINT32_MAX)
            return false;
    }
    *out = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return true;
}

static bool look(void *user, const rlxc_stmt *s)
{
    search *u = user;
    uint64_t bytes;
    if (s->kind != RLXC_STMT_ALLOCATE || !rlxc_is_shared(s->allocate.scope) || u->found)
        return true;
    u->found = s->allocate.var == u->var;
    if (u->found)
        return true;
    if (!bytes_of(s, &bytes) || __builtin_add_overflow(u->bytes, bytes, &u->bytes))
        u->unknown = true;
    return true;
}

uint64_t rlxc_shared_bytes(const rlxc_stmt *body)
{
    search u = {0};
    rlxc_stmt_visit(body, look, &u);
    return u.unknown ? UINT64_MAX : u.bytes;
}

bool rlxc_size_shared(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_target *target,
                      rlxc_launch *launch)
{
    if (strcmp(target->kind, "cuda") != 0)
        return true; /* others have variables of any size */
    const uint64_t bytes = rlxc_shared_bytes(launch->body);
    if (bytes == UINT64_MAX)
        return true; /* it is unknown: the generator reports it */
    if (bytes > target->device.shared_bytes) {
        rlxc_error(ctx, f->range, "%s: temporaries of a block take %llu bytes; the limit is %u",
                   f->name, (unsigned long long)bytes, target->device.shared_bytes);
        return false;
    }
    launch->shared_bytes = bytes > OF_VARIABLES ? (uint32_t)bytes : 0;
    return true;
}

uint32_t rlxc_shared_at(const rlxc_launch *launch, const rlxc_expr *var)
{
    search u = {.var = var};
    rlxc_stmt_visit(launch->body, look, &u);
    return (uint32_t)u.bytes;
}
