# Two commands are all a newcomer needs: `make run` and `make test`.
.PHONY: run test soak check lint lint-python lint-web bench eval dev setup setup-dev lock generate format screenshots
.DEFAULT_GOAL := run

PYTHON ?= python3
PORT ?= 8400
BIN := .venv/bin

run: setup  ## start Tertulia
	$(BIN)/tertulia serve --port $(PORT)

test: lint  ## every test
	$(BIN)/pytest -n 2 --dist loadfile tests

soak: setup-dev  ## what random inputs and kills can find, tried fifty times as often
	SOAK_FACTOR=50 $(BIN)/pytest -n 2 --dist loadfile --timeout 7200 \
		tests/property tests/faults tests/attacks tests/contract

check: lint  ## format, lint, types, ladders, unit tests
	$(BIN)/pytest -q -n 2 tests/unit

lint: setup-dev  ## both languages beside each other, and the tests of the web app
	@$(MAKE) --no-print-directory -j 2 lint-python lint-web

lint-python:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.generate --check

lint-web:
	cd web && npm run --silent lint && npm run --silent types && npm run --silent test

bench: setup-dev  ## performance, as ratios in one run
	$(BIN)/python -m bench

eval: setup-dev  ## how well search finds, on labelled queries: a quarter of an hour, most of it indexing
	$(BIN)/python -m evals

dev: setup-dev  ## serve, and restart when the source changes; the web app is at http://localhost:5173
	trap 'kill 0' EXIT; (cd web && TERTULIA_URL=http://127.0.0.1:$(PORT) npm run --silent dev) & \
	$(BIN)/uvicorn --factory tertulia.server:create_default --no-proxy-headers --reload --reload-dir src --port $(PORT)

generate: setup-dev  ## docs/openapi.json, and the web app's client, from the code
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
