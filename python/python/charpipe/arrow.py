"""Mainframe records as Arrow record batches.

``charpipe.read`` reads the fields of records by a layout: a COBOL copybook or a field list. The result is a stream of
Arrow record batches, which pyarrow, Polars, DuckDB and pandas take without a copy. ``charpipe.splits`` cuts a file into
parts that can be read side by side, in other processes or on other machines.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from charpipe._charpipe import RecordStream, read_records, split_records, write_records

__all__ = ["RecordStream", "Split", "read", "splits", "write"]

#: The columns that are no fields.
EXTRA = ("_file", "_number", "_offset", "_type", "_record", "_errors")


class Split(NamedTuple):
    """A part of a file of records. ``charpipe.read(path, split=...)`` reads it."""

    begin: int
    """Where it begins, in bytes from 0."""
    end: int
    """Where it ends: the first byte after it."""
    number: int | None = None
    """The number of its first record, from 1; ``None`` if it is not known."""


def read(
    source: Any,
    *,
    layout: str | bytes | os.PathLike[str],
    encoding: str,
    records: str | None = None,
    columns: Iterable[str] | None = None,
    extra: Iterable[str] = (),
    on_bad: str = "error",
    trim: str = "blanks",
    short_records: bool = False,
    overlong: str = "fail",
    empty_is_null: bool = False,
    integers: bool = False,
    underscores: bool = False,
    dates: Mapping[str, str] | None = None,
    when: Sequence[str] = (),
    floats: str = "ibm",
    byteorder: str = "big",
    file: str | int | None = None,
    split: Split | tuple[int, int, int | None] | None = None,
    batch_rows: int = 65536,
    name: str | None = None,
) -> RecordStream:
    """Read mainframe records as a stream of Arrow record batches.

    ``source`` is a path, an object with the buffer protocol (``bytes``, ``mmap``), or a binary file object. Paths with
    a scheme (``s3://...``) are opened by fsspec, if that is installed.

    ``layout`` is the path of a COBOL copybook or of a field list, or its text if it has several lines or is ``bytes``.
    ``encoding`` is the code page of the records, such as ``IBM037``.
    ``records`` says how they are stored: ``fb:80``, ``rdw``, ``vb``, ... or ``auto``. It can be left out if the layout
    has a fixed length.

    ``columns`` names the fields to read; all others cost nothing. A group stands for its fields.
    ``extra`` adds columns that are no fields: ``_file``, ``_number`` (from 1), ``_offset`` (in bytes from 0), ``_type``
    (the record type), ``_record`` (the bytes of the record) and ``_errors``. They can also stand in ``columns``.

    ``on_bad="error"`` stops at the first field that is not a value of its kind. ``on_bad="null"`` makes it null, and
    the column ``_errors`` says for each such field its name, a code, a message, and the bytes.
    ``trim`` says what is removed from the end of text: ``blanks``, ``nuls`` (also low-values) or ``nothing``.
    ``short_records`` allows records that end before the layout does. Records that are longer than the layout are errors;
    ``overlong="cut"`` leaves out the rest. ``empty_is_null`` makes numbers of blanks or of low-values null.

    Numbers are ``decimal128`` with the precision and scale of their picture, and binary ones without decimal places are
    ``int32`` or ``int64``. ``integers=True`` makes all numbers of up to 18 digits without decimal places integers.
    ``underscores=True`` replaces the hyphens in names. ``dates`` maps fields to patterns such as ``YYYYMMDD``,
    ``YYYY-MM-DD`` or ``YYYYDDD``; they become ``date32``.

    ``when`` adds conditions of record types to a copybook: ``"TYPE=C: CLIENT"``. ``floats`` (``ibm`` or ``ieee``) and
    ``byteorder`` say how a copybook's COMP-1, COMP-2 and COMP-5 are stored. ``file`` chooses a file of a tape image, by
    its number or name. ``split`` reads only a part of the input, as ``splits`` returns them.

    Errors are raised when the batches are read, after all rows before them. Iterating over the stream raises
    ``charpipe.RecordError``, which has the offset, the record and the field; a consumer of the Arrow stream raises its
    own exception with the same message.
    """
    source, known = _source(source)
    wanted = {
        "columns": None if columns is None else _list("columns", columns),
        "extra": _list("extra", extra),
        "on_bad": on_bad,
        "trim": trim,
        "short_records": short_records,
        "overlong": overlong,
        "empty_is_null": empty_is_null,
        "integers": integers,
        "underscores": underscores,
        "dates": dict(dates or {}),
        "batch_rows": batch_rows,
        "file": None if file is None else str(file),
        "name": name or known,
    }
    described = _description(layout, encoding, records, when, floats, byteorder)
    return read_records(source, described, wanted, None if split is None else tuple(split))


def splits(source: Any, records: str, bytes: int = 128 << 20, *, numbers: bool = False) -> list[Split]:
    """Cut a file of records into parts of about ``bytes`` bytes that can be read side by side.

    Records of a fixed length are cut by arithmetic, ``vb`` and ``vbs`` by their block descriptor words, and other
    records by a chain of eight headers in the middle. Reading a part fails unless it ends where the next one begins, so
    no record is lost or read twice.

    ``numbers=True`` reads all headers, so that the number of the first record of each part is known.
    """
    source, _ = _source(source)
    return [Split(*part) for part in split_records(source, records, bytes, numbers)]


def write(
    data: Any,
    target: Any,
    *,
    layout: str | bytes | os.PathLike[str],
    encoding: str,
    records: str | None = None,
    underscores: bool = False,
    when: Sequence[str] = (),
    floats: str = "ibm",
    byteorder: str = "big",
) -> int:
    """Write Arrow data as mainframe records. Returns the number of records.

    ``data`` is a table or a stream of pyarrow, Polars or any library with ``__arrow_c_stream__``. Its columns have the
    names of the fields, as in ``read``; columns that begin with an underscore are ignored. ``target`` is a path, which
    is replaced when everything is written, or a binary file object. The other options are those of ``read``.

    Fields without a value are blank if they are text. What cannot be written exactly is a ``charpipe.RecordError``:
    nothing is rounded, cut or replaced.
    """
    described = _description(layout, encoding, records, when, floats, byteorder)
    if not hasattr(target, "write"):
        target = os.fsdecode(target)
    failures: list[Exception] = []
    try:
        return write_records(_validated(data, failures), target, described, underscores)
    except ValueError:
        if failures:
            # Through Arrow's interface came only its text.
            raise failures[0] from None
        raise


def _validated(data: Any, failures: list[Exception]) -> Any:
    """Return a stream whose batches pyarrow has checked, if they are its own or those of pandas.

    Arrow's C interface does not pass on how long most buffers are, so only their owner can check that they are as long
    as the batch says. pyarrow does not do that when it reads a file. What charpipe can see itself, it checks on the
    way. What other libraries pass on has the sizes that they say, also if they had it from pyarrow.
    """
    pyarrow, pandas = sys.modules.get("pyarrow"), sys.modules.get("pandas")
    if pyarrow is None:
        return data
    if pandas is not None and isinstance(data, pandas.DataFrame):
        # As pandas itself does it. Its columns can be those of pyarrow.
        data = pyarrow.Table.from_pandas(data)
    elif pandas is not None and isinstance(data, pandas.Series):
        array = pyarrow.array(data)
        data = array if isinstance(array, pyarrow.ChunkedArray) else pyarrow.chunked_array([array])
    if isinstance(data, pyarrow.ChunkedArray):
        return _checked_rows(data)
    if isinstance(data, pyarrow.RecordBatch):
        data = pyarrow.Table.from_batches([data])
    # The batches of a table are cut where any of its columns is cut, so the columns themselves say too little.
    reader = data.to_reader() if isinstance(data, pyarrow.Table) else data
    if not isinstance(reader, pyarrow.RecordBatchReader):
        return data
    return pyarrow.RecordBatchReader.from_batches(reader.schema, _checked(reader, failures))


def _checked_rows(rows: Any) -> Any:
    """Return rows that are structs, when pyarrow has validated them. To make a table of them would read them before."""
    try:
        rows.validate()
    except (ValueError, IndexError) as error:
        raise ValueError(f"the rows are invalid: {error}") from None
    return rows


def _checked(batches: Iterable[Any], failures: list[Exception]) -> Iterator[Any]:
    """Yield batches that pyarrow has validated. The exception that ends them is added to ``failures``."""
    try:
        for batch in batches:
            for name, column in zip(batch.schema.names, batch.columns):
                try:
                    column.validate()
                except (ValueError, IndexError) as error:
                    raise ValueError(f"the column of {name} is invalid: {error}") from None
            yield batch
    except Exception as error:
        failures.append(error)
        raise


def _list(option: str, names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise TypeError(f"{option} must be a list of names, not a string")
    return list(names)


def _description(
    layout: str | bytes | os.PathLike[str],
    encoding: str,
    records: str | None,
    when: Sequence[str],
    floats: str,
    byteorder: str,
) -> dict[str, Any]:
    return {
        "layout": _layout(layout),
        "encoding": encoding,
        "records": records,
        "when": [when] if isinstance(when, str) else list(when),
        "floats": floats,
        "byteorder": byteorder,
    }


def _layout(layout: str | bytes | os.PathLike[str]) -> bytes:
    """Return the text of a layout: of a path, or as it is."""
    if isinstance(layout, (bytes, bytearray)):
        return bytes(layout)
    if isinstance(layout, str) and "\n" in layout:
        return layout.encode()
    source, _ = _source(layout)
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return file.read()
    with source:
        return source.read()


def _source(source: Any) -> tuple[Any, str | None]:
    """Return what the records are read from, and its name. Paths with a scheme are opened by fsspec."""
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    if isinstance(source, str) and "://" in source:
        name, (scheme, rest) = source, source.split("://", 1)
        if scheme == "file":
            from urllib.parse import unquote

            return "/" + unquote(rest).lstrip("/"), name
        return _open_remote(source), name
    if isinstance(source, io.TextIOBase):
        raise TypeError("the source must be opened in binary mode")
    return source, None


def _open_remote(url: str) -> Any:
    try:
        import fsspec
    except ImportError as error:
        raise ImportError(f"{url}: reading this needs fsspec: pip install fsspec") from error
    return fsspec.open(url, "rb").open()
