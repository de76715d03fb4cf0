/* What the rlx program refuses: sizes beyond memory or the user's limits, endless functions,
 * machine code where --no-native forbids it. */
#include "tests/cli/fixture.h"

#include <unistd.h>

static const char program[] = ".func main (x: float32[s0!, 4], y: float32[s0 * 2]) -> object "
                              "symbols 1 {\n"
                              "    make_tuple r2, [r0, r1]\n"
                              "    ret r2\n"
                              "}\n"
                              ".func empty () -> object {\n"
                              "    make_tuple r0, []\n"
                              "    ret r0\n"
                              "}\n";

static void start(cli_fixture *f)
{
    const float x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int64_t two[] = {2, 4}, four[] = {4};
    fixture_init(f);
    assemble_to(f, "p.rlx", program);
    cr_assert_eq(npy_write(in_folder(f, "x.npy"), RLX_F32, 2, two, x, NULL), RLX_OK);
    cr_assert_eq(npy_write(in_folder(f, "y.npy"), RLX_F32, 1, four, x, NULL), RLX_OK);
}

/* Sizes beyond any machine fail before memory is touched; the user's limits are respected. */
RLX_TEST(cli, limits_of_memory_and_time)
{
    static const char loops[] = ".kernel k0 \"t_neg\" dims 1 (float32[s0], out float32[s0])\n"
                                ".func main (x: float32[s0!]) -> object symbols 1 {\n"
                                "    .buffer u0 z0 s0 * 64 0 99\n"
                                "    .tensor p0 u0 float32[s0]\n"
                                "    plan z0\n"
                                "    plan_tensor r1, p0\n"
                                "    make_shape r2, [s0]\n"
                                "    ret r2\n"
                                "}\n"
                                ".func wide (x: float32[s0!]) -> object symbols 1 {\n"
                                "    .buffer u0 z0 s0 * 64000000 0 99\n"
                                "    .tensor p0 u0 float32[s0]\n"
                                "    plan z0\n"
                                "    plan_tensor r1, p0\n"
                                "    ret r0\n"
                                "}\n"
                                ".func forever () -> object {\n"
                                "again:\n"
                                "    goto again\n"
                                "}\n";
    static const struct {
        cli_run_fn run;
        struct {
            const char *words;
            int status;
            const char *text;
        } row;
    } rows[] = {
        {cli_command_run,
         {"@l.rlx --random --dim s0=99999999999", CLI_FAILED, "x needs 399999999996 bytes, "}},
        {cli_command_time, {"@l.rlx --dim s0=99999999999", CLI_FAILED, " available"}},
        {cli_command_profile, {"@l.rlx --dim s0=99999999999", CLI_FAILED, " available"}},
        {cli_command_run,
         {"@l.rlx -f wide --random --dim s0=1000000", CLI_FAILED,
          "64000000000000 bytes of planned"}},
        {cli_command_run,
         {"@l.rlx --random --dim s0=1000 --max-bytes 3999", CLI_FAILED,
          "x needs 4000 bytes, 3999 of the 3999 of --max-bytes are left"}},
        {cli_command_run,
         {"@l.rlx --random --dim s0=1000 --max-bytes 8K", CLI_FAILED, "the limit is 4192"}},
        {cli_command_run, {"@l.rlx --random --dim s0=1000 --max-bytes=1M", CLI_OK, "(1000,)"}},
        {cli_command_run,
         {"@p.rlx --input @x.npy --input @y.npy --max-bytes 100", CLI_FAILED,
          "bytes, 100 of the 100 of --max-bytes are left"}},
        {cli_command_run,
         {"@l.rlx -f forever --max-seconds 0.05", CLI_FAILED,
          "stopped after 0.05 seconds (--max-seconds)"}},
        {cli_command_time, {"@l.rlx -f forever --max-seconds=0.05", CLI_FAILED, "stopped after"}},
        {cli_command_profile, {"@l.rlx -f forever --max-seconds=0.05", CLI_FAILED, "stopped"}},
        {cli_command_run, {"@l.rlx --random --dim s0=10 --max-seconds 100", CLI_OK, "(10,)"}},
        {cli_command_run, {"@l.rlx --max-bytes 0", CLI_USAGE, "a number of bytes above 0"}},
        {cli_command_run, {"@l.rlx --max-bytes 1X", CLI_USAGE, "a number of bytes above 0"}},
        {cli_command_run, {"@l.rlx --max-bytes 1KB", CLI_USAGE, "a number of bytes above 0"}},
        {cli_command_run, {"@l.rlx --max-bytes -1", CLI_USAGE, "a number of bytes above 0"}},
        {cli_command_run, {"@l.rlx --max-bytes 99999999999T", CLI_USAGE, "above 0"}},
        {cli_command_run, {"@l.rlx --max-seconds 0", CLI_USAGE, "a number of seconds above 0"}},
        {cli_command_run, {"@l.rlx --max-seconds nan", CLI_USAGE, "a number of seconds above 0"}},
        {cli_command_run, {"@l.rlx --max-seconds 1s", CLI_USAGE, "a number of seconds above 0"}},
    };
    cli_fixture f;
    start(&f);
    assemble_to(&f, "l.rlx", loops);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_command(&f, rows[i].run, rows[i].row.words, rows[i].row.status, rows[i].row.text);
    fixture_deinit(&f);
}

/* The bytes are no valid shared object: --no-native must refuse the file before trying to load
 * them. */
RLX_TEST(cli, no_native_refuses_files_with_machine_code)
{
    static const unsigned char elf[64] = {0x7f, 'E', 'L', 'F'};
    cli_fixture f;
    rlx_exec_builder *b;
    uint32_t shape, main_function;
    start(&f);
    expect_command(&f, cli_command_run, "@p.rlx -f empty --no-native", CLI_OK, "result");
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
    RLX_OKAY(
        rlx_exec_builder_type(b, &(rlx_type_info){.kind = RLX_TYPE_OBJECT}, &shape, &t->error));
    RLX_OKAY(rlx_exec_builder_declare(b, RLX_STR("main"), true, &main_function, &t->error));
    const rlx_param x = {RLX_STR("x"), shape};
    RLX_OKAY(rlx_exec_builder_begin(b, main_function, &x, 1, shape, 0, &t->error));
    RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_RET, &(uint32_t){0}, 1, &t->error));
    RLX_OKAY(rlx_exec_builder_end(b, &t->error));
    RLX_OKAY(rlx_exec_builder_native(b, RLX_STR("x86_64-linux-gnu"), NULL, 0, elf, sizeof elf,
                                     &t->error));
    RLX_OKAY(rlx_exec_builder_save(b, in_folder(&f, "native.rlx"), &t->error));
    rlx_exec_builder_destroy(b);
    const cli_run_fn runs[] = {cli_command_run, cli_command_time, cli_command_profile};
    for (int i = 0; i < 3; i++)
        expect_command(&f, runs[i], "@native.rlx --input int:1 --no-native", CLI_FAILED,
                       "has native code, which --no-native refuses");
    expect_command(&f, cli_command_verify, "@native.rlx", CLI_OK, "ok");
    fixture_deinit(&f);
}

/* A file that claims a huge size is not read into memory that does not exist. */
RLX_TEST(cli, an_input_larger_than_memory_is_refused)
{
    cli_fixture f;
    start(&f);
    write_file(&f, "big.npy", "", 0);
    if (truncate(in_folder(&f, "big.npy"), (off_t)1 << 42) == 0)
        expect_command(&f, cli_command_run, "@p.rlx --input @big.npy --input @y.npy", CLI_FAILED,
                       " available");
    fixture_deinit(&f);
}
