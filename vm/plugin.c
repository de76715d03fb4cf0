/* Plugins of the runtime: shared libraries that add rows to a registry (rlx/vm.h). */
#include "vm/devices/driver.h"
#include "vm/need.h"

#include <rlx/vm.h>

rlx_status rlx_registry_load_plugin(rlx_registry *r, const char *path, rlx_error *err)
{
    static const char *const names[] = {"rlx_plugin_runtime"};
    rlx_plugin_runtime_fn *add = NULL;
    void *library;
    RLXV_NEED(err, r && path);
    const rlxv_driver_row row = {"plugin", NULL, path, names, 1, 1};
    RLX_TRY(rlxv_driver_open(&row, &library, &add, err));
    rlxv_driver_close(library); /* which leaves it in memory */
    const rlx_status status = add(r, err);
    if (status != RLX_OK)
        rlx_error_prefix(err, "plugin %s: ", path);
    return status;
}
