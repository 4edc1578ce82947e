# Every target makes .venv with what it needs; nothing else on the machine is touched.
#   make PYTHON=python3.12 test     to choose the interpreter .venv is made from (3.11 or newer)

PYTHON ?= $(shell sh scripts/choose_python.sh)
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --disable-pip-version-check --progress-bar on
TORCH := torch==2.13.0
export OMP_NUM_THREADS := 1
# The native core is built by a step of its own ("native"), which says how far it is: pip would hide that.
ALONE := TTL_BUILD_NATIVE=0

# The extension of VS Code. What its build and its light tests need comes from npm, by the lock file.
EXTENSION := editors/vscode

.PHONY: demo demo-model test test-all test-quick headers ttnn report-page vscode vscode-packages test-vscode check bench growth fuzz wheel-test wheels release-check docs docs-serve pictures native stubs clean distclean

demo: native report-page $(VENV)/.torch
	@echo "== flash attention on a simulated 8x8 grid"
	$(RUN) -m ttl run examples/flash_attention.py

# Three models of TT-MLIR: compiled, run on a simulated chip, every operation beside the float64 reference, and profiled. One
# of the operations of the third is a kernel of TT-Lang, in examples/models/gated.py, which the model may import; the emulated
# chip runs it, too, with its cycles. Then ten models of PyTorch, compiled, run, and compared with it.
MODELS := mlp transformer_layer three_operations
MODEL_FOLDER := build/demo-model
three_operations_ALLOWS := --allow-tt-lang gated
three_operations_PIPELINE := =allow-tt-lang=gated

demo-model: native $(VENV)/.torch
	@mkdir -p $(MODEL_FOLDER)
	@set -e; export PYTHONPATH="$(abspath examples/models)$${PYTHONPATH:+:$$PYTHONPATH}"; $(foreach model,$(MODELS), \
	  echo "== $(model): compiled"; \
	  $(RUN) -m ttmlir.opt --ttir-to-ttnn-backend-pipeline$($(model)_PIPELINE) --mlir-print-debuginfo examples/models/$(model).mlir -o $(MODEL_FOLDER)/$(model).ttnn.mlir; \
	  $(RUN) -m ttmlir.translate --ttnn-to-flatbuffer $(MODEL_FOLDER)/$(model).ttnn.mlir -o $(MODEL_FOLDER)/$(model).ttnn; \
	  echo "== $(model): run on a simulated chip, beside the reference"; \
	  (cd $(MODEL_FOLDER) && $(abspath $(RUN)) -m ttrt run --golden $($(model)_ALLOWS) $(model).ttnn); \
	  $(if $($(model)_ALLOWS),echo "== $(model): its kernel on the emulated chip"; \
	  (cd $(MODEL_FOLDER) && $(abspath $(RUN)) -m ttrt run --golden $($(model)_ALLOWS) --tt-lang emu $(model).ttnn);) \
	  echo "== $(model): where the cycles go, an estimate"; \
	  (cd $(MODEL_FOLDER) && $(abspath $(RUN)) -m ttrt perf $($(model)_ALLOWS) $(model).ttnn);)
	@echo "== ten models of PyTorch, at the size of a layer"
	$(RUN) examples/models/run_ten_models.py

test: $(VENV)/.torch $(VENV)/.dev native stubs report-page headers ttnn vscode-packages
	$(RUN) -m pytest -n 2 --dist worksteal

# What the tests do by the thousand, by the hundred thousand: random Python in kernels, judged by CPython, all of it on the emulated
# chip. Some hours; PROGRAMS=5000 judges fewer.
PROGRAMS ?= 100000
test-all: $(VENV)/.torch $(VENV)/.dev native
	$(RUN) -m pytest -n 2 -rP tests/python_semantics --programs $(PROGRAMS)
	$(RUN) -m pytest -n 2 -m "long or one_of" --long

# The tests of the language, its rules and front end, of the project but for what is built, and of the reviewed kernels: 70 seconds.
QUICK := diag dialects frontend host language rows project protocol rules codegen/test_golden.py
NOT_QUICK := $(addprefix --ignore=tests/,$(addprefix project/test_,adding.py benchmarks.py native_build.py report_page.py session.py vscode.py) frontend/test_fuzz.py)

test-quick: $(VENV)/.torch $(VENV)/.dev native report-page
	$(RUN) -m pytest -n 2 --dist worksteal $(addprefix tests/,$(QUICK)) $(NOT_QUICK)

# What generated kernels are compared with: the headers in the wheels of ttnn, kept in the user's cache folder.
# Where they cannot be downloaded, the tests that need them fail and say so.
headers: $(VENV)/.base
	@$(RUN) scripts/setup_headers.py --optional

# The real ttnn that descriptors are given to, where there is a CPython 3.12 for it; kept beside the headers.
ttnn: $(VENV)/.base
	@$(RUN) scripts/setup_ttnn.py

# The extension, packed: build/ttlang-VERSION.vsix. Needs Node.js 20 or newer with npm.
vscode: $(EXTENSION)/node_modules/.ready $(EXTENSION)/packing/node_modules/.ready
	@mkdir -p build
	@cp LICENSE $(EXTENSION)/LICENSE
	cd $(EXTENSION) && npm run --silent types && npm run --silent build && npm run --silent package
	@echo "code --install-extension $$(ls build/ttlang-*.vsix)"

# For 'make test': where there is no npm, or no network for it, the tests of the extension are skipped and say so.
vscode-packages:
	@$(MAKE) --no-print-directory $(EXTENSION)/node_modules/.ready || echo "== no packages for $(EXTENSION): its tests are skipped"

# 40 MB for building and testing it; 140 more for packing.
$(EXTENSION)/node_modules/.ready: $(EXTENSION)/package-lock.json
$(EXTENSION)/packing/node_modules/.ready: $(EXTENSION)/packing/package-lock.json
$(EXTENSION)/node_modules/.ready $(EXTENSION)/packing/node_modules/.ready:
	@command -v npm > /dev/null || { echo "npm is needed, from Node.js 20 or newer"; exit 1; }
	@echo "== installing the npm packages of $(dir $<)"
	@cd $(dir $<) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# The packed extension in a whole VS Code, in headless Chromium: editors/vscode/browser. 330 MB of packages, once.
test-vscode: vscode $(VENV)/.torch $(VENV)/.dev native
	$(EXTENSION)/browser/setup
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable ".[lsp]"
	cd $(EXTENSION)/browser && PYTHON="$(abspath $(RUN))" node --test editor.test.mjs

check: $(VENV)/.torch $(VENV)/.dev native stubs report-page
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy --strict
	$(RUN) -m ttl.rows.generate --check
	$(RUN) scripts/update_native_tables.py --check
	$(RUN) scripts/update_reference.py --check
	$(RUN) scripts/update_python_reference.py --check
	$(RUN) scripts/update_report_reference.py --check
	$(RUN) scripts/update_llms.py --check
	$(RUN) scripts/update_pages.py --check
	$(RUN) scripts/update_drawings.py --check
	$(RUN) scripts/update_dialect.py --check
	$(RUN) scripts/update_ttmlir_reference.py --check
	$(RUN) scripts/update_code_quality.py --check
	$(RUN) scripts/one_truth.py --check
	$(if $(wildcard web/report/node_modules/.ready),cd web/report && npm run --silent types,@echo "== no npm packages: the types of web/report are not checked")

bench: $(VENV)/.torch $(VENV)/.dev native
	$(RUN) benchmarks/run.py
	$(RUN) benchmarks/products.py
	$(RUN) benchmarks/emulator.py
	$(RUN) benchmarks/tile_programs/run.py
	$(RUN) benchmarks/scale.py
	$(RUN) benchmarks/ttmlir_compile.py
	$(RUN) benchmarks/ttmlir_runtime.py
	$(RUN) benchmarks/ttmlir_serialise.py
	$(RUN) benchmarks/jax_layer.py

growth: $(VENV)/.torch $(VENV)/.dev native
	$(RUN) benchmarks/growth.py
	$(RUN) benchmarks/growth_tools.py
	$(RUN) benchmarks/growth_python.py
	$(RUN) benchmarks/growth_chips.py

fuzz: $(VENV)/.torch $(VENV)/.dev native
	$(RUN) scripts/fuzz.py --cases 10000 --minimise
	$(RUN) scripts/fuzz_ir.py --cases 10000

wheel-test: $(VENV)/.dev
	$(RUN) scripts/wheel_test.py --torch "$(TORCH)"

wheels: $(VENV)/.base
	$(RUN) scripts/build_wheels.py

# What has to hold before a release; CONTRIBUTING.md says what else a release takes.
release-check: $(VENV)/.dev report-page
	NO_MKDOCS_2_WARNING=1 $(RUN) scripts/release_check.py

# With pictures of the report page, tt-explorer and VS Code as they are now, where there is a browser for them.
docs: $(VENV)/.dev report-page
	$(RUN) scripts/update_pictures.py
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict
	@echo "open site/index.html; 'make docs-serve' serves it while you write"

# The pictures that the README shows, taken again: in docs/assets.
pictures: $(VENV)/.dev native report-page
	$(RUN) scripts/update_drawings.py
	$(RUN) scripts/update_pictures.py --keep

docs-serve: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs serve --dev-addr 127.0.0.1:8000 --watch src/ttl/diag/codes

# Builds what changed of the native core; where there is no C++ compiler everything works without it.
native: $(VENV)/.base
	@$(RUN) native/build.py --optional

# What editors and type checkers know of functions and operations that are made from tables.
stubs: $(VENV)/.base
	@$(RUN) scripts/update_stubs.py

# The page of --report, from web/report, when its sources changed; where there is no npm everything else works without it.
report-page: $(VENV)/.base
	@$(RUN) web/report/build.py --optional

clean:
	rm -rf build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests examples scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV) src/ttl/*.so src/ttl/report/page web/report/node_modules $(EXTENSION)/node_modules $(EXTENSION)/*/node_modules $(EXTENSION)/dist $(EXTENSION)/build

# What is installed already, as stamp files: made anew when pyproject.toml changes.
$(VENV)/.base: pyproject.toml models/pyproject.toml
	@test -x $(RUN) || { python="$(PYTHON)"; \
	  test -n "$$python" || { echo "Python 3.11 or newer is needed; name it with make PYTHON=..."; exit 1; }; \
	  echo "== making $(VENV) with $$python"; $$python -m venv $(VENV); }
	@echo "== installing ttlang into $(VENV): NumPy, greenlet and xDSL, 30 MB"
	@$(ALONE) $(PIP) --editable . --editable ./models
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	@echo "== installing what tests and documentation need, 120 MB"
	@$(ALONE) $(PIP) --editable ".[dev]"
	@touch $@

$(VENV)/.torch: $(VENV)/.base
	@echo "== installing $(TORCH), which results are compared with: 200 MB and more, the longest part"
	@$(PIP) "$(TORCH)"
	@touch $@
