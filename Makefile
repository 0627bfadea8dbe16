# Thin on purpose: each target's work is a script in scripts/.

PREFIX ?= /usr/local
DESTDIR ?=

.DEFAULT_GOAL := help
.PHONY: help demo test build install format lint clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## Build, and show rekey at work on samples/ (no server)
	@scripts/demo.sh

test: ## Install what the tests need, and run every test against a private PostgreSQL
	@scripts/test.sh

build: ## Install what a build needs, and build .build/release/rekey, Swift's libraries linked in
	@scripts/install-packages.sh build
	@scripts/build-release.sh

install: build ## Build, and install the binary (PREFIX=/usr/local, DESTDIR=)
	@scripts/install.sh "$(DESTDIR)$(PREFIX)"

format: ## Format the Swift sources in place
	swift format format -i -p -r Sources Tests Package.swift

lint: ## Check format, layers, file lengths and scripts
	@scripts/lint.sh
	@scripts/build-tests.sh

clean: ## Remove what was built and what the demo wrote
	rm -rf .build out
