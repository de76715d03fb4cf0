/* Plugins of the compiler: shared libraries that add their rows by rlx/compiler.h. */
#include <dlfcn.h>
#include <string.h>

#include "compiler/api/api.h"

rlx_status rlx_compiler_load_plugin(rlx_compiler *c, const char *path, rlx_error *err)
{
    static const char entry[] = "rlx_plugin_compiler";
    rlx_plugin_compiler_fn *add = NULL;
    if (c == NULL || path == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "a plugin needs a compiler and a path");
    /* What it adds are functions of it: it stays for good. */
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) {
        const char *why = dlerror();
        return rlx_fail(err, RLX_E_NOT_FOUND, "no plugin: %s", why != NULL ? why : path);
    }
    void *address = dlsym(library, entry);
    memcpy(&add, &address, sizeof address);
    dlclose(library);
    if (address == NULL)
        return rlx_fail(err, RLX_E_NOT_FOUND, "the plugin (%s) lacks the function %s", path, entry);
    const rlx_status status = add(c, err);
    if (status != RLX_OK)
        rlx_error_prefix(err, "plugin %s: ", path);
    return status;
}
