/* rlx asm: assembly text to an executable file. The result is loaded, and so verified, before it is
 * written; no file is created if that fails. */
#include "vm/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TEXT ((size_t)1 << 30)

typedef struct arguments {
    const char *file, *output;
} arguments;

static bool set(void *user, const cli_option *option, const char *value)
{
    arguments *a = user;
    if (!option)
        return cli_set_file(&a->file, value);
    a->output = value;
    return true;
}

/* The contents of |path|, to be freed by the caller; NULL after an error message. Grows as it
 * reads, since the text may come from a pipe. */
static char *read_text(const char *path, size_t *out_size)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file) {
        cli_complain("%s: %s", path, strerror(errno));
        return NULL;
    }
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text) {
        size_t got = fread(text + size, 1, room - size, file);
        size += got;
        if (size < room)
            break;
        char *more = room < MOST_TEXT ? realloc(text, room * 2) : NULL;
        if (!more)
            free(text);
        text = more;
        room *= 2;
    }
    if (!text) {
        if (room > MOST_TEXT)
            cli_complain("%s: more than %zu bytes of text", path, MOST_TEXT);
        else
            cli_complain("%s: out of memory", path);
    } else if (ferror(file)) {
        cli_complain("%s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (file != stdin)
        fclose(file);
    *out_size = size;
    return text;
}

static int assemble(const arguments *a)
{
    if (!a->file || !a->output) {
        cli_complain(a->file ? "no output given; add -o OUT.rlx"
                             : "no file given; --help shows the usage");
        return CLI_USAGE;
    }
    rlx_error err = {0};
    if (rlx_check_output(a->output, &a->file, 1, &err) != RLX_OK) {
        cli_complain("%s", err.message);
        return CLI_USAGE;
    }
    size_t size, image_size = 0;
    char *text = read_text(a->file, &size);
    if (!text)
        return CLI_FAILED;
    void *image = NULL;
    rlx_executable *exe = NULL;
    rlx_status status =
        rlx_assemble(NULL, rlx_str_from(a->file), (rlx_str){text, size}, &image, &image_size, &err);
    if (status == RLX_OK)
        status = rlx_executable_load_memory(image, image_size, NULL, &exe, &err);
    if (status == RLX_OK)
        status = rlx_executable_save(exe, a->output, &err);
    rlx_executable_release(exe);
    rlx_free(NULL, image, image_size, 64);
    free(text);
    return status == RLX_OK ? CLI_OK : cli_fail(&err);
}

int cli_command_asm(int argc, char **argv)
{
    static const cli_option options[] = {{"-o", "OUT.rlx", "the file to write"}};
    const cli_command command = {
        "rlx asm FILE.rlxasm -o OUT.rlx",
        "Assembles text into an executable and verifies it; rlx dump --asm prints such text.",
        options, 1, false};
    arguments a = {0};
    bool help;
    int status = cli_parse(&command, argc, argv, set, &a, &help);
    return status == CLI_OK && !help ? assemble(&a) : status;
}
