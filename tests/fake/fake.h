/* Libraries that stand in for drivers in tests: fake_cuda.so, ... Each function of the driver
 * counts as a call and fails where the test asks for it; what is made and not dropped counts as
 * live. Kernels of a fake driver are functions in it, found by name. */
#ifndef RLX_TEST_FAKE_H
#define RLX_TEST_FAKE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fake_control {
    uint32_t calls;     /* since the test set it to 0 */
    uint32_t fail_at;   /* the call, counted from 1, that fails; 0: none */
    bool fail_after;    /* all later calls fail as well */
    int code;           /* what a failing call returns */
    const char *failed; /* name of the function that failed last; NULL: none */
    uint32_t live;      /* objects */
    uint32_t left;      /* objects that went with their context, not dropped by name */
    uint32_t misuses;   /* calls with arguments that the driver does not allow */
    uint32_t devices;   /* how many there are */
} fake_control;

#ifdef FAKE_DRIVER /* in the library */

extern fake_control fake;
__attribute__((visibility("default"))) fake_control *fake_get(void);

static inline bool fake_fails(const char *name)
{
    fake.calls++;
    bool fails = fake.fail_at &&
                 (fake.calls == fake.fail_at || (fake.fail_after && fake.calls > fake.fail_at));
    if (fails)
        fake.failed = name;
    return fails;
}

/* The first line of each function of the driver that returns a status. */
#define FAKE_CALL                 \
    do {                          \
        if (fake_fails(__func__)) \
            return fake.code;     \
    } while (0)

#else /* in the test */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens build/fake_NAME.so, and has the runtime open it through |variable| from now on. */
static inline fake_control *fake_open(const char *name, const char *variable)
{
    const char *build = getenv("RLX_BUILD");
    char path[300];
    fake_control *(*get)(void);
    snprintf(path, sizeof path, "%s/fake_%s.so", build ? build : "build", name);
    if (!strchr(path, '/') || setenv(variable, path, 1) != 0)
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, "fake_get") : NULL;
    memcpy(&get, &address, sizeof get);
    return address ? get() : NULL;
}

#endif
#endif
