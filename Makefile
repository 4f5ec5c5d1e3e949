# `make run` and `make test` do all the set-up they need.

SWIFT ?= swift

.PHONY: run install uninstall test test-postgres strict check bench bench-full bench-postgres torture fuzz setup format clean

run: setup
	@scripts/run-example

# An optimised tool with its manual page and completions, into PREFIX=/usr/local, below DESTDIR.
install: setup
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install

uninstall:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install --remove

# All tests, small. STRICT=1 uses the build of `make check`, so that CI builds everything once.
test: setup
	$(SWIFT) build --build-tests `scripts/flags`
	@scripts/test

# The tests of the PostgreSQL store, built with its trait, against a server of their own. Installs PostgreSQL 15 where it is missing.
test-postgres:
	@scripts/test-postgres '$(FILTER)'

# The library, the tool and the tests without a warning.
strict: setup
	$(SWIFT) build --build-tests `STRICT=1 scripts/flags`

# The other checks of CI: format, pages, warnings, whole tests, linkage, examples, sanitizers, valgrind, short campaigns, documentation.
check: setup
	@scripts/check

# A few minutes; writes Benchmarks/results.json, and from it docs/BENCHMARKS.md and its pictures.
bench: setup
	@scripts/bench

# The same with 15 rounds, larger workloads, instructions and curves: an hour or two.
bench-full: setup
	@scripts/bench --full

# The store in PostgreSQL against a server of its own: five minutes. Writes Benchmarks/postgres.json and the same documents.
bench-postgres:
	@scripts/bench --postgres

# The long campaigns: two hours on two cores. Writes Torture/results.json and the figures in docs/RELIABILITY.md. Linux only.
torture: setup
	@scripts/torture

# SECONDS for each target of Fuzz/.
fuzz: setup
	@Fuzz/run $(or $(SECONDS),60)

setup:
	@scripts/setup

format:
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources \
	  Examples/SQLiteStore Torture/Package.swift Torture/Sources Fuzz/Mapper/Package.swift Fuzz/Mapper/Sources Examples/FromC/Package.swift Examples/FromC/Sources

clean:
	rm -rf .build Benchmarks/.build Examples/FromC/.build Tests/Probe/.build Torture/.build
