/* Reads the texts that tests of the compiler keep in files. A file may hold several cases:
 *
 *     # ==== NAME
 *     the text of the case
 *     # ---- expected
 *     what it must print
 *
 * "PATH#NAME" names one of them; a blank line before the next case belongs to neither. */
#ifndef RLX_TESTS_FILES_H
#define RLX_TESTS_FILES_H

#include <stddef.h>

/* The text of the whole file, or of the case that |path| names, NUL-terminated; the caller frees
 * it. Fails the test if it cannot be read. |out_length| may be NULL. */
char *file_read(const char *path, size_t *out_length);

/* Calls |each| with "PATH#NAME" for every case in the file, in order, or with |path| where the file
 * is a single text. Returns the number of calls. */
unsigned file_each_case(const char *path, void (*each)(void *user, const char *path), void *user);

/* Compares |printed| with what the case must print. RLX_BLESS=1 writes it to the file instead. */
void file_expect(const char *path, const char *printed);

#endif
