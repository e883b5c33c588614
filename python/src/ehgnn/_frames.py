"""Tables as Arrow files: arrays, dicts of columns, and frames of any library."""

from __future__ import annotations

import copy
import functools
import importlib.util
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ehgnn import _ipc

__all__ = ["NODE_FILES", "Frame", "is_pandas", "pandas_values", "values_of", "write_nodes"]

Array = NDArray[Any]

NODE_FILES = ("nodes.arrow", "more_nodes.arrow")  # files of a table of nodes and of a second one


def write_nodes(nodes: Any, folder: pathlib.Path, fitted: pathlib.Path | None = None) -> None:
    """Write a table of nodes, or a list of two; the number must be the same as in the fitted folder."""
    several = isinstance(nodes, tuple) or (isinstance(nodes, list) and nodes and not isinstance(nodes[0], Mapping))
    tables = list(nodes) if several else [nodes]
    if not 1 <= len(tables) <= len(NODE_FILES):
        raise ValueError(f"nodes is a list of {len(tables)} tables, expected one, or two, of the nodes of each end of edges")
    if fitted is not None and (fitted / NODE_FILES[1]).exists() != (len(tables) == len(NODE_FILES)):
        raise ValueError(f"nodes has another number of tables than fit had: {len(tables)}")
    for table, name in zip(tables, NODE_FILES, strict=False):
        Frame(table, "nodes").write(str(folder / name))


class Frame:
    """A table with named columns, to which columns can be added or replaced.

    Parameters
    ----------
    table : object
        A frame of pandas, polars, pyarrow, duckdb or another with ``__arrow_c_stream__``, a mapping
        of names to columns, or an array of two dimensions.
    what : str
        The name of the table in errors.
    """

    def __init__(self, table: Any, what: str = "edges") -> None:
        self.named = True
        self._added: dict[str, Array] = {}
        self._dropped: set[str] = set()
        self._table: Any
        if hasattr(table, "toarray"):
            raise TypeError(f"Sparse data was passed for {what}, but dense data is required. Use '.toarray()' to convert to a dense array.")
        if _module_of(table) == "polars" and hasattr(table, "collect"):  # a lazy frame
            table = table.collect()
        if isinstance(table, np.ndarray) and table.dtype.names:
            table = {n: table[n] for n in table.dtype.names}
        if isinstance(table, list) and table and isinstance(table[0], Mapping):
            raise ValueError(f"{what} is a list of rows, expected 2D array, a frame or columns: pandas.DataFrame({what}) makes a frame")
        if isinstance(table, Mapping):
            self._table = {str(k): _column(v) for k, v in table.items()}
            if len({len(c) for c in self._table.values()}) > 1:
                raise ValueError(f"the columns of {what} have {sorted({len(c) for c in self._table.values()})} rows, expected one number")
        elif is_pandas(table):
            self._table = _from_pandas(table)
        elif hasattr(table, "__arrow_c_stream__"):
            self._table = _from_stream(table)
        else:
            array = check_array(table, what)
            self.named = False
            self._table = {f"x{i}": array[:, i] for i in range(array.shape[1])}
        if self.named:
            _check_names(self.names, what)
            if self.rows == 0:
                raise ValueError(f"{what}: found array with 0 sample(s) (shape=(0, {len(self.names)})) while a minimum of 1 is required.")

    def copy(self) -> Frame:
        """Return a copy. Columns added to it are not added to this table."""
        other = copy.copy(self)
        other._added, other._dropped = dict(self._added), set(self._dropped)
        return other

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        own = list(self._table) if isinstance(self._table, dict) else list(_column_names(self._table))
        return [n for n in own if n not in self._dropped and n not in self._added] + list(self._added)

    @property
    def rows(self) -> int:
        """The number of rows."""
        if isinstance(self._table, dict):
            return len(next(iter(self._table.values()))) if self._table else 0
        return int(len(self._table))

    def add(self, name: str, values: Any) -> None:
        """Add a column, or replace the column with this name."""
        column = _column(values)
        if len(column) != self.rows:
            raise ValueError(f"column {name!r} has {len(column)} rows and the table {self.rows}: inconsistent numbers of samples")
        self._added[name] = column

    def select(self, names: list[str]) -> None:
        """Keep only the named columns, in this order."""
        if isinstance(self._table, dict):
            self._table = {n: self._table[n] for n in names}
        else:
            self._table = self._table.select(names)

    def drop(self, name: str) -> None:
        """Remove a column."""
        self._dropped.add(name)
        self._added.pop(name, None)

    def values(self, name: str, part: slice = slice(None)) -> Array:
        """Return a column or a part of it as an array. Missing values are None or NaN."""
        if name in self._added:
            return self._added[name][part]
        found: Array = self._table[name][part]
        return found if isinstance(self._table, dict) else values_of(found)

    def distinct(self, name: str) -> Array:
        """Return the distinct values of a column, in any order."""
        if name not in self._added and not isinstance(self._table, dict):
            return values_of(self._table[name].unique())
        return self.values(name)

    def write(self, path: str) -> None:
        """Write the table as an Arrow file."""
        try:
            self._write(path)
        except OSError as error:
            raise OSError(error.errno, f"the table cannot be written, {error.strerror}", path) from error

    def _write(self, path: str) -> None:
        names = self.names
        if isinstance(self._table, dict):
            _ipc.write(path, {n: self._added[n] if n in self._added else self._table[n] for n in names})
        elif _module_of(self._table) == "polars":
            import polars as pl

            added = [pl.Series(n, v.tolist() if v.dtype.kind in "OU" else v) for n, v in self._added.items()]
            self._table.with_columns(added).select(names).write_ipc(path, compat_level=pl.CompatLevel.oldest())
        else:
            import pyarrow as pa

            table = self._table
            for name, values in self._added.items():
                column = pa.array(values.tolist() if values.dtype.kind == "U" else values, from_pandas=True)
                at = table.schema.get_field_index(name)
                table = table.append_column(name, column) if at < 0 else table.set_column(at, name, column)
            table = table.select(names).replace_schema_metadata(None)
            with pa.OSFile(path, "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
                writer.write_table(table)


def check_array(table: Any, what: str) -> Array:
    """Return an array of two dimensions with numbers or objects, or raise an error that says what is wrong."""
    array = np.asarray(table)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.ndim != 2:
        raise ValueError(f"{what}: expected 2D array, got {array.ndim}D array instead. Reshape your data either using array.reshape(-1, 1) "
                         "if your data has a single feature or array.reshape(1, -1) if it contains a single sample.")
    for axis, unit in enumerate(("sample", "feature")):
        if array.shape[axis] == 0:
            raise ValueError(f"{what}: 0 {unit}(s) (shape={array.shape}) while a minimum of 1 is required.")
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError(f"{what} contains infinity or a value too large for {array.dtype}.")
    return array


def values_of(column: Any) -> Array:
    """Return a column of any library as an array; missing values are None or NaN."""
    if is_pandas(column) or isinstance(column, np.ndarray):
        return _column(column)
    if hasattr(column, "to_pylist"):  # of pyarrow
        return _column(np.array(column.to_pylist(), object))
    if hasattr(column, "to_list"):  # of polars
        return _column(np.array(column.to_list(), object))
    return _column(column)


def _column(values: Any) -> Array:
    """Return the values as an array of one dimension. Texts and missing values are objects."""
    if isinstance(values, np.ndarray):
        array = values
    elif is_pandas(values):
        array = pandas_values(values)
    elif hasattr(values, "to_numpy") and not hasattr(values, "to_pylist"):
        array = np.asarray(values.to_numpy())
    else:
        found = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
        array = np.empty(len(found), object)
        array[:] = found
        if found and all(isinstance(v, (bool, int, float, np.number, np.bool_)) for v in found):
            array = np.asarray(found)
    if array.ndim != 1:
        raise ValueError(f"a column has {array.ndim} dimensions, expected 1")
    return array


def pandas_values(series: Any) -> Array:
    """Return a pandas column. Missing values are None in types that numpy does not have."""
    if isinstance(series.dtype, np.dtype):
        return np.asarray(series.to_numpy())
    if getattr(series.dtype, "kind", "") == "f":
        return np.asarray(series.to_numpy(np.float64, na_value=np.nan))
    if getattr(series.dtype, "tz", None) is not None:
        return np.asarray(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    return np.asarray(series.astype(object).where(series.notna(), None).to_numpy(dtype=object))


def is_pandas(table: Any) -> bool:
    """Report whether this is a pandas frame, column or index."""
    return _module_of(table) == "pandas"


def _module_of(table: Any) -> str:
    return type(table).__module__.partition(".")[0]


@functools.cache
def _has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _column_names(table: Any) -> list[str]:
    return list(table.columns) if _module_of(table) == "polars" else list(table.column_names)


def _check_names(names: list[str], what: str) -> None:
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ValueError(f"{what} has the column {twice[0]!r} more than once")


def _from_pandas(frame: Any) -> Any:
    """Return the columns of a frame. Its index is not a column."""
    if frame.ndim != 2:
        raise ValueError("expected 2D array, got 1D array instead: edges are a frame and not a column of one. Reshape your data.")
    names = [str(name) for name in frame.columns]
    _check_names(names, "the frame")
    series = [_plain(frame.iloc[:, i]) for i in range(len(names))]
    if not _has("pyarrow"):
        return {name: pandas_values(s) for name, s in zip(names, series)}
    import pyarrow as pa

    columns = []
    for name, s in zip(names, series):
        try:
            columns.append(pa.Array.from_pandas(s))
        except OverflowError:  # integers too large for Arrow
            columns.append(pa.Array.from_pandas(_texts(s)))
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, UnicodeEncodeError) as error:
            types = ", ".join(sorted({type(v).__name__ for v in s.dropna()}))
            raise ValueError(f"column {name!r} has values of the types {types}: {error}; astype(str) makes texts of them: "
                             "argument must be a string or a number") from error
    return pa.table([pa.chunked_array([c]) if isinstance(c, pa.Array) else c for c in columns], names=names)


def _plain(series: Any) -> Any:
    """Return a pandas column with a type that Arrow has: sparse becomes dense, byte order native, intervals text."""
    import pandas as pd

    if isinstance(series.dtype, pd.SparseDtype):
        return series.sparse.to_dense()
    if isinstance(getattr(getattr(series.dtype, "categories", series), "dtype", None), pd.IntervalDtype):
        return _texts(series)
    if isinstance(series.dtype, np.dtype) and not series.dtype.isnative:
        return series.astype(series.dtype.newbyteorder("="))
    return series


def _texts(series: Any) -> Any:
    return series.astype(object).map(str, na_action="ignore")


def _from_stream(table: Any) -> Any:
    if _module_of(table) == "polars":
        return table
    if _has("pyarrow"):
        import pyarrow as pa

        return pa.table(table)
    if _has("polars"):
        import polars as pl

        return pl.DataFrame(table)
    if _has("nanoarrow"):
        import nanoarrow as na

        array = na.Array(na.ArrayStream(table).read_all())
        names = [f.name for f in array.schema.fields]
        return {n: _column(list(array.child(i).iter_py())) for i, n in enumerate(names)}
    raise ImportError(f"a {type(table).__name__} is read through Arrow, which needs pyarrow, polars or nanoarrow: pip install pyarrow")
