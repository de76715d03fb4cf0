/* rlx devices: the devices of this machine, of each kind that the runtime knows. For a kind without
 * devices it prints the reason, such as a missing driver. */
#include "vm/cli/cli.h"

static bool set(void *user, const cli_option *option, const char *value)
{
    if (option)
        return *(bool *)user = true;
    cli_complain("rlx devices takes no file: '%s'", value);
    return false;
}

static void print_device(const char *name, const rlx_device_info *d)
{
    char text[32];
    printf("%-9s %s%s%s\n", name, d->name, *d->arch ? ", " : "", d->arch);
    if (*d->driver)
        printf("%9s %s\n", "", d->driver);
    printf("%9s %s of memory%s", "", cli_bytes_text(d->memory_bytes, text, sizeof text),
           d->is_host_memory ? " of the host" : "");
    if (d->max_threads > 1)
        printf(", %u units, blocks of up to %u threads that share %s", d->units, d->max_threads,
               cli_bytes_text(d->shared_bytes, text, sizeof text));
    if (d->vector_bytes)
        printf(", a CPU's vectors of %u bytes", d->vector_bytes);
    printf("%s%s\n", d->has_float64 ? "" : ", no float64", d->has_float16 ? "" : ", no float16");
}

static void write_device(cli_json *j, const char *name, const rlx_device_info *d)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "device", rlx_str_from(name));
    cli_json_text(j, "name", rlx_str_from(d->name));
    cli_json_text(j, "driver", rlx_str_from(d->driver));
    cli_json_text(j, "arch", rlx_str_from(d->arch));
    cli_json_u64(j, "memory_bytes", d->memory_bytes);
    cli_json_u64(j, "shared_bytes", d->shared_bytes);
    cli_json_u64(j, "max_threads", d->max_threads);
    cli_json_u64(j, "units", d->units);
    cli_json_u64(j, "warp", d->warp);
    cli_json_u64(j, "vector_bytes", d->vector_bytes);
    cli_json_bool(j, "is_host_memory", d->is_host_memory);
    cli_json_bool(j, "has_float64", d->has_float64);
    cli_json_bool(j, "has_float16", d->has_float16);
    cli_json_close(j, '}');
}

/* Why |name|, a kind or a device, cannot be used. */
static void show_problem(cli_json *j, const char *name, const rlx_error *err)
{
    if (!j) {
        printf("%-9s %s\n", name, err->message);
        return;
    }
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "device", rlx_str_from(name));
    cli_json_text(j, "problem", rlx_str_from(err->message));
    cli_json_close(j, '}');
}

/* |j|: NULL for a text. */
static void show_kind(cli_json *j, const char *kind)
{
    rlx_error err = {.message = "no devices"};
    rlx_device_info info;
    char name[64];
    const uint32_t n = rlx_device_count(NULL, kind, &err);
    if (n == 0)
        show_problem(j, kind, &err);
    for (uint32_t id = 0; id < n; id++) {
        snprintf(name, sizeof name, "%s:%u", kind, id);
        if (rlx_device_look(NULL, kind, id, &info, &err) != RLX_OK)
            show_problem(j, name, &err);
        else if (j)
            write_device(j, name, &info);
        else
            print_device(name, &info);
    }
}

int cli_command_devices(int argc, char **argv)
{
    static const cli_option options[] = {{"--json", "", "print one JSON array"}};
    const cli_command command = {"rlx devices [--json]",
                                 "Lists the devices of this machine. RLX_OPENCL_LIBRARY and "
                                 "RLX_CUDA_LIBRARY name other driver libraries.",
                                 options, 1, false};
    bool json = false, help;
    cli_json j = {.file = stdout};
    const char *kind;
    const int status = cli_parse(&command, argc, argv, set, &json, &help);
    if (status != CLI_OK || help)
        return status;
    if (json)
        cli_json_open(&j, NULL, '[');
    for (uint32_t i = 0; (kind = rlx_device_kind(NULL, i)); i++)
        show_kind(json ? &j : NULL, kind);
    if (json)
        cli_json_close(&j, ']');
    fputs(json ? "\n" : "", stdout);
    return CLI_OK;
}
