/* Files for several CPU levels: a program for each, of which one is loaded as if it were alone.

   Levels are stored from the lowest to the highest, and the last one that this machine can run is
   taken. A section of its own states the needs of each level, so that the choice needs no program;
   the program's native section, which states them too, is checked again before its code is loaded.
   Every section except the shared ones belongs to one level (vm/file.h). */
#include "vm/load.h"

#include <rlx/checked.h>
#include <string.h>

bool rlxv_next_feature(rlx_str list, size_t *at, rlx_str *out)
{
    while (*at < list.len && list.data[*at] == ',')
        ++*at;
    *out = (rlx_str){list.data + *at, 0};
    while (*at < list.len && list.data[*at] != ',') {
        ++*at;
        out->len++;
    }
    return out->len > 0;
}

static rlx_status damaged(rlxv_loader *l, const char *why)
{
    return rlx_fail(l->err, RLX_E_INVALID_MODULE, "the levels section %s", why);
}

static rlx_status take_text(rlxv_loader *l, rlxv_reader *r, uint32_t length, rlx_str *out)
{
    if (r->bad || length > r->left)
        return damaged(l, "ends early");
    if (!rlxv_is_utf8(r->p, length))
        return damaged(l, "has text that is not UTF-8");
    *out = (rlx_str){(const char *)r->p, length};
    r->p += length;
    r->left -= length;
    return RLX_OK;
}

/* Levels: for each the lengths of its name, triple and list of features, then their bytes. */
static rlx_status parse(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_LEVELS, 3, "levels", &r, &exe->n_levels));
    if (exe->n_levels == 0 || exe->n_levels > RLX_MAX_LEVELS)
        return damaged(l, "has no or too many levels");
    exe->levels = rlxv_arena_alloc(&exe->arena, exe->n_levels, sizeof *exe->levels);
    if (!exe->levels)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < exe->n_levels; i++) {
        const uint32_t name = rlxv_read_word(&r), triple = rlxv_read_word(&r),
                       features = rlxv_read_word(&r);
        RLX_TRY(take_text(l, &r, name, &exe->levels[i].name));
        RLX_TRY(take_text(l, &r, triple, &exe->levels[i].triple));
        RLX_TRY(take_text(l, &r, features, &exe->levels[i].features));
    }
    return rlxv_close_section(l, &r, "levels");
}

static rlx_status check(const rlx_level_info *level, rlx_error *err)
{
    rlx_str feature;
    RLX_TRY(rlxv_native_check_triple(level->triple, err));
    for (size_t at = 0; rlxv_next_feature(level->features, &at, &feature);)
        RLX_TRY(rlxv_native_check_feature(feature, err));
    return RLX_OK;
}

/* The number of the level to load, from 1. */
static rlx_status choose(rlxv_loader *l, uint32_t *out)
{
    const rlx_executable *exe = l->exe;
    const rlx_load_options *o = l->options;
    if (o && o->level > exe->n_levels)
        return rlx_fail(l->err, RLX_E_INVALID_ARG, "level %u is requested, the file has %u",
                        o->level, exe->n_levels);
    *out = o ? o->level : 0;
    for (uint32_t i = exe->n_levels; i > 0 && *out == 0; i--)
        if (check(&exe->levels[i - 1], NULL) == RLX_OK)
            *out = i;
    if (*out != 0)
        return RLX_OK;
    *out = 1;
    if (!o || !o->trust_native)
        return RLX_OK;
    rlx_status status = check(&exe->levels[0], l->err);
    rlx_error_prefix(l->err, "this machine can run none of the %u CPU levels; the first, %.*s: ",
                     exe->n_levels, (int)exe->levels[0].name.len, exe->levels[0].name.data);
    return status;
}

rlx_status rlxv_choose_level(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    const uint8_t *h = exe->head;
    const uint32_t n = rlxv_load_u32(h + 24);
    const bool many = l->sections[RLXV_SECTION_LEVELS].present;
    if (many) {
        RLX_TRY(parse(l));
        RLX_TRY(choose(l, &exe->level));
    } else if (l->options && l->options->level > 0) {
        return rlx_fail(l->err, RLX_E_INVALID_ARG, "level %u is requested, the file has none",
                        l->options->level);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *e = h + RLXV_HEADER_BYTES + (size_t)i * RLXV_SECTION_BYTES;
        const uint32_t kind = rlxv_load_u32(e), level = rlxv_load_u32(e + 36);
        if (level > exe->n_levels)
            return rlx_fail(l->err, RLX_E_INVALID_MODULE,
                            "section %u is of level %u, the file has %u", kind, level,
                            exe->n_levels);
        if (kind == 0 || kind >= RLXV_SECTION_END)
            continue;
        if (many && level == 0 && !rlxv_is_common_section(kind))
            return rlx_fail(l->err, RLX_E_INVALID_MODULE, "section %u is of no level", kind);
        if (level > 0 && level == exe->level)
            l->sections[kind] = rlxv_section_at(h, e);
    }
    return RLX_OK;
}

uint32_t rlx_executable_level_count(const rlx_executable *exe)
{
    return exe ? exe->n_levels : 0;
}

uint32_t rlx_executable_level(const rlx_executable *exe)
{
    return exe ? exe->level : 0;
}

bool rlx_executable_level_info(const rlx_executable *exe, uint32_t level, rlx_level_info *out)
{
    if (!exe || !out || level == 0 || level > exe->n_levels)
        return false;
    *out = exe->levels[level - 1];
    out->runs = check(out, NULL) == RLX_OK;
    return true;
}
