/* The system's report of available memory, and requests beyond it, which are refused before
 * allocating. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/rlx_test.h"
#include "vm/memory.h"

#define GIB ((uint64_t)1 << 30)

/* --- a system of files ----------------------------------------------------------------------- */

static char root[64];

static void put(const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(whole, 0777);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    cr_assert(file, "%s", whole);
    fputs(text, file);
    fclose(file);
}

typedef struct file {
    const char *path, *text;
} file;

RLX_TEST(memory, the_least_of_machine_and_control_groups_is_available)
{
    static const file machine = {"/proc/meminfo", "MemTotal:  33554432 kB\n"
                                                  "MemFree:    1000 kB\n"
                                                  "MemAvailable:  16777216 kB\n"
                                                  "SwapFree:  1048576 kB\n"};
    static const struct {
        const char *name;
        file files[8];
        uint64_t expected; /* before subtracting the sixteenth reserved for others */
        const char *source;
    } rows[] = {
        {"no groups", {{0}}, 17 * GIB, "the machine"},
        {"version 2",
         {{"/proc/self/cgroup", "0::/a/b\n"},
          {"/sys/fs/cgroup/a/b/memory.max", "4294967296\n"},
          {"/sys/fs/cgroup/a/b/memory.current", "2147483648\n"},
          {"/sys/fs/cgroup/a/b/memory.stat", "anon 1\nfile 2\ninactive_file 1073741824\nx 3\n"}},
         3 * GIB,
         "the control group"},
        {"a group round it",
         {{"/proc/self/cgroup", "0::/a/b\n"},
          {"/sys/fs/cgroup/a/b/memory.max", "max\n"},
          {"/sys/fs/cgroup/a/b/memory.current", "5\n"},
          {"/sys/fs/cgroup/a/memory.max", "3221225472\n"},
          {"/sys/fs/cgroup/a/memory.current", "1073741824\n"}},
         2 * GIB,
         "the control group"},
        {"a container: the path is of another view",
         {{"/proc/self/cgroup", "0::/docker/123\n"},
          {"/sys/fs/cgroup/memory.max", "1073741824\n"},
          {"/sys/fs/cgroup/memory.current", "0\n"}},
         GIB,
         "the control group"},
        {"more in use than allowed",
         {{"/proc/self/cgroup", "0::/a\n"},
          {"/sys/fs/cgroup/a/memory.max", "1073741824\n"},
          {"/sys/fs/cgroup/a/memory.current", "2147483648\n"}},
         0,
         "the control group"},
        {"version 1",
         {{"/proc/self/cgroup", "5:cpu,cpuacct:/z\n4:hugetlb,memory:/job\n0::/\n"},
          {"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2147483648\n"},
          {"/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1610612736\n"},
          {"/sys/fs/cgroup/memory/job/memory.stat",
           "inactive_file 1\ntotal_inactive_file 536870912\n"}},
         GIB,
         "the control group"},
        {"version 1 without a limit",
         {{"/proc/self/cgroup", "4:memory:/\n"},
          {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
          {"/sys/fs/cgroup/memory/memory.usage_in_bytes", "1610612736\n"}},
         17 * GIB,
         "the machine"},
        {"nothing that makes sense",
         {{"/proc/self/cgroup", ":::\n\nxx\n7:memory\n0::/a\n"},
          {"/sys/fs/cgroup/a/memory.max", "-5\n"},
          {"/sys/fs/cgroup/a/memory.current", ""}},
         17 * GIB,
         "the machine"},
    };
    char words[128];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        strcpy(root, "/tmp/rlx-memory-XXXXXX");
        cr_assert(mkdtemp(root));
        put(machine.path, machine.text);
        for (const file *f = rows[i].files; f->path; f++)
            put(f->path, f->text);
        const rlx_memory m = rlxv_memory_below(root);
        cr_expect_eq(m.available, rows[i].expected - rows[i].expected / 16, "%s: %llu bytes",
                     rows[i].name, (unsigned long long)m.available);
        cr_expect_str_eq(m.source, rows[i].source, "%s", rows[i].name);
        snprintf(words, sizeof words, "rm -r %s", root);
        cr_assert_eq(system(words), 0);
    }
    strcpy(root, "/nowhere");
    cr_expect_eq(rlxv_memory_below(root).available, UINT64_MAX);
    const rlx_memory now = rlx_memory_now();
    cr_expect(now.available > 0 && now.available < UINT64_MAX, "this machine says nothing");
}

/* --- sizes that do not fit -------------------------------------------------------------------- */

/* Every way for a call to allocate, for x of s0 floats or the number s0. */
static const char program[] = ".func planned (n: prim(int64, s0!)) -> object symbols 1 {\n"
                              "    .buffer u0 z0 s0 * 4 0 99\n"
                              "    .tensor p0 u0 float32[s0]\n"
                              "    plan z0\n"
                              "    plan_tensor r1, p0\n"
                              "    make_shape r2, [s0]\n"
                              "    ret r2\n"
                              "}\n"
                              ".func tensor (n: prim(int64, s0!)) -> object symbols 1 {\n"
                              "    new_tensor r1, float32, [s0]\n"
                              "    make_shape r2, [s0]\n"
                              "    ret r2\n"
                              "}\n"
                              ".func storage (n: prim(int64, s0!)) -> object symbols 1 {\n"
                              "    eval_slot s1, s0 * 4\n"
                              "    alloc_storage r1, s1, 64\n"
                              "    make_shape r2, [s0]\n"
                              "    ret r2\n"
                              "}\n"
                              "# each half would fit, both do not, though neither is touched\n"
                              ".func halves (n: prim(int64, s0!)) -> object symbols 1 {\n"
                              "    eval_slot s1, s0 // 2\n"
                              "    new_tensor r1, float32, [s1]\n"
                              "    new_tensor r2, float32, [s1]\n"
                              "    make_shape r3, [s0]\n"
                              "    ret r3\n"
                              "}\n";

static const char *const names[] = {"planned", "tensor", "storage", "halves"};
enum { N_NAMES = sizeof names / sizeof *names };

RLX_TEST(memory, a_size_that_does_not_fit_is_refused_before_it_is_touched)
{
    rlx_executable *exe = rlx_test_load(t, program);
    const rlx_memory now = rlx_memory_now();
    const int64_t sizes[] = {99999999999, (int64_t)1 << 43, (int64_t)(now.available / 8) * 3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int k = 0; k < N_NAMES; k++) {
            rlx_vm *vm; /* without the test's allocator, which would touch the memory */
            RLX_OKAY(rlx_vm_create(exe, NULL, &vm, &t->error));
            rlx_value n = rlx_int(sizes[i]), out;
            RLX_FAILS(rlx_vm_invoke(vm, rlx_str_from(names[k]), &n, 1, &out, &t->error),
                      RLX_E_LIMIT, "needs ");
            cr_expect(strstr(t->error.message, "available"), "%s: %s", names[k], t->error.message);
            /* the VM keeps working */
            n = rlx_int(1000);
            RLX_OKAY(rlx_vm_invoke(vm, rlx_str_from(names[k]), &n, 1, &out, &t->error));
            rlx_value_release(out);
            rlx_vm_destroy(vm);
        }
        rlx_tensor *tensor;
        RLX_FAILS(rlx_tensor_create(NULL, RLX_F32, 1, &sizes[i], &tensor, &t->error), RLX_E_LIMIT,
                  "available");
    }
    rlx_executable_release(exe);
}

RLX_TEST(memory, the_host_may_say_that_there_is_no_limit)
{
    rlx_executable *exe =
        rlx_test_load(t, ".func main (n: prim(int64, s0!)) -> object symbols 1 {\n"
                         "    new_tensor r1, uint8, [s0]\n"
                         "    make_shape r2, [s0]\n"
                         "    ret r2\n"
                         "}\n");
    rlx_value n = rlx_int((int64_t)(rlx_memory_now().available / 16 * 15)), out;
    for (int unlimited = 0; unlimited < 2; unlimited++) {
        const rlx_vm_options options = {.max_bytes = unlimited ? UINT64_MAX : 1 << 20};
        rlx_vm *vm;
        RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
        rlx_status status = rlx_vm_invoke(vm, RLX_STR("main"), &n, 1, &out, &t->error);
        cr_expect_eq(status, unlimited ? RLX_OK : RLX_E_LIMIT, "%s", t->error.message);
        if (status == RLX_OK)
            rlx_value_release(out);
        rlx_vm_destroy(vm);
    }
    rlx_executable_release(exe);
}

#ifndef __SANITIZE_ADDRESS__
/* With a limit on the address space, as by ulimit -v: a size between the limit and the machine's
 * memory. */
RLX_TEST(memory, the_limit_on_the_address_space_counts)
{
    pid_t child = fork();
    int status;
    cr_assert_geq(child, 0);
    if (child == 0) {
        FILE *statm = fopen("/proc/self/statm", "r");
        unsigned long long pages = 0;
        if (!statm || fscanf(statm, "%llu", &pages) != 1)
            _exit(1);
        fclose(statm);
        const rlim_t most = (rlim_t)pages * 4096 + GIB;
        if (setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) != 0)
            _exit(2);
        const int64_t fits = 256 << 20, not = (int64_t)2 * (int64_t)GIB;
        rlx_tensor *tensor;
        if (rlx_tensor_create(NULL, RLX_U8, 1, &fits, &tensor, &t->error) != RLX_OK)
            _exit(3);
        if (rlx_tensor_create(NULL, RLX_U8, 1, &not, &tensor, &t->error) != RLX_E_LIMIT)
            _exit(4);
        _exit(strstr(t->error.message, "the limit on the address space") ? 0 : 5);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_eq(status, 0, "status %#x", (unsigned)status);
}
#endif
