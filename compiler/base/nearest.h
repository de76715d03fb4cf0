/* Edit distance between names, for "did you mean" suggestions. */
#ifndef RLXC_BASE_NEAREST_H
#define RLXC_BASE_NEAREST_H

#include <stddef.h>

/* The number of insertions, deletions and replacements that turn |a| (|n| bytes) into |b| (|m|
 * bytes); SIZE_MAX if either is too long to be a name. Threads: safe. */
size_t rlxc_edit_distance(const char *a, size_t n, const char *b, size_t m);

#endif
