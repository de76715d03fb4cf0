/* Compressed sections: what is compressed, that it reads back as it was, and that frames which lie
 * about their size or content are refused. */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 400 }; /* instructions of the program below: 4 KiB of code */

/* A program of |n| instructions whose result is |n| - 1. */
static char *program_text(size_t n)
{
    const size_t room = 64 * n + 256;
    char *text = malloc(room);
    size_t at = 0;
    cr_assert_not_null(text);
    at += (size_t)snprintf(text + at, room - at, ".func main () -> object symbols 0 {\n");
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, room - at, "load_const r0, int %zu\n", i);
    snprintf(text + at, room - at, "ret r0\n}\n");
    return text;
}

static image program_of(rlx_test *t, size_t n)
{
    char *text = program_text(n);
    image m = image_of(t, text);
    free(text);
    return m;
}

static bool is_compressed(const image *m, uint32_t kind)
{
    const uint8_t *row = image_entry(m, kind);
    return row && rlxv_load_u32(row + 4) & RLXV_SECTION_COMPRESSED;
}

static int64_t result_of(rlx_test *t, const image *m)
{
    rlx_executable *exe;
    rlx_value out;
    RLX_OKAY(image_load(t, m, &exe));
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return out.as.i;
}

#if RLX_WITH_ZSTD
RLX_TEST(compress, tables_are_compressed_where_they_matter)
{
    image small = program_of(t, 20), large = program_of(t, CALLS);
    cr_expect(!is_compressed(&small, RLXV_SECTION_CODE));
    cr_expect_eq(rlxv_load_u16(small.data + 10), 2, "older libraries read it as well");
    cr_expect(is_compressed(&large, RLXV_SECTION_CODE));
    cr_expect_eq(rlxv_load_u16(large.data + 10), 4);
    cr_expect_lt(rlxv_load_u64(image_entry(&large, RLXV_SECTION_CODE) + 16), CALLS * 12 / 2);
    cr_expect_eq(result_of(t, &small), 19);
    cr_expect_eq(result_of(t, &large), CALLS - 1);
    image_free(t, &small);
    image_free(t, &large);
}

RLX_TEST(compress, disassembly_gives_the_same_bytes)
{
    image m = program_of(t, CALLS), again;
    rlx_executable *exe;
    char *text;
    size_t length;
    RLX_OKAY(image_load(t, &m, &exe));
    RLX_OKAY(rlx_disassemble(&t->allocator, exe, 0, &text, &length, &t->error));
    again = image_of(t, text);
    cr_expect(m.size == again.size && memcmp(m.data, again.data, m.size) == 0);
    rlx_free(&t->allocator, text, length + 1, 1);
    image_free(t, &again);
    image_free(t, &m);
    rlx_executable_release(exe);
}

RLX_TEST(compress, the_builder_chooses_how)
{
    char *text = program_text(CALLS);
    size_t size[RLX_COMPRESSION_NONE + 1], loaded = 0;
    for (uint32_t how = 0; how <= RLX_COMPRESSION_NONE; how++) {
        rlx_exec_builder *b;
        rlx_executable *exe;
        void *data;
        RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
        RLX_OKAY(rlx_exec_builder_metadata(b, RLX_STR("key"), rlx_str_from(text), &t->error));
        rlx_exec_builder_set_compression(b, (rlx_compression)how);
        RLX_OKAY(rlx_exec_builder_finish(b, &data, &size[how], &t->error));
        image m = {data, size[how]};
        cr_expect_eq(is_compressed(&m, RLXV_SECTION_STRINGS), how != RLX_COMPRESSION_NONE);
        RLX_OKAY(image_load(t, &m, &exe));
        rlx_executable_release(exe);
        RLX_OKAY(rlx_exec_builder_load(b, &(rlx_load_options){.allocator = &t->allocator}, &exe,
                                       &t->error));
        loaded = rlx_executable_size(exe);
        rlx_executable_release(exe);
        rlx_exec_builder_destroy(b);
        image_free(t, &m);
    }
    cr_expect(size[RLX_COMPRESSION_SMALL] < size[RLX_COMPRESSION_NONE] / 2);
    cr_expect(size[RLX_COMPRESSION_FAST] < size[RLX_COMPRESSION_NONE] / 2);
    cr_expect_eq(loaded, size[RLX_COMPRESSION_NONE], "loading at once needs no compression");
    free(text);
}

/* Replaces the bytes of the code section by |n| others, at most as many. */
static image with_code(rlx_test *t, const image *m, const void *bytes, size_t n)
{
    image out = {rlx_alloc(&t->allocator, m->size, 64), m->size};
    cr_assert_not_null(out.data);
    memcpy(out.data, m->data, m->size);
    const uint64_t size = rlxv_load_u64(image_entry(&out, RLXV_SECTION_CODE) + 16);
    cr_assert_leq(n, size);
    memcpy(image_section(&out, RLXV_SECTION_CODE), bytes, n);
    image_seal(&out);
    return out;
}

RLX_TEST(compress, frames_that_lie_are_refused)
{
    /* A frame's magic number, then flags (an 8-byte size; no window), then the size. */
    static const struct {
        uint8_t bytes[13];
        size_t n;
        const char *message;
    } cases[] = {
        {{0}, 4, "has no valid compressed size"},
        {{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58}, 6, "has no valid compressed size"}, /* none stated */
        {{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 1}, 13, "has no valid compressed size"},
        {{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 255, 255, 255, 255, 255, 255, 255, 127},
         13,
         "has no valid compressed size"},
        {{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 16}, 13, "cannot be decompressed"},
    };
    image m = program_of(t, CALLS);
    rlx_executable *exe;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        image bad = with_code(t, &m, cases[i].bytes, cases[i].n);
        RLX_FAILS(image_load(t, &bad, &exe), RLX_E_INVALID_MODULE, cases[i].message);
        image_free(t, &bad);
    }
    image_free(t, &m);
}

RLX_TEST(compress, a_damaged_frame_never_crashes)
{
    image m = program_of(t, CALLS);
    const uint64_t size = rlxv_load_u64(image_entry(&m, RLXV_SECTION_CODE) + 16);
    for (uint64_t i = 0; i < size; i++) {
        rlx_executable *exe = NULL;
        image bad = with_code(t, &m, image_section(&m, RLXV_SECTION_CODE), (size_t)size);
        image_section(&bad, RLXV_SECTION_CODE)[i] ^= 0x41;
        image_seal(&bad);
        if (image_load(t, &bad, &exe) == RLX_OK)
            rlx_executable_release(exe);
        image_free(t, &bad);
    }
    image_free(t, &m);
}

RLX_TEST(compress, common_sections_cannot_be_compressed)
{
    image m = image_of(t, ".const c0 = tensor int32 [2] { 1, 2 }\n"
                          ".func main () -> object symbols 0 {\nload_const r0, c0\nret r0\n}\n");
    rlx_executable *exe;
    uint8_t *row = image_entry(&m, RLXV_SECTION_DATA);
    cr_assert_not_null(row);
    image_store(row + 4, RLXV_SECTION_REQUIRED | RLXV_SECTION_COMPRESSED, 4);
    image_seal(&m);
    RLX_FAILS(image_load(t, &m, &exe), RLX_E_INVALID_MODULE, "unknown section flags");
    image_free(t, &m);
}

RLX_TEST(compress, an_allocation_that_fails_is_an_error)
{
    char *text = program_text(CALLS);
    size_t n = 1;
    do {
        image m = {NULL, 0};
        void *data = NULL;
        rlx_executable *exe = NULL;
        t->calls = 0;
        t->fail_at = n++;
        rlx_status status = rlx_assemble(&t->allocator, RLX_STR("test"), rlx_str_from(text), &data,
                                         &m.size, &t->error);
        m.data = data;
        if (status == RLX_OK)
            status = image_load(t, &m, &exe);
        cr_assert(status == RLX_OK || status == RLX_E_NOMEM, "%s", t->error.message);
        cr_assert_eq(status == RLX_OK, exe != NULL);
        rlx_executable_release(exe);
        image_free(t, &m);
        cr_assert_eq(t->live_blocks, 0u, "call %zu leaks", n - 1);
    } while (t->calls >= t->fail_at);
    cr_expect_gt(n, 20u);
    t->fail_at = 0;
    free(text);
}
#else
RLX_TEST(compress, without_zstd_nothing_is_compressed_or_read)
{
    image m = program_of(t, CALLS);
    rlx_executable *exe;
    cr_expect(!is_compressed(&m, RLXV_SECTION_CODE));
    cr_expect_eq(result_of(t, &m), CALLS - 1);
    uint8_t *row = image_entry(&m, RLXV_SECTION_CODE);
    image_store(row + 4, RLXV_SECTION_REQUIRED | RLXV_SECTION_COMPRESSED, 4);
    image_seal(&m);
    RLX_FAILS(image_load(t, &m, &exe), RLX_E_VERSION, "without zstd");
    image_free(t, &m);
}
#endif
