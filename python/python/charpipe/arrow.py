"""Mainframe records as Arrow record batches.

``charpipe.read`` reads the fields of records by a layout: a COBOL copybook or a field list. The result is a stream of
Arrow record batches, which pyarrow, Polars, DuckDB and pandas read without a copy. ``charpipe.splits`` cuts a file into
parts that can be read in parallel, in other processes or on other machines.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from charpipe._charpipe import (
    RecordStream,
    read_records,
    rows_options,
    rows_schema,
    split_records,
    write_records,
)
from charpipe._inputs import Progress, each, opened, source as _source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Never, TypeAlias

    _LayoutFormat: TypeAlias = Literal["auto", "copybook", "copybook-fixed", "copybook-free", "fields", "json"]
    _Float: TypeAlias = Literal["ibm", "ieee"]
    _ByteOrder: TypeAlias = Literal["big", "little"]
    _ZonedSigns: TypeAlias = Literal["auto", "ebcdic", "ascii", "ascii-p"]
    _Trim: TypeAlias = Literal["blanks", "nuls", "blanks,nuls", "none"]
    _ErrorOrNull: TypeAlias = Literal["error", "null"]
    _Malformed: TypeAlias = Literal["fail", "replace", "drop", "escape"] | str
    _SchemaFormat: TypeAlias = Literal[
        "arrow", "duckdb", "postgresql", "db2", "sqlite", "json-schema", "avro", "spark"
    ]

__all__ = ["RecordStream", "Split", "read", "schema", "splits", "write"]

#: Options of the command that the functions here do not have: one thread reads a stream; ``from`` is called ``encoding``,
#: because ``from`` is a Python keyword; and ``write`` has ``records`` for the shape of its output. Only ``write`` has
#: ``binary_range``.
NOT_HERE = ("jobs", "from", "to_records", "binary_range")

#: The options of ``read``, besides those about the input and the batches.
OPTIONS = {name.replace("-", "_") for name, _, _ in rows_options()} - {*NOT_HERE} | {"encoding"}

#: The old names of options.
RENAMED = {
    "floats": "float",
    "byteorder": "byte_order",
    "file": "tape_file",
    "columns": "select",
    "extra": "add_columns",
}


class Split(NamedTuple):
    """A part of a file of records. ``charpipe.read(path, split=...)`` reads it."""

    begin: int
    """The offset of its first byte, from 0."""
    end: int
    """The offset of the first byte after it."""
    number: int | None = None
    """The number of its first record, from 1; ``None`` if it is unknown."""


def read(
    source: Any,
    *,
    layout: str | bytes | os.PathLike[str],
    layout_format: _LayoutFormat = "auto",
    copy_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    replacing: str | Iterable[str] = (),
    decimal_comma: bool = False,
    record_name: str | None = None,
    count_map: str | Iterable[str] = (),
    float: _Float = "ibm",
    byte_order: _ByteOrder = "big",
    zoned_signs: _ZonedSigns = "auto",
    when: str | Iterable[str] = (),
    parent: str | Iterable[str] | Mapping[str, str] = (),
    varchar: bool = False,
    null_indicator: str | Mapping[str, str] | None = None,
    groups: Literal["fields", "text"] = "fields",
    encoding: str = "IBM037",
    records: str | None = None,
    length_field: str | None = None,
    length_map: str | None = None,
    tape_file: str | int | None = None,
    skip_head: str | int = 0,
    skip_tail: str | int = 0,
    record_prefix: int = 0,
    record_suffix: int = 0,
    select: str | Iterable[str] | None = None,
    trim: _Trim = "blanks",
    on_bad: _ErrorOrNull = "error",
    empty_is_null: bool = False,
    loose_numbers: bool = False,
    malformed: _Malformed = "fail",
    short_records: _ErrorOrNull = "error",
    overlong: Literal["fail", "cut"] = "fail",
    filler: bool = False,
    exact: bool = False,
    controls: Literal["keep", "space", "drop", "error", "xml"] = "keep",
    record_newlines: Literal["keep", "space", "error"] = "keep",
    add_columns: str | Iterable[str] = (),
    dates: str | Mapping[str, str] | None = None,
    integers: bool = False,
    underscores: bool = False,
    split: Split | tuple[int, int, int | None] | None = None,
    batch_rows: int = 65536,
    name: str | None = None,
    progress: bool = False,
    **unknown: Never,
) -> RecordStream:
    """Read mainframe records as a stream of Arrow record batches.

    >>> layout = b"NAME 1 4 text\\nSUM 5 3 packed.2\\n"
    >>> stream = read(b"\\xd2\\x81\\xa3\\x85\\x01\\x23\\x4c", layout=layout, records="fb:7")
    >>> stream.shape
    'fb:7'

    ``source`` is a path, an object with the buffer protocol (``bytes``, ``mmap``), or a binary file object. A buffer is
    read as a whole, a file object from its current position. Paths with a scheme (``s3://...``) are opened by fsspec, if
    it is installed. You can also pass a list of sources, or a pattern of paths such as ``"data/*.bin"``, whose files are
    read in the order of their names. Several sources are read one after another, each with its own record numbers;
    ``add_columns=["file"]`` adds the name of the source to each row.

    **Layout.** ``layout`` is the path of a COBOL copybook or of a field list, or its text if it has several lines or is
    ``bytes``. ``layout_format`` is ``copybook``, ``copybook-fixed``, ``copybook-free``, ``fields`` or ``json``; ``auto``
    detects it. ``copy_path`` lists the directories with the copybooks that a copybook includes, and ``replacing`` words to
    replace: ``"==:TAG:== BY ==CUST=="``. ``decimal_comma=True`` stands for DECIMAL-POINT IS COMMA. ``record_name`` is the
    level 01 of a copybook or a program to use. ``count_map`` has the number of elements of a table for each value of the
    field that it depends on: ``"SIZE:A=1,B=2"``. ``float`` (``ibm`` or ``ieee``) is the format of COMP-1 and COMP-2,
    ``byte_order`` (``big`` or ``little``) the byte order of COMP-5, and ``zoned_signs`` (``auto``, ``ebcdic``, ``ascii``,
    ``ascii-p``) says how zoned numbers are stored.

    ``when`` adds rules that assign types to records: ``"TYPE=C: CLIENT"``. ``parent`` maps record types to their parent
    types: ``{"ACCOUNT": "CUSTOMER"}``, or ``"ACCOUNT < CUSTOMER"``. The column ``_parent`` then has the ``_number`` of the
    last record of that type before each record. ``"CUSTOMER: ID"`` also adds a field of the parent, as the column
    ``_parent.ID``. ``varchar=True`` reads a length and a text at level 49 as one text field of that length, as Db2 declares
    a VARCHAR. ``null_indicator`` maps fields to the fields that show whether they are null. ``groups="text"`` adds a field
    ``_text`` to groups of characters: the text of the whole group.

    **Records.** ``encoding`` is the code page of the records. ``records`` tells how they are stored: ``fb:80``, ``rdw``,
    ``vb``, ..., or ``auto`` to detect it. By default all records have the length of the layout. ``layout`` is for records
    without headers, which have the length of the layout, or of their record type and arrays.
    ``length_field="LEN+4"`` names the field with the length of the record, and ``length_map="TYPE:A=120,B=300"`` has a
    length for each value of a field. ``tape_file`` chooses a file of a tape image, by number or name. ``skip_head`` and
    ``skip_tail`` skip bytes (``80``) or records (``"1r"``) at the beginning and end of the input, ``record_prefix`` and
    ``record_suffix`` bytes before and after the data of each record. ``split`` reads only a part of the input, as returned
    by ``splits``.

    **Columns.** ``select`` names the fields to read; the others cost nothing. The name of a group selects all of its
    fields. ``filler=True`` reads FILLER too. ``add_columns`` adds columns that are not fields: ``file``, ``number`` (from
    1), ``offset`` (in bytes from 0), ``type`` (the record type; always there if the layout has record types), ``parent``,
    ``record`` (the bytes of the record) and ``errors``. The columns are named ``_file``, ``_number`` and so on.

    **Errors.** ``on_bad="error"`` stops at the first field that cannot be read. ``on_bad="null"`` makes it null, and
    ``add_columns=["errors"]`` then adds the name, a code, a message, and the bytes of each such field. A record that cannot
    be read at all is an error unless this column is there; then it becomes a row of nulls. ``short_records="null"``
    accepts records that end before the layout does. Records that are longer than the layout are errors;
    ``overlong="cut"`` drops the rest. ``empty_is_null=True`` makes numbers that consist of spaces or low-values null, and
    ``loose_numbers=True`` reads zoned numbers with spaces after their digits. ``malformed`` (``fail``, ``replace``,
    ``drop``, ``escape``, or a label: such bytes are read as bytes of that charset) says what to do with bytes in text that
    are not valid in its code page. ``exact=True`` refuses fields that would be written back as different bytes.

    **Values.** ``trim`` says what to remove from the end of text: ``blanks`` (spaces), ``nuls`` (low-values),
    ``blanks,nuls`` or ``none``. ``controls`` (``keep``, ``space``, ``drop``, ``error``, ``xml``) and ``record_newlines``
    (``keep``, ``space``, ``error``) say what to do with control characters and newlines in text. Numbers are
    ``decimal128`` with the precision and scale of their picture, and binary ones without decimal places are ``int32`` or
    ``int64``. ``integers=True`` makes all numbers of up to 18 digits without decimal places integers.
    ``underscores=True`` writes underscores for the hyphens in names. ``dates`` maps fields to patterns such as
    ``YYYYMMDD``, ``YYYY-MM-DD`` or ``YYYYDDD``; they become ``date32``. With a time, such as
    ``YYYY-MM-DD-HH.MI.SS.FFFFFF`` of Db2, they become ``timestamp[us]``.

    ``batch_rows`` is the maximum number of rows in a batch. ``name`` is the name of the input in messages.
    ``progress=True`` shows how many bytes were read: with tqdm if it is installed, otherwise in a line on stderr.

    Errors are raised when the batches are read, after all rows before them. Iterating over the stream raises
    ``charpipe.RecordError``, which has the offset, the record and the field. A consumer of the Arrow stream raises its
    own exception with the same message.
    """
    given = {option: value for option, value in locals().items() if option in OPTIONS}
    _check_names("read", unknown)
    part = None if split is None else tuple(split)
    sources = each(source)
    if len(sources) > 1 and (part or name):
        raise ValueError(f"{'split' if part else 'name'} is that of one source, and there are {len(sources)}")
    layout, options = _layout(layout), _pairs(given)
    more = opened(sources, Progress(sources, part) if progress else None)
    source, known = next(more)
    return read_records(source, layout, options, batch_rows, name or known, part, more)


def schema(
    layout: str | bytes | os.PathLike[str],
    format: _SchemaFormat = "arrow",
    *,
    layout_format: _LayoutFormat = "auto",
    copy_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    replacing: str | Iterable[str] = (),
    decimal_comma: bool = False,
    record_name: str | None = None,
    count_map: str | Iterable[str] = (),
    float: _Float = "ibm",
    byte_order: _ByteOrder = "big",
    zoned_signs: _ZonedSigns = "auto",
    when: str | Iterable[str] = (),
    parent: str | Iterable[str] | Mapping[str, str] = (),
    varchar: bool = False,
    null_indicator: str | Mapping[str, str] | None = None,
    groups: Literal["fields", "text"] = "fields",
    encoding: str = "IBM037",
    select: str | Iterable[str] | None = None,
    on_bad: _ErrorOrNull = "error",
    filler: bool = False,
    add_columns: str | Iterable[str] = (),
    dates: str | Mapping[str, str] | None = None,
    integers: bool = False,
    underscores: bool = False,
    **unknown: Never,
) -> Any:
    """Return the schema of the rows of a layout, without any data.

    ``format="arrow"`` returns the ``pyarrow.Schema`` of the batches that ``read`` returns. The other formats return text:
    ``duckdb``, ``postgresql``, ``db2`` and ``sqlite`` a ``CREATE TABLE`` for rows of CSV, ``json-schema`` a JSON Schema for
    one line of JSON, ``avro`` an Avro record schema, ``spark`` a Spark ``StructType`` as JSON. The other options have the
    same meaning as in ``read``.

    >>> print(schema(b"NAME 1 4 text\\nSUM 5 3 packed.2\\n", "duckdb").split()[:2])
    ['CREATE', 'TABLE']
    """
    given = {option: value for option, value in locals().items() if option in OPTIONS}
    _check_names("schema", unknown)
    if format != "arrow":
        return rows_schema(_layout(layout), format, _pairs(given))
    # How records are stored makes no difference to their rows.
    return read_records(b"", _layout(layout), _pairs(given | {"records": "rdw"}), 1).schema


def splits(source: Any, records: str, bytes: int = 128 << 20, *, numbers: bool = False) -> list[Split]:
    """Cut a file of records into parts of about ``bytes`` bytes that can be read in parallel.

    Fixed-length records are cut by arithmetic, ``vb`` and ``vbs`` by their block descriptor words, and other records by
    looking for a chain of eight headers. Reading a part fails unless it ends where the next one begins, so no record is
    lost or read twice.

    ``numbers=True`` reads all headers, so that the number of the first record of each part is known.

    >>> splits(bytes(800), "fb:80", 400)
    [Split(begin=0, end=400, number=1), Split(begin=400, end=800, number=6)]
    """
    source, _ = _source(source)
    return [Split(*part) for part in split_records(source, records, bytes, numbers)]


def write(
    data: Any,
    target: Any,
    *,
    layout: str | bytes | os.PathLike[str],
    layout_format: _LayoutFormat = "auto",
    copy_path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    replacing: str | Iterable[str] = (),
    decimal_comma: bool = False,
    record_name: str | None = None,
    count_map: str | Iterable[str] = (),
    float: _Float = "ibm",
    byte_order: _ByteOrder = "big",
    zoned_signs: _ZonedSigns = "auto",
    when: str | Iterable[str] = (),
    parent: str | Iterable[str] | Mapping[str, str] = (),
    varchar: bool = False,
    null_indicator: str | Mapping[str, str] | None = None,
    groups: Literal["fields", "text"] = "fields",
    encoding: str = "IBM037",
    records: str | None = None,
    length_field: str | None = None,
    length_map: str | None = None,
    binary_range: Literal["full", "picture"] = "full",
    dates: str | Mapping[str, str] | None = None,
    underscores: bool = False,
    **unknown: Never,
) -> int:
    """Write Arrow data as mainframe records. Return the number of records.

    ``data`` is a table or a stream of pyarrow, Polars or any library with ``__arrow_c_stream__``. Its columns must have the
    names of the fields, as in ``read``; columns that begin with an underscore are ignored. ``target`` is a path, which is
    replaced only when everything is written, or a binary file object. ``binary_range`` is the range of numbers that are
    written to binary fields: all that fit into the bytes (``full``), or those with as many digits as the picture
    (``picture``). With ``dates``, columns of dates and timestamps are written in the patterns. With ``parent``, the rows
    must be in the order of their column ``_number``, so that children follow their parents. The other options have the
    same meaning as in ``read``.

    A text field without a value is filled with spaces. A value that cannot be written exactly raises
    ``charpipe.RecordError``: nothing is rounded, cut or replaced.

    >>> import io
    >>> layout, out = b"NAME 1 4 text\\nSUM 5 3 packed.2\\n", io.BytesIO()
    >>> write(read(b"\\xd2\\x81\\xa3\\x85\\x01\\x23\\x4c", layout=layout), out, layout=layout), out.getvalue().hex()
    (1, 'd281a38501234c')
    """
    given = {option: value for option, value in locals().items() if option in OPTIONS}
    _check_names("write", unknown)
    given["binary_range"] = binary_range
    shape = given.pop("records")
    if shape is not None:
        given["to_records"] = shape
    if not hasattr(target, "write"):
        target = os.fsdecode(target)
    failures: list[Exception] = []
    try:
        return write_records(_validated(data, failures), target, _layout(layout), _pairs(given))
    except ValueError:
        if failures:
            # Through Arrow's interface came only its text.
            raise failures[0] from None
        raise


def _validated(data: Any, failures: list[Exception]) -> Any:
    """Return a stream whose batches pyarrow has checked, if they are its own or those of pandas.

    Arrow's C interface does not contain the size of most buffers, so only their owner can check that they are as long as
    the batch requires. pyarrow does not check that when it reads a file. charpipe checks everything else itself. For
    buffers of other libraries it relies on the sizes that they give, even if the data came from pyarrow.
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
    """Return rows that are structs, after pyarrow has validated them. Making a table from them would read them first."""
    try:
        rows.validate()
    except (ValueError, IndexError) as error:
        raise ValueError(f"the rows are invalid: {error}") from None
    return rows


def _checked(batches: Iterable[Any], failures: list[Exception]) -> Iterator[Any]:
    """Yield batches after pyarrow has validated them. An exception is also added to ``failures``."""
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


def _check_names(function: str, unknown: Mapping[str, Any]) -> None:
    """Raise the error for keyword arguments that a function does not have."""
    for name in unknown:
        instead = f": the option is named {RENAMED[name]!r}" if name in RENAMED else ""
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{instead}")


def _pairs(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return options as pairs of text. None leaves an option out."""
    pairs = []
    for option, value in given.items():
        option = "from" if option == "encoding" else option
        if isinstance(value, Mapping):
            sign = "<" if option == "parent" else "="
            pairs += [(option, f"{field}{sign}{pattern}") for field, pattern in value.items()]
        elif isinstance(value, os.PathLike):
            pairs.append((option, os.fspath(value)))
        elif option in ("when", "copy_path", "replacing", "count_map") and not isinstance(value, str):
            pairs += [(option, os.fspath(one)) for one in value]
        elif isinstance(value, bool):
            pairs.append((option, "true" if value else "false"))
        elif isinstance(value, (str, int)):
            pairs.append((option, str(value)))
        elif value is not None:
            pairs.append((option, ",".join(value)))
    return pairs


def _layout(layout: str | bytes | os.PathLike[str]) -> bytes:
    """Return the text of a layout: of a path, or as it is."""
    if isinstance(layout, (bytes, bytearray)):
        return bytes(layout)
    if isinstance(layout, str) and "\n" in layout:
        return layout.encode()
    source, _ = _source(layout)
    if isinstance(source, str):
        with open(source, "rb") as file:
            return file.read()
    with source:
        return source.read()
