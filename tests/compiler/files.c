#include "tests/compiler/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rlx_test.h"

#define CASE "# ==== "
#define EXPECTED "# ---- expected\n"

/* Byte positions in a file: of a case's text, of what it must print, and of its end. */
typedef struct section {
    size_t text, text_end, expected, end;
} section;

/* The first position at or after |at| where a line begins with |prefix|; |size| if there is none.
 */
static size_t find_line(const char *file, size_t size, size_t at, const char *prefix)
{
    while (at < size && strncmp(file + at, prefix, strlen(prefix)) != 0)
        at += strcspn(file + at, "\n") + 1;
    return at < size ? at : size;
}

static section section_at(const char *file, size_t size, size_t header)
{
    section s = {.text = header + strcspn(file + header, "\n") + 1};
    const size_t next = find_line(file, size, s.text, CASE);
    s.end = next < size && file[next - 1] == '\n' && next > s.text ? next - 1 : next;
    s.text_end = find_line(file, s.end, s.text, EXPECTED);
    s.expected = s.text_end < s.end ? s.text_end + strlen(EXPECTED) : s.end;
    return s;
}

static char *read_whole(const char *path, size_t *out_size)
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
    *out_size = (size_t)size;
    return text;
}

/* The file of "PATH#NAME", and where the case stands in it; |out_file_path| gets PATH. */
static char *read_case(const char *path, char out_file_path[static 512], size_t *out_size,
                       section *out)
{
    char header[256];
    const char *name = strchr(path, '#');
    const int length = name ? (int)(name - path) : (int)strlen(path);
    cr_assert(snprintf(out_file_path, 512, "%.*s", length, path) < 512, "%s", path);
    char *file = read_whole(out_file_path, out_size);
    *out = (section){0, *out_size, *out_size, *out_size};
    if (name) {
        cr_assert(snprintf(header, sizeof header, CASE "%s\n", name + 1) < (int)sizeof header);
        const size_t at = find_line(file, *out_size, 0, header);
        cr_assert(at < *out_size, "no case %s", path);
        *out = section_at(file, *out_size, at);
    }
    return file;
}

char *file_read(const char *path, size_t *out_length)
{
    char file_path[512];
    size_t size;
    section s;
    char *text = read_case(path, file_path, &size, &s);
    const size_t length = s.text_end - s.text;
    memmove(text, text + s.text, length);
    text[length] = '\0';
    if (out_length)
        *out_length = length;
    return text;
}

unsigned file_each_case(const char *path, void (*each)(void *user, const char *path), void *user)
{
    size_t size;
    unsigned n = 0;
    char *file = read_whole(path, &size), name[512];
    for (size_t at = find_line(file, size, 0, CASE); at < size; n++) {
        const char *word = file + at + strlen(CASE);
        snprintf(name, sizeof name, "%s#%.*s", path, (int)strcspn(word, "\n"), word);
        each(user, name);
        at = find_line(file, size, section_at(file, size, at).text, CASE);
    }
    free(file);
    if (n == 0)
        each(user, path);
    return n ? n : 1;
}

void file_expect(const char *path, const char *printed)
{
    char file_path[512];
    size_t size;
    section s;
    char *file = read_case(path, file_path, &size, &s);
    if (getenv("RLX_BLESS")) {
        FILE *out = fopen(file_path, "wb");
        cr_assert(out != NULL, "%s", file_path);
        const bool written = fwrite(file, 1, s.text_end, out) == s.text_end &&
                             fprintf(out, EXPECTED "%s", printed) >= 0 &&
                             fwrite(file + s.end, 1, size - s.end, out) == size - s.end;
        cr_assert(fclose(out) == 0 && written, "%s", file_path);
    } else {
        const size_t length = s.end - s.expected;
        cr_expect(strlen(printed) == length && memcmp(file + s.expected, printed, length) == 0,
                  "%s: printed:\n%s", path, printed);
    }
    free(file);
}
