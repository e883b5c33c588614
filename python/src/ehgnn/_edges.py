"""Estimators of edges: a class or a number for each row of a table of edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ehgnn._base import ClassifierMixin, RegressorMixin, accuracy, r_squared
from ehgnn._edgebase import EdgeEstimator
from ehgnn._estimator import first
from ehgnn._run import as_float, threshold_args

__all__ = ["EdgeClassifier", "EdgeRegressor"]

Array = NDArray[Any]


class EdgeClassifier(ClassifierMixin, EdgeEstimator):
    """Predicts a class for each edge.

    Attributes
    ----------
    classes_ : ndarray
        The classes, in the order of the columns of `predict_proba`.
    n_features_in_ : int
        The number of columns of the training table.
    feature_names_in_ : ndarray of str
        Their names, if they have names.
    run_ : str
        The run folder.
    scores_ : dict
        Scores on the test part, which is not trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from ehgnn import EdgeClassifier
    >>> rng = np.random.default_rng(0)
    >>> edges = {"source": rng.integers(30, size=300), "target": rng.integers(30, size=300), "amount": rng.normal(size=300)}
    >>> y = np.where(edges["amount"] > 0, "high", "low")
    >>> model = EdgeClassifier(quality="fast").fit(edges, y)
    >>> model.classes_.tolist()
    ['high', 'low']
    >>> model.score(edges, y) > 0.9
    True
    """

    _task = "edge-classification"

    def predict_proba(self, edges: Any, *, nodes: Any = None, context: str | None = "training") -> Array:
        """Return the probability of each class.

        Parameters
        ----------
        edges : frame, mapping of columns or array of shape (n_edges, n_columns)
            As for `fit`; labels are not needed.
        nodes : frame or list of two, optional
            The nodes. Default: the nodes of the training.
        context : {"training", None}, default "training"
            The other edges that the model sees: those of the training, or none. The prediction for a
            training edge does not use its own label.

        Returns
        -------
        ndarray of shape (n_edges, n_classes), float32
        """
        found = self._use("predict", edges, nodes, context)
        return np.column_stack([found[f"probability_{name}"] for name in self._names])

    def predict(self, edges: Any, *, nodes: Any = None, context: str | None = "training", threshold: float | str | None = None) -> Array:
        """Return the class of each edge.

        Parameters
        ----------
        edges, nodes, context
            As for `predict_proba`.
        threshold : float or str, optional
            With two classes, the probability from which the rarer class is predicted: a number, or "f1",
            "recall=0.9", "precision=0.8", "budget=50" or "cost=1:20", chosen on the validation set of
            the training. Default: the threshold of the training.

        Returns
        -------
        ndarray of shape (n_edges,)
        """
        found = self._use("predict", edges, nodes, context, *threshold_args(threshold))
        place = {name: i for i, name in enumerate(self._names)}
        return np.asarray(self.classes_[[place[name] for name in found["prediction"]]])

    def score(self, edges: Any, y: Any = None, sample_weight: Any = None, *, nodes: Any = None, context: str | None = "training") -> float:
        """Return the accuracy; y is by default the column of labels in edges."""
        truth = self._truth(edges, y)
        return accuracy(truth, self.predict(edges, nodes=nodes, context=context), sample_weight)

    def rank(self, edges: Any, *, top: int | None = None, of: Any = None, nodes: Any = None, context: str | None = "training") -> Array:
        """Return row numbers in the order in which the edges should be checked.

        Parameters
        ----------
        edges, nodes, context
            As for `predict_proba`.
        top : int, optional
            The number of rows. Default: all.
        of : optional
            The class whose probability decides, the highest first. Default: the rarer class of the
            training if there are two classes, otherwise the last class.

        Returns
        -------
        ndarray of int
        """
        names = [str(c) for c in self.classes_.tolist()] if of is not None else self._names
        wanted = str(of) if of is not None else self._fitted().result().get("positive_class", self._names[-1])
        if wanted not in names:
            raise ValueError(f"of is {of!r}, expected one of {self.classes_.tolist()}")
        probability = self.predict_proba(edges, nodes=nodes, context=context)[:, names.index(wanted)]
        return first(-probability, top)


class EdgeRegressor(RegressorMixin, EdgeEstimator):
    """Predicts a number for each edge.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns of the training table.
    feature_names_in_ : ndarray of str
        Their names, if they have names.
    run_ : str
        The run folder.
    scores_ : dict
        Scores on the test part, which is not trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from ehgnn import EdgeRegressor
    >>> rng = np.random.default_rng(0)
    >>> edges = {"source": rng.integers(30, size=300), "target": rng.integers(30, size=300), "length": rng.random(300)}
    >>> model = EdgeRegressor(quality="fast").fit(edges, 3 * edges["length"])
    >>> model.score(edges, 3 * edges["length"]) > 0.9
    True
    """

    _task = "edge-regression"
    _number = True

    def predict(self, edges: Any, *, nodes: Any = None, context: str | None = "training") -> Array:
        """Return the number of each edge.

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
        ndarray of shape (n_edges,), float64
        """
        return as_float(self._use("predict", edges, nodes, context)["prediction"])

    def score(self, edges: Any, y: Any = None, sample_weight: Any = None, *, nodes: Any = None, context: str | None = "training") -> float:
        """Return the coefficient of determination; y is by default the column of labels in edges."""
        truth = self._truth(edges, y)
        return r_squared(truth, self.predict(edges, nodes=nodes, context=context), sample_weight)

    def rank(self, edges: Any, *, top: int | None = None, nodes: Any = None, context: str | None = "training") -> Array:
        """Return row numbers by the predicted number, the highest first."""
        return first(-self.predict(edges, nodes=nodes, context=context), top)
