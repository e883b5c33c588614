# test is what CI runs. It needs Go and nothing else; tests that need real data
# skip with a message when there is none (see README).
GO ?= go
PKGS = ./...
# Programs of others that look at the code, at the versions of tools/go.mod.
TOOL = $(GO) tool -modfile=$(CURDIR)/tools/go.mod
# Programs take their version from git. VERSION=0.1.0 names it where there is no repository.
BUILD = -trimpath $(if $(VERSION),-ldflags "-X github.com/ehgnn/ehgnn/internal/version.release=$(VERSION)")
PEER_ENV ?= .venv-peer
CLIENTS_ENV ?= .venv-clients
DATA ?= $(or $(EHGNN_DATA),../shared/data)

# Debian's packages that the chemistry build needs.
CHEM_PACKAGES = librdkit-dev libboost-dev g++
CHEM_TAGS = rdkit,netgo,osusergo
# Whether there is a browser for the tests of the page, by the names that they look for.
HAS_BROWSER = for b in $(EHGNN_BROWSER) chromium chromium-browser google-chrome chrome; do command -v $$b >/dev/null && exit; done; exit 1
# The platforms of releases.
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
SUDO = $(shell test "$$(id -u)" = 0 || echo sudo)

# The module for graphs beyond one machine's memory: built, vetted and tested in one way, since its
# libraries (Apache Beam) take minutes to build; and its packages that do without them.
SCALE_GO = cd scale && CGO_ENABLED=0 GOFLAGS=-trimpath $(GO)
SCALE_OWN = ./store ./visit ./local ./sample ./internal/...

# The program that attacks ehgnn, a module of its own.
TORTURE_GO = cd test/torture && $(GO)

.PHONY: build build-scale test-scale race-scale image results test test-clients licences short race lint golangci torture bench bench-peer generate pictures chem-packages build-chem test-chem chem-leak release browser wheel wheels test-python test-python-versions reproducible release-chem

build:
	CGO_ENABLED=0 $(GO) build $(BUILD) -o bin/ehgnn ./cmd/ehgnn

# ehgnn-scale, for graphs beyond one machine's memory (docs/scale.md): a module of its own, whose
# first build takes minutes, as it has Apache Beam in it.
build-scale:
	$(SCALE_GO) build $(BUILD) -o ../bin/ehgnn-scale ./cmd/ehgnn-scale

test-scale: build-scale
	$(SCALE_GO) vet ./...
	$(SCALE_GO) test -timeout 20m ./...

race-scale:
	cd scale && $(GO) test -race -short -timeout 20m $(SCALE_OWN)

# The binary alone as an image (docs/deploy.md); it needs docker.
image: build
	docker build -t ehgnn -f examples/deploy/Dockerfile .

chem-packages:
	@dpkg -s $(CHEM_PACKAGES) >/dev/null 2>&1 || { $(SUDO) apt-get update && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(CHEM_PACKAGES); }

# The program with molecules: RDKit through cgo (docs/chemistry.md).
build-chem: chem-packages
	CGO_ENABLED=1 $(GO) build $(BUILD) -tags $(CHEM_TAGS) -o bin/ehgnn-chem ./cmd/ehgnn

test-chem: chem-packages
	CGO_ENABLED=1 $(GO) vet -tags $(CHEM_TAGS) ./chem/... ./data/smiles ./internal/generate/...
	CGO_ENABLED=1 $(GO) test -tags $(CHEM_TAGS) $(CHEM_FLAGS) ./chem/... ./data/smiles ./internal/generate/...
	CGO_ENABLED=1 $(GO) test -tags $(CHEM_TAGS) -run Molecules ./cmd/ehgnn/cli
	CGO_ENABLED=1 $(GO) test -tags $(CHEM_TAGS) -run '^TestVersion$$' ./cmd/ehgnn/cli
	CGO_ENABLED=1 $(GO) test -tags $(CHEM_TAGS) -run '^(TestZINCTruth|TestZINCPicturesOfMolecules|TestMARSMolecules|TestOptimiseMolecules)$$' ./internal/experiment

# The page and the report in a headless Chromium, which is installed where there is none.
# EHGNN_SCREENSHOTS=DIR keeps a picture of each screen, EHGNN_UPDATE=1 takes those of docs/ anew.
browser:
	@($(HAS_BROWSER)) || { $(SUDO) apt-get update && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium fonts-dejavu-core; }
	cd webtest && $(GO) vet ./... && EHGNN_REQUIRE_BROWSER=1 $(GO) test -count=1 -timeout 30m ./...

# AddressSanitizer, which keeps freed memory, and LeakSanitizer over the tests; then fuzzing.
chem-leak: chem-packages
	CGO_ENABLED=1 $(GO) test -asan -short -skip TestNoGrowth -tags $(CHEM_TAGS) ./chem/rdkit
	CGO_ENABLED=1 $(GO) test -tags $(CHEM_TAGS) -run '^$$' -fuzz FuzzParse -fuzztime 60s ./chem/rdkit
	CGO_ENABLED=1 $(GO) test -tags $(CHEM_TAGS) -run '^$$' -fuzz FuzzBuild -fuzztime 60s ./chem/rdkit
	CGO_ENABLED=1 $(GO) test -tags $(CHEM_TAGS) -run '^$$' -fuzz FuzzBlock -fuzztime 60s ./chem/rdkit

# The Python package (docs/python.md): a wheel for this platform, wheels for all and an sdist in
# python/dist, and its tests, which run in an environment of their own from the wheel. PYTHON names
# another interpreter, PY_REQUIREMENTS other versions of what the tests use.
PYTHON ?= python3
PY_ENV ?= python/.venv
PY_REQUIREMENTS ?= python/tests/requirements.txt
PY = $(abspath $(PY_ENV))/bin/python

$(PY_ENV)/ready: $(PY_REQUIREMENTS)
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { $(SUDO) apt-get update && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-venv; }
	$(PYTHON) -m venv $(PY_ENV)
	$(PY) -m pip install -q --disable-pip-version-check -r $(PY_REQUIREMENTS)
	$(PY) -m pip download -q --disable-pip-version-check --only-binary :all: -d $(PY_ENV)/wheels -c $(PY_REQUIREMENTS) numpy pandas polars
	touch $@

wheel: $(PY_ENV)/ready
	rm -f python/dist/*.whl
	cd python && GO=$(GO) $(PY) -m hatchling build -t wheel

wheels: $(PY_ENV)/ready
	rm -rf python/dist
	cd python && for p in $(PLATFORMS); do GO=$(GO) EHGNN_PLATFORM=$$p $(PY) -m hatchling build -t wheel || exit 1; done
	cd python && GO=$(GO) $(PY) -m hatchling build -t sdist

test-python: wheel
	$(PY) -m pip install -q --disable-pip-version-check --no-deps --force-reinstall python/dist/*.whl
	cd python && $(PY) -m mypy && EHGNN_WHEELS=$(abspath $(PY_ENV))/wheels $(PY) -m pytest $(PYTEST_FLAGS)

# The tests with every interpreter that is installed, the newest versions of what they use, and with
# the oldest ones that are supported; the wheel is built once.
PYTHONS ?= 3.10 3.11 3.12 3.13 3.14
test-python-versions: wheel
	./packaging/pythons.sh $(PYTHONS)

# A release in dist/: the program for all platforms as archives, Debian packages and container images,
# lists of parts, a Homebrew formula, checksums (docs/install.md). nfpm is fetched through the module proxy.
release:
	GO=$(GO) VERSION=$(VERSION) ./packaging/release.sh $(PLATFORMS)

# Builds the program and the wheel twice, in two folders, and compares them bit by bit. FRESH=1
# compiles all of it twice.
reproducible: $(PY_ENV)/ready
	GO=$(GO) PY=$(PY) ./packaging/reproducible.sh

# The chemistry build with its libraries as an archive in dist/.
release-chem: build-chem
	GO=$(GO) ./cmd/launch/release.sh

test: build
	$(GO) vet $(PKGS)
	$(TORTURE_GO) vet ./...
	$(TORTURE_GO) test -count=1 ./...
	$(GO) test -timeout 20m $(PKGS)
	@($(HAS_BROWSER)) || echo "no Chromium here: the tests of the page in a browser are skipped; make browser installs one and runs them"

short:
	$(TORTURE_GO) test -short ./...
	$(GO) test -short $(PKGS)

race:
	$(TORTURE_GO) test -race -short ./...
	$(GO) test -race -short -timeout 20m $(PKGS)

# staticcheck is fetched through the module proxy; without it and without a network the
# rest of lint still decides.
lint:
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet $(PKGS)
	$(TORTURE_GO) vet ./...
	@if $(TOOL) staticcheck -version >/dev/null 2>&1; then \
		$(TOOL) staticcheck $(PKGS) && (cd scale && $(TOOL) staticcheck $(SCALE_OWN)) && (cd test/torture && $(TOOL) staticcheck ./...); \
	else echo "staticcheck cannot be had, skipped"; fi

# The linters of .golangci.yml, as editors show them. The first run builds golangci-lint and
# takes minutes.
golangci:
	$(TOOL) golangci-lint run $(PKGS)

# The table of docs/results.md, from docs/results/data.
results:
	$(GO) test ./internal/experiment -run '^TestResults$$' -update

# The licences of the modules in the program, as the table of docs/dependencies.md.
licences:
	$(GO) test ./internal/arch -count=1 -run '^TestLicences$$' -update

# The pictures of docs/pictures: of explanations and of molecules by the commands that their tests run, of the page in a
# headless Chromium.
pictures: chem-packages
	$(GO) test ./cmd/ehgnn/cli -count=1 -timeout 60m -run '^TestPictures$$' -update
	CGO_ENABLED=1 $(GO) test -tags $(CHEM_TAGS) ./cmd/ehgnn/cli -count=1 -timeout 60m -run '^TestMoleculePictures$$' -update
	cd webtest && EHGNN_UPDATE=1 $(GO) test -count=1 -timeout 60m -run '^TestPictures$$' .

# Attacks the real program for minutes, or DURATION=1h; exits with 1 and says how to see it
# again when it finds something. TORTURE_FLAGS="-only kill -seed 7" chooses.
DURATION ?= 5m
torture:
	$(TORTURE_GO) build -o ../../bin/torture .
	bin/torture -duration $(DURATION) $(TORTURE_FLAGS)

# Programs of others against this one: clients of the Open Inference Protocol, schemathesis, nginx, Caddy,
# and readers of the files that it writes. They are installed into an environment of their own.
# CLIENTS_FLAGS="test_proxy" chooses tests.
test-clients: build
	@{ test -x /usr/sbin/nginx && python3 -c 'import ensurepip'; } 2>/dev/null || { $(SUDO) apt-get update && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nginx-light python3-venv; }
	@command -v caddy >/dev/null || $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends caddy || \
		echo "there is no Caddy: its tests are skipped"
	test -d $(CLIENTS_ENV) || python3 -m venv $(CLIENTS_ENV)
	$(CLIENTS_ENV)/bin/pip install -q -r test/clients/requirements.txt
	cd test/clients && EHGNN=$(CURDIR)/bin/ehgnn $(abspath $(CLIENTS_ENV))/bin/python -m unittest -v $(CLIENTS_FLAGS)

bench:
	$(GO) test -run '^$$' -bench . -benchmem $(PKGS)

# PyTorch and PyTorch Geometric in an environment of their own, then our time,
# theirs, the ratio and the goal, measured in turn: operations, layers, epochs with
# memory, one prediction from cold. PEER_FLAGS="--ops --rounds 5" measures a part.
bench-peer: build
	test -d $(PEER_ENV) || python3 -m venv $(PEER_ENV)
	$(PEER_ENV)/bin/pip install -q -r bench/peer/requirements.txt
	$(PEER_ENV)/bin/python bench/peer/compare.py --ehgnn bin/ehgnn --data $(DATA) $(PEER_FLAGS)

generate:
	$(GO) generate ./internal/kernel
