/* What the test of the bare runtime needs from the system that runs it (linux.c), without a C
   library. */
#ifndef BARE_SYSTEM_H
#define BARE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of a file, at most |room|; 0 if it cannot be read or is larger. */
size_t bare_read(const char *path, void *to, size_t room);
void bare_write(const char *text, size_t n);
/* |access|: RLX_BARE_* of rlx/bare.h, whose bits are those of ELF. */
bool bare_set_access(void *at, size_t bytes, unsigned access);

/* main.c; the result is the exit status. */
int bare_main(int argc, char **argv);

#endif
