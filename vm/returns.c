/* The list of returned storage (vm/returns.h): pushed one by one, taken whole, so that a compare
   and swap on its head is enough. */
#include "vm/returns.h"

/* Ends the list for good. No storage lies at this address. */
static rlx_storage *closed_mark(rlxv_returns *r)
{
    return (rlx_storage *)(void *)r;
}

rlxv_returns *rlxv_returns_create(const rlx_allocator *a)
{
    rlxv_returns *r = rlx_alloc(a, sizeof *r, _Alignof(rlxv_returns));
    if (!r)
        return NULL;
    r->allocator = a ? *a : *rlx_default_allocator();
    atomic_init(&r->refs, 1);
    atomic_init(&r->bytes, 0);
    atomic_init(&r->limit, 0);
    atomic_init(&r->newest, NULL);
    return r;
}

rlxv_returns *rlxv_returns_retain(rlxv_returns *r)
{
    atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
    return r;
}

void rlxv_returns_release(rlxv_returns *r)
{
    if (atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1)
        return;
    rlx_allocator a = r->allocator;
    rlx_free(&a, r, sizeof *r, _Alignof(rlxv_returns));
}

bool rlxv_returns_put(rlxv_returns *r, rlx_storage *s)
{
    const uint64_t before = atomic_fetch_add_explicit(&r->bytes, s->block, memory_order_relaxed);
    const uint64_t limit = atomic_load_explicit(&r->limit, memory_order_relaxed);
    const bool fits = before < limit && s->block <= limit - before;
    rlx_storage *newest = atomic_load_explicit(&r->newest, memory_order_relaxed);
    while (fits && newest != closed_mark(r)) {
        s->header.next = (rlx_object *)newest;
        if (atomic_compare_exchange_weak_explicit(&r->newest, &newest, s, memory_order_release,
                                                  memory_order_relaxed))
            return true;
    }
    s->header.next = NULL;
    atomic_fetch_sub_explicit(&r->bytes, s->block, memory_order_relaxed);
    return false;
}

static rlx_storage *exchange(rlxv_returns *r, rlx_storage *fresh)
{
    rlx_storage *all = atomic_exchange_explicit(&r->newest, fresh, memory_order_acquire);
    uint64_t bytes = 0;
    for (rlx_storage *s = all; s; s = (rlx_storage *)s->header.next)
        bytes += s->block;
    atomic_fetch_sub_explicit(&r->bytes, bytes, memory_order_relaxed);
    return all;
}

rlx_storage *rlxv_returns_take(rlxv_returns *r)
{
    return exchange(r, NULL);
}

rlx_storage *rlxv_returns_close(rlxv_returns *r)
{
    return exchange(r, closed_mark(r));
}
