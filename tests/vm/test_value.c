/* Values on their own: data types, checked arithmetic, tensors, DLPack, strings, objects; saving
 * and loading files. */
#include "image.h"

#include <dlpack/dlpack.h>
#include <fcntl.h>
#include <rlx/checked.h>
#include <rlx/packed.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

RLX_TEST(value, dtypes_print_and_parse)
{
    static const struct {
        rlx_dtype dtype;
        const char *name;
        size_t size;
    } rows[] = {{{RLX_FLOAT, 32, 1}, "float32", 4},   {{RLX_FLOAT, 16, 1}, "float16", 2},
                {{RLX_BFLOAT, 16, 1}, "bfloat16", 2}, {{RLX_FLOAT, 64, 1}, "float64", 8},
                {{RLX_INT, 8, 1}, "int8", 1},         {{RLX_INT, 64, 1}, "int64", 8},
                {{RLX_UINT, 16, 1}, "uint16", 2},     {{RLX_BOOL, 8, 1}, "bool", 1}};
    char name[24];
    rlx_dtype parsed;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_str_eq(rlx_dtype_name(rows[i].dtype, name), rows[i].name);
        cr_expect(rlx_dtype_parse(rlx_str_from(rows[i].name), &parsed) &&
                  rlx_dtype_eq(parsed, rows[i].dtype));
        cr_expect_eq(rlx_dtype_size(rows[i].dtype), rows[i].size);
    }
    static const rlx_dtype bad[] = {{RLX_FLOAT, 8, 1}, {RLX_INT, 7, 1},     {RLX_INT, 32, 4},
                                    {RLX_BOOL, 1, 1},  {RLX_HANDLE, 64, 1}, {9, 32, 1},
                                    {0, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(rlx_dtype_size(bad[i]), 0);
    cr_expect_not(rlx_dtype_parse(RLX_STR("float33"), &parsed));
    (void)t;
}

RLX_TEST(value, packed_elements)
{
    static const rlx_dtype types[] = {
        {RLX_INT, 4, 1}, {RLX_UINT, 4, 1}, {RLX_INT, 2, 1}, {RLX_UINT, 2, 1}};
    static const char *const names[] = {"int4", "uint4", "int2", "uint2"};
    char name[24];
    rlx_dtype parsed;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const rlx_dtype d = types[i];
        const int64_t count = (int64_t)1 << d.bits, least = d.code == RLX_INT ? -count / 2 : 0;
        cr_expect_str_eq(rlx_dtype_name(d, name), names[i]);
        cr_expect(rlx_dtype_parse(rlx_str_from(names[i]), &parsed) && rlx_dtype_eq(parsed, d));
        cr_expect(rlx_dtype_is_packed(d) && rlx_dtype_valid(d) && rlx_dtype_size(d) == 0);
        cr_expect(!rlx_packed_fits(d, least - 1) && !rlx_packed_fits(d, least + count));
        for (int64_t n = 0; n < 10; n++) {
            const int64_t dims[2] = {n, 1};
            rlx_tensor *x = NULL;
            RLX_OKAY(rlx_tensor_create(&t->allocator, d, 2, dims, &x, &t->error));
            cr_expect_eq(rlx_tensor_nbytes(x), (size_t)((n * d.bits + 7) / 8));
            unsigned char *data = rlx_tensor_mutable_data(x);
            for (int64_t k = n; k-- > 0;) /* backwards, since elements share a byte */
                rlx_packed_set(d, data, (size_t)k, least + k % count);
            for (int64_t k = 0; k < n; k++)
                cr_expect_eq(rlx_packed_get(d, data, (size_t)k), least + k % count);
            if (n >= 2 && d.bits == 4)
                cr_expect_eq(data[0] & 15, least & 15, "the first is in the low bits");
            rlx_value_release(rlx_of_tensor(x));
        }
    }
    size_t s = 0;
    cr_expect(rlx_nbytes((int64_t[]){INT64_MAX}, 1, types[0], &s) && s == (size_t)1 << 62);
    cr_expect_not(rlx_nbytes((int64_t[]){-1}, 1, types[0], &s));
    cr_expect_not(rlx_dtype_is_packed(RLX_I8) || rlx_dtype_is_packed(RLX_DTYPE(RLX_INT, 1)) ||
                  rlx_dtype_is_packed(RLX_DTYPE(RLX_FLOAT, 4)));
}

RLX_TEST(value, checked_arithmetic)
{
    int64_t v = 0;
    size_t s;
    (void)t;
    static const int64_t divisions[][4] = {{7, 2, 3, 1},    {-7, 2, -4, 1}, {7, -2, -4, -1},
                                           {-7, -2, 3, -1}, {0, 5, 0, 0},   {6, -3, -2, 0}};
    for (size_t i = 0; i < 6; i++) {
        cr_expect(rlx_floordiv_i64(divisions[i][0], divisions[i][1], &v) && v == divisions[i][2]);
        cr_expect(rlx_floormod_i64(divisions[i][0], divisions[i][1], &v) && v == divisions[i][3]);
    }
    cr_expect_not(rlx_floordiv_i64(1, 0, &v));
    cr_expect_not(rlx_floordiv_i64(INT64_MIN, -1, &v));
    cr_expect_not(rlx_floormod_i64(1, 0, &v));
    cr_expect(rlx_floormod_i64(INT64_MIN, -1, &v) && v == 0);
    cr_expect_not(rlx_add_i64(INT64_MAX, 1, &v));
    cr_expect_not(rlx_mul_i64(INT64_MAX, 2, &v));
    cr_expect_not(rlx_align_size(SIZE_MAX - 3, 64, &s));
    cr_expect(rlx_numel((int64_t[]){INT64_MAX, INT64_MAX, 0}, 3, &v) && v == 0);
    cr_expect_not(rlx_numel((int64_t[]){INT64_MAX, 2}, 2, &v));
    cr_expect_not(rlx_numel((int64_t[]){0, -1}, 2, &v));
    cr_expect_not(rlx_nbytes((int64_t[]){INT64_MAX / 2}, 1, RLX_F32, &s));
}

RLX_TEST(value, impossible_tensors_are_refused)
{
    static const int64_t many[17] = {0};
    rlx_tensor *x;
    RLX_FAILS(rlx_tensor_create(&t->allocator, RLX_F32, 1, (int64_t[]){-1}, &x, &t->error),
              RLX_E_SHAPE, "negative");
    RLX_FAILS(rlx_tensor_create(&t->allocator, RLX_F32, 17, many, &x, &t->error), RLX_E_LIMIT,
              "at most 16");
    RLX_FAILS(rlx_tensor_create(&t->allocator, RLX_DTYPE(RLX_INT, 3), 0, NULL, &x, &t->error),
              RLX_E_INVALID_ARG, "int3");
    RLX_FAILS(
        rlx_tensor_create(&t->allocator, RLX_F32, 1, (int64_t[]){(int64_t)1 << 61}, &x, &t->error),
        RLX_E_LIMIT, "does not fit");
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 2, (int64_t[]){2, 3}, &x, &t->error));
    rlx_tensor *view;
    RLX_FAILS(rlx_tensor_view(&t->allocator, x, 1, (int64_t[]){5}, &view, &t->error), RLX_E_SHAPE,
              "a view of 5 elements");
    RLX_OKAY(rlx_tensor_view(&t->allocator, x, 1, (int64_t[]){6}, &view, &t->error));
    cr_expect(rlx_tensor_same_storage(x, view));
    rlx_value_release(rlx_of_tensor(x));
    ((float *)rlx_tensor_mutable_data(view))[5] = 1; /* the view keeps the storage alive */
    rlx_value_release(rlx_of_tensor(view));
}

static int deleted;
static void delete_tensor(DLManagedTensor *m)
{
    (void)m;
    deleted++;
}

RLX_TEST(value, dlpack_in_shares_or_copies)
{
    float data[12];
    int64_t shape[2] = {2, 3}, strides[2] = {1, 4};
    bool copied;
    rlx_tensor *x;
    for (int i = 0; i < 12; i++)
        data[i] = (float)i;
    DLManagedTensor m = {.dl_tensor = {.data = data,
                                       .device = {kDLCPU, 0},
                                       .ndim = 2,
                                       .dtype = {kDLFloat, 32, 1},
                                       .shape = shape,
                                       .byte_offset = 4},
                         .deleter = delete_tensor};
    deleted = 0;
    RLX_OKAY(rlx_tensor_from_dlpack(&t->allocator, &m, NULL, &x, &copied, &t->error));
    cr_expect(!copied && rlx_tensor_data(x) == data + 1 && deleted == 0);
    rlx_value_release(rlx_of_tensor(x));
    cr_expect_eq(deleted, 1);
    m.dl_tensor.strides = strides;
    RLX_OKAY(rlx_tensor_from_dlpack(&t->allocator, &m, NULL, &x, &copied, &t->error));
    cr_expect(copied && deleted == 2);
    const float *got = rlx_tensor_data(x);
    static const float want[6] = {1, 5, 9, 2, 6, 10};
    for (int i = 0; i < 6; i++)
        cr_expect_eq(got[i], want[i]);
    rlx_value_release(rlx_of_tensor(x));
    m.dl_tensor.strides = NULL;
    m.dl_tensor.dtype = (DLDataType){kDLUInt, 8, 1};
    m.dl_tensor.byte_offset = 0;
    rlx_dtype as_bool = RLX_B8;
    RLX_OKAY(rlx_tensor_from_dlpack(&t->allocator, &m, &as_bool, &x, NULL, &t->error));
    cr_expect_eq(rlx_tensor_dtype(x).code, RLX_BOOL);
    rlx_value_release(rlx_of_tensor(x));
    m.dl_tensor.device.device_type = kDLCUDA;
    RLX_FAILS(rlx_tensor_from_dlpack(&t->allocator, &m, NULL, &x, NULL, &t->error),
              RLX_E_INVALID_ARG, "not the CPU");
    m.dl_tensor.device.device_type = kDLCPU;
    m.dl_tensor.dtype.lanes = 4;
    RLX_FAILS(rlx_tensor_from_dlpack(&t->allocator, &m, NULL, &x, NULL, &t->error),
              RLX_E_INVALID_ARG, "not supported");
    m.dl_tensor.dtype.lanes = 1;
    m.dl_tensor.data = NULL;
    RLX_FAILS(rlx_tensor_from_dlpack(&t->allocator, &m, NULL, &x, NULL, &t->error),
              RLX_E_INVALID_ARG, "without data");
    shape[1] = 0;
    RLX_OKAY(rlx_tensor_from_dlpack(&t->allocator, &m, NULL, &x, NULL, &t->error));
    cr_expect_not_null(rlx_tensor_data(x));
    rlx_value_release(rlx_of_tensor(x));
    m.dl_tensor.data = data;
    m.dl_tensor.dtype = (DLDataType){kDLInt, 4, 1};
    shape[0] = shape[1] = 3;
    m.dl_tensor.byte_offset = 1;
    RLX_OKAY(rlx_tensor_from_dlpack(&t->allocator, &m, NULL, &x, &copied, &t->error));
    cr_expect(!copied && rlx_tensor_nbytes(x) == 5);
    rlx_value_release(rlx_of_tensor(x));
    m.dl_tensor.strides = (int64_t[]){1, 3};
    RLX_FAILS(rlx_tensor_from_dlpack(&t->allocator, &m, NULL, &x, NULL, &t->error),
              RLX_E_INVALID_ARG, "4 bits an element is not compact");
    cr_expect_eq(deleted, 5, "the deleter ran %d times", deleted);
}

RLX_TEST(value, dlpack_out_shares_and_holds)
{
    rlx_value x = rlx_test_iota(t, 2, (int64_t[]){2, 3});
    DLManagedTensor *m;
    const void *data = rlx_tensor_data(x.as.tensor);
    RLX_OKAY(rlx_tensor_to_dlpack(&t->allocator, x.as.tensor, &m, &t->error));
    rlx_value_release(x);
    cr_expect(m->dl_tensor.data == data && m->dl_tensor.ndim == 2 && m->dl_tensor.shape[1] == 3 &&
              m->dl_tensor.dtype.code == kDLFloat);
    m->deleter(m);
    /* Constants are read-only, so exporting one copies it. */
    rlx_executable *exe = rlx_test_load(t, ".const c0 = tensor bool [2] { true, false }");
    rlx_tensor *c = rlx_executable_constant(exe, 0).as.tensor;
    RLX_OKAY(rlx_tensor_to_dlpack(&t->allocator, c, &m, &t->error));
    cr_expect(m->dl_tensor.data != rlx_tensor_data(c) && m->dl_tensor.dtype.code == kDLUInt);
    rlx_executable_release(exe);
    cr_expect_eq(((const uint8_t *)m->dl_tensor.data)[0], 1);
    m->deleter(m);
}

static void count_destroy(void *pointer)
{
    ++*(int *)pointer;
}

RLX_TEST(value, objects_strings_and_tuples)
{
    static const char tag[] = "mine", other[] = "mine";
    int destroyed = 0;
    rlx_opaque *o;
    rlx_string *s;
    rlx_tuple *tuple;
    RLX_OKAY(rlx_opaque_create(&t->allocator, tag, &destroyed, count_destroy, &o, &t->error));
    RLX_OKAY(rlx_string_create(&t->allocator, RLX_STR("text"), &s, &t->error));
    cr_expect_eq(rlx_opaque_get(o, tag), &destroyed);
    cr_expect_null(rlx_opaque_get(o, other));
    RLX_OKAY(rlx_tuple_create(&t->allocator, 2, (rlx_value[]){rlx_of_opaque(o), rlx_of_string(s)},
                              &tuple, &t->error));
    rlx_value_release(rlx_of_opaque(o));
    rlx_value_release(rlx_of_string(s));
    cr_expect_eq(destroyed, 0);
    cr_expect_str_eq(rlx_string_get(rlx_tuple_get(tuple, 1).as.string).data, "text");
    cr_expect_eq(rlx_tuple_get(tuple, 2).kind, RLX_KIND_NONE);
    rlx_value_release(rlx_of_tuple(tuple));
    cr_expect_eq(destroyed, 1);
}

static void loads_back(rlx_test *t, const char *path, bool huge_pages, size_t size)
{
    char buffer[128];
    rlx_executable *exe;
    const rlx_load_options options = {.allocator = &t->allocator, .huge_pages = huge_pages};
    rlx_status status;
    size_t failures = 0;
    do { /* each allocation fails once, until none does */
        t->fail_at = t->calls + 1 + failures;
        status = rlx_executable_load_file(path, &options, &exe, &t->error);
        cr_assert(status == RLX_OK || status == RLX_E_NOMEM, "%s", t->error.message);
    } while (status != RLX_OK && ++failures);
    t->fail_at = 0;
    cr_expect_gt(failures, 3);
    RLX_OKAY(rlx_executable_verify_constants(exe, &t->error));
    cr_expect_eq(rlx_executable_size(exe), size);
    rlx_value c = rlx_value_retain(rlx_executable_constant(exe, 0));
    cr_expect_str_eq(rlx_function_signature(exe, 0, buffer, sizeof buffer),
                     "main(n: Prim(int64, n), x: Tensor(((n * 2) + 1, ?), float32)) -> Object");
    cr_expect_str_eq(rlx_function_signature(exe, 0, buffer, 6), "main(");
    (void)rlx_function_signature(exe, 0, buffer, 0);
    cr_expect_str_eq(buffer, "main("); /* no room, not even for a zero: untouched */
    rlx_executable_release(exe);
    cr_expect_eq(((const float *)rlx_tensor_data(c.as.tensor))[2], 3); /* still alive */
    cr_expect_null(rlx_tensor_mutable_data(c.as.tensor));
    rlx_value_release(c);
}

RLX_TEST(file, saved_and_loaded_with_mapped_constants)
{
    static const char text[] =
        ".meta \"a\" \"b\"\n"
        ".const c0 = tensor float32 [3] { 1, 2, 3 }\n"
        ".func main (n: prim(int64, s0!), x: float32[s0 * 2 + 1, ?]) ->"
        " object symbols 1 {\n .slot s0 \"n\"\n load_const r2, c0\n ret r2\n}\n";
    char folder[] = "/tmp/rlx-test-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.rlx", folder);
    rlx_executable *exe = rlx_test_load(t, text);
    rlx_load_options options = {.allocator = &t->allocator};
    RLX_OKAY(rlx_executable_save(exe, path, &t->error));
    RLX_OKAY(rlx_executable_save(exe, path, &t->error)); /* replaces the file it was loaded from */
    loads_back(t, path, false, rlx_executable_size(exe));
    loads_back(t, path, true, rlx_executable_size(exe));
    rlx_executable_release(exe);

    /* A file that is not regular is written to, not replaced. */
    char pipe_path[80], bytes[4096];
    struct stat st;
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    cr_assert_eq(mkfifo(pipe_path, 0600), 0);
    int fd = open(pipe_path, O_RDWR);
    cr_assert(fd >= 0);
    exe = rlx_test_load(t, text);
    cr_assert_lt(rlx_executable_size(exe), sizeof bytes);
    RLX_OKAY(rlx_executable_save(exe, pipe_path, &t->error));
    cr_expect_eq((size_t)read(fd, bytes, sizeof bytes), rlx_executable_size(exe));
    cr_expect_eq(memcmp(bytes + 1, "RLX", 3), 0);
    cr_expect(lstat(pipe_path, &st) == 0 && S_ISFIFO(st.st_mode));
    close(fd);
    unlink(pipe_path);
    cr_assert_eq(symlink("x.rlx", pipe_path), 0);
    unlink(path);
    RLX_OKAY(rlx_executable_save(exe, path, &t->error));
    RLX_OKAY(rlx_executable_save(exe, pipe_path, &t->error));
    cr_expect(lstat(pipe_path, &st) == 0 && S_ISLNK(st.st_mode));
    RLX_FAILS(rlx_executable_save(exe, folder, &t->error), RLX_E_IO, "cannot open");
    loads_back(t, path, false, rlx_executable_size(exe));
    rlx_executable_release(exe);
    unlink(pipe_path);

    /* Only the explicit check finds a damaged constant. */
    image m = image_of(t, text);
    m.data[m.size - 1] ^= 1;
    RLX_OKAY(image_load(t, &m, &exe));
    RLX_FAILS(rlx_executable_verify_constants(exe, &t->error), RLX_E_INVALID_MODULE, "damaged");
    rlx_executable_release(exe);
    image_free(t, &m);

    RLX_FAILS(rlx_executable_load_file("/nonexistent/x", &options, &exe, &t->error),
              RLX_E_NOT_FOUND, "/nonexistent/x: cannot open");
    RLX_FAILS(rlx_executable_load_file(folder, &options, &exe, &t->error), RLX_E_IO,
              "not a regular file");
    FILE *f = fopen(path, "w");
    fclose(f);
    RLX_FAILS(rlx_executable_load_file(path, &options, &exe, &t->error), RLX_E_INVALID_MODULE,
              "does not begin like one");
    unlink(path);
    rmdir(folder);
}

RLX_TEST(file, bytes_replace_the_old_contents)
{
    char folder[] = "/tmp/rlx-test-XXXXXX", path[64], bytes[8];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x", folder);
    const char *const texts[] = {"longer", "not", ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        RLX_OKAY(rlx_write_file(path, texts[i], strlen(texts[i]), &t->error));
        FILE *f = fopen(path, "r");
        cr_expect_eq(fread(bytes, 1, sizeof bytes, f), strlen(texts[i]));
        cr_expect_eq(memcmp(bytes, texts[i], strlen(texts[i])), 0);
        fclose(f);
    }
    unlink(path);
    cr_expect_eq(rmdir(folder), 0); /* no other file was left in it */
    RLX_FAILS(rlx_write_file(path, "", 0, &t->error), RLX_E_NOT_FOUND, "cannot create");
    RLX_FAILS(rlx_write_file("/dev/full", "x", 1, &t->error), RLX_E_IO, "cannot write");
}

/* A file that changes while it is loaded, at the |at|-th allocation. */
typedef struct changing {
    rlx_test *t;
    const char *path;
    const image *now; /* the new contents: its first |size| bytes */
    size_t size;
    int at;
} changing;

static void *alloc_and_change(void *user, size_t size, size_t align)
{
    changing *c = user;
    if (c->at-- == 0) {
        FILE *f = fopen(c->path, "w");
        cr_assert(f && fwrite(c->now->data, 1, c->size, f) == c->size && fclose(f) == 0);
    }
    return rlx_alloc(&c->t->allocator, size, align);
}

static void free_unchanged(void *user, void *p, size_t size, size_t align)
{
    rlx_free(&((changing *)user)->t->allocator, p, size, align);
}

static rlx_status load_changing(changing *c, const image *before, bool huge_pages)
{
    const rlx_load_options options = {
        .allocator = &(rlx_allocator){.alloc = alloc_and_change, .free = free_unchanged, .ctx = c},
        .huge_pages = huge_pages};
    rlx_executable *exe = NULL;
    FILE *f = fopen(c->path, "w");
    cr_assert(f && fwrite(before->data, 1, before->size, f) == before->size && fclose(f) == 0);
    rlx_status status = rlx_executable_load_file(c->path, &options, &exe, &c->t->error);
    if (status == RLX_OK)
        rlx_executable_release(exe);
    return status;
}

RLX_TEST(file, one_that_changes_while_it_is_read_is_refused)
{
    char path[] = "/tmp/rlx-test-XXXXXX";
    image m = image_of(t, ".const c0 = tensor float32 [3] { 1, 2, 3 }\n"
                          ".func main () -> object {\n load_const r0, c0\n ret r0\n}\n"),
          other = image_of(t, ".func main (a: object) -> object {\n ret r0\n}\n");
    const size_t head = (size_t)(image_section(&m, RLXV_SECTION_DATA) - m.data);
    close(mkstemp(path));
    for (int huge = 0; huge < 2; huge++) {
        const size_t sizes[] = {0, 1, RLXV_HEADER_BYTES, head - 1, head, m.size - 1};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            changing c = {t, path, &m, sizes[i], 0}; /* the first allocation is for the header */
            if (sizes[i] < head || huge)
                RLX_FAILS(load_changing(&c, &m, huge), RLX_E_INVALID_MODULE, "the file ends early");
            c.at = 1; /* the second is for the constants */
            if (huge)
                RLX_FAILS(load_changing(&c, &m, huge), RLX_E_INVALID_MODULE, "the file ends early");
        }
        changing c = {t, path, &other, other.size, 0};
        cr_assert_lt(other.size, head);
        RLX_FAILS(load_changing(&c, &m, huge), RLX_E_INVALID_MODULE, "the file ends early");
        c = (changing){t, path, &m, m.size, 0};
        RLX_FAILS(load_changing(&c, &other, huge), RLX_E_INVALID_MODULE, path);
        c.at = -1;
        RLX_OKAY(load_changing(&c, &m, huge));
    }
    unlink(path);
    image_free(t, &m);
    image_free(t, &other);
}

#define X86 "x86_64-pc-linux-gnu"

RLX_TEST(file, native_code_needs_trust_and_the_right_machine)
{
    static const struct {
        const char *triple, *feature, *limit; /* limit: RLX_CPU_FEATURES */
        const char *message;
        rlx_status status;
    } rows[] = {
        {"riscv64-unknown-linux-gnu", "m", "", "the kernels are for riscv64", RLX_E_VERSION},
        {X86, "no-such-feature", "no-such-feature", "does not know", RLX_E_VERSION},
        {X86, "sse3", "sse3", "cannot be loaded", RLX_E_INVALID_MODULE},
        {X86, "sse3", "avx,sse3", "cannot be loaded", RLX_E_INVALID_MODULE},
        {X86, "sse3", "", "need the CPU feature sse3, which this CPU lacks", RLX_E_VERSION},
        {X86, "sse3", "ssse3,sse", "feature sse3, which this CPU lacks", RLX_E_VERSION},
    };
    char *before = getenv("RLX_CPU_FEATURES");
    before = before ? strdup(before) : NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("RLX_CPU_FEATURES", rows[i].limit, 1);
        char text[256];
        snprintf(
            text, sizeof text,
            ".native \"%s\" [\"%s\"] 4 \"7f454c46\"\n.kernel k0 \"k\" dims 0 ()\n"
            ".func f () -> object {\n call_kernel k0, [], []\n load_const r0, none\n ret r0\n}",
            rows[i].triple, rows[i].feature);
        image m = image_of(t, text);
        rlx_load_options options = {.allocator = &t->allocator, .trust_native = true};
        rlx_executable *exe;
        RLX_FAILS(rlx_executable_load_memory(m.data, m.size, &options, &exe, &t->error),
                  rows[i].status, rows[i].message);
        options.trust_native = false;
        RLX_OKAY(rlx_executable_load_memory(m.data, m.size, &options, &exe, &t->error));
        rlx_vm *vm = rlx_test_vm(t, exe);
        rlx_value out;
        RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("f"), NULL, 0, &out, &t->error), RLX_E_NOT_FOUND,
                  "the native code was not trusted");
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
        image_free(t, &m);
    }
    if (before)
        setenv("RLX_CPU_FEATURES", before, 1);
    else
        unsetenv("RLX_CPU_FEATURES");
    free(before);
}

/* Two executables built from the same text in one process are equal. */
RLX_TEST(file, same_calls_give_the_same_bytes)
{
    static const char text[] = ".func f () -> object {\n load_const r0, \"b\"\n ret r0\n}\n"
                               ".func g () -> object {\n load_const r0, \"a\"\n ret r0\n}\n";
    image a = image_of(t, text), b = image_of(t, text);
    cr_expect(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    image_free(t, &a);
    image_free(t, &b);
}

/* Numbers and operands are part of the file format: rows may be added, never changed. */
RLX_TEST(file, opcodes_stay_as_they_are)
{
    static const struct {
        uint32_t number;
        const char *name, *operands;
    } rows[] = {
        {0x01, "ret", "r"},
        {0x02, "goto", "j"},
        {0x03, "if", "rj"},
        {0x04, "again", "R"},
        {0x08, "call_kernel", "fSR"},
        {0x09, "call_builtin", "dbR"},
        {0x0a, "call_packed", "dnR"},
        {0x0b, "call_func", "dgR"},
        {0x0c, "make_closure", "dgR"},
        {0x0d, "call_closure", "drR"},
        {0x0e, "call_kernel_in", "fuSR"},
        {0x10, "alloc_storage", "dsi"},
        {0x11, "alloc_tensor", "drsyS"},
        {0x12, "new_tensor", "dyS"},
        {0x13, "kill", "k"},
        {0x14, "view", "drS"},
        {0x15, "plan", "z"},
        {0x16, "plan_tensor", "dp"},
        {0x17, "view_at", "drsS"},
        {0x18, "load_const", "dc"},
        {0x19, "move", "dr"},
        {0x1a, "make_tuple", "dR"},
        {0x1b, "tuple_item", "dri"},
        {0x20, "match_type", "rt"},
        {0x21, "match_shape", "rt"},
        {0x22, "make_shape", "dS"},
        {0x23, "shape_of", "dr"},
        {0x24, "eval_slot", "we"},
        {0x25, "slot_of_value", "wr"},
        {0x26, "value_of_slot", "dsy"},
        {0x27, "dim_of", "wri"},
        {0x28, "check", "en"},
        {0x29, "bits_of_value", "wr"},
        {0x30, "to_vdevice", "drv"},
        {0x31, "alloc_storage_on", "dsiv"},
        {0x32, "new_tensor_on", "dyvS"},
        {0x33, "load_const_on", "dcv"},
    };
    uint32_t n;
    rlx_opcode_table(&n);
    (void)t;
    cr_expect_eq(n, sizeof rows / sizeof *rows, "add the new row here");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rlx_opcode_info *info = rlx_opcode_find(rows[i].number);
        cr_assert_not_null(info, "0x%02x is gone", rows[i].number);
        cr_expect_str_eq(info->name, rows[i].name);
        cr_expect_str_eq(info->operands, rows[i].operands);
    }
    cr_expect_null(rlx_opcode_find(0));
    cr_expect_null(rlx_opcode_find(256));
}

/* Files from earlier builds of this format still load. */
RLX_TEST(file, files_of_format_1_0_load)
{
    static const char *const names[] = {"small", "closure", "calls", "control", "memory"};
    rlx_load_options options = {.allocator = &t->allocator};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64], path[256];
        rlx_executable *exe;
        snprintf(name, sizeof name, "corpus/executable/%s.image", names[i]);
        cr_assert(rlx_test_data(name, path, sizeof path));
        RLX_OKAY(rlx_executable_load_file(path, &options, &exe, &t->error));
        cr_expect_gt(rlx_executable_function_count(exe), 0);
        rlx_executable_release(exe);
    }
}
