#!/usr/bin/env bash
# Packs bin/ehgnn-chem with every shared library that it maps, the loader and the licences of
# their packages: a folder and an archive in dist/.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(bin/ehgnn-chem version --json | sed -n 's/.*"version": "\(.*\)".*/\1/p')
platform=$(${GO:-go} env GOOS)-$(${GO:-go} env GOARCH)
chem=ehgnn-chem-$version-$platform
rm -rf "dist/$chem"
mkdir -p "dist/$chem/lib" "dist/$chem/licenses"

cp LICENSE README.md docs/chemistry.md "dist/$chem"
CGO_ENABLED=0 ${GO:-go} build -trimpath -ldflags '-s -w' -o "dist/$chem/ehgnn" ./cmd/launch
cp bin/ehgnn-chem "dist/$chem/lib/ehgnn"
# ldd prints "name => path (address)", and the loader as a path alone.
ldd bin/ehgnn-chem | awk '$2 == "=>" {print $3} $1 ~ /^\// {print $1}' | while read -r library; do
	case $library in
	*/ld-linux*) cp -L "$library" "dist/$chem/lib/ld.so" ;;
	*) cp -L "$library" "dist/$chem/lib" ;;
	esac
	# Packages may have been recorded before /lib became /usr/lib.
	file=$(realpath "$library")
	package=$( (dpkg -S "$file" || dpkg -S "${file#/usr}") 2>/dev/null | head -1 | cut -d: -f1)
	cp -n "/usr/share/doc/$package/copyright" "dist/$chem/licenses/$package"
done

tar -C dist -czf "dist/$chem.tar.gz" --owner 0 --group 0 "$chem"
du -sh "dist/$chem" "dist/$chem.tar.gz"
