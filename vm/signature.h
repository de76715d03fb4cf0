/* The signature of an executable (private to vm/): its section, and which bytes it covers.

   The section is optional, so a library that does not know it skips it, and it comes before the
   data section. Words, little-endian:

       1       algorithm: Ed25519 over BLAKE2b
       8       the public key
       16      the signature

   Ed25519 (RFC 8032) signs 80 bytes: "rlx executable 1" and the 64 bytes of the BLAKE2b (RFC 7693)
   of the whole file, with 80 bytes of the file read as zero: the 64 of the signature, and the two
   checksums that depend on them, of this section (in its row of the section table) and of the
   header. Both checksums follow from the other bytes, and loading compares them. So the file that
   passes is byte for byte the file that was signed. */
#ifndef RLXV_SIGNATURE_H
#define RLXV_SIGNATURE_H

#include "vm/file.h"
#include <rlx/executable.h>

#define RLXV_SIGNATURE_ED25519 1u
#define RLXV_SIGNED_NAME "rlx executable 1"
#define RLXV_SIGNATURE_BYTES 100u /* of the section */
#define RLXV_SIGNATURE_KEY_AT 4u
#define RLXV_SIGNATURE_AT 36u
#define RLXV_SIGNATURE_SPANS 8u

/* The places of the parts in the head (the file before the data section). */
typedef struct rlxv_signature_place {
    size_t row;     /* in the section table */
    size_t section; /* its bytes */
} rlxv_signature_place;

/* True if |options| require a signature. */
bool rlxv_signature_is_required(const rlx_load_options *options);
/* The signed bytes. */
void rlxv_signed_spans(const uint8_t *head, size_t head_size, const void *data, size_t data_size,
                       rlxv_signature_place place, rlxv_span out[RLXV_SIGNATURE_SPANS]);

/* ed25519.c, the only user of libsodium. Errors of each: SIGNATURE if the library was built without
 * it. */
rlx_status rlxv_ed25519_generate(uint8_t seed[32], rlx_secret_key *out, rlx_error *err);
rlx_status rlxv_ed25519_from_seed(const uint8_t seed[32], rlx_secret_key *out, rlx_error *err);
/* Errors: INVALID_ARG if the point is not a valid key. */
rlx_status rlxv_ed25519_check_key(const rlx_public_key *key, rlx_error *err);
rlx_status rlxv_ed25519_sign(const rlxv_span *spans, size_t n, const rlx_secret_key *key,
                             uint8_t out[64], rlx_error *err);
/* Errors: SIGNATURE if |signature| is not a valid one of these bytes by |key|. */
rlx_status rlxv_ed25519_verify(const rlxv_span *spans, size_t n, const rlx_public_key *key,
                               const uint8_t signature[64], rlx_error *err);

/* Base64 of RFC 4648, padded, in constant time. |out| of |size| characters has room for the text
 * and a NUL. */
rlx_status rlxv_base64_encode(const uint8_t *bytes, size_t n, char *out, size_t size,
                              rlx_error *err);
/* White space is skipped. Errors: INVALID_ARG if |text| is not exactly |n| bytes. */
rlx_status rlxv_base64_decode(const char *text, size_t length, uint8_t *out, size_t n,
                              rlx_error *err);

#endif
