/* Signatures of executables, and the keys that make and check them. A signature is Ed25519 (RFC
 * 8032) over a hash (BLAKE2b) of the file. It is part of the file that it signs and covers every
 * other byte of it: header, section table, code, kernels, constants, padding (vm/signature.h gives
 * the exact bytes). It proves who made the file, not that the file is harmless: a signed executable
 * is still verified like any other. rlx_load_options.require_signature makes loading require one.

   Keys are PEM files, as OpenSSL writes them (RFC 8410): `openssl genpkey -algorithm ed25519` makes
   a secret key, `openssl pkey -pubout` the public key for it. Messages show a key's id, the first 8
   bytes of the public key in hexadecimal; checks always use the whole key. In a library built
   without libsodium, functions that make, read or check a key or a signature fail with SIGNATURE;
   so does loading if a signature is required. All functions may be called from any thread. */
#ifndef RLX_SIGN_H
#define RLX_SIGN_H

#include <rlx/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_public_key {
    uint8_t bytes[32]; /* the point, as RFC 8032 encodes it */
} rlx_public_key;

typedef struct rlx_secret_key {
    uint8_t bytes[64]; /* the seed, then the public key */
} rlx_secret_key;

/* True if this library was built with libsodium. */
RLX_API bool rlx_can_sign(void);

/* Generates a key pair and writes it to two new files; only the owner can read the secret one.
 * Neither file may exist; none is left after an error. |out_key| (may be NULL)
   gets the public key. Errors: INVALID_ARG (a file exists), IO, NOT_FOUND (no such folder),
   SIGNATURE. */
RLX_NODISCARD RLX_API rlx_status rlx_key_generate(const char *secret_path, const char *public_path,
                                                  rlx_public_key *out_key, rlx_error *err);
/* Errors: IO, NOT_FOUND, INVALID_ARG (no key of that kind, or not a valid one), SIGNATURE. */
RLX_NODISCARD RLX_API rlx_status rlx_public_key_read(const char *path, rlx_public_key *out,
                                                     rlx_error *err);
/* As above for a secret key; wipe it after use (rlx_secret_key_wipe). */
RLX_NODISCARD RLX_API rlx_status rlx_secret_key_read(const char *path, rlx_secret_key *out,
                                                     rlx_error *err);
/* Sets the bytes to zero; the compiler cannot optimise this away. NULL is ignored. */
RLX_API void rlx_secret_key_wipe(rlx_secret_key *key);

/* The id, written to |buffer|, which is returned. */
enum { RLX_KEY_ID_SIZE = 17 };
RLX_API const char *rlx_key_id(const rlx_public_key *key, char buffer[RLX_KEY_ID_SIZE]);

/* Writes the executable |path| with a signature by |key| to |output| (NULL: in place), as
 * rlx_write_file does. An existing signature is replaced. The file is fully verified before it is
 * signed; none of its code runs. |allocator| may be NULL. The same file and key give the same
 * bytes. |out_key| (may be NULL) gets the public key. Errors: those of rlx_executable_load_file and
 * of rlx_write_file, SIGNATURE. */
RLX_NODISCARD RLX_API rlx_status rlx_sign_file(const rlx_allocator *allocator, const char *path,
                                               const rlx_secret_key *key, const char *output,
                                               rlx_public_key *out_key, rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif
