/* LLVM in a process of its own; child.c says why. */
#ifndef RLXC_CODEGEN_CHILD_H
#define RLXC_CODEGEN_CHILD_H

#include "compiler/base/context.h"

/* What a child hands over: items of bytes, written to |file| one after the other. */
typedef struct rlxc_child {
    int file;
    uint32_t n_items;
} rlxc_child;
typedef RLXC_VEC(rlx_str) rlxc_items;

/* Appends an item; false when there is no memory for it. */
bool rlxc_child_put(rlxc_child *child, const void *data, size_t size);

/* Runs work(user, child) in a child process, which has all of this process's memory as it is now;
 * what it writes there is lost but for the items, the diagnostics and that memory ran out, which
 * come back. |out|: the items, each with a NUL after its end, in the arena. False with a diagnostic
 * if |work| returns false, or however else the child ends.
 * Threads: may be called on any, of any number; the child has the calling one alone. */
bool rlxc_in_child(rlxc_context *ctx, bool (*work)(void *user, rlxc_child *child), void *user,
                   rlxc_items *out);

/* What the calling thread does from here on, for the message when it is its last: "optimizing", of
 * the kernels from |first| to |last|. The texts stay. */
void rlxc_child_does(const char *what, const char *first, const char *last);

/* |fn|, which must not return, is called when C++'s allocation fails, or any of mimalloc where it
 * is linked; NULL: as before. */
void rlxc_on_no_memory(void (*fn)(void));

#endif
