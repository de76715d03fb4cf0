/* rlx_sign_file: an executable with a signature in it.

   The section table gets a row, so sections may move by their alignment of 64 bytes; their contents
   stay. The signature's section comes after all others but the data, whose bytes are written from
   the mapping of the old file. */
#include "vm/exec.h"
#include "vm/need.h"
#include "vm/signature.h"

#include <rlx/checked.h>
#include <rlx/plan.h>
#include <string.h>

/* The new head. */
typedef struct head {
    uint8_t *bytes;
    size_t room, size; /* allocated; used */
    uint32_t n_sections;
    rlxv_signature_place place;
} head;

/* Places the section of |row| at the head's end, and appends the row; returns the new row. |bytes|
 * NULL: they are not part of the head. */
static size_t add_section(head *h, const uint8_t *row, const uint8_t *bytes)
{
    const size_t at = RLXV_HEADER_BYTES + (size_t)h->n_sections++ * RLXV_SECTION_BYTES;
    const size_t size = (size_t)rlxv_load_u64(row + 16);
    h->size = (h->size + 63) & ~(size_t)63;
    memcpy(h->bytes + at, row, RLXV_SECTION_BYTES);
    rlxv_store(h->bytes + at + 8, h->size, 8);
    if (bytes) {
        memcpy(h->bytes + h->size, bytes, size);
        h->size += size;
    }
    return at;
}

static void add_signature(head *h, const rlx_public_key *key)
{
    uint8_t row[RLXV_SECTION_BYTES] = {0}, section[RLXV_SIGNATURE_BYTES] = {0};
    rlxv_store(row, RLXV_SECTION_SIGNATURE, 4); /* optional: older libraries skip it */
    rlxv_store(row + 16, sizeof section, 8);
    rlxv_store(row + 32, 1, 4);
    rlxv_store(section, RLXV_SIGNATURE_ED25519, 4);
    memcpy(section + RLXV_SIGNATURE_KEY_AT, key, sizeof *key);
    h->place.row = add_section(h, row, section);
    h->place.section = h->size - sizeof section;
}

/* |exe|'s head with an empty signature; the two checksums that depend on it are still zero. */
static rlx_status lay_out(const rlx_executable *exe, const rlx_public_key *key, head *out,
                          rlx_error *err)
{
    const uint32_t n = rlxv_load_u32(exe->head + 24);
    const uint32_t n_new = exe->signature.present ? n : n + 1;
    uint64_t total;
    /* A row, a section, and twice the padding to 64 bytes. */
    const size_t more = RLXV_SECTION_BYTES + RLXV_SIGNATURE_BYTES + 2 * 64;
    head h = {.size = RLXV_HEADER_BYTES + (size_t)n_new * RLXV_SECTION_BYTES};
    if (n_new > RLXV_MAX_SECTIONS)
        return rlx_fail(err, RLX_E_LIMIT, "%u sections leave no room for a signature", n);
    if (!rlx_add_size(exe->head_size, more, &h.room))
        return rlx_fail(err, RLX_E_LIMIT, "the executable is too large");
    h.bytes = rlx_alloc(&exe->allocator, h.room, 64);
    if (!h.bytes)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while signing an executable");
    memset(h.bytes, 0, h.room);
    memcpy(h.bytes, exe->head, RLXV_HEADER_BYTES);
    const uint8_t *data_row = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *row = exe->head + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
        const uint32_t kind = rlxv_load_u32(row);
        if (kind == RLXV_SECTION_DATA)
            data_row = row;
        else if (kind != RLXV_SECTION_SIGNATURE)
            add_section(&h, row, exe->head + rlxv_load_u64(row + 8));
    }
    add_signature(&h, key);
    if (data_row)
        add_section(&h, data_row, NULL);
    total = h.size + exe->data_size; /* both are in memory */
    rlxv_store(h.bytes + 16, total, 8);
    rlxv_store(h.bytes + 24, h.n_sections, 4);
    rlxv_store(h.bytes + 32, 0, 8);
    *out = h;
    return RLX_OK;
}

/* The checksums that depend on the signature. */
static void seal(head *h)
{
    const size_t table = (size_t)h->n_sections * RLXV_SECTION_BYTES;
    rlxv_store(h->bytes + h->place.row + 24,
               rlxv_checksum(h->bytes + h->place.section, RLXV_SIGNATURE_BYTES), 8);
    rlxv_store(h->bytes + 32, rlxv_checksum_header(h->bytes, table), 8);
}

static rlx_status sign(const rlx_executable *exe, const rlx_secret_key *key, head *h,
                       rlx_error *err)
{
    rlxv_span spans[RLXV_SIGNATURE_SPANS];
    rlx_public_key public_key;
    memcpy(&public_key, key->bytes + 32, sizeof public_key);
    RLX_TRY(lay_out(exe, &public_key, h, err));
    rlxv_signed_spans(h->bytes, h->size, exe->data ? exe->data->data : NULL, (size_t)exe->data_size,
                      h->place, spans);
    RLX_TRY(rlxv_ed25519_sign(spans, RLXV_SIGNATURE_SPANS, key,
                              h->bytes + h->place.section + RLXV_SIGNATURE_AT, err));
    seal(h);
    return RLX_OK;
}

rlx_status rlx_sign_file(const rlx_allocator *a, const char *path, const rlx_secret_key *key,
                         const char *output, rlx_public_key *out_key, rlx_error *err)
{
    RLXV_NEED(err, path && key);
    rlx_executable *exe = NULL;
    rlx_secret_key sound; /* whose two halves belong together */
    head h = {0};
    RLX_TRY(rlxv_ed25519_from_seed(key->bytes, &sound, err));
    rlx_status status =
        rlx_executable_load_file(path, &(rlx_load_options){.allocator = a}, &exe, err);
    if (status == RLX_OK) {
        status = rlx_executable_verify_constants(exe, err);
        if (status == RLX_OK)
            status = rlx_executable_verify_plans(exe, err);
        if (status == RLX_OK)
            status = sign(exe, &sound, &h, err);
        if (status != RLX_OK)
            rlx_error_prefix(err, "%s: ", path);
    }
    if (status == RLX_OK)
        status = rlxv_write_image(exe, h.bytes, h.size, output ? output : path, err);
    if (status == RLX_OK && out_key)
        memcpy(out_key, sound.bytes + 32, sizeof *out_key);
    if (exe)
        rlx_free(&exe->allocator, h.bytes, h.room, 64);
    rlx_executable_release(exe);
    rlx_secret_key_wipe(&sound);
    return status;
}
