/* system.h by the C library: for the sanitizers, which need one. */
#include "tests/bare/system.h"

#include <stdio.h>
#include <sys/mman.h>

size_t bare_read(const char *path, void *to, size_t room)
{
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(to, 1, room, file) : 0;
    const bool fits = file && fgetc(file) == EOF;
    if (file)
        fclose(file);
    return fits ? n : 0;
}

void bare_write(const char *text, size_t n)
{
    fwrite(text, 1, n, stdout);
}

bool bare_set_access(void *at, size_t bytes, unsigned access)
{
    const int bits =
        (access & 1 ? PROT_EXEC : 0) | (access & 2 ? PROT_WRITE : 0) | (access & 4 ? PROT_READ : 0);
    return mprotect(at, bytes, bits) == 0;
}

int main(int argc, char **argv)
{
    return bare_main(argc, argv);
}
