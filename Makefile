# One command sets everything up and runs; see README.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Only what is imported is compiled, when it first is: all that the libraries hold takes longer.
PIP := $(shell command -v uv >/dev/null 2>&1 && echo "uv pip install --python $(BIN)/python" || echo "$(BIN)/python -m pip install --no-compile --disable-pip-version-check")
WORKERS ?= auto
# uv trusts whom the system trusts, as pip and strap do.
export UV_SYSTEM_CERTS := true
# What is compiled is kept, tests with their assertions too: containers often forbid it, and then each
# of the hundreds of processes that the tests start compiles again all that it imports.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install demo quick browser clients test deep soak lint sanity bench apps docs release-check clean
help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The pip that comes with Python may take three times as long as the newest to find what fits.
$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("strap needs Python 3.11 or newer; try make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	if command -v uv >/dev/null 2>&1; then uv venv --quiet --seed --python $(PYTHON) $(VENV); \
	else $(PYTHON) -m venv $(VENV) && $(PIP) --quiet --upgrade pip; fi

# Several checkouts may share an environment, as those of `git worktree`: the one that it was made for
# is installed, and none in its place.
SHARED = @owner=$$(cat $@ 2>/dev/null); if [ -d "$$owner" ] && [ "$$owner" != "$(CURDIR)" ]; then \
	echo "$(VENV) is the environment of $$owner: nothing was installed for $(CURDIR)" >&2; else set -ex;

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(SHARED) $(PIP) --quiet -e '.[all]' -c constraints.txt; \
	$(BIN)/strap browser install; \
	echo "$(CURDIR)" >$@; fi

# The libraries for development, without a browser.
$(VENV)/.libraries: pyproject.toml constraints.txt | $(BIN)/python
	$(SHARED) $(PIP) --quiet -e '.[dev]' -c constraints.txt; \
	echo "$(CURDIR)" >$@; fi

# All at once where there is nothing yet: what `.installed` takes is a part of it. The headless shell
# saves tests a fifth of their time, but they do without it, and without Firefox.
$(VENV)/.developing: $(VENV)/.libraries
	$(SHARED) $(BIN)/strap browser install; \
	$(BIN)/strap browser install chromium-headless-shell || :; \
	$(BIN)/strap browser install firefox || :; \
	echo "$(CURDIR)" | tee $(VENV)/.installed >$@; fi

install: $(VENV)/.installed ## Create .venv, install strap into it, make sure of a browser
	@$(BIN)/strap doctor

demo: $(VENV)/.installed ## Set up, then drive the real MCP server through a local site
	@$(BIN)/strap demo

# The tests that need neither browser nor process nor installation: tests/conftest.py marks the others.
quick: $(VENV)/.developing lint ## Run the checks and the tests that need no browser, in under a minute
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not browser and not process and not install and not soak"

T ?= tests/plugins/browser
browser: $(VENV)/.developing ## Run the tests with a real Chromium, or those of T=file-or-folder
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(T)

test: $(VENV)/.developing ## Set up, then run the checks and the whole suite
	@$(MAKE) --no-print-directory -j 3 types layers compiled
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=40 \
	  || { test $$? -eq 1 && echo 'Once more and alone: what failed beside other tests' \
	  && $(BIN)/python -m pytest --last-failed --last-failed-no-failures=none; }

soak: $(VENV)/.developing ## Run the long tests that `make test` leaves out
	$(BIN)/python -m pytest -m soak
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --playwright tests/plugins/browser/pages
	$(BIN)/strap browser install chromium
	STRAP_BROWSER__CHANNEL=chromium $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile tests/plugins/browser tests/plugins/cases
	STRAP_BROWSER__CHANNEL=chromium-headless-shell $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile tests/plugins/browser

clients: $(VENV)/.developing ## Try twelve frameworks for agents with a scripted model
	$(BIN)/python -m pytest -m soak -rs tests/soak/test_frameworks.py

deep: test soak ## Run everything, the long tests too: before an issue is closed

# Types take as long as all the rest: side by side.
lint: $(VENV)/.libraries ## Check style, types, layers and declared dependencies
	@$(MAKE) --no-print-directory -j 2 types layers

.PHONY: types layers compiled
types: $(VENV)/.libraries
	$(BIN)/mypy

layers: $(VENV)/.libraries
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	set -e; for each in strap/imports.toml plugins/*/imports.toml; do $(BIN)/lint-imports --no-cache --config $$each; done
	$(BIN)/deptry strap $(wildcard plugins/*/strap_*)

# Each worker reads all tests, all at the same time: once before, and they find them compiled. What
# cannot be read they tell themselves.
compiled: $(VENV)/.libraries
	-@$(BIN)/python -m pytest --collect-only -qq >/dev/null

sanity: $(VENV)/.installed ## Play the scenarios end to end, with the scripted model
	@$(BIN)/strap sanity --out .cache/sanity

bench: $(VENV)/.developing ## Measure side by side with the peers (installs them under .cache)
	$(BIN)/python -m benchmarks

apps: $(VENV)/.developing ## Run tasks in real applications (installs them under .cache)
	$(BIN)/python -m benchmarks apps --quick --peers playwright

release-check: $(VENV)/.libraries ## Build all that is published, and try it in empty environments
	$(BIN)/python docs/generate.py && git diff --exit-code --stat
	$(BIN)/python deploy/release.py

docs: $(VENV)/.libraries ## Write the generated pages, then the site into build/site
	$(BIN)/python docs/generate.py
	$(BIN)/python -m sphinx -q -W --keep-going -j auto docs build/site

clean: ## Remove what the other targets made
	rm -rf $(VENV) .cache build dist .mypy_cache .pytest_cache .ruff_cache
