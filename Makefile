# Two commands are all a newcomer needs: `make run` and `make test`.
.PHONY: run test soak check lint lint-python lint-deploy types-python test-unit bench eval dev setup setup-dev lock generate format screenshots
.DEFAULT_GOAL := run

# The tests start hundreds of servers: without cached bytecode each would compile all sources anew.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
PORT ?= 8400
BIN := .venv/bin
# The files in the order of their folders: the quick ones of tests/unit come last and end together.
# By default those with few tests would, and some of these take half a minute.
PYTEST := $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder
# What is about storage, events, jobs or search, or needs PostgreSQL, and runs on it after all else.
POSTGRES_TESTS := $(sort $(filter-out tests/faults/test_sandbox_limits.py,$(wildcard tests/faults/test_*.py)) \
	$(shell grep -lE "open_database|open_world|tests.world|both_engines" tests/property/test_*.py) \
	$(addprefix tests/attacks/,test_canaries.py test_matrix.py test_revoked_streams.py test_search.py) \
	$(wildcard $(addprefix tests/integration/,test_cli_[br]*.py test_clock_*.py test_event_*.py test_files_*.py \
		test_import_*.py test_memories*.py test_planner_tools_*.py test_planning_*.py test_reminders*.py test_l*.py \
		test_retrieval*.py test_ro*.py test_seats.py test_te*.py test_titles.py test_tools_turns.py)) \
	$(shell grep -rlE "mark\.(both_engines|postgres)" tests --include=test_*.py))
LINT := web-types web-test web-lint lint-python lint-deploy
WEB_FILES := web/src web/static web/scripts web/*.* web/.prettier* docs/openapi.json
PYTHON_FILES := src/tertulia tests bench evals scripts pyproject.toml requirements*.lock
# What passed is not run again until something that it reads has changed.
UNLESS_PASSED := $(BIN)/python -m scripts.run_if_changed

run: setup  ## start Tertulia
	$(BIN)/tertulia serve --port $(PORT)

test: lint  ## every test, on SQLite and where it matters on PostgreSQL; all on the server that DATABASE_URL names
ifdef DATABASE_URL
	$(PYTEST) tests
else
	$(PYTEST) -m "not postgres" tests
	TERTULIA_TEST_ENGINE=postgres $(PYTEST) $(POSTGRES_TESTS)
endif

soak: setup-dev  ## what random inputs and kills can find, tried fifty times as often
	SOAK_FACTOR=50 $(PYTEST) --timeout 7200 \
		tests/property tests/faults tests/attacks tests/contract

check: setup-dev  ## format, lint, types, ladders, unit tests
	@$(MAKE) --no-print-directory -j 2 types-python test-unit $(LINT)

lint: setup-dev  ## both languages, and the tests of the web app
	@$(MAKE) --no-print-directory -j 2 types-python $(LINT)

types-python:
	@$(UNLESS_PASSED) $@ $(PYTHON_FILES) -- $(BIN)/basedpyright

test-unit:
	$(BIN)/pytest -q tests/unit

lint-python:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.generate --check

lint-deploy:
	@$(UNLESS_PASSED) $@ deploy scripts/lint_deploy.py requirements-dev.lock -- $(BIN)/python -m scripts.lint_deploy

web-%:
	@$(UNLESS_PASSED) $@ $(WEB_FILES) -- npm --prefix web run --silent $*

bench: setup-dev  ## performance, as ratios in one run
	$(BIN)/python -m bench

eval: setup-dev  ## how well search finds, on labelled queries: a quarter of an hour, most of it indexing
	$(BIN)/python -m evals

dev: setup-dev  ## serve, and restart when the source changes; the web app is at http://localhost:5173
	trap 'kill 0' EXIT; (cd web && TERTULIA_URL=http://127.0.0.1:$(PORT) npm run --silent dev) & \
	$(BIN)/uvicorn --factory tertulia.server:create_default --no-proxy-headers --reload --reload-dir src --port $(PORT)

generate: setup-dev  ## docs/openapi.json, the index of modules, and the web app's client, from the code
	$(BIN)/python -m scripts.generate
	cd web && npm run --silent api

screenshots: setup-dev  ## docs/screenshots/, from a workspace that is made up for them
	$(BIN)/python -m scripts.screenshots

format: setup-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: setup-dev  ## pin the newest versions that pyproject.toml allows
	$(BIN)/python -m scripts.lock

setup:
	@$(PYTHON) scripts/setup.py

setup-dev:
	@$(PYTHON) scripts/setup.py --dev
