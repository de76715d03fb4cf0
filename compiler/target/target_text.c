/* Reads and writes the text of a target, in TVM's terms. */
#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "compiler/target/target.h"

/* Parses a number; 0 if the text is none, or above |most|. */
static uint32_t read_number(const char *text, uint32_t most)
{
    uint32_t n = 0;
    for (; *text >= '0' && *text <= '9' && n <= most; text++)
        n = n * 10 + (uint32_t)(*text - '0');
    return *text == '\0' && n <= most ? n : 0;
}

/* The keys with numbers. */
static const struct number_row {
    const char *key;
    size_t at; /* in rlxc_target_spec */
    uint32_t most;
} numbers[] = {
    {"num-cores", offsetof(rlxc_target_spec, cores), 1 << 16},
    {"thread_warp_size", offsetof(rlxc_target_spec, warp), 1 << 10},
    {"max_threads_per_block", offsetof(rlxc_target_spec, threads), 1 << 16},
    {"max_num_threads", offsetof(rlxc_target_spec, threads), 1 << 16},
    {"max_shared_memory_per_block", offsetof(rlxc_target_spec, shared_bytes), 1 << 24},
    {"registers_per_block", offsetof(rlxc_target_spec, registers), 1 << 24},
    {"vector-width", offsetof(rlxc_target_spec, vector_bits), 1 << 12},
};

void rlxc_target_spec_set(rlxc_target_spec *spec, const char *key, const char *value)
{
    if (strcmp(key, "kind") == 0)
        spec->kind = value;
    else if (strcmp(key, "mcpu") == 0)
        spec->mcpu = value;
    else if (strcmp(key, "mattr") == 0)
        spec->mattr = value;
    else if (strcmp(key, "mtriple") == 0)
        spec->triple = value;
    else if (strcmp(key, "arch") == 0)
        spec->arch = value;
    else if (strcmp(key, "device") == 0)
        spec->device = value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0) {
            const uint32_t n = read_number(value, numbers[i].most);
            memcpy((char *)spec + numbers[i].at, &n, sizeof n);
        }
}

/* Joins a list of strings as "+a,+b". */
static const char *joined(rlxc_context *ctx, const json_t *list)
{
    rlxc_text text = {.ctx = ctx};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *item = json_string_value(json_array_get(list, i));
        if (item)
            rlxc_text_printf(&text, "%s%s", text.length ? "," : "", item);
    }
    return rlxc_intern(ctx, text.data ? text.data : "", text.length);
}

static bool parse_json(rlxc_context *ctx, rlxc_range range, const char *text, rlxc_target_spec *out)
{
    json_error_t error;
    json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, &error), *value;
    const char *key;
    if (!json_is_object(all)) {
        rlxc_error(ctx, range, "the target \"%.80s\" is not a JSON object: %s", text,
                   all ? "it is of another type" : error.text);
        json_decref(all);
        return false;
    }
    json_object_foreach(all, key, value)
    {
        const char *said = NULL;
        if (json_is_string(value))
            said = rlxc_intern_cstr(ctx, json_string_value(value));
        else if (json_is_array(value))
            said = joined(ctx, value);
        else if (json_is_integer(value))
            said = rlxc_internf(ctx, "%lld", (long long)json_integer_value(value));
        if (said)
            rlxc_target_spec_set(out, key, said);
    }
    json_decref(all);
    return true;
}

bool rlxc_target_parse(rlxc_context *ctx, rlxc_range range, const char *text, rlxc_target_spec *out)
{
    *out = (rlxc_target_spec){0};
    text += strspn(text, " \t\n");
    if (*text == '{')
        return parse_json(ctx, range, text, out);
    out->kind = "";
    for (bool first = true; *text; first = false) {
        const size_t length = strcspn(text, " \t\n");
        const char *word = rlxc_intern(ctx, text, length), *equals = strchr(word, '=');
        if (first && strchr(word, '-'))
            *out = (rlxc_target_spec){.triple = word};
        else if (first)
            out->kind = word;
        else if (word[0] == '-' && equals) {
            const char *key = word + (word[1] == '-' ? 2 : 1);
            rlxc_target_spec_set(out, rlxc_intern(ctx, key, (size_t)(equals - key)), equals + 1);
        }
        text += length + strspn(text + length, " \t\n");
    }
    return true;
}

const char *rlxc_target_text(rlxc_context *ctx, const rlxc_target *t)
{
    rlxc_text text = {.ctx = ctx};
    const rlxc_device_limits *d = &t->device;
    if (rlxc_target_is_device(t)) {
        rlxc_text_printf(&text, "%s", t->kind);
        if (d->arch[0])
            rlxc_text_printf(&text, " -arch=%s", d->arch);
        if (d->vector_bytes)
            rlxc_text_printf(&text, " -device=cpu -vector-width=%u", 8 * d->vector_bytes);
        rlxc_text_printf(&text,
                         " -max_threads_per_block=%u -thread_warp_size=%u "
                         "-max_shared_memory_per_block=%u",
                         d->threads, d->warp, d->shared_bytes);
        if (d->registers)
            rlxc_text_printf(&text, " -registers_per_block=%u", d->registers);
        return rlxc_intern(ctx, text.data ? text.data : "", text.length);
    }
    rlxc_text_printf(&text, "%s -mtriple=%s -mcpu=%s", t->kind, t->triple, t->cpu);
    if (t->features[0])
        rlxc_text_printf(&text, " -mattr=%s", t->features);
    if (t->cores)
        rlxc_text_printf(&text, " -num-cores=%u", t->cores);
    return rlxc_intern(ctx, text.data ? text.data : "", text.length);
}
