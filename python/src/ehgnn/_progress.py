"""The progress bar of a training."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["bar"]

_EPOCH = re.compile(r"^epoch (\d+)/(\d+)\s+(.*)$")
_LEARNER = re.compile(r'msg="([^"]*: validation loss [^"]*)"')


@contextmanager
def bar(verbose: bool | None, title: str) -> Iterator[Callable[[str], None] | None]:
    """Yield a function that handles the program's lines, or None if no progress is shown."""
    if not (_interactive() if verbose is None else verbose):
        yield None
        return
    try:
        import tqdm
        import tqdm.auto
    except ImportError:
        yield lambda line: print(line, file=sys.stderr)
        return
    options = {"desc": title, "unit": "epoch", "dynamic_ncols": True}
    try:
        shown = tqdm.auto.tqdm(**options)
    except ImportError:  # earlier versions of tqdm in a notebook without ipywidgets
        shown = tqdm.tqdm(**options)
    with shown:
        yield lambda line: _tell(shown, line)


def _tell(shown: Any, line: str) -> None:
    epoch, learner = _EPOCH.match(line), _LEARNER.search(line)
    if epoch:
        shown.total = int(epoch.group(2))
        shown.set_postfix_str(epoch.group(3), refresh=False)
        shown.update(int(epoch.group(1)) - shown.n)
    elif learner:
        shown.unit = "learner"
        shown.set_postfix_str(learner.group(1), refresh=False)
        shown.update(1)


def _interactive() -> bool:
    return hasattr(sys, "ps1") or "ipykernel" in sys.modules
