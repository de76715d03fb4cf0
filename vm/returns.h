/* Returns the storage of large results to the pool they came from.

   A result leaves its pool (rlxv_export) and may be freed on any thread. The list takes its storage
   there without a lock; the VM's thread moves all of it to the pool. The list outlives the pool
   while results exist: each of them holds a reference. After rlxv_returns_close it takes nothing,
   and the storage is freed. */
#ifndef RLXV_RETURNS_H
#define RLXV_RETURNS_H

#include "vm/object.h"

/* Smaller blocks are cheaper to allocate than to return. */
#define RLXV_RETURN_LEAST ((size_t)1 << 20)

struct rlxv_returns {
    rlx_allocator allocator;
    atomic_uint refs;
    atomic_uint_fast64_t bytes;    /* of storage in the list */
    atomic_uint_fast64_t limit;    /* of bytes: the pool's own limit less the storage it keeps */
    _Atomic(rlx_storage *) newest; /* linked by header.next; or the closed mark */
};

/* NULL: no memory. */
rlxv_returns *rlxv_returns_create(const rlx_allocator *a);
rlxv_returns *rlxv_returns_retain(rlxv_returns *r);
void rlxv_returns_release(rlxv_returns *r);
/* Any thread. False if the list is closed or would exceed its limit: the storage is the caller's.
 */
bool rlxv_returns_put(rlxv_returns *r, rlx_storage *s);
static inline bool rlxv_returns_any(rlxv_returns *r)
{
    return atomic_load_explicit(&r->newest, memory_order_relaxed) != NULL;
}
/* Takes all storage: the newest, linked to the others by header.next. On the VM's thread. */
rlx_storage *rlxv_returns_take(rlxv_returns *r);
rlx_storage *rlxv_returns_close(rlxv_returns *r); /* the same, for the last time */

#endif
