/* Links object files into a shared object with the system's linker: a private folder under
 * TMPDIR, one process, everything removed again. No LLVM here.
 *
 * The shared object needs libm and nothing else, but for what --link names. It has no build id and
 * no absolute path, so equal objects give equal bytes. */
#include "compiler/codegen/llvm.h"
#include "compiler/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const rlxc_range nowhere;

static bool write_file(rlxc_context *ctx, const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t done = 0;
    while (fd >= 0 && done < size) {
        ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    bool fine = fd >= 0 && done == size;
    if (fd >= 0 && close(fd) != 0)
        fine = false;
    if (!fine)
        rlxc_error(ctx, nowhere, "cannot write %s: %s", path, strerror(errno));
    return fine;
}

static bool read_file(rlxc_context *ctx, const char *path, const void **out_data, size_t *out_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    bool fine = fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0;
    char *data = fine ? rlxc_try_alloc(ctx, (size_t)info.st_size, 1) : NULL;
    size_t done = 0, size = fine ? (size_t)info.st_size : 0;
    while (data && done < size) {
        ssize_t n = read(fd, data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (fd >= 0)
        close(fd);
    if (!data || done < size) {
        rlxc_error(ctx, nowhere, "cannot read the linker's output");
        return false;
    }
    *out_data = data;
    *out_size = size;
    return true;
}

/* The first few hundred bytes of what the linker said. */
static const char *linker_message(rlxc_context *ctx, const char *path)
{
    char text[400];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : 0;
    if (fd >= 0)
        close(fd);
    return rlxc_intern(ctx, text, n > 0 ? (size_t)n : 0);
}

/* Runs |linker|; 127 where there is no such program. */
static int run(const char *linker, char *const *args, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return 127;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int failed = posix_spawnp(&pid, linker, &actions, NULL, args, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return 127;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

/* A library of the C runtime by file, so that the result names it (DT_NEEDED) and loads by itself.
 */
static const char *find_library(rlxc_context *ctx, const char *triple, const char *name)
{
    static const char *const folders[][4] = {
        {"x86_64", "/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64"},
        {"aarch64", "/lib/aarch64-linux-gnu", "/usr/lib64", "/lib64"}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (strncmp(triple, folders[i][0], strlen(folders[i][0])) != 0)
            continue;
        for (int k = 1; k < 4; k++) {
            const char *path = rlxc_internf(ctx, "%s/%s", folders[i][k], name);
            if (access(path, R_OK) == 0)
                return path;
        }
    }
    return NULL;
}

static bool link_in(rlxc_context *ctx, const char *folder, const rlxc_options *options,
                    const rlx_str *objects, uint32_t n, const void **out_data, size_t *out_size)
{
    static const char *const linkers[] = {"ld.lld-19", "ld.lld", "ld"};
    const char *out = rlxc_internf(ctx, "%s/kernels.so", folder);
    const char *log = rlxc_internf(ctx, "%s/log", folder);
    const char *triple = rlxc_target_triple(options);
    const char *words[] = {"ld",      "-shared",    "--gc-sections",   "--hash-style=gnu",
                           "-soname", "kernels.so", "--build-id=none", "-z",
                           "now",     "-z",         "noexecstack",     "-o",
                           out};
    enum { N_WORDS = sizeof words / sizeof *words, MORE = 5 };
    const char *more[MORE + sizeof options->links / sizeof *options->links];
    uint32_t n_more = 0;
    for (uint32_t i = 0; i < options->n_links; i++)
        more[n_more++] = options->links[i];
    more[n_more++] = "--as-needed";
    if ((more[n_more] = find_library(ctx, triple, "libm.so.6")))
        n_more++;
    if (options->n_links > 0) { /* a name that nothing defines is found here and not at load */
        if ((more[n_more] = find_library(ctx, triple, "libc.so.6")))
            n_more++;
        more[n_more++] = "--no-undefined";
    }
    char **args = rlxc_try_alloc(ctx, (size_t)N_WORDS + n + n_more + 1, sizeof *args);
    if (!args)
        return false;
    for (uint32_t i = 0; i < N_WORDS + n + n_more; i++) {
        const char *word = i < N_WORDS       ? words[i]
                           : i < N_WORDS + n ? rlxc_internf(ctx, "%s/%u.o", folder, i - N_WORDS)
                                             : more[i - N_WORDS - n];
        args[i] = rlxc_copy(ctx, word, strlen(word) + 1);
    }
    char *const *paths = args + N_WORDS;
    if (rlxc_out_of_memory(ctx)) /* the words may be anything */
        return false;
    bool fine = true;
    for (uint32_t i = 0; fine && i < n; i++)
        fine = write_file(ctx, paths[i], objects[i].data, objects[i].len);
    int status = 127;
    for (size_t i = 0; fine && status == 127 && i < sizeof linkers / sizeof *linkers; i++)
        status = run(linkers[i], args, log);
    if (fine && status != 0) {
        rlxc_error(ctx, nowhere,
                   status == 127 ? "no linker found: install lld or binutils%s"
                                 : "the linker failed: %s",
                   status == 127 ? "" : linker_message(ctx, log));
        fine = false;
    }
    fine = fine && read_file(ctx, out, out_data, out_size);
    for (uint32_t i = 0; i < n; i++)
        unlink(paths[i]);
    unlink(out);
    unlink(log);
    return fine;
}

bool rlxc_link_shared(rlxc_context *ctx, const rlxc_options *options, const rlx_str *objects,
                      uint32_t n, const void **out_data, size_t *out_size)
{
    const char *base = getenv("TMPDIR");
    const char *pattern = rlxc_internf(ctx, "%s/rlxc-XXXXXX", base && *base ? base : "/tmp");
    char *folder = rlxc_copy(ctx, pattern, strlen(pattern) + 1);
    if (!mkdtemp(folder)) {
        rlxc_error(ctx, nowhere, "cannot make a folder like %s: %s", pattern, strerror(errno));
        return false;
    }
    bool fine = link_in(ctx, folder, options, objects, n, out_data, out_size);
    rmdir(folder);
    return fine;
}
