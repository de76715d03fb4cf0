/* Links object files into a shared object with the system's linker: one process, and files in
 * memory only, so that nothing is left behind however it ends. No LLVM here.
 *
 * The shared object needs only libm and what --link names. It has no build id and no absolute path,
 * so equal objects give equal bytes. */
#include "compiler/codegen/llvm.h"
#include "compiler/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const rlxc_range nowhere;

/* A file in memory with these bytes, open in the linker under the same number; -1 after an error.
 */
static int memory_file(rlxc_context *ctx, const char *name, const void *data, size_t size)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < size) {
        ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (fd >= 0 && done == size)
        return fd;
    if (errno == ENOMEM || errno == ENOSPC)
        rlxc_set_out_of_memory(ctx);
    else
        rlxc_error(ctx, nowhere, "cannot pass code to the linker: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool read_file(rlxc_context *ctx, int fd, const void **out_data, size_t *out_size)
{
    struct stat info;
    bool fine = fstat(fd, &info) == 0 && info.st_size > 0;
    char *data = fine ? rlxc_try_alloc(ctx, (size_t)info.st_size, 1) : NULL;
    size_t done = 0, size = fine ? (size_t)info.st_size : 0;
    while (data && done < size) {
        ssize_t n = pread(fd, data + done, size - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (!data || done < size) {
        rlxc_error(ctx, nowhere, "cannot read the linker's output");
        return false;
    }
    *out_data = data;
    *out_size = size;
    return true;
}

/* The first few hundred bytes of the linker's output. */
static const char *linker_message(rlxc_context *ctx, int log)
{
    char text[400];
    ssize_t n = pread(log, text, sizeof text, 0);
    return rlxc_intern(ctx, text, n > 0 ? (size_t)n : 0);
}

/* In the order in which they are tried. GNU ld links for this machine's architecture only, and
 * starts in a fifth of the time that lld takes. lld writes a shared object to standard output, GNU
 * ld to an existing file. */
static const struct linker {
    const char *name;
    bool is_lld;
} linkers[] = {{"ld.bfd", false}, {"ld.lld-19", true}, {"ld.lld", true}};

enum { NOT_FOUND = -1, NOT_STARTED = -2 };

/* Runs |linker|, which has the |n| files |fds|: the last two are its output and its messages.
 * Returns its status as waitpid does; NOT_FOUND if there is no such program, NOT_STARTED with
 * errno. */
static int run(const struct linker *linker, char *const *args, const int *fds, uint32_t n)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    errno = posix_spawn_file_actions_init(&actions);
    if (errno != 0)
        return NOT_STARTED;
    for (uint32_t i = 0; i < n; i++) /* onto itself: stays open */
        posix_spawn_file_actions_adddup2(&actions, fds[i], fds[i]);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fds[n - (linker->is_lld ? 2 : 1)], 1);
    posix_spawn_file_actions_adddup2(&actions, fds[n - 1], 2);
    int failed = posix_spawnp(&pid, linker->name, &actions, NULL, args, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT)
        return NOT_FOUND;
    errno = failed;
    while (errno == 0 && waitpid(pid, &status, 0) < 0)
        if (errno == EINTR)
            errno = 0;
    return errno == 0 ? status : NOT_STARTED;
}

/* The path of a library of the C runtime, so that the result names it (DT_NEEDED) and can be
 * loaded; NULL if it is not installed. Debian's cross compilers have those of other architectures.
 */
static const char *find_library(rlxc_context *ctx, const rlxc_target *target, const char *name)
{
    const char *folder = rlxc_target_folder(target);
    const char *const places[] = {rlxc_internf(ctx, "/lib/%s", folder),
                                  rlxc_internf(ctx, "/usr/%s/lib", folder), "/usr/lib64", "/lib64"};
    const size_t n = rlxc_target_is_host(target) ? 4 : 2;
    for (size_t i = 0; i < n; i++) {
        const char *path = rlxc_internf(ctx, "%s/%s", places[i], name);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

enum { FIXED_WORDS = 12, MORE_WORDS = 9 }; /* words of a command line, beside objects and --link */

/* The linker's command line; NULL when memory is out. */
static char **command_line(rlxc_context *ctx, const rlxc_options *options, const int *fds,
                           uint32_t n, bool is_lld)
{
    static const char *const fixed[FIXED_WORDS] = {
        "ld",  "-shared", "--gc-sections", "--hash-style=gnu", "-soname", "kernels.so", "-z",
        "now", "-z",      "noexecstack",   "--build-id=none",  "-o"};
    const char *library;
    char **args = rlxc_try_alloc(ctx, (size_t)FIXED_WORDS + 1 + n + options->n_links + MORE_WORDS,
                                 sizeof *args);
    uint32_t at = 0;
    if (!args)
        return NULL;
#define WORD(...) (args[at++] = (char *)(uintptr_t)rlxc_internf(ctx, __VA_ARGS__))
    for (uint32_t i = 0; i < FIXED_WORDS; i++)
        WORD("%s", fixed[i]);
    if (is_lld) {
        WORD("-");
        WORD("--threads=1"); /* the object is small, and the linker dies if it cannot start threads
                              */
    } else {
        WORD("/proc/self/fd/%d", fds[n]);
        WORD("-z");
        WORD("noseparate-code"); /* smaller: headers, constants and code share pages */
    }
    for (uint32_t i = 0; i < n; i++)
        WORD("/proc/self/fd/%d", fds[i]);
    for (uint32_t i = 0; i < options->n_links; i++)
        WORD("%s", options->links[i]);
    WORD("--as-needed");
    if ((library = find_library(ctx, options->target, "libm.so.6")))
        WORD("%s", library);
    if (options->n_links > 0) { /* report undefined names here and not at load */
        if ((library = find_library(ctx, options->target, "libc.so.6")))
            WORD("%s", library);
        WORD("--no-undefined");
    }
#undef WORD
    return rlxc_out_of_memory(ctx) ? NULL : args; /* the text can be anything */
}

/* A linker that runs out of memory is killed, aborts, does not even load (127), or says so. */
static void explain(rlxc_context *ctx, int status, const char *message)
{
    struct rlimit limit;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char *name = signal ? sigdescr_np(signal) : NULL;
    bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    bool exhausted = message && strstr(message, "memory exhausted");
    rlxc_error(ctx, nowhere, "the linker failed: %s%s%s", message, name && message[0] ? ": " : "",
               name ? name : "");
    if (signal == SIGKILL || exhausted || (limited && (signal != 0 || WEXITSTATUS(status) == 127)))
        rlxc_set_out_of_memory(ctx);
}

/* |fds|: the objects, then the output and the messages. */
static bool link_files(rlxc_context *ctx, const rlxc_options *options, const int *fds, uint32_t n,
                       const void **out_data, size_t *out_size)
{
    int status = NOT_FOUND;
    const bool native = rlxc_target_is_host(options->target);
    for (size_t i = 0; status == NOT_FOUND && i < sizeof linkers / sizeof *linkers; i++) {
        if (!linkers[i].is_lld && !native)
            continue;
        char **args = command_line(ctx, options, fds, n, linkers[i].is_lld);
        if (!args)
            return false;
        status = run(&linkers[i], args, fds, n + 2);
    }
    if (status == 0)
        return read_file(ctx, fds[n], out_data, out_size);
    if (status == NOT_STARTED && errno == ENOMEM)
        rlxc_set_out_of_memory(ctx);
    else if (status == NOT_STARTED)
        rlxc_error(ctx, nowhere, "cannot run the linker: %s", strerror(errno));
    else if (status == NOT_FOUND)
        rlxc_error(ctx, nowhere, "no linker found: install %s", native ? "binutils or lld" : "lld");
    else
        explain(ctx, status, linker_message(ctx, fds[n + 1]));
    return false;
}

bool rlxc_link_shared(rlxc_context *ctx, const rlxc_options *options, const rlx_str *objects,
                      uint32_t n, const void **out_data, size_t *out_size)
{
    static const char *const names[] = {"rlxc-output", "rlxc-messages"};
    int *fds = rlxc_try_alloc(ctx, (size_t)n + 2, sizeof *fds);
    uint32_t opened = 0;
    rlxc_doing(ctx, "linking kernels", NULL);
    if (!fds)
        return false;
    while (opened < n + 2) {
        fds[opened] =
            opened < n ? memory_file(ctx, "rlxc-object", objects[opened].data, objects[opened].len)
                       : memory_file(ctx, names[opened - n], NULL, 0);
        if (fds[opened] < 0)
            break;
        opened++;
    }
    bool fine = opened == n + 2 && link_files(ctx, options, fds, n, out_data, out_size);
    for (uint32_t i = 0; i < opened; i++)
        close(fds[i]);
    return fine;
}
