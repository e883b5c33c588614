# test is what CI runs. It needs Go and nothing else; tests that need real data
# skip with a message when there is none (see README).
GO ?= go
PKGS = ./...
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
PEER_ENV ?= .venv-peer
DATA ?= $(or $(EHGNN_DATA),../shared/data)

.PHONY: build test short race lint torture bench bench-peer generate

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ehgnn ./cmd/ehgnn

test: build
	$(GO) vet $(PKGS)
	$(GO) test -timeout 20m $(PKGS)

short:
	$(GO) test -short $(PKGS)

race:
	$(GO) test -race -short $(PKGS)

# staticcheck is fetched through the module proxy; without a network the rest of
# lint still decides.
lint:
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet $(PKGS)
	@if $(GO) run $(STATICCHECK) -version >/dev/null 2>&1; then \
		$(GO) run $(STATICCHECK) $(PKGS); \
	else echo "staticcheck cannot be had, skipped"; fi

# Attacks the real program for minutes, or DURATION=1h; exits with 1 and says how to see it
# again when it finds something. TORTURE_FLAGS="-only kill -seed 7" chooses.
DURATION ?= 5m
torture:
	$(GO) run ./internal/torture -duration $(DURATION) $(TORTURE_FLAGS)

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
