/* Fuzz target: any bytes as an executable. Checksums are recomputed, so that the decoder, the
 * verifier and the interpreter see the fuzzer's changes. A file that loads is run, disassembled and
 * reassembled. With the key of the corpus' signed files required, no changed file may load. */
#include "run_any.h"

#include "vm/exec.h"
#include "vm/file.h"
#include "vm/signature.h"

#include <rlx/asm.h>
#include <stdlib.h>
#include <string.h>

static void store64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static void seal(uint8_t *data, size_t size)
{
    if (size < RLXV_HEADER_BYTES)
        return;
    uint32_t n = rlxv_load_u32(data + 24);
    if (n > RLXV_MAX_SECTIONS || RLXV_HEADER_BYTES + (size_t)n * RLXV_SECTION_BYTES > size)
        return;
    store64(data + 16, size);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *e = data + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
        uint64_t at = rlxv_load_u64(e + 8), len = rlxv_load_u64(e + 16);
        if (at <= size && len <= size - at)
            store64(e + 24, rlxv_checksum(data + at, (size_t)len));
    }
    store64(data + 32, rlxv_checksum(data, 32) ^
                           rlxv_checksum(data + RLXV_HEADER_BYTES, (size_t)n * RLXV_SECTION_BYTES));
}

/* Whether |data| loads with the key of seed 1, 0, 0 ... required. */
static bool is_signed(const uint8_t *data, size_t size)
{
    static const uint8_t seed[32] = {1};
    rlx_executable *exe = NULL;
    rlx_secret_key secret;
    rlx_public_key key;
    rlx_error err;
    if (rlxv_ed25519_from_seed(seed, &secret, &err) != RLX_OK)
        return false;
    memcpy(&key, secret.bytes + 32, sizeof key);
    const rlx_load_options options = {.require_signature = true, .keys = &key, .n_keys = 1};
    const bool loads = rlx_executable_load_memory(data, size, &options, &exe, &err) == RLX_OK;
    rlx_executable_release(exe);
    return loads;
}

/* Flips one bit of a signed file, another one in each call; the result must not load. */
static void try_a_change(const uint8_t *data, size_t size)
{
    static size_t at;
    uint8_t *changed = rlx_alloc(NULL, size, 64);
    if (!changed || !is_signed(data, size)) {
        rlx_free(NULL, changed, size, 64);
        return;
    }
    memcpy(changed, data, size);
    at = (at + 1) % (8 * size);
    changed[at / 8] ^= (uint8_t)(1u << at % 8);
    seal(changed, size);
    if (memcmp(changed, data, size) != 0 && is_signed(changed, size))
        abort();
    rlx_free(NULL, changed, size, 64);
}

/* Runs, disassembles and reassembles level |level|, or the file's only program. Returns the number
 * of levels. */
static uint32_t use(const uint8_t *data, size_t size, uint32_t level)
{
    const rlx_load_options options = {.level = level};
    rlx_executable *exe;
    rlx_error err;
    char *text;
    size_t len, again_size;
    void *again;
    if (rlx_executable_load_memory(data, size, &options, &exe, &err) != RLX_OK)
        return 0;
    const uint32_t levels = rlx_executable_level_count(exe);
    fuzz_run_all(exe);
    if (rlx_disassemble(NULL, exe, 0, &text, &len, &err) == RLX_OK) {
        if (rlx_assemble(NULL, RLX_STR("fuzz"), (rlx_str){text, len}, &again, &again_size, &err) ==
            RLX_OK)
            rlx_free(NULL, again, again_size, 64);
        rlx_free(NULL, text, len + 1, 1);
    }
    rlx_executable_release(exe);
    return levels;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t *data = rlx_alloc(NULL, size, 64);
    if (!data)
        return 0;
    if (size)
        memcpy(data, bytes, size);
    seal(data, size);
    try_a_change(data, size);
    const uint32_t levels = use(data, size, 0);
    for (uint32_t level = 1; level <= levels; level++)
        use(data, size, level);
    rlx_free(NULL, data, size, 64);
    return 0;
}
