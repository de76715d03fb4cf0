/* Signatures: any change to a signed file is refused before anything in it is decoded. Checksums
 * are recomputed after each change, so that only the signature can detect it. */
#include "native_image.h"
#include "sign.h"

#if RLX_WITH_SODIUM

/* With devices and code for them, whose sections follow those of older formats. */
static const char program[] = ".meta \"compiler\" \"none\"\n"
                              ".kernel k0 \"far\" dims 1 (float32[s0], out float32[s0])\n"
                              ".device \"test\" 1 \"global\" \"test\"\n"
                              ".module \"test\" [ \"test\" text \"neg\\n\" ]\n"
                              ".launches k0 m0 [s0 * 4] {\n"
                              "    \"neg\" [s0, 1, 1] [1, 1, 1] 0 (p0, p1, int64 s0) }\n"
                              ".func main (x: float32[s0!]) -> object symbols 1 {\n"
                              "    .slot s0 \"n\"\n"
                              "    .at \"model.py\" 3 5 \"lv\"\n"
                              "    load_const r1, tensor float32 [3] { 1, 2, 3 }\n"
                              "    ret r1\n}\n";
static const char other_program[] =
    ".func main () -> object {\n load_const r0, int 7\n ret r0\n}\n";

static image read_image(rlx_test *t, const char *path)
{
    static uint8_t room[1 << 20];
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s", path);
    image m = {.size = fread(room, 1, sizeof room, f)};
    fclose(f);
    m.data = rlx_alloc(&t->allocator, m.size, 64);
    cr_assert(m.data);
    memcpy(m.data, room, m.size);
    return m;
}

static image sign_image(rlx_test *t, place *p, const image *m, int key)
{
    write_bytes(path_of(p, "in"), m->data, m->size);
    RLX_OKAY(rlx_sign_file(&t->allocator, path_of(p, "in"), &p->secret[key], path_of(p, "out"),
                           NULL, &t->error));
    return read_image(t, path_of(p, "out"));
}

static image signed_of(rlx_test *t, place *p, const char *text, int key)
{
    image plain = image_of(t, text), m = sign_image(t, p, &plain, key);
    image_free(t, &plain);
    return m;
}

static image copy_of(rlx_test *t, const image *m, size_t size)
{
    image copy = {rlx_alloc(&t->allocator, size, 64), size};
    cr_assert(copy.data);
    memset(copy.data, 0, size);
    memcpy(copy.data, m->data, size < m->size ? size : m->size);
    return copy;
}

/* Loads with one of |n| keys required. */
static rlx_status load_with(rlx_test *t, const image *m, const rlx_public_key *keys, uint32_t n)
{
    const rlx_load_options options = {
        .allocator = &t->allocator, .require_signature = true, .keys = keys, .n_keys = n};
    rlx_executable *exe = NULL;
    const rlx_status status =
        rlx_executable_load_memory(m->data, m->size, &options, &exe, &t->error);
    rlx_executable_release(exe);
    return status;
}

static rlx_status load_plain(rlx_test *t, const image *m)
{
    rlx_executable *exe = NULL;
    const rlx_status status = image_load(t, m, &exe);
    rlx_executable_release(exe);
    return status;
}

RLX_TEST(sign, a_signed_file_loads_with_its_key_alone)
{
    place p;
    begin(t, &p);
    image m = signed_of(t, &p, program, 0), plain = image_of(t, program);
    const rlx_public_key both[2] = {p.keys[1], p.keys[0]};
    RLX_OKAY(load_plain(t, &m));
    RLX_OKAY(load_with(t, &m, p.keys, 1));
    RLX_OKAY(load_with(t, &m, both, 2));
    RLX_FAILS(load_with(t, &m, &p.keys[1], 1), RLX_E_SIGNATURE, "it is signed with key");
    RLX_FAILS(load_with(t, &plain, p.keys, 2), RLX_E_SIGNATURE, "it has no signature");

    /* The message names both keys; with many keys, as many as fit. */
    rlx_public_key many[64];
    char id[2][RLX_KEY_ID_SIZE], text[80];
    snprintf(text, sizeof text, "key %s, not with the one required: %s",
             rlx_key_id(&p.keys[0], id[0]), rlx_key_id(&p.keys[1], id[1]));
    RLX_FAILS(load_with(t, &m, &p.keys[1], 1), RLX_E_SIGNATURE, text);
    for (size_t i = 0; i < 64; i++)
        many[i] = p.keys[1];
    RLX_FAILS(load_with(t, &m, many, 64), RLX_E_SIGNATURE, ", ...");

    /* Any of the three fields requires a signature. */
    const rlx_load_options wishes[] = {{.require_signature = true},
                                       {.require_signature = true, .keys = p.keys},
                                       {.require_signature = true, .n_keys = 1},
                                       {.keys = p.keys},
                                       {.n_keys = 1}};
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        rlx_executable *exe;
        RLX_FAILS(rlx_executable_load_memory(m.data, m.size, &wishes[i], &exe, &t->error),
                  RLX_E_INVALID_ARG, "no key");
    }
    const rlx_load_options by_keys = {.allocator = &t->allocator, .keys = p.keys, .n_keys = 1};
    rlx_executable *exe;
    rlx_public_key signer;
    bool checked;
    RLX_OKAY(rlx_executable_load_memory(m.data, m.size, &by_keys, &exe, &t->error));
    cr_expect(rlx_executable_signer(exe, &signer, &checked) && checked);
    cr_expect_eq(memcmp(&signer, &p.keys[0], sizeof signer), 0);
    cr_expect(rlx_executable_signer(exe, NULL, NULL));
    rlx_executable_release(exe);
    RLX_OKAY(image_load(t, &m, &exe));
    cr_expect(rlx_executable_signer(exe, &signer, &checked) && !checked);
    rlx_executable_release(exe);
    RLX_OKAY(image_load(t, &plain, &exe));
    cr_expect(!rlx_executable_signer(exe, &signer, &checked));
    rlx_executable_release(exe);
    image_free(t, &plain);
    image_free(t, &m);
    end(&p);
}

/* One bit of each byte, first as is, then with checksums recomputed. */
RLX_TEST(sign, every_byte_counts)
{
    place p;
    begin(t, &p);
    image m = signed_of(t, &p, program, 0);
    uint32_t refused_by_signature = 0;
    cr_assert(image_entry(&m, RLXV_SECTION_DEVICES) && image_entry(&m, RLXV_SECTION_MODULES));
    for (size_t at = 0; at < m.size; at++) {
        image bad = copy_of(t, &m, m.size);
        bad.data[at] ^= (uint8_t)(1u << at % 8);
        cr_assert_neq(load_with(t, &bad, p.keys, 1), RLX_OK, "byte %zu", at);
        image_seal(&bad);
        if (memcmp(bad.data, m.data, m.size) != 0) { /* else the byte belonged to a checksum */
            t->error = (rlx_error){0};
            cr_assert_neq(load_with(t, &bad, p.keys, 1), RLX_OK, "byte %zu, sealed", at);
            refused_by_signature += t->error.code == RLX_E_SIGNATURE;
        } else {
            RLX_OKAY(load_with(t, &bad, p.keys, 1));
        }
        image_free(t, &bad);
    }
    cr_expect_gt(refused_by_signature, 300, "%u", refused_by_signature);
    image_free(t, &m);
    end(&p);
}

RLX_TEST(sign, a_file_cut_or_extended_is_refused)
{
    place p;
    begin(t, &p);
    image m = signed_of(t, &p, program, 0);
    for (size_t size = 0; size < m.size + 130; size++) {
        if (size == m.size)
            continue;
        image bad = copy_of(t, &m, size);
        cr_assert_neq(load_with(t, &bad, p.keys, 1), RLX_OK, "%zu bytes", size);
        if (size >= RLXV_HEADER_BYTES) { /* also with the last size adjusted */
            const size_t last =
                RLXV_HEADER_BYTES + (rlxv_load_u32(bad.data + 24) - 1) * (size_t)RLXV_SECTION_BYTES;
            rlxv_store(bad.data + 16, size, 8);
            if (last + RLXV_SECTION_BYTES <= size && rlxv_load_u64(bad.data + last + 8) <= size)
                rlxv_store(bad.data + last + 16, size - rlxv_load_u64(bad.data + last + 8), 8);
            image_seal(&bad);
            cr_assert_neq(load_with(t, &bad, p.keys, 1), RLX_OK, "%zu bytes, sealed", size);
        }
        image_free(t, &bad);
    }
    image_free(t, &m);
    end(&p);
}

/* Appends the section of |row| of |from| to the image being built; returns its end. */
static size_t put_section(image *to, uint32_t i, size_t at, const image *from, const uint8_t *row)
{
    uint8_t *new_row = to->data + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
    const size_t size = (size_t)rlxv_load_u64(row + 16);
    at = (at + 63) & ~(size_t)63;
    memcpy(new_row, row, RLXV_SECTION_BYTES);
    rlxv_store(new_row + 8, at, 8);
    memcpy(to->data + at, from->data + rlxv_load_u64(row + 8), size);
    return at + size;
}

/* |m| with |more| empty sections of unknown kinds in front; |swap| exchanges its own first two. */
static image arranged(rlx_test *t, const image *m, uint32_t more, bool swap)
{
    const uint32_t n = rlxv_load_u32(m->data + 24);
    const uint8_t *rows = m->data + RLXV_HEADER_BYTES;
    image out = copy_of(t, m, m->size + more * RLXV_SECTION_BYTES + 64 * n);
    size_t at = RLXV_HEADER_BYTES + (size_t)(n + more) * RLXV_SECTION_BYTES;
    memset(out.data + RLXV_HEADER_BYTES, 0, out.size - RLXV_HEADER_BYTES);
    for (uint32_t i = 0; i < more; i++) {
        uint8_t row[RLXV_SECTION_BYTES] = {0};
        rlxv_store(row, 1000 + i, 4);
        at = put_section(&out, i, at, m, row);
    }
    for (uint32_t i = 0; i < n; i++)
        at = put_section(&out, more + i, at, m,
                         rows + (size_t)(swap && i < 2 ? 1 - i : i) * RLXV_SECTION_BYTES);
    out.size = at;
    rlxv_store(out.data + 16, at, 8);
    rlxv_store(out.data + 24, n + more, 4);
    image_seal(&out);
    return out;
}

RLX_TEST(sign, sections_are_signed_in_their_order)
{
    place p;
    begin(t, &p);
    image m = signed_of(t, &p, program, 0);
    image same = arranged(t, &m, 0, false), swapped = arranged(t, &m, 0, true),
          more = arranged(t, &m, 1, false);
    RLX_OKAY(load_with(t, &same, p.keys, 1));
    RLX_OKAY(load_plain(t, &swapped));
    RLX_FAILS(load_with(t, &swapped, p.keys, 1), RLX_E_SIGNATURE, "differ from those that key");
    RLX_OKAY(load_plain(t, &more));
    RLX_FAILS(load_with(t, &more, p.keys, 1), RLX_E_SIGNATURE, "differ from those that key");
    image_free(t, &more);
    image_free(t, &swapped);
    image_free(t, &same);
    image_free(t, &m);
    end(&p);
}

/* Sections of unknown kinds are moved along with the others. */
RLX_TEST(sign, as_many_sections_as_a_file_may_have)
{
    place p;
    begin(t, &p);
    image plain = image_of(t, program);
    const uint32_t n = rlxv_load_u32(plain.data + 24);
    for (uint32_t total = n, step; total <= RLXV_MAX_SECTIONS; total += step) {
        step = total < 60 || total >= RLXV_MAX_SECTIONS - 8 ? 1 : 4;
        image m = arranged(t, &plain, total - n, false);
        RLX_OKAY(load_plain(t, &m));
        if (total < RLXV_MAX_SECTIONS) {
            image made = sign_image(t, &p, &m, 0);
            cr_expect_eq(rlxv_load_u32(made.data + 24), total + 1);
            RLX_OKAY(load_with(t, &made, p.keys, 1));
            image_free(t, &made);
        } else {
            write_bytes(path_of(&p, "in"), m.data, m.size);
            RLX_FAILS(rlx_sign_file(&t->allocator, path_of(&p, "in"), &p.secret[0],
                                    path_of(&p, "out"), NULL, &t->error),
                      RLX_E_LIMIT, "128 sections leave no room");
        }
        image_free(t, &m);
    }
    image_free(t, &plain);
    end(&p);
}

static void move_signature(image *to, const image *from, size_t begin_at, size_t end_at)
{
    memcpy(image_section(to, RLXV_SECTION_SIGNATURE) + begin_at,
           image_section(from, RLXV_SECTION_SIGNATURE) + begin_at, end_at - begin_at);
    image_seal(to);
}

RLX_TEST(sign, a_signature_of_another_file_or_key_is_refused)
{
    place p;
    begin(t, &p);
    image a = signed_of(t, &p, program, 0), b = signed_of(t, &p, other_program, 0),
          c = signed_of(t, &p, program, 1);
    move_signature(&b, &a, 0, RLXV_SIGNATURE_BYTES);
    RLX_OKAY(load_plain(t, &b));
    RLX_FAILS(load_with(t, &b, p.keys, 2), RLX_E_SIGNATURE, "differ from those that key");
    /* A matching key name alone is not enough. */
    image named = copy_of(t, &c, c.size);
    move_signature(&named, &a, 0, RLXV_SIGNATURE_AT);
    RLX_FAILS(load_with(t, &named, p.keys, 1), RLX_E_SIGNATURE, "differ from those that key");
    move_signature(&c, &a, 0, RLXV_SIGNATURE_BYTES); /* now equal to |a| */
    RLX_OKAY(load_with(t, &c, p.keys, 1));
    image_free(t, &named);
    image_free(t, &a);
    image_free(t, &b);
    image_free(t, &c);
    end(&p);
}

/* The order of the group, little-endian. */
static const uint8_t group_order[32] = {
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};

RLX_TEST(sign, a_signature_has_one_form)
{
    place p;
    begin(t, &p);
    image m = signed_of(t, &p, program, 0);
    uint8_t *s = image_section(&m, RLXV_SECTION_SIGNATURE) + RLXV_SIGNATURE_AT + 32;
    /* S + L, S + 2 L and so on are accepted by libraries that reduce S. */
    for (int i = 0; i < 4; i++) {
        unsigned carry = 0;
        for (size_t k = 0; k < 32; k++) {
            carry += (unsigned)s[k] + group_order[k];
            s[k] = (uint8_t)carry;
            carry >>= 8;
        }
        image_seal(&m);
        RLX_OKAY(load_plain(t, &m));
        RLX_FAILS(load_with(t, &m, p.keys, 1), RLX_E_SIGNATURE, "differ from those that key");
    }
    image_free(t, &m);
    end(&p);
}

/* Points of small order, for which careless libraries accept one signature for every file. */
RLX_TEST(sign, a_key_of_zeros_or_of_small_order_is_refused)
{
    static const rlx_public_key weak[] = {
        {{0}},
        {{1}},
        {{1, [31] = 0x80}},
        {{[31] = 0x80}},
        {{0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}},
    };
    place p;
    begin(t, &p);
    image m = signed_of(t, &p, program, 0);
    uint8_t *section = image_section(&m, RLXV_SECTION_SIGNATURE);
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++) {
        for (size_t r = 0; r < sizeof weak / sizeof *weak; r++) {
            memcpy(section + RLXV_SIGNATURE_KEY_AT, &weak[i], 32);
            memset(section + RLXV_SIGNATURE_AT, 0, 64);
            memcpy(section + RLXV_SIGNATURE_AT, &weak[r], 32);
            image_seal(&m);
            RLX_FAILS(load_with(t, &m, &weak[i], 1), RLX_E_SIGNATURE, "differ from those that key");
        }
        RLX_FAILS(rlxv_ed25519_check_key(&weak[i], &t->error), RLX_E_INVALID_ARG, "not a valid");
    }
    image_free(t, &m);
    end(&p);
}

RLX_TEST(sign, a_malformed_signature_section_is_refused_by_every_load)
{
    static const struct {
        size_t at; /* offset in the row, or in the section if |in_section| */
        bool in_section;
        uint64_t value;
        rlx_status status;
        const char *text;
    } rows[] = {
        {32, false, 0, RLX_E_INVALID_MODULE, "wrong size"},
        {32, false, 2, RLX_E_INVALID_MODULE, "wrong size"},
        {0, true, 0, RLX_E_VERSION, "of kind 0, this library reads kind 1"},
        {0, true, 2, RLX_E_VERSION, "of kind 2"},
    };
    place p;
    begin(t, &p);
    image m = signed_of(t, &p, program, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image bad = copy_of(t, &m, m.size);
        rlxv_store((rows[i].in_section ? image_section(&bad, RLXV_SECTION_SIGNATURE)
                                       : image_entry(&bad, RLXV_SECTION_SIGNATURE)) +
                       rows[i].at,
                   rows[i].value, 4);
        image_seal(&bad);
        RLX_FAILS(load_plain(t, &bad), rows[i].status, rows[i].text);
        RLX_FAILS(load_with(t, &bad, p.keys, 1), rows[i].status, rows[i].text);
        image_free(t, &bad);
    }
    image_free(t, &m);
    end(&p);
}

RLX_TEST(sign, signing_again_replaces_the_signature)
{
    place p;
    begin(t, &p);
    image a = signed_of(t, &p, program, 0), b = sign_image(t, &p, &a, 1),
          again = sign_image(t, &p, &b, 0);
    cr_expect_eq(b.size, a.size);
    RLX_OKAY(load_with(t, &b, &p.keys[1], 1));
    RLX_FAILS(load_with(t, &b, &p.keys[0], 1), RLX_E_SIGNATURE, "it is signed with key");
    cr_expect(again.size == a.size && memcmp(again.data, a.data, a.size) == 0);
    /* Signs in place. */
    rlx_public_key key;
    RLX_OKAY(rlx_sign_file(NULL, path_of(&p, "in"), &p.secret[0], NULL, &key, &t->error));
    cr_expect_eq(memcmp(&key, &p.keys[0], sizeof key), 0);
    image placed = read_image(t, path_of(&p, "in"));
    cr_expect(placed.size == a.size && memcmp(placed.data, a.data, a.size) == 0);
    image_free(t, &placed);
    image_free(t, &again);
    image_free(t, &b);
    image_free(t, &a);
    end(&p);
}

RLX_TEST(sign, only_sound_files_are_signed)
{
    place p;
    begin(t, &p);
    image m = image_of(t, program);
    const rlx_secret_key *key = &p.secret[0];
    RLX_FAILS(rlx_sign_file(NULL, path_of(&p, "in"), key, NULL, NULL, &t->error), RLX_E_NOT_FOUND,
              "cannot open");
    image_section(&m, RLXV_SECTION_DATA)[0] ^= 1; /* loading does not check this checksum */
    write_bytes(path_of(&p, "in"), m.data, m.size);
    RLX_FAILS(rlx_sign_file(NULL, path_of(&p, "in"), key, NULL, NULL, &t->error),
              RLX_E_INVALID_MODULE, "/in: the constants are damaged");
    image_section(&m, RLXV_SECTION_CODE)[0] ^= 1;
    write_bytes(path_of(&p, "in"), m.data, m.size);
    RLX_FAILS(rlx_sign_file(NULL, path_of(&p, "in"), key, NULL, NULL, &t->error),
              RLX_E_INVALID_MODULE, "wrong checksum");
    image_free(t, &m);
    m = image_of(t, program);
    write_bytes(path_of(&p, "in"), m.data, m.size);
    RLX_FAILS(rlx_sign_file(NULL, path_of(&p, "in"), key, "/dev/full", NULL, &t->error), RLX_E_IO,
              "cannot write");
    RLX_FAILS(rlx_sign_file(NULL, path_of(&p, "in"), key, "/no/such/folder", NULL, &t->error),
              RLX_E_NOT_FOUND, "cannot create");
    image_free(t, &m);
    end(&p);
}

/* A required signature is checked before anything else in the file, and the bytes checked are the
 * bytes used. */
RLX_TEST(sign, the_signature_comes_first)
{
    place p;
    begin(t, &p);
    image m = signed_of(t, &p, program, 0);
    memset(image_section(&m, RLXV_SECTION_STRINGS), 0xff, 8);
    image_seal(&m);
    RLX_FAILS(load_plain(t, &m), RLX_E_INVALID_MODULE, "string");
    RLX_FAILS(load_with(t, &m, p.keys, 1), RLX_E_SIGNATURE, "differ from those that key");
    image_free(t, &m);

    m = signed_of(t, &p, program, 0);
    const rlx_load_options options = {
        .allocator = &t->allocator, .require_signature = true, .keys = p.keys, .n_keys = 1};
    rlx_executable *exe;
    const char *path = path_of(&p, "in");
    write_bytes(path, m.data, m.size);
    RLX_OKAY(rlx_executable_load_file(path, &options, &exe, &t->error));
    memset(m.data, 0x55, m.size);
    FILE *f = fopen(path, "r+b"); /* overwrites the same inode */
    cr_assert(f && fwrite(m.data, 1, m.size, f) == m.size && fclose(f) == 0);
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_value out, x = rlx_test_iota(t, 1, (int64_t[]){2});
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error));
    for (int i = 0; i < 3; i++)
        cr_expect_eq(((const float *)rlx_tensor_data(out.as.tensor))[i], (float)(i + 1));
    rlx_value_release(out);
    rlx_value_release(x);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    image_free(t, &m);
    end(&p);
}

/* An object whose constructor writes the file |marker|, which shows whether it ran. */
static image image_with_native(rlx_test *t, const place *p, const char *marker)
{
    char source[400];
    snprintf(source, sizeof source,
             "#include <stdio.h>\n"
             "__attribute__((constructor)) static void ran(void)"
             "{ FILE *f = fopen(\"%s\", \"w\"); if (f) fclose(f); }\n"
             "int k(void *const *b, const long *d, void *c)"
             "{ (void)d; (void)c; *(int *)b[0] = 5; return 0; }\n",
             marker);
    return native_image(t, p->folder, source);
}

RLX_TEST(sign, nothing_of_a_refused_file_runs)
{
    place p;
    begin(t, &p);
    char marker[64];
    snprintf(marker, sizeof marker, "%s", path_of(&p, "pub"));
    image plain = image_with_native(t, &p, marker), m = sign_image(t, &p, &plain, 0);
    for (int round = 0; round < 4; round++) {
        const rlx_load_options options = {.allocator = &t->allocator,
                                          .trust_native = true,
                                          .require_signature = true,
                                          .keys = &p.keys[round == 1],
                                          .n_keys = 1};
        rlx_executable *exe;
        image bad = copy_of(t, round == 2 ? &plain : &m, round == 2 ? plain.size : m.size);
        if (round == 0) { /* a byte of the machine code */
            uint8_t *row = image_entry(&bad, RLXV_SECTION_NATIVE);
            bad.data[rlxv_load_u64(row + 8) + rlxv_load_u64(row + 16) / 2] ^= 1;
            image_seal(&bad);
        }
        if (round < 3) {
            RLX_FAILS(rlx_executable_load_memory(bad.data, bad.size, &options, &exe, &t->error),
                      RLX_E_SIGNATURE, "sign");
            cr_expect_neq(access(marker, F_OK), 0, "round %d ran it", round);
        } else {
            rlx_value out;
            RLX_OKAY(rlx_executable_load_memory(bad.data, bad.size, &options, &exe, &t->error));
            cr_expect_eq(access(marker, F_OK), 0, "the object has no constructor");
            rlx_vm *vm = rlx_test_vm(t, exe);
            RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
            cr_expect_eq(*(const int *)rlx_tensor_data(out.as.tensor), 5);
            rlx_value_release(out);
            rlx_vm_destroy(vm);
            rlx_executable_release(exe);
        }
        image_free(t, &bad);
    }
    image_free(t, &plain);
    image_free(t, &m);
    end(&p);
}

/* --- memory ---------------------------------------------------------------------------------- */

static rlx_status sign_and_load(rlx_test *t, place *p, rlx_error *err)
{
    const rlx_load_options options = {
        .allocator = &t->allocator, .require_signature = true, .keys = p->keys, .n_keys = 1};
    rlx_executable *exe = NULL;
    RLX_TRY(rlx_sign_file(&t->allocator, path_of(p, "in"), &p->secret[0], path_of(p, "out"), NULL,
                          err));
    RLX_TRY(rlx_executable_load_file(path_of(p, "out"), &options, &exe, err));
    rlx_executable_release(exe);
    return RLX_OK;
}

RLX_TEST(sign, every_allocation_may_fail)
{
    place p;
    begin(t, &p);
    image m = image_of(t, program);
    const size_t live = t->live_blocks;
    rlx_status status;
    write_bytes(path_of(&p, "in"), m.data, m.size);
    size_t n = 1;
    do {
        t->calls = 0;
        t->fail_at = n++;
        t->error = (rlx_error){0};
        status = sign_and_load(t, &p, &t->error);
        cr_assert(status == RLX_OK || status == RLX_E_NOMEM, "call %zu: %s", n - 1,
                  t->error.message);
        cr_assert_eq(t->live_blocks, live, "call %zu leaks", n - 1);
    } while (t->calls >= t->fail_at);
    cr_expect_gt(n, 10);
    cr_expect_eq(status, RLX_OK);
    t->fail_at = 0;
    image_free(t, &m);
    end(&p);
}

#else

/* Built without libsodium: requiring a signature is an error, never ignored. */
RLX_TEST(sign, without_libsodium_nothing_is_signed_or_checked)
{
    image m = image_of(t, ".func main () -> object {\n load_const r0, int 7\n ret r0\n}\n");
    rlx_secret_key secret = {{1}};
    rlx_public_key key = {{1}};
    rlx_executable *exe;
    rlx_status refused = RLX_E_SIGNATURE;
    const rlx_load_options options = {.keys = &key, .n_keys = 1};
    cr_expect(!rlx_can_sign());
    RLX_FAILS(rlx_executable_load_memory(m.data, m.size, &options, &exe, &t->error), refused,
              "no signature");
    RLX_FAILS(rlx_key_generate("/tmp/rlx-none.key", "/tmp/rlx-none.pub", &key, &t->error), refused,
              "without libsodium");
    RLX_FAILS(rlx_sign_file(NULL, "/dev/null", &secret, NULL, &key, &t->error), refused,
              "without libsodium");
    RLX_FAILS(rlxv_ed25519_verify(NULL, 0, &key, secret.bytes, &t->error), refused,
              "without libsodium");
    image_free(t, &m);
}

#endif
