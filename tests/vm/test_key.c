/* Keys: generating, writing, reading; malformed key files; and signatures of another
 * implementation. */
#include "sign.h"

#include <sys/stat.h>

#if RLX_WITH_SODIUM

/* The key of RFC 8032, section 7.3, and its signature of "abc" by another implementation. */
RLX_TEST(key, another_implementations_signature)
{
    static const uint8_t seed[32] =
        "\x83\x3f\xe6\x24\x09\x23\x7b\x9d\x62\xec\x77\x58\x75\x20\x91\x1e"
        "\x9a\x75\x9c\xec\x1d\x19\x75\x5b\x7d\xa9\x01\xb9\x6d\xca\x3d\x42";
    static const uint8_t want[64] =
        "\x17\x72\xf2\x36\x50\xd5\xfd\x44\x27\x1d\x9d\x31\x04\xde\xde\x9c"
        "\x8a\x11\x03\xa3\xb7\x0d\xd7\x62\xc4\x60\x15\x0f\x66\x5d\x5f\xc8"
        "\xc7\x78\xe5\xc9\xd4\x1c\xe7\xa0\x88\xfd\xa4\xac\x57\x87\xb5\xd2"
        "\xcb\xb0\x01\xcf\x67\xd9\x68\xb0\x49\xe4\x7e\x5c\x00\xa5\x38\x02";
    const rlxv_span spans[] = {{"a", 1}, {NULL, 0}, {"bc", 2}};
    rlx_secret_key key;
    rlx_public_key public;
    uint8_t got[64];
    char id[RLX_KEY_ID_SIZE];
    cr_expect(rlx_can_sign());
    RLX_OKAY(rlxv_ed25519_from_seed(seed, &key, &t->error));
    memcpy(public.bytes, key.bytes + 32, 32);
    cr_expect_str_eq(rlx_key_id(&public, id), "ec172b93ad5e563b");
    RLX_OKAY(rlxv_ed25519_sign(spans, 3, &key, got, &t->error));
    cr_expect_eq(memcmp(got, want, 64), 0);
    RLX_OKAY(rlxv_ed25519_verify(spans, 3, &public, want, &t->error));
}

RLX_TEST(key, keys_are_made_and_read)
{
    place p;
    struct stat st;
    rlx_public_key key, read;
    rlx_secret_key secret;
    begin(t, &p);
    const char *secret_path = path_of(&p, "key"), *public_path = path_of(&p, "pub");
    RLX_OKAY(rlx_key_generate(secret_path, public_path, &key, &t->error));
    cr_assert_eq(stat(secret_path, &st), 0);
    cr_expect_eq(st.st_mode & 07777, 0600);
    RLX_OKAY(rlx_public_key_read(public_path, &read, &t->error));
    cr_expect_eq(memcmp(&key, &read, sizeof key), 0);
    RLX_OKAY(rlx_secret_key_read(secret_path, &secret, &t->error));
    cr_expect_eq(memcmp(secret.bytes + 32, &key, 32), 0);
    rlx_secret_key_wipe(&secret);
    for (size_t i = 0; i < sizeof secret; i++)
        cr_expect_eq(secret.bytes[i], 0);

    /* Neither file is overwritten, and no half of a pair is left. */
    RLX_FAILS(rlx_key_generate(secret_path, path_of(&p, "out"), NULL, &t->error), RLX_E_INVALID_ARG,
              "exists");
    cr_expect_neq(access(path_of(&p, "out"), F_OK), 0);
    RLX_FAILS(rlx_key_generate(path_of(&p, "out"), public_path, NULL, &t->error), RLX_E_INVALID_ARG,
              "exists");
    cr_expect_neq(access(path_of(&p, "out"), F_OK), 0);
    RLX_FAILS(rlx_key_generate(path_of(&p, "out"), path_of(&p, "out"), NULL, &t->error),
              RLX_E_INVALID_ARG, "exists");
    cr_expect_neq(access(path_of(&p, "out"), F_OK), 0);
    RLX_FAILS(rlx_key_generate("/no/such/key", public_path, NULL, &t->error), RLX_E_NOT_FOUND,
              "cannot create");
    RLX_OKAY(rlx_public_key_read(public_path, &read, &t->error));
    cr_expect_eq(memcmp(&key, &read, sizeof key), 0);
    end(&p);
}

#define BEGIN_PUBLIC "-----BEGIN PUBLIC KEY-----\n"
#define END_PUBLIC "-----END PUBLIC KEY-----\n"
#define BEGIN_SECRET "-----BEGIN PRIVATE KEY-----\n"
#define END_SECRET "-----END PRIVATE KEY-----\n"
/* The keys of RFC 8032's example. */
#define PUBLIC_TEXT "MCowBQYDK2VwAyEA7Bcrk61eVjv0kyxw4SRQNMNUZ+8u/U1k6/gZaDRn4r8="
#define SECRET_TEXT "MC4CAQAwBQYDK2VwBCIEIIM/5iQJI3udYux3WHUgkR6adZzsHRl1W32pAbltyj1C"

RLX_TEST(key, malformed_key_files_are_refused)
{
    static const struct {
        bool secret;
        const char *text, *complaint; /* NULL: a valid key */
    } rows[] = {
        {false, BEGIN_PUBLIC PUBLIC_TEXT "\n" END_PUBLIC, NULL},
        {true, BEGIN_SECRET SECRET_TEXT "\n" END_SECRET, NULL},
        {false,
         "\r\n " BEGIN_PUBLIC "MCowBQYDK2VwAyEA7Bcrk61eVjv0\r\nkyxw4SRQNMNUZ+8u/U1k6/"
         "gZaDRn4r8=\r\n-----END PUBLIC KEY-----",
         NULL},
        {false, "", "not a PEM key"},
        {false, "RWQ ", "not a PEM key"},
        {false, "-----BEGIN ", "not a PEM key"},
        {false, "x" BEGIN_PUBLIC PUBLIC_TEXT "\n" END_PUBLIC, "not a PEM key"},
        {false, "-----BEGIN PUBLIC KEY-----", "does not end with"},
        {false, BEGIN_PUBLIC PUBLIC_TEXT "\n", "does not end with"},
        {false, BEGIN_PUBLIC PUBLIC_TEXT "\n" END_SECRET, "does not end with"},
        {false, BEGIN_PUBLIC PUBLIC_TEXT "\n" END_PUBLIC "x", "does not end with"},
        {false, BEGIN_PUBLIC END_PUBLIC, "no Ed25519 key"},
        {false, BEGIN_PUBLIC "MCow\n" END_PUBLIC, "no Ed25519 key"},
        {false, BEGIN_PUBLIC PUBLIC_TEXT PUBLIC_TEXT "\n" END_PUBLIC, "no Ed25519 key"},
        {false, BEGIN_PUBLIC PUBLIC_TEXT "\n" END_PUBLIC BEGIN_PUBLIC PUBLIC_TEXT "\n" END_PUBLIC,
         "no Ed25519 key"},
        /* missing, excessive or inner padding; unused bits set; an invalid character */
        {false,
         BEGIN_PUBLIC "MCowBQYDK2VwAyEA7Bcrk61eVjv0kyxw4SRQNMNUZ+8u/U1k6/gZaDRn4r8\n" END_PUBLIC,
         "no Ed25519 key"},
        {false, BEGIN_PUBLIC PUBLIC_TEXT "====\n" END_PUBLIC, "no Ed25519 key"},
        {false,
         BEGIN_PUBLIC "MCowBQ=DK2VwAyEA7Bcrk61eVjv0kyxw4SRQNMNUZ+8u/U1k6/gZaDRn4r8=\n" END_PUBLIC,
         "no Ed25519 key"},
        {false,
         BEGIN_PUBLIC "MCowBQYDK2VwAyEA7Bcrk61eVjv0kyxw4SRQNMNUZ+8u/U1k6/gZaDRn4r9=\n" END_PUBLIC,
         "no Ed25519 key"},
        {false,
         BEGIN_PUBLIC "MCowBQYDK2VwAyEA7BcrkΩ61eVjv0kyxw4SRQNMNUZ+8u/U1k6/gZaDRn4r8=\n" END_PUBLIC,
         "no Ed25519 key"},
        /* X25519: another object identifier */
        {false,
         BEGIN_PUBLIC "MCowBQYDK2VuAyEA7BcrkN1eVjv0kyxw4SRQNMNUZ+8u/U1k6/gZaDRn4r8=\n" END_PUBLIC,
         "no Ed25519 key"},
        /* zeros, the identity, not a point on the curve */
        {false,
         BEGIN_PUBLIC "MCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n" END_PUBLIC,
         "not a valid Ed25519"},
        {false,
         BEGIN_PUBLIC "MCowBQYDK2VwAyEAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n" END_PUBLIC,
         "not a valid Ed25519"},
        {false,
         BEGIN_PUBLIC "MCowBQYDK2VwAyEA//////////////////////////////////////////8=\n" END_PUBLIC,
         "not a valid Ed25519"},
        {false, BEGIN_SECRET SECRET_TEXT "\n" END_SECRET, "holds a secret key, where its public"},
        {true, BEGIN_PUBLIC PUBLIC_TEXT "\n" END_PUBLIC, "holds a public key, where a secret"},
        {true, "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n", "the key is encrypted"},
        {true, "-----BEGIN CERTIFICATE-----\nAAAA\n", "holds a CERTIFICATE, not a PRIVATE KEY"},
        {true, "-----BEGIN \n\x01-----\nAAAA\n", "holds a \\n\\x01, not a PRIVATE KEY"},
        {true,
         BEGIN_SECRET
         "MC4CAQAwBQYDK2VwBCIEIIM/5iQJI3udYux3WHUgkR6adZzsHRl1W32pAbltyj0=\n" END_SECRET,
         "no Ed25519 key"},
        {true,
         BEGIN_SECRET
         "MC4CAQEwBQYDK2VwBCIEIIM/5iQJI3udYux3WHUgkR6adZzsHRl1W32pAbltyj1C\n" END_SECRET,
         "no Ed25519 key"},
    };
    place p;
    begin(t, &p);
    const char *path = path_of(&p, "key");
    rlx_public_key public;
    rlx_secret_key secret;
    char id[RLX_KEY_ID_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_bytes(path, rows[i].text, strlen(rows[i].text));
        rlx_status status = rows[i].secret ? rlx_secret_key_read(path, &secret, &t->error)
                                           : rlx_public_key_read(path, &public, &t->error);
        if (rows[i].complaint) {
            cr_expect_eq(status, RLX_E_INVALID_ARG, "row %zu", i);
            cr_expect(strstr(t->error.message, rows[i].complaint), "row %zu: %s", i,
                      t->error.message);
            cr_expect(strstr(t->error.message, path), "row %zu: %s", i, t->error.message);
            continue;
        }
        cr_assert_eq(status, RLX_OK, "row %zu: %s", i, t->error.message);
        if (rows[i].secret)
            memcpy(&public, secret.bytes + 32, sizeof public);
        cr_expect_str_eq(rlx_key_id(&public, id), "ec172b93ad5e563b", "row %zu", i);
    }
    /* A NUL byte, and a file that is too long. */
    char *text = calloc(1, 1 << 16);
    cr_assert(text);
    const int n = snprintf(text, 1 << 16, "%s%s\n%s", BEGIN_PUBLIC, PUBLIC_TEXT, END_PUBLIC);
    text[40] = '\0';
    write_bytes(path, text, (size_t)n);
    RLX_FAILS(rlx_public_key_read(path, &public, &t->error), RLX_E_INVALID_ARG, "no Ed25519 key");
    memset(text, '\n', 1 << 16);
    write_bytes(path, text, 1 << 16);
    RLX_FAILS(rlx_public_key_read(path, &public, &t->error), RLX_E_INVALID_ARG, "not a PEM key");
    free(text);
    RLX_FAILS(rlx_public_key_read(p.folder, &public, &t->error), RLX_E_IO, "cannot read");
    RLX_FAILS(rlx_public_key_read("/no/such", &public, &t->error), RLX_E_NOT_FOUND, "cannot open");
    end(&p);
}

#endif
