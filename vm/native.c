/* The native section: an ELF shared object with the kernels, loaded only if the host trusts it. The
 * object is written to an anonymous file in memory, or to one that the host names, and opened from
 * there, with all symbols resolved at once and none exported. Triple and CPU features are compared
 * first, so that a file for another machine gives an error message instead of a crash. */
#include "vm/exec.h"
#include "vm/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_all(int fd, const uint8_t *p, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}

/* A new file in either case: another executable's object may be mapped from an old one. */
static int create_file(const char *file)
{
    if (!file)
        return memfd_create("rlx-kernels", MFD_CLOEXEC);
    if (unlink(file) != 0 && errno != ENOENT)
        return -1;
    return open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
}

static rlx_status open_object(rlx_executable *exe, const char *file, rlx_error *err)
{
    rlxv_native *n = &exe->native;
    char path[64];
    int fd = create_file(file);
    if (fd < 0 || !write_all(fd, n->elf, n->size)) {
        rlx_status status =
            rlxv_io_error(err, file ? file : "memory", "write the kernels into a file");
        if (fd >= 0)
            close(fd);
        return status;
    }
    /* The dynamic loader treats two objects with one path as the same: the descriptor stays open,
     * so that no other executable's object gets its number. A debugger opens the path in its own
     * process, so the path names this process rather than "self"; /proc may number processes
     * differently from getpid. */
    char self[24];
    ssize_t digits = readlink("/proc/self", self, sizeof self);
    if (digits > 0 && (size_t)digits < sizeof self)
        snprintf(path, sizeof path, "/proc/%.*s/fd/%d", (int)digits, self, fd);
    else
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    n->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    n->fd = fd;
    if (!n->handle) {
        const char *why = dlerror();
        close(fd);
        return rlx_fail(err, RLX_E_INVALID_MODULE, "the kernels cannot be loaded: %s",
                        why ? why : "unknown reason");
    }
    return RLX_OK;
}

rlx_status rlxv_native_load(rlx_executable *exe, const char *file, rlx_error *err)
{
    RLX_TRY(rlxv_native_check(&exe->native, err));
    RLX_TRY(open_object(exe, file, err));
    for (uint32_t i = 0; i < exe->n_kernels; i++) {
        rlxv_kernel *k = &exe->kernels[i];
        if (k->module != RLX_NONE)
            continue;
        rlx_str symbol = rlxv_arena_str(&exe->arena, k->symbol); /* dlsym needs a NUL */
        if (!symbol.data)
            return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading an executable");
        void *address = dlsym(exe->native.handle, symbol.data);
        if (!address)
            return rlx_fail(err, RLX_E_INVALID_MODULE, "the native section lacks the symbol '%s'",
                            symbol.data);
        memcpy(&k->fn, &address, sizeof address); /* ISO C has no cast between the two */
    }
    return RLX_OK;
}

void rlxv_native_unload(rlx_executable *exe)
{
    if (exe->native.handle) {
        dlclose(exe->native.handle);
        close(exe->native.fd);
    }
    exe->native.handle = NULL;
}
