/* The work of devices in a profile: rows by device, kind and kernel, and events for a trace.

   Work is reported when it is queued; its time is known only when it is done. So it is kept, and
   its times are read when there is much of it or when the profile is detached. If memory runs out,
   work is counted without a time. */
#include "vm/profile_work.h"

#include <string.h>

enum { MAX_ASKED = 1024 };

struct rlxv_profile_device {
    rlx_device *device; /* retained */
    /* Converts times of the device's clock to the host's, by addition: no work begins before the
     * instruction that queued it. */
    int64_t shift;
    bool is_timed;
};

struct rlxv_profile_asked {
    uint32_t row;
    void *event;
    uint64_t since; /* the host's time when its instruction began */
};

static uint32_t find_device(rlxv_profile_work *w, rlx_device *d)
{
    for (uint32_t i = 0; i < w->n_devices; i++)
        if (w->devices[i].device == d)
            return i;
    if (!rlxv_grow(&w->allocator, (void **)&w->devices, &w->devices_capacity, w->n_devices,
                   sizeof *w->devices))
        return RLX_NONE;
    w->devices[w->n_devices] = (rlxv_profile_device){.device = rlx_device_retain(d)};
    return w->n_devices++;
}

static uint32_t find_row(rlxv_profile_work *w, const rlxv_work *work)
{
    const char *name = work->name ? work->name : "";
    const uint32_t d = find_device(w, work->device);
    if (d == RLX_NONE)
        return RLX_NONE;
    for (uint32_t i = 0; i < w->n_rows; i++)
        if (w->device_of[i] == d && w->rows[i].kind == work->kind &&
            strcmp(w->rows[i].name, name) == 0)
            return i;
    if (!rlxv_grow(&w->allocator, (void **)&w->rows, &w->rows_capacity, w->n_rows,
                   sizeof *w->rows) ||
        !rlxv_grow(&w->allocator, (void **)&w->device_of, &w->device_of_capacity, w->n_rows,
                   sizeof *w->device_of))
        return RLX_NONE;
    w->device_of[w->n_rows] = d;
    w->rows[w->n_rows] = (rlx_profile_work){.device = rlx_device_name(work->device),
                                            .kind = work->kind,
                                            .name = name,
                                            .min_ns = UINT64_MAX};
    return w->n_rows++;
}

/* The shift for which the work begins when it was asked for. */
static void align_clocks(rlxv_profile_device *d, uint64_t begin, uint64_t since)
{
    enum { SAME_CLOCK_NS = 1000000000 };
    const int64_t shift = (int64_t)(since - begin);
    if (!d->is_timed && shift <= 0 && shift > -SAME_CLOCK_NS)
        d->shift = 0; /* the device has the host's clock */
    else if (!d->is_timed || shift > d->shift)
        d->shift = shift;
    d->is_timed = true;
}

static void add_event(rlxv_profile_work *w, uint32_t row, uint64_t begin, uint64_t ns)
{
    if (w->n_events < w->max_events &&
        rlxv_grow(&w->allocator, (void **)&w->events, &w->events_capacity, w->n_events,
                  sizeof *w->events))
        w->events[w->n_events++] = (rlx_profile_work_event){row, begin, ns};
}

void rlxv_profile_work_settle(rlxv_profile_work *w)
{
    for (uint32_t i = 0; i < w->n_asked; i++) {
        const rlxv_profile_asked *asked = &w->asked[i];
        rlxv_profile_device *d = &w->devices[w->device_of[asked->row]];
        rlx_profile_work *row = &w->rows[asked->row];
        uint64_t begin, end;
        if (!rlxv_device_event_time(d->device, asked->event, &begin, &end))
            continue;
        const uint64_t ns = end > begin ? end - begin : 0;
        row->timed++;
        row->total_ns += ns;
        row->min_ns = ns < row->min_ns ? ns : row->min_ns;
        row->max_ns = ns > row->max_ns ? ns : row->max_ns;
        align_clocks(d, begin, asked->since);
        add_event(w, asked->row, begin, ns);
    }
    w->n_asked = 0;
}

static void add_work(void *user, const rlxv_work *work)
{
    rlxv_profile_work *w = user;
    const uint32_t r = find_row(w, work);
    if (!w->asked)
        w->asked = rlx_alloc(&w->allocator, MAX_ASKED * sizeof *w->asked, 16);
    if (r != RLX_NONE) {
        w->rows[r].count++;
        w->rows[r].bytes += work->bytes;
    }
    if (!work->event)
        return;
    if (r == RLX_NONE || !w->asked) {
        (void)rlxv_device_event_time(work->device, work->event, NULL, NULL);
        return;
    }
    if (w->n_asked == MAX_ASKED)
        rlxv_profile_work_settle(w);
    w->asked[w->n_asked++] = (rlxv_profile_asked){r, work->event, rlxv_profile_since(w->profile)};
}

void rlxv_profile_work_init(rlx_profile *p, const rlx_allocator *a, uint32_t max_events)
{
    rlxv_profile_work *w = rlxv_profile_work_of(p);
    *w = (rlxv_profile_work){
        .watch = {add_work, w}, .allocator = *a, .profile = p, .max_events = max_events};
}

void rlxv_profile_work_reset(rlxv_profile_work *w, uint64_t created)
{
    rlxv_profile_work_settle(w);
    for (uint32_t i = 0; i < w->n_devices; i++)
        rlx_device_release(w->devices[i].device);
    w->n_devices = w->n_rows = w->n_events = 0;
    w->created = created;
}

void rlxv_profile_work_deinit(rlxv_profile_work *w)
{
    rlxv_profile_work_reset(w, 0);
    rlx_free(&w->allocator, w->devices, w->devices_capacity * sizeof *w->devices, 16);
    rlx_free(&w->allocator, w->rows, w->rows_capacity * sizeof *w->rows, 16);
    rlx_free(&w->allocator, w->device_of, w->device_of_capacity * sizeof *w->device_of, 16);
    rlx_free(&w->allocator, w->events, w->events_capacity * sizeof *w->events, 16);
    rlx_free(&w->allocator, w->asked, MAX_ASKED * sizeof *w->asked, 16);
}

/* --- what the host sees ------------------------------------------------------------------------
 */

uint32_t rlx_profile_work_count(const rlx_profile *p)
{
    return p ? rlxv_profile_work_of(p)->n_rows : 0;
}

bool rlx_profile_get_work(const rlx_profile *p, uint32_t i, rlx_profile_work *out)
{
    if (i >= rlx_profile_work_count(p) || !out)
        return false;
    *out = rlxv_profile_work_of(p)->rows[i];
    if (out->timed == 0)
        out->min_ns = 0;
    return true;
}

uint32_t rlx_profile_work_event_count(const rlx_profile *p)
{
    return p ? rlxv_profile_work_of(p)->n_events : 0;
}

bool rlx_profile_get_work_event(const rlx_profile *p, uint32_t i, rlx_profile_work_event *out)
{
    if (i >= rlx_profile_work_event_count(p) || !out)
        return false;
    const rlxv_profile_work *w = rlxv_profile_work_of(p);
    *out = w->events[i];
    /* From the device's clock to the profile's begin; a reset may fall into the work. */
    const int64_t start =
        (int64_t)(out->start_ns + (uint64_t)w->devices[w->device_of[out->work]].shift - w->created);
    out->start_ns = start > 0 ? (uint64_t)start : 0;
    return true;
}
