"""The estimator of links: missing edges, future edges, recommendations."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ehgnn._edgebase import ends_of
from ehgnn._estimator import Estimator
from ehgnn._frames import Frame, write_nodes
from ehgnn._run import Run, as_float
from ehgnn._settings import LinkSettings

if TYPE_CHECKING:
    from typing import TypeVar

    Self = TypeVar("Self", bound="LinkPredictor")

__all__ = ["LinkPredictor"]

Array = NDArray[Any]

_FLAGS = {"known", "popular", "cold", "source_seen", "target_seen"}


class LinkPredictor(Estimator, LinkSettings):
    """Scores pairs of nodes that may be joined by an edge, and recommends partners.

    Attributes
    ----------
    run_ : str
        The run folder.
    scores_ : dict
        Scores on the test pairs, which are not trained on. A key has the form of negatives and the score, such as all/mrr.

    Examples
    --------
    >>> from ehgnn import LinkPredictor
    >>> pairs = [(u, v) for u in range(24) for v in range(u + 1, 24) if u % 2 == v % 2 and (u + v) % 10]
    >>> friends = {"source": [u for u, _ in pairs], "target": [v for _, v in pairs]}
    >>> model = LinkPredictor(edges="undirected", model="trees").fit(friends)
    >>> model.recommend([0], top=2)["source"].tolist()
    ['0', '0']

    The context gives the edges of a node that was not in the training:

    >>> met = {"source": ["new", "new", "new"], "target": [2, 4, 6]}
    >>> bool(model.recommend(["new"], top=1, context=met)["cold"][0])
    True

    Probabilities need the share of links among the pairs:

    >>> found = model.predict({"source": [0, 0], "target": [10, 1]}, prior=0.1)
    >>> found["probability"].shape
    (2,)
    """

    _task = "link-prediction"

    def fit(self: Self, edges: Any, y: Any = None, *, nodes: Any = None, resume: bool = False) -> Self:
        """Train on the existing edges.

        Parameters
        ----------
        edges : frame, mapping of columns or array of shape (n_edges, n_columns)
            One row per edge with its source and its target, and its time if ``time`` names a column.
        y : None
            Not used: the edges are the labels.
        nodes : frame or list of two, optional
            One row per node with its id and its features. In a list of two, each table has the nodes of one end of the
            edges, and its column of ids has the name of that end.
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
        frame = Frame(edges)
        self.__dict__.pop("run_", None)
        run = self._begin(resume)
        decided = ends_of(self, frame)
        if not resume:
            frame.write(str(run.data / "edges.arrow"))
            if nodes is not None:
                write_nodes(nodes, run.data)
        self._train(run, decided, resume)
        return self

    @property
    def scores_(self) -> dict[str, float]:
        """Scores on the test pairs, as "all/mrr": the form of the negatives and the name of the score."""
        tables = json.loads((self._fitted().path / "metrics.json").read_text(encoding="utf-8"))["tables"]
        return {f"{table['form']}/{name}": found["mean"] for table in tables for row in table["rows"] if row.get("model") for name, found in row["scores"].items()}

    def recommend(
        self,
        ids: Any = None,
        *,
        top: int = 10,
        side: str = "target",
        among: Any = None,
        include_known: bool = False,
        why: bool = False,
        exact: bool = False,
        context: Any = None,
    ) -> dict[str, Array]:
        """Return the best partners of nodes.

        Parameters
        ----------
        ids : sequence
            The nodes, by their ids in the table. A repeated node is listed once.
        top : int, default 10
            The number of partners of each node.
        side : {"target", "source"}, default "target"
            The side of the partners, in a directed or bipartite graph.
        among : sequence, optional
            The ids of the partners to choose from. Default: all.
        include_known : bool, default False
            Also rank known partners.
        why : bool, default False
            Add a column with the reasons for each partner.
        exact : bool, default False
            Score every candidate. By default only likely candidates are scored if all of them would need more than
            2·10⁸ scores of a model that does not multiply vectors.
        context : frame, mapping of columns or array, optional
            Further edges in the graph, with the columns of the table of ``fit``. Their nodes may be new.

        Returns
        -------
        dict of ndarray
            A table with a row for each node and partner, the best first: source, target, rank, score and
            columns that depend on the graph. Ids are texts; known, popular and cold are booleans.
            ``pandas.DataFrame(...)`` accepts it.
        """
        run = self._fitted()
        args = [f"--top={top}", f"--side={side}"]
        args += ["--include-known"] if include_known else []
        args += ["--why"] if why else []
        args += ["--exact"] if exact else []
        with run.scratch() as folder:
            for flag, some in (("--for-file", ids), ("--among", among)):
                if some is not None:
                    path = folder / flag.strip("-")
                    path.write_text("".join(f"{name}\n" for name in _ids(some)), encoding="utf-8")
                    args.append(f"{flag}={path}")
            return _table(run, "recommend", *args, *_context(folder, context))

    def missing_links(self, top: int = 1000, *, why: bool = False, exact: bool = False, context: Any = None) -> dict[str, Array]:
        """Return the missing pairs of the whole graph with the highest scores.

        Parameters
        ----------
        top : int, default 1000
            The number of pairs.
        why, exact, context
            As in `recommend`. Pairs of ``context`` are known. New nodes can be in missing pairs.

        Returns
        -------
        dict of ndarray
            A table like that of `recommend`.
        """
        run = self._fitted()
        args = [f"--top-links={top}"]
        args += ["--why"] if why else []
        args += ["--exact"] if exact else []
        with run.scratch() as folder:
            return _table(run, "recommend", *args, *_context(folder, context))

    def decision_function(self, pairs: Any, *, context: Any = None) -> Array:
        """Return a score for each pair. A higher score is more likely; scores are no probabilities.

        Parameters
        ----------
        pairs : frame, mapping of columns or array of shape (n_pairs, 2)
            The sources and the targets, in the first two columns or in columns of these names.
        context : frame, mapping of columns or array, optional
            Further edges in the graph, as in `recommend`.

        Returns
        -------
        ndarray of shape (n_pairs,), float64
        """
        return as_float(self.predict(pairs, context=context)["score"])

    def predict(self, pairs: Any, *, context: Any = None, prior: float | None = None) -> dict[str, Array]:
        """Return scores of pairs, and whether the pairs and their nodes are known.

        Parameters
        ----------
        pairs : frame, mapping of columns or array of shape (n_pairs, 2)
            The sources and the targets, in the first two columns or in columns of these names.
        context : frame, mapping of columns or array, optional
            Further edges in the graph, as in `recommend`.
        prior : float, optional
            The share of links among the pairs. It adds a column of probabilities.

        Returns
        -------
        dict of ndarray
            A table with a row for each pair, in their order: source and target as texts, score, probability if
            prior is given, and the booleans known, source_seen, target_seen and cold.
        """
        run, frame = self._fitted(), Frame(pairs)
        names = frame.names
        ends = ["source", "target"] if {"source", "target"} <= set(names) else names[:2]
        if len(ends) < 2:
            raise ValueError(f"pairs has the columns {names}, expected a source and a target")
        with run.scratch() as folder:
            ids = list(zip(frame.values(ends[0]).tolist(), frame.values(ends[1]).tolist()))
            place = {pair: i for i, pair in enumerate(dict.fromkeys(ids))}  # the program scores each pair once
            table = Frame({name: [pair[side] for pair in place] for side, name in enumerate(("source", "target"))}, "pairs")
            table.write(str(folder / "pairs.arrow"))
            args = [] if prior is None else [f"--prior={prior}"]
            found = _table(run, "predict", f"--candidates={folder / 'pairs.arrow'}", *args, *_context(folder, context))
            return {name: column[[place[pair] for pair in ids]] for name, column in found.items()}


def _context(folder: pathlib.Path, edges: Any) -> list[str]:
    """Write further edges into a folder and return the argument with their file."""
    if edges is None:
        return []
    Frame(edges, "context").write(str(folder / "context.arrow"))
    return [f"--context={folder / 'context.arrow'}"]


def _table(run: Run, verb: str, *args: str) -> dict[str, Array]:
    """Run a command that writes a table and return its columns. Columns of true and false are booleans."""
    found = run.table(verb, *args)
    return {name: column == "true" if name in _FLAGS else column for name, column in found.items()}


def _ids(values: Any) -> list[str]:
    """Return ids in the form of the program's files: whole numbers have no fraction."""
    out = []
    for v in np.asarray(values, object).ravel().tolist():
        if isinstance(v, float) and v.is_integer():
            v = int(v)
        text = str(v)
        if "\n" in text or "\r" in text:
            raise ValueError(f"id {text!r} has a line break, and the program reads an id on each line")
        out.append(text)
    return out
