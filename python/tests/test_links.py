"""LinkPredictor gives the same scores and recommendations as the command line."""

from __future__ import annotations

import pathlib
import pickle
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ehgnn


@pytest.fixture(scope="module")
def friends() -> pd.DataFrame:
    """Return two groups whose members know each other, with some pairs missing."""
    rng = np.random.default_rng(0)
    pairs = [(u, v) for u in range(60) for v in range(u + 1, 60) if u % 2 == v % 2 and rng.random() < 0.3]
    return pd.DataFrame(pairs, columns=["source", "target"])


@pytest.fixture(scope="module")
def fitted(friends: pd.DataFrame) -> ehgnn.LinkPredictor:
    return ehgnn.LinkPredictor(edges="undirected", model="trees", negatives=["uniform", "all"]).fit(friends)


def test_command_line(fitted: ehgnn.LinkPredictor, friends: pd.DataFrame, tmp_path: pathlib.Path) -> None:
    friends.to_csv(tmp_path / "friends.csv", index=False)
    program = str(ehgnn.find_binary())
    subprocess.run([program, "train", tmp_path / "friends.csv", "--task", "link-prediction", "--edges", "undirected", "--model", "trees",
                    "--negatives", "uniform,all", "--out", tmp_path / "run", "--quiet"], check=True)
    subprocess.run([program, "recommend", tmp_path / "run", "--for", "3,4", "--top", "5", "--out", tmp_path / "top.csv", "--quiet"], check=True)
    want = pd.read_csv(tmp_path / "top.csv", dtype={"source": str, "target": str})
    found = pd.DataFrame(fitted.recommend([3, 4], top=5))
    assert found.columns.tolist() == want.columns.tolist()
    assert found["target"].tolist() == want["target"].tolist()
    np.testing.assert_allclose(found["score"], want["score"], rtol=1e-6)
    assert 0 < fitted.scores_["all/mrr"] <= 1
    assert "uniform/" in " ".join(fitted.scores_)


def test_scores(fitted: ehgnn.LinkPredictor) -> None:
    pairs = pd.DataFrame({"source": [0, 0, 1], "target": [2, 1, 3]})
    score = fitted.decision_function(pairs)
    assert score.shape == (3,)
    assert min(score[0], score[2]) > score[1]  # pairs within a group, and across
    np.testing.assert_array_equal(fitted.decision_function(pl.from_pandas(pairs)), score)
    np.testing.assert_array_equal(fitted.decision_function(pairs.to_numpy()[::-1]), score[::-1])


def test_recommend(fitted: ehgnn.LinkPredictor, friends: pd.DataFrame) -> None:
    known = set(map(tuple, friends.to_numpy().tolist()))
    found = fitted.recommend(np.array([5.0, 6.0]), top=3, why=True)
    assert found["source"].tolist() == ["5"] * 3 + ["6"] * 3
    for u, v in zip(found["source"].astype(int), found["target"].astype(int)):
        assert (min(u, v), max(u, v)) not in known
    assert set(fitted.recommend([5], among=[7, 8], include_known=True)["target"]) <= {"7", "8"}
    assert fitted.recommend([5, 6, 5], top=3)["source"].tolist() == ["5"] * 3 + ["6"] * 3


def test_missing_links(fitted: ehgnn.LinkPredictor) -> None:
    found = fitted.missing_links(4)
    assert len(found["score"]) == 4
    exact = fitted.missing_links(4, exact=True, why=True)
    assert exact["target"].tolist() == found["target"].tolist()
    assert len(exact["why"]) == 4 and all(exact["why"])
    pairs = set(zip(found["source"], found["target"]))
    met = {"source": found["source"].tolist(), "target": found["target"].tolist()}
    other = fitted.missing_links(4, context=met)  # pairs of the context are no longer missing
    assert not pairs & set(zip(other["source"], other["target"]))
    assert fitted.recommend([5], top=3, exact=True)["target"].tolist() == fitted.recommend([5], top=3)["target"].tolist()


def test_predict(fitted: ehgnn.LinkPredictor, friends: pd.DataFrame, tmp_path: pathlib.Path) -> None:
    pairs = pd.DataFrame({"source": [0, 0, 1, 0], "target": [2, 1, 3, 2]})  # the last pair repeats the first
    found = fitted.predict(pairs, prior=0.1)
    assert found["target"].tolist() == ["2", "1", "3", "2"]
    np.testing.assert_array_equal(found["score"], fitted.decision_function(pairs))
    assert found["score"][0] == found["score"][3]
    assert (found["probability"] > 0).all() and found["probability"][0] > found["probability"][1]
    assert "probability" not in fitted.predict(pairs)
    known = set(map(tuple, friends.to_numpy().tolist()))
    assert found["known"].tolist() == [(min(u, v), max(u, v)) in known for u, v in pairs.to_numpy().tolist()]
    with pytest.raises(ValueError, match="--prior is 2"):
        fitted.predict(pairs, prior=2)


def test_context(fitted: ehgnn.LinkPredictor, friends: pd.DataFrame, tmp_path: pathlib.Path) -> None:
    met = pd.DataFrame({"source": ["new", "new", "new"], "target": [2, 4, 8]})
    pairs = pd.DataFrame({"source": ["new"], "target": [6]})
    with pytest.raises(ValueError, match="is no node"):
        fitted.predict(pairs)
    found = fitted.predict(pairs, context=met, prior=0.2)
    assert found["cold"].tolist() == [True] and found["source_seen"].tolist() == [True] and found["known"].tolist() == [False]
    assert fitted.decision_function(pairs, context=pl.from_pandas(met)) == found["score"]
    top = fitted.recommend(["new"], top=5, context=met)
    assert top["cold"].all() and not top["known"].any() and not top["popular"].any()
    assert {int(v) % 2 for v in top["target"]} == {0}  # the group of its friends
    friends.to_csv(tmp_path / "friends.csv", index=False)
    met.to_csv(tmp_path / "met.csv", index=False)
    pairs.to_csv(tmp_path / "pairs.csv", index=False)
    program = str(ehgnn.find_binary())
    subprocess.run([program, "train", tmp_path / "friends.csv", "--task", "link-prediction", "--edges", "undirected", "--model", "trees",
                    "--negatives", "uniform,all", "--out", tmp_path / "run", "--quiet"], check=True)
    subprocess.run([program, "predict", tmp_path / "run", "--candidates", tmp_path / "pairs.csv", "--context", tmp_path / "met.csv", "--prior", "0.2",
                    "--out", tmp_path / "out.csv", "--quiet"], check=True)
    want = pd.read_csv(tmp_path / "out.csv")
    assert list(found) == want.columns.tolist()
    for name in ("score", "probability"):
        np.testing.assert_allclose(found[name], want[name], rtol=1e-6)


def test_context_by_time() -> None:
    rng = np.random.default_rng(1)
    u = rng.integers(0, 30, 400)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(400) * 6, unit="h")
    sent = pd.DataFrame({"source": u, "target": (u + 2 * rng.integers(1, 5, 400)) % 30, "time": when})
    model = ehgnn.LinkPredictor(split="time", time="time", model="trees").fit(sent)
    late = pd.DataFrame({"source": ["new"] * 3, "target": [2, 4, 6], "time": pd.Timestamp("2024-06-01")})
    assert model.recommend(["new"], top=3, context=late)["cold"].all()
    with pytest.raises(ValueError, match='no column "time" of times'):
        model.recommend(["new"], context=late[["source", "target"]])


def test_files(fitted: ehgnn.LinkPredictor, tmp_path: pathlib.Path) -> None:
    want = fitted.recommend([1], top=4)
    fitted.save(tmp_path / "saved")
    for other in (ehgnn.LinkPredictor.load(tmp_path / "saved"), pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_array_equal(other.recommend([1], top=4)["score"], want["score"])


def test_errors(fitted: ehgnn.LinkPredictor, friends: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="nobody"):
        fitted.recommend(["nobody"])
    with pytest.raises(ValueError, match="line break"):
        fitted.recommend(["a\nb"])
    with pytest.raises(ValueError, match="source and a target"):
        fitted.decision_function(pd.DataFrame({"source": [1]}))
    with pytest.raises(ehgnn.NotFittedError):
        ehgnn.LinkPredictor().recommend([1])
    with pytest.raises(ValueError, match="names of columns"):
        ehgnn.LinkPredictor().fit(friends.to_numpy())
    assert ehgnn.LinkPredictor(source=0, target=1, edges="undirected", model="trees").fit(friends.to_numpy()).scores_
