/* Checks of pointers passed to public functions: NULL is an error, never a crash. */
#ifndef RLXV_NEED_H
#define RLXV_NEED_H

#include <rlx/base.h>

/* Returns INVALID_ARG unless |condition| holds. */
#define RLXV_NEED(err, condition)                                                                  \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            return rlx_fail((err), RLX_E_INVALID_ARG, "%s: a required pointer is NULL", __func__); \
    } while (0)

/* A text, which may be empty. */
#define RLXV_IS_STR(text) ((text).data || (text).len == 0)

#endif
