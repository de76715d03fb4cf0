/* Keys and signatures on the command line: rlx keygen, sign, verify --key, and --require-key. */
#include "tests/cli/fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char program[] = ".func main (x: float32[s0!]) -> object symbols 1 {\n"
                              "    load_const r1, tensor float32 [2] { 5, 6 }\n"
                              "    ret r1\n"
                              "}\n";

#if RLX_WITH_SODIUM

static void start(cli_fixture *f)
{
    fixture_init(f);
    assemble_to(f, "p.rlx", program);
    expect_command(f, cli_command_keygen, "-o @a", CLI_OK, "a.pub: public");
    expect_command(f, cli_command_keygen, "-o @b", CLI_OK, "key ");
    expect_command(f, cli_command_sign, "@p.rlx --key @a.key -o @s.rlx", CLI_OK,
                   "s.rlx: signed with key ");
}

RLX_TEST(cli_sign, a_required_key_decides_what_runs)
{
    static const struct {
        cli_run_fn run;
        const char *words, *text;
    } good[] = {
        {cli_command_run, "@s.rlx --dim s0=2 --random --require-key @a.pub", "[5, 6]"},
        {cli_command_run, "@s.rlx --dim s0=2 --random --require-key=@b.pub --require-key @a.pub",
         "[5, 6]"},
        {cli_command_run, "@s.rlx --dim s0=2 --random --no-native --require-key @a.pub", "[5, 6]"},
        {cli_command_run, "@s.rlx --dim s0=2 --random", "[5, 6]"},
        {cli_command_time, "@s.rlx --dim s0=2 --repeat 1 --require-key @a.pub", "main"},
        {cli_command_profile, "@s.rlx --dim s0=2 --require-key @a.pub", "main"},
        {cli_command_verify, "@s.rlx --key @a.pub", ", signed with key "},
        {cli_command_verify, "@s.rlx --key @b.pub --key @a.pub", ", signed with key "},
        {cli_command_verify, "@s.rlx", "(not checked: no --key)"},
        {cli_command_dump, "@s.rlx --meta", "a signature of key "},
    };
    static const char *const asks[] = {"@%s --dim s0=2 --random --require-key %s",
                                       "@%s --dim s0=2 --require-key %s",
                                       "@%s --dim s0=2 --require-key %s", "@%s --key %s"};
    static const cli_run_fn runs[] = {cli_command_run, cli_command_time, cli_command_profile,
                                      cli_command_verify};
    static const struct {
        const char *file, *key, *text;
    } bad[] = {
        {"p.rlx", "@a.pub", "p.rlx: it has no signature, and one is required"},
        {"s.rlx", "@b.pub", "s.rlx: it is signed with key "},
        {"s.rlx", "@a.key", "a.key: holds a secret key"},
        {"s.rlx", "@p.rlx", "p.rlx: not a PEM key"},
        {"s.rlx", "@none", "none: cannot open"},
        {"s.rlx", "@a.pub --no-such", "unknown option"},
        {"c.rlx", "@a.pub", "c.rlx: its bytes differ from those that key "},
    };
    cli_fixture f;
    start(&f);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expect_command(&f, good[i].run, good[i].words, CLI_OK, good[i].text);
    /* Damages a constant: loading checks no checksum for it. */
    FILE *from = fopen(in_folder(&f, "s.rlx"), "rb");
    unsigned char bytes[8192];
    cr_assert(from);
    const size_t size = fread(bytes, 1, sizeof bytes, from);
    fclose(from);
    bytes[size - 1] ^= 1;
    write_file(&f, "c.rlx", bytes, size);
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            char words[200];
            snprintf(words, sizeof words, asks[r], bad[i].file, bad[i].key);
            expect_command(&f, runs[r], words, strstr(words, "--no-such") ? CLI_USAGE : CLI_FAILED,
                           bad[i].text);
        }
    }
    fixture_deinit(&f);
}

RLX_TEST(cli_sign, files_are_signed_whole_or_left)
{
    cli_fixture f;
    struct stat st;
    start(&f);
    cr_assert_eq(stat(in_folder(&f, "a.key"), &st), 0);
    cr_expect_eq(st.st_mode & 07777, 0600);
    /* Another key's signature replaces the first; without -o, the file is signed in place. */
    expect_command(&f, cli_command_sign, "@s.rlx --key @b.key", CLI_OK, "s.rlx: signed with key ");
    expect_command(&f, cli_command_verify, "@s.rlx --key @b.pub", CLI_OK, "signed with");
    expect_command(&f, cli_command_verify, "@s.rlx --key @a.pub", CLI_FAILED, "not with the one");
    /* Existing keys and inputs are kept. */
    static const struct {
        cli_run_fn run;
        const char *words;
        int status;
        const char *text;
    } rows[] = {
        {cli_command_keygen, "-o @a", CLI_FAILED, "a.key exists; keys are never overwritten"},
        {cli_command_keygen, "-o @none/a", CLI_FAILED, "cannot create"},
        {cli_command_keygen, "", CLI_USAGE, "add -o NAME"},
        {cli_command_keygen, "@a", CLI_USAGE, "reads no file"},
        {cli_command_sign, "@p.rlx", CLI_USAGE, "no key given"},
        {cli_command_sign, "--key @a.key", CLI_USAGE, "no file given"},
        {cli_command_sign, "@p.rlx --key @a.key --key @b.key", CLI_USAGE, "more than one file"},
        {cli_command_sign, "@p.rlx --key @a.key -o @a.key", CLI_USAGE, "would overwrite"},
        {cli_command_sign, "@a.key --key @a.key", CLI_USAGE, "would overwrite"},
        {cli_command_sign, "@p.rlx --key @a.pub", CLI_FAILED, "holds a public key"},
        {cli_command_sign, "@a.pub --key @a.key", CLI_FAILED, "does not begin like one"},
        {cli_command_sign, "@none --key @a.key", CLI_FAILED, "cannot open"},
        {cli_command_sign, "@p.rlx --key @a.key -o @none/s.rlx", CLI_FAILED, "cannot create"},
        {cli_command_run, "@s.rlx --dim s0=2 --random --require-key @b.pub -o @b.pub", CLI_USAGE,
         "would overwrite"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_command(&f, rows[i].run, rows[i].words, rows[i].status, rows[i].text);
    expect_command(&f, cli_command_sign, "@p.rlx --key @a.key", CLI_OK, "p.rlx: signed");
    expect_command(&f, cli_command_verify, "@p.rlx --key @a.pub", CLI_OK, "signed with key ");
    fixture_deinit(&f);
}

#else

RLX_TEST(cli_sign, without_libsodium_a_wish_for_signatures_is_an_error)
{
    static const char key[] = "-----BEGIN PUBLIC KEY-----\n"
                              "MCowBQYDK2VwAyEA7Bcrk61eVjv0kyxw4SRQNMNUZ+8u/U1k6/gZaDRn4r8=\n"
                              "-----END PUBLIC KEY-----\n";
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "p.rlx", program);
    write_file(&f, "a.pub", key, sizeof key - 1);
    expect_command(&f, cli_command_keygen, "-o @a", CLI_FAILED, "without libsodium");
    expect_command(&f, cli_command_verify, "@p.rlx --key @a.pub", CLI_FAILED, "without libsodium");
    expect_command(&f, cli_command_run, "@p.rlx --dim s0=2 --random --require-key @a.pub",
                   CLI_FAILED, "without libsodium");
    expect_command(&f, cli_command_run, "@p.rlx --dim s0=2 --random", CLI_OK, "[5, 6]");
    fixture_deinit(&f);
}

#endif
