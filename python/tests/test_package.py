"""The sdist and the build hook."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[1]
DIST = SOURCE / "dist"

needs_build = pytest.mark.skipif(shutil.which("go") is None or not (SOURCE / "hatch_build.py").exists(), reason="needs Go and the source folder")


def hatchling(*args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("hatchling")
    return subprocess.run([sys.executable, "-m", "hatchling", "build", *args], cwd=SOURCE, env={**os.environ, **(env or {})}, capture_output=True, text=True)


@needs_build
def test_sdist(tmp_path: pathlib.Path) -> None:
    """The sdist has all source files of the program, for every platform, and none of its tests."""
    done = hatchling("-t", "sdist", "-d", str(tmp_path))
    assert done.returncode == 0, done.stderr
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        assert not [m.name for m in archive if not m.isfile()]
        archive.extractall(tmp_path)
    source = next(tmp_path.glob("ehgnn-*/go"))
    assert (source.parent / "LICENSE").read_bytes() == (SOURCE.parent / "LICENSE").read_bytes()
    assert (source.parent / "src/ehgnn/py.typed").exists() and not list(source.rglob("*_test.go"))
    for goos in ("linux", "darwin", "windows"):
        env = dict(os.environ, GOOS=goos, CGO_ENABLED="0", GOFLAGS="-mod=mod", GOWORK="off")
        listed = subprocess.run(["go", "list", "-deps", "-f", "{{if .Error}}{{.Error}}{{end}}", "./cmd/ehgnn"], cwd=source, env=env, capture_output=True, text=True)
        assert listed.returncode == 0 and listed.stdout.strip() == "", listed.stderr + listed.stdout


@needs_build
def test_refuses_a_platform(tmp_path: pathlib.Path) -> None:
    done = hatchling("-t", "wheel", "-d", str(tmp_path), env={"EHGNN_PLATFORM": "plan9/386"})
    assert done.returncode != 0 and "EHGNN_PLATFORM is plan9/386, expected one of linux/amd64" in done.stderr


@pytest.mark.skipif(not list(DIST.glob("*.whl")), reason="there is no wheel in python/dist")
def test_wheels() -> None:
    """Each wheel has one executable program for the platform of its tag, and is below 30 MB."""
    heads = {"manylinux": b"\x7fELF", "macosx": b"\xcf\xfa\xed\xfe", "win": b"MZ"}
    for path in DIST.glob("*.whl"):
        with zipfile.ZipFile(path) as wheel:
            programs = [i for i in wheel.infolist() if i.filename.startswith("ehgnn/bin/")]
            assert [i.filename for i in programs] == ["ehgnn/bin/ehgnn.exe" if "-win_" in path.name else "ehgnn/bin/ehgnn"]
            assert programs[0].external_attr >> 16 & 0o111 == 0o111
            tags = [line for line in wheel.read(next(n for n in wheel.namelist() if n.endswith(".dist-info/WHEEL"))).decode().splitlines() if line.startswith("Tag: ")]
            assert tags and all(line.removeprefix("Tag: py3-none-") in path.name for line in tags)
            with wheel.open(programs[0]) as program:
                assert program.read(4).startswith(next(head for kind, head in heads.items() if kind in path.name))
        assert path.stat().st_size < 30e6
