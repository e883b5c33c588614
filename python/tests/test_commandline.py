"""Estimators and the command line give the same bits."""

from __future__ import annotations

import csv
import os
import pathlib
import shutil
import subprocess
import sys
import venv

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ehgnn

DIST = pathlib.Path(__file__).resolve().parents[1] / "dist"
SETTINGS = {"label": "label", "ignore": "rating", "split": "column", "part": "part", "quality": "fast"}


@pytest.fixture(scope="module")
def commandline(bitcoin: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """Return the probabilities that the program writes for the table."""
    folder = tmp_path_factory.mktemp("commandline")
    flags = [f"--{name}={value}" for name, value in SETTINGS.items()]
    program = ehgnn.find_binary()
    subprocess.run([program, "train", str(bitcoin), *flags, "--quiet", "--out", str(folder / "run")], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "predict", str(folder / "run"), str(bitcoin), "--out", str(folder / "p.csv")], check=True, stdout=subprocess.DEVNULL)
    with open(folder / "p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return np.array([[row["probability_distrust"], row["probability_trust"]] for row in rows], np.float32)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_equal_to_the_bit(library: str, bitcoin: pathlib.Path, commandline: np.ndarray) -> None:
    frame = pd.read_csv(bitcoin / "edges.csv")
    edges = {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame), "pyarrow": lambda: pa.Table.from_pandas(frame)}[library]()
    model = ehgnn.EdgeClassifier(**SETTINGS).fit(edges)
    assert model.classes_.tolist() == ["distrust", "trust"]
    found = model.predict_proba(edges)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.view(np.uint32), commandline.view(np.uint32))


def test_label_apart(bitcoin: pathlib.Path, commandline: np.ndarray) -> None:
    frame = pd.read_csv(bitcoin / "edges.csv")
    edges = frame.drop(columns="label")
    model = ehgnn.EdgeClassifier(**SETTINGS).fit(edges, frame["label"])
    np.testing.assert_array_equal(model.predict_proba(edges), commandline)


def test_empty_environment(bitcoin: pathlib.Path, commandline: np.ndarray, tmp_path: pathlib.Path) -> None:
    """In an empty environment without a network the wheel can be installed and gives the same bits."""
    wheels = os.environ.get("EHGNN_WHEELS", "")
    if not wheels:
        pytest.skip("EHGNN_WHEELS names no folder with wheels of numpy, pandas and polars")
    alone = ["unshare", "--map-root-user", "--net"]  # without a network
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        alone = []
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "EHGNN_BINARY")}
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")

    def run(*args: str) -> str:
        done = subprocess.run([*alone, python, *args], env=env, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    install = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--find-links", wheels, "--find-links", str(DIST)]
    run(*install, "ehgnn")
    packages = run("-m", "pip", "list", "--disable-pip-version-check", "--format", "freeze").split()
    assert {p.partition("==")[0] for p in packages} - {"pip", "setuptools", "wheel"} == {"ehgnn", "numpy"}
    run(*install, "pandas", "polars")
    run("-c", f"""
import ehgnn, numpy, pandas, polars
path = {str(bitcoin / "edges.csv")!r}
for library, edges in {{"pandas": pandas.read_csv(path), "polars": polars.read_csv(path)}}.items():
    numpy.save(library, ehgnn.EdgeClassifier(**{SETTINGS!r}).fit(edges).predict_proba(edges))
""")
    for library in ("pandas", "polars"):
        np.testing.assert_array_equal(np.load(tmp_path / f"{library}.npy").view(np.uint32), commandline.view(np.uint32))


def test_program() -> None:
    version = subprocess.run([ehgnn.find_binary(), "version", "--json"], check=True, capture_output=True, text=True).stdout
    assert f'"{ehgnn.__version__}"' in version
    for command in ([sys.executable, "-m", "ehgnn"], [str(pathlib.Path(sys.executable).parent / "ehgnn")]):
        done = subprocess.run([*command, "version", "--json"], check=True, capture_output=True, text=True)
        assert done.stdout == version
        done = subprocess.run([*command, "nothing"], capture_output=True, text=True)
        assert done.returncode == 2 and "unknown command" in done.stderr


def test_missing_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EHGNN_BINARY", "/nowhere/ehgnn")
    with pytest.raises(FileNotFoundError, match="EHGNN_BINARY"):
        ehgnn.find_binary()
