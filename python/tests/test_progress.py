"""The progress bar of a training."""

from __future__ import annotations

import pytest

from ehgnn._progress import bar


def test_bar_without_widgets(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Earlier versions of tqdm cannot show a bar in a notebook without ipywidgets: a text bar replaces it."""
    auto = pytest.importorskip("tqdm.auto")

    def refuse(**_: object) -> None:
        raise ImportError("IProgress not found")

    monkeypatch.setattr(auto, "tqdm", refuse)
    with bar(True, "fit") as tell:
        assert tell is not None
        tell("epoch 3/7  loss 0.5")
    assert "3/7" in capsys.readouterr().err
