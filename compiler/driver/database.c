/* Reads and writes the database of tuned schedules (database.h). */
#include "compiler/driver/database.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler/driver/files.h"

#define DATABASE_LIMIT ((size_t)256 << 20)

enum { LINE = 512 };

const char *rlxc_machine_name(rlxc_context *ctx)
{
    char line[LINE];
    const char *name = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = '\0';
        name = rlxc_intern_cstr(ctx, colon + 1 + (colon[1] == ' '));
        break;
    }
    if (file)
        fclose(file);
    return name;
}

static const char *text_of(rlxc_context *ctx, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? rlxc_intern_cstr(ctx, text) : NULL;
}

static bool read_entry(rlxc_context *ctx, const json_t *object, rlxc_database_entry *out)
{
    const char *hash = json_string_value(json_object_get(object, "hash"));
    char *end = NULL;
    *out = (rlxc_database_entry){.function = text_of(ctx, object, "function"),
                                 .target = text_of(ctx, object, "target"),
                                 .steps = text_of(ctx, object, "steps"),
                                 .machine = text_of(ctx, object, "machine"),
                                 .version = text_of(ctx, object, "version")};
    out->hash = hash ? strtoull(hash, &end, 16) : 0;
    return hash && strlen(hash) == 16 && *end == '\0' && out->function && out->target &&
           out->steps && out->machine && out->version;
}

static bool read_line(rlxc_database *db, const char *path, uint32_t number, const char *line,
                      size_t length, const char *target, uint32_t *io_others)
{
    rlxc_context *ctx = db->ctx;
    json_error_t error;
    rlxc_database_entry e;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
    const bool ok = object && read_entry(ctx, object, &e);
    if (!ok)
        rlxc_error(ctx, (rlxc_range){0}, "%s:%u: %s", path, number,
                   object ? "an entry needs hash, function, target, steps, machine and version"
                          : error.text);
    json_decref(object);
    if (!ok)
        return false;
    if (strcmp(e.machine, rlxc_machine_name(ctx)) == 0 && strcmp(e.version, RLX_VERSION) == 0 &&
        strcmp(e.target, target) == 0)
        RLXC_PUSH(ctx, &db->entries, e);
    else
        (*io_others)++;
    return true;
}

bool rlxc_database_read(rlxc_context *ctx, const char *path, const char *target, bool may_miss,
                        rlxc_database *out)
{
    const char *text;
    size_t length;
    uint32_t number = 0, others = 0;
    struct stat file;
    *out = (rlxc_database){.ctx = ctx};
    const bool exists = stat(path, &file) == 0;
    if (exists ? S_ISREG(file.st_mode) && file.st_size == 0 : may_miss)
        return true;
    if (!rlxc_map_input(ctx, path, DATABASE_LIMIT, &text, &length))
        return false;
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t size = end ? (size_t)(end - text) - at : length - at;
        number++;
        if (size > 0 && !read_line(out, path, number, text + at, size, target, &others))
            return false;
        at += size + 1;
    }
    if (others)
        rlxc_warning(ctx, (rlxc_range){0},
                     "%s: entries of another machine, version or target, which are not used: %u",
                     path, others);
    return !rlxc_failed(ctx);
}

rlxc_schedule_steps *rlxc_database_find(void *user, rlxc_context *ctx, const rlxc_prim_func *f)
{
    const rlxc_database *db = user;
    rlxc_schedules lists = {0};
    const uint64_t hash = db->entries.count ? rlxc_prim_func_hash(ctx, f) : 0;
    for (uint32_t i = db->entries.count; i-- > 0;) {
        const rlxc_database_entry *e = &db->entries.items[i];
        if (e->hash != hash)
            continue;
        const char *path = rlxc_internf(ctx, "<steps of %s in the database>", e->function);
        if (!rlxc_parse_schedules(ctx, path, e->steps, strlen(e->steps), &lists))
            return NULL;
        if (lists.items.count != 1 || !rlxc_rules_take(lists.items.items[0])) {
            rlxc_error(ctx, (rlxc_range){0}, "%s: they are not the steps of one function", path);
            return NULL;
        }
        lists.items.items[0]->function = f->name;
        return lists.items.items[0];
    }
    return NULL;
}

const char *rlxc_database_line(rlxc_context *ctx, const rlxc_database_entry *e)
{
    const char *line = NULL;
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, e->hash);
    json_t *object = json_pack("{s:s,s:s,s:s,s:s,s:s,s:f,s:f,s:s,s:s}", "hash", hash, "function",
                               e->function, "target", e->target, "dims", e->dims, "steps", e->steps,
                               "default_ns", e->default_ns, "time_ns", e->tuned_ns, "machine",
                               e->machine, "version", e->version);
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    if (text)
        line = rlxc_internf(ctx, "%s\n", text);
    else
        rlxc_set_out_of_memory(ctx);
    free(text);
    json_decref(object);
    return line;
}
