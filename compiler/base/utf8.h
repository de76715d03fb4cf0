/* Validation of UTF-8. */
#ifndef RLXC_BASE_UTF8_H
#define RLXC_BASE_UTF8_H

#include <stddef.h>

/* The length of the UTF-8 sequence at |p|, where |available| (not 0) bytes can be read; 0 if it is
   not valid. */
size_t rlxc_utf8_length(const unsigned char *p, size_t available);

#endif
