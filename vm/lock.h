/* Locks between threads: the C library's, or nothing where there are no threads (RLX_BARE). */
#ifndef RLXV_LOCK_H
#define RLXV_LOCK_H

#if RLX_BARE

typedef struct rlxv_lock {
    char unused;
} rlxv_lock;
#define RLXV_LOCK_NEW \
    {                 \
        0             \
    }

static inline void rlxv_lock_init(rlxv_lock *l)
{
    l->unused = 0;
}
static inline void rlxv_lock_destroy(rlxv_lock *l)
{
    (void)l;
}
static inline void rlxv_lock_take(rlxv_lock *l)
{
    (void)l;
}
static inline void rlxv_lock_leave(rlxv_lock *l)
{
    (void)l;
}

#else

#include <pthread.h>

typedef pthread_mutex_t rlxv_lock;
#define RLXV_LOCK_NEW PTHREAD_MUTEX_INITIALIZER

static inline void rlxv_lock_init(rlxv_lock *l)
{
    pthread_mutex_init(l, NULL);
}
static inline void rlxv_lock_destroy(rlxv_lock *l)
{
    pthread_mutex_destroy(l);
}
static inline void rlxv_lock_take(rlxv_lock *l)
{
    pthread_mutex_lock(l);
}
static inline void rlxv_lock_leave(rlxv_lock *l)
{
    pthread_mutex_unlock(l);
}

#endif
#endif
