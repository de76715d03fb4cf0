/* Ed25519 over BLAKE2b, and base64, by libsodium; only this file uses it. Files may be gigabytes
 * large and are hashed in place, piece by piece; BLAKE2b takes less than half the time of SHA-512,
 * which Ed25519ph would use. libsodium refuses keys and points of small order, and an S that is not
 * canonical, so that a signature has one form. A library built with SODIUM=0 has the same
 * functions, and each of them fails. */
#include "vm/signature.h"

#include <string.h>

#if RLX_WITH_SODIUM
#include <sodium.h>

_Static_assert(sizeof(rlx_public_key) == crypto_sign_PUBLICKEYBYTES, "libsodium's public keys");
_Static_assert(sizeof(rlx_secret_key) == crypto_sign_SECRETKEYBYTES, "libsodium's secret keys");

bool rlx_can_sign(void)
{
    return true;
}

static rlx_status start(rlx_error *err)
{
    if (sodium_init() < 0) /* may be called any number of times, from any thread */
        return rlx_fail(err, RLX_E_SIGNATURE, "libsodium cannot be used on this system");
    return RLX_OK;
}

rlx_status rlxv_ed25519_generate(uint8_t seed[32], rlx_secret_key *out, rlx_error *err)
{
    RLX_TRY(start(err));
    randombytes_buf(seed, crypto_sign_SEEDBYTES);
    return rlxv_ed25519_from_seed(seed, out, err);
}

rlx_status rlxv_ed25519_from_seed(const uint8_t seed[32], rlx_secret_key *out, rlx_error *err)
{
    uint8_t public_key[crypto_sign_PUBLICKEYBYTES];
    RLX_TRY(start(err));
    if (crypto_sign_seed_keypair(public_key, out->bytes, seed) != 0)
        return rlx_fail(err, RLX_E_SIGNATURE, "libsodium cannot derive a key from the seed");
    return RLX_OK;
}

rlx_status rlxv_ed25519_check_key(const rlx_public_key *key, rlx_error *err)
{
    RLX_TRY(start(err));
    if (!crypto_core_ed25519_is_valid_point(key->bytes))
        return rlx_fail(err, RLX_E_INVALID_ARG, "the key is not a valid Ed25519 public key");
    return RLX_OK;
}

/* The message that Ed25519 signs: a name, so that other signatures by the key are not valid for
 * files; and the hash. */
enum { NAME_BYTES = 16, HASH_BYTES = 64 };

static void make_message(const rlxv_span *spans, size_t n, uint8_t out[NAME_BYTES + HASH_BYTES])
{
    crypto_generichash_blake2b_state state;
    memcpy(out, RLXV_SIGNED_NAME, NAME_BYTES);
    (void)crypto_generichash_blake2b_init(&state, NULL, 0, HASH_BYTES);
    for (size_t i = 0; i < n; i++)
        if (spans[i].size > 0)
            (void)crypto_generichash_blake2b_update(&state, spans[i].data, spans[i].size);
    (void)crypto_generichash_blake2b_final(&state, out + NAME_BYTES, HASH_BYTES);
}

rlx_status rlxv_ed25519_sign(const rlxv_span *spans, size_t n, const rlx_secret_key *key,
                             uint8_t out[64], rlx_error *err)
{
    uint8_t message[NAME_BYTES + HASH_BYTES];
    RLX_TRY(start(err));
    make_message(spans, n, message);
    if (crypto_sign_detached(out, NULL, message, sizeof message, key->bytes) != 0)
        return rlx_fail(err, RLX_E_SIGNATURE, "libsodium cannot sign with the key");
    return RLX_OK;
}

rlx_status rlxv_ed25519_verify(const rlxv_span *spans, size_t n, const rlx_public_key *key,
                               const uint8_t signature[64], rlx_error *err)
{
    uint8_t message[NAME_BYTES + HASH_BYTES];
    RLX_TRY(start(err));
    make_message(spans, n, message);
    if (crypto_sign_verify_detached(signature, message, sizeof message, key->bytes) == 0)
        return RLX_OK;
    char id[RLX_KEY_ID_SIZE];
    return rlx_fail(err, RLX_E_SIGNATURE, "its bytes differ from those that key %s signed",
                    rlx_key_id(key, id));
}

rlx_status rlxv_base64_encode(const uint8_t *bytes, size_t n, char *out, size_t size,
                              rlx_error *err)
{
    if (size < sodium_base64_ENCODED_LEN(n, sodium_base64_VARIANT_ORIGINAL))
        return rlx_fail(err, RLX_E_INVALID_ARG, "base64 of %zu bytes needs more room", n);
    sodium_bin2base64(out, size, bytes, n, sodium_base64_VARIANT_ORIGINAL);
    return RLX_OK;
}

rlx_status rlxv_base64_decode(const char *text, size_t length, uint8_t *out, size_t n,
                              rlx_error *err)
{
    size_t got = 0;
    const char *end = NULL;
    if (memchr(text, '\0', length) != NULL || /* libsodium would skip this character */
        sodium_base642bin(out, n, text, length, " \t\r\n", &got, &end,
                          sodium_base64_VARIANT_ORIGINAL) != 0 ||
        got != n || end != text + length)
        return rlx_fail(err, RLX_E_INVALID_ARG, "not base64 of %zu bytes", n);
    return RLX_OK;
}

#else

static rlx_status refuse(rlx_error *err)
{
    return rlx_fail(err, RLX_E_SIGNATURE,
                    "this library was built without libsodium: it neither makes nor checks "
                    "signatures");
}

bool rlx_can_sign(void)
{
    return false;
}

rlx_status rlxv_ed25519_generate(uint8_t seed[32], rlx_secret_key *out, rlx_error *err)
{
    (void)seed;
    (void)out;
    return refuse(err);
}

rlx_status rlxv_ed25519_from_seed(const uint8_t seed[32], rlx_secret_key *out, rlx_error *err)
{
    (void)seed;
    (void)out;
    return refuse(err);
}

rlx_status rlxv_ed25519_check_key(const rlx_public_key *key, rlx_error *err)
{
    (void)key;
    return refuse(err);
}

rlx_status rlxv_ed25519_sign(const rlxv_span *spans, size_t n, const rlx_secret_key *key,
                             uint8_t out[64], rlx_error *err)
{
    (void)spans;
    (void)n;
    (void)key;
    (void)out;
    return refuse(err);
}

rlx_status rlxv_ed25519_verify(const rlxv_span *spans, size_t n, const rlx_public_key *key,
                               const uint8_t signature[64], rlx_error *err)
{
    (void)spans;
    (void)n;
    (void)key;
    (void)signature;
    return refuse(err);
}

rlx_status rlxv_base64_encode(const uint8_t *bytes, size_t n, char *out, size_t size,
                              rlx_error *err)
{
    (void)bytes;
    (void)n;
    (void)out;
    (void)size;
    return refuse(err);
}

rlx_status rlxv_base64_decode(const char *text, size_t length, uint8_t *out, size_t n,
                              rlx_error *err)
{
    (void)text;
    (void)length;
    (void)out;
    (void)n;
    return refuse(err);
}

#endif

/* --- without libsodium ----------------------------------------------------------------------- */

void rlx_secret_key_wipe(rlx_secret_key *key)
{
    if (key)
        explicit_bzero(key, sizeof *key);
}

const char *rlx_key_id(const rlx_public_key *key, char buffer[RLX_KEY_ID_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    if (!key || !buffer)
        return "";
    for (size_t i = 0; i < RLX_KEY_ID_SIZE / 2; i++) {
        buffer[2 * i] = digits[key->bytes[i] >> 4];
        buffer[2 * i + 1] = digits[key->bytes[i] & 15];
    }
    buffer[RLX_KEY_ID_SIZE - 1] = '\0';
    return buffer;
}
