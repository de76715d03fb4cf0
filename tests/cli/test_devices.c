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

/* y = 2 x + 0.5 on opencl:0, from the host's memory to the device's. */
static const char program[] =
    ".device v1 \"opencl\" 0 \"global\" \"opencl\"\n"
    ".module m0 \"opencl\" [ \"opencl-c\" text\n"
    "    \"__kernel void scale(__global uchar *p, long p_at, __global uchar *q, long q_at, int "
    "n,\"\n"
    "    \"float f, double s) { int i = get_global_id(0);\"\n"
    "    \"if (i < n) ((__global float *)(q + q_at))[i] =\"\n"
    "    \"((__global float *)(p + p_at))[i] * f + (float)s; }\" ]\n"
    ".kernel k0 \"twice\" dims 1 (float32[s0], out float32[s0])\n"
    ".launches k0 m0 [] { \"scale\" [(s0 + 15) // 16, 1, 1] [16, 1, 1] 0\n"
    "    (p0, p1, int32 s0, float32 4611686018427387904, float64 4602678819172646912) }\n"
    ".func main (x: float32[s0!]) -> object symbols 1 {\n"
    "    .slot s0 \"n\"\n"
    "    to_vdevice r1, r0, v1\n"
    "    new_tensor_on r2, float32, v1, [s0]\n"
    "    call_kernel k0, [s0], [r1, r2]\n"
    "    make_tuple r3, [r2]\n"
    "    ret r3\n"
    "}\n";

RLX_TEST(cli_devices, results_are_read_from_their_device)
{
    const float x[4] = {0, 1, 2, 3};
    const int64_t four = 4;
    const fake_control *fake = drivers();
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "p.rlx", program);
    cr_assert_eq(npy_write(in_folder(&f, "x.npy"), RLX_F32, 1, &four, x, NULL), RLX_OK);
    expect_command(&f, cli_command_run, "@p.rlx --input @x.npy", CLI_OK,
                   "result.0: tensor float32 (4,) on opencl:0 [0.5, 2.5, 4.5, 6.5]\n");
    expect_command(&f, cli_command_run, "@p.rlx --input @x.npy -o 0=@y.npy", CLI_OK, "");
    expect_command(&f, cli_command_run, "@p.rlx --input @y.npy", CLI_OK,
                   "on opencl:0 [1.5, 5.5, 9.5, 13.5]\n");
    expect_command(&f, cli_command_run, "@p.rlx --random --dim n=4 --no-native", CLI_FAILED,
                   "p.rlx has code for devices or loaders, which --no-native refuses");
    cr_expect(fake->live == 0 && fake->misuses == 0);
    fixture_deinit(&f);
}

RLX_TEST(cli_devices, time_and_profile_show_work)
{
    const fake_control *fake = drivers();
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "p.rlx", program);
    expect_command(&f, cli_command_time, "@p.rlx --random --dim n=1024", CLI_OK,
                   "opencl:0, per call: 2.500 us of kernels in 1 launches, 2.500 us of 1 copies, "
                   "4.0 KiB in\n");
    expect_command(&f, cli_command_time, "@p.rlx --random --dim n=1024 --json", CLI_OK,
                   "\"devices\": [{\"device\": \"opencl:0\", \"launches\": 1, \"copies\": 1, "
                   "\"kernel_ns\": 2500, \"copy_ns\": 2500, \"bytes_in\": 4096, "
                   "\"bytes_out\": 0, \"bytes_within\": 0}]}");
    expect_command(
        &f, cli_command_profile, "@p.rlx --random --dim n=1024 --number 3 --trace @t.json", CLI_OK,
        " 50.00%     7.500 us     2.500 us         3     12.0 KiB    1.64 GB/s  opencl:0 "
        " copy in     \n");
    cr_expect(strstr(f.out,
                     " 50.00%     7.500 us     2.500 us         3                            "
                     "opencl:0  kernel      scale\n"),
              "%s", f.out);
    cr_expect(strstr(f.out, "opencl:0, per call: 2.500 us of kernels in 1 launches, "));
    char *trace = read_file(&f, "t.json");
    cr_expect(strstr(trace, "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": 2, "
                            "\"args\": {\"name\": \"opencl:0\"}}"));
    cr_expect(strstr(trace, "{\"name\": \"scale\", \"cat\": \"kernel\", \"ph\": \"X\", \"ts\": "),
              "%s", trace);
    cr_expect(strstr(trace, ", \"dur\": 2.5, \"pid\": 1, \"tid\": 2}"));
    free(trace);
    expect_command(&f, cli_command_profile, "@p.rlx --random --dim n=1024 --json", CLI_OK,
                   "{\"device\": \"opencl:0\", \"work\": \"kernel\", \"name\": \"scale\", "
                   "\"count\": 1, \"bytes\": 0, \"timed\": 1, \"total_ns\": 2500, \"min_ns\": "
                   "2500, \"max_ns\": 2500}");
    cr_expect(fake->live == 0 && fake->misuses == 0);
    fixture_deinit(&f);
}

RLX_TEST(cli_devices, memory_names_pools)
{
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "p.rlx",
                ".meta \"pool.sram\" \"name=sram,size=8192,align=1,targets=opencl+cpu,"
                "scope=global.sram,kind=workspace,used=4096\"\n"
                ".meta \"pool.dram\" \"name=dram,targets=cpu,scope=global\"\n"
                ".meta \"pool.odd\" \"size=,,=,\"\n"
                ".device v1 \"cpu\" 0 \"global.sram\" \"pool sram 4096\"\n"
                ".func main () -> object {\n"
                "    .buffer u0 z0 4096 0 12\n"
                "    .buffer u1 z1 64 0 12\n"
                "    .region z0 v1\n"
                "    load_const r0, true\n"
                "    ret r0\n"
                "}\n");
    expect_command(&f, cli_command_dump, "@p.rlx --memory", CLI_OK,
                   "region 0 on cpu:0 (global.sram) in pool sram: peak 4096 bytes");
    cr_expect(strstr(f.out, "region 1 in pool dram: peak 64 bytes"), "%s", f.out);
    cr_expect(strstr(f.out, "pool sram: 4096 of 8192 bytes (8.0 KiB) at most: 50.0 %\n"
                            "pool dram: no limit\nconstants: "),
              "%s", f.out);
    fixture_deinit(&f);
}

RLX_TEST(cli_devices, memory_lists_constants_of_pools)
{
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "p.rlx",
                ".meta \"pool.flash\" \"name=flash,size=1024,align=1,targets=cpu,"
                "scope=global.flash,kind=constants,used=256\"\n"
                ".meta \"pool.rom\" \"name=rom,targets=cpu+opencl,scope=global,kind=constants,"
                "used=99999999999999999999999\"\n"
                ".meta \"pool.none\" \"name=none,size=1,targets=,scope=,kind=constants,used=-1\"\n"
                ".device v1 \"cpu\" 0 \"global.flash\" \"pool flash\"\n"
                ".func main () -> object {\n"
                "    load_const_on r0, tensor float32 [2] { 1, 2 }, v1\n"
                "    load_const_on r1, tensor int8 [1, 3] { 1, 2, 3 }, v1\n"
                "    load_const r2, tensor float64 [] { 1 }\n"
                "    load_const r3, true\n"
                "    ret r3\n"
                "}\n");
    expect_command(&f, cli_command_dump, "@p.rlx --memory", CLI_OK,
                   "pool flash: 256 of 1024 bytes (1.0 KiB) of constants: 25.0 %\n"
                   "  c0                8 bytes  float32 (2)\n"
                   "  c1                3 bytes  int8 (1, 3)\n"
                   "pool rom: no limit, 18446744073709551615 bytes of constants\n"
                   "  c2                8 bytes  float64 ()\n"
                   "pool none: ");
    fixture_deinit(&f);
}

RLX_TEST(cli_devices, memory_names_devices)
{
    cli_fixture f;
    fixture_init(&f);
    assemble_to(&f, "p.rlx",
                ".device v1 \"opencl\" 0 \"global\" \"opencl\"\n"
                ".device v2 \"cpu\" 1 \"global.sram\" \"llvm\"\n"
                ".func main () -> object {\n"
                "    .buffer u0 z0 4096 0 12\n"
                "    .region z0 v1\n"
                "    eval_slot s0, 256\n"
                "    alloc_storage_on r0, s0, 64, v1\n"
                "    new_tensor_on r1, float32, v2, [s0]\n"
                "    make_tuple r2, [r1]\n"
                "    ret r2\n"
                "}\n");
    expect_command(&f, cli_command_dump, "@p.rlx --memory", CLI_OK,
                   "storage r0    256 bytes on opencl:0\n");
    cr_expect(strstr(f.out, "region 0 on opencl:0: peak 4096 bytes"), "%s", f.out);
    cr_expect(strstr(f.out, "tensor  r1    float32 (256) on cpu:1 (global.sram)\n"), "%s", f.out);
    fixture_deinit(&f);
}
