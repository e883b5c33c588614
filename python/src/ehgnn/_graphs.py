"""Estimators of graphs: a class or a number for each graph of a list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ehgnn import _labels
from ehgnn._base import ClassifierMixin, RegressorMixin, accuracy, r_squared
from ehgnn._documents import documents, write
from ehgnn._estimator import Estimator, first, rows_of
from ehgnn._run import as_float, threshold_args
from ehgnn._settings import GraphSettings

if TYPE_CHECKING:
    from typing import TypeVar

    Self = TypeVar("Self", bound="GraphEstimator")

__all__ = ["GraphClassifier", "GraphRegressor"]

Array = NDArray[Any]



class GraphEstimator(Estimator, GraphSettings):
    """Training and prediction on lists of graphs."""

    _file = "graphs.jsonl"
    _number = False

    def fit(self: Self, graphs: Any, y: Any = None, *, groups: Any = None, resume: bool = False) -> Self:
        """Train on a list of graphs.

        Parameters
        ----------
        graphs : list
            Graphs of NetworkX, Data of PyTorch Geometric, node-link documents or, with RDKit, SMILES.
            Attributes of nodes and edges are features.
        y : array of shape (n_graphs,), optional
            Labels. Default: the attribute that ``label`` names, or label, of each graph.
        groups : None
            Graphs are not split by groups.
        resume : bool, default False
            Continue an interrupted fit. The other arguments must be the same as in that fit.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a graph or a setting is wrong. The message says where.
        """
        if groups is not None:
            raise ValueError("groups do not apply to graphs, which are split at random or in folds; GroupKFold of scikit-learn splits by groups")
        found = documents(graphs)
        for name in ("run_", "classes_"):
            self.__dict__.pop(name, None)
        label = self.label or "label"
        if y is None:
            missing = [i for i, g in enumerate(found) if label not in g["graph"]]
            if len(missing) == len(found):
                raise ValueError(f"y is not given and no graph has the attribute {label!r}")
            y = [g["graph"].get(label) for g in found]
        labels = self._labels_of(y, len(found))
        run = self._begin(resume)
        if not resume:
            write(str(run.data / self._file), found, labels, label)
        self._train(run, {"label": label}, resume)
        return self

    def _labels_of(self, y: Any, rows: int) -> list[Any]:
        """Return labels for documents: numbers, or names of classes."""
        values = _labels.target(np.asarray(y), rows, self._number)
        if self._number:
            return [None if v != v else v for v in values.tolist()]
        self.classes_ = _labels.classes_of(values)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class, {self.classes_.tolist()[0]!r}, expected two or more")
        # With a prefix, the program does not read classes as numbers.
        self._names = [f"class {c}" for c in _labels.names_of(self.classes_)]
        return [self._names[i] if i >= 0 else None for i in _labels.places_of(values, self.classes_)]

    def _use(self, verb: str, graphs: Any, *args: str) -> dict[str, Array]:
        run = self._fitted()
        found = documents(graphs)
        with run.scratch() as folder:
            path = folder / self._file
            write(str(path), [{**g, "graph": {}} for g in found])
            table = run.items(folder, verb, str(path), *args)
        order = np.argsort(table["graph"].astype(np.int64), kind="stable")
        if len(order) != len(found):
            raise ValueError(f"{len(found)} graphs have {len(order)} rows of results")
        return {name: values[order] for name, values in table.items()}

    def transform(self, graphs: Any) -> Array:
        """Return the learned vector of each graph.

        Parameters
        ----------
        graphs : list
            As for `fit`.

        Returns
        -------
        ndarray of shape (n_graphs, width), float32
        """
        return self._use("embed", graphs, "--level", "graph")["vector"]

    def fit_transform(self, graphs: Any, y: Any = None) -> Array:
        """Train on a list of graphs and return the learned vector of each graph."""
        return self.fit(graphs, y).transform(graphs)

    def explain(self, graphs: Any, rows: int | Sequence[int] | Array = 0, *, method: str | None = None) -> list[dict[str, Any]]:
        """Return the importance of edges for predictions.

        Parameters
        ----------
        graphs : list
            As for `fit`.
        rows : int or sequence of int, default 0
            The positions of the graphs whose predictions are explained.
        method : {"occlusion", "gradient", "mask", "random", "record"}, optional
            Default: occlusion. The method record returns the edges that the model kept; it is not an explanation.

        Returns
        -------
        list of dict
            One dict for each graph: nodes, edges as pairs of positions in nodes, and explanation with the scores
            of the edges and their fidelity.
        """
        run = self._fitted()
        with run.scratch() as folder:
            write(str(folder / self._file), [{**g, "graph": {}} for g in documents(graphs)])
            out = folder / "explanation.json"
            names = ",".join(str(r) for r in rows_of(rows))
            run.command("explain", str(run.path), str(folder / self._file), "--graph", names, "--out", str(out), *([f"--method={method}"] if method else []))
            found: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
            return found

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


class GraphClassifier(ClassifierMixin, GraphEstimator):
    """Predicts a class for each graph.

    Attributes
    ----------
    classes_ : ndarray
        The classes, in the order of the columns of `predict_proba`.
    run_ : str
        The run folder.
    scores_ : dict
        Scores on the test part, which is not trained on.
    """

    _task = "graph-classification"

    def predict_proba(self, graphs: Any) -> Array:
        """Return the probability of each class, float32 of shape (n_graphs, n_classes)."""
        found = self._use("predict", graphs)
        return np.column_stack([found[f"probability_{name}"] for name in self._names])

    def predict(self, graphs: Any, *, threshold: float | str | None = None) -> Array:
        """Return the class of each graph. With two classes, threshold is as in `EdgeClassifier.predict`."""
        found = self._use("predict", graphs, *threshold_args(threshold))
        place = {name: i for i, name in enumerate(self._names)}
        return np.asarray(self.classes_[[place[name] for name in found["prediction"]]])

    def score(self, graphs: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy; y is by default the attribute of the graphs."""
        return accuracy(_truth(self, graphs, y), self.predict(graphs), sample_weight)

    def rank(self, graphs: Any, *, top: int | None = None, of: Any = None) -> Array:
        """Return positions of graphs by the probability of the class ``of``, by default the last one."""
        classes = [str(c) for c in self.classes_.tolist()]
        wanted = classes[-1] if of is None else str(of)
        if wanted not in classes:
            raise ValueError(f"of is {of!r}, expected one of {self.classes_.tolist()}")
        return first(-self.predict_proba(graphs)[:, classes.index(wanted)], top)


class GraphRegressor(RegressorMixin, GraphEstimator):
    """Predicts a number for each graph.

    Attributes
    ----------
    run_ : str
        The run folder.
    scores_ : dict
        Scores on the test part, which is not trained on.
    """

    _task = "graph-regression"
    _number = True

    def predict(self, graphs: Any) -> Array:
        """Return the number of each graph, float64."""
        found = self._use("predict", graphs)
        name = next(n for n in found if n.startswith("prediction"))
        return as_float(found[name])

    def score(self, graphs: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the coefficient of determination; y is by default the attribute of the graphs."""
        return r_squared(_truth(self, graphs, y), self.predict(graphs), sample_weight)

    def rank(self, graphs: Any, *, top: int | None = None) -> Array:
        """Return positions of graphs by the predicted number, the highest first."""
        return first(-self.predict(graphs), top)


def _truth(of: GraphEstimator, graphs: Any, y: Any) -> Array:
    if y is not None:
        return np.asarray(y)
    return np.asarray([g["graph"].get(of.label or "label") for g in documents(graphs)])
