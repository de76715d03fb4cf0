/* Sections of a file that a loader of the host's registry runs (rlx/vm.h). */
#include "tests/support/rlx_test.h"

#include <stdlib.h>
#include <string.h>

/* A loader of texts "NAME FACTOR": each section has one function, which multiplies an integer. */
typedef struct control {
    uint32_t live, finds;
    bool refuse;
} control;

typedef struct scaling {
    char name[16];
    int64_t factor;
} scaling;

static rlx_status multiply(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                           rlx_error *err)
{
    const scaling *s = rlx_call_user(cc);
    if (n != 1 || args[0].kind != RLX_KIND_INT)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%s takes an integer", s->name);
    *out = rlx_int(args[0].as.i * s->factor);
    return RLX_OK;
}

static rlx_status load(void *user, const rlx_code_image *image, void **out, rlx_error *err)
{
    control *c = user;
    const char *space = memchr(image->data, ' ', image->size);
    const size_t length = space ? (size_t)(space - (const char *)image->data) : 0;
    if (c->refuse || length == 0 || length >= sizeof((scaling *)NULL)->name ||
        image->size > length + 8)
        return rlx_fail(err, RLX_E_INVALID_MODULE, "no name and factor");
    char factor[8] = {0};
    memcpy(factor, space + 1, image->size - length - 1);
    scaling *s = calloc(1, sizeof *s);
    cr_assert_not_null(s);
    memcpy(s->name, image->data, length);
    s->factor = atoi(factor);
    c->live++;
    *out = s;
    return RLX_OK;
}

static rlx_packed_fn find(void *user, void *section, rlx_str symbol, void **out_user)
{
    control *c = user;
    const scaling *s = section;
    c->finds++;
    *out_user = section;
    return rlx_str_eq(symbol, rlx_str_from(s->name)) ? multiply : NULL;
}

static void unload(void *user, void *section)
{
    control *c = user;
    c->live--;
    free(section);
}

static const rlx_section_api api = {
    .size = sizeof api, .kind = "scale", .load = load, .find = find, .unload = unload};

static const char program[] = ".module \"scale\" [ \"text\" text \"twice 2\" ]\n"
                              ".module \"scale\" [ \"text\" text \"thrice 3\" ]\n"
                              ".func main (x: object) -> object {\n"
                              "    call_packed r1, \"twice\", [r0]\n"
                              "    call_packed r2, \"thrice\", [r1]\n"
                              "    ret r2\n}\n"
                              ".func missing (x: object) -> object {\n"
                              "    call_packed r1, \"other\", [r0]\n"
                              "    ret r1\n}\n";

static rlx_status call(rlx_test *t, rlx_executable *exe, rlx_registry *r, const char *function,
                       int64_t *out, rlx_error *err)
{
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    rlx_vm *vm = NULL;
    const rlx_value x = rlx_int(7);
    rlx_value y = rlx_none();
    rlx_status status = rlx_vm_create(exe, &options, &vm, err);
    for (int i = 0; status == RLX_OK && i < 2; i++)
        status = rlx_vm_invoke(vm, rlx_str_from(function), &x, 1, &y, err);
    if (status == RLX_OK)
        *out = y.as.i;
    rlx_vm_destroy(vm);
    return status;
}

static rlx_registry *registry_of(rlx_test *t, control *c)
{
    rlx_registry *r = NULL;
    RLX_OKAY(rlx_registry_create(&t->allocator, &r, &t->error));
    RLX_OKAY(rlx_registry_add_section(r, &api, c, &t->error));
    return r;
}

RLX_TEST(sections, functions_of_loaded_sections_are_called)
{
    control c = {0};
    int64_t y = 0;
    rlx_registry *r = registry_of(t, &c);
    rlx_executable *exe = rlx_test_load(t, program);
    RLX_OKAY(call(t, exe, r, "main", &y, &t->error));
    cr_expect_eq(y, 42);
    cr_expect_eq(c.live, 0);
    cr_expect_eq(c.finds, 3, "names are looked up once, not %u times", c.finds);
    RLX_FAILS(call(t, exe, r, "missing", &y, &t->error), RLX_E_NOT_FOUND,
              "no packed function or builtin is named 'other'");
    cr_expect(strstr(t->error.message, "section") == NULL, "%s", t->error.message);
    rlx_executable_release(exe);
    rlx_registry_release(r);
}

RLX_TEST(sections, what_the_host_registers_comes_first)
{
    control c = {0};
    int64_t y = 0;
    scaling own = {"twice", 10};
    rlx_registry *r = registry_of(t, &c);
    RLX_OKAY(rlx_registry_add_packed(r, RLX_STR("twice"), multiply, &own, NULL, &t->error));
    rlx_executable *exe = rlx_test_load(t, program);
    RLX_OKAY(call(t, exe, r, "main", &y, &t->error));
    cr_expect_eq(y, 210);
    rlx_executable_release(exe);
    rlx_registry_release(r);
}

RLX_TEST(sections, without_loader_or_trust_the_error_says_so)
{
    control c = {0};
    int64_t y = 0;
    rlx_registry *r = registry_of(t, &c);
    rlx_executable *exe = rlx_test_load(t, program);
    RLX_FAILS(call(t, exe, NULL, "main", &y, &t->error), RLX_E_NOT_FOUND,
              "no packed function or builtin is named 'twice'; the section 'scale' of the file is "
              "not loaded: the registry has no loader for it");
    c.refuse = true;
    RLX_FAILS(call(t, exe, r, "main", &y, &t->error), RLX_E_INVALID_MODULE,
              "section 0 (scale): no name and factor");
    c.refuse = false;
    rlx_executable_release(exe);
    void *bytes = NULL;
    size_t size = 0;
    RLX_OKAY(rlx_assemble(&t->allocator, RLX_STR("sections"), rlx_str_from(program), &bytes, &size,
                          &t->error));
    RLX_OKAY(rlx_executable_load_memory(bytes, size, NULL, &exe, &t->error));
    RLX_FAILS(call(t, exe, r, "main", &y, &t->error), RLX_E_NOT_FOUND, "its code was not trusted");
    cr_expect_eq(c.finds, 0);
    rlx_executable_release(exe);
    rlx_free(&t->allocator, bytes, size, 64);
    rlx_registry_release(r);
}

RLX_TEST(sections, wrong_rows_are_refused)
{
    control c = {0};
    rlx_registry *r = registry_of(t, &c);
    RLX_FAILS(rlx_registry_add_section(r, &api, &c, &t->error), RLX_E_INVALID_ARG,
              "the registry already has a loader for sections of kind 'scale'");
    rlx_section_api wrong[4] = {api, api, api, api};
    wrong[0].size--;
    wrong[1].kind = "two words";
    wrong[2].kind = "";
    wrong[3].find = NULL;
    for (size_t i = 0; i < 4; i++)
        RLX_FAILS(rlx_registry_add_section(r, &wrong[i], &c, &t->error), RLX_E_INVALID_ARG,
                  "a section loader lacks a function, or its kind is not a valid name");
    rlx_registry_release(r);
}

RLX_TEST(sections, running_out_of_memory_is_an_error)
{
    control c = {0};
    rlx_executable *exe = rlx_test_load(t, program);
    bool done = false;
    for (size_t n = 1; !done; n++) {
        rlx_registry *r = NULL;
        int64_t y = 0;
        rlx_error err = {0};
        cr_assert_lt(n, 200, "the call never succeeds");
        t->calls = 0;
        t->fail_at = n;
        rlx_status status = rlx_registry_create(&t->allocator, &r, &err);
        if (status == RLX_OK)
            status = rlx_registry_add_section(r, &api, &c, &err);
        if (status == RLX_OK)
            status = call(t, exe, r, "main", &y, &err);
        done = t->calls < n;
        t->fail_at = 0;
        cr_expect_eq(status, done ? RLX_OK : RLX_E_NOMEM, "allocation %zu: %s", n, err.message);
        cr_expect_eq(c.live, 0);
        rlx_registry_release(r);
    }
    rlx_executable_release(exe);
}
