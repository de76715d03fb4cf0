/* TensorProto files: written files read back, typed fields, refused bytes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/rlx_test.h"
#include "vm/cli/npy.h"
#include "vm/cli/tensorproto.h"

RLX_TEST(tensorproto, round_trip)
{
    static const rlx_dtype dtypes[] = {
        {RLX_FLOAT, 32, 1},  {RLX_FLOAT, 64, 1},        {RLX_FLOAT, 16, 1},
        {RLX_INT, 8, 1},     {RLX_INT, 64, 1},          {RLX_UINT, 32, 1},
        {RLX_BFLOAT, 16, 1}, {RLX_FLOAT8_E4M3FN, 8, 1}, {RLX_FLOAT8_E5M2FNUZ, 8, 1},
        {RLX_INT, 4, 1},     {RLX_UINT, 4, 1},          {RLX_UINT, 2, 1}};
    const int64_t dims[2] = {2, 3};
    unsigned char data[48];
    char path[64];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7);
    snprintf(path, sizeof path, "/tmp/rlx-tensor-%d.pb", (int)getpid());
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        rlx_tensor *got_tensor = NULL;
        rlx_error err = {0};
        cr_assert_eq(tensorproto_write(path, dtypes[i], 2, dims, data, &err), RLX_OK);
        cr_assert_eq(tensorproto_read(path, &got_tensor, &err), RLX_OK, "%s", err.message);
        cr_expect(rlx_dtype_eq(rlx_tensor_dtype(got_tensor), dtypes[i]));
        cr_expect_eq(rlx_tensor_ndim(got_tensor), 2);
        cr_expect_arr_eq(rlx_tensor_data(got_tensor), data, rlx_tensor_nbytes(got_tensor));
        rlx_value_release(rlx_of_tensor(got_tensor));
    }
    unlink(path);
}

RLX_TEST(tensorproto, typed_fields)
{
    static const struct {
        const char *bytes;
        size_t size;
        rlx_dtype dtype;
        double first;
    } rows[] = {
        {"\x08\x01\x10\x01\x22\x04\x00\x00\x80\x3f", 10, {RLX_FLOAT, 32, 1}, 1}, /* packed */
        {"\x08\x01\x10\x01\x25\x00\x00\x80\x3f", 9, {RLX_FLOAT, 32, 1}, 1},
        {"\x0a\x01\x01\x10\x07\x38\x05", 7, {RLX_INT, 64, 1}, 5},
        {"\x08\x01\x10\x03\x2a\x0a\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
         16,
         {RLX_INT, 8, 1},
         -2},
        {"\x08\x01\x10\x09\x2a\x01\x07", 7, {RLX_BOOL, 8, 1}, 1},
        {"\x08\x03\x10\x15\x2a\x02\x21\x03", 8, {RLX_UINT, 4, 1}, 0x21}, /* two bytes */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_tensor *got_tensor = NULL;
        rlx_error err = {0};
        cr_assert_eq(tensorproto_decode("t", (const unsigned char *)rows[i].bytes, rows[i].size,
                                        &got_tensor, &err),
                     RLX_OK, "%zu: %s", i, err.message);
        cr_expect(rlx_dtype_eq(rlx_tensor_dtype(got_tensor), rows[i].dtype), "%zu", i);
        double got = 0;
        float f = 0;
        int64_t wide = 0;
        if (rows[i].dtype.code == RLX_FLOAT) {
            memcpy(&f, rlx_tensor_data(got_tensor), sizeof f);
            got = (double)f;
        } else if (rows[i].dtype.bits == 64) {
            memcpy(&wide, rlx_tensor_data(got_tensor), sizeof wide);
            got = (double)wide;
        } else {
            got = *(const signed char *)rlx_tensor_data(got_tensor);
        }
        cr_expect(!(got < rows[i].first) && !(got > rows[i].first), "%zu: %g", i, got);
        rlx_value_release(rlx_of_tensor(got_tensor));
    }
}

RLX_TEST(tensorproto, refused)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *expected;
    } rows[] = {
        {"", 0, "not an ONNX tensor"},
        {"\x08", 1, "not an ONNX tensor"},
        {"\x08\x01\x10\x08", 4, "type 8"},  /* strings */
        {"\x08\x7f\x10\x01", 4, "smaller"}, /* more elements than bytes */
        {"\x08\x01\x10\x01\x4a\x02zz", 8, "2 bytes of data"},
        {"\x08\x01\x10\x01\x22\x03zzz", 9, "not an ONNX tensor"},
        {"\x08\x02\x10\x07\x38\x05", 6, "1 numbers for 2 elements"},
        {"\x10\x07\x38\x05\x38\x05", 6, "not an ONNX tensor"}, /* more numbers than elements */
        {"\x08\x01\x10\x01\x70\x01", 6, "external"},
        {"\x08\x01\x10\x01\x4b", 5, "not an ONNX tensor"}, /* a group */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_tensor *got_tensor = NULL;
        rlx_error err = {0};
        cr_expect_neq(tensorproto_decode("t", (const unsigned char *)rows[i].bytes, rows[i].size,
                                         &got_tensor, &err),
                      RLX_OK, "%zu", i);
        cr_expect(strstr(err.message, rows[i].expected) != NULL, "%zu: %s", i, err.message);
    }
}

/* Sequences and optionals: expected number of items; -1: none, -2: a tensor, -3: refused. */
RLX_TEST(tensorproto, sequences_and_optionals)
{
#define ONE "\x1a\x08\x10\x01\x4a\x04\x00\x00\x80\x3f" /* a float in field 3 */
    static const struct {
        const char *bytes;
        size_t size;
        int items;
    } rows[] = {
        {"\x10\x01", 2, 0},
        {"\x0a\x01s\x10\x01" ONE ONE, 25, 2},
        {"\x10\x00", 2, -1},
        {"\x0a\x01o\x10\x03", 5, -1},
        {"\x10\x03\x2a\x0c\x10\x01" ONE, 16, 1},
        {"\x10\x03\x2a\x02\x10\x01", 6, 0},
        {"\x10\x01\x4a\x04\x00\x00\x80\x3f", 8, -2},
        {"\x08\x01\x10\x03\x2a\x01\x05", 7, -2}, /* an int8 tensor in a sequence's field */
        {"\x10\x03\x2a\x02\x10\x01\x2a\x02\x10\x01", 10, -3},
        {"\x10\x01\x1a\x02\x10\x08", 6, -3}, /* contains a string */
        {"\x10\x01\x1a\x08\x10\x01", 6, -3}, /* truncated */
        {"", 0, -3},
    };
#undef ONE
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_value v = rlx_none();
        rlx_error err = {0};
        rlx_status status =
            onnxproto_decode("t", (const unsigned char *)rows[i].bytes, rows[i].size, &v, &err);
        int got = status != RLX_OK            ? -3
                  : v.kind == RLX_KIND_TUPLE  ? (int)rlx_tuple_count(v.as.tuple)
                  : v.kind == RLX_KIND_TENSOR ? -2
                  : v.kind == RLX_KIND_NONE   ? -1
                                              : -4;
        cr_expect_eq(got, rows[i].items, "%zu: %d %s", i, got, err.message);
        rlx_value_release(v);
    }
}

RLX_TEST(tensorproto, a_sequence_that_is_written_reads_back)
{
    const int64_t dims[1] = {2};
    const float data[2] = {1, 2};
    rlx_value items[2], got = rlx_none();
    rlx_tuple *list = NULL;
    rlx_error err = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/rlx-list-%d.pb", (int)getpid());
    for (int i = 0; i < 2; i++) {
        rlx_tensor *x = NULL;
        cr_assert_eq(rlx_tensor_create(NULL, RLX_F32, 1, dims, &x, &err), RLX_OK);
        memcpy(rlx_tensor_mutable_data(x), data, sizeof data);
        items[i] = rlx_of_tensor(x);
    }
    cr_assert_eq(rlx_tuple_create(NULL, 2, items, &list, &err), RLX_OK);
    cr_assert_eq(onnxproto_write(path, rlx_of_tuple(list), &err), RLX_OK, "%s", err.message);
    cr_assert_eq(onnxproto_read(path, &got, &err), RLX_OK, "%s", err.message);
    cr_assert_eq(rlx_tuple_count(got.as.tuple), 2);
    const rlx_value second = rlx_tuple_get(got.as.tuple, 1);
    cr_expect_arr_eq(rlx_tensor_data(second.as.tensor), data, sizeof data);
    rlx_value_release(got);
    cr_assert_eq(onnxproto_write(path, rlx_none(), &err), RLX_OK);
    cr_assert_eq(onnxproto_read(path, &got, &err), RLX_OK);
    cr_expect_eq(got.kind, RLX_KIND_NONE);
    unlink(path);
    rlx_value_release(rlx_of_tuple(list));
    for (int i = 0; i < 2; i++)
        rlx_value_release(items[i]);
}

/* One function reads both formats. */
RLX_TEST(tensorproto, a_folder_is_not_a_file)
{
    rlx_tensor *got = NULL;
    rlx_error err = {0};
    cr_expect_eq(tensorproto_read("/tmp", &got, &err), RLX_E_IO);
    cr_expect(strstr(err.message, "/tmp: Is a directory") != NULL, "%s", err.message);
    cr_expect_eq(npy_read("/tmp", &got, &err), RLX_E_IO);
    cr_expect_eq(tensorproto_read("/tmp/no/such/file.pb", &got, &err), RLX_E_IO);
}
