/* PTX -> C -> machine code, so that the fake driver runs what a GPU would get. */
#ifndef RLX_FAKE_PTX_H
#define RLX_FAKE_PTX_H

#include <stddef.h>

#include "tests/fake/gpu/thread.h"

/* Translates the text of a module, compiles it with cc and opens it: a handle of dlopen, and its
 * kernels up to one without a name. NULL with a message in |log|. */
void *gpu_load(const char *text, const gpu_row **out, char *log, size_t size);

/* Runs the blocks of a grid one after the other; 0, or 1 where a thread trapped, or 2 where threads
 * wait for ones that have ended. |shared_bytes|: of memory sized at the launch. */
int gpu_run(const gpu_row *row, const unsigned char *params, const uint32_t *grid,
            const uint32_t *block, uint32_t shared_bytes);

#endif
