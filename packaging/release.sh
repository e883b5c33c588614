#!/usr/bin/env bash
# Builds the program for the platforms that are named, as linux/arm64, and packs a release into
# dist/: archives, Debian packages, container images, a list of parts (SBOM) for each, a Homebrew
# formula and the checksums of all. VERSION names the release; without it the build takes the version from git.
# Two runs on one commit make the same files.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
nfpm="$go run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4"
export CGO_ENABLED=0 TZ=UTC
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
flags='-s -w'
[ -n "${VERSION:-}" ] && flags+=" -X github.com/ehgnn/ehgnn/internal/version.release=$VERSION"
version=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null | sed 's/^v//')}
export VERSION=${version:-0}
rm -rf dist
mkdir -p dist

# pack FOLDER makes an archive whose bytes depend on the content of its files alone.
pack() {
	find "dist/$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	if [ "$2" = windows ]; then
		(cd dist && find "$1" -type f | LC_ALL=C sort | zip -q -X "$1.zip" -@)
	else
		tar -C dist --sort=name --owner 0 --group 0 --numeric-owner --mtime "@$SOURCE_DATE_EPOCH" -cf - "$1" | gzip -n >"dist/$1.tar.gz"
	fi
}

# The man page and the completions are the same for all platforms.
CGO_ENABLED=0 $go build -trimpath -ldflags "$flags" -o dist/extras/ehgnn ./cmd/ehgnn
./packaging/extras.sh dist/extras/ehgnn dist/extras
rm dist/extras/ehgnn

for platform in "$@"; do
	os=${platform%/*} arch=${platform#*/}
	name=ehgnn-$VERSION-$os-$arch
	program=dist/$name/ehgnn
	[ "$os" = windows ] && program+=.exe
	echo "$name"
	GOOS=$os GOARCH=$arch $go build -trimpath -ldflags "$flags" -o "$program" ./cmd/ehgnn
	cp -r LICENSE README.md dist/extras/ehgnn.1 dist/extras/completions "dist/$name"
	$go run ./packaging/sbom "$program" "$VERSION" >"dist/$name.cdx.json"
	if [ "$os" = linux ]; then
		ARCH=$arch PROGRAM=$program $nfpm package -f packaging/nfpm.yaml -p deb -t "dist/ehgnn_${VERSION}_$arch.deb"
		$go run ./packaging/image "$program" "$arch" "$VERSION" >"dist/$name.image.tar"
	fi
	pack "$name" "$os"
	rm -r "dist/$name"
done

rm -r dist/extras

sum() { sha256sum "dist/ehgnn-$VERSION-$1.tar.gz" 2>/dev/null | cut -d' ' -f1; }
sed -e "s/@VERSION@/$VERSION/g" -e "s/@DARWIN_ARM64@/$(sum darwin-arm64)/" -e "s/@DARWIN_AMD64@/$(sum darwin-amd64)/" \
	-e "s/@LINUX_ARM64@/$(sum linux-arm64)/" -e "s/@LINUX_AMD64@/$(sum linux-amd64)/" packaging/ehgnn.rb >dist/ehgnn.rb
(cd dist && sha256sum -- * >SHA256SUMS)
ls -l dist
