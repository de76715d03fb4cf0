/* The commands of the rlx program: output, files written, exit status. */
#include "tests/cli/fixture.h"

#include <stdlib.h>
#include <string.h>

/* Functions with every kind of parameter; main returns its arguments. */
static const char program[] =
    ".func main (x: float32[s0!, 4], y: float32[s0 * 2]) -> tuple(float32[s0, 4], shape[s0]) "
    "symbols 1 {\n"
    "    .slot s0 \"n\"\n"
    "    .at \"model.py\" 12 9 \"lv0\"\n"
    "    eval_slot s1, s0 * 16\n"
    "    eval_slot s2, 0\n"
    "    eval_slot s3, 4\n"
    "    alloc_storage r2, s1, 64\n"
    "    alloc_tensor r3, r2, s2, float32, [s0, s3]\n"
    "    kill r3\n"
    "    kill r2\n"
    "    make_shape r4, [s0]\n"
    "    call_builtin r5, \"rlx.copy\", [r0]\n"
    "    make_tuple r6, [r5, r4]\n"
    "    ret r6\n"
    "}\n"
    ".func nested (p: tuple(float32[s0!], tuple(prim(int64, s1!), prim(bool))), q: prim(float64))"
    " -> object symbols 2 {\n"
    "    .slot s0 \"a\"\n"
    "    .slot s1 \"b\"\n"
    "    make_tuple r2, [r0, r1]\n"
    "    ret r2\n"
    "}\n"
    ".func scalars (i: int8[], f: float16[], g: bfloat16[], b: bool[], o: object) -> object {\n"
    "    make_tuple r5, [r0, r1, r2, r3, r4]\n"
    "    ret r5\n"
    "}\n"
    ".func brain (x: bfloat16[s0!], s: shape[s0, s1!]) -> object symbols 2 {\n"
    "    make_tuple r2, [r0, r1]\n"
    "    ret r2\n"
    "}\n"
    ".func open (x: float32[?]) -> object {\n"
    "    ret r0\n"
    "}\n"
    ".func shout () -> object {\n"
    "    load_const r0, \"loud\"\n"
    "    call_builtin r1, \"rlx.print\", [r0]\n"
    "    ret r1\n"
    "}\n"
    ".func empty () -> object {\n"
    "    make_tuple r0, []\n"
    "    ret r0\n"
    "}\n"
    ".func broken (n: prim(int64, s0!)) -> object symbols 1 {\n"
    "    check s0 == 3, \"n must be three\"\n"
    "    ret r0\n"
    "}\n"
    ".func private helper () -> object {\n"
    "    make_tuple r0, []\n"
    "    ret r0\n"
    "}\n";

static void start(cli_fixture *f)
{
    const float x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int64_t two[] = {2, 4}, one[] = {1}, four[] = {4};
    const uint16_t bits[1] = {0x3f80};
    fixture_init(f);
    assemble_to(f, "p.rlx", program);
    cr_assert_eq(npy_write(in_folder(f, "x.npy"), RLX_F32, 2, two, x, NULL), RLX_OK);
    cr_assert_eq(npy_write(in_folder(f, "y.npy"), RLX_F32, 1, four, x, NULL), RLX_OK);
    cr_assert_eq(npy_write(in_folder(f, "v.npy"), RLX_F32, 1, one, x + 5, NULL), RLX_OK);
    cr_assert_eq(npy_write(in_folder(f, "bits.npy"), RLX_U16, 1, one, bits, NULL), RLX_OK);
}

typedef struct row {
    const char *words;
    int status;
    const char *text;
} row;

static void expect_rows(cli_run_fn run, const row *rows, size_t n)
{
    cli_fixture f;
    start(&f);
    for (size_t i = 0; i < n; i++)
        expect_command(&f, run, rows[i].words, rows[i].status, rows[i].text);
    fixture_deinit(&f);
}
#define EXPECT_ROWS(run, rows) expect_rows(run, rows, sizeof(rows) / sizeof *(rows))

RLX_TEST(cli, run_takes_inputs_in_every_form)
{
    static const row rows[] = {
        {"@p.rlx --input @x.npy --input @y.npy", CLI_OK,
         "result.0: tensor float32 (2, 4) [0, 1, 2, 3, 4, 5, ...]\nresult.1: shape (2,)\n"},
        {"@p.rlx --input y=@y.npy --input @x.npy", CLI_OK, "result.1: shape (2,)\n"},
        {"--input=x=@x.npy @p.rlx --random", CLI_OK, "result.1: shape (2,)\n"}, /* x determines n */
        {"@p.rlx --random --dim n=3", CLI_OK, "result.0: tensor float32 (3, 4) ["},
        {"@p.rlx --random --dim n=0", CLI_OK, "result.0: tensor float32 (0, 4) []"},
        {"@p.rlx -f nested --input p.0=@v.npy --input p.1.0=int:-5 --input p.1.1=int:1 "
         "--input q=float:0.5",
         CLI_OK,
         "result.0.0: tensor float32 (1,) [5]\nresult.0.1.0: int -5\nresult.0.1.1: bool 1\n"
         "result.1: float 0.5\n"},
        {"@p.rlx -f nested --random --dim a=2 --dim b=7", CLI_OK, "result.0.1.0: int 7\n"},
        {"@p.rlx -f nested --input p.0=@v.npy --input p.1.0=int:1 --input p.1.1=int:0 "
         "--input int:2",
         CLI_OK, "result.1: float 2\n"},
        {"@p.rlx -f scalars --input int:-128 --input float:1.5 --input float:-1.5 --input int:5 "
         "--input int:9",
         CLI_OK,
         "result.0: tensor int8 () [-128]\nresult.1: tensor float16 () [1.5]\n"
         "result.2: tensor bfloat16 () [-1.5]\nresult.3: tensor bool () [1]\nresult.4: int 9\n"},
        {"@p.rlx -f scalars --input int:1 --input float:6e-8 --input float:1e9 --input int:0 "
         "--input o.0=int:3 --input o.1=shape:",
         CLI_OK,
         "result.1: tensor float16 () [5.96e-08]\nresult.2: tensor bfloat16 () [9.98244e+08]\n"
         "result.3: tensor bool () [0]\nresult.4.0: int 3\nresult.4.1: shape ()\n"},
        {"@p.rlx -f scalars --input int:1 --input float:1e9 --input float:nan --input int:0 "
         "--input o=float:-inf",
         CLI_OK,
         "[inf]\nresult.2: tensor bfloat16 () [nan]\nresult.3: tensor bool () [0]\n"
         "result.4: float -inf"},
        {"@p.rlx -f brain --input @bits.npy --input shape:1,6", CLI_OK,
         "result.0: tensor bfloat16 (1,) [1]\nresult.1: shape (1, 6)\n"},
        {"@p.rlx -f shout", CLI_OK, "loud\nresult: none\n"},
        {"@p.rlx -f empty", CLI_OK, "result: tuple\n"},
        {"--help", CLI_OK, "usage: rlx run FILE.rlx"},
    };
    EXPECT_ROWS(cli_command_run, rows);
}

RLX_TEST(cli, run_reports_errors)
{
    static const row rows[] = {
        {"", CLI_USAGE, "no file given"},
        {"@p.rlx @p.rlx", CLI_USAGE, "more than one file"},
        {"@p.rlx --inptu @x.npy", CLI_USAGE, "unknown option --inptu; did you mean --input?"},
        {"@p.rlx --inptu=@x.npy", CLI_USAGE, "unknown option --inptu; did you mean --input?"},
        {"@p.rlx --hlep", CLI_USAGE, "did you mean --help?"},
        {"@p.rlx --frobnicate", CLI_USAGE, "--help lists the options"},
        {"@p.rlx --input", CLI_USAGE, "option --input needs a value"},
        {"@p.rlx --random=1", CLI_USAGE, "option --random takes no value"},
        {"@p.rlx --seed x", CLI_USAGE, "option --seed needs a number"},
        {"@p.rlx --seed 99999999999999999999999", CLI_USAGE, "option --seed needs a number"},
        {"@p.rlx --threads 0", CLI_USAGE, "needs a number from 1 to 1024, not '0'"},
        {"@p.rlx --random", CLI_USAGE, "x: symbol n has no value; add --dim n=..."},
        {"@p.rlx --random --dim n", CLI_USAGE, "--dim needs SYMBOL=NUMBER, not 'n'"},
        {"@p.rlx --random --dim n=-1", CLI_USAGE, "--dim needs SYMBOL=NUMBER, not 'n=-1'"},
        {"@p.rlx --random --dim n=2x", CLI_USAGE, "--dim needs SYMBOL=NUMBER, not 'n=2x'"},
        {"@p.rlx --random --dim m=3", CLI_USAGE,
         "--dim m: function main has no such symbol; it has n"},
        {"@p.rlx --random --dim n=3 --input @x.npy", CLI_USAGE,
         "input x: dimension 0 is 2, but --dim says n=3"},
        {"@p.rlx", CLI_USAGE, "no input for parameter x"},
        {"@p.rlx --input @x.npy", CLI_USAGE, "no input for parameter y"},
        {"@p.rlx --input @x.npy --input @y.npy --input z=int:1", CLI_USAGE,
         "input 'z' matches no parameter of main"},
        {"@p.rlx --input @x.npy --input @y.npy --input int:1", CLI_USAGE,
         "input 'int:1' matches no parameter of main"},
        {"@p.rlx --input x=@x.npy --input x=@x.npy --input @y.npy", CLI_USAGE,
         "input 'x' is given twice"},
        {"@p.rlx --input x=@nowhere.npy --random", CLI_FAILED, "input x: "},
        {"@p.rlx --input x=@p.rlx --random", CLI_FAILED, "the magic is missing"},
        {"@p.rlx --input x=int:1z --random", CLI_FAILED, "'int:1z' is not an integer"},
        {"@p.rlx --input x=float: --random", CLI_FAILED, "'float:' is not a number"},
        {"@p.rlx --input x=shape:1,,2 --random", CLI_FAILED, "'shape:1,,2' is not a list"},
        {"@p.rlx --input @x.npy --input @x.npy", CLI_FAILED, "y"},
        {"@p.rlx -f scalars --input int:200 --random", CLI_FAILED, "200 does not fit in int8"},
        {"@p.rlx -f scalars --input float:1 --random", CLI_FAILED, "a float is not a valid int8"},
        {"@p.rlx -f open --random", CLI_USAGE, "x: dimension 0 is unknown; give an --input"},
        {"@p.rlx -f scalars --random", CLI_USAGE, "o: cannot be generated at random"},
        {"@p.rlx -f man", CLI_FAILED, "has no function 'man'; did you mean 'main'?"},
        {"@p.rlx -f helper", CLI_FAILED, "has no function 'helper'"},
        {"@p.rlx -f broken --input int:4", CLI_FAILED, "n must be three"},
        {"@nowhere.rlx", CLI_FAILED, "nowhere.rlx"},
        {"@x.npy", CLI_FAILED, "x.npy"},
    };
    EXPECT_ROWS(cli_command_run, rows);
}

static void expect_npy(cli_fixture *f, const char *name, rlx_dtype dtype, uint32_t ndim,
                       const void *bytes)
{
    rlx_tensor *x = NULL;
    rlx_error err = {0};
    cr_assert_eq(npy_read(in_folder(f, name), &x, &err), RLX_OK, "%s", err.message);
    cr_expect(rlx_dtype_eq(rlx_tensor_dtype(x), dtype), "%s", name);
    cr_expect_eq(rlx_tensor_ndim(x), ndim, "%s", name);
    cr_expect_eq(memcmp(rlx_tensor_data(x), bytes, rlx_tensor_nbytes(x)), 0, "%s", name);
    rlx_value_release(rlx_of_tensor(x));
}

RLX_TEST(cli, run_writes_results)
{
    cli_fixture f;
    const float five = 5;
    const double half = 0.5;
    const int64_t minus = -5, yes = 1, dims[] = {1, 6};
    const uint16_t bits = 0x3f80;
    start(&f);
    expect_command(&f, cli_command_run,
                   "@p.rlx -f nested --input p.0=@v.npy --input p.1.0=int:-5 --input p.1.1=int:1 "
                   "--input q=float:0.5 -o @out.npy -o 1=@q -o 0.1=@in.npy",
                   CLI_OK, "");
    cr_expect_str_eq(f.out, "");
    expect_npy(&f, "out.0.0.npy", RLX_F32, 1, &five);
    expect_npy(&f, "out.0.1.0.npy", RLX_I64, 0, &minus);
    expect_npy(&f, "out.0.1.1.npy", RLX_I64, 0, &yes);
    expect_npy(&f, "out.1.npy", RLX_F64, 0, &half);
    expect_npy(&f, "q", RLX_F64, 0, &half);
    expect_npy(&f, "in.0.npy", RLX_I64, 0, &minus);
    expect_command(&f, cli_command_run,
                   "@p.rlx -f brain --input @bits.npy --input shape:1,6 -o result=@b.npy", CLI_OK,
                   "");
    expect_npy(&f, "b.0.npy", RLX_U16, 1, &bits);
    expect_npy(&f, "b.1.npy", RLX_I64, 1, dims);
    cr_expect_not(exists(&f, "out.npy"));
    expect_command(&f, cli_command_run, "@p.rlx -f open --input @v.npy -o 0=@only.npy", CLI_OK, "");
    expect_npy(&f, "only.npy", RLX_F32, 1, &five);
    expect_command(&f, cli_command_run, "@p.rlx -f open --input @v.npy -o 0.0=@no.npy", CLI_FAILED,
                   "the result has no field 0.0");
    expect_command(&f, cli_command_run, "@p.rlx --random --dim n=1 -o 2=@no.npy", CLI_FAILED,
                   "the result has no field 2");
    expect_command(&f, cli_command_run, "@p.rlx -f shout -o @no.npy", CLI_FAILED,
                   "a none cannot be written");
    expect_command(&f, cli_command_run, "@p.rlx --random --dim n=1 -o @no/where.npy", CLI_FAILED,
                   "No such file");
    fixture_deinit(&f);
}

RLX_TEST(cli, the_seed_decides_random_inputs)
{
    cli_fixture f;
    char first[4096];
    start(&f);
    expect_command(&f, cli_command_run, "@p.rlx --random --dim n=5 --seed 7", CLI_OK, "(5, 4)");
    snprintf(first, sizeof first, "%.4000s", f.out);
    expect_command(&f, cli_command_run, "@p.rlx --random --dim n=5 --seed 7", CLI_OK, first);
    expect_command(&f, cli_command_run, "@p.rlx --random --dim n=5 --seed 8", CLI_OK, "(5, 4)");
    cr_expect_str_neq(f.out, first);
    fixture_deinit(&f);
}

/* Expects |keys| in |text|, in this order. */
static void expect_keys(const char *text, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *at = strstr(text, keys[i]);
        cr_assert(at, "%s is missing or out of order in %s", keys[i], text);
        text = at + strlen(keys[i]);
    }
}

RLX_TEST(cli, time_gives_its_keys_and_states_what_it_counts)
{
    static const char *const keys[] = {
        "{\"function\": \"main\"", "\"dims\": {\"n\": 3}", "\"threads\": 1",  "\"number\": 4",
        "\"repeat\": 5",           "\"min_ns\": ",         "\"median_ns\": ", "\"mean_ns\": ",
        "\"stddev_ns\": ",         "\"p90_ns\": ",         "\"max_ns\": ",    "}\n"};
    static const row rows[] = {
        {"@p.rlx --dim n=2 --repeat 3 --number 2", CLI_OK, "3 samples of 2 calls after 1"},
        {"@p.rlx --dim n=2 --repeat 2 --min-repeat-ms 1 --cooldown-ms 1 --warmup 0", CLI_OK,
         "the inputs are in place before"},
        {"@p.rlx --input @x.npy --input @y.npy", CLI_OK, "main  n=2  threads=1"},
        {"@p.rlx", CLI_USAGE, "add --dim n="},
        {"@p.rlx --repeat 0 --dim n=2", CLI_USAGE, "option --repeat needs a number from 1"},
        {"@p.rlx --number 0 --dim n=2", CLI_USAGE, "option --number needs a number from 1"},
        {"@p.rlx --repaet 3", CLI_USAGE, "did you mean --repeat?"},
        {"@p.rlx -f broken", CLI_USAGE, "symbol s0 has no value"},
        {"@p.rlx -f broken --input int:4", CLI_FAILED, "n must be three"},
    };
    cli_fixture f;
    start(&f);
    expect_command(&f, cli_command_time, "@p.rlx --dim n=3 --number 4 --repeat 5 --json", CLI_OK,
                   "{");
    expect_keys(f.out, keys, sizeof keys / sizeof *keys);
    expect_command(&f, cli_command_time, "@p.rlx -f shout --json", CLI_OK, "{\"function\"");
    cr_expect_eq(f.out[0], '{', "what the function prints is not in the JSON: %s", f.out);
    fixture_deinit(&f);
    EXPECT_ROWS(cli_command_time, rows);
}

RLX_TEST(cli, profile_counts_calls_and_writes_a_trace)
{
    static const char *const groups[] = {"\"function\": \"main\"",
                                         "\"number\": 3",
                                         "\"groups\": [",
                                         "\"instructions\": [",
                                         "\"function\": \"main\"",
                                         "\"pc\": ",
                                         "\"location\": \"model.py:12:9\""};
    static const char *const trace[] = {"{\"displayTimeUnit\": \"ns\", \"traceEvents\": [",
                                        "\"ph\": \"X\"", "\"ts\": ", "\"dur\": ", "]}\n"};
    cli_fixture f;
    start(&f);
    expect_command(&f, cli_command_profile,
                   "@p.rlx --dim n=3 --number 3 --json --trace @trace.json", CLI_OK,
                   "{\"kind\": \"builtin\", \"name\": \"rlx.copy\", \"calls\": 3, ");
    expect_keys(f.out, groups, sizeof groups / sizeof *groups);
    char *text = read_file(&f, "trace.json");
    expect_keys(text, trace, sizeof trace / sizeof *trace);
    cr_expect(strstr(text, "{\"name\": \"rlx.copy\", \"cat\": \"builtin\""), "%s", text);
    free(text);
    expect_command(&f, cli_command_profile, "@p.rlx --dim n=3", CLI_OK, "builtin     rlx.copy\n");
    cr_expect(strstr(f.out, "main  n=3  threads=1  1 calls after 1 to warm up"), "%s", f.out);
    expect_command(&f, cli_command_profile, "@p.rlx --dim n=3 --trace @no/where", CLI_FAILED,
                   "No such file");
    expect_command(&f, cli_command_profile, "@p.rlx", CLI_USAGE, "add --dim n=");
    expect_command(&f, cli_command_profile, "@p.rlx -f broken --input int:4", CLI_FAILED,
                   "n must be three");
    fixture_deinit(&f);
}

RLX_TEST(cli, dump_shows_parts_and_memory)
{
    static const row rows[] = {
        {"@p.rlx --functions", CLI_OK, "main(x: Tensor((n, 4), float32), y: Tensor((n * 2,), "},
        {"@p.rlx --functions", CLI_OK, "helper() -> Object  private"},
        {"@p.rlx --bytecode", CLI_OK, "call_builtin r5, "},
        {"@p.rlx --constants", CLI_OK, "string \"loud\""},
        {"@p.rlx --kernels", CLI_OK, "rlx.copy\n"},
        {"@p.rlx --memory --dim n=8", CLI_OK, "sum: 128 bytes of storage for 128 bytes"},
        {"@p.rlx --memory --dim n=8", CLI_OK, "float32 (n, 4) at 0  model.py:12:9\n"},
        {"@p.rlx --memory", CLI_OK, "n * 16 bytes"}, /* with the function's slot names */
        {"@p.rlx --memory", CLI_OK, "2 of unknown size"},
        {"@p.rlx --memory --dim zz=1", CLI_USAGE,
         "--dim zz: no function has such a symbol; it has n"},
        {"@p.rlx --memory --dim n", CLI_USAGE, "--dim needs SYMBOL=NUMBER"},
        {"@p.rlx", CLI_OK, "bytecode\n"},
        {"@p.rlx --memroy", CLI_USAGE, "did you mean --memory?"},
        {"", CLI_USAGE, "no file given"},
        {"@x.npy", CLI_FAILED, "x.npy"},
    };
    EXPECT_ROWS(cli_command_dump, rows);
}

RLX_TEST(cli, dump_shows_devices)
{
    static const char text[] =
        ".kernel k0 \"host\" dims 0 ()\n"
        ".kernel k1 \"gpu\" dims 1 (float32[s0])\n"
        ".device v1 \"opencl\" 3 \"global\" \"opencl -max_threads_per_block=256\"\n"
        ".device v2 \"cpu\" 1 \"global.sram\" \"\"\n"
        ".module m0 \"opencl\" [ \"opencl-bin:PoCL/cpu 1/3\" 3 hex \"7f00ff\", \"opencl-c\" text "
        "\"f\" ]\n"
        ".launches k1 m0 [s0 * 4, 8] { \"f\" [s0 // 256 + 1, 1, 1] [256, 1, 1] 0 (p0, u1, int64 "
        "s0) }\n"
        ".func main () -> object {\n load_const r0, true\n ret r0\n}\n";
    static const char *const shown[] = {
        "devices\n     1  opencl:3  global  for 'opencl -max_threads_per_block=256'\n"
        "     2  cpu:1  global.sram\n",
        "code for devices and loaders\n     0  opencl: 'opencl-bin:PoCL/cpu 1/3', 3 bytes; "
        "'opencl-c', 1 "
        "bytes\n",
        "launches\n     1  gpu  code 0  scratch s0 * 4, 8 bytes\n",
        "          f  grid ((s0 // 256) + 1, 1, 1)  block (256, 1, 1)  shared 0  of parameter 0, "
        "scratch 1, int64 s0\n"};
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "m.rlx", text);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        expect_command(&f, cli_command_dump, "@m.rlx --devices", CLI_OK, shown[i]);
    expect_command(&f, cli_command_dump, "@m.rlx", CLI_OK, shown[0]);
    expect_command(&f, cli_command_dump, "@m.rlx --kernels", CLI_OK, "kernels\n     0  host()");
    cr_expect(!strstr(f.out, "devices"), "%s", f.out);
    expect_command(&f, cli_command_run, "@m.rlx --no-native", CLI_FAILED,
                   "has code for devices or loaders, which --no-native refuses");
    expect_command(&f, cli_command_run, "@m.rlx", CLI_OK, "");
    assemble_to(&f, "m.rlx", ".func main () -> object {\n load_const r0, true\n ret r0\n}\n");
    expect_command(&f, cli_command_dump, "@m.rlx --devices", CLI_OK, "");
    cr_expect(!strstr(f.out, "devices"), "%s", f.out);
    fixture_deinit(&f);
}

RLX_TEST(cli, dump_shows_and_draws_memory_plans)
{
    static const char text[] = ".func main (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
                               "    .slot s0 \"n\"\n"
                               "    .buffer u0 z0 s0 * 4 2 20\n"
                               "    .buffer u1 z0 s0 * 8 10 30\n"
                               "    .buffer u2 z0 s0 * 4 20 30\n"
                               "    .buffer u3 z1 s1 * 4 20 40\n"
                               "    .tensor p0 u0 float32[s0]\n"
                               "    .tensor p1 u1 float32[s0, 2]\n"
                               "    plan z0\n"
                               "    dim_of s1, r0, 0\n"
                               "    plan z1\n"
                               "    ret r0\n"
                               "}\n";
    static const struct {
        const char *words;
        int status;
        const char *text;
    } rows[] = {
        {"@m.rlx --memory --dim n=100", CLI_OK,
         "region 0: peak 1280 bytes (1.2 KiB), lower bound 1280 (1.2 KiB), 0.0 % above it\n"},
        {"@m.rlx --memory --dim n=100", CLI_OK, "u1        10..30     offset 448 "},
        {"@m.rlx --memory --dim n=100", CLI_OK, "  Tensor((n, 2), float32)"},
        {"@m.rlx --memory --dim n=100", CLI_OK, "region 1: needs s1 (laid out when"},
        {"@m.rlx --memory", CLI_OK, "region 0: needs n (--dim gives symbols values)"},
        {"@m.rlx --memory", CLI_OK, "  peak >= (n * 4) + (n * 8)  (bytes, each"},
        {"@m.rlx --memory", CLI_OK,
         "is 1: 128, 16: 192, 128: 1536, 1024: 12288; at most 0.0 % above that\n"},
        {"@m.rlx --memory", CLI_OK, "offset ?          size n * 8"},
        {"@m.rlx --memory --svg @m.svg", CLI_USAGE, "no region has all its symbols bound"},
        {"@m.rlx --memory --dim n=100 --svg @no/m.svg", CLI_FAILED, "m.svg"},
        {"@m.rlx --memory --dim n=100 --svg @m.svg", CLI_OK, "region 0"},
        {"@m.rlx --memory --dim n=9000000000000000000", CLI_FAILED, "overflows"},
    };
    static const char fixed[] = ".func main (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
                                "    .slot s0 \"n\"\n"
                                "    .buffer u0 z0 400 2 20\n"
                                "    .tensor p0 u0 float32[s0]\n"
                                "    plan z0\n"
                                "    ret r0\n"
                                "}\n";
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "m.rlx", fixed);
    expect_command(&f, cli_command_dump, "@m.rlx --memory", CLI_OK, "region 0: peak 448 bytes");
    expect_command(&f, cli_command_dump, "@m.rlx --memory", CLI_OK, "offset 0          size 448 ");
    assemble_to(&f, "m.rlx", text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_command(&f, cli_command_dump, rows[i].words, rows[i].status, rows[i].text);
    char *svg = read_file(&f, "m.svg");
    size_t boxes = 0;
    for (const char *at = svg; (at = strstr(at, "<title>")); at++)
        boxes++;
    cr_expect_eq(boxes, 3, "%zu boxes", boxes);
    cr_expect(strstr(svg, "<svg ") == svg && strstr(svg, "u1: 832 bytes at 448") &&
              strstr(svg, "</svg>"));
    free(svg);
    fixture_deinit(&f);
}

/* A callee's memory comes on top of its caller's, as much as the largest callee takes. */
RLX_TEST(cli, dump_adds_what_callees_take)
{
    static const char text[] = ".func main (x: float32[s0!]) -> object symbols 1 {\n"
                               "    .slot s0 \"n\"\n"
                               "    .buffer u0 z0 s0 * 4 0 3\n"
                               "    plan z0\n"
                               "    call_func r1, @middle, [r0]\n"
                               "    call_func r1, @leaf, [r0]\n"
                               "    ret r1\n"
                               "}\n"
                               ".func middle (x: float32[s0!]) -> object symbols 1 {\n"
                               "    .slot s0 \"n\"\n"
                               "    .buffer u0 z0 1000 0 3\n"
                               "    plan z0\n"
                               "    call_func r1, @leaf, [r0]\n"
                               "    ret r1\n"
                               "}\n"
                               ".func leaf (x: float32[s0!]) -> object symbols 1 {\n"
                               "    .slot s0 \"n\"\n"
                               "    .buffer u0 z0 s0 * 8 0 2\n"
                               "    plan z0\n"
                               "    ret r0\n"
                               "}\n"
                               ".func fixed (x: float32[s0!]) -> object symbols 1 {\n"
                               "    .buffer u0 z0 64 0 2\n"
                               "    plan z0\n"
                               "    ret r0\n"
                               "}\n"
                               ".func calls (x: float32[s0!]) -> object symbols 1 {\n"
                               "    .slot s0 \"n\"\n"
                               "    .buffer u0 z0 s0 * 4 0 3\n"
                               "    plan z0\n"
                               "    call_func r1, @fixed, [r0]\n"
                               "    ret r1\n"
                               "}\n"
                               ".func turns (x: float32[s0!]) -> object symbols 1 {\n"
                               "    call_func r1, @turns, [r0]\n"
                               "    ret r1\n"
                               "}\n";
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "m.rlx", text);
    /* 448 of main, 1024 of middle, 832 of leaf */
    expect_command(
        &f, cli_command_dump, "@m.rlx --memory --dim n=100", CLI_OK,
        "with the functions it calls: at most 2304 bytes (2.2 KiB) if their symbols have "
        "these values as well\n");
    cr_expect(strstr(f.out, "at most 1856 bytes (1.8 KiB) if "), "%s", f.out);
    cr_expect(strstr(f.out, "at most 512 bytes (512 bytes)\n"), "%s", f.out);
    cr_expect(strstr(f.out, "memory of turns: nothing is allocated\n"
                            "  with the functions it calls: not known before the call\n"),
              "%s", f.out);
    expect_command(&f, cli_command_dump, "@m.rlx --memory", CLI_OK,
                   "with the functions it calls: not known before the call\n");
    fixture_deinit(&f);
}

RLX_TEST(cli, dump_counts_shared_constants_once)
{
    static const char text[] = ".func main () -> object {\n"
                               "    load_const r0, tensor float32 [4] { 1, 2, 3, 4 }\n"
                               "    load_const r1, tensor float32 [2, 2] { 1, 2, 3, 4 }\n"
                               "    load_const r2, tensor int32 [2] { 1, 2 }\n"
                               "    ret r0\n"
                               "}\n";
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "c.rlx", text);
    expect_command(&f, cli_command_dump, "@c.rlx --memory", CLI_OK, "constants: 24 bytes, mapped");
    fixture_deinit(&f);
}

/* Long plans on which a quadratic dump takes minutes: every second buffer lives to the end, or each
 * buffer has its own region. */
RLX_TEST(cli, dump_of_long_plans)
{
    enum { MOST = 30000 };
    char *text = malloc((size_t)MOST * 64);
    cr_assert_not_null(text);
    cli_fixture f;
    fixture_init(&f);
    for (int regions = 0; regions < 2; regions++) {
        int n = regions ? MOST : 1900;
        char *at = text + sprintf(text, ".func main () -> object {\n");
        for (int i = 0; i < n; i++)
            at += sprintf(at, "    .buffer u%d z%d s0 * %d %d %d\n", i, regions ? i : 0, i + 2,
                          2 * i, i % 2 ? 2 * n : 2 * i + 1);
        sprintf(at, "    load_const r0, true\n    ret r0\n}\n");
        assemble_to(&f, "m.rlx", text);
        expect_command(&f, cli_command_dump, "@m.rlx --memory", CLI_OK,
                       regions ? "  peak >= (s0 * 9)  (bytes" : "region 0: needs s0");
    }
    fixture_deinit(&f);
    free(text);
}

RLX_TEST(cli, asm_of_a_dump_gives_the_same_bytes)
{
    cli_fixture f;
    start(&f);
    expect_command(&f, cli_command_dump, "@p.rlx --asm", CLI_OK, ".func ");
    write_file(&f, "again.rlxasm", f.out, strlen(f.out));
    expect_command(&f, cli_command_asm, "@again.rlxasm -o @again.rlx", CLI_OK, "");
    FILE *a = fopen(in_folder(&f, "p.rlx"), "rb"), *b = fopen(in_folder(&f, "again.rlx"), "rb");
    cr_assert(a && b);
    for (int x = 0; x != EOF;) {
        x = fgetc(a);
        cr_assert_eq(x, fgetc(b));
    }
    fclose(a);
    fclose(b);
    fixture_deinit(&f);
}

RLX_TEST(cli, asm_refuses_without_a_trace)
{
    static const char wrong[] = ".func main () -> object {\n    ret r0\n}\n";
    static const char nonsense[] = ".func main () -> object {\n    jump r0\n}\n";
    cli_fixture f;
    fixture_init(&f);
    write_file(&f, "wrong.rlxasm", wrong, sizeof wrong - 1);
    write_file(&f, "nonsense.rlxasm", nonsense, sizeof nonsense - 1);
    expect_command(&f, cli_command_asm, "@wrong.rlxasm -o @out.rlx", CLI_FAILED,
                   "register 0 is used before it is assigned");
    expect_command(&f, cli_command_asm, "@nonsense.rlxasm -o @out.rlx", CLI_FAILED,
                   "nonsense.rlxasm:2:5: ");
    expect_command(&f, cli_command_asm, "@nowhere.rlxasm -o @out.rlx", CLI_FAILED, "No such file");
    expect_command(&f, cli_command_asm, "@wrong.rlxasm", CLI_USAGE, "add -o OUT.rlx");
    expect_command(&f, cli_command_asm, "-o @out.rlx", CLI_USAGE, "no file given");
    cr_expect_not(exists(&f, "out.rlx"));
    fixture_deinit(&f);
}

RLX_TEST(cli, verify_finds_damage_anywhere)
{
    static const char data[] = ".func main () -> float32[4] {\n"
                               "    load_const r0, tensor float32 [4] { 1, 2, 3, 4 }\n"
                               "    ret r0\n"
                               "}\n";
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "p.rlx", data);
    expect_command(&f, cli_command_verify, "@p.rlx", CLI_OK, "ok, 1 functions, 0 kernels, 1 const");
    FILE *file = fopen(in_folder(&f, "p.rlx"), "rb");
    cr_assert(file);
    unsigned char bytes[8192];
    size_t size = fread(bytes, 1, sizeof bytes, file), accepted = 0;
    fclose(file);
    cr_assert_lt(size, sizeof bytes);
    bytes[size - 1] ^= 0x40; /* the last byte of the last constant: loading does not check it */
    write_file(&f, "bad.rlx", bytes, size);
    expect_command(&f, cli_command_run, "@bad.rlx", CLI_OK, "tensor float32 (4,)");
    expect_command(&f, cli_command_verify, "@bad.rlx", CLI_FAILED, "checksum");
    bytes[size - 1] ^= 0x40;
    for (size_t at = 0; at < size; at += 7) {
        bytes[at] ^= 0x10;
        write_file(&f, "bad.rlx", bytes, size);
        accepted += command(&f, cli_command_verify, "@bad.rlx") == CLI_OK;
        bytes[at] ^= 0x10;
    }
    cr_expect_leq(accepted * 7, size / 4, "%zu flipped bytes of %zu went unseen", accepted * 7,
                  size);
    expect_command(&f, cli_command_verify, "", CLI_USAGE, "no file given");
    expect_command(&f, cli_command_verify, "@p.rlx -x", CLI_USAGE, "unknown option -x");
    fixture_deinit(&f);
}

RLX_TEST(cli, the_program_picks_commands)
{
    static const struct {
        const char *words, *text;
        int status;
    } rows[] = {{"--version", "rlx ", 0},
                {"--help", "profile", 0},
                {"", "usage: rlx COMMAND", 2},
                {"rnu", "unknown command rnu; did you mean run?", 2},
                {"verfiy x", "did you mean verify?", 2},
                {"xylophone", "rlx --help lists the commands", 2},
                {"run --help", "--seed S", 0},
                {"asm --help", "rlx asm FILE.rlxasm -o OUT.rlx", 0}};
    const char *build = getenv("RLX_BUILD");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[400], text[8192];
        snprintf(line, sizeof line, "%s/rlx %s 2>&1", build ? build : "build", rows[i].words);
        FILE *pipe = popen(line, "r");
        cr_assert(pipe);
        text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
        int status = pclose(pipe);
        cr_expect_eq(status >> 8, rows[i].status, "%s: %s", rows[i].words, text);
        cr_expect(strstr(text, rows[i].text), "%s: %s", rows[i].words, text);
    }
}
