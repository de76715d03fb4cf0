/* Fusion patterns and code generators that a library user has added. */
#include "compiler/api/handles.h"
#include "compiler/passes/libraries.h"

#include <string.h>

enum { MAX_NAME = 200 };

/* rlxc_fusion.check */
static bool check_match(void *user, rlxc_context *ctx, const rlxc_match *match)
{
    const rlxc_api_fusion *own = user;
    const rlx_ir_match *handle = rlxc_api_match(ctx, match);
    return own->check(own->user, own->compiler->running, handle);
}

static bool is_name(const char *name)
{
    return name != NULL && name[0] != '\0' && strlen(name) <= MAX_NAME;
}

rlx_status rlx_compiler_add_fusion(rlx_compiler *c, const rlx_fusion_desc *fusion, rlx_error *err)
{
    rlx_fusion_desc d = {.size = sizeof d};
    rlxc_api_call call;
    if (c == NULL || fusion == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the compiler or the fusion is NULL");
    RLX_TRY(rlxc_api_take(fusion, "rlx_fusion_desc", RLXC_API_END(rlx_fusion_desc, user), &d,
                          sizeof d, err));
    if (!is_name(d.name) || d.name[0] == '.' || d.pattern == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "a fusion needs a name such as \"dnnl.relu\" and a pattern");
    if (c->running != NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a pass cannot add fusions");
    if (c->n_fusions == RLXC_API_MAX_FUSIONS)
        return rlx_fail(err, RLX_E_LIMIT, "more than %d fusions added", RLXC_API_MAX_FUSIONS);
    RLX_TRY(rlxc_api_begin(c, &call, err));
    const char *pattern = rlxc_intern_cstr(c->ctx, d.pattern);
    bool ok = rlxc_pattern_parse(c->ctx, pattern).root != NULL;
    rlxc_api_fusion *own = &c->own_fusions[c->n_fusions];
    *own = (rlxc_api_fusion){c, d.check, d.user};
    c->fusions[c->n_fusions] = (rlxc_fusion){.name = rlxc_intern_cstr(c->ctx, d.name),
                                             .pattern = pattern,
                                             .lift_constants = d.lift_constants,
                                             .alone = d.alone,
                                             .shared = d.shared,
                                             .check = d.check != NULL ? check_match : NULL,
                                             .user = own};
    RLX_TRY(rlxc_api_end(&call, ok, RLX_E_INVALID_ARG, err));
    c->n_fusions++;
    return RLX_OK;
}

/* rlxc_generator.run */
static bool run_added(void *user, rlxc_context *ctx, rlxc_module *module)
{
    const rlxc_api_generator *own = user;
    rlx_error err = {0};
    (void)module;
    return rlxc_api_ran(ctx, own->run(own->user, own->compiler->running, &err), &err);
}

struct rlx_ir_section {
    rlxc_context *ctx;
    uint8_t *data;
    size_t size, capacity;
};

rlx_status rlx_ir_section_write(rlx_ir_section *s, const void *data, size_t size, rlx_error *err)
{
    if (s == NULL || (data == NULL && size > 0))
        return rlx_fail(err, RLX_E_INVALID_ARG, "the section or its data is NULL");
    if (size > SIZE_MAX / 4 - s->size)
        return rlx_fail(err, RLX_E_NOMEM, "a section of more than %zu bytes", s->size);
    if (size > s->capacity - s->size) {
        const size_t capacity = 2 * (s->size + size);
        uint8_t *grown = rlxc_try_alloc(s->ctx, capacity, 1);
        if (grown == NULL)
            return rlx_fail(err, RLX_E_NOMEM, "out of memory while writing a section");
        if (s->size > 0)
            memcpy(grown, s->data, s->size);
        s->data = grown;
        s->capacity = capacity;
    }
    if (size > 0)
        memcpy(s->data + s->size, data, size);
    s->size += size;
    return RLX_OK;
}

/* rlxc_generator.emit */
static bool emit_added(void *user, rlxc_context *ctx, rlxc_module *module, const rlxc_taken *taken,
                       uint32_t n, rlxc_section *out)
{
    const rlxc_api_generator *own = user;
    rlx_ir_section section = {.ctx = ctx};
    rlx_error err = {0};
    rlx_ir_taken *functions = rlxc_alloc(ctx, n * sizeof *functions);
    (void)module;
    for (uint32_t i = 0; i < n; i++)
        functions[i] = (rlx_ir_taken){taken[i].symbol, to_function(taken[i].global->relax),
                                      to_prim(taken[i].global->prim)};
    if (!rlxc_api_ran(
            ctx, own->emit(own->user, own->compiler->running, functions, n, &section, &err), &err))
        return false;
    *out = (rlxc_section){out->kind, own->format, section.data, section.size};
    return true;
}

rlx_status rlx_compiler_add_generator(rlx_compiler *c, const rlx_generator_desc *generator,
                                      rlx_error *err)
{
    rlx_generator_desc d = {.size = sizeof d};
    rlxc_api_call call;
    if (c == NULL || generator == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the compiler or the generator is NULL");
    RLX_TRY(rlxc_api_take(generator, "rlx_generator_desc", RLXC_API_END(rlx_generator_desc, user),
                          &d, sizeof d, err));
    if (!is_name(d.name))
        return rlx_fail(err, RLX_E_INVALID_ARG, "a generator needs a name");
    for (uint32_t i = 0; i < c->n_generators; i++)
        if (strcmp(c->generators[i].name, d.name) == 0)
            return rlx_fail(err, RLX_E_INVALID_ARG, "a generator '%s' already exists", d.name);
    if (c->running != NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a pass cannot add generators");
    if (c->n_generators == RLXC_API_MAX_GENERATORS)
        return rlx_fail(err, RLX_E_LIMIT, "more than %d generators added", RLXC_API_MAX_GENERATORS);
    RLX_TRY(rlxc_api_begin(c, &call, err));
    rlxc_api_generator *own = &c->own_generators[c->n_generators];
    const char *name = rlxc_intern_cstr(c->ctx, d.name);
    *own = (rlxc_api_generator){.compiler = c,
                                .run = d.run,
                                .emit = d.emit,
                                .format = d.format ? rlxc_intern_cstr(c->ctx, d.format) : name,
                                .user = d.user};
    c->generators[c->n_generators] = (rlxc_generator){.name = name,
                                                      .run = d.run != NULL ? run_added : NULL,
                                                      .emit = d.emit != NULL ? emit_added : NULL,
                                                      .user = own};
    RLX_TRY(rlxc_api_end(&call, true, RLX_E_INTERNAL, err));
    c->n_generators++;
    return RLX_OK;
}

/* --- built-in generators ---------------------------------------------------------------------- */

bool rlx_compiler_codegen(uint32_t i, const char **out_name, const char **out_doc)
{
    uint32_t n;
    const rlxc_library *const *rows = rlxc_libraries(&n);
    if (i >= n || out_name == NULL || out_doc == NULL)
        return false;
    *out_name = rows[i]->generator.name;
    *out_doc = rows[i]->doc;
    return true;
}

static const rlxc_library *find_library(const char *name)
{
    uint32_t n;
    const rlxc_library *const *rows = rlxc_libraries(&n);
    for (uint32_t i = 0; i < n && name != NULL; i++)
        if (strcmp(rows[i]->generator.name, name) == 0)
            return rows[i];
    return NULL;
}

static bool has_generator(const rlx_compiler *c, const char *name)
{
    for (uint32_t i = 0; i < c->n_generators; i++)
        if (strcmp(c->generators[i].name, name) == 0)
            return true;
    return false;
}

bool rlxc_api_codegens(rlx_compiler *c, const rlx_compile_options *o, rlxc_options *out)
{
    const rlxc_library *libraries[RLXC_API_MAX_CODEGENS];
    uint32_t n_fusions = c->n_fusions;
    if (o->n_codegens > RLXC_API_MAX_CODEGENS || (o->n_codegens > 0 && o->codegens == NULL)) {
        rlxc_error(c->ctx, (rlxc_range){0}, "codegens is NULL or more than %d",
                   RLXC_API_MAX_CODEGENS);
        return false;
    }
    for (uint32_t i = 0; i < o->n_codegens; i++) {
        libraries[i] = find_library(o->codegens[i]);
        if (libraries[i] == NULL || has_generator(c, o->codegens[i])) {
            rlxc_error(c->ctx, (rlxc_range){0}, "there is %s code generator '%s'",
                       libraries[i] ? "already a" : "no built-in",
                       o->codegens[i] ? o->codegens[i] : "NULL");
            return false;
        }
        for (uint32_t k = 0; k < i; k++)
            if (libraries[k] == libraries[i]) {
                rlxc_error(c->ctx, (rlxc_range){0}, "code generator '%s' is named twice",
                           o->codegens[i]);
                return false;
            }
        n_fusions += libraries[i]->n_fusions;
    }
    out->fusions = c->fusions;
    out->n_fusions = c->n_fusions;
    out->generators = c->generators;
    out->n_generators = c->n_generators;
    if (o->n_codegens == 0)
        return true;
    rlxc_fusion *fusions = rlxc_alloc(c->ctx, n_fusions * sizeof *fusions);
    rlxc_generator *generators =
        rlxc_alloc(c->ctx, (c->n_generators + o->n_codegens) * sizeof *generators);
    memcpy(fusions, c->fusions, c->n_fusions * sizeof *fusions);
    memcpy(generators, c->generators, c->n_generators * sizeof *generators);
    for (uint32_t i = 0; i < o->n_codegens; i++) {
        memcpy(fusions + out->n_fusions, libraries[i]->fusions,
               libraries[i]->n_fusions * sizeof *fusions);
        out->n_fusions += libraries[i]->n_fusions;
        generators[out->n_generators++] = libraries[i]->generator;
    }
    out->fusions = fusions;
    out->generators = generators;
    return true;
}

rlx_status rlx_ir_function_unmark(rlx_ir_module *m, rlx_ir_function *f, rlx_error *err)
{
    rlxc_api_call call;
    if (f == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the function is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_function *function = of_function(f);
    static const char *const keys[] = {"Codegen", "Composite"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        function->attrs = rlxc_attrs_without(call.compiler->ctx, function->attrs,
                                             rlxc_intern_cstr(call.compiler->ctx, keys[i]));
    return rlxc_api_end(&call, true, RLX_E_INTERNAL, err);
}
