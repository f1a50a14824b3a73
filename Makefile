# The ways to build, try and check Warpath. `make` alone lists them.
#
# Recipes run one after another even with -j: cargo uses every core by itself, and two of them would only wait for
# each other's lock and mix their output.
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help setup build agent demo test bench lint nightly oracle clean verdicts

CARGO ?= cargo
# A build server must not resolve dependencies anew.
LOCKED := $(if $(CI),--locked)
# Quiet until something is wrong.
MVN ?= mvn -q -B
SCRIPTS := scripts/setup scripts/demo .ci/run

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## install what is missing: compilers, JDK, solvers (quiet when nothing is)
	@scripts/setup

build: agent ## optimised build of the command: target/release/warpath
	$(CARGO) build $(LOCKED) --release --package warpath --package warpath-preload
	cp tracers/jvm/agent/target/warpath-agent.jar target/release/

agent: ## the agent that runs inside a JVM: tracers/jvm/agent/target/warpath-agent.jar
	$(MVN) -f tracers/jvm/agent -DskipTests package

demo: ## bugs of programs predicted, found, reproduced and explained; needs a C compiler, but no solver
	@scripts/setup --demo
	@$(CARGO) build --quiet $(LOCKED) --package warpath
	@scripts/demo

test: setup agent ## all tests of all crates and of the Java half, documentation examples, a short fuzz run
	$(CARGO) build $(LOCKED) --package warpath-preload
	$(CARGO) test $(LOCKED) --workspace
	mvn -B --no-transfer-progress -f tracers/jvm verify -Dwarpath.command=$(CURDIR)/target/debug/warpath

bench: ## measure; the figures go into docs/benchmarks.md by hand
	$(CARGO) bench $(LOCKED) --workspace --bench '*'

lint: setup ## formatting, clippy, documentation, shell scripts: no warnings
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(LOCKED) --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(LOCKED) --workspace --no-deps
	shellcheck $(SCRIPTS)

nightly: lint test demo ## everything, and far more random cases: properties, programs against the oracle, mutated files
	PROPTEST_CASES=4096 WARPATH_NIGHTLY=1 $(CARGO) test $(LOCKED) --workspace --release
	$(MAKE) oracle
	WARPATH_FUZZ_SECONDS=600 $(CARGO) test $(LOCKED) --release --package warpath-trace --test fuzz

verdicts: setup ## every sample's verdict with every solver and with one and two workers
	WARPATH_NIGHTLY=1 $(CARGO) test $(LOCKED) --release --package warpath --test command -- verdicts::

# Each line: how many programs, of which test binary, which of its campaigns. A campaign that was stopped goes on with
# the seed that its last line names: `make oracle ORACLE_SEED=104300`.
ORACLE_SEED ?= 100000
oracle = WARPATH_ORACLE_SEED=$(ORACLE_SEED) WARPATH_ORACLE_PROGRAMS=$(1) $(CARGO) test $(LOCKED) --release \
	--package warpath-analyzer --test $(2) -- --nocapture --exact $(3)
oracle: setup ## the formula and the properties against brute force, on 20,000 random programs and more
	$(call oracle,20000,agreement,the_formula_finds_what_brute_force_finds)
	$(call oracle,5000,agreement,every_step_beyond_a_few_runs_is_right)
	$(call oracle,5000,agreement,every_new_value_beyond_a_few_pinned_runs_is_right)
	$(call oracle,5000,agreement,values_alone_lead_to_all_values)
	$(call oracle,200,agreement,every_solver_and_every_encoding_finds_the_same)
	$(call oracle,3000,properties_oracle,properties_find_what_brute_force_finds)
	$(call oracle,3000,properties_oracle,so_they_do_with_values_alone)
	$(call oracle,3000,properties_oracle,what_is_predicted_from_a_few_runs_is_possible)
	$(call oracle,3000,properties_oracle,what_is_predicted_from_values_alone_is_possible)
	$(call oracle,2000,growing,a_solver_that_keeps_what_it_knows_answers_alike)
	$(call oracle,3000,growing,several_ends_at_once_are_all_reached)
	$(call oracle,3000,windows_oracle,what_windows_find_is_real_and_complete)
	$(call oracle,3000,witness_oracle,what_the_observed_run_shows_is_what_a_solver_finds)

clean: ## remove what was built
	$(CARGO) clean
