"""Tables that several tests use. The tests run against the installed wheel."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pandas as pd
import pytest

import ehgnn

_ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("EHGNN_DATA") or _ROOT / "../shared/data").resolve()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop if the tests would run against the source folder, which has no program."""
    where = pathlib.Path(ehgnn.__file__).resolve()
    if _ROOT / "python" / "src" in where.parents:
        raise pytest.UsageError(f"ehgnn is imported from {where}, expected from an installed wheel: make test-python")


@pytest.fixture(scope="session")
def bitcoin() -> pathlib.Path:
    """Return the folder of a real table of edges with classes."""
    folder = DATA / "edges" / "bitcoin_alpha"
    if not folder.exists():
        if os.environ.get("EHGNN_REQUIRE_DATA") == "1":
            pytest.fail(f"there is no {folder}; EHGNN_DATA says where the data are")
        pytest.skip(f"there is no {folder}")
    return folder


def payments(rows: int = 400, seed: int = 0) -> pd.DataFrame:
    """Return a small table of edges whose class depends on a column."""
    rng = np.random.default_rng(seed)
    amount = rng.normal(size=rows)
    kind = rng.choice(["card", "cash", "wire"], size=rows)
    return pd.DataFrame({
        "source": rng.integers(40, size=rows),
        "target": rng.integers(40, size=rows),
        "amount": amount,
        "kind": kind,
        "label": np.where(amount + (kind == "wire") > 0.3, "fraud", "fine"),
    })


@pytest.fixture(scope="session")
def table() -> pd.DataFrame:
    return payments()


@pytest.fixture(scope="session")
def fitted(table: pd.DataFrame) -> ehgnn.EdgeClassifier:
    """Return a classifier of the small table. Tests must not fit it again."""
    return ehgnn.EdgeClassifier(quality="fast", seed=7).fit(table)
