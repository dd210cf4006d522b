# `make` alone lists the targets.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready
SPARK  := .venv-spark

.DEFAULT_GOAL := help
.PHONY: help setup demo serve test spark-test test-slow audit audit-fast lint bench bench-peers coverage papers docs site wheel-test release-check clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(STAMP) ## create .venv with everything for development

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

demo: $(STAMP) ## simulate a clinic, release it, ask it, compare with the truth
	$(BIN)/hush demo

serve: $(STAMP) ## simulate a clinic, release it and open it on a page of this machine
	test -e .serve/clinic.hush || $(BIN)/hush demo --folder .serve
	$(BIN)/hush serve .serve

test: $(STAMP) ## the tests (a few minutes)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow and not audit'

spark-test: $(SPARK)/.ready ## the tests of Spark, classic and Connect, in an environment of their own; needs Java 17
	$(SPARK)/bin/python -m pytest tests/spark
	HUSHTABLE_SPARK=connect $(SPARK)/bin/python -m pytest tests/spark

$(SPARK)/.ready: pyproject.toml
	$(PYTHON) -m venv $(SPARK)
	$(SPARK)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(SPARK)/bin/python -m pip install --quiet --editable '.[spark]' --group spark
	touch $@

test-slow: $(STAMP) ## statistical, crash and scale tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'slow and not audit'

audit: $(STAMP) ## attack our own releases, find planted faults, break files and disks (under 20 minutes)
	rm -f docs/pictures/attack.svg
	$(BIN)/hush demo --attack --picture docs/pictures/attack.svg
	$(BIN)/hush audit --write docs/audit.md
	$(BIN)/python -m pytest -n 2 --dist worksteal -m audit

audit-fast: $(STAMP) ## the part of it that takes a minute
	$(BIN)/hush audit --fast

lint: $(STAMP) ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP) ## the benchmarks, one JSON line a figure; make bench ONLY=name runs one
	$(BIN)/python -m benchmarks $(ONLY)

bench-peers: $(STAMP) ## whole tables: peers in environments of their own, then ours, on the same columns
	for peer in opendp smartnoise dpmm; do $(PYTHON) -m venv .venv-peers/$$peer; done
	-.venv-peers/opendp/bin/python -m pip install --quiet pandas 'opendp[mbi]==0.16.0'
	-.venv-peers/smartnoise/bin/python -m pip install --quiet smartnoise-synth==1.0.8
	-.venv-peers/dpmm/bin/python -m pip install --quiet dpmm==0.1.9
	$(BIN)/python -m benchmarks._peers
	$(BIN)/python -m benchmarks._peers $(foreach t,salary nycflights,smartnoise-mst:$(t) hushtable-whole:$(t))
	$(BIN)/python -m benchmarks whole-table-adult
	$(BIN)/python -m benchmarks._peers opendp-aim:adult8 smartnoise-aim:adult8

coverage: $(STAMP) ## how often intervals hold the truth, for docs/coverage.md (under an hour); make coverage ONLY=mwem
	$(BIN)/python -m benchmarks.coverage_study $(ONLY)

papers: $(STAMP) ## the sources again: their numbers, ours, the verdict (about a quarter of an hour)
	$(BIN)/hush reproduce blum2011
	$(BIN)/hush reproduce dwork2012
	$(BIN)/hush reproduce gupta2011
	$(BIN)/hush reproduce hardt2010
	$(BIN)/hush reproduce hardt2012
	$(BIN)/hush reproduce rothblum2010
	$(BIN)/hush reproduce servedio2012
	$(BIN)/hush reproduce thaler2012
	$(BIN)/hush reproduce poster
	$(BIN)/hush reproduce wang2013

docs: $(STAMP) ## write the generated pages of docs/
	$(BIN)/python tools/command_pages.py
	$(BIN)/python tools/house_map.py

site: $(STAMP) ## the pages as a site, in site/; fails on a link that leads nowhere
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

wheel-test: ## the wheel alone in a fresh environment: demo, README, a release of every workload
	$(PYTHON) tools/try_wheel.py

release-check: $(STAMP) ## what still stands between this tree and a release; leaves wheel and sdist in dist/
	$(BIN)/python tools/release_check.py
	$(MAKE) wheel-test

clean: ## remove what the other targets made
	rm -rf $(VENV) $(SPARK) .serve .venv-peers .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage-study dist site
