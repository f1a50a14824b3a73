# The ways to build, try and check Warpath. `make` alone lists them.
#
# Recipes run one after another even with -j: cargo uses every core by itself, and two of them would only wait for
# each other's lock and mix their output.
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help setup build demo test bench lint nightly clean

CARGO ?= cargo
# A build server must not resolve dependencies anew.
LOCKED := $(if $(CI),--locked)
SCRIPTS := scripts/setup scripts/demo .ci/run

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## install what is missing: compilers, JDK, solvers (quiet when nothing is)
	@scripts/setup

build: ## optimised build of the command: target/release/warpath
	$(CARGO) build $(LOCKED) --release --package warpath

demo: setup ## a bug's trace packed, shown, turned into a script and given to three solvers
	@$(CARGO) build --quiet $(LOCKED) --package warpath
	@scripts/demo

test: setup ## all tests of all crates, documentation examples, a short fuzz run
	$(CARGO) test $(LOCKED) --workspace

bench: ## measure; the figures go into docs/benchmarks.md by hand
	$(CARGO) bench $(LOCKED) --workspace --bench '*'

lint: setup ## formatting, clippy, documentation, shell scripts: no warnings
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(LOCKED) --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(LOCKED) --workspace --no-deps
	shellcheck $(SCRIPTS)

nightly: lint test demo ## everything, and far more random cases: properties, programs against the oracle, mutated files
	PROPTEST_CASES=4096 $(CARGO) test $(LOCKED) --workspace --release
	WARPATH_ORACLE_PROGRAMS=20000 WARPATH_ORACLE_SEED=100000 \
		$(CARGO) test $(LOCKED) --release --package warpath-analyzer --test agreement -- --nocapture
	WARPATH_FUZZ_SECONDS=600 $(CARGO) test $(LOCKED) --release --package warpath-trace --test fuzz

clean: ## remove what was built
	$(CARGO) clean
