/* rlx/memory.h for the tests: a system whose files lie below |root|. */
#ifndef RLXV_MEMORY_H
#define RLXV_MEMORY_H

#include <rlx/memory.h>

rlx_memory rlxv_memory_below(const char *root);

#endif
