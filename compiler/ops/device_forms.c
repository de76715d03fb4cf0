/* The table of device_forms.def: which builtins become kernels (device_forms.h). */
#include "compiler/ops/device_forms.h"

#include <string.h>

typedef enum result { NEW, CHECKED } result;

typedef struct form {
    const char *builtin, *name;
    bool (*make)(rlxc_te *te);
    result result;
} form;

#define RLXC_DEVICE_FORM(builtin, form, result) {builtin, #form, rlxc_form_##form, result},
static const form forms[] = {
#include "compiler/ops/device_forms.def"
};
#undef RLXC_DEVICE_FORM

static const form *find(const char *builtin)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].builtin, builtin) == 0)
            return &forms[i];
    return NULL;
}

bool rlxc_device_may_do(const char *builtin)
{
    const form *f = find(builtin);
    return f && f->result == NEW;
}

bool rlxc_emit_device_form(rlxc_builder *b, const rlxc_binding *call, rlxc_atom *out)
{
    const form *f = call->callee.kind == RLXC_ATOM_EXTERN ? find(call->callee.text) : NULL;
    if (!f)
        return false;
    rlxc_te te;
    if (!rlxc_te_begin_builtin(&te, b, call, f->name, RLXC_PATTERN_OPAQUE) || !f->make(&te))
        return false;
    const rlxc_atom made = rlxc_te_finish(&te);
    *out = f->result == CHECKED ? call->args[0] : made;
    return made.kind != RLXC_ATOM_NONE;
}
