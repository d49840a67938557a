# Everything that is done with this project, from a bare machine on: Python 3.11 or later and make are all it takes.

.POSIX:
.PHONY: help run test quick bench lint format lock clean venv

VENV = .venv
BIN = $(VENV)/bin
# What a make on the command line or the environment may set: PYTHON, PORT, LOCAL_DIR, DEMO, DATABASE_URL, BROKER_URL.
PYTHON =
PYTEST_ARGS =
WORKERS = 2

help:
	@echo 'make run     the whole service on this machine, with a demo match; Ctrl-C stops it'
	@echo '             PORT=8000 LOCAL_DIR=.local DEMO=1, or DATABASE_URL and BROKER_URL of servers of your own'
	@echo '             PYTHON=/path/to/python3.12 takes that interpreter when .venv is made, at the first start'
	@echo 'make test    lint and every test'
	@echo 'make quick   the tests that take less than a minute together'
	@echo 'make bench   the budgets, each beside what was measured'
	@echo 'make lint    style, types, the direction of imports, missing migrations'
	@echo 'make format  put the style right'
	@echo 'make lock    work out constraints.txt anew from pyproject.toml; UPGRADE=--upgrade takes newer versions'
	@echo 'make clean   remove what make made; the data in LOCAL_DIR stays'

run: $(VENV)/.for-running
	$(BIN)/python manage.py up

test: lint
	HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-ci} $(BIN)/pytest -n $(WORKERS) $(PYTEST_ARGS)

quick: $(VENV)/.for-testing
	HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-quick} $(BIN)/pytest -n $(WORKERS) -m 'not slow' $(PYTEST_ARGS)

bench: $(VENV)/.for-testing
	@status=0; \
	for file in tests/bench/[!_]*.py; do \
		module=tests.bench.$$(basename $$file .py); \
		echo "== $$module"; \
		$(BIN)/python -m $$module || status=1; \
	done; \
	exit $$status

lint: $(VENV)/.for-testing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

format: $(VENV)/.for-testing
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

lock: $(VENV)/.for-testing
	$(COMPILE) $(UPGRADE) pyproject.toml -o constraints.txt
	$(COMPILE) $(UPGRADE) pyproject.toml --extra dev -c constraints.txt -o constraints-dev.txt

clean:
	rm -rf $(VENV) staticfiles .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find tarneeb_service matches replays tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps say for which files the environment was made: nothing is installed anew until they change.

$(VENV)/.for-running: constraints.txt
	@PYTHON='$(PYTHON)' sh tarneeb_service/local/make_venv.sh $(VENV) constraints.txt
	@touch $@

$(VENV)/.for-testing: constraints.txt constraints-dev.txt
	@PYTHON='$(PYTHON)' sh tarneeb_service/local/make_venv.sh $(VENV) constraints-dev.txt
	@touch $(VENV)/.for-running $@
