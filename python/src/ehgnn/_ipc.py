"""Arrow files with only numpy: writes columns to a file and reads predictions from one."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ehgnn._flatbuffers import Child, Structs, Table, Vector, encode

__all__ = ["read", "write"]

Array = NDArray[Any]

_VERSION = 4  # version V5 of the metadata
_SCHEMA, _BATCH = 1, 3  # kinds of messages
_INT, _FLOAT, _TEXT, _BOOL, _TIMESTAMP, _LARGE_TEXT, _LARGE_LIST = 2, 3, 5, 6, 10, 20, 21
_UNITS = {"s": 0, "ms": 1, "us": 2, "ns": 3}
_ROWS = 1 << 20  # in a record batch


def write(path: str, columns: dict[str, Array]) -> None:
    """Write columns as an Arrow stream, with their types.

    Columns hold numbers, booleans, times (datetime64) or objects. Objects are all texts, all
    booleans or all numbers, or None, which is a missing value like NaN, NaT and a masked value.
    """
    typed = {name: _typed(name, values) for name, values in columns.items()}
    rows = len(next(iter(typed.values()))[0]) if typed else 0
    fields = Vector(_field(name, values) for name, (values, _) in typed.items())
    with open(path, "wb") as out:
        _message(out, _SCHEMA, Child({1: fields}), [])
        for start in range(0, rows, _ROWS):
            nodes, parts = Structs(), []
            for values, missing in typed.values():
                some = slice(start, start + _ROWS)
                valid = None if missing is None else ~missing[some]
                nodes.append((len(values[some]), 0 if valid is None else int((~valid).sum())))
                parts += [b"" if valid is None else np.packbits(valid, bitorder="little").tobytes(), *_buffers(values[some])]
            buffers, at = Structs(), 0
            for part in parts:
                buffers.append((at, len(part)))
                at += len(part) + -len(part) % 8
            _message(out, _BATCH, Child({0: ("i64", nodes[0][0]), 1: nodes, 2: buffers}), parts)
        out.write(struct.pack("<II", 0xFFFFFFFF, 0))


def _message(out: Any, kind: int, header: Child, parts: list[bytes]) -> None:
    size = sum(len(p) + -len(p) % 8 for p in parts)
    head = encode(Child({3: ("i64", size), 0: ("i16", _VERSION), 1: ("u8", kind), 2: header}))
    out.write(struct.pack("<II", 0xFFFFFFFF, len(head)) + head)
    for part in parts:
        out.write(part)
        out.write(bytes(-len(part) % 8))


def _typed(name: str, values: Array) -> tuple[Array, Array | None]:
    """Return a column as numpy values of one type, and a mask of missing values."""
    if np.ma.isMaskedArray(values):
        values, masked = values.data, np.ma.getmaskarray(values)
    else:
        masked = None
    if values.dtype.kind == "O":
        values, missing = _objects(name, values)
        masked = missing if masked is None else masked | missing
    elif values.dtype.kind == "M":
        if np.datetime_data(values.dtype)[0] not in _UNITS:
            values = values.astype("datetime64[s]")
        masked = np.isnat(values) if masked is None else masked | np.isnat(values)
    elif values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    if values.dtype.kind not in "biufMU":
        raise ValueError(f"column {name!r} has values of type {values.dtype}, expected numbers, texts, booleans or times")
    return values, masked if masked is not None and masked.any() else None


def _objects(name: str, values: Array) -> tuple[Array, Array]:
    missing = np.array([_is_missing(v) for v in values], bool)
    there = values[~missing]
    kinds = {bool if isinstance(v, (bool, np.bool_)) else int if isinstance(v, (int, np.integer)) else float if isinstance(v, (float, np.floating))
             else str if isinstance(v, str) else np.datetime64 if hasattr(v, "isoformat") or isinstance(v, np.datetime64) else type(v) for v in there}
    if kinds <= {int, float} and kinds:
        kind: Any = np.int64 if kinds == {int} else np.float64
    elif kinds == {bool}:
        kind = np.bool_
    elif kinds == {np.datetime64}:
        kind = "datetime64[us]"
    elif kinds <= {str}:
        kind = np.str_
    else:
        names = sorted(k.__name__ for k in kinds)
        raise ValueError(f"column {name!r} has values of the types {', '.join(names)}, expected one: argument must be a string or a number")
    out = np.zeros(len(values), kind) if kind is not np.str_ else np.full(len(values), "", object)
    out[~missing] = there
    return (out.astype(np.str_) if kind is np.str_ else out), missing


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, (float, np.floating)) and value != value)


def _field(name: str, values: Array) -> Child:
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind in "iu":
        code, of = _INT, Child({0: ("i32", 8 * size), 1: ("bool", kind == "i")})
    elif kind == "f":
        code, of = _FLOAT, Child({0: ("i16", {4: 1, 8: 2}[size])})
    elif kind == "M":
        code, of = _TIMESTAMP, Child({0: ("i16", _UNITS[np.datetime_data(values.dtype)[0]])})
    else:
        code, of = (_BOOL if kind == "b" else _LARGE_TEXT), Child()
    return Child({0: name, 1: ("bool", True), 2: ("u8", code), 3: of, 5: Vector()})


def _buffers(values: Array) -> list[bytes]:
    if values.dtype.kind == "b":
        return [np.packbits(values, bitorder="little").tobytes()]
    if values.dtype.kind == "U":
        texts = [t.encode() for t in values.tolist()]
        ends = np.zeros(len(texts) + 1, "<i8")
        np.cumsum([len(t) for t in texts], out=ends[1:])
        return [ends.tobytes(), b"".join(texts)]
    return [np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False).tobytes()]


def read(path: str, without: tuple[str, ...] = ()) -> dict[str, Array]:
    """Read the columns of an Arrow file that the program wrote: texts, int64, float32 and vectors. Columns can be skipped."""
    if os.path.getsize(path) == 0:
        return {}
    parts: dict[str, list[Array]] = {}
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        fields: list[Table] = []
        for kind, header, body in _messages(whole):
            if kind == _SCHEMA:
                fields = header.tables(1)
                parts = {f.text(0): [] for f in fields}
            elif kind == _BATCH:
                nodes, buffers = iter(header.pairs(1)), iter(header.pairs(2))
                for f in fields:
                    name = f.text(0)
                    if name in without:
                        _skip(f, nodes, buffers)
                    else:
                        parts[name].append(_column(whole, f, nodes, buffers, body))
        empty = {f.text(0): _empty(f) for f in fields}
    return {name: _joined(some, empty[name]) for name, some in parts.items() if name not in without}


def _joined(parts: list[Array], empty: Array) -> Array:
    if len(parts) > 1:
        return np.concatenate(parts)
    return parts[0] if parts else empty


def _skip(f: Table, nodes: Iterator[tuple[int, int]], buffers: Iterator[tuple[int, int]]) -> None:
    next(nodes)
    code = f.scalar(2, "u8")
    for _ in range(2 if code in (_INT, _FLOAT) else 3 if code != _LARGE_LIST else 2):
        next(buffers)
    if code == _LARGE_LIST:
        _skip(f.tables(5)[0], nodes, buffers)


def _messages(whole: mmap.mmap) -> Iterator[tuple[int, Table, int]]:
    at = 8 if whole[:6] == b"ARROW1" else 0
    while at + 8 <= len(whole):
        mark, size = struct.unpack_from("<Ii", whole, at)
        if mark != 0xFFFFFFFF or size == 0:
            return
        message = Table.root(whole[at + 8 : at + 8 + size])
        body = at + 8 + size
        yield message.scalar(1, "u8"), message.table(2), body
        at = body + message.scalar(3, "i64")


def _column(whole: mmap.mmap, f: Table, nodes: Iterator[tuple[int, int]], buffers: Iterator[tuple[int, int]], body: int) -> Array:
    rows, _ = next(nodes)
    next(buffers)  # the buffer of missing values is not read: the program writes them as NaN or empty texts

    def values(kind: str, count: int) -> Array:
        at, size = next(buffers)
        count = min(count, size // np.dtype(kind).itemsize)
        return np.frombuffer(whole[body + at : body + at + count * np.dtype(kind).itemsize], kind)

    code = f.scalar(2, "u8")
    if code == _INT:
        return values("<i8", rows)
    if code == _FLOAT:
        return values("<f4", rows)
    if code == _LARGE_LIST:
        ends = values("<i8", rows + 1)
        child, inner = f.tables(5)[0], ends[-1] if rows else 0
        flat = _column(whole, child, nodes, buffers, body)[:inner]
        return flat.reshape(rows, -1)
    ends = values("<i4", rows + 1)
    at, size = next(buffers)
    text, known = whole[body + at : body + at + size], _Texts()
    out = np.empty(rows, object)
    for i in range(rows):
        out[i] = known[text[ends[i] : ends[i + 1]]]
    return out


class _Texts(dict[bytes, str]):
    """Texts by their bytes, each text once."""

    def __missing__(self, key: bytes) -> str:
        self[key] = value = key.decode()
        return value


def _empty(f: Table) -> Array:
    kinds = {_INT: "<i8", _FLOAT: "<f4", _LARGE_LIST: "<f4"}
    code = f.scalar(2, "u8")
    return np.zeros((0, 0) if code == _LARGE_LIST else 0, kinds.get(code, object))
