"""The notebooks run from beginning to end."""

from __future__ import annotations

import pathlib

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.mark.parametrize("name", sorted(p.name for p in FOLDER.glob("*.ipynb")))
def test_notebook(name: str, tmp_path: pathlib.Path) -> None:
    notebook = nbformat.read(FOLDER / name, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "the notebook is stored without outputs"
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_there_are_notebooks() -> None:
    assert len(list(FOLDER.glob("*.ipynb"))) == 3
