/* Helpers for the tests of signatures and keys: a folder, fixed keys, files. */
#ifndef RLX_TEST_SIGN_H
#define RLX_TEST_SIGN_H

#include "image.h"

#include "vm/signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A temporary folder, and keys that are the same in every run. */
typedef struct place {
    char folder[32];
    rlx_secret_key secret[2];
    rlx_public_key keys[2];
} place;

/* The buffer stays valid for seven calls. */
static inline const char *path_of(const place *p, const char *name)
{
    static char paths[8][64];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", p->folder, name);
    return path;
}

static inline void begin(rlx_test *t, place *p)
{
    uint8_t seed[32] = {0};
    *p = (place){.folder = "/tmp/rlx-test-XXXXXX"};
    cr_assert_not_null(mkdtemp(p->folder));
    for (uint8_t i = 0; i < 2; i++) {
        seed[0] = (uint8_t)(i + 1);
        RLX_OKAY(rlxv_ed25519_from_seed(seed, &p->secret[i], &t->error));
        memcpy(p->keys[i].bytes, p->secret[i].bytes + 32, 32);
    }
}

static inline void end(place *p)
{
    static const char *const names[] = {"in", "out", "key", "pub"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(p, names[i]));
    cr_assert_eq(rmdir(p->folder), 0);
}

static inline void write_bytes(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

#endif
