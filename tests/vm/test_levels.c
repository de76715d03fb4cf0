/* Files for several CPU levels: which level is loaded, what levels share, and which files are
 * refused. */
#include "native_image.h"

#include <rlx/cpu.h>

#include <stdlib.h>
#include <unistd.h>

enum { N = 3, WEIGHTS = 4096 };

static const char *const features[N] = {NULL, "sse3", "avx2"};
static const char *const names[N] = {"plain", "middle", "best"};

/* The builder of a level whose main returns |number|. It holds two constants of |WEIGHTS| bytes:
 * one shared by all levels, one of its own. */
static rlx_exec_builder *level(rlx_test *t, uint32_t number, uint8_t *weights, const char *feature)
{
    const rlx_str needs = rlx_str_from(feature ? feature : "");
    rlx_exec_builder *b;
    uint32_t constant, fn, words[2];
    rlx_type_info any = {.kind = RLX_TYPE_OBJECT};
    uint32_t object;
    memset(weights, 7, WEIGHTS);
    memset(weights + WEIGHTS, (int)number, WEIGHTS);
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
    RLX_OKAY(rlx_exec_builder_type(b, &any, &object, &t->error));
    for (uint32_t i = 0; i < 2; i++)
        RLX_OKAY(rlx_exec_builder_const_tensor(b, RLX_U8, 1, (int64_t[]){WEIGHTS},
                                               weights + i * WEIGHTS, &constant, &t->error));
    RLX_OKAY(
        rlx_exec_builder_native(b, RLX_STR(TRIPLE), &needs, feature ? 1 : 0, "code", 4, &t->error));
    RLX_OKAY(rlx_exec_builder_const_value(b, rlx_int(number), &constant, &t->error));
    RLX_OKAY(rlx_exec_builder_declare(b, RLX_STR("main"), true, &fn, &t->error));
    RLX_OKAY(rlx_exec_builder_begin(b, fn, NULL, 0, object, 0, &t->error));
    words[0] = 0, words[1] = constant;
    RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_LOAD_CONST, words, 2, &t->error));
    RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_RET, words, 1, &t->error));
    RLX_OKAY(rlx_exec_builder_end(b, &t->error));
    return b;
}

static image file_of_levels(rlx_test *t)
{
    static uint8_t weights[N][2 * WEIGHTS];
    rlx_exec_builder *all, *levels[N];
    image m;
    void *data;
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &all, &t->error));
    for (uint32_t i = 0; i < N; i++) {
        levels[i] = level(t, i + 1, weights[i], features[i]);
        RLX_OKAY(rlx_exec_builder_level(all, rlx_str_from(names[i]), levels[i], &t->error));
    }
    RLX_OKAY(rlx_exec_builder_finish(all, &data, &m.size, &t->error));
    m.data = data;
    for (uint32_t i = 0; i < N; i++)
        rlx_exec_builder_destroy(levels[i]);
    rlx_exec_builder_destroy(all);
    return m;
}

static rlx_status load(rlx_test *t, const image *m, uint32_t wanted, rlx_executable **out)
{
    const rlx_load_options options = {.allocator = &t->allocator, .level = wanted};
    return rlx_executable_load_memory(m->data, m->size, &options, out, &t->error);
}

static int64_t result(rlx_test *t, rlx_executable *exe)
{
    rlx_value out;
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
    rlx_vm_destroy(vm);
    return out.as.i;
}

RLX_TEST(levels, the_best_that_runs_here_is_loaded)
{
    static const struct {
        const char *features; /* the machine's features; NULL: all of them */
        uint32_t wanted, level;
    } rows[] = {{"", 0, 1},     {"sse3", 0, 2}, {"sse3,avx,avx2", 0, 3},
                {"avx2", 0, 3}, {"sse3", 1, 1}, {"", 3, 3} /* nothing of it runs */,
                {"fma", 0, 1}};
    image m = file_of_levels(t);
    if (!rlx_cpu_has(RLX_STR("avx2"))) { /* other architectures, old CPUs */
        rlx_executable *exe;
        RLX_OKAY(load(t, &m, 0, &exe));
        cr_expect_lt(rlx_executable_level(exe), 3u);
        rlx_executable_release(exe);
        image_free(t, &m);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_executable *exe;
        rlx_level_info info;
        setenv("RLX_CPU_FEATURES", rows[i].features, 1);
        RLX_OKAY(load(t, &m, rows[i].wanted, &exe));
        cr_expect_eq(rlx_executable_level(exe), rows[i].level, "row %zu", i);
        cr_expect_eq(rlx_executable_level_count(exe), (uint32_t)N);
        cr_expect_eq(result(t, exe), rows[i].level, "row %zu", i);
        for (uint32_t k = 1; k <= N; k++) {
            cr_assert(rlx_executable_level_info(exe, k, &info));
            cr_expect(rlx_str_eq(info.name, rlx_str_from(names[k - 1])));
            cr_expect(rlx_str_eq(info.triple, RLX_STR(TRIPLE)));
            cr_expect(
                rlx_str_eq(info.features, rlx_str_from(features[k - 1] ? features[k - 1] : "")));
            cr_expect_eq(info.runs, k == 1 || strstr(rows[i].features, features[k - 1]) != NULL,
                         "row %zu, level %u", i, k);
        }
        cr_expect(!rlx_executable_level_info(exe, 0, &info));
        cr_expect(!rlx_executable_level_info(exe, N + 1, &info));
        rlx_executable_release(exe);
    }
    image_free(t, &m);
}

RLX_TEST(levels, machine_code_of_the_level_runs)
{
    char folder[] = "/tmp/rlx-test-XXXXXX", source[160];
    rlx_exec_builder *all, *levels[N];
    const rlx_load_options options = {.allocator = &t->allocator, .trust_native = true};
    cr_assert_not_null(mkdtemp(folder));
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &all, &t->error));
    for (int i = 0; i < N; i++) {
        snprintf(source, sizeof source,
                 "int k(void *const *b, const long *d, void *c)"
                 "{ (void)d; (void)c; *(int *)b[0] = %d; return 0; }\n",
                 i + 1);
        levels[i] = native_builder(t, folder, source, i == 0 ? "sse3" : features[i]);
        RLX_OKAY(rlx_exec_builder_level(all, rlx_str_from(names[i]), levels[i], &t->error));
    }
    for (int i = N; i >= 0 && rlx_cpu_has(RLX_STR("avx2")); i--) {
        static const char *const machines[] = {"", "sse3", "sse3", "sse3,avx2"};
        rlx_executable *exe = NULL;
        rlx_value out;
        setenv("RLX_CPU_FEATURES", machines[i], 1);
        rlx_status status = rlx_exec_builder_load(all, &options, &exe, &t->error);
        if (i == 0) {
            RLX_FAILS(status, RLX_E_VERSION,
                      "this machine can run none of the 3 CPU levels; the first, plain: the "
                      "kernels need the "
                      "CPU feature sse3, which this CPU lacks");
            continue;
        }
        RLX_OKAY(status);
        rlx_vm *vm = rlx_test_vm(t, exe);
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
        cr_expect_eq(*(const int *)rlx_tensor_data(out.as.tensor), i == 3 ? 3 : 2);
        rlx_value_release(out);
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
    }
    for (int i = 0; i < N; i++)
        rlx_exec_builder_destroy(levels[i]);
    rlx_exec_builder_destroy(all);
    rmdir(folder);
}

/* Equal bytes are stored once: one block shared by all levels, and one for each level. */
RLX_TEST(levels, equal_constants_are_kept_once)
{
    image m = file_of_levels(t);
    const uint8_t *entry = image_entry(&m, RLXV_SECTION_DATA);
    cr_assert(entry);
    cr_expect_eq(rlxv_load_u64(entry + 16), (uint64_t)(1 + N) * WEIGHTS);
    for (uint32_t k = 1; k <= N; k++) {
        rlx_executable *exe;
        RLX_OKAY(load(t, &m, k, &exe));
        RLX_OKAY(rlx_executable_verify_constants(exe, &t->error));
        for (uint32_t c = 0; c < 2; c++) {
            const uint8_t *bytes = rlx_tensor_data(rlx_executable_constant(exe, c).as.tensor);
            cr_expect_eq(bytes[0], c == 0 ? 7 : k);
            cr_expect_eq(bytes[WEIGHTS - 1], c == 0 ? 7 : k);
        }
        rlx_executable_release(exe);
    }
    image_free(t, &m);
}

/* Also in a file without levels, whose two constants are equal. */
RLX_TEST(levels, equal_constants_of_one_program_are_kept_once)
{
    static uint8_t weights[2 * WEIGHTS];
    image m;
    void *data;
    rlx_executable *exe;
    rlx_exec_builder *b = level(t, 7, weights, NULL);
    RLX_OKAY(rlx_exec_builder_finish(b, &data, &m.size, &t->error));
    rlx_exec_builder_destroy(b);
    m.data = data;
    cr_expect_eq(rlxv_load_u64(image_entry(&m, RLXV_SECTION_DATA) + 16), (uint64_t)WEIGHTS);
    RLX_OKAY(load(t, &m, 0, &exe));
    RLX_OKAY(rlx_executable_verify_constants(exe, &t->error));
    for (uint32_t c = 0; c < 2; c++) {
        const uint8_t *bytes = rlx_tensor_data(rlx_executable_constant(exe, c).as.tensor);
        cr_expect(bytes[0] == 7 && bytes[WEIGHTS - 1] == 7);
    }
    rlx_executable_release(exe);
    image_free(t, &m);
}

/* The first row of the section table with level |wanted|. */
static uint8_t *row_of(const image *m, uint32_t wanted)
{
    uint8_t *e = m->data + RLXV_HEADER_BYTES;
    while (rlxv_load_u32(e + 36) != wanted)
        e += RLXV_SECTION_BYTES;
    return e;
}

RLX_TEST(levels, damaged_files_are_refused)
{
    static const struct {
        const char *what, *message;
    } rows[] = {
        {"more levels than rows", "the levels section"},
        {"no level", "the levels section has no or too many levels"},
        {"nine levels", "the levels section"},
        {"a name that leaves the section", "the levels section ends early"},
        {"a name that is not UTF-8", "the levels section has text that is not UTF-8"},
        {"a section of a level that is not there", "is of level 7, the file has 3"},
        {"a section of a level past all", "unknown section flags"},
        {"a section of no level", "is of no level"},
        {"constants of a level", "unknown section flags"},
        {"a section twice in a level", "appears twice"},
        {"levels without their section", "is of level 1, the file has 0"},
        {"an older minor", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image m = file_of_levels(t);
        uint8_t *levels = image_entry(&m, RLXV_SECTION_LEVELS), *e;
        uint8_t *text = image_section(&m, RLXV_SECTION_LEVELS);
        rlx_executable *exe = NULL;
        switch (i) {
        case 0:
            image_store(levels + 32, N + 1, 4);
            break;
        case 1:
            image_store(levels + 32, 0, 4);
            break;
        case 2:
            image_store(levels + 32, 9, 4);
            break;
        case 3:
            image_store(text, UINT32_MAX, 4);
            break;
        case 4:
            text[12] = 0xff;
            break;
        case 5:
            image_store(row_of(&m, 1) + 36, 7, 4);
            break;
        case 6:
            image_store(row_of(&m, 1) + 36, 9, 4);
            break;
        case 7:
            image_store(row_of(&m, 1) + 36, 0, 4);
            break;
        case 8:
            image_store(image_entry(&m, RLXV_SECTION_DATA) + 36, 1, 4);
            break;
        case 9:
            e = row_of(&m, 2);
            image_store(e + RLXV_SECTION_BYTES, rlxv_load_u32(e), 4);
            break;
        case 10:
            image_store(levels, 99, 4); /* an unknown kind, no longer required */
            image_store(levels + 4, 0, 4);
            break;
        default:
            break;
        }
        image_seal(&m);
        if (rows[i].message)
            RLX_FAILS(load(t, &m, 0, &exe), RLX_E_INVALID_MODULE, rows[i].message);
        else
            RLX_OKAY(load(t, &m, 0, &exe));
        rlx_executable_release(exe);
        image_free(t, &m);
    }
}

RLX_TEST(levels, a_requested_level_must_exist)
{
    image m = file_of_levels(t), single = image_of(t, ".func main () -> object symbols 0 {\n"
                                                      "load_const r0, int 1\nret r0\n}\n");
    rlx_executable *exe = NULL;
    RLX_FAILS(load(t, &m, N + 1, &exe), RLX_E_INVALID_ARG, "level 4 is requested, the file has 3");
    RLX_FAILS(load(t, &single, 1, &exe), RLX_E_INVALID_ARG,
              "level 1 is requested, the file has none");
    RLX_OKAY(load(t, &single, 0, &exe));
    cr_expect_eq(rlx_executable_level_count(exe), 0u);
    cr_expect_eq(rlx_executable_level(exe), 0u);
    cr_expect_eq(rlxv_load_u16(single.data + 10), 2, "libraries before levels read it as well");
    cr_expect_eq(rlxv_load_u16(m.data + 10), 3, "libraries before compression read it as well");
    rlx_executable_release(exe);
    image_free(t, &m);
    image_free(t, &single);
}

RLX_TEST(levels, builders_refuse_invalid_levels)
{
    static uint8_t weights[2 * WEIGHTS];
    rlx_exec_builder *all, *empty, *one = level(t, 1, weights, NULL);
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &all, &t->error));
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &empty, &t->error));
    RLX_FAILS(rlx_exec_builder_level(one, RLX_STR("x"), all, &t->error), RLX_E_INVALID_ARG,
              "must be otherwise empty");
    RLX_FAILS(rlx_exec_builder_level(all, RLX_STR("x"), empty, &t->error), RLX_E_INVALID_ARG,
              "a level is one program with a native section");
    for (uint32_t i = 0; i < RLX_MAX_LEVELS; i++)
        RLX_OKAY(rlx_exec_builder_level(all, RLX_STR("x"), one, &t->error));
    RLX_FAILS(rlx_exec_builder_level(all, RLX_STR("x"), one, &t->error), RLX_E_INVALID_ARG,
              "more than 8 levels");
    RLX_FAILS(rlx_exec_builder_level(empty, RLX_STR("x"), all, &t->error), RLX_E_INVALID_ARG,
              "a level is one program");
    rlx_exec_builder_destroy(all);
    rlx_exec_builder_destroy(empty);
    rlx_exec_builder_destroy(one);
}

/* Any byte changed, with the checksums recomputed: an error, or a program that runs. */
RLX_TEST(levels, any_changed_byte_is_harmless)
{
    image m = file_of_levels(t);
    const size_t head = (size_t)rlxv_load_u64(image_entry(&m, RLXV_SECTION_DATA) + 8);
    for (size_t at = 0; at < head; at += at < 512 ? 1 : 7) {
        uint8_t *byte = &m.data[at], old = *byte;
        rlx_executable *exe = NULL;
        *byte = (uint8_t)(old ^ (1u << at % 8));
        image_seal(&m);
        for (uint32_t k = 0; k <= N; k++) {
            if (load(t, &m, k, &exe) == RLX_OK)
                rlx_executable_release(exe);
        }
        *byte = old;
    }
    image_free(t, &m);
}
