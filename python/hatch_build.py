"""The build hook: cross-compiles the program into the wheel and copies its source into the sdist."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The wheel's tag for each platform of Go. The program is static, so the Linux wheels run with
# any C library.
TAGS = {
    "linux/amd64": "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "py3-none-macosx_12_0_x86_64",
    "darwin/arm64": "py3-none-macosx_12_0_arm64",
    "windows/amd64": "py3-none-win_amd64",
}
PROGRAM = "./cmd/ehgnn"


class ProgramHook(BuildHookInterface):  # type: ignore[misc,type-arg]
    """Builds the program for EHGNN_PLATFORM, such as linux/arm64, by default for this machine."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = pathlib.Path(self.root)
        source = root / "go" if (root / "go" / "go.mod").exists() else root.parent
        go = shutil.which(os.environ.get("GO", "go"))
        if go is None:
            raise RuntimeError("building ehgnn from source needs Go 1.26 or later: https://go.dev/dl")
        if self.target_name == "sdist":
            build_data["force_include"].update(source_files(go, source))
            return
        if version == "editable":
            build_data["force_include"] = {}
        platform = os.environ.get("EHGNN_PLATFORM") or here(go)
        if platform not in TAGS:
            raise RuntimeError(f"EHGNN_PLATFORM is {platform}, expected one of {', '.join(TAGS)}")
        goos, goarch = platform.split("/")
        name = "ehgnn.exe" if goos == "windows" else "ehgnn"
        folder = pathlib.Path(self.directory if version != "editable" else root / "src" / "ehgnn" / "bin")
        if version != "editable":
            folder = folder / ".program" / platform.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        release = f"-X github.com/ehgnn/ehgnn/internal/version.release={self.metadata.version}"
        env = dict(os.environ, CGO_ENABLED="0", GOOS=goos, GOARCH=goarch, GOFLAGS="")
        subprocess.run(
            [go, "build", "-trimpath", "-buildvcs=false", f"-ldflags=-s -w -buildid= {release}", "-o", str(folder / name), PROGRAM],
            cwd=source, env=env, check=True,
        )
        if version != "editable":
            build_data["force_include"][str(folder / name)] = f"ehgnn/bin/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = TAGS[platform]


def here(go: str) -> str:
    out = subprocess.run([go, "env", "GOOS", "GOARCH"], stdout=subprocess.PIPE, text=True, check=True)
    return "/".join(out.stdout.split())


def source_files(go: str, source: pathlib.Path) -> dict[str, str]:
    """The source files of the program on all platforms, and their paths in the sdist."""
    files: set[str] = {"go.mod", "go.sum", "LICENSE"}
    for platform in TAGS:
        goos, goarch = platform.split("/")
        env = dict(os.environ, CGO_ENABLED="0", GOOS=goos, GOARCH=goarch, GOFLAGS="")
        out = subprocess.run([go, "list", "-deps", "-json=Dir,Module,GoFiles,SFiles,HFiles,EmbedFiles", PROGRAM],
                             cwd=source, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
        decoder, at = json.JSONDecoder(), 0
        while at < len(out):
            package, at = decoder.raw_decode(out, at)
            at += len(out[at:]) - len(out[at:].lstrip())
            if package.get("Module", {}).get("Main"):
                folder = pathlib.Path(package["Dir"]).relative_to(source.resolve())
                for kind in ("GoFiles", "SFiles", "HFiles", "EmbedFiles"):
                    files.update((folder / name).as_posix() for name in package.get(kind, []))
    return {str(source / name): f"go/{name}" for name in sorted(files)}
