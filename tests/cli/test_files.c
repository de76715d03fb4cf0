/* Files that the rlx program writes: an input is never overwritten, a file is written completely or
 * not at all, and a signal leaves nothing behind. */
#include "tests/cli/fixture.h"

#define XXH_INLINE_ALL
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

static const char program[] = ".func main (x: float32[s0!]) -> object symbols 1 {\n"
                              "    make_tuple r1, [r0, r0]\n"
                              "    make_tuple r2, [r0, r1]\n"
                              "    ret r2\n"
                              "}\n";

static void start(cli_fixture *f)
{
    const float x[3] = {1, 2, 3};
    const int64_t three = 3;
    fixture_init(f);
    assemble_to(f, "p.rlx", program);
    cr_assert_eq(npy_write(in_folder(f, "x.npy"), RLX_F32, 1, &three, x, NULL), RLX_OK);
    cr_assert_eq(npy_write(in_folder(f, "y.1.0.npy"), RLX_F32, 1, &three, x, NULL), RLX_OK);
    cr_assert_eq(symlink("p.rlx", in_folder(f, "soft")), 0);
    cr_assert_eq(link(in_folder(f, "x.npy"), in_folder(f, "hard")), 0);
}

/* A hash of the file's bytes. */
static uint64_t sum_of(cli_fixture *f, const char *name)
{
    uint64_t sum = 0;
    FILE *file = fopen(in_folder(f, name), "rb");
    cr_assert(file, "%s is missing", name);
    char part[512];
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
        sum = XXH64(part, n, sum);
    fclose(file);
    return sum;
}

static int entries(cli_fixture *f)
{
    int n = 0;
    DIR *folder = opendir(f->folder);
    cr_assert(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

RLX_TEST(cli, an_output_that_is_an_input_is_refused)
{
    static const struct {
        cli_run_fn run;
        const char *words;
        int status;
    } rows[] = {
        {cli_command_run, "@p.rlx --input @x.npy -o @x.npy", CLI_USAGE},
        {cli_command_run, "@p.rlx --input @x.npy -o 0=@../%s/x.npy", CLI_USAGE},
        {cli_command_run, "@p.rlx --input x=@x.npy -o 0=@hard", CLI_USAGE},
        {cli_command_run, "@p.rlx --input x=@hard -o @x.npy", CLI_USAGE},
        {cli_command_run, "@p.rlx --random --dim s0=2 -o @p.rlx", CLI_USAGE},
        {cli_command_run, "@p.rlx --random --dim s0=2 -o @soft", CLI_USAGE},
        {cli_command_run, "@soft --random --dim s0=2 -o 1=@./p.rlx", CLI_USAGE},
        {cli_command_run, "@soft --random --dim s0=2 --native-file @p.rlx", CLI_USAGE},
        {cli_command_time, "@p.rlx --dim s0=2 --native-file @p.rlx", CLI_USAGE},
        {cli_command_run, "@p.rlx --input @y.1.0.npy -o @y.npy", CLI_FAILED}, /* a field's file */
        {cli_command_profile, "@p.rlx --dim s0=2 --trace @soft", CLI_USAGE},
        {cli_command_profile, "@p.rlx --input x=@x.npy --trace=@x.npy", CLI_USAGE},
        {cli_command_dump, "@p.rlx --svg @p.rlx", CLI_USAGE},
        {cli_command_asm, "@text.rlxasm -o @text.rlxasm", CLI_USAGE},
        {cli_command_asm, "@text.rlxasm -o @./text.rlxasm", CLI_USAGE},
    };
    static const char *const files[] = {"p.rlx", "x.npy", "y.1.0.npy", "text.rlxasm"};
    cli_fixture f;
    uint64_t sums[4];
    start(&f);
    for (int i = 0; i < 4; i++)
        sums[i] = sum_of(&f, files[i]);
    const int n = entries(&f);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char words[256];
        const char *again = strstr(rows[r].words, "%s"); /* replaced by the folder's own name */
        snprintf(words, sizeof words, "%.*s%s%s",
                 (int)(again ? again - rows[r].words : (long)strlen(rows[r].words)), rows[r].words,
                 again ? strrchr(f.folder, '/') + 1 : "", again ? again + 2 : "");
        expect_command(&f, rows[r].run, words, rows[r].status, "would overwrite the input");
        for (int i = 0; i < 4; i++)
            cr_assert_eq(sum_of(&f, files[i]), sums[i], "'%s' changed %s", words, files[i]);
        cr_assert_eq(entries(&f), n, "'%s' left a file", words);
    }
    /* Writing to a device does not destroy it. */
    expect_command(&f, cli_command_run, "@p.rlx --input @x.npy -o 0=/dev/null", CLI_OK, "");
    RLX_OKAY(rlx_check_output("/dev/null", (const char *[]){"/dev/null"}, 1, &t->error));
    fixture_deinit(&f);
}

/* Names of files and parameters may contain '='. The text after '=' is a file only if the text
 * before it is a parameter's name. */
RLX_TEST(cli, an_output_other_than_an_input_is_written)
{
    static const char named[] = ".func main (\"a=b\": float32[s0!]) -> float32[s0] symbols 1 {\n"
                                "    call_builtin r1, \"rlx.copy\", [r0]\n"
                                "    match_type r1, float32[s0]\n"
                                "    ret r1\n"
                                "}\n";
    static const struct {
        const char *words, *made; /* NULL: refused */
    } rows[] = {
        {"n.rlx --input x.npy -o ./o=x.npy", "o=x.npy"},
        {"n.rlx --input a=b=x.npy -o ./b=x.npy", "b=x.npy"},
        {"n.rlx --input a=b=./i=x.npy -o x.npy", "x.npy"},
        {"n.rlx --input ./i=x.npy -o result=x.npy", "x.npy"},
        {"n.rlx --input ./i=x.npy -o result=i=x.npy", NULL},
        {"n.rlx --input a=b=y.1.0.npy -o y.1.0.npy", NULL},
        {"n.rlx --input a=b=y.1.0.npy -o result=./y.1.0.npy", NULL},
        {"n.rlx --input a=b=y.1.0.npy --native-file y.1.0.npy", NULL},
    };
    cli_fixture f;
    start(&f);
    assemble_to(&f, "n.rlx", named);
    cr_assert_eq(chdir(f.folder), 0);
    const int64_t two = 2;
    cr_assert_eq(npy_write("i=x.npy", RLX_F32, 1, &two, (const float[]){8, 9}, NULL), RLX_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t sums[] = {sum_of(&f, "i=x.npy"), sum_of(&f, "y.1.0.npy")};
        expect_command(&f, cli_command_run, rows[i].words, rows[i].made ? CLI_OK : CLI_USAGE,
                       rows[i].made ? "" : "would overwrite the input");
        cr_expect(!rows[i].made || exists(&f, rows[i].made), "%s", rows[i].words);
        cr_expect_eq(sum_of(&f, "i=x.npy"), sums[0], "%s", rows[i].words);
        cr_expect_eq(sum_of(&f, "y.1.0.npy"), sums[1], "%s", rows[i].words);
    }
    cr_expect_eq(sum_of(&f, "x.npy"), sum_of(&f, "i=x.npy"));
    cr_expect_neq(sum_of(&f, "o=x.npy"), sum_of(&f, "x.npy"));
    cr_assert_eq(chdir("/"), 0);
    fixture_deinit(&f);
}

RLX_TEST(cli, a_failed_write_leaves_the_old_file)
{
    cli_fixture f;
    struct stat before, after;
    start(&f);
    write_file(&f, "out.npy", "old", 3);
    cr_assert_eq(stat(in_folder(&f, "out.npy"), &before), 0);
    expect_command(&f, cli_command_run, "@p.rlx --input @x.npy -o 0=/dev/full", CLI_FAILED,
                   "cannot write");
    expect_command(&f, cli_command_run, "@p.rlx --input @x.npy -o 0=@none/out.npy", CLI_FAILED,
                   "cannot create");
    /* A new file replaces the old one; open readers keep the old contents. */
    expect_command(&f, cli_command_run, "@p.rlx --input @x.npy -o 0=@out.npy", CLI_OK, "");
    cr_assert_eq(stat(in_folder(&f, "out.npy"), &after), 0);
    cr_expect_neq(after.st_ino, before.st_ino, "the file was written in place");
    cr_expect_eq(sum_of(&f, "out.npy"), sum_of(&f, "x.npy"));
    fixture_deinit(&f);
}

/* --- signals --------------------------------------------------------------------------------- */

/* Raises |signal| while a file is being written. */
static void write_until(const char *path, int signal)
{
    static const char bytes[100];
    rlx_new_file *file;
    rlx_error err = {0};
    if (rlx_new_file_begin(path, &file, &err) != RLX_OK)
        _exit(10);
    if (rlx_new_file_write(file, bytes, sizeof bytes, &err) != RLX_OK)
        _exit(11);
    raise(signal);
    rlx_status status = rlx_new_file_write(file, bytes, sizeof bytes, &err);
    if (status != RLX_E_CANCELLED)
        _exit(12);
    rlx_status end = rlx_new_file_end(file, status, &err);
    _exit(end == RLX_E_CANCELLED ? 13 : 14); /* the signal came first */
}

RLX_TEST(cli, a_signal_while_a_file_is_written_leaves_nothing_behind)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
    cli_fixture f;
    start(&f);
    write_file(&f, "out", "old", 3);
    const int n = entries(&f);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int status;
        pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            signal(signals[i], SIG_DFL);
            write_until(in_folder(&f, "out"), signals[i]);
        }
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == signals[i],
                  "signal %d ended it with %#x", signals[i], (unsigned)status);
        cr_expect_eq(entries(&f), n, "signal %d left a file", signals[i]);
    }
    char *text = read_file(&f, "out");
    cr_expect_str_eq(text, "old");
    free(text);
    fixture_deinit(&f);
}

/* If the host handles the signal, the file is written. */
static void ignore_it(int signal)
{
    (void)signal;
}

RLX_TEST(cli, a_signal_with_a_handler_does_not_end_the_writing)
{
    cli_fixture f;
    rlx_new_file *file;
    start(&f);
    signal(SIGTERM, ignore_it);
    RLX_OKAY(rlx_new_file_begin(in_folder(&f, "out"), &file, &t->error));
    raise(SIGTERM);
    RLX_OKAY(rlx_new_file_write(file, "new", 3, &t->error));
    RLX_OKAY(rlx_new_file_end(file, RLX_OK, &t->error));
    char *text = read_file(&f, "out");
    cr_expect_str_eq(text, "new");
    free(text);
    signal(SIGTERM, SIG_DFL);
    fixture_deinit(&f);
}

RLX_TEST(cli, a_run_that_is_ended_at_any_time_leaves_all_or_nothing)
{
    enum { TRIES = 16, BYTES = 4 << 20 };
    cli_fixture f;
    start(&f);
    const int n = entries(&f);
    for (int i = 0; i < TRIES; i++) {
        int status;
        pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            signal(SIGTERM, SIG_DFL);
            for (;;)
                if (command(&f, cli_command_run,
                            "@p.rlx --random --threads 2 --dim s0=1048576 -o 0=@out.npy"))
                    _exit(1);
        }
        while (!exists(&f, "out.npy") && waitpid(child, &status, WNOHANG) == 0)
            usleep(1000);
        usleep(1700 * (useconds_t)i);
        kill(child, SIGTERM);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "%#x", (unsigned)status);
        struct stat st;
        cr_assert_eq(stat(in_folder(&f, "out.npy"), &st), 0, "no run came to its end");
        cr_assert_eq(entries(&f), n + 1, "a temporary file is left");
        cr_assert_eq(st.st_size, BYTES + 128, "%lld bytes", (long long)st.st_size);
        unlink(in_folder(&f, "out.npy"));
    }
    fixture_deinit(&f);
}
