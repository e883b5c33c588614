#!/usr/bin/env bash
# Builds the program and the wheel in two folders and compares them bit by bit. FRESH=1 compiles
# everything twice, which takes minutes; otherwise the second build uses what the first compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for copy in first second/other; do
	mkdir -p "$work/$copy"
	git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - -- | tar -C "$work/$copy" -xf -
	if [ "${FRESH:-}" = 1 ]; then
		export GOCACHE=$work/cache-${copy%%/*}
	fi
	(cd "$work/$copy" && CGO_ENABLED=0 "${GO:-go}" build -trimpath -buildvcs=false -ldflags '-s -w' -o ehgnn ./cmd/ehgnn)
	(cd "$work/$copy/python" && "$PY" -m hatchling build -t wheel >/dev/null)
done
cd "$work"
cmp first/ehgnn second/other/ehgnn
cmp first/python/dist/*.whl second/other/python/dist/*.whl
sha256sum first/ehgnn first/python/dist/*.whl
echo "two builds of the program and of the wheel have the same bits"
