/* Devices in the rlx program, on the stand-in for OpenCL's driver. */
#include "tests/cli/fixture.h"
#include "tests/fake/fake.h"

static fake_control *drivers(void)
{
    setenv("RLX_CUDA_LIBRARY", "/no/libcuda.so", 1);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    fake_control *fake = fake_open("opencl", "RLX_OPENCL_LIBRARY");
    cr_assert_not_null(fake);
    return fake;
}

RLX_TEST(cli_devices, all_are_listed)
{
    fake_control *fake = drivers();
    cli_fixture f;
    fixture_init(&f);
    expect_command(&f, cli_command_devices, "", CLI_OK,
                   "opencl:0  First\n"
                   "          OpenCL 1.2, Invented 4.2\n"
                   "          16.0 MiB of memory, 3 units, blocks of up to 64 threads that share "
                   "16.0 MiB, no float16\n"
                   "opencl:1  Other\n");
    cr_expect(strstr(f.out, "cpu:0     the host\n"));
    cr_expect(strstr(f.out, "cuda      no CUDA driver: /no/libcuda.so: "), "%s", f.out);
    expect_command(&f, cli_command_devices, "--json", CLI_OK,
                   "{\"device\": \"opencl:1\", \"name\": \"Other\", \"driver\": \"OpenCL 1.2, "
                   "Invented 4.2\", \"arch\": \"\", \"memory_bytes\": 16777216, ");
    cr_expect(strstr(f.out, "\"has_float64\": true, \"has_float16\": false}"));
    cr_expect(strstr(f.out, "{\"device\": \"cuda\", \"problem\": \"no CUDA driver: "));
    expect_command(&f, cli_command_devices, "x.rlx", CLI_USAGE, "rlx devices takes no file");
    fake->devices = 0;
    expect_command(&f, cli_command_devices, "", CLI_OK,
                   "opencl    no OpenCL platform has a device\n");
    fake->devices = 1;
    fake->code = -5;
    fake->calls = 0;
    fake->fail_at = 3; /* the look's first call, after the count's two */
    expect_command(&f, cli_command_devices, "", CLI_OK,
                   "opencl:0  no OpenCL platform: CL_OUT_OF_RESOURCES\n");
    fixture_deinit(&f);
}
