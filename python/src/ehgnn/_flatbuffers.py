"""The part of the FlatBuffers format that Arrow messages need."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

__all__ = ["Child", "Structs", "Table", "Vector", "encode"]

_SCALARS = {"u8": ("<B", 1), "bool": ("<?", 1), "i16": ("<h", 2), "i32": ("<i", 4), "i64": ("<q", 8)}


class Table:
    """A table for reading. Fields have their numbers in the schema."""

    def __init__(self, buffer: bytes, at: int) -> None:
        self._buffer, self._at = buffer, at
        self._vtable = at - struct.unpack_from("<i", buffer, at)[0]
        self._size = struct.unpack_from("<H", buffer, self._vtable)[0]

    @classmethod
    def root(cls, buffer: bytes) -> Table:
        """Return the outermost table of a buffer."""
        return cls(buffer, struct.unpack_from("<I", buffer, 0)[0])

    def _place(self, field: int) -> int:
        entry = 4 + 2 * field
        offset = struct.unpack_from("<H", self._buffer, self._vtable + entry)[0] if entry < self._size else 0
        return self._at + offset if offset else 0

    def scalar(self, field: int, kind: str, default: int = 0) -> int:
        """Return a number."""
        at = self._place(field)
        return int(struct.unpack_from(_SCALARS[kind][0], self._buffer, at)[0]) if at else default

    def _follow(self, at: int) -> int:
        return at + int(struct.unpack_from("<I", self._buffer, at)[0])

    def table(self, field: int) -> Table:
        """Return a nested table."""
        return Table(self._buffer, self._follow(self._place(field)))

    def text(self, field: int) -> str:
        """Return a string, empty if there is none."""
        place = self._place(field)
        if not place:
            return ""
        at = self._follow(place)
        size = struct.unpack_from("<I", self._buffer, at)[0]
        return self._buffer[at + 4 : at + 4 + size].decode()

    def tables(self, field: int) -> list[Table]:
        """Return the tables of a vector."""
        place = self._place(field)
        if not place:
            return []
        at = self._follow(place)
        count = struct.unpack_from("<I", self._buffer, at)[0]
        return [Table(self._buffer, self._follow(at + 4 + 4 * i)) for i in range(count)]

    def pairs(self, field: int) -> list[tuple[int, int]]:
        """Return a vector of structs of two 64-bit numbers."""
        place = self._place(field)
        if not place:
            return []
        at = self._follow(place)
        count = struct.unpack_from("<I", self._buffer, at)[0]
        flat = struct.unpack_from(f"<{2 * count}q", self._buffer, at + 4)
        return list(zip(flat[::2], flat[1::2]))


class Child(dict[int, Any]):
    """A table for writing: the value of a field number is (kind, number), a text, a Child or a vector."""


class Vector(list[Child]):
    """A vector of tables for writing."""


class Structs(list[tuple[int, int]]):
    """A vector of structs of two 64-bit numbers for writing."""


def encode(root: Child) -> bytes:
    """Return the bytes of a table, padded to 8."""
    out = bytearray(4)
    struct.pack_into("<I", out, 0, _table(out, root))
    _pad(out, 8)
    return bytes(out)


def _pad(out: bytearray, to: int, offset: int = 0) -> None:
    out.extend(bytes(-(len(out) + offset) % to))


def _table(out: bytearray, fields: Child) -> int:
    """Append a table and the objects that it refers to, and return its position."""
    places, size = {}, 4
    for field, value in fields.items():
        width = _SCALARS[value[0]][1] if isinstance(value, tuple) else 4
        size += -size % width
        places[field] = size
        size += width
    count = max(fields, default=-1) + 1
    _pad(out, 8, 4 + 2 * count)  # so that the table after the vtable is aligned
    vtable = len(out)
    out += struct.pack(f"<{2 + count}H", 4 + 2 * count, size, *(places.get(f, 0) for f in range(count)))
    at = len(out)
    out += struct.pack("<i", at - vtable) + bytes(size - 4)
    for field, value in fields.items():
        place = at + places[field]
        if isinstance(value, tuple):
            struct.pack_into(_SCALARS[value[0]][0], out, place, value[1])
        else:
            target = _object(out, value)
            struct.pack_into("<I", out, place, target - place)
    return at


def _object(out: bytearray, value: Any) -> int:
    if isinstance(value, Child):
        return _table(out, value)
    if isinstance(value, str):
        text = value.encode()
        _pad(out, 4)
        at = len(out)
        out += struct.pack("<I", len(text)) + text + b"\0"
        return at
    if isinstance(value, Structs):
        _pad(out, 8, 4)
        at = len(out)
        flat: Sequence[int] = [n for pair in value for n in pair]
        out += struct.pack(f"<I{len(flat)}q", len(value), *flat)
        return at
    assert isinstance(value, Vector)
    _pad(out, 4)
    at = len(out)
    out += struct.pack("<I", len(value)) + bytes(4 * len(value))
    for i, item in enumerate(value):
        place = at + 4 + 4 * i
        target = _table(out, item)
        struct.pack_into("<I", out, place, target - place)
    return at
