"""The estimators follow scikit-learn's rules and work with its tools."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import ehgnn

# The checks pass arrays of numbers, whose rows have no source and target. Estimators of graphs take
# lists, so scikit-learn runs only the checks that need no array.
ESTIMATORS = [
    ehgnn.EdgeClassifier(source="-", target="-", quality="fast", threads=1),
    ehgnn.EdgeRegressor(source="-", target="-", quality="fast", threads=1),
    ehgnn.GraphClassifier(),
    ehgnn.GraphRegressor(),
]


@parametrize_with_checks(ESTIMATORS)
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("kind", [ehgnn.EdgeClassifier, ehgnn.EdgeRegressor, ehgnn.GraphClassifier, ehgnn.GraphRegressor])
def test_settings(kind: Any) -> None:
    settings = kind().get_params()
    assert settings.pop("seed") == 42
    assert set(settings.values()) == {None}  # the program has the defaults
    assert clone(kind(hidden=3, ignore=["a", "b"])).get_params()["ignore"] == ["a", "b"]
    assert kind().set_params(lr=0.1).lr == 0.1
    with pytest.raises(ValueError, match="nothing"):
        kind().set_params(nothing=1)


def test_search(table: pd.DataFrame) -> None:
    edges, y = table.drop(columns="label"), table["label"]
    search = GridSearchCV(ehgnn.EdgeClassifier(quality="fast"), {"structure": ["none", "all"]}, cv=2).fit(edges, y)
    assert search.best_score_ > 0.8
    scores = cross_val_score(ehgnn.EdgeClassifier(quality="fast"), edges, y, groups=edges["source"] % 3, cv=GroupKFold(3), scoring="roc_auc")
    assert scores.min() > 0.8


def test_several_labels(table: pd.DataFrame) -> None:
    edges = table[["source", "target", "amount"]]
    y = pd.DataFrame({"double": 2 * table["amount"], "less": table["amount"] - 1})
    predicted = MultiOutputRegressor(ehgnn.EdgeRegressor(quality="fast")).fit(edges, y).predict(edges)
    assert np.corrcoef(predicted[:, 0], y["double"])[0, 1] > 0.9
    assert np.corrcoef(predicted[:, 1], y["less"])[0, 1] > 0.9
    with pytest.raises(ValueError, match="MultiOutputRegressor"):
        ehgnn.EdgeRegressor().fit(edges, y)
    with pytest.raises(ValueError, match="expected one column; MultiOutputRegressor"):
        ehgnn.EdgeRegressor(label="double,less").fit(edges.join(y))


def test_pipeline(table: pd.DataFrame) -> None:
    edges, y = table.drop(columns="label"), table["label"]
    model = make_pipeline(FunctionTransformer(lambda x: x.assign(double=2 * x["amount"])), ehgnn.EdgeClassifier(quality="fast")).fit(edges, y)
    assert model.score(edges, y) > 0.9


def test_calibration(table: pd.DataFrame) -> None:
    edges, y = table.drop(columns="label"), table["label"]
    model = CalibratedClassifierCV(ehgnn.EdgeClassifier(quality="fast"), cv=2).fit(edges, y)
    assert model.predict_proba(edges).shape == (len(edges), 2)


def test_pickle(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    again = pickle.loads(pickle.dumps(fitted))
    assert again.run_ != fitted.run_
    np.testing.assert_array_equal(again.predict_proba(table), fitted.predict_proba(table))
    assert pickle.loads(pickle.dumps(ehgnn.EdgeClassifier(seed=3))).seed == 3


def test_save(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame, tmp_path: Any) -> None:
    fitted.save(tmp_path / "model")
    again = ehgnn.EdgeClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(table), fitted.predict_proba(table))
    assert again.get_params() == fitted.get_params() and again.classes_.tolist() == fitted.classes_.tolist()
    with pytest.raises(FileExistsError):
        fitted.save(tmp_path / "model")
    with pytest.raises(FileNotFoundError, match="none is no folder"):
        fitted.save(tmp_path / "none" / "model")
    with pytest.raises(ValueError, match="holds a EdgeClassifier"):
        ehgnn.EdgeRegressor.load(tmp_path / "model")
    with pytest.raises(ValueError, match=r"estimator\.json"):
        ehgnn.EdgeClassifier.load(tmp_path)


def test_not_fitted(table: pd.DataFrame) -> None:
    for use in (ehgnn.EdgeClassifier().predict, ehgnn.EdgeClassifier().report, ehgnn.EdgeRegressor().transform):
        with pytest.raises(NotFittedError):
            use(table) if use.__name__ != "report" else use()
