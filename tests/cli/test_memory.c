/* rlx dump --memory: bounds of symbols, and what called functions need of pools. */
#include "tests/cli/fixture.h"

RLX_TEST(cli_memory, shows_no_size_that_a_bound_forbids)
{
    static const char text[] = ".func main (x: float32[s0!, s1!]) -> object symbols 2 {\n"
                               "    .slot s0 \"n\"\n"
                               "    .slot s1 \"m\"\n"
                               "    .buffer u0 z0 s0 * s1 * 4 2 30\n"
                               "    check s0 <= 100, \"upper bound of symbol n\"\n"
                               "    check 2 <= s0, \"lower bound of symbol n\"\n"
                               "%s"
                               "    plan z0\n"
                               "    ret r0\n"
                               "}\n"
                               ".func two (x: float32[s0!]) -> object symbols 1 {\n"
                               "    .slot s0 \"n\"\n"
                               "    ret r0\n"
                               "}\n";
    static const struct {
        const char *second, *words, *text, *not_there;
    } rows[] = {
        {"", "@m.rlx --memory", "symbol is 16: 1024; at most 0.0 % above that\n", "128: "},
        {"    check s1 <= 512, \"more\"\n", "@m.rlx --memory",
         "symbol is 16: 1024, at its upper bound: 204800; at most 0.0 % above that\n", "1024: "},
        {"    check s1 * 1024 <= 524288, \"more\"\n", "@m.rlx --memory",
         "symbol is 16: 1024, at its upper bound: 204800; at most 0.0 % above that\n", "1024: "},
        {"    check 0 <= s1 * 4, \"bytes\"\n", "@m.rlx --memory",
         "symbol is 16: 1024; at most 0.0 % above that\n", "upper bound:"},
        {"    check s0 + s1 <= 20, \"both\"\n", "@m.rlx --memory", "needs n m (--dim gives",
         "is 16"},
        {"    check s1 <= 512, \"more\"\n", "@m.rlx --memory --dim m=513",
         "m=513: no call has these sizes: more\n", "u0"},
        {"", "@m.rlx --memory --dim n=101",
         "n=101: no call has these sizes: upper bound of symbol n\nmemory of two  n=101", "u0"},
        {"", "@m.rlx --memory --dim n=1", "no call has these sizes: lower bound of symbol n", "u0"},
        {"", "@m.rlx --memory --dim n=100 --dim m=4", "region 0: peak 1600 bytes", "no call"},
    };
    cli_fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char whole[2048];
        snprintf(whole, sizeof whole, text, rows[i].second);
        assemble_to(&f, "m.rlx", whole);
        expect_command(&f, cli_command_dump, rows[i].words, CLI_OK, rows[i].text);
        cr_expect_null(strstr(f.out, rows[i].not_there), "%zu: %s", i, f.out);
    }
    fixture_deinit(&f);
}

RLX_TEST(cli_memory, callees_need_is_named_by_pool)
{
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "p.rlx",
                ".meta \"pool.sram\" \"name=sram,size=8192,align=1,targets=cpu,"
                "scope=global.sram,kind=workspace,used=5120\"\n"
                ".device v1 \"cpu\" 0 \"global.sram\" \"pool sram 5120\"\n"
                ".func inner () -> object {\n"
                "    .buffer u0 z0 1024 0 12\n"
                "    .region z0 v1\n"
                "    load_const r0, true\n"
                "    ret r0\n"
                "}\n"
                ".func main () -> object {\n"
                "    .buffer u0 z0 4096 0 12\n"
                "    .buffer u1 z1 64 0 12\n"
                "    .region z0 v1\n"
                "    call_func r0, @inner, []\n"
                "    ret r0\n"
                "}\n"
                ".func last () -> object {\n"
                "    call_func r0, @inner, []\n"
                "    ret r0\n"
                "}\n");
    expect_command(&f, cli_command_dump, "@p.rlx --memory", CLI_OK,
                   "  with the functions it calls: at most 64 bytes (64 bytes), 5120 bytes (5.0 "
                   "KiB) on cpu:0 (global.sram) in pool sram\n");
    cr_expect(strstr(f.out, "calls: at most 1024 bytes (1.0 KiB) on cpu:0 (global.sram) in pool"),
              "%s", f.out);
    fixture_deinit(&f);
}
