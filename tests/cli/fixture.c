/* The fixture for tests of the rlx program. Each test runs in its own process, so it may redirect
 * its standard streams. */
#include "tests/cli/fixture.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fixture_init(cli_fixture *f)
{
    memset(f, 0, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "/tmp/rlx-test-XXXXXX");
    cr_assert(mkdtemp(f->folder), "no folder for the test");
}

void fixture_deinit(cli_fixture *f)
{
    DIR *folder = opendir(f->folder);
    cr_assert(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] != '.')
            unlink(in_folder(f, entry->d_name));
    }
    closedir(folder);
    cr_expect_eq(rmdir(f->folder), 0, "%s is not empty", f->folder);
}

const char *in_folder(cli_fixture *f, const char *name)
{
    static char paths[8][400];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", f->folder, name);
    return path;
}

void write_file(cli_fixture *f, const char *name, const void *data, size_t size)
{
    FILE *file = fopen(in_folder(f, name), "wb");
    cr_assert(file);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

bool exists(cli_fixture *f, const char *name)
{
    return access(in_folder(f, name), R_OK) == 0;
}

static void read_stream(FILE *file, char *to, size_t size)
{
    rewind(file);
    size_t n = fread(to, 1, size - 1, file);
    to[n] = '\0';
    fclose(file);
}

char *read_file(cli_fixture *f, const char *name)
{
    FILE *file = fopen(in_folder(f, name), "rb");
    cr_assert(file, "%s is missing", name);
    enum { ROOM = 1 << 20 };
    char *text = malloc(ROOM);
    cr_assert(text);
    read_stream(file, text, ROOM);
    return text;
}

int command(cli_fixture *f, cli_run_fn run, const char *words)
{
    static char text[1 << 14];
    char *argv[64];
    int argc = 0;
    size_t used = 0;
    for (; *words; words++) {
        if (*words == '@')
            used += (size_t)snprintf(text + used, sizeof text - used, "%s/", f->folder);
        else
            text[used++] = *words;
        cr_assert_lt(used, sizeof text - 1);
    }
    text[used] = '\0';
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    for (size_t i = 0; i < used; i++)
        if (text[i] == '\t')
            text[i] = ' ';
    argv[argc] = NULL;
    FILE *out = tmpfile(), *err = tmpfile();
    cr_assert(out && err);
    fflush(stdout);
    fflush(stderr);
    int old_out = dup(1), old_err = dup(2);
    dup2(fileno(out), 1);
    dup2(fileno(err), 2);
    int status = run(argc, argv);
    fflush(stdout);
    fflush(stderr);
    dup2(old_out, 1);
    dup2(old_err, 2);
    close(old_out);
    close(old_err);
    read_stream(out, f->out, sizeof f->out);
    read_stream(err, f->err, sizeof f->err);
    return status;
}

void expect_command(cli_fixture *f, cli_run_fn run, const char *words, int status, const char *text)
{
    int got = command(f, run, words);
    cr_assert_eq(got, status, "'%s' gave %d: %s%s", words, got, f->out, f->err);
    const char *where = status == CLI_OK ? f->out : f->err;
    cr_assert(strstr(where, text), "'%s' printed '%s', which lacks '%s'", words, where, text);
    if (status != CLI_OK)
        cr_assert(strncmp(f->err, "rlx: ", 5) == 0, "'%s' complained '%s'", words, f->err);
}

void assemble_to(cli_fixture *f, const char *name, const char *text)
{
    char words[200];
    write_file(f, "text.rlxasm", text, strlen(text));
    snprintf(words, sizeof words, "@text.rlxasm -o @%s", name);
    cr_assert_eq(command(f, cli_command_asm, words), CLI_OK, "%s", f->err);
}
