#include "tests/compiler/files.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/rlx_test.h"

char *file_read(const char *path, size_t *out_length)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s cannot be read", path);
    cr_assert(fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    cr_assert(size >= 0, "%s", path);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    cr_assert(text && fread(text, 1, (size_t)size, file) == (size_t)size, "%s", path);
    text[size] = '\0';
    fclose(file);
    if (out_length)
        *out_length = (size_t)size;
    return text;
}
