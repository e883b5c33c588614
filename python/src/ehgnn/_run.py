"""The files of a fitted estimator: a folder with its tables and its run, and the worker that uses it."""

from __future__ import annotations

import ast
import hashlib
import io
import itertools
import json
import os
import pathlib
import re
import shutil
import tarfile
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ehgnn import _ipc
from ehgnn._child import Worker

__all__ = ["Run"]

Array = NDArray[Any]


class Run:
    """A temporary folder with the training data in data/ and the run folder run/.

    The folder is removed when nothing refers to this object any more. A pickle contains all files.
    """

    def __init__(self) -> None:
        self._open(tempfile.mkdtemp(prefix="ehgnn-"))

    def _open(self, folder: str) -> None:
        self.folder = pathlib.Path(folder)
        self.worker = Worker()
        self._numbers = itertools.count()
        self._spare: list[tuple[int, pathlib.Path]] = []  # empty folders for calls, each with the process that made it
        self._settings: dict[str, str] = {}  # settings of the run, which do not change
        self._finalizer = weakref.finalize(self, _remove, folder, self.worker, os.getpid())
        (self.folder / "data").mkdir(exist_ok=True)

    @property
    def path(self) -> pathlib.Path:
        """The run folder of the program."""
        return self.folder / "run"

    @property
    def data(self) -> pathlib.Path:
        """The folder with the training tables."""
        return self.folder / "data"

    def command(self, verb: str, *args: str, on_line: Callable[[str], None] | None = None) -> str:
        """Run a command of the program."""
        return self.worker.run([verb, *args], on_line)

    def items(self, folder: pathlib.Path, verb: str, *args: str) -> dict[str, Array]:
        """Return predictions or vectors, without the columns of the data. The program writes them into a folder."""
        self._write(folder, verb, *args, *(["--keep-columns=false"] if verb == "predict" else []))
        return _ipc.read(str(folder / "out.arrow"), without=("source", "target", "part"))

    def table(self, verb: str, *args: str) -> dict[str, Array]:
        """Run a command that writes a table and return its columns."""
        with self.scratch() as folder:
            self._write(folder, verb, *args)
            return _ipc.read(str(folder / "out.arrow"))

    def _write(self, folder: pathlib.Path, verb: str, *args: str) -> None:
        lines: list[str] = []
        self.command(verb, str(self.path), *args, "--out", str(folder / "out.arrow"), "--log-level", "warn", on_line=lines.append)
        for line in lines:
            _warn(line)

    @contextmanager
    def scratch(self) -> Iterator[pathlib.Path]:
        """Yield an empty folder for the files of one call. Folders are reused."""
        owner, folder = self._spare.pop() if self._spare else (0, self.folder)
        if owner != os.getpid():  # there is none, or another process made it before a fork
            folder = self.folder / f"call-{os.getpid()}-{next(self._numbers)}"
            folder.mkdir()
        try:
            yield folder
        finally:
            if _empty(folder):
                self._spare.append((os.getpid(), folder))

    def result(self) -> dict[str, Any]:
        """Return the result of the training: scores, epochs, compared learners."""
        text = (self.path / "environment.json").read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)["result"]
        return found

    def schema(self) -> dict[str, Any]:
        """Return the schema of the run's inputs and predictions."""
        found: dict[str, Any] = json.loads((self.path / "schema.json").read_text(encoding="utf-8"))
        return found

    def setting(self, name: str) -> str:
        """Return a setting of tables from config.yaml, empty if it is missing."""
        if name in self._settings:
            return self._settings[name]
        self._settings[name] = found = self._setting(name)
        return found

    def _setting(self, name: str) -> str:
        text = (self.path / "config.yaml").read_text(encoding="utf-8")
        found = re.search(rf"^    {name}: (.*)$", text, re.MULTILINE)
        if found is None:
            return ""
        value = found.group(1)
        if value.startswith('"'):
            return str(json.loads(value))
        return value[1:-1].replace("''", "'") if value.startswith("'") else value

    def __getstate__(self) -> dict[str, Any]:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
            for name in ("data", "run"):
                if (self.folder / name).exists():
                    archive.add(self.folder / name, arcname=name)
        return {"files": packed.getvalue()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._open(tempfile.mkdtemp(prefix="ehgnn-"))
        with tarfile.open(fileobj=io.BytesIO(state["files"]), mode="r:gz") as archive:
            if hasattr(tarfile, "data_filter"):
                archive.extractall(self.folder, filter="data")
            else:
                archive.extractall(self.folder)


def _warn(line: str) -> None:
    """Pass on a warning of the program, such as one about a category that training has not seen."""
    found = re.search(r'level=WARN msg=("(?:[^"\\]|\\.)*")', line)
    if found is not None:
        warnings.warn(str(ast.literal_eval(found.group(1))), stacklevel=2)


def digest(path: str | os.PathLike[str]) -> str:
    """Return the checksum of a file."""
    found = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def _empty(folder: pathlib.Path) -> bool:
    """Remove the files of a folder, or the whole folder if that fails, and report whether it can be used again."""
    try:
        for name in os.listdir(folder):
            os.unlink(folder / name)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        return False
    return True


def _remove(folder: str, worker: Worker, owner: int) -> None:
    if os.getpid() == owner:  # a forked process does not remove the folder of its parent
        worker.close()
        shutil.rmtree(folder, ignore_errors=True)


def scores_of(result: dict[str, Any], part: str) -> dict[str, float]:
    """Return the scores of a part by name, NaN if the program has none."""
    return {name: float("nan") if value is None else float(value) for name, value in (result.get(part) or {}).items()}


def threshold_args(threshold: float | str | None) -> list[str]:
    """Return the program's arguments for a threshold."""
    return [] if threshold is None else [f"--threshold={threshold}"]


def as_float(values: Array) -> Array:
    """Return numbers as numpy's float64."""
    return np.asarray(values, np.float64)
