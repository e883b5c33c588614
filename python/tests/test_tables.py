"""Frames of every library and type give the same result as a file of the same table."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ehgnn
from conftest import payments
from ehgnn import _ipc
from ehgnn._frames import Frame


def fast(**settings: Any) -> ehgnn.EdgeClassifier:
    return ehgnn.EdgeClassifier(quality="fast", **settings)


def test_libraries_agree(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    want = fitted.predict_proba(table)
    edges = table.drop(columns="label")
    forms = [pl.from_pandas(edges), pa.Table.from_pandas(edges), edges.to_dict("list"), {k: v.to_numpy() for k, v in edges.items()},
             edges.convert_dtypes(), edges.set_index(pd.Index(np.zeros(len(edges)), name="twice")), edges[edges.columns[::-1]]]
    found = [fitted.predict_proba(form, context=None) for form in forms]
    for form, other in zip(forms, found):
        np.testing.assert_array_equal(other, found[0], err_msg=type(form).__name__)
    assert found[0].shape == want.shape


def test_relations(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    """A relation of duckdb is read through Arrow, with any of the libraries."""
    duckdb = pytest.importorskip("duckdb")
    edges = table.drop(columns="label")
    want = fitted.predict_proba(edges, context=None)
    found = fitted.predict_proba(duckdb.from_df(edges), context=None)
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("library", ["pyarrow", "polars", "nanoarrow"])
def test_one_library_of_arrow(library: str, monkeypatch: pytest.MonkeyPatch, fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    pytest.importorskip(library)
    edges = table.drop(columns="label")

    class Stream:
        """A frame of an unknown library."""

        __arrow_c_stream__ = pa.Table.from_pandas(edges).__arrow_c_stream__

    want = fitted.predict_proba(edges, context=None)
    monkeypatch.setattr("ehgnn._frames._has", lambda module: module == library)
    np.testing.assert_array_equal(fitted.predict_proba(Stream(), context=None), want)


def test_threshold(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    frauds = [int((fitted.predict(table, threshold=t) == "fraud").sum()) for t in (1.0, 0, "macro_f1", None)]
    assert frauds[0] <= frauds[2] <= frauds[1] == len(table)
    assert frauds[2] == frauds[3]
    with pytest.raises(ValueError, match="expected a number from 0 to 1, macro_f1, f1, recall=0.9"):
        fitted.predict(table, threshold="best")


def test_types() -> None:
    frame = payments(300)
    frame["when"] = pd.date_range("2024-01-01", periods=300, freq="h", tz="Europe/Berlin")
    frame["kind"] = frame["kind"].astype("category")
    frame["count"] = pd.array([1, None, 3] * 100, dtype="Int64")
    frame["flag"] = pd.array([True, None, False] * 100, dtype="boolean")
    frame["note"] = pd.array(["ä", None, "日本"] * 100, dtype="string")
    frame["source"] = ["Zürich " + str(i % 17) for i in range(300)]
    frame.index = [5] * 300
    model = fast(time="when", split="random").fit(frame)
    assert model.predict(frame).shape == (300,)
    names = {c["name"] for c in model._fitted().schema()["edges"]}
    assert {"amount", "kind", "count", "flag"} <= names
    np.testing.assert_array_equal(fast(time="when", split="random").fit(pl.from_pandas(frame)).predict_proba(pl.from_pandas(frame)), model.predict_proba(frame))


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1], [False, True], [-1.0, 1.0], ["NA", "null"], [" a", "b"]])
def test_classes(labels: list[Any], table: pd.DataFrame) -> None:
    y = np.array(labels)[(table["label"] == "fraud").astype(int)]
    model = fast().fit(table.drop(columns="label"), y)
    assert model.classes_.tolist() == sorted(labels)
    assert set(model.predict(table.drop(columns="label")).tolist()) <= set(labels)
    assert model.score(table.drop(columns="label"), y) > 0.9
    if labels[0] not in ("NA", " a"):  # tables read NA as a missing value and remove spaces
        within = fast().fit(table.assign(label=y))
        assert within.classes_.tolist() == sorted(labels)
        np.testing.assert_array_equal(within.predict(table), model.predict(table.drop(columns="label")))


def test_unusual_columns(table: pd.DataFrame) -> None:
    """Pandas columns without a type in Arrow are read like equivalent columns."""
    few = table.head(100)
    amount = few["amount"]
    frame = few.assign(zeros=pd.arrays.SparseArray(np.arange(100) % 3), bins=pd.cut(amount, 4), swapped=amount.to_numpy().astype(">f8"),
                       large=[2**70 + i for i in range(100)], source=[2**64 + int(i) for i in few["source"]])
    plain = few.assign(zeros=np.arange(100) % 3, bins=pd.cut(amount, 4).astype(str), swapped=amount, large=[str(2**70 + i) for i in range(100)],
                       source=[str(2**64 + int(i)) for i in few["source"]])
    want = fast().fit(plain)
    np.testing.assert_array_equal(fast().fit(frame).predict_proba(frame), want.predict_proba(plain))
    lazy = pl.from_pandas(plain).lazy()
    np.testing.assert_array_equal(fast().fit(lazy).predict_proba(lazy), want.predict_proba(plain))


def test_warns_of_categories(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    with pytest.warns(UserWarning, match=f'column "kind" of {len(table)} edges has a category that training has not seen'):
        fitted.predict(table.drop(columns="label", errors="ignore").assign(kind="cheque"))


def test_structured_array(table: pd.DataFrame) -> None:
    rows = table.drop(columns=["kind", "label"])
    model = fast().fit(rows.to_records(index=False), table["label"])
    np.testing.assert_array_equal(model.predict_proba(rows.to_records(index=False)), fast().fit(rows, table["label"]).predict_proba(rows))
    assert model.feature_names_in_.tolist() == ["source", "target", "amount"]


def test_order_of_columns(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    """The training table is recognised with any order of its columns, and with additional columns."""
    want = fitted.predict_proba(table)
    for other in (table[table.columns[::-1]], table.assign(more=1), table.drop(columns="label")):
        np.testing.assert_array_equal(fitted.predict_proba(other), want)


@pytest.mark.parametrize(("kind", "values"), [("Int64", [0, 1]), ("boolean", [False, True]), ("Float64", [0.0, 1.0])])
def test_labels_with_missing_ones(kind: str, values: list[Any], table: pd.DataFrame) -> None:
    """Labels of nullable types keep their type if some are missing."""
    y = pd.Series(np.array(values)[(table["label"] == "fraud").astype(int)]).astype(kind).where(table.index % 5 > 0)
    classes = fast().fit(table.drop(columns="label"), y).classes_
    assert classes.tolist() == values and {type(c) for c in classes.tolist()} == {type(v) for v in values}


@pytest.mark.parametrize(("estimator", "y", "message"), [
    (ehgnn.EdgeRegressor, pd.Series(pd.date_range("2024", periods=400)), "y has times"),
    (ehgnn.EdgeClassifier, ["x"] * 400, "y has 1 class, 'x'"),
    (ehgnn.EdgeClassifier, (i % 2 for i in range(400)), "got a generator"),
    (ehgnn.EdgeClassifier, pd.Series([1.5, 2.5] * 200, dtype="Float64"), "continuous"),
])
def test_refuses_labels(estimator: Any, y: Any, message: str, table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=message):
        estimator(quality="fast").fit(table.drop(columns="label"), y)


def test_labels_of_an_index(table: pd.DataFrame) -> None:
    edges, y = table.drop(columns="label"), table["label"]
    for labels in (pd.Index(y), y.astype(object), y.astype("string")):
        assert fast().fit(edges, labels).classes_.tolist() == ["fine", "fraud"]


def test_unknown_labels(table: pd.DataFrame) -> None:
    y = table["label"].where(table.index % 5 > 0)
    model = fast().fit(table.drop(columns="label"), y)
    assert model.classes_.tolist() == ["fine", "fraud"]
    assert len(model.predict(table.drop(columns="label"))) == len(table)


def test_positions(table: pd.DataFrame) -> None:
    array = table[["amount", "source", "target"]].to_numpy()
    model = fast(source=1, target=2).fit(array, table["label"])
    assert model.n_features_in_ == 3 and not hasattr(model, "feature_names_in_")
    assert model.predict(array[:4]).shape == (4,)
    with pytest.raises(ValueError, match="source=0, target=1"):
        fast().fit(array, table["label"])
    with pytest.raises(ValueError, match="no position"):
        fast(source=1, target=7).fit(array, table["label"])
    with pytest.raises(ValueError, match="2 features"):
        model.predict(array[:, :2])


def test_nodes(table: pd.DataFrame) -> None:
    nodes = pd.DataFrame({"id": range(40), "country": ["de", "fr"] * 20})
    model = fast().fit(table, nodes=nodes)
    want = model.predict_proba(table)
    np.testing.assert_array_equal(model.predict_proba(table.head(7), nodes=nodes), model.predict_proba(table.head(7)))
    assert want.shape == (400, 2)
    with pytest.raises(ValueError, match='edge 0 is at node "99", which is not a node of the context'):
        model.predict(table.head(1).assign(source=99))
    renamed = nodes.rename(columns={"id": "other"})
    np.testing.assert_array_equal(fast().fit(table, nodes=renamed).predict_proba(table), want)
    with pytest.raises(ValueError, match=r"nodes"):
        fast().fit(table, nodes=renamed.assign(other=range(100, 140)))


def test_nodes_of_both_ends(table: pd.DataFrame) -> None:
    ratings = table.rename(columns={"source": "userId", "target": "movieId"})
    users = pd.DataFrame({"userId": range(40), "country": ["de", "fr"] * 20})
    films = pd.DataFrame({"movieId": range(40), "year": range(1980, 2020)})
    model = fast().fit(ratings, nodes=[users, films])
    one, new = ratings.head(7), ratings.head(1).assign(userId=99)
    np.testing.assert_array_equal(model.predict_proba(one, nodes=(films, users)), model.predict_proba(one))
    np.testing.assert_array_equal(model.predict_proba(one, nodes=[users, films], context=None), model.predict_proba(one, context=None))
    assert (model.predict_proba(one, nodes=[users.assign(country="fr"), films], context=None) != model.predict_proba(one, context=None)).any()
    with pytest.raises(ValueError, match='node "userId 99", which is not a node of the context'):
        model.predict(new)
    with pytest.raises(ValueError, match="another number of tables than fit had: 1"):
        model.predict(new, nodes=users)
    with pytest.raises(ValueError, match="a list of 3 tables"):
        fast().fit(ratings, nodes=[users, films, films])


def test_groups(table: pd.DataFrame) -> None:
    model = fast().fit(table, groups=table["source"] % 10)
    config = (model._fitted().path / "config.yaml").read_text()
    assert "kind: group" in config
    assert len(model.predict(table)) == 400


def test_regression(table: pd.DataFrame) -> None:
    y = 2 * table["amount"] + 1
    model = ehgnn.EdgeRegressor(quality="fast").fit(table.drop(columns="label"), y)
    assert model.score(table.drop(columns="label"), y) > 0.8
    order = model.rank(table.drop(columns="label"), top=5)
    assert model.predict(table.drop(columns="label"))[order[0]] == model.predict(table.drop(columns="label")).max()


def test_results(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    assert fitted.transform(table.head(3)).shape[0] == 3
    assert 0 < fitted.scores_["accuracy"] <= 1
    order = fitted.rank(table, top=10, of="fraud")
    assert (table["label"].iloc[order] == "fraud").mean() > 0.8
    with pytest.raises(ValueError, match="expected one of"):
        fitted.rank(table, of="theft")
    explained = fitted.explain(table, [0, 3])
    assert [e["edge"] for e in explained] == ["0", "3"]
    for e in explained:
        parts = [*e["columns"], *e["edges"], *e.get("rest", [])]
        assert abs(e["base"] + sum(c["contribution"] for c in parts) - e["value"]) < 1e-3
    assert "edges" not in fitted.explain(table, 0, method="columns")[0]
    assert fitted.explain(table, []) == []
    with pytest.raises(ValueError, match="top is -1"):
        fitted.rank(table, top=-1)
    around = fitted.explain(table, [0], method="occlusion")
    assert around[0]["explanation"]["item"]["name"] == "0"
    assert "<html" in fitted.report().html and "iframe" in fitted.report()._repr_html_()
    assert "95 % interval" in fitted._repr_html_() and "EdgeClassifier" in fitted._repr_mimebundle_()["text/plain"]


def test_plots(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    assert fitted.plot_curves().get_xlabel() == "epoch"
    for method in ["columns", "occlusion"]:
        assert fitted.plot_explanation(fitted.explain(table, 1, method=method)[0]).get_yticks().size > 0


@pytest.mark.parametrize(("edges", "message"), [
    ({"source": [1, 2], "target": [2], "x": [1, 2]}, "rows"),
    ({"source": [1, 2], "target": [2, 3], "x": [1, "a"]}, "types int, str"),
    (pd.DataFrame({"source": [1, 2], "target": [2, 3], "x": [1, "a"]}), r"column 'x' has values of the types int, str: .*; astype\(str\) makes texts"),
    (pd.DataFrame([[1, 2, 3]] * 3, columns=["source", "target", "target"]), "more than once"),
    (pd.DataFrame({"source": [], "target": []}), "0 sample"),
    (pd.Series([1, 2]), "1D array"),
    (None, "is None"),
    ([{"source": 1, "target": 2}], "list of rows"),
    (pd.DataFrame({"source": [1, 2], "target": [2, 3], "x": ["\ud800", "a"]}, dtype=object), "column 'x'"),
    (pd.DataFrame({"a": [1, 2], "b": [2, 3], "label": ["x", "y"]}), "no two columns"),
])
def test_refuses(edges: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fast().fit(edges)


def test_refuses_a_setting(table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="--quality"):
        ehgnn.EdgeClassifier(quality="superb").fit(table)
    with pytest.raises(ValueError, match="row|line"):
        fast(decimal="comma", time_format="day-first").fit(table.assign(time="31.31.2024"))


@pytest.mark.parametrize("values", [
    np.arange(5, dtype=np.int8), np.arange(5, dtype=np.uint64), np.array([1.5, np.nan, -0.0]), np.array([1, 2], np.float16), np.array([True, False, True]),
    np.array(["a", "é", ""]), np.array(["a", None, "b"], object), np.array([1, None, 3], object), np.array([1.5, None, 2], object),
    np.array([True, None], object), np.array(["2020-01-01", "NaT"], "datetime64[ns]"), np.array(["2020-01-01"], "datetime64[D]"), np.zeros(0),
    np.ma.masked_array([1, 2, 3], [False, True, False]),
])
def test_arrow_files(values: np.ndarray, tmp_path: Any) -> None:
    """pyarrow reads the files that are written without an Arrow library."""
    path = str(tmp_path / "t.arrow")
    _ipc.write(path, {"v": values, "w": values})
    table = pa.ipc.open_stream(path).read_all()
    table.validate(full=True)
    want = [1, None, 3] if np.ma.isMaskedArray(values) else pd.Series(values).tolist()
    for got, expected in zip(table["w"].to_pylist(), want):
        missing = expected is None or expected is pd.NaT or expected != expected
        assert (got is None or got != got) if missing else got == expected, (got, expected)
    assert len(table) == len(values)


def test_without_arrow(monkeypatch: pytest.MonkeyPatch, table: pd.DataFrame, fitted: ehgnn.EdgeClassifier) -> None:
    want = fitted.predict_proba(table, context=None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("ehgnn._frames._has", lambda module: False)
    np.testing.assert_array_equal(fitted.predict_proba(table.convert_dtypes(), context=None), want)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        Frame(pa.table({"a": [1]}))
