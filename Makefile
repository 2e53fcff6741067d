# pg_sdc: `make help` lists the targets.
# PG is the PostgreSQL version of the private installation that demo and test use; it needs no
# rights and touches no other cluster. PG_CONFIG names the PostgreSQL to build for and install into.
include pgrx-config/versions
PG ?= $(PG_DEFAULT)
export PG
PG_CONFIG ?= pg_config
DESTDIR ?=

SOURCES := Cargo.toml Cargo.lock pg_sdc.control $(addprefix pgrx-config/,package env versions) $(shell find src sql crates -type f 2>/dev/null)
PG_CONFIG_MAJOR := $(shell $(PG_CONFIG) --version 2>/dev/null | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
PACKAGE := target/package-pg$(PG_CONFIG_MAJOR)
VERSION := $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml | head -n 1)

.PHONY: all help install uninstall installcheck deb check-deb pgxn demo demo-stop test audit soak fuzz accept bench fmt clean

all: $(PACKAGE)/built ## build for the PostgreSQL of PG_CONFIG

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' $(MAKEFILE_LIST) | while read -r target text; do printf '  make %-13s %s\n' "$$target" "$$text"; done

$(PACKAGE)/built: $(SOURCES)
	@pgrx-config/package '$(PG_CONFIG)' $(PACKAGE)
	@touch $@

# Only copies what `make` has built, so that `sudo make install` compiles nothing.
install: ## install what `make` has built (with sudo where that needs it)
	@$(MAKE) --no-print-directory --question $(PACKAGE)/built || \
	    { echo '$(PACKAGE) is missing or older than the sources: run make first, with the same PG_CONFIG' >&2; exit 1; }
	install -d '$(DESTDIR)$(shell $(PG_CONFIG) --pkglibdir)' '$(DESTDIR)$(shell $(PG_CONFIG) --sharedir)/extension'
	install -m 755 $(PACKAGE)/files/*.so '$(DESTDIR)$(shell $(PG_CONFIG) --pkglibdir)'
	install -m 644 $(PACKAGE)/files/*.control $(PACKAGE)/files/*.sql '$(DESTDIR)$(shell $(PG_CONFIG) --sharedir)/extension'

uninstall: ## remove it again
	rm -f '$(DESTDIR)$(shell $(PG_CONFIG) --pkglibdir)'/pg_sdc.so
	rm -f '$(DESTDIR)$(shell $(PG_CONFIG) --sharedir)'/extension/pg_sdc.control '$(DESTDIR)$(shell $(PG_CONFIG) --sharedir)'/extension/pg_sdc--*.sql

installcheck: ## SQL tests against a running server (PGHOST, PGPORT, PGUSER)
	tests/run-sql '$(PG_CONFIG)'

deb: $(PACKAGE)/built ## a Debian package for the PostgreSQL of PG_CONFIG, in target/
	@packaging/deb '$(PG_CONFIG)' $(PACKAGE)

check-deb: ## install the package into a fresh Debian, use it, remove it (root; needs debootstrap)
	@packaging/check-deb

pgxn: ## an archive for PGXN, in target/
	@mkdir -p target
	git archive --format=zip --prefix=pg_sdc-$(VERSION)/ --output=target/pg_sdc-$(VERSION).zip HEAD
	@packaging/check-meta target/pg_sdc-$(VERSION).zip

demo: ## install what is missing, build, and tour the extension in a private cluster
	@pgrx-config/setup
	@demo/run

demo-stop: ## stop the demo's cluster
	@pgrx-config/cluster stop demo
	@echo 'the demo cluster is stopped; make demo starts it again'

test: ## everything: format, lints, engine, SQL, documentation, attacks, faults, upgrade
	@pgrx-config/setup tests
	@tests/run

audit: ## licences and known weaknesses of dependencies, by cargo-deny (which is built if it is missing)
	@cargo deny --version >/dev/null 2>&1 || pgrx-config/env cargo install --locked --root target/tools cargo-deny
	@tests/audit

soak: ## minutes of faults in the middle of publishing, and of load by 20 sessions
	@pgrx-config/setup
	@pgrx-config/install
	@tests/faults 20
	@tests/load 300

fuzz: ## minutes of random tables and random calls
	@pgrx-config/setup
	@pgrx-config/install
	@tests/fuzz

accept: ## take the present output of SQL tests and documentation as expected
	@pgrx-config/setup tests
	@tests/run --accept

bench: ## measure speed and information loss
	@pgrx-config/setup
	@benches/run

fmt: ## format the sources
	cargo fmt --all

clean: ## stop the private clusters and remove everything built
	pgrx-config/clean
