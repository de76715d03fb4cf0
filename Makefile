# rlx: build, test, install. `make help` lists the targets.
# Sources are found by wildcard: a new .c file in a layer's folder is built without an edit here.
# Nothing is generated; every object depends on the headers it included last time (-MMD).

BUILD    ?= build
CC       ?= gcc
PREFIX   ?= /usr/local
MIMALLOC ?= 1
WERROR   ?= 0
LLVM_CONFIG ?= llvm-config-19
VERSION  := 0.1.0

WARN   := -Wall -Wextra -Wshadow -Wconversion -Wswitch-enum
ifeq ($(WERROR),1)
WARN   += -Werror
endif
OPT    ?= -O2 -g
SAN    ?=
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE $(WARN) $(OPT) $(SAN) -fPIC -fvisibility=hidden -Iinclude -I. \
             -DRLX_VERSION='"$(VERSION)"' -DRLX_WITH_MIMALLOC=$(MIMALLOC) $(CFLAGS)
LLVM_CFLAGS = -isystem $(shell $(LLVM_CONFIG) --includedir)
LLVM_LIBS   = $(shell $(LLVM_CONFIG) --ldflags --libs)

RUNTIME_LIBS := -lm -ldl -lpthread -lpthreadpool
ifeq ($(MIMALLOC),1)
RUNTIME_LIBS += -lmimalloc
endif
COMPILER_LIBS = $(LLVM_LIBS) -ljansson

# The programs' main files stay out of the libraries.
RUNTIME_SRC  := $(filter-out %/main.c,$(wildcard vm/*.c vm/*/*.c builtins/*.c))
RLX_SRC      := $(wildcard vm/cli/*.c)
RUNTIME_SRC  := $(filter-out $(RLX_SRC),$(RUNTIME_SRC))
COMPILER_SRC := $(filter-out %/main.c,$(wildcard compiler/*/*.c compiler/*/*/*.c))
RLXC_SRC     := $(wildcard compiler/driver/main.c)
SUPPORT_SRC  := $(wildcard tests/support/*.c)
VM_TESTS     := $(wildcard tests/vm/*.c tests/builtins/*.c)
COMPILER_TESTS := $(wildcard tests/compiler/*.c)
FUZZERS      := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

.PHONY: all runtime compiler deps deps-ci demo demo-run test test-run conformance bench install \
        san tsan fuzz fuzz-smoke format check-format check-layers clean help
all: runtime compiler ## build libraries and programs (default)
runtime: $(BUILD)/librlx.a $(BUILD)/librlx.so $(BUILD)/rlx ## the runtime only: no LLVM needed
compiler: $(BUILD)/librlxc.a $(BUILD)/rlxc

deps: ## install missing Debian packages through apt
	@.ci/install-deps all
deps-ci:
	@.ci/install-deps ci

$(BUILD)/obj/compiler/%.o: compiler/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LLVM_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/tests/compiler/%.o: tests/compiler/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LLVM_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

$(BUILD)/librlx.a: $(call obj,$(RUNTIME_SRC))
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/librlx.so: $(call obj,$(RUNTIME_SRC))
	$(CC) $(SAN) -shared -Wl,-soname,librlx.so.0 -o $@ $^ $(RUNTIME_LIBS)
	@ln -sf librlx.so $(BUILD)/librlx.so.0
$(BUILD)/librlxc.a: $(call obj,$(COMPILER_SRC))
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/rlx: $(call obj,$(RLX_SRC)) $(BUILD)/librlx.a
	$(CC) $(SAN) -o $@ $^ $(RUNTIME_LIBS)
$(BUILD)/rlxc: $(call obj,$(RLXC_SRC)) $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(CC) $(SAN) -o $@ $^ $(COMPILER_LIBS) $(RUNTIME_LIBS)

$(BUILD)/vm_tests: $(call obj,$(VM_TESTS) $(SUPPORT_SRC)) $(BUILD)/librlx.a
	$(CC) $(SAN) -o $@ $^ -lcriterion $(RUNTIME_LIBS)
$(BUILD)/compiler_tests: $(call obj,$(COMPILER_TESTS) $(SUPPORT_SRC)) $(BUILD)/librlxc.a $(BUILD)/librlx.a
	$(CC) $(SAN) -o $@ $^ -lcriterion $(COMPILER_LIBS) $(RUNTIME_LIBS)

clean: ## remove the build folder
	rm -rf $(BUILD)
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/' | expand -t 24

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
