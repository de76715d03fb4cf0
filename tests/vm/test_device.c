/* Kinds of devices, opened devices and tensors on them, on a device with invented memory. */
#include <stdio.h>
#include <string.h>

#include "tests/vm/device_fixture.h"

RLX_TEST(device, tensors_move_and_stay)
{
    test_device_control c;
    rlx_registry *r = device_registry(t, &c);
    rlx_device *d, *same, *other;
    rlx_tensor *x = device_iota(t, 5), *there, *again, *elsewhere, *back;
    RLX_OKAY(rlx_device_open(r, "test", 0, &d, &t->error));
    RLX_OKAY(rlx_device_open(r, "test", 0, &same, &t->error));
    RLX_OKAY(rlx_device_open(r, "test", 1, &other, &t->error));
    cr_expect(d == same && d != other && c.opened == 2);
    cr_expect_str_eq(rlx_device_name(other), "test:1");
    cr_expect(rlx_device_type(d) == 12 && rlx_device_id(other) == 1);
    cr_expect_str_eq(rlx_device_facts(d)->name, "test device 0");
    rlx_device_release(same);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, x, d, &there, &t->error));
    cr_expect(rlx_tensor_device(there) == d && !rlx_tensor_device(x));
    cr_expect(!rlx_tensor_data(there) && !rlx_tensor_mutable_data(there));
    cr_expect(rlx_tensor_place(there).memory && !rlx_tensor_place(x).memory);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there, d, &again, &t->error));
    cr_expect_eq(again, there);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there, other, &elsewhere, &t->error));
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, elsewhere, NULL, &back, &t->error));
    cr_expect(device_is_iota(back, 1));
    rlx_device_stats stats;
    rlx_device_get_stats(d, &stats);
    cr_expect(stats.copies_in == 1 && stats.bytes_in == 20 && stats.copies_out == 1 &&
              stats.live_bytes == 64 && stats.launches == 0);
    RLX_OKAY(rlx_device_sync(d, &t->error));
    rlx_device_release(d); /* the tensors hold it */
    rlx_device_release(other);
    device_release(x);
    device_release(there);
    device_release(again);
    device_release(elsewhere);
    device_release(back);
    device_expect_clean(&c);
}

RLX_TEST(device, odd_requests_are_refused_by_name)
{
    test_device_control c;
    rlx_registry *r = device_registry(t, &c);
    rlx_device *d;
    rlx_device_info info;
    rlx_tensor *x;
    RLX_FAILS(rlx_device_open(r, "test", 2, &d, &t->error), RLX_E_NOT_FOUND,
              "test:2: there are 2 devices");
    RLX_FAILS(rlx_device_open(NULL, "test", 0, &d, &t->error), RLX_E_NOT_FOUND,
              "no kind of device 'test'");
    RLX_FAILS(rlx_device_look(r, "test", 9, &info, &t->error), RLX_E_NOT_FOUND, "2 devices");
    RLX_OKAY(rlx_device_look(r, "test", 1, &info, &t->error));
    cr_expect(info.max_threads == 256 && info.warp == 1);
    cr_expect_eq(rlx_device_count(r, "test", &t->error), 2);
    cr_expect_eq(rlx_device_count(r, "cpu", &t->error), 1);
    cr_expect_eq(rlx_device_count(r, "nope", &t->error), 0);
    cr_expect_str_eq(rlx_device_kind(r, 0), "test");
    cr_expect_str_eq(rlx_device_kind(r, 1), "cpu");
    cr_expect_null(rlx_device_kind(r, 99));
    cr_expect_str_eq(rlx_device_kind(NULL, 0), "cpu");
    RLX_OKAY(rlx_device_open(r, "test", 0, &d, &t->error));
    RLX_FAILS(rlx_tensor_create_on(&t->allocator, d, NULL, RLX_F32, 1, (int64_t[]){1 << 20}, &x,
                                   &t->error),
              RLX_E_LIMIT, "test:0: ");
    RLX_FAILS(
        rlx_tensor_create_on(&t->allocator, d, "attic", RLX_F32, 1, (int64_t[]){1}, &x, &t->error),
        RLX_E_NOT_FOUND, "there is no memory 'attic'");
    RLX_FAILS(
        rlx_tensor_create_on(&t->allocator, d, NULL, RLX_F32, 1, (int64_t[]){-1}, &x, &t->error),
        RLX_E_SHAPE, "is negative");
    RLX_OKAY(
        rlx_tensor_create_on(&t->allocator, d, NULL, RLX_F32, 1, (int64_t[]){0}, &x, &t->error));
    device_release(x);
    rlx_device_release(d);
    device_expect_clean(&c);
}

RLX_TEST(device, kinds_are_checked_when_they_are_registered)
{
    test_device_control c;
    rlx_registry *r = rlx_test_registry(t);
    rlx_device_api api = *test_device_api(&c);
    RLX_OKAY(rlx_registry_add_device(r, &api, &c, &t->error));
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG,
              "already has the device kind 'test'");
    api.kind = "cpu";
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG,
              "'cpu' cannot be replaced");
    api.kind = "a:b";
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG, "':'");
    api.kind = "";
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG, "characters");
    api.kind = "half";
    api.find = NULL;
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG,
              "'half' have no function 'find'");
    api.load = NULL;
    api.unload = NULL;
    api.launch = NULL;
    api.event_time = NULL;
    RLX_OKAY(rlx_registry_add_device(r, &api, &c, &t->error)); /* runs no kernels */
    api.size = 4;
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG, "size is 4");
    api.size = sizeof api;
    api.kind = "empty";
    api.alloc = NULL;
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG, "'alloc'");
}

/* Freed memory serves the next tensors; it is given up when the device has no more. */
RLX_TEST(device, memory_is_used_again)
{
    test_device_control c;
    rlx_registry *r = device_registry(t, &c);
    rlx_device *d;
    rlx_tensor *x, *y;
    RLX_OKAY(rlx_device_open(r, "test", 0, &d, &t->error));
    for (int64_t i = 0; i < 10; i++) {
        RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, i % 2 ? "global" : NULL, RLX_F32, 1,
                                      (int64_t[]){1000 + i}, &x, &t->error));
        device_release(x);
    }
    cr_expect_eq(c.allocs, 1);
    RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, "global.fast", RLX_F32, 1, (int64_t[]){1000},
                                  &x, &t->error));
    cr_expect_eq(c.allocs, 2); /* another memory */
    RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, NULL, RLX_U8, 1, (int64_t[]){1000000}, &y,
                                  &t->error));
    device_release(y);
    RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, NULL, RLX_U8, 1, (int64_t[]){600000}, &y,
                                  &t->error));
    device_release(x);
    device_release(y);
    rlx_device_release(d);
    device_expect_clean(&c);
}

/* --- CPU devices -------------------------------------------------------------------------------
 */

RLX_TEST(device, a_part_of_the_hosts_memory)
{
    static _Alignas(128) unsigned char sram[1024];
    rlx_registry *r = rlx_test_registry(t);
    rlx_cpu_device row = {sizeof row, 1, sram, sizeof sram, "global.sram"};
    rlx_cpu_device heap = {sizeof heap, 3, NULL, 4096, NULL};
    rlx_device *d, *host, *large;
    rlx_device_info info;
    rlx_tensor *parts[4], *x = device_iota(t, 8), *there, *back;
    RLX_OKAY(rlx_registry_add_cpu(r, &row, &t->error));
    RLX_OKAY(rlx_registry_add_cpu(r, &heap, &t->error));
    RLX_FAILS(rlx_registry_add_cpu(r, &row, &t->error), RLX_E_INVALID_ARG, "a device cpu:1");
    row.id = 0;
    RLX_FAILS(rlx_registry_add_cpu(r, &row, &t->error), RLX_E_INVALID_ARG, "the host's own");
    row.id = 7;
    row.bytes = 0;
    RLX_FAILS(rlx_registry_add_cpu(r, &row, &t->error), RLX_E_INVALID_ARG, "0 bytes");
    cr_expect_eq(rlx_device_count(r, "cpu", &t->error), 4);
    RLX_FAILS(rlx_device_look(r, "cpu", 2, &info, &t->error), RLX_E_NOT_FOUND,
              "no device of this number");
    RLX_OKAY(rlx_device_open(r, "cpu", 0, &host, &t->error));
    RLX_OKAY(rlx_device_open(r, "cpu", 1, &d, &t->error));
    RLX_OKAY(rlx_device_open(r, "cpu", 3, &large, &t->error));
    cr_expect(rlx_device_facts(d)->memory_bytes == 1024 && rlx_device_facts(d)->is_host_memory);
    for (int i = 0; i < 4; i++)
        RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, i % 2 ? "global.sram" : NULL, RLX_U8, 1,
                                      (int64_t[]){250}, &parts[i], &t->error));
    RLX_FAILS(rlx_tensor_to_device(&t->allocator, x, d, &there, &t->error), RLX_E_LIMIT,
              "cpu:1: 32 bytes do not fit beside 1000 in use; global.sram has 1024");
    device_release(parts[1]);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, x, d, &there, &t->error));
    cr_expect((const unsigned char *)rlx_tensor_data(there) == sram + 256);
    cr_expect(device_is_iota(there, 1) && rlx_tensor_mutable_data(there));
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there, host, &back, &t->error));
    cr_expect(device_is_iota(back, 1) && !rlx_tensor_device(back));
    device_release(back);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there, large, &back, &t->error));
    cr_expect(device_is_iota(back, 1) && rlx_tensor_device(back) == large);
    device_release(back);
    RLX_FAILS(rlx_tensor_create_on(&t->allocator, large, NULL, RLX_U8, 1, (int64_t[]){5000}, &back,
                                   &t->error),
              RLX_E_LIMIT, "cpu:3");
    device_release(there);
    device_release(x);
    for (int i = 0; i < 4; i++)
        if (i != 1)
            device_release(parts[i]);
    rlx_device_release(d);
    rlx_device_release(host);
    rlx_device_release(large);
}
