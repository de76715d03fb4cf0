/* Reads the texts that tests of the compiler keep in files. */
#ifndef RLX_TESTS_FILES_H
#define RLX_TESTS_FILES_H

#include <stddef.h>

/* The whole file, with a zero behind it; the caller frees it. Fails the test where it cannot be
 * read. |out_length| may be NULL. */
char *file_read(const char *path, size_t *out_length);

#endif
