/* See loader.h. */
#include "loaders/loader.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct section {
    void *library[LOADER_MOST_NAMES];
    uint32_t n;
    loader_function functions[];
} section;

/* --- the library ------------------------------------------------------------------------------ */

static rlx_status open_library(const loader *k, void **functions, rlx_error *err)
{
    /* A program that runs with more rights than its user must not load a library that the user
       names. */
    const char *named = secure_getenv(k->variable);
    const char *const files[] = {named && *named ? named : k->files[0],
                                 named && *named ? NULL : k->files[1]};
    void *library = NULL;
    const char *file = NULL;
    for (size_t i = 0; !library && i < 2 && files[i]; i++) {
        file = files[i];
        library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    if (!library)
        return rlx_fail(err, RLX_E_NOT_FOUND,
                        "there is no %s: neither %s nor a file that %s names can be opened",
                        k->what, files[0], k->variable);
    rlx_status status = RLX_OK;
    for (uint32_t i = 0; status == RLX_OK && i < k->n_names; i++) {
        functions[i] = dlsym(library, k->names[i]);
        if (!functions[i])
            status = rlx_fail(err, RLX_E_NOT_FOUND, "the %s (%s) lacks the function %s", k->what,
                              file, k->names[i]);
    }
    dlclose(library);
    return status;
}

/* --- calls ------------------------------------------------------------------------------------ */

rlx_status loader_wrong(const loader_function *f, const char *why, rlx_error *err)
{
    return rlx_fail(err, RLX_E_SHAPE, "%.*s: %s", (int)f->symbol.len, f->symbol.data, why);
}

static bool is_tensor(rlx_value v)
{
    return v.kind == RLX_KIND_TENSOR && rlx_dtype_eq(rlx_tensor_dtype(v.as.tensor), RLX_F32) &&
           (rlx_tensor_numel(v.as.tensor) == 0 || rlx_tensor_data(v.as.tensor));
}

rlx_status loader_check_args(const loader_function *f, const rlx_value *args, uint32_t n,
                             const uint32_t *used, uint32_t n_used, rlx_error *err)
{
    if (n - 1 != f->row[1])
        return loader_wrong(f, "it is called with another number of operands", err);
    bool ok = is_tensor(args[n - 1]);
    for (uint32_t i = 0; i < n_used; i++)
        ok = ok && (used[i] == RLX_NO_OPERAND || is_tensor(args[used[i]]));
    if (!ok)
        return loader_wrong(f, "an operand is not a float32 tensor in the host's memory", err);
    if (rlx_tensor_numel(args[n - 1].as.tensor) > 0 &&
        !rlx_tensor_mutable_data(args[n - 1].as.tensor))
        return loader_wrong(f, "its result cannot be written", err);
    return RLX_OK;
}

const rlx_tensor *loader_operand(const rlx_value *args, uint32_t operand)
{
    return operand == RLX_NO_OPERAND ? NULL : args[operand].as.tensor;
}

/* --- the section ------------------------------------------------------------------------------ */

static uint32_t word_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool read_function(const loader *k, const uint8_t **at, size_t *left, loader_function *f)
{
    const size_t bytes = (size_t)k->n_words * 4;
    if (*left < bytes)
        return false;
    for (uint32_t i = 0; i < k->n_words; i++)
        f->row[i] = word_at(*at + 4 * (size_t)i);
    *at += bytes;
    *left -= bytes;
    if (f->row[0] > *left || f->row[1] > RLX_MAX_LAUNCH_ARGS || !k->is_row(f->row))
        return false;
    f->symbol = (rlx_str){(const char *)*at, f->row[0]};
    *at += f->row[0];
    *left -= f->row[0];
    return true;
}

static rlx_status load(void *user, const rlx_code_image *image, void **out, rlx_error *err)
{
    const loader *k = user;
    const uint8_t *at = image->data;
    size_t left = image->size;
    if (left < 4 || word_at(at) > (left - 4) / 4 / k->n_words)
        return rlx_fail(err, RLX_E_INVALID_MODULE, "it ends early");
    const uint32_t n = word_at(at);
    section *s = malloc(sizeof *s + (size_t)n * sizeof *s->functions);
    if (!s)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading a section");
    s->n = n;
    at += 4;
    left -= 4;
    rlx_status status = open_library(k, s->library, err);
    for (uint32_t i = 0; status == RLX_OK && i < n; i++) {
        s->functions[i].library = s->library;
        if (!read_function(k, &at, &left, &s->functions[i]))
            status = rlx_fail(err, RLX_E_INVALID_MODULE, "function %u is malformed", i);
    }
    if (status == RLX_OK && left > 0)
        status = rlx_fail(err, RLX_E_INVALID_MODULE, "it has %zu bytes too many", left);
    if (status != RLX_OK)
        free(s);
    else
        *out = s;
    return status;
}

static rlx_packed_fn find(void *user, void *loaded, rlx_str symbol, void **out_user)
{
    const loader *k = user;
    section *s = loaded;
    for (uint32_t i = 0; i < s->n; i++)
        if (rlx_str_eq(s->functions[i].symbol, symbol)) {
            *out_user = &s->functions[i];
            return k->run;
        }
    return NULL;
}

static void unload(void *user, void *loaded)
{
    (void)user;
    free(loaded);
}

rlx_status loader_add(rlx_registry *r, const loader *kind, rlx_error *err)
{
    const rlx_section_api api = {
        .size = sizeof api, .kind = kind->kind, .load = load, .find = find, .unload = unload};
    return rlx_registry_add_section(r, &api, (void *)(uintptr_t)kind, err);
}
