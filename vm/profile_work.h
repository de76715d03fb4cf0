/* The work of devices in a profile (private to vm/). */
#ifndef RLXV_PROFILE_WORK_H
#define RLXV_PROFILE_WORK_H

#include "vm/device.h"

typedef struct rlxv_profile_device rlxv_profile_device;
typedef struct rlxv_profile_asked rlxv_profile_asked;

typedef struct rlxv_profile_work {
    rlxv_watch watch; /* of the VM while the profile is attached */
    rlx_allocator allocator;
    const rlx_profile *profile;
    uint64_t created;
    rlxv_profile_device *devices;
    rlx_profile_work *rows;
    uint32_t *device_of; /* by row */
    rlx_profile_work_event *events;
    rlxv_profile_asked *asked; /* work whose time is not known yet */
    uint32_t n_devices, devices_capacity, n_rows, rows_capacity, device_of_capacity;
    uint32_t n_events, events_capacity, max_events, n_asked;
} rlxv_profile_work;

rlxv_profile_work *rlxv_profile_work_of(const rlx_profile *p);
/* The start time of the running instruction, or the current time if none runs. */
uint64_t rlxv_profile_since(const rlx_profile *p);

void rlxv_profile_work_init(rlx_profile *p, const rlx_allocator *a, uint32_t max_events);
/* Drops all rows; times count from |created|. */
void rlxv_profile_work_reset(rlxv_profile_work *w, uint64_t created);
/* Waits for the queued work and records its times. */
void rlxv_profile_work_settle(rlxv_profile_work *w);
void rlxv_profile_work_deinit(rlxv_profile_work *w);

#endif
