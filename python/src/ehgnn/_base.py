"""The base classes of scikit-learn, and replacements for them if scikit-learn is not installed."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from typing import TypeVar

    Self = TypeVar("Self", bound="_Parameters")

__all__ = ["Base", "ClassifierMixin", "NotFittedError", "RegressorMixin"]


class _Parameters:
    """get_params and set_params as in scikit-learn, used if it is not installed."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings given to the constructor, by name."""
        names = inspect.signature(type(self).__init__).parameters
        return {name: getattr(self, name) for name in names if name != "self"}

    def set_params(self: Self, **params: Any) -> Self:
        """Set some settings, which the next fit uses."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {type(self).__name__}. Valid parameters are: {sorted(known)}.")
            setattr(self, name, value)
        return self


if TYPE_CHECKING:

    class Base(_Parameters):
        """The base of all estimators: scikit-learn's BaseEstimator."""

    class ClassifierMixin:
        """Marks a classifier."""

    class RegressorMixin:
        """Marks a regressor."""

    class NotFittedError(ValueError, AttributeError):
        """The error of an estimator that is used before fit."""

else:
    try:
        from sklearn.base import BaseEstimator as Base
        from sklearn.base import ClassifierMixin, RegressorMixin
        from sklearn.exceptions import NotFittedError
    except ImportError:

        class Base(_Parameters):
            """The base of all estimators if scikit-learn is not installed."""

            def __repr__(self) -> str:
                defaults = inspect.signature(type(self).__init__).parameters
                given = {k: v for k, v in self.get_params().items() if v is not defaults[k].default and v != defaults[k].default}
                return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"

        class ClassifierMixin:
            """Marks a classifier."""

            _estimator_type = "classifier"

        class RegressorMixin:
            """Marks a regressor."""

            _estimator_type = "regressor"

        class NotFittedError(ValueError, AttributeError):
            """The error of an estimator that is used before fit."""


def accuracy(truth: Any, predicted: Any, weight: Any = None) -> float:
    """Return the share of correct predictions."""
    return float(np.average(np.asarray(truth) == np.asarray(predicted), weights=weight))


def r_squared(truth: Any, predicted: Any, weight: Any = None) -> float:
    """Return the coefficient of determination."""
    y, p = np.asarray(truth, float), np.asarray(predicted, float)
    w = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    rest = float(np.sum(w * (y - p) ** 2))
    all_ = float(np.sum(w * (y - np.average(y, weights=w)) ** 2))
    if all_ == 0:
        return 1.0 if rest == 0 else 0.0
    return 1 - rest / all_
