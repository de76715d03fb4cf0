/* Code in a file that a loader of the host's registry runs (rlx/vm.h): every VM loads the sections
 * whose kinds its registry has, and packed functions are looked up in them. */
#include "vm/need.h"
#include "vm/vm_impl.h"

#include <stddef.h>
#include <string.h>

typedef struct section_kind { /* |user| of its row in the registry */
    rlx_section_api api;      /* without the kind, which is the row's name */
    void *user;
    rlx_allocator allocator;
} section_kind;

struct rlxv_vm_section { /* of a module of the executable */
    const section_kind *kind;
    void *loaded; /* of |kind|, unless that is NULL */
};

static void free_kind(void *user)
{
    section_kind *k = user;
    const rlx_allocator a = k->allocator;
    rlx_free(&a, k, sizeof *k, 16);
}

rlx_status rlx_registry_add_section(rlx_registry *r, const rlx_section_api *api, void *user,
                                    rlx_error *err)
{
    RLXV_NEED(err, r && api && api->kind);
    const rlx_str kind = rlx_str_from(api->kind);
    if (api->size < sizeof *api || !api->load || !api->find || !api->unload ||
        !rlxv_is_device_word(kind))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "a section loader lacks a function, or its kind is not a valid name");
    if (rlxv_names_find(&r->sections, kind))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "the registry already has a loader for sections of kind '%s'", api->kind);
    section_kind *k = rlx_alloc(&r->allocator, sizeof *k, 16);
    if (!k)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while registering a section");
    *k = (section_kind){*api, user, r->allocator};
    const rlxv_name row = {.name = kind, .user = k, .destroy = free_kind};
    const rlx_status status = rlxv_names_set(&r->sections, &row, err);
    if (status != RLX_OK)
        free_kind(k);
    return status;
}

/* True if a kernel is code of module |m|, which then belongs to a device. */
static bool is_of_device(const rlx_executable *exe, uint32_t m)
{
    for (uint32_t k = 0; k < exe->n_kernels; k++)
        if (exe->kernels[k].module == m)
            return true;
    return false;
}

rlx_status rlxv_vm_sections_create(rlx_vm *vm, rlx_error *err)
{
    const rlx_executable *exe = vm->exe;
    if (!vm->registry || !exe->trusts_code || exe->n_modules == 0)
        return RLX_OK;
    const size_t bytes = exe->n_modules * sizeof *vm->sections;
    vm->sections = rlx_alloc(&vm->allocator, bytes, 16);
    if (!vm->sections)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory in the VM");
    memset(vm->sections, 0, bytes);
    for (uint32_t i = 0; i < exe->n_modules; i++) {
        const rlxv_device_module *m = &exe->modules[i];
        const rlxv_name *row = rlxv_names_find(&vm->registry->sections, m->kind);
        if (!row || is_of_device(exe, i))
            continue;
        const section_kind *k = row->user;
        const rlx_status status = k->api.load(k->user, &m->images[0], &vm->sections[i].loaded, err);
        if (status != RLX_OK) {
            rlx_error_prefix(err, "section %u (%.*s): ", i, (int)m->kind.len, m->kind.data);
            return status;
        }
        vm->sections[i].kind = k;
    }
    return RLX_OK;
}

void rlxv_vm_sections_destroy(rlx_vm *vm)
{
    for (uint32_t i = 0; vm->sections && i < vm->exe->n_modules; i++)
        if (vm->sections[i].kind)
            vm->sections[i].kind->api.unload(vm->sections[i].kind->user, vm->sections[i].loaded);
    rlx_free(&vm->allocator, vm->sections, vm->exe->n_modules * sizeof *vm->sections, 16);
}

static rlx_status not_found(const rlx_vm *vm, rlx_str name, rlx_error *err)
{
    const rlx_executable *exe = vm->exe;
    for (uint32_t i = 0; i < exe->n_modules; i++) {
        const rlx_str kind = exe->modules[i].kind;
        if (!is_of_device(exe, i) && (!vm->sections || !vm->sections[i].kind))
            return rlx_fail(err, RLX_E_NOT_FOUND,
                            "no packed function or builtin is named '%.*s'; the section '%.*s' of "
                            "the file is not loaded: %s",
                            (int)name.len, name.data, (int)kind.len, kind.data,
                            exe->trusts_code ? "the registry has no loader for it"
                                             : "its code was not trusted");
    }
    return rlx_fail(err, RLX_E_NOT_FOUND, "no packed function or builtin is named '%.*s'",
                    (int)name.len, name.data);
}

rlx_status rlxv_find_packed(rlx_vm *vm, rlx_str name, const rlxv_name **out, rlx_error *err)
{
    *out = rlxv_names_find(&vm->packed, name);
    if (!*out && vm->registry)
        *out = rlxv_names_find(&vm->registry->packed, name);
    for (uint32_t i = 0; !*out && vm->sections && i < vm->exe->n_modules; i++) {
        const section_kind *k = vm->sections[i].kind;
        rlxv_name row = {.name = name};
        if (k && (row.packed = k->api.find(k->user, vm->sections[i].loaded, name, &row.user))) {
            RLX_TRY(rlxv_names_set(&vm->packed, &row, err));
            *out = rlxv_names_find(&vm->packed, name);
        }
    }
    if (!*out)
        *out = rlxv_names_find(&vm->builtins, name);
    return *out ? RLX_OK : not_found(vm, name, err);
}
