# sandhook: `make demo` shows it, `make test` checks it. Both need Python 3.11 or newer, and make.
#
#   make demo        set up .venv, guard a Claude Code settings file and refuse an attack
#   make test        set up .venv, then lint, type-check and run the fast suite
#   make lint        ruff, the prose check, vulture, and mypy for three systems
#   make test-slow   the long fuzzers and the memory tests
#   make test-bridges  the agent frameworks with hooks and bash, the newest of each, in VENV-bridges
#   make test-oldest  the same with the oldest of each that its extra allows, in environments of their own
#   make test-windows  the suite on Windows' Python under Wine, in WINLAB=DIR (Debian, as root; see tools/winlab.sh)
#   make fuzz        random inputs for every reader of foreign bytes, FUZZ_RUNS for each of FUZZ_TARGETS
#   make bench       measure all bars side by side with bash and peers, write docs/performance.md; BENCH_ARGS="--scale 0.01".
#                    With the parser compiled, as in the wheels of a release, which needs a C compiler; COMPILE=0 without
#   make agents      run the newest real agents on the recorded cases and print what changed; AGENTS="codex" EVERY=10
#   make studio      build the page of `sandhook studio` from studio/ (needs node and npm)
#   make docs        write the generated pages of docs/reference, and build the site in build/site
#   make dist        build a release, try it in new environments, write its bill of materials; DIST_ARGS="--quick"
#   make pictures    draw the pictures and the terminal of the documentation (needs Graphviz)
#   make matrix      the fast suite on every supported Python that is found (or PYTHONS="...")
#   make clean       remove what the targets above made
#
# PYTHON=... chooses the interpreter, VENV=... the virtual environment.

ifndef PYTHON
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo "$$p"; break; fi; done)
endif
VENV ?= .venv
PYTHONS ?= python3.11 python3.12 python3.13 python3.14
PYTEST_ARGS ?=
FUZZ_TARGETS ?=
BENCH_ARGS ?=
COMPILE ?= 1
DIST_ARGS ?=
AGENTS ?= claude_code codex gemini copilot qwen kimi goose grok
EVERY ?= 1

ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif

BRIDGES = $(VENV)-bridges
BENCH = $(VENV)-bench

# Types are looked at as on each of these, wherever it runs.
PLATFORMS = linux darwin win32
TYPES = set -e; jobs=; for p in $(PLATFORMS); do \
	$(BIN)/mypy --no-error-summary --platform $$p --cache-dir .mypy_cache/$$p & jobs="$$jobs $$!"; \
done; for j in $$jobs; do wait $$j; done

# A stamp names the interpreter it was made for: another PYTHON sets up anew. So does an environment without its programs.
INTERPRETER := $(subst :,_,$(subst /,_,$(PYTHON)))
STAMP := $(VENV)/.set-up-for-$(INTERPRETER)
BRIDGES_STAMP := $(VENV)-bridges/.set-up-for-$(INTERPRETER)
BENCH_STAMP := $(VENV)-bench/.set-up-for-$(INTERPRETER)
lost = $(if $(realpath $(addprefix $(1)/$(notdir $(BIN))/,python python.exe)),,anew)
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint test-slow test-bridges test-oldest test-windows fuzz bench agents studio dist docs pictures matrix clean

demo: $(STAMP)
	@$(BIN)/python examples/guard_settings.py

test: $(STAMP)-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/python -m tools.prose
	@$(TYPES)
	@$(BIN)/python tools/dead_code.py
	@$(BIN)/python -m compileall -q -j 0 src
	@$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

lint: $(STAMP)-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tools.prose
	$(TYPES)
	$(BIN)/python tools/dead_code.py

test-slow: $(STAMP)-dev
	$(BIN)/python -m pytest -n auto -m slow $(PYTEST_ARGS)

test-bridges: $(BRIDGES_STAMP)
	$(BRIDGES)/$(notdir $(BIN))/python -m pytest -n auto $(PYTEST_ARGS) tests/bridges

test-oldest: $(STAMP)
	$(BIN)/python -m tools.oldest

test-windows:
	@PYTHON="$(PYTHON)" tools/winlab.sh test -n auto $(PYTEST_ARGS)

fuzz: $(STAMP)-fuzz
	@$(BIN)/python -m fuzz $(FUZZ_TARGETS)

bench: $(BENCH_STAMP)
	@SANDHOOK_COMPILE=$(COMPILE) $(BENCH)/$(notdir $(BIN))/python -m pip --disable-pip-version-check --quiet install ".[bench]"
	$(BENCH)/$(notdir $(BIN))/python -m benchmarks.page $(BENCH_ARGS)

agents: $(STAMP)
	@status=0; for a in $(AGENTS); do $(BIN)/python -m tools.agents.changes $$a --every $(EVERY) --jobs 2 || status=1; done; exit $$status

studio:
	cd studio && npm ci --no-fund --no-audit && npm run build

docs: $(STAMP)-docs
	$(BIN)/python -m docs.generate
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "open build/site/index.html, or with a search: python3 -m http.server -d build/site"

dist: $(STAMP)-dist
	$(BIN)/python -m tools.dist $(DIST_ARGS)

pictures: $(STAMP)
	$(BIN)/python -m tools.pictures
	$(BIN)/python -m tools.recording

matrix:
	@found=; for p in $(PYTHONS); do \
		if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
			found=yes; echo "== $$p"; \
			$(MAKE) --no-print-directory pytest PYTHON="$$p" VENV=".venv-$$(basename "$$p")" || exit 1; \
		else echo "== $$p: not found"; fi; \
	done; test -n "$$found"

.PHONY: pytest
pytest: $(STAMP)-dev
	@$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

clean:
	rm -rf .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist

# -------------------------------------------------------------------- set-up

.PHONY: anew
$(STAMP): pyproject.toml $(call lost,$(VENV))
	@test -n "$(PYTHON)" || { echo "sandhook needs Python 3.11 or newer; name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "setting up $(VENV) with $(PYTHON)"
	@"$(PYTHON)" -m venv --clear "$(VENV)"
	@$(PIP) install -e .
	@touch "$@"

$(STAMP)-dev: $(STAMP)
	@$(PIP) install -e ".[dev]"
	@touch "$@"

$(BRIDGES_STAMP): pyproject.toml $(call lost,$(BRIDGES))
	@echo "setting up $(BRIDGES) with $(PYTHON)"
	@"$(PYTHON)" -m venv --clear "$(BRIDGES)"
	@$(BRIDGES)/$(notdir $(BIN))/python -m pip --disable-pip-version-check --quiet install -e ".[bridges-test]"
	@touch "$@"

$(STAMP)-fuzz: $(STAMP)
	@$(PIP) install -e ".[fuzz]"
	@touch "$@"

$(STAMP)-docs: $(STAMP)-dev
	@$(PIP) install -e ".[docs]"
	@touch "$@"

$(STAMP)-dist: $(STAMP)
	@$(PIP) install -e ".[dist]"
	@touch "$@"

$(BENCH_STAMP): pyproject.toml $(call lost,$(BENCH))
	@echo "setting up $(BENCH) with $(PYTHON)"
	@"$(PYTHON)" -m venv --clear "$(BENCH)"
	@touch "$@"
