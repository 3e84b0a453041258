# make run     installs what is missing, migrates the database and serves (DATABASE_URL=..., HOST=..., PORT=...)
# make test    every test: SQLite, PostgreSQL and Chromium included (PYTEST_ARGS="-k desk")
# make check   format, lint, types, contracts, migrations
# make ci      check and test: what CI runs
# make lock    writes requirements/*.txt anew from pyproject.toml (UPGRADE=1 takes the newest versions)
# make format  lays the code out and mends what can be mended by itself
# make mutation  changes app/measures in a thousand small ways and counts what the tests notice: writes docs/mutation.md
# make soak    the long trials
# make peers   our scores against those of ranx and ir_measures, in an environment of their own (700 MB)
# make conventions  writes docs/conventions.md anew
# make benchmark  our speed against theirs

PYTHON ?= python3
PYTEST_ARGS ?=
# Three for two cores: for a third of their time tests wait for a disk, a browser or a process that was killed.
PYTEST_WORKERS ?= 3
# One test at a time to each: long ones stand side by side, and who was given several would run on alone at the end.
PYTEST_SHARED = --numprocesses=$(PYTEST_WORKERS) --maxschedchunk=1

.PHONY: run test check ci lock format coverage mutation soak peers benchmark conventions frontend installed installed-for-tests

run: installed
	@exec .venv/bin/adjudge serve

test: installed-for-tests
	@.venv/bin/python tools/chromium.py
	.venv/bin/pytest $(PYTEST_SHARED) $(PYTEST_ARGS)

check: installed-for-tests
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/pytest --quiet tests/test_requirements.py tests/test_migrations.py

ci: check test

lock:
	@UPGRADE=$(UPGRADE) tools/lock.sh

format: installed-for-tests
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

coverage: installed-for-tests
	@.venv/bin/python tools/chromium.py
	.venv/bin/pytest $(PYTEST_SHARED) --cov --cov-report= $(PYTEST_ARGS)
	.venv/bin/coverage report
	.venv/bin/coverage report --include='app/measures/*,app/agreement/*,app/releases/*' --fail-under=100

mutation: installed-for-tests
	@$(PYTHON) -m venv var/mutation
	@var/mutation/bin/python -m pip install --quiet --require-hashes --requirement requirements/mutation.txt
	@.venv/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
		> "$$(var/mutation/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/tests.pth"
	HYPOTHESIS_PROFILE=few OPENBLAS_NUM_THREADS=1 \
		var/mutation/bin/mutmut run --max-children=$(PYTEST_WORKERS) $(MUTATION_ARGS)
	.venv/bin/python tools/mutation.py

soak: installed-for-tests
	.venv/bin/pytest -m soak --timeout=0 $(PYTEST_ARGS)

peers: installed-for-tests
	@.venv/bin/python tools/peers.py
	.venv/bin/pytest -m peers --timeout=0 $(PYTEST_ARGS)

conventions: installed-for-tests
	.venv/bin/python -m tools.conventions

benchmark: installed-for-tests
	@.venv/bin/python tools/peers.py
	.venv/bin/python benchmarks/scoring.py

# htmx, out of its wheel into static/vendor.
frontend:
	@.venv/bin/python tools/frontend.py

installed:
	@$(PYTHON) tools/install.py run
	@.venv/bin/python tools/frontend.py

installed-for-tests:
	@$(PYTHON) tools/install.py test
	@.venv/bin/python tools/frontend.py
