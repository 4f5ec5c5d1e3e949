# The two commands of the README are `make run` and `make test`; each does all the set-up it needs.

SWIFT ?= swift

.PHONY: run test strict check bench bench-full torture fuzz setup format clean

run: setup
	@scripts/run-example

# STRICT=1 tests the build that `make check` wants, so that CI does not build everything twice.
test: setup
	$(SWIFT) build --build-tests $(if $(STRICT),$(strict_flags))
	$(SWIFT) test --skip-build $(if $(STRICT),$(strict_flags))

strict_flags = --scratch-path .build/check -Xswiftc -warnings-as-errors -Xcc -Werror -Xcc -Wall -Xcc -Wextra

# The library, the tool and the tests without a warning.
strict: setup
	$(SWIFT) build --build-tests $(strict_flags)

# What CI runs beside the tests: format, warnings, what is linked, a store of a stranger, sanitizers, valgrind, torture in short, documentation.
check: setup
	@scripts/check

# A few minutes; writes Benchmarks/results.json, and from it docs/BENCHMARKS.md and its pictures.
bench: setup
	@scripts/bench

# The same with 15 rounds, larger workloads, instructions and curves: an hour or two.
bench-full: setup
	@scripts/bench --full

# The long campaigns of docs/RELIABILITY.md: two hours on two cores; writes Torture/results.json and the figures there. Linux only.
torture: setup
	@scripts/torture

# SECONDS for each target of Fuzz/.
fuzz: setup
	@Fuzz/run $(or $(SECONDS),60)

setup:
	@scripts/setup

format:
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources \
	  Examples/SQLiteStore/Package.swift Examples/SQLiteStore/Sources Examples/SQLiteStore/Tests \
	  Torture/Package.swift Torture/Sources Fuzz/Mapper/Package.swift Fuzz/Mapper/Sources Examples/FromC/Package.swift Examples/FromC/Sources

clean:
	rm -rf .build Benchmarks/.build Examples/SQLiteStore/.build Examples/FromC/.build Tests/Probe/.build Torture/.build
