# Every target makes .venv with what it needs; nothing else on the machine is touched.
#   make PYTHON=python3.12 test     to choose the interpreter .venv is made from (3.11 or newer)

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --disable-pip-version-check --quiet
TORCH := torch==2.13.0
export OMP_NUM_THREADS := 1

.PHONY: demo test headers ttnn check bench growth fuzz wheel-test docs native clean distclean

demo: $(VENV)/.torch native
	$(RUN) -m ttl run examples/flash_attention.py

test: $(VENV)/.torch $(VENV)/.dev native headers ttnn
	$(RUN) -m pytest -n 2

# What generated kernels are compared with: the headers in the wheels of ttnn, kept in the user's cache folder.
# Where they cannot be downloaded, the tests that need them fail and say so.
headers: $(VENV)/.base
	@$(RUN) scripts/setup_headers.py --optional

# The real ttnn that descriptors are given to, where there is a CPython 3.12 for it; kept beside the headers.
ttnn: $(VENV)/.base
	@$(RUN) scripts/setup_ttnn.py

check: $(VENV)/.torch $(VENV)/.dev native
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy --strict
	$(RUN) -m ttl.ops.generate --check
	$(RUN) scripts/update_native_tables.py --check
	$(RUN) scripts/update_reference.py --check
	$(RUN) scripts/update_pages.py --check
	$(RUN) scripts/update_dialect.py --check
	$(RUN) scripts/update_code_quality.py --check
	$(RUN) scripts/one_truth.py --check

bench: $(VENV)/.torch $(VENV)/.dev native
	$(RUN) benchmarks/run.py
	$(RUN) benchmarks/emulator.py

growth: $(VENV)/.torch $(VENV)/.dev native
	$(RUN) benchmarks/growth.py

fuzz: $(VENV)/.torch $(VENV)/.dev native
	$(RUN) scripts/fuzz.py --cases 10000 --minimise

wheel-test: $(VENV)/.dev
	$(RUN) scripts/wheel_test.py --torch "$(TORCH)"

docs: $(VENV)/.dev
	$(RUN) -m mkdocs build --strict

# Builds what changed of the native core; where there is no C++ compiler everything works without it.
native: $(VENV)/.base
	@$(RUN) native/build.py --optional

clean:
	rm -rf build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests examples scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV) src/ttl/*.so

# What is installed already, as stamp files: made anew when pyproject.toml changes.
$(VENV)/.base: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name it with make PYTHON=..."; exit 1; }
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(PIP) --editable ".[dev]"
	@touch $@

$(VENV)/.torch: $(VENV)/.base
	$(PIP) "$(TORCH)"
	@touch $@
