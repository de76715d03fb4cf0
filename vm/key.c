/* Reads and writes key files: PEM of RFC 8410, as OpenSSL writes it. Both kinds are base64 of a
 * fixed DER prefix and 32 bytes, a point or a seed, so there is no DER parser. A file holds one key
 * and nothing else. Bytes of secret keys are overwritten before their memory is released. */
#include "vm/file.h"
#include "vm/need.h"
#include "vm/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KEY_BYTES = 32, MAX_PREFIX = 16, MAX_FILE = 4096, MAX_LABEL = 32 };

typedef struct kind {
    const char *label;
    uint8_t prefix[MAX_PREFIX]; /* SubjectPublicKeyInfo and PrivateKeyInfo up to the bytes */
    size_t n_prefix;
} kind;

static const kind public_kind = {
    "PUBLIC KEY", {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00}, 12};
static const kind secret_kind = {"PRIVATE KEY",
                                 {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65,
                                  0x70, 0x04, 0x22, 0x04, 0x20},
                                 16};

/* --- reading --------------------------------------------------------------------------------- */

/* The whole file, which may be a pipe. */
static rlx_status read_text(const char *path, char text[MAX_FILE], size_t *out_size, rlx_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rlxv_io_error(err, path, "open");
    rlx_status status = RLX_OK;
    size_t size = 0;
    while (size < MAX_FILE) {
        const ssize_t got = read(fd, text + size, MAX_FILE - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = rlxv_io_error(err, path, "read");
        if (got <= 0)
            break;
        size += (size_t)got;
    }
    close(fd);
    *out_size = size;
    return status;
}

/* Removes |literal| from the start of |text|. */
static bool take(rlx_str *text, const char *literal)
{
    const size_t n = strlen(literal);
    if (text->len < n || memcmp(text->data, literal, n) != 0)
        return false;
    *text = (rlx_str){text->data + n, text->len - n};
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static rlx_str trim(const char *text, size_t size)
{
    while (size > 0 && is_space(text[size - 1]))
        size--;
    while (size > 0 && is_space(*text))
        text++, size--;
    return (rlx_str){text, size};
}

static rlx_status other_label(const char *path, const kind *want, rlx_str label, rlx_error *err)
{
    char shown[MAX_LABEL + 8];
    if (rlx_str_eq(label, rlx_str_from(secret_kind.label)))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "%s: holds a secret key, where its public key is wanted", path);
    if (rlx_str_eq(label, rlx_str_from(public_kind.label)))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "%s: holds a public key, where a secret one is wanted", path);
    if (rlx_str_eq(label, RLX_STR("ENCRYPTED PRIVATE KEY")))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "%s: the key is encrypted; 'openssl pkey -in FILE' decrypts it", path);
    return rlx_fail(err, RLX_E_INVALID_ARG, "%s: holds a %s, not a %s", path,
                    rlx_name_text(label, shown, sizeof shown), want->label);
}

static rlx_status parse(const char *path, rlx_str text, const kind *want, uint8_t out[KEY_BYTES],
                        rlx_error *err)
{
    uint8_t der[MAX_PREFIX + KEY_BYTES];
    char end[MAX_LABEL + 16];
    const char *dashes;
    size_t length = 0;
    if (!take(&text, "-----BEGIN ") || !(dashes = memmem(text.data, text.len, "-----", 5)))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "%s: not a PEM key as rlx keygen and OpenSSL write it", path);
    const rlx_str label = {text.data, (size_t)(dashes - text.data)};
    if (!rlx_str_eq(label, rlx_str_from(want->label)))
        return other_label(path, want, label, err);
    text = (rlx_str){dashes + 5, text.len - label.len - 5};
    length = (size_t)snprintf(end, sizeof end, "-----END %s-----", want->label);
    if (text.len < length || memcmp(text.data + text.len - length, end, length) != 0)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "%s: does not end with '%s', or holds more than one key", path, end);
    rlx_status status =
        rlxv_base64_decode(text.data, text.len - length, der, want->n_prefix + KEY_BYTES, err);
    if (status == RLX_OK && memcmp(der, want->prefix, want->n_prefix) == 0)
        memcpy(out, der + want->n_prefix, KEY_BYTES);
    else if (status != RLX_E_SIGNATURE)
        status = rlx_fail(err, RLX_E_INVALID_ARG, "%s: holds no Ed25519 key in its %s", path,
                          want->label);
    explicit_bzero(der, sizeof der);
    return status;
}

static rlx_status read_key(const char *path, const kind *want, uint8_t out[KEY_BYTES],
                           rlx_error *err)
{
    char text[MAX_FILE];
    size_t size = 0;
    rlx_status status = read_text(path, text, &size, err);
    if (status == RLX_OK)
        status = parse(path, trim(text, size), want, out, err);
    explicit_bzero(text, sizeof text);
    return status;
}

rlx_status rlx_public_key_read(const char *path, rlx_public_key *out, rlx_error *err)
{
    RLXV_NEED(err, path && out);
    rlx_public_key key;
    RLX_TRY(read_key(path, &public_kind, key.bytes, err));
    const rlx_status status = rlxv_ed25519_check_key(&key, err);
    if (status == RLX_OK)
        *out = key;
    else
        rlx_error_prefix(err, "%s: ", path);
    return status;
}

rlx_status rlx_secret_key_read(const char *path, rlx_secret_key *out, rlx_error *err)
{
    RLXV_NEED(err, path && out);
    uint8_t seed[KEY_BYTES];
    RLX_TRY(read_key(path, &secret_kind, seed, err));
    const rlx_status status = rlxv_ed25519_from_seed(seed, out, err);
    explicit_bzero(seed, sizeof seed);
    return status;
}

/* --- writing --------------------------------------------------------------------------------- */

/* Writes a new file with |mode| directly: there is no old one to keep. */
static rlx_status write_key(const char *path, int mode, const kind *k,
                            const uint8_t bytes[KEY_BYTES], rlx_error *err)
{
    uint8_t der[MAX_PREFIX + KEY_BYTES];
    char base64[2 * (MAX_PREFIX + KEY_BYTES)], text[256];
    memcpy(der, k->prefix, k->n_prefix);
    memcpy(der + k->n_prefix, bytes, KEY_BYTES);
    rlx_status status =
        rlxv_base64_encode(der, k->n_prefix + KEY_BYTES, base64, sizeof base64, err);
    explicit_bzero(der, sizeof der);
    if (status != RLX_OK)
        return status;
    const int n = snprintf(text, sizeof text, "-----BEGIN %s-----\n%s\n-----END %s-----\n",
                           k->label, base64, k->label);
    explicit_bzero(base64, sizeof base64);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 && errno == EEXIST)
        status = rlx_fail(err, RLX_E_INVALID_ARG, "%s exists; keys are never overwritten", path);
    else if (fd < 0)
        status = rlxv_io_error(err, path, "create");
    if (status == RLX_OK) {
        errno = ENOSPC; /* after a short write */
        if (write(fd, text, (size_t)n) != n || fsync(fd) != 0)
            status = rlxv_io_error(err, path, "write");
        if (close(fd) != 0 && status == RLX_OK)
            status = rlxv_io_error(err, path, "write");
        if (status != RLX_OK)
            unlink(path);
    }
    explicit_bzero(text, sizeof text);
    return status;
}

rlx_status rlx_key_generate(const char *secret_path, const char *public_path,
                            rlx_public_key *out_key, rlx_error *err)
{
    RLXV_NEED(err, secret_path && public_path);
    uint8_t seed[KEY_BYTES];
    rlx_secret_key key;
    rlx_public_key public_key;
    RLX_TRY(rlxv_ed25519_generate(seed, &key, err));
    memcpy(public_key.bytes, key.bytes + KEY_BYTES, KEY_BYTES);
    rlx_secret_key_wipe(&key);
    rlx_status status = write_key(secret_path, 0600, &secret_kind, seed, err);
    explicit_bzero(seed, sizeof seed);
    if (status != RLX_OK)
        return status;
    status = write_key(public_path, 0666, &public_kind, public_key.bytes, err);
    if (status != RLX_OK)
        unlink(secret_path);
    else if (out_key)
        *out_key = public_key;
    return status;
}
