/* Asks the system for its available memory (rlx/memory.h). Files are read into small buffers on the
 * stack; missing or malformed ones count as no limit. */
#include "vm/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define NO_LIMIT ((uint64_t)1 << 60)
enum { MAX_TEXT = 8192, MAX_PATH = 1024 };

static bool read_text(const char *root, const char *folder, const char *name, char text[MAX_TEXT])
{
    char path[MAX_PATH];
    int length = snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    int fd = length > 0 && length < MAX_PATH ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, MAX_TEXT - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* The number after |key| at the start of a line; false if there is none. */
static bool find_number(const char *text, const char *key, uint64_t *out)
{
    const size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) != 0)
            continue;
        line += length + strspn(line + length, " \t");
        if (*line < '0' || *line > '9')
            return false;
        *out = strtoull(line, NULL, 10);
        return true;
    }
    return false;
}

static void lower(rlx_memory *m, uint64_t available, const char *source)
{
    if (available < m->available)
        *m = (rlx_memory){available, source};
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void ask_machine(rlx_memory *m, const char *root)
{
    char text[MAX_TEXT];
    uint64_t available, swap = 0;
    if (!read_text(root, "/proc", "meminfo", text) ||
        !find_number(text, "MemAvailable:", &available))
        return;
    (void)find_number(text, "SwapFree:", &swap);
    lower(m, (available + swap) * 1024, "the machine");
}

/* The names of one version's files. */
typedef struct version {
    const char *mount, *limit, *use, *cache;
} version;

static void ask_group(rlx_memory *m, const char *root, const version *v, const char *path)
{
    char folder[MAX_PATH], text[MAX_TEXT];
    uint64_t limit, use, cache = 0;
    int length = snprintf(folder, sizeof folder, "%s%s", v->mount, path);
    if (length < 0 || length >= MAX_PATH || !read_text(root, folder, v->limit, text) ||
        !find_number(text, "", &limit) || limit >= NO_LIMIT ||
        !read_text(root, folder, v->use, text) || !find_number(text, "", &use))
        return;
    if (read_text(root, folder, "memory.stat", text))
        (void)find_number(text, v->cache, &cache);
    lower(m, less(limit, less(use, cache)), "the control group");
}

/* Checks |path| and every enclosing group; inside a container, the files of its own group are at
 * the top, whatever the path. */
static void ask_groups(rlx_memory *m, const char *root, const version *v, char *path)
{
    for (;;) {
        ask_group(m, root, v, path);
        char *slash = strrchr(path, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

static void ask_control_groups(rlx_memory *m, const char *root)
{
    static const version first = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                  "memory.usage_in_bytes", "total_inactive_file"};
    static const version second = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                   "inactive_file"};
    char text[MAX_TEXT], *rest = text;
    if (!read_text(root, "/proc/self", "cgroup", text))
        return;
    for (char *line; (line = strsep(&rest, "\n"));) { /* NUMBER:CONTROLLERS:PATH */
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        if (strcmp(controllers, ":") == 0)
            ask_groups(m, root, &second, path);
        for (char *one, *list = controllers + 1; (one = strsep(&list, ","));)
            if (strcmp(one, "memory") == 0)
                ask_groups(m, root, &first, path);
    }
}

static void ask_limits(rlx_memory *m, const char *root)
{
    char text[MAX_TEXT];
    struct rlimit limit;
    uint64_t pages;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        read_text(root, "/proc/self", "statm", text) && find_number(text, "", &pages))
        lower(m, less(limit.rlim_cur, pages * (uint64_t)sysconf(_SC_PAGESIZE)),
              "the limit on the address space");
}

rlx_memory rlxv_memory_below(const char *root)
{
    rlx_memory m = {UINT64_MAX, "nothing"};
    ask_machine(&m, root);
    ask_control_groups(&m, root);
    ask_limits(&m, root);
    if (m.available != UINT64_MAX)
        m.available -= m.available / 16;
    return m;
}

rlx_memory rlx_memory_now(void)
{
    return rlxv_memory_below("");
}
