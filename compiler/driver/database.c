/* Reads and writes the database of tuned schedules (database.h). */
#include "compiler/driver/database.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static bool read_entry(rlxc_context *ctx, const json_t *object, rlxc_database_entry *out)
{
    const char *hash = json_string_value(json_object_get(object, "hash"));
    char *end = NULL;
    *out = (rlxc_database_entry){.function = text_of(ctx, object, "function"),
                                 .target = text_of(ctx, object, "target"),
                                 .steps = text_of(ctx, object, "steps"),
                                 .machine = text_of(ctx, object, "machine"),
                                 .version = text_of(ctx, object, "version"),
                                 .dims = text_of(ctx, object, "dims"),
                                 .default_ns = number_of(object, "default_ns"),
                                 .tuned_ns = number_of(object, "time_ns"),
                                 .complete = json_is_true(json_object_get(object, "complete"))};
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

static bool is_object(const char *line, size_t length)
{
    json_error_t error;
    json_t *object = json_loadb(line, length, 0, &error);
    const bool ok = json_is_object(object);
    json_decref(object);
    return ok;
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
        if (!end && !is_object(text + at, size)) {
            rlxc_warning(ctx, (rlxc_range){0}, "%s:%u: the last line is incomplete and is ignored",
                         path, number);
            break;
        }
        if (size > 0 && !read_line(out, path, number, text + at, size, target, &others))
            return false;
        at += size + 1;
    }
    if (others)
        rlxc_warning(ctx, (rlxc_range){0},
                     "%s: entries of another machine, version or target, ignored: %u", path,
                     others);
    return !rlxc_failed(ctx);
}

/* --- steps ------------------------------------------------------------------------------------ */

const rlxc_database_entry *rlxc_database_entry_of(const rlxc_database *db, uint64_t hash)
{
    for (uint32_t i = db->entries.count; i-- > 0;)
        if (db->entries.items[i].hash == hash)
            return &db->entries.items[i];
    return NULL;
}

typedef struct block_names {
    rlxc_context *ctx;
    RLXC_VEC(const char *) names;
} block_names;

static bool note_block(void *user, const rlxc_stmt *s)
{
    block_names *b = user;
    if (s->kind == RLXC_STMT_BLOCK)
        RLXC_PUSH(b->ctx, &b->names, s->block.block->name ? s->block.block->name : "");
    return true;
}

const char *const *rlxc_block_names(rlxc_context *ctx, rlxc_prim_func *f, uint32_t *out_n)
{
    block_names b = {.ctx = ctx};
    rlxc_name_blocks(ctx, f);
    rlxc_stmt_visit(f->body, note_block, &b);
    *out_n = b.names.count;
    return b.names.items;
}

/* What |name| becomes: a name its position, or a position the name; NULL for any other. */
static const char *other_name(rlxc_context *ctx, const char *name, const char *const *blocks,
                              uint32_t n, bool to_positions)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *position = rlxc_internf(ctx, "#%u", i);
        if (strcmp(name, to_positions ? blocks[i] : position) == 0)
            return to_positions ? position : blocks[i];
    }
    return NULL;
}

static rlxc_schedule_steps *renamed(rlxc_context *ctx, const rlxc_schedule_steps *list,
                                    const char *const *blocks, uint32_t n, bool to_positions)
{
    rlxc_schedule_steps *made = rlxc_copy(ctx, list, sizeof *made);
    const size_t size = list->items.count * sizeof *list->items.items;
    made->items.items = rlxc_copy(ctx, list->items.items, size);
    made->items.capacity = list->items.count;
    for (uint32_t i = 0; i < list->items.count && !rlxc_failed(ctx); i++) {
        const rlxc_attr *old = rlxc_attrs_find(&list->items.items[i].args, "name");
        if (list->items.items[i].kind != RLXC_STEP_get_block || !old ||
            old->kind != RLXC_ATTR_STRING)
            continue;
        const char *name = other_name(ctx, old->s, blocks, n, to_positions);
        if (!name)
            rlxc_error(ctx, (rlxc_range){0}, "%s of %s: the function has no block '%s'",
                       to_positions ? "steps" : "steps in the database", list->function, old->s);
        else
            rlxc_step_arg(ctx, &made->items.items[i], "name", rlxc_attr_string(ctx, name));
    }
    return made;
}

const rlxc_schedule_steps *rlxc_steps_by_position(rlxc_context *ctx,
                                                  const rlxc_schedule_steps *list,
                                                  const char *const *blocks, uint32_t n)
{
    return renamed(ctx, list, blocks, n, true);
}

rlxc_schedule_steps *rlxc_database_find(void *user, rlxc_context *ctx, rlxc_prim_func *f)
{
    rlxc_database *db = user;
    rlxc_schedules lists = {0};
    uint32_t n;
    if (db->entries.count == 0)
        return NULL;
    const rlxc_database_entry *e = rlxc_database_entry_of(db, rlxc_prim_func_hash(ctx, f));
    if (!e || !*e->steps)
        return NULL;
    const char *path = rlxc_internf(ctx, "<steps of %s in the database>", e->function);
    if (!rlxc_parse_schedules(ctx, path, e->steps, strlen(e->steps), &lists))
        return NULL;
    if (lists.items.count != 1 || !rlxc_rules_take(lists.items.items[0])) {
        rlxc_error(ctx, (rlxc_range){0}, "%s: they are not the steps of one function", path);
        return NULL;
    }
    const char *const *blocks = rlxc_block_names(ctx, f, &n);
    rlxc_schedule_steps *list = renamed(ctx, lists.items.items[0], blocks, n, false);
    list->function = f->name;
    db->used++;
    return list;
}

/* Cuts off an unterminated last line that is not an object; completes one that is. */
static bool end_last_line(FILE *file)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    long at = 0, begin = 0;
    bool ok = fseek(file, 0, SEEK_SET) == 0;
    for (ssize_t n; ok && (n = getline(&line, &capacity, file)) > 0; at = ftell(file)) {
        begin = at;
        length = n;
    }
    if (ok && length > 0 && line[length - 1] != '\n')
        ok = is_object(line, (size_t)length) ? fputc('\n', file) != EOF
                                             : ftruncate(fileno(file), begin) == 0;
    free(line);
    return ok && fseek(file, 0, SEEK_END) == 0;
}

bool rlxc_database_append(rlxc_context *ctx, const char *path, const char *line)
{
    FILE *file = fopen(path, "ab+");
    const bool ok = file && end_last_line(file) && fputs(line, file) >= 0;
    if ((file && fclose(file) != 0) || !ok)
        rlxc_error(ctx, (rlxc_range){0}, "cannot append to the database %s", path);
    return !rlxc_failed(ctx);
}

const char *rlxc_database_line(rlxc_context *ctx, const rlxc_database_entry *e)
{
    const char *line = NULL;
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, e->hash);
    json_t *object =
        json_pack("{s:s,s:s,s:s,s:s,s:s,s:b,s:f,s:f,s:s,s:s}", "hash", hash, "function",
                  e->function, "target", e->target, "dims", e->dims, "steps", e->steps, "complete",
                  (int)e->complete, "default_ns", e->default_ns, "time_ns", e->tuned_ns, "machine",
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
