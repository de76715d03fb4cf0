/* rlxc --mcpu A,B,C: one file with a program for each CPU level. RLX_CPU_FEATURES hides features of
 * this machine to run each level. Weights with the same layout at all levels are stored once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "rlx/vm.h"
#include "tests/compiler/cpus.h"
#include "tests/support/rlx_test.h"

enum { K = 48, N = 40, TABLE = 20000, MOST = 4096 };

#define V2 "sse3,ssse3,sse4.1,sse4.2,popcnt"
#define V3 V2 ",avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe"

/* y = x w, whose panels differ by level, and table[i], the same at all levels. */
static const char MODULE[] =
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 48), \"float32\"), i: R.Tensor((\"n\",), \"int64\"),\n"
    "             w: R.Tensor((48, 40), \"float32\"), table: R.Tensor((20000,), \"float32\")):\n"
    "        R.func_attr({\"num_input\": 2})\n"
    "        with R.dataflow():\n"
    "            y = R.matmul(x, w)\n"
    "            z = R.take(table, i, axis=0)\n"
    "            r = (y, z)\n"
    "            R.output(r)\n"
    "        return r\n";

static float weight(int k, int j)
{
    return (float)((k * 7 + j * 3) % 11 - 5) / 8;
}

static float entry(int i)
{
    return (float)(i * 37 % 4096);
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(data, 1, size, f) == size && fclose(f) == 0, "%s", path);
}

typedef struct place {
    char folder[32], model[64], weights[64];
} place;

static void begin(place *p)
{
    static float data[K * N + TABLE];
    static char file[512 + sizeof data];
    snprintf(p->folder, sizeof p->folder, "/tmp/rlx-test-XXXXXX");
    cr_assert_not_null(mkdtemp(p->folder));
    snprintf(p->model, sizeof p->model, "%s/m.py", p->folder);
    snprintf(p->weights, sizeof p->weights, "%s/w.safetensors", p->folder);
    for (int i = 0; i < K * N; i++)
        data[i] = weight(i / N, i % N);
    for (int i = 0; i < TABLE; i++)
        data[K * N + i] = entry(i);
    const int n = snprintf(
        file + 8, 500,
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[48,40],\"data_offsets\":[0,%d]},\"table\":{\"dtype\":"
        "\"F32\",\"shape\":[20000],\"data_offsets\":[%d,%d]}}",
        4 * K * N, 4 * K * N, 4 * (K * N + TABLE));
    memset(file, 0, 8);
    file[0] = (char)n;
    file[1] = (char)(n >> 8);
    memcpy(file + 8 + n, data, sizeof data);
    write_file(p->model, MODULE, strlen(MODULE));
    write_file(p->weights, file, 8 + (size_t)n + sizeof data);
}

static void end(place *p)
{
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", p->folder);
    cr_expect_eq(system(line), 0);
}

/* Compiles for |cpus| into |out|, with |more| options unless NULL; |said| gets rlxc's messages.
 * Returns its exit status. */
static int compile_with(const place *p, const char *cpus, const char *const *more, char *out,
                        size_t size, char *said)
{
    snprintf(out, size, "%s/%s.rlx", p->folder, cpus);
    char *argv[] = {(char[]){"rlxc"},
                    (char *)(uintptr_t)p->model,
                    (char[]){"--params"},
                    (char *)(uintptr_t)p->weights,
                    (char[]){"--mcpu"},
                    (char *)(uintptr_t)cpus,
                    (char[]){"-o"},
                    out,
                    NULL,
                    NULL,
                    NULL,
                    NULL};
    int n = 8;
    for (; more && *more; more++)
        argv[n++] = (char *)(uintptr_t)*more;
    FILE *err = fmemopen(said, MOST, "w");
    said[0] = '\0';
    const int status = rlxc_main(n, argv, stdout, err);
    fclose(err);
    return status;
}

static int compile(const place *p, const char *cpus, char *out, size_t size, char *said)
{
    return compile_with(p, cpus, NULL, out, size, said);
}

static off_t size_of(const char *path)
{
    struct stat st;
    cr_assert_eq(stat(path, &st), 0, "%s", path);
    return st.st_size;
}

/* Runs the file with |features| of this machine hidden; returns the level chosen. */
static uint32_t run(rlx_test *t, const char *path, const char *features, int64_t n)
{
    const rlx_load_options options = {.allocator = &t->allocator, .trust_native = true};
    rlx_executable *exe;
    rlx_tensor *x, *i;
    rlx_value out;
    setenv("RLX_CPU_FEATURES", features, 1);
    RLX_OKAY(rlx_executable_load_file(path, &options, &exe, &t->error));
    const uint32_t level = rlx_executable_level(exe);
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 2, (int64_t[]){n, K}, &x, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_I64, 1, (int64_t[]){n}, &i, &t->error));
    float *xs = rlx_tensor_mutable_data(x);
    int64_t *is = rlx_tensor_mutable_data(i);
    for (int64_t k = 0; k < n * K; k++)
        xs[k] = (float)(k % 13 - 6) / 4;
    for (int64_t k = 0; k < n; k++)
        is[k] = k * 1999 % TABLE;
    const rlx_value args[2] = {rlx_of_tensor(x), rlx_of_tensor(i)};
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &out, &t->error));
    const rlx_tensor *y = rlx_tuple_get(out.as.tuple, 0).as.tensor,
                     *z = rlx_tuple_get(out.as.tuple, 1).as.tensor;
    const float *ys = rlx_tensor_data(y), *zs = rlx_tensor_data(z);
    for (int64_t r = 0; r < n; r++) {
        cr_expect_eq(zs[r], entry((int)is[r]));
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += (double)xs[r * K + k] * (double)weight(k, j);
            cr_expect(fabs((double)ys[r * N + j] - sum) < 1e-4, "level %u, row %d, column %d",
                      level, (int)r, j);
        }
    }
    rlx_value_release(out);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return level;
}

RLX_TEST(levels, a_file_runs_at_each_of_its_levels)
{
    static const int64_t rows[] = {0, 1, 5, 33};
    char file[128], single[3][128], said[MOST];
    static const char *const cpus[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    const bool runs[] = {cpu_runs(cpus[0]), cpu_runs(cpus[1]), cpu_runs(cpus[2])};
    off_t largest = 0, sum = 0;
    place p;
    begin(&p);
    cr_assert_eq(compile(&p, "x86-64-v4,x86-64-v2,x86-64-v3", file, sizeof file, said), 0, "%s",
                 said);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(compile(&p, cpus[i], single[i], sizeof single[i], said), 0, "%s", said);
        sum += size_of(single[i]);
        largest = size_of(single[i]) > largest ? size_of(single[i]) : largest;
    }
    /* the table, most of the file, is stored once */
    cr_expect_lt(size_of(file), largest + (sum - largest) - 2 * 4 * TABLE + 4096);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (runs[0])
            cr_expect_eq(run(t, file, V2, rows[i]), 1u);
        if (runs[1])
            cr_expect_eq(run(t, file, V3, rows[i]), 2u);
        if (runs[2])
            cr_expect_eq(run(t, file, V3 ",avx512f,avx512bw,avx512cd,avx512dq,avx512vl", rows[i]),
                         3u);
    }
    end(&p);
}

RLX_TEST(levels, a_program_of_device_kernels_alone_has_none)
{
    static const char *const device[] = {"--default-device", "opencl:0", "--device-target",
                                         "opencl", NULL};
    char file[128], said[MOST];
    rlx_executable *exe;
    place p;
    begin(&p);
    cr_assert_eq(compile_with(&p, "x86-64-v2,x86-64-v3", device, file, sizeof file, said), 0, "%s",
                 said);
    const rlx_load_options options = {.allocator = &t->allocator};
    RLX_OKAY(rlx_executable_load_file(file, &options, &exe, &t->error));
    cr_expect_eq(rlx_executable_level(exe), 0u);
    rlx_executable_release(exe);
    end(&p);
}

RLX_TEST(levels, dump_and_verify_show_them)
{
    static const struct {
        const char *features, *command, *lines[3];
    } rows[] = {
        {V2,
         "dump --meta",
         {"     1  x86-64-v2  x86_64-pc-linux-gnu  runs here  (shown below)\n",
          "     2  x86-64-v3  x86_64-pc-linux-gnu  this CPU lacks avx\n", "--mcpu=x86-64-v2\n"}},
        {V3,
         "dump --meta",
         {"     1  x86-64-v2  x86_64-pc-linux-gnu\n",
          "     2  x86-64-v3  x86_64-pc-linux-gnu  runs here  (shown below)\n",
          "--mcpu=x86-64-v3\n"}},
        {V3,
         "dump --meta --level 1",
         {"x86-64-v2  x86_64-pc-linux-gnu  (shown below)\n",
          "x86-64-v3  x86_64-pc-linux-gnu  runs here\n", "--mcpu=x86-64-v2\n"}},
        {"", "verify", {": ok, 1 functions, ", ", 2 CPU levels\n", ""}},
        {"", "dump --level 3", {"level 3 is requested, the file has 2", "", ""}},
    };
    const char *build = getenv("RLX_BUILD");
    char file[128], said[MOST], line[256];
    place p;
    begin(&p);
    cr_assert_eq(compile(&p, "x86-64-v2,x86-64-v3", file, sizeof file, said), 0, "%s", said);
    const bool all = cpu_runs("x86-64-v3");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && all; i++) {
        snprintf(line, sizeof line, "RLX_CPU_FEATURES=%s %s/rlx %s %s 2>&1", rows[i].features,
                 build ? build : "build", rows[i].command, file);
        FILE *pipe = popen(line, "r");
        cr_assert(pipe);
        said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
        pclose(pipe);
        for (int k = 0; k < 3; k++)
            cr_expect(strstr(said, rows[i].lines[k]), "%s: %s", line, said);
    }
    end(&p);
}

RLX_TEST(levels, command_lines_that_make_no_sense_are_refused)
{
    static const struct {
        const char *cpus, *message;
        int status;
    } rows[] = {
        {"x86-64-v2,", "expected names of CPUs with commas between them", 2},
        {"x86-64-v2,,x86-64-v3", "expected names of CPUs", 2},
        {"a,b,c,d,e,f,g,h,i", "more than 8 CPUs", 2},
        {"x86-64-v2,x86-64-v2", "CPU x86-64-v2 is listed twice", 2},
        {"x86-64-v2,i486", "unknown CPU \"i486\"", 1},
    };
    char file[128], said[MOST];
    place p;
    (void)t;
    begin(&p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(compile(&p, rows[i].cpus, file, sizeof file, said), rows[i].status, "%s",
                     rows[i].cpus);
        cr_expect(strstr(said, rows[i].message), "%s: %s", rows[i].cpus, said);
        cr_expect_neq(access(file, F_OK), 0, "%s", rows[i].cpus);
    }
    end(&p);
}
