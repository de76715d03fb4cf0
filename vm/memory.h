/* rlx/memory.h for tests: a system whose files are below |root|. */
#ifndef RLXV_MEMORY_H
#define RLXV_MEMORY_H

#include <rlx/memory.h>

rlx_memory rlxv_memory_below(const char *root);

#endif
