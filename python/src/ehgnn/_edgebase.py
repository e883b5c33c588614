"""The common base of the estimators of edges."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ehgnn import _labels
from ehgnn._estimator import Estimator, rows_of
from ehgnn._frames import NODE_FILES, Frame, write_nodes
from ehgnn._run import Run, digest
from ehgnn._settings import EdgeSettings

if TYPE_CHECKING:
    from typing import TypeVar

    Self = TypeVar("Self", bound="EdgeEstimator")

__all__ = ["EdgeEstimator", "ends_of"]

Array = NDArray[Any]

_LABEL, _GROUP = "label", "group"  # columns for y and groups
_NONE = "-"


class EdgeEstimator(Estimator, EdgeSettings):
    """Training and prediction on tables of edges."""

    _number = False

    def fit(self: Self, edges: Any, y: Any = None, *, nodes: Any = None, groups: Any = None, resume: bool = False) -> Self:
        """Train on a table of edges.

        Parameters
        ----------
        edges : frame, mapping of columns or array of shape (n_edges, n_columns)
            One row per edge: its source, its target and its features.
        y : array of shape (n_edges,), optional
            Labels; None and NaN mean unknown. Default: the column of edges that ``label`` names,
            or a column named label, class or y.
        nodes : frame or list of two, optional
            One row per node with its id. In a list of two, each table has the nodes of one end of the edges, and its
            column of ids has the name of that end, such as ``userId`` and ``movieId``.
        groups : array of shape (n_edges,), optional
            Groups of edges; the split keeps each group in one part.
        resume : bool, default False
            Continue an interrupted fit. The other arguments must be the same as in that fit.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the tables or a setting are wrong. The message names the row and the column.
        """
        frame = self._frame(edges)
        if frame.rows < 2:
            raise ValueError("edges has 1 sample, expected enough for a part to train on, one to validate and one to test")
        for name in ("run_", "classes_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        self.n_features_in_ = len(frame.names)
        if frame.named:
            self.feature_names_in_ = np.array(frame.names, object)
        run = self._begin(resume)
        decided: dict[str, Any] = self._ends_of(frame)
        labelled = self._add_labels(frame, y, decided)
        if groups is not None:
            name = _free(_GROUP, labelled)
            labelled.add(name, groups)
            decided.update(group=name, split=self.split or "group")
        if not resume:
            labelled.write(str(run.data / "edges.arrow"))
            if nodes is not None:
                write_nodes(nodes, run.data)
        self._train(run, decided, resume)
        if not self._number and y is None:
            self._find_classes(run, frame)
        with run.scratch() as folder:
            self._features = self._write_features(run, frame, folder)
        return self

    def _write_features(self, run: Run, frame: Frame, folder: pathlib.Path) -> str:
        """Write edges without their labels, which predictions do not read, and return the checksum."""
        frame.drop(run.setting("label"))
        frame.write(str(folder / "edges.arrow"))
        return digest(folder / "edges.arrow")

    def _frame(self, edges: Any) -> Frame:
        if edges is None:
            raise ValueError("edges is None, expected a table of edges")
        return Frame(edges)

    def _ends_of(self, frame: Frame) -> dict[str, Any]:
        """Return the settings that name the ends of edges. Add ends to a table without them."""
        if (self.source == _NONE) != (self.target == _NONE):
            raise ValueError('source and target are both "-", for tables without ends, or none is')
        if self.source == _NONE:
            ends = [_free(name, frame) for name in ("source", "target")]
            for i, name in enumerate(ends):
                frame.add(name, 2 * np.arange(frame.rows) + i)
            out: dict[str, Any] = {"source": ends[0], "target": ends[1]}
            return out if self.label_context else {**out, "label_context": "off"}
        return ends_of(self, frame)

    def _add_labels(self, frame: Frame, y: Any, decided: dict[str, Any]) -> Frame:
        """Return the table with y as a column: a new one, or the column of edges that equals y."""
        if y is None:
            if self.label and "," in self.label and self.label not in frame.names:
                raise ValueError(f"label is {self.label!r}, expected one column; MultiOutputRegressor and MultiOutputClassifier of sklearn.multioutput fit a model for each column of y")
            if not frame.named:
                raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None: an array has no column of labels.")
            return frame
        values = _labels.target(y, frame.rows, self._number)
        candidates = [self.label, getattr(y, "name", None), _LABEL, "class", "y", "target"]
        name = next((n for n in candidates if isinstance(n, str) and n in frame.names and _is_column(frame, n, values)), None)
        if name is None:
            name = _free(self.label or _LABEL, frame)
        decided["label"] = name
        labelled = frame.copy()
        if self._number:
            labelled.add(name, values)
            return labelled
        self.classes_ = _labels.classes_of(values)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class, {self.classes_.tolist()[0]!r}, expected two or more")
        self._names = _labels.names_of(self.classes_)
        texts = np.array([*self._names, None], object)[_labels.places_of(values, self.classes_)]
        labelled.add(name, texts)
        return labelled

    def _find_classes(self, run: Run, frame: Frame) -> None:
        """Set the classes from the column that the program predicts, with the type of its values."""
        names, label = [str(name) for name in run.schema()["classes"]], run.setting("label")
        self._names, self.classes_ = _labels.match(names, frame.distinct(label) if label in frame.names else np.array(names, object))

    # Predictions.

    def _use(self, verb: str, edges: Any, nodes: Any, context: str | None, *args: str) -> dict[str, Array]:
        run = self._fitted()
        with run.scratch() as folder:
            data = self._data(run, folder, edges, nodes, context)
            found = run.items(folder, verb, *data, *args)
        edge = found.get("edge")
        if edge is None or (edge[1:] > edge[:-1]).all():
            return found
        order = np.argsort(edge, kind="stable")
        return {name: values[order] for name, values in found.items()}

    def _data(self, run: Run, folder: pathlib.Path, edges: Any, nodes: Any, context: str | None) -> list[str]:
        """Write the tables, and return the arguments that name them."""
        if context not in ("training", None):
            raise ValueError(f'context is {context!r}, expected "training" or None')
        frame = self._frame(edges)
        if not frame.named or not hasattr(self, "feature_names_in_"):
            if len(frame.names) != self.n_features_in_:
                raise ValueError(f"X has {len(frame.names)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input.")
        alone = self.source == _NONE
        label = run.setting("label")
        wanted = [str(n) for n in getattr(self, "feature_names_in_", ()) if n != label]
        if wanted and not alone and set(wanted) <= set(frame.names):
            frame.select(wanted)  # so that the training table is recognised with any order of its columns
        self._ends_of(frame)
        same = self._write_features(run, frame, folder) == self._features
        if same and nodes is None and context is not None and not alone:
            return [str(run.data)]  # the training table: predictions follow the split
        within = alone or context is None
        if nodes is not None:
            write_nodes(nodes, folder, run.data)
        elif within:  # otherwise they are in the context
            for name in NODE_FILES:
                if (run.data / name).exists():
                    _link(run.data / name, folder / name)
        return [str(folder), "--format", "tables"] + ([] if within else ["--context", "training"])

    def transform(self, edges: Any, *, nodes: Any = None, context: str | None = "training") -> Array:
        """Return the learned vector of each edge.

        Parameters
        ----------
        edges : frame, mapping of columns or array of shape (n_edges, n_columns)
            As for `fit`; labels are not needed.
        nodes : frame or list of two, optional
            The nodes. Default: the nodes of the training.
        context : {"training", None}, default "training"
            The other edges that the model sees: those of the training, or none.

        Returns
        -------
        ndarray of shape (n_edges, width), float32
        """
        return self._use("embed", edges, nodes, context, "--level", "edge")["vector"]

    def fit_transform(self, edges: Any, y: Any = None, *, nodes: Any = None, groups: Any = None) -> Array:
        """Train on a table of edges and return the learned vector of each edge; see `fit` and `transform`."""
        return self.fit(edges, y, nodes=nodes, groups=groups).transform(edges, nodes=nodes)

    def _truth(self, edges: Any, y: Any) -> Array:
        """Return y, or the column of labels if y is None."""
        if y is not None:
            return np.asarray(y)
        frame, label = Frame(edges), self._fitted().setting("label")
        if label not in frame.names:
            raise ValueError(f"y is not given and edges has no column {label!r}")
        return frame.values(label)

    def explain(self, edges: Any, rows: int | Sequence[int] | Array = 0, *, nodes: Any = None, context: str | None = "training",
                method: str | None = None) -> list[dict[str, Any]]:
        """Explain predictions by columns or by other edges.

        Parameters
        ----------
        edges : frame, mapping of columns or array of shape (n_edges, n_columns)
            As for `predict`.
        rows : int or sequence of int, default 0
            The rows of edges whose predictions are explained.
        nodes, context
            As for `transform`.
        method : {"shapley", "columns", "occlusion", "gradient", "mask", "random"}, optional
            Default: shapley, which explains by the edge's own columns and the edges around it.

        Returns
        -------
        list of dict
            One dict for each row. Methods shapley and columns: base, value and columns, and with shapley edges and
            rest; the contributions sum to value - base. Other methods: nodes, edges as pairs of positions in
            nodes, and explanation with the scores of the edges and their fidelity.
        """
        run, numbers = self._fitted(), ",".join(str(r) for r in rows_of(rows))
        if not numbers:
            return []
        with run.scratch() as folder:
            data = self._data(run, folder, edges, nodes, context)
            out = folder / "explanation.json"
            run.command("explain", str(run.path), *data, "--edge", numbers, "--out", str(out), *([f"--method={method}"] if method else []))
            found: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
            return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        from sklearn.utils import TransformerTags

        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


def ends_of(estimator: Any, frame: Frame) -> dict[str, Any]:
    """Return the settings that name the ends of edges. They may be given as positions of columns."""
    out: dict[str, Any] = {}
    names, called = frame.names, type(estimator).__name__
    for end in ("source", "target"):
        at = getattr(estimator, end)
        if isinstance(at, (int, np.integer)) and not isinstance(at, bool):
            if not -len(names) <= at < len(names):
                raise ValueError(f"{end}={at} is no position of a column: there are {len(names)}")
            out[end] = names[at]
        elif at is None and not frame.named:
            hint = ', or source="-", target="-" where there are none' if hasattr(estimator, "label_context") else ""
            raise ValueError(f"an array has no names of columns: say which are the ends of edges, as {called}(source=0, target=1){hint}")
    return out


def _is_column(frame: Frame, name: str, values: Array) -> bool:
    """Report whether y is a column of the table."""
    return all(_labels.equal(frame.values(name, part), values[part]) for part in _labels.parts(len(values)))


def _free(name: str, frame: Frame) -> str:
    """Return an unused column name."""
    while name in frame.names:
        name += "_"
    return name


def _link(path: pathlib.Path, to: pathlib.Path) -> None:
    try:
        os.link(path, to)
    except OSError:
        shutil.copyfile(path, to)
