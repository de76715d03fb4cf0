/* Checks the signature of an executable on loading (vm/signature.h says what it covers). Its
 * section is read right after the section table, and a required signature is checked at once: over
 * the executable's own copy of the head, and over its constants, which are then read into memory
 * instead of mapped. So nothing of a failing file is decoded or run, and changing the file later
 * does not change the checked bytes. */
#include "vm/signature.h"
#include "vm/load.h"

#include <stdio.h>
#include <string.h>

void rlxv_signed_spans(const uint8_t *head, size_t head_size, const void *data, size_t data_size,
                       rlxv_signature_place place, rlxv_span out[RLXV_SIGNATURE_SPANS])
{
    static const uint8_t zeros[64];
    const size_t header_sum = 32, sum = place.row + 24;
    const size_t signature = place.section + RLXV_SIGNATURE_AT;
    const rlxv_span spans[RLXV_SIGNATURE_SPANS] = {
        {head, header_sum},
        {zeros, 8},
        {head + header_sum + 8, sum - header_sum - 8},
        {zeros, 8},
        {head + sum + 8, signature - sum - 8},
        {zeros, 64},
        {head + signature + 64, head_size - signature - 64},
        {data, data_size},
    };
    memcpy(out, spans, sizeof spans);
}

/* The row of the signature's section; there is one. */
static size_t find_row(const uint8_t *head)
{
    size_t row = RLXV_HEADER_BYTES;
    while (rlxv_load_u32(head + row) != RLXV_SECTION_SIGNATURE)
        row += RLXV_SECTION_BYTES;
    return row;
}

static rlx_status other_key(const rlxv_loader *l)
{
    const rlx_load_options *o = l->options;
    char id[RLX_KEY_ID_SIZE], wanted[200] = "";
    size_t used = 0, shown = 0;
    for (; shown < o->n_keys && used + 32 < sizeof wanted; shown++)
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s%s", shown ? ", " : "",
                                 rlx_key_id(&o->keys[shown], id));
    return rlx_fail(l->err, RLX_E_SIGNATURE, "it is signed with key %s, not with %s%s%s",
                    rlx_key_id(&l->exe->signature.key, id),
                    o->n_keys > 1 ? "any of those required: " : "the one required: ", wanted,
                    shown < o->n_keys ? ", ..." : "");
}

/* Checks that the holder of one of the keys signed this file. */
static rlx_status check(rlxv_loader *l)
{
    const rlx_load_options *o = l->options;
    rlx_executable *exe = l->exe;
    rlxv_span spans[RLXV_SIGNATURE_SPANS];
    if (!o->keys || o->n_keys == 0)
        return rlx_fail(l->err, RLX_E_INVALID_ARG, "a signature is required, but no key is given");
    if (!exe->signature.present)
        return rlx_fail(l->err, RLX_E_SIGNATURE, "it has no signature, and one is required");
    uint32_t k = 0;
    while (k < o->n_keys && memcmp(&o->keys[k], &exe->signature.key, sizeof *o->keys) != 0)
        k++;
    if (k == o->n_keys)
        return other_key(l);
    const uint8_t *section = l->sections[RLXV_SECTION_SIGNATURE].data;
    const rlxv_signature_place place = {find_row(exe->head), (size_t)(section - exe->head)};
    rlxv_signed_spans(exe->head, exe->head_size, exe->data ? exe->data->data : NULL,
                      (size_t)exe->data_size, place, spans);
    RLX_TRY(rlxv_ed25519_verify(spans, RLXV_SIGNATURE_SPANS, &o->keys[k],
                                section + RLXV_SIGNATURE_AT, l->err));
    exe->signature.checked = true;
    return RLX_OK;
}

rlx_status rlxv_parse_signature(rlxv_loader *l)
{
    const rlxv_section *s = &l->sections[RLXV_SECTION_SIGNATURE];
    if (s->present) {
        if (s->size != RLXV_SIGNATURE_BYTES || s->count != 1)
            return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the signature section has a wrong size");
        if (rlxv_load_u32(s->data) != RLXV_SIGNATURE_ED25519)
            return rlx_fail(l->err, RLX_E_VERSION,
                            "the signature is of kind %u, this library reads kind %u",
                            rlxv_load_u32(s->data), RLXV_SIGNATURE_ED25519);
        memcpy(l->exe->signature.key.bytes, s->data + RLXV_SIGNATURE_KEY_AT,
               sizeof l->exe->signature.key);
        l->exe->signature.present = true;
    }
    return rlxv_signature_is_required(l->options) ? check(l) : RLX_OK;
}

bool rlxv_signature_is_required(const rlx_load_options *options)
{
    return options && (options->require_signature || options->keys || options->n_keys > 0);
}

bool rlx_executable_signer(const rlx_executable *exe, rlx_public_key *out, bool *out_checked)
{
    if (!exe || !exe->signature.present)
        return false;
    if (out)
        *out = exe->signature.key;
    if (out_checked)
        *out_checked = exe->signature.checked;
    return true;
}
