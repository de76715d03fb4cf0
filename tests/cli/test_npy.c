/* .npy files: NumPy's output can be read, damaged files are refused, files written here read back.
 */
#include "tests/cli/fixture.h"

#include <rlx/packed.h>
#include <stdlib.h>
#include <string.h>

/* Writes a file of version |major| with |header| verbatim and |size| bytes of data. */
static size_t make_npy(unsigned char *to, int major, const char *header, const void *data,
                       size_t size)
{
    size_t n = strlen(header), at = 8;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (unsigned char)major;
    to[7] = 0;
    for (int i = 0; i < (major == 1 ? 2 : 4); i++)
        to[at++] = (unsigned char)(n >> (8 * i));
    memcpy(to + at, header, n);
    if (size > 0)
        memcpy(to + at + n, data, size);
    return at + n + size;
}

#define DICT(descr, order, shape) \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }\n"

RLX_TEST(npy, damaged_files_are_refused)
{
    static const struct {
        const char *header;
        size_t data;
        const char *message;
    } rows[] = {
        {"", 0, "the header is not a dict"},
        {"{", 0, "a header key is damaged"},
        {"{}", 0, "the header is incomplete"},
        {"{'descr': '<f4'}", 0, "the header is incomplete"},
        {"{'descr' '<f4'}", 0, "a header key is damaged"},
        {"{'descr: '<f4'}", 0, "a header key is damaged"},
        {"{'de\\scr': '<f4'}", 0, "a header key is damaged"},
        {DICT("<f4", "False", "(2,)") "x", 8, "the header is incomplete"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4,
         "structured dtypes are not supported"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'extra': 1}", 4,
         "a key that the format does not name"},
        {"{'descr': '<f4', 'fortran_order': False 'shape': (1,)}", 4,
         "the header is not terminated"},
        {DICT("<f4", "Maybe", "(1,)"), 4, "fortran_order is neither True nor False"},
        {DICT("<f4", "False", "3"), 12, "the shape is not a tuple"},
        {DICT("<f4", "False", "(-1,)"), 4, "a dimension is not a valid number"},
        {DICT("<f4", "False", "(1 2)"), 8, "the shape is not terminated"},
        {DICT("<f4", "False", "(1,"), 4, "a dimension is not a valid number"},
        {DICT("<f4", "False", "(9223372036854775808,)"), 0, "a dimension is not a valid number"},
        {DICT("<f4", "False", "(4611686018427387904, 4)"), 0, "the shape is too large"},
        {DICT("<f8", "False", "(2305843009213693951,)"), 0, "the shape is too large"},
        {DICT("<f4", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), 4, "more dimensions"},
        {DICT("<c8", "False", "(1,)"), 8, "elements of type '<c8' are not supported"},
        {DICT("|O", "False", "(1,)"), 8, "elements of type '|O' are not supported"},
        {DICT("<U4", "False", "(1,)"), 16, "elements of type '<U4' are not supported"},
        {DICT("f4", "False", "(1,)"), 4, "elements of type 'f4' are not supported"},
        {DICT("<f3", "False", "(1,)"), 3, "elements of type '<f3' are not supported"},
        {DICT("<b1\\", "False", "(1,)"), 3, "structured dtypes"},
        {DICT("<f4", "False", "(3,)"), 11, "11 bytes of data, the shape needs 12"},
        {DICT("<f4", "False", "(3,)"), 13, "13 bytes of data, the shape needs 12"},
        {DICT("<f4", "False", "()"), 0, "0 bytes of data, the shape needs 4"},
        {DICT("<f4", "False", "(0, 9223372036854775807)"), 4, "the shape needs 0"},
    };
    unsigned char data[16] = {0}, file[512];
    rlx_tensor *out = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size = make_npy(file, 1, rows[i].header, data, rows[i].data);
        rlx_status status = npy_decode("x.npy", file, size, &out, &t->error);
        cr_expect_eq(status, RLX_E_INVALID_ARG, "row %zu: %s", i, rlx_status_name(status));
        cr_expect(strstr(t->error.message, rows[i].message), "row %zu: %s", i, t->error.message);
        cr_expect(strncmp(t->error.message, "x.npy: ", 7) == 0, "row %zu", i);
    }
}

RLX_TEST(npy, every_cut_and_every_flipped_byte_is_survived)
{
    const float data[] = {1, 2, 3, 4, 5, 6};
    unsigned char file[512];
    const size_t size = make_npy(file, 1, DICT("<f4", "False", "(2, 3)"), data, sizeof data);
    rlx_tensor *out = NULL;
    RLX_OKAY(npy_decode("x", file, size, &out, &t->error));
    rlx_value_release(rlx_of_tensor(out));
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *copy = malloc(cut ? cut : 1); /* exact, for the sanitizers */
        memcpy(copy, file, cut);
        cr_expect_neq(npy_decode("x", copy, cut, &out, &t->error), RLX_OK, "cut at %zu", cut);
        free(copy);
    }
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            file[at] ^= (unsigned char)(1 << bit);
            if (npy_decode("x", file, size, &out, &t->error) == RLX_OK)
                rlx_value_release(rlx_of_tensor(out));
            file[at] ^= (unsigned char)(1 << bit);
        }
    }
}

RLX_TEST(npy, versions_orders_and_spellings_are_read)
{
    const unsigned char big[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    const unsigned char small[] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
    static const int16_t rows_first[] = {1, 2, 3, 4, 5, 6}, columns_first[] = {1, 3, 5, 2, 4, 6};
    static const struct {
        int major;
        const char *header;
        bool big, fortran;
    } rows[] = {
        {1, DICT("<i2", "False", "(2, 3)"), false, false},
        {2, DICT("<i2", "False", "(2, 3)"), false, false},
        {3, DICT("<i2", "False", "(2, 3)"), false, false},
        {1, DICT("=i2", "False", "(2,3)"), false, false},
        {1, DICT(">i2", "False", "(2, 3)"), true, false},
        {1, DICT("<i2", "True", "(2, 3)"), false, true},
        {1, DICT(">i2", "True", "(2, 3)"), true, true},
        {1, "{\"shape\":(2L,3L,),\"fortran_order\":False,\"descr\":\"<i2\"}   ", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char file[256];
        rlx_tensor *out = NULL;
        size_t size = make_npy(file, rows[i].major, rows[i].header, rows[i].big ? big : small, 12);
        RLX_OKAY(npy_decode("x", file, size, &out, &t->error));
        cr_expect(rlx_dtype_eq(rlx_tensor_dtype(out), RLX_I16), "row %zu", i);
        cr_expect_eq(rlx_tensor_ndim(out), 2, "row %zu", i);
        cr_expect_eq(rlx_tensor_dims(out)[1], 3, "row %zu", i);
        cr_expect_arr_eq(rlx_tensor_data(out), rows[i].fortran ? columns_first : rows_first, 12,
                         "row %zu", i);
        rlx_value_release(rlx_of_tensor(out));
    }
    unsigned char file[64];
    rlx_tensor *out = NULL;
    size_t size = make_npy(file, 4, "{}", NULL, 0);
    RLX_FAILS(npy_decode("x", file, size, &out, &t->error), RLX_E_INVALID_ARG,
              "the version is unknown");
    RLX_FAILS(npy_decode("x", (const unsigned char *)"\x93NUMPZ\1\0\0\0", 10, &out, &t->error),
              RLX_E_INVALID_ARG, "the magic is missing");
}

RLX_TEST(npy, written_files_read_back)
{
    static const struct {
        rlx_dtype dtype, read;
    } dtypes[] = {
        {{RLX_INT, 8, 1}, {RLX_INT, 8, 1}},
        {{RLX_INT, 16, 1}, {RLX_INT, 16, 1}},
        {{RLX_INT, 32, 1}, {RLX_INT, 32, 1}},
        {{RLX_INT, 64, 1}, {RLX_INT, 64, 1}},
        {{RLX_UINT, 8, 1}, {RLX_UINT, 8, 1}},
        {{RLX_UINT, 64, 1}, {RLX_UINT, 64, 1}},
        {{RLX_FLOAT, 16, 1}, {RLX_FLOAT, 16, 1}},
        {{RLX_FLOAT, 32, 1}, {RLX_FLOAT, 32, 1}},
        {{RLX_FLOAT, 64, 1}, {RLX_FLOAT, 64, 1}},
        {{RLX_BOOL, 8, 1}, {RLX_BOOL, 8, 1}},
        {{RLX_BFLOAT, 16, 1}, {RLX_UINT, 16, 1}}, /* stored as bits */
        {{RLX_FLOAT8_E4M3FN, 8, 1}, {RLX_UINT, 8, 1}},
        {{RLX_FLOAT8_E5M2FNUZ, 8, 1}, {RLX_UINT, 8, 1}},
    };
    static const struct {
        uint32_t ndim;
        int64_t dims[16];
    } shapes[] = {{0, {0}},
                  {1, {3}},
                  {2, {2, 3}},
                  {2, {0, 5}},
                  {16, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}}};
    cli_fixture f;
    fixture_init(&f);
    unsigned char data[64];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = i % 2;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const char *path = in_folder(&f, "x.npy");
            rlx_tensor *out = NULL;
            RLX_OKAY(
                npy_write(path, dtypes[d].dtype, shapes[s].ndim, shapes[s].dims, data, &t->error));
            RLX_OKAY(npy_read(path, &out, &t->error));
            cr_expect(rlx_dtype_eq(rlx_tensor_dtype(out), dtypes[d].read), "%zu %zu", d, s);
            cr_expect_eq(rlx_tensor_ndim(out), shapes[s].ndim);
            for (uint32_t i = 0; i < shapes[s].ndim; i++)
                cr_expect_eq(rlx_tensor_dims(out)[i], shapes[s].dims[i]);
            cr_expect_eq(memcmp(rlx_tensor_data(out), data, rlx_tensor_nbytes(out)), 0);
            rlx_value_release(rlx_of_tensor(out));
        }
    }
    rlx_tensor *out = NULL;
    const int64_t many = 1001; /* more than one conversion block */
    unsigned char packed[501];
    for (size_t i = 0; i < sizeof packed; i++)
        packed[i] = (unsigned char)(i * 37);
    for (uint8_t code = RLX_INT; code <= RLX_UINT; code++) {
        const rlx_dtype four = {code, 4, 1};
        RLX_OKAY(npy_write(in_folder(&f, "x.npy"), four, 1, &many, packed, &t->error));
        RLX_OKAY(npy_read(in_folder(&f, "x.npy"), &out, &t->error));
        cr_expect(rlx_dtype_eq(rlx_tensor_dtype(out), (rlx_dtype){code, 8, 1}));
        cr_expect_eq(rlx_tensor_numel(out), many);
        for (size_t i = 0; i < (size_t)many; i++)
            cr_expect_eq(((const unsigned char *)rlx_tensor_data(out))[i],
                         (unsigned char)rlx_packed_get(four, packed, i));
        rlx_value_release(rlx_of_tensor(out));
    }
    out = NULL;
    RLX_FAILS(npy_read(in_folder(&f, "nowhere.npy"), &out, &t->error), RLX_E_IO, "No such file");
    RLX_FAILS(npy_write(in_folder(&f, "no/where.npy"), RLX_F32, 0, NULL, data, &t->error),
              RLX_E_NOT_FOUND, "No such file");
    fixture_deinit(&f);
}
