"""The common base of all estimators."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ehgnn import _html, _progress
from ehgnn._base import NotFittedError
from ehgnn._frames import NODE_FILES
from ehgnn._run import Run, scores_of
from ehgnn._version import __version__

if TYPE_CHECKING:
    from typing import TypeVar

    Self = TypeVar("Self", bound="Estimator")

__all__ = ["Estimator"]

Array = NDArray[Any]


class Estimator:
    """Training, prediction and the run folder of one estimator."""

    _task: str
    _file = ""  # the training data in data/, if they are one file
    _flags: dict[str, str]
    _run: Run | None

    # Training.

    def _arguments(self, decided: dict[str, Any]) -> list[str]:
        """Return the given settings as flags of the program."""
        out = ["--task", self._task, f"--seed={self.seed}", "--json"]  # type: ignore[attr-defined]
        for name in ("model", "threads", "max_memory"):
            value = getattr(self, name)
            if value is not None:
                out.append(f"--{name.replace('_', '-')}={value}")
        for name, flag in self._flags.items():
            value = decided.get(name, getattr(self, name))
            if value is not None:
                out += _flag(flag, value)
        return out

    def _train(self, run: Run, decided: dict[str, Any], resume: bool) -> None:
        args = ["--out", str(run.path), *self._arguments(decided)]
        if (run.data / NODE_FILES[1]).exists():
            args += [f"--nodes={name}" for name in NODE_FILES]
        if resume:
            args = ["--resume", "--out", str(run.path), "--json"]
        else:
            args.insert(0, str(run.data / self._file))
        with _progress.bar(self.verbose, type(self).__name__) as on_line:  # type: ignore[attr-defined]
            run.command("train", *args, on_line=on_line)
        self.run_ = str(run.path)

    def _begin(self, resume: bool) -> Run:
        """Return the folder of a new training, or of the training to resume."""
        unfinished = getattr(self, "_run", None)
        if resume:
            if unfinished is None or not unfinished.path.exists():
                raise ValueError("resume=True continues a fit of this estimator that was interrupted, and there is none")
            found: Run = unfinished
            return found
        self._run = Run()
        return self._run

    def _fitted(self) -> Run:
        run = getattr(self, "_run", None)
        if run is None or not hasattr(self, "run_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")
        if self.run_ != str(run.path):  # it was unpickled or copied
            self.run_ = str(run.path)
        found: Run = run
        return found

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "run_")

    def __setstate__(self, state: dict[str, Any]) -> None:
        base = getattr(super(), "__setstate__", None)
        if base is None:
            self.__dict__.update(state)
        else:
            base(state)
        run = getattr(self, "_run", None)
        if run is not None and hasattr(self, "run_"):
            self.run_ = str(run.path)

    # Results.

    @property
    def scores_(self) -> dict[str, float]:
        """Scores on the test part, or on the validation part if there is no test part."""
        result = self._fitted().result()
        return scores_of(result, "test") or scores_of(result, "valid")

    def report(self) -> _html.Page:
        """Return the report of the run: scores with intervals, curves, errors, skipped data.

        Returns
        -------
        Page
            A page that notebooks show; ``report().save(path)`` writes it as HTML.
        """
        path = self._fitted().path / "report.html"
        if not path.exists():
            self._fitted().command("report", str(self._fitted().path))
        return _html.Page(path.read_text(encoding="utf-8"))

    def plot_curves(self, ax: Any = None) -> Any:
        """Plot training and validation loss by epoch; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to plot. Default: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from ehgnn import _plots

        lines = (self._fitted().path / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return _plots.curves([json.loads(line) for line in lines], ax)

    def plot_explanation(self, explanation: dict[str, Any], ax: Any = None, top: int = 20) -> Any:
        """Plot the explanation of a prediction; needs matplotlib.

        Parameters
        ----------
        explanation : dict
            One of the explanations that `explain` returns.
        ax : matplotlib.axes.Axes, optional
            Where to plot. Default: a new figure.
        top : int, default 20
            The number of plotted columns or edges, by the largest contributions or scores.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from ehgnn import _plots

        return _plots.explanation(explanation, ax, top)

    # Files.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the estimator as a folder, which must not exist.

        Its subfolder run is a run folder for the command line, as in ``ehgnn serve PATH/run``.
        """
        run, to = self._fitted(), pathlib.Path(path)
        if to.exists():
            raise FileExistsError(f"{to} exists; save writes a new folder")
        if not to.absolute().parent.is_dir():
            raise FileNotFoundError(f"{to.parent} is no folder; save writes a new folder within one that is there")
        part = pathlib.Path(tempfile.mkdtemp(prefix=f".{to.name}-", dir=to.parent))
        try:
            for name in ("data", "run"):
                shutil.copytree(run.folder / name, part / name)
            state = {"class": type(self).__name__, "version": __version__, "settings": self.get_params(deep=False), **self._extra()}  # type: ignore[attr-defined]
            (part / "estimator.json").write_text(json.dumps(state, default=_plain, indent=1), encoding="utf-8")
            part.rename(to)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Load an estimator that `save` wrote.

        Raises
        ------
        ValueError
            If `save` did not write the folder, or it is of another class.
        """
        folder = pathlib.Path(path)
        try:
            state = json.loads((folder / "estimator.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ValueError(f"{folder} is no folder that save wrote: estimator.json cannot be read: {error}") from error
        if state["class"] != cls.__name__:
            raise ValueError(f"{folder} holds a {state['class']}, expected a {cls.__name__}")
        self = cls(**state["settings"])
        run = Run()
        for name in ("data", "run"):
            shutil.copytree(folder / name, run.folder / name, dirs_exist_ok=True)
        self._run = run
        self.run_ = str(run.path)
        self._restore(state)
        return self

    def _extra(self) -> dict[str, Any]:
        """Return what save stores in addition to settings and files."""
        kept = ("n_features_in_", "feature_names_in_", "classes_", "_ends", "_features", "_names")
        return {"fitted": {name: getattr(self, name) for name in kept if hasattr(self, name)}}

    def _restore(self, state: dict[str, Any]) -> None:
        for name, value in state["fitted"].items():
            setattr(self, name, np.array(value) if name == "classes_" else np.array(value, object) if name == "feature_names_in_" else value)

    # Notebooks.

    def _shown(self) -> str:
        base = getattr(super(), "_repr_html_", None)
        diagram = base() if callable(base) else f"<pre>{_html.escape(repr(self))}</pre>"
        if not hasattr(self, "run_"):
            return str(diagram)
        return f"{diagram}{_html.scores(self._fitted().path / 'README.md')}"

    def _repr_html_(self) -> str:
        return self._shown()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._shown()}


def _flag(flag: str, value: Any) -> list[str]:
    if isinstance(value, (bool, np.bool_)):
        return [f"{flag}={'true' if value else 'false'}"]
    if isinstance(value, (str, int, float, np.number)):
        return [f"{flag}={value}"]
    if all(isinstance(v, str) for v in value):
        return [f"{flag}={_quoted(v)}" for v in value]
    return [f"{flag}={','.join(str(v) for v in value)}"]


def _quoted(text: str) -> str:
    """Quote a value of a list if it contains the separator."""
    return '"' + text.replace('"', '""') + '"' if re.search(r'[,"\n]', text) else text


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a value of type {type(value).__name__} cannot be saved")


def rows_of(rows: int | Sequence[int] | Array) -> list[int]:
    """Return row numbers as a list."""
    return [int(r) for r in np.atleast_1d(np.asarray(rows))]


def first(values: Array, top: int | None) -> Array:
    """Return the positions of the smallest values, in order: all, or the first top."""
    if top is not None and top < 0:
        raise ValueError(f"top is {top}, expected a number of rows or None")
    return np.argsort(values, kind="stable")[:top]
