"""Conversion between the classes of y and the program's names of classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ehgnn._frames import is_pandas, pandas_values

__all__ = ["classes_of", "equal", "match", "missing_in", "names_of", "parts", "places_of", "target"]

Array = NDArray[Any]


def target(y: Any, rows: int, number: bool) -> Array:
    """Return y as an array of one dimension, or raise an error. None and NaN are missing labels."""
    if _is_texts(y):
        y = _texts(y)
    elif is_pandas(y) and y.ndim == 1:
        import pandas as pd

        y = pandas_values(pd.Series(y))  # y may also be an index or an array
    elif hasattr(y, "to_numpy"):
        y = y.to_numpy()
    elif hasattr(y, "to_pylist"):
        y = y.to_pylist()
    values = np.asarray(y)
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{values}\n")
    if values.ndim == 2 and values.shape[1] == 1:
        _warn_column(values)
        values = values[:, 0]
    if values.ndim == 0:
        raise ValueError(f"y should be a 1d array, got a {type(y).__name__} instead.")
    if values.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {values.shape} instead. MultiOutputRegressor and MultiOutputClassifier of sklearn.multioutput fit a model for each column.")
    if len(values) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(values)}]")
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    if number:
        if values.dtype.kind in "mM":
            raise ValueError("y has times, expected numbers: say in which unit, as in (y - y.min()).dt.total_seconds()")
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"y has values that are no numbers: {error}") from error
        if np.isnan(values).all():
            raise ValueError("Input y contains NaN alone: no row has a label.")
        return values
    if values.dtype.kind == "f":
        there = values[~np.isnan(values)]
        if (there != np.round(there)).any():
            raise ValueError("Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete classes on a "
                             "regression target with continuous values.")
    return values


def _is_texts(y: Any) -> bool:
    """Report whether y is a pandas column of texts, which should share one object per distinct text."""
    return is_pandas(y) and str(getattr(y, "dtype", "")) in ("str", "string", "object")


def _texts(y: Any) -> Array:
    import pandas as pd

    out, known = np.empty(len(y), object), dict[Any, Any]()
    for part in parts(len(y)):
        codes, values = pd.factorize(pd.Series(y.array[part]))  # y is a series or an index
        out[part] = np.array([*(known.setdefault(v, v) for v in values), None], object)[codes]
    return out


def _warn_column(values: Array) -> None:
    import warnings

    try:
        from sklearn.exceptions import DataConversionWarning as Kind
    except ImportError:
        Kind = UserWarning
    warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), "
                  "for example using ravel().", Kind, stacklevel=5)


def missing_in(values: Array) -> Array:
    """Return a mask of missing labels."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), bool)
    try:
        return np.asarray(np.equal(values, np.array(None, object)) | np.not_equal(values, values), bool)
    except (TypeError, ValueError):  # pandas.NA has no result for == and !=
        return np.array([v is None or type(v).__name__ in ("NAType", "NaTType") or (isinstance(v, (float, np.floating)) and v != v) for v in values.tolist()], bool)


def classes_of(values: Array) -> Array:
    """Return the classes in order."""
    if values.dtype.kind == "O":
        return _objects(values)
    there = values[~missing_in(values)]
    if len(there) == 0:
        raise ValueError(_NO_CLASS)
    return np.array(sorted(set(there.tolist())), there.dtype) if there.dtype.kind == "U" else np.unique(there)


def places_of(values: Array, classes: Array) -> Array:
    """Return the position of each label in the classes, -1 if it is missing."""
    place = {c: i for i, c in enumerate(classes.tolist())}
    found = np.full(len(values), -1, np.int32)
    for part in parts(len(values)):
        there = ~missing_in(values[part])
        found[part][there] = [place[v] for v in values[part][there].tolist()]
    return found


def parts(rows: int) -> Iterator[slice]:
    """Split many labels into parts, because lists of all labels would take much memory."""
    size = 1 << 16
    return (slice(at, at + size) for at in range(0, rows, size))


def _objects(values: Array) -> Array:
    found: set[Any] = set()
    try:
        for part in parts(len(values)):
            found.update(values[part][~missing_in(values[part])].tolist())
        classes = np.array(sorted(found))
    except TypeError as error:
        kinds = {type(v).__name__ for v in values}
        raise ValueError(f"y has labels of the types {', '.join(sorted(kinds))}, expected one whose values have an order") from error
    if not found:
        raise ValueError(_NO_CLASS)
    return classes.astype(object) if classes.dtype.kind == "U" else classes


def names_of(classes: Array) -> list[str]:
    """Return a text for each class, for the program's tables."""
    names = [str(c) for c in classes.tolist()]
    if classes.dtype.kind == "f":
        names = [str(int(c)) for c in classes.tolist()]
    plain = all(n and n == n.strip() and n.isprintable() and n.lower() not in _MISSING for n in names)
    return names if plain and len(set(names)) == len(names) else [f"class {i}" for i in range(len(names))]


def equal(column: Array, values: Array) -> bool:
    """Report whether a column has the values of y. Values that are missing in both are equal."""
    missing = missing_in(column)
    return bool((missing == missing_in(values)).all() and (column[~missing] == values[~missing]).all())


def match(names: list[str], values: Array) -> tuple[list[str], Array]:
    """Return the program's names of classes in order, and the classes with the type of the column of labels."""
    classes = classes_of(values)
    by_name = dict(zip(names_of(classes), classes.tolist()))
    by_name |= {str(c).lower(): c for c in classes.tolist() if isinstance(c, bool)}
    by_name |= {str(c): c for c in classes.tolist() if isinstance(c, float)}
    found = [by_name.get(name, name) for name in names]
    if all(isinstance(c, type(found[0])) for c in found):
        order = sorted(range(len(found)), key=lambda i: found[i])
        names, found = [names[i] for i in order], [found[i] for i in order]
    return names, np.array(found, object if isinstance(found[0], str) else None)


_NO_CLASS = "y has no class: all labels are missing"

# Words that mean missing values in tables.
_MISSING = {"na", "n/a", "nan", "null", "none", "nil", "-", "?", ".", "<na>", "#n/a", "missing", "inf", "-inf", "infinity", "-infinity"}
