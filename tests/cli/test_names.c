/* Names of parameters, results and dimensions are taken from the model unchanged, whatever bytes
 * they contain. */
#include "tests/cli/fixture.h"

#include <stdlib.h>
#include <string.h>

/* Returns parameter i as result i. The names are typical of exporters, or hostile. */
static const char program[] =
    ".func main (\"in.put:0\": float32[s0!, s1!], \"in.put:0=x\": float32[s1], \"a b\": "
    "float32[s0],"
    " \"a.0\": int64[], a: object, \"\": int64[], \"\\xc3\\xa9t\\xc3\\xa9/x\": int64[],"
    " \"l\\nf\\x1b[31m\\\\\": int64[]) -> tuple(float32[s0, s1], float32[s1], float32[s0], int64[],"
    " object, int64[], int64[], int64[]) symbols 2 {\n"
    "    .slot s0 \"batch size\"\n"
    "    .slot s1 \"d:1=2.x\"\n"
    "    .results \"probs:0\", \"out=1\", \"p q\", \"twice\", \"twice\", \"\", \"0\", "
    "\"l\\nf\\x1b\"\n"
    "    make_tuple r8, [r0, r1, r2, r3, r4, r5, r6, r7]\n"
    "    ret r8\n"
    "}\n"
    ".func one (x: int64[]) -> int64[] {\n"
    "    .results \"y.1\"\n"
    "    ret r0\n"
    "}\n";

/* All inputs of main except the first; the others take one or two elements. */
#define REST                                                                            \
    " --input in.put:0=x=@v.npy --input a\tb=@v.npy --input a.0=int:3 --input a=int:8 " \
    "--input \xc3\xa9t\xc3\xa9/x=int:5 --input int:6 --input int:7 "

static void start(cli_fixture *f)
{
    const float v[] = {5};
    const int64_t one[] = {1}, ones[] = {1, 1};
    fixture_init(f);
    assemble_to(f, "p.rlx", program);
    cr_assert_eq(npy_write(in_folder(f, "v.npy"), RLX_F32, 1, one, v, NULL), RLX_OK);
    cr_assert_eq(npy_write(in_folder(f, "x=1.npy"), RLX_F32, 2, ones, v, NULL), RLX_OK);
}

RLX_TEST(cli_names, options_take_them_to_the_letter)
{
    static const struct {
        const char *words;
        int status;
        const char *text;
    } rows[] = {
        /* the longest known name wins; a file's name may look like NAME=VALUE */
        {"@p.rlx --input in.put:0=@x=1.npy" REST, CLI_OK,
         "'probs:0': tensor float32 (1, 1) [5]\n'out=1': tensor float32 (1,) [5]\n"
         "'p q': tensor float32 (1,) [5]\ntwice: tensor int64 () [3]\n"},
        {"@p.rlx --input @x=1.npy" REST, CLI_OK, "result.5: tensor int64 () [6]\n"},
        {"@p.rlx --input @x=1.npy" REST, CLI_OK,
         "'0': tensor int64 () [5]\n'l\\nf\\x1b': tensor int64 () [7]\n"},
        {"@p.rlx --random --dim batch\tsize=2 --dim d:1=2.x=3 --input a=int:1", CLI_OK,
         "'probs:0': tensor float32 (2, 3) ["},
        {"@p.rlx --input @x=1.npy" REST "-o probs:0=@o.npy -o out=1=@p.npy -o 3=@q.npy -o "
         "0=@named.npy -o 4=@f.npy",
         CLI_OK, ""},
        {"@p.rlx --input @x=1.npy" REST "-o prob:0=o.npy", CLI_USAGE,
         "-o 'prob:0': the function has no such result; did you mean 'probs:0'? (it has 'probs:0', "
         "'out=1', 'p q', twice, twice, '', '0', 'l\\nf\\x1b', result)"},
        {"@p.rlx --input @x=1.npy" REST "-o 9=@o.npy", CLI_FAILED, "the result has no field 9"},
        {"@p.rlx --input @x=1.npy" REST "-o twice.1=@o.npy", CLI_FAILED,
         "the result has no field twice.1"},
        {"@p.rlx --input in.put:1=@x=1.npy" REST, CLI_USAGE,
         "input 'in.put:1' matches no parameter of main; did you mean 'in.put:0'? (it has "
         "'in.put:0', "
         "'in.put:0=x', 'a b', a.0, a, '', \xc3\xa9t\xc3\xa9/x, 'l\\nf\\x1b[31m\\\\')"},
        {"@p.rlx --random --dim batchsize=2", CLI_USAGE,
         "--dim batchsize: function main has no such symbol; did you mean 'batch size'? (it has "
         "'batch size', 'd:1=2.x')"},
        {"@p.rlx --random", CLI_USAGE,
         "'in.put:0': symbol 'batch size' has no value; add --dim 'batch size'=..."},
        {"@p.rlx --dim d:1=2.x=3 --input in.put:0=@x=1.npy", CLI_USAGE,
         "dimension 1 is 1, but --dim says 'd:1=2.x'=3"},
        {"@p.rlx --dim =3", CLI_USAGE, "--dim needs SYMBOL=NUMBER, not '=3'"},
        {"@p.rlx -f one --input int:4", CLI_OK, "y.1: tensor int64 () [4]\n"},
        {"@p.rlx -f one --input int:4 -o y.1=@y.npy -o result=@z.npy", CLI_OK, ""},
        {"@p.rlx -f one --input int:4 -o y=z.npy", CLI_USAGE,
         "-o y: the function has no such result; it has y.1, result"},
    };
    cli_fixture f;
    start(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_command(&f, cli_command_run, rows[i].words, rows[i].status, rows[i].text);
    static const char *const written[] = {"o.npy", "p.npy", "q.npy", "named.npy", "f.npy", "z.npy"};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        cr_expect(exists(&f, written[i]), "%s", written[i]);
    fixture_deinit(&f);
}

RLX_TEST(cli_names, dump_and_the_assembler_keep_them)
{
    cli_fixture f;
    start(&f);
    expect_command(&f, cli_command_dump, "@p.rlx --functions", CLI_OK,
                   "main('in.put:0': Tensor(('batch size', 'd:1=2.x'), float32), ");
    cr_expect(strstr(f.out, "'l\\nf\\x1b[31m\\\\': Tensor("), "%s", f.out);
    cr_expect(strstr(f.out, "results: 'probs:0', 'out=1', 'p q', twice, twice, '', '0', "
                            "'l\\nf\\x1b'\n"),
              "%s", f.out);
    expect_command(&f, cli_command_dump, "@p.rlx --asm", CLI_OK, ".results \"probs:0\", ");
    write_file(&f, "again.rlxasm", f.out, strlen(f.out));
    expect_command(&f, cli_command_asm, "@again.rlxasm -o @again.rlx", CLI_OK, "");
    char *first = read_file(&f, "p.rlx"), *second = read_file(&f, "again.rlx");
    cr_expect_eq(memcmp(first, second, 4096), 0);
    free(first);
    free(second);
    fixture_deinit(&f);
}

/* Names as stored in the file and as displayed. */
RLX_TEST(cli_names, shown_and_cut)
{
    static const struct {
        const char *name;
        size_t length, size;
        const char *shown;
    } rows[] = {
        {"plain", 5, 64, "plain"},
        {"", 0, 8, ""},
        {"a\0b\x7f", 4, 64, "a\\x00b\\x7f"},
        {"1234567", 7, 8, "1234567"},
        {"12345678", 8, 8, "1234..."},
        {"123\xc3\xa9"
         "456",
         8, 8, "123..."},
        {"\xc2\x9b"
         "x\xff",
         4, 64, "\\u009bx\\xff"},
        {"\n\n\n\n\n", 5, 8, "\\n\\n..."},
    };
    char buffer[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rlx_str name = {rows[i].name, rows[i].length};
        cr_expect_str_eq(rlx_name_text(name, buffer, rows[i].size), rows[i].shown);
    }
}

/* A location in column 0 names a node, and is shown by that name: in errors, in the profile and in
 * the trace. */
RLX_TEST(cli_names, nodes_are_named_where_they_fail_and_take_time)
{
    static const char nodes[] = ".func main (n: int64[]) -> object symbols 0 {\n"
                                "    .at \"m.onnx\" 2 0 \"node 'a\\x1b' (Copy)\"\n"
                                "    call_builtin r1, \"rlx.copy\", [r0]\n"
                                "    .at \"m.onnx\" 3 0 \"node 1 (Copy)\"\n"
                                "    call_builtin r2, \"rlx.copy\", [r0]\n"
                                "    ret r2\n"
                                "}\n"
                                ".func fails (n: prim(int64, s0!)) -> object symbols 1 {\n"
                                "    .at \"m.onnx\" 7 0 \"node 'c' (Check)\"\n"
                                "    check s0 == 3, \"n must be three\"\n"
                                "    ret r0\n"
                                "}\n";
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "p.rlx", nodes);
    expect_command(&f, cli_command_run, "@p.rlx -f fails --input int:4", CLI_FAILED,
                   "m.onnx: node 'c' (Check): n must be three");
    expect_command(&f, cli_command_profile, "@p.rlx --input int:4", CLI_OK,
                   "rlx.copy  node 'a\\x1b' (Copy) and 1 more\n");
    expect_command(&f, cli_command_profile, "@p.rlx --input int:4 --json --trace @t.json", CLI_OK,
                   "\"location\": \"node 1 (Copy)\"");
    char *trace = read_file(&f, "t.json");
    cr_expect(strstr(trace, "\"location\": \"node 1 (Copy)\""), "%s", trace);
    free(trace);
    fixture_deinit(&f);
}

RLX_TEST(cli_names, a_long_name_is_found_and_shown_short)
{
    enum { LONG = 10240 };
    static char name[LONG + 1], text[3 * LONG], words[LONG + 64];
    cli_fixture f;
    memset(name, 'n', LONG);
    fixture_init(&f);
    snprintf(text, sizeof text,
             ".func main (\"%s\": int64[]) -> int64[] {\n    .results \"%s\"\n    ret r0\n}\n",
             name, name);
    assemble_to(&f, "p.rlx", text);
    snprintf(words, sizeof words, "@p.rlx --input %s=int:4", name);
    expect_command(&f, cli_command_run, words, CLI_OK, "nnn...: tensor int64 () [4]");
    expect_command(&f, cli_command_run, "@p.rlx", CLI_USAGE, "nnn...");
    cr_expect_lt(strlen(f.err), 300u, "%s", f.err);
    fixture_deinit(&f);
}
