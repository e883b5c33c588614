#!/usr/bin/env bash
# Runs the tests of the Python package from the wheel in python/dist with each of the interpreters
# whose versions are named, where they are installed, and once more with the oldest libraries that
# are supported. EHGNN_PYTHONS names folders with interpreters beside those on the PATH.
set -euo pipefail
cd "$(dirname "$0")/../python"
wheel=$(ls dist/*.whl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find_python() {
	for python in $(command -v "python$1" || true) "${EHGNN_PYTHONS:-$HOME/.pyenv/versions}"/*/bin/python"$1"; do
		if "$python" -c "import sys; assert sys.version_info[:2] == tuple(map(int, '$1'.split('.')))" 2>/dev/null; then
			echo "$python"
			return
		fi
	done
}

# try NAME PYTHON REQUIREMENTS runs the tests in an environment of their own.
try() {
	"$2" -m venv "$work/$1"
	"$work/$1/bin/python" -m pip install -q --disable-pip-version-check -r "$3" "$wheel"
	echo "== $1: $("$work/$1/bin/python" -m pip list --format freeze | grep -E '^(numpy|pandas|polars|pyarrow|scikit-learn)=' | tr '\n' ' ')"
	"$work/$1/bin/python" -m pytest ${PYTEST_FLAGS:-}
	rm -rf "${work:?}/$1"
}

oldest=
for version in "$@"; do
	python=$(find_python "$version")
	if [ -z "$python" ]; then
		echo "== python$version is not installed, skipped"
		continue
	fi
	oldest=${oldest:-$python}
	try "python$version" "$python" tests/requirements.txt
done
[ -z "$oldest" ] || try oldest "$oldest" tests/requirements-oldest.txt
