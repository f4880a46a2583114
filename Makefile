# `make` builds, `make test` tests, `make demo` shows. Everything lands in .venv/ and build/,
# and what is missing is installed first: with apt (as root or with sudo) and with pip.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PY     := $(BIN)/python
BUILD  := build
JOBS   ?= 2
# Two makes at once wait for each other instead of racing in one build directory.
LOCK   := mkdir -p $(BUILD) && flock $(BUILD)/.lock

.DEFAULT_GOAL := build
.PHONY: build test packages fuzz golden check demo bench asan wheel gpu-bundle sysdeps lint format clean distclean

# --- what the machine must have ----------------------------------------------------------

sysdeps:
	@tools/sysdeps.sh

# The stamp asks again when it's older than the script; finding everything costs milliseconds.
$(BUILD)/.sysdeps: tools/sysdeps.sh
	@tools/sysdeps.sh
	@mkdir -p $(BUILD) && touch $@

# --- build -------------------------------------------------------------------------------

$(VENV)/.stamp: requirements-dev.txt $(BUILD)/.sysdeps
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install -q --disable-pip-version-check -r requirements-dev.txt
	@touch $@

build: $(VENV)/.stamp
	@$(LOCK) tools/build.sh $(BUILD)
	@tools/link.sh $(BUILD) $(PY)

# --- test --------------------------------------------------------------------------------

test: build
	$(PY) tools/layers.py
	$(PY) tools/sizes.py --quiet
	$(PY) tools/golden.py --quiet
	$(PY) -m pytest tests -q -n $(JOBS)

# Random programs of each kind against CPython, for so many seconds each, from a seed on:
# `make fuzz FUZZ_SECONDS=600 FUZZ_START=5000`, or `FUZZ=loops`. What differs is reduced and printed.
FUZZ         ?= all
FUZZ_SECONDS ?= 60
FUZZ_START   ?= 0

fuzz: build
	cd tests && ../$(PY) -m fuzz $(FUZZ) --seconds $(FUZZ_SECONDS) --start $(FUZZ_START) --jobs $(JOBS)

# The tests of packages that import Numba, from the registry that pip is set up for; an hour or more.
# `make packages PACKAGES="numbagg --every 10"`.
# Numba's own tests, of some of its modules: .venv/bin/python tests/packages/numba_tests.py test_lists --causes
packages: build
	$(PY) tests/packages/run.py $(PACKAGES) --table

golden: build
	$(PY) tools/golden.py

check: build
	$(PY) tools/layers.py
	$(PY) tools/sizes.py
	$(BIN)/ruff check .

# Address and undefined-behaviour sanitizers, over the driver's golden tests and over the
# extension. Python itself is not instrumented, so the runtime is preloaded, and leaks are
# left to the tests that count them. LLVM's own archives are not instrumented either.
# The selection is what takes about ten minutes on two cores.
ASAN_TESTS = $(addprefix tests/,test_golden.py test_api.py test_dispatch.py test_errors_args.py \
                 test_messages.py test_names.py test_constants.py test_explain.py test_limits.py test_print.py test_types.py test_leaks.py \
                 test_threads.py) \
             $(addprefix tests/diff/,test_index.py test_assign.py test_create.py test_control.py \
                 test_functions.py test_programs.py test_errors.py test_algorithms.py \
                 test_shape.py test_expr.py test_math.py test_scalar_funcs.py)
ASAN_RT  = $(shell $(CC) -print-file-name=libasan.so) $(shell $(CC) -print-file-name=libstdc++.so.6)
ASAN_ENV = ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:detect_container_overflow=0 \
           UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

asan: $(VENV)/.stamp
	@mkdir -p build-asan && flock build-asan/.lock tools/build.sh build-asan \
	    -Dbuildtype=debug -Doptimization=1 -Db_sanitize=address,undefined
	$(ASAN_ENV) $(PY) tools/golden.py --quiet --swc build-asan/swc
	@tools/link.sh build-asan $(PY) build-asan/python
	$(ASAN_ENV) LD_PRELOAD="$(ASAN_RT)" SWATHE_CACHE_DIR=$(CURDIR)/build-asan/cache \
	    PYTHONMALLOC=malloc SWATHE_ASAN=1 SWATHE_SWC=$(CURDIR)/build-asan/swc SWATHE_MODES=plain \
	    PYTHONPATH=$(CURDIR)/build-asan/python \
	    $(PY) -m pytest $(ASAN_TESTS) -q -p no:cacheprovider -n $(JOBS)

# --- show --------------------------------------------------------------------------------

demo: build
	$(PY) examples/demo.py

bench: build
	@$(PY) -m pip install -q --disable-pip-version-check -r requirements-bench.txt
	$(PY) bench/latency.py
	$(PY) bench/kernels.py
	$(PY) bench/kernels.py --threads 2
	$(PY) bench/forkjoin.py
	$(PY) bench/library.py

# --- ship --------------------------------------------------------------------------------

wheel: $(VENV)/.stamp
	$(PY) -m pip wheel -q --disable-pip-version-check --no-deps -w dist .
	@ls -sh dist/*.whl

# For a machine with an NVIDIA GPU, CPython 3.12, and no network: dist/swathe-gpu.tar.xz.
gpu-bundle: build
	@$(LOCK) $(PY) tools/gpu_bundle.py

lint: $(VENV)/.stamp
	$(BIN)/ruff check .

format: $(VENV)/.stamp
	$(BIN)/ruff format python tests tools bench examples
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp')

clean:
	rm -rf build build-asan dist demo-output
	rm -f python/swathe/*.so python/swathe/*.so.3 python/swathe/units.bin

distclean: clean
	rm -rf $(VENV)
