/* Opens the libraries of drivers and finds their functions. */
#include "vm/devices/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

rlx_status rlxv_driver_open(const rlxv_driver_row *row, void **out_library, void *functions,
                            rlx_error *err)
{
    /* A program that runs with more rights than its user must not load a library that the user
       names. */
    const char *named = row->variable ? secure_getenv(row->variable) : NULL;
    const char *file = named && *named ? named : row->file;
    *out_library = NULL;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *why = dlerror();
        return rlx_fail(err, RLX_E_NOT_FOUND, "no %s: %s", row->what, why ? why : file);
    }
    for (uint32_t i = 0; i < row->n_names; i++) {
        void *address = dlsym(library, row->names[i]);
        if (!address && i < row->n_needed) {
            dlclose(library);
            return rlx_fail(err, RLX_E_NOT_FOUND, "the %s (%s) lacks the function %s", row->what,
                            file, row->names[i]);
        }
        memcpy((char *)functions + i * sizeof address, &address, sizeof address);
    }
    *out_library = library;
    return RLX_OK;
}

void rlxv_driver_close(void *library)
{
    if (library)
        dlclose(library);
}
