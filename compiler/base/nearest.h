/* How far names are from each other, for suggestions. */
#ifndef RLXC_BASE_NEAREST_H
#define RLXC_BASE_NEAREST_H

#include <stddef.h>

/* Insertions, deletions and replacements that make |a|, of |n| bytes, of |b|, of |m|; SIZE_MAX
 * where one is longer than any name that is looked for. Owns: n/a.   Lifetime: n/a.   Errors: n/a.
 * Threads: thread-safe. */
size_t rlxc_edit_distance(const char *a, size_t n, const char *b, size_t m);

#endif
