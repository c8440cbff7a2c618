"""`records="auto"`: how the records of an input are stored, found in its first bytes."""

from __future__ import annotations

import os

from charpipe import _charpipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO


class Prefixed:
    """A binary file whose first bytes were already read."""

    def __init__(self, head: bytes, file: BinaryIO):
        self._head, self._file = head, file

    def read(self, size: int) -> bytes:
        taken, self._head = self._head[:size], self._head[size:]
        return taken or self._file.read(size)

    def close(self) -> None:
        self._file.close()


def is_auto(records: Any) -> bool:
    """Return whether the shape of the records has to be found."""
    return isinstance(records, str) and records.lower() == "auto"


def find(source: Any, records: Any, file: Any = None) -> tuple[Any, Any]:
    """Return the source, and how its records are stored. `file` chooses a file of a tape image."""
    if not is_auto(records):
        return source, records
    buffer = _buffer(source)
    if buffer is not None:
        return source, _shape(buffer[: _charpipe.SHAPE_BYTES], file)
    if hasattr(source, "read"):
        return find_in_file(source, file)
    if not os.path.isfile(source):
        return find_in_file(open(source, "rb"), file)
    with open(source, "rb") as opened:
        return source, _shape(_head(opened), file)


def _buffer(source: Any) -> memoryview | None:
    """Return the bytes of an object with the buffer protocol, which is read as a whole even if it also has `read`."""
    try:
        return memoryview(source).cast("B")
    except TypeError:
        return None


def find_in_file(opened: BinaryIO, file: Any = None) -> tuple[Prefixed, str]:
    """Return an open file with its first bytes, and how its records are stored."""
    head = _head(opened)
    return Prefixed(head, opened), _shape(head, file)


def _head(opened: BinaryIO) -> bytes:
    pieces, missing = [], _charpipe.SHAPE_BYTES
    while missing and (piece := opened.read(missing)):
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)


def _shape(head: Any, file: Any) -> str:
    return _charpipe.find_shape(head, None if file is None else str(file))
