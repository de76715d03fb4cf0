/* Writes files (rlx/file.h). The temporary file is in the folder of the final one, so that the
 * rename stays within one file system. Signals that end a process are blocked as long as the
 * temporary file exists; bytes are written in pieces, and pending signals are checked between them.
 */
#include "vm/file.h"
#include "vm/need.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE ((size_t)8 << 20) /* bytes written between two checks for signals */

static const int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
enum { N_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

struct rlx_new_file {
    char *path, *target; /* as given; without links. From malloc, like the next */
    char *temporary;     /* NULL: not a regular file */
    int fd;
    sigset_t signals; /* signals that the thread had blocked before */
};

/* --- signals --------------------------------------------------------------------------------- */

static void hold_signals(sigset_t *old)
{
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < N_SIGNALS; i++)
        sigaddset(&held, ending_signals[i]);
    pthread_sigmask(SIG_BLOCK, &held, old);
}

/* True if a pending signal will end the process once unblocked; signals that were blocked before,
 * or have a handler, are left to the host. */
static bool is_ending(const rlx_new_file *f)
{
    sigset_t waiting;
    struct sigaction action;
    if (!f->temporary || sigpending(&waiting) != 0)
        return false;
    for (int i = 0; i < N_SIGNALS; i++)
        if (sigismember(&waiting, ending_signals[i]) == 1 &&
            sigismember(&f->signals, ending_signals[i]) == 0 &&
            sigaction(ending_signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
            return true;
    return false;
}

static rlx_status interrupted(const rlx_new_file *f, rlx_error *err)
{
    return rlx_fail(err, RLX_E_CANCELLED, "%s: writing was interrupted by a signal", f->path);
}

/* --- files ----------------------------------------------------------------------------------- */

static void destroy(rlx_new_file *f)
{
    free(f->path);
    free(f->target);
    free(f->temporary);
    free(f);
}

/* Bytes of |path| before its last component. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Makes the temporary file; -1 with errno. The thread's signals are blocked on success. */
static int create(rlx_new_file *f)
{
    int fd = -1;
    size_t size = strlen(f->target) + 48;
    if (size > INT_MAX || !(f->temporary = malloc(size))) {
        errno = ENOMEM;
        return -1;
    }
    hold_signals(&f->signals);
    for (unsigned i = 0; fd < 0 && i < 1000; i++) {
        snprintf(f->temporary, size, "%.*s.rlx-%ld-%u", folder_length(f->target), f->target,
                 (long)getpid(), i);
        fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        int saved = errno;
        pthread_sigmask(SIG_SETMASK, &f->signals, NULL);
        errno = saved;
    }
    return fd;
}

rlx_status rlx_new_file_begin(const char *path, rlx_new_file **out, rlx_error *err)
{
    RLXV_NEED(err, path && out);
    struct stat st;
    rlx_new_file *f = calloc(1, sizeof *f);
    const bool exists = stat(path, &st) == 0, is_stream = exists && !S_ISREG(st.st_mode);
    if (f) {
        f->fd = -1;
        f->path = strdup(path);
        f->target = exists && !is_stream ? realpath(path, NULL) : strdup(path);
    }
    if (!f || !f->path || !f->target) {
        if (f)
            destroy(f);
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while writing a file");
    }
    f->fd = is_stream ? open(path, O_WRONLY | O_CLOEXEC) : create(f);
    if (f->fd < 0) {
        rlx_status status = rlxv_io_error(err, path, is_stream ? "open" : "create");
        destroy(f);
        return status;
    }
    *out = f;
    return RLX_OK;
}

rlx_status rlx_new_file_write(rlx_new_file *f, const void *data, size_t size, rlx_error *err)
{
    RLXV_NEED(err, f && (data || size == 0));
    const uint8_t *p = data;
    while (size > 0) {
        if (is_ending(f))
            return interrupted(f, err);
        ssize_t done = write(f->fd, p, size < PIECE ? size : PIECE);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return rlxv_io_error(err, f->path, "write");
        p += done;
        size -= (size_t)done;
    }
    return RLX_OK;
}

/* Syncs the folder, which holds the file's name: otherwise the rename may be lost in a power
 * failure. */
static void sync_folder(rlx_new_file *f)
{
    const int length = folder_length(f->temporary);
    f->temporary[length] = '\0';
    int folder = open(length ? f->temporary : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

rlx_status rlx_new_file_end(rlx_new_file *f, rlx_status status, rlx_error *err)
{
    RLXV_NEED(err, f);
    if (status == RLX_OK && f->temporary && fsync(f->fd) != 0)
        status = rlxv_io_error(err, f->path, "write");
    if (close(f->fd) != 0 && status == RLX_OK)
        status = rlxv_io_error(err, f->path, "write");
    if (f->temporary) {
        if (status == RLX_OK && is_ending(f))
            status = interrupted(f, err);
        if (status == RLX_OK && rename(f->temporary, f->target) != 0)
            status = rlxv_io_error(err, f->path, "rename to");
        if (status != RLX_OK)
            unlink(f->temporary);
        else
            sync_folder(f);
        sigset_t before = f->signals;
        destroy(f);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return status;
    }
    destroy(f);
    return status;
}

const char *rlxv_new_file_name(const rlx_new_file *f)
{
    return f->temporary;
}

rlx_status rlx_write_file(const char *path, const void *data, size_t size, rlx_error *err)
{
    RLXV_NEED(err, path && (data || size == 0));
    rlx_new_file *f;
    RLX_TRY(rlx_new_file_begin(path, &f, err));
    return rlx_new_file_end(f, rlx_new_file_write(f, data, size, err), err);
}

rlx_status rlx_check_output(const char *path, const char *const *inputs, size_t n, rlx_error *err)
{
    RLXV_NEED(err, path);
    struct stat output, input;
    if (stat(path, &output) != 0 || !S_ISREG(output.st_mode))
        return RLX_OK;
    for (size_t i = 0; i < n; i++)
        if (inputs[i] && stat(inputs[i], &input) == 0 && input.st_dev == output.st_dev &&
            input.st_ino == output.st_ino)
            return rlx_fail(err, RLX_E_INVALID_ARG, "the output %s would overwrite the input %s",
                            path, inputs[i]);
    return RLX_OK;
}
