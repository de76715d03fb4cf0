/* Validation of UTF-8. */
#ifndef RLXC_BASE_UTF8_H
#define RLXC_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the UTF-8 sequence at |p|, of |available| (not 0) bytes; 0 where it is not one. */
size_t rlxc_utf8_length(const unsigned char *p, size_t available);

#endif
