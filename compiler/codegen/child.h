/* Runs LLVM in a child process; child.c says why. */
#ifndef RLXC_CODEGEN_CHILD_H
#define RLXC_CODEGEN_CHILD_H

#include "compiler/base/context.h"

/* The results of a child: items of bytes, written to |file| one after the other. */
typedef struct rlxc_child {
    int file;
    uint32_t n_items;
} rlxc_child;
typedef RLXC_VEC(rlx_str) rlxc_items;

/* Appends an item; false when there is no memory for it. */
bool rlxc_child_put(rlxc_child *child, const void *data, size_t size);

/* Runs work(user, child) in a child process, which has a copy of this process's memory. Only the
 * items, the diagnostics and an out-of-memory state come back. |out|: the items, each with a NUL
 * after its end, in the arena. False with a diagnostic if |work| returns false or the child ends in
 * any other way. Threads: may be called on any thread; the child has only the calling one. */
bool rlxc_in_child(rlxc_context *ctx, bool (*work)(void *user, rlxc_child *child), void *user,
                   rlxc_items *out);

/* Names the calling thread's stage ("optimizing", the kernels from |first| to |last|) for the
 * message if the child ends in it. The texts must stay valid. */
void rlxc_child_does(const char *what, const char *first, const char *last);

/* Calls |fn|, which must not return, when a C++ allocation fails, or any allocation if mimalloc is
 * linked; NULL restores the default. */
void rlxc_on_no_memory(void (*fn)(void));

#endif
