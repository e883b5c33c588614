"""The examples in the documentation and in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re
from typing import Any

import pytest

import ehgnn

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_page(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(names["model"].classes_) == 2


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(ehgnn.__path__) if m.name != "__main__"])
def test_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"ehgnn.{name}"))
    assert found.failed == 0


def test_keywords_are_documented() -> None:
    for kind in (ehgnn.EdgeClassifier, ehgnn.GraphClassifier):
        text = "\n".join(inspect.cleandoc(base.__doc__ or "") for base in kind.__mro__)
        for keyword in kind().get_params():
            assert re.search(rf"^{keyword} : ", text, re.MULTILINE), keyword
