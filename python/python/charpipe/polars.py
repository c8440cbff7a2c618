"""Mainframe records as a LazyFrame of Polars.

    import charpipe.polars

    frame = charpipe.polars.scan("customer.dat", layout="customer.cpy", encoding="IBM037", records="vb")
    frame.filter(polars.col("COUNTRY") == "DE").select("NAME", "BALANCE").collect()

``docs/with/polars.md`` describes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars
from polars.io.plugins import register_io_source

import charpipe
from charpipe import arrow

__all__ = ["scan"]

#: Columns that are not fields.
_ADDED = ("_file", "_number", "_offset", "_type", "_parent", "_record", "_errors")


def scan(source: Any, *, layout: Any, batch_rows: int | None = None, **options: Any) -> polars.LazyFrame:
    """Return a LazyFrame that reads mainframe records when it is collected.

    The options are those of ``charpipe.read``. Invalid ones raise their error here, and the source is opened when the frame
    is collected. A frame can be collected many times, so the source must be a path, a pattern, an object with the buffer
    protocol, or a list of these.

    Only the fields that the query needs are read, and only they are checked. If the query needs the column ``_errors``, all
    fields are read. A limit on the number of rows ends the reading.

    >>> data, layout = b"\\xd2\\x81\\xa3\\x85\\x01\\x23\\x4c", b"NAME 1 4 text\\nSUM 5 3 packed.2\\n"
    >>> scan(data, layout=layout).select("NAME").collect().rows()
    [('Kate',)]
    """
    sources = list(source) if hasattr(source, "__next__") and not hasattr(source, "read") else source
    each = sources if isinstance(sources, (list, tuple)) else [sources]
    if any(hasattr(one, "read") and not _is_buffer(one) for one in each):
        raise TypeError("a LazyFrame can be collected many times: name the file instead of passing an open one")
    options["layout"] = arrow._layout(layout)
    about_rows = {name: value for name, value in options.items() if name not in ("split", "name", "progress")}
    # How records are stored makes no difference to their columns.
    about_rows["records"] = "layout" if {"length_field", "length_map"} & options.keys() else "fb:1"
    schema = polars.DataFrame(charpipe.read(b"", **about_rows)).schema
    spelled = dict(zip(schema.names(), _columns(about_rows | {"underscores": False})))
    fields = {name for name in spelled if _is_field(spelled[name], about_rows)}

    def rows(
        with_columns: list[str] | None, predicate: polars.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[polars.DataFrame]:
        wanted = options.copy()
        # The errors of a record are those of the fields that are read.
        if with_columns is not None and "_errors" not in with_columns:
            wanted["add_columns"] = [name[1:] for name in with_columns if name in _ADDED and name not in fields]
            wanted["select"] = [spelled[name] for name in with_columns if name in fields]
        most = batch_rows or batch_size or 65536
        left = n_rows
        # One batch has no more rows than are left, so what follows these is not read.
        for batch in charpipe.read(sources, batch_rows=most if left is None else max(1, min(most, left)), **wanted):
            frame = polars.DataFrame(batch)
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            if with_columns is not None:
                frame = frame.select(with_columns)
            yield frame if predicate is None else frame.filter(predicate)
            if left == 0:
                return

    return register_io_source(rows, schema=schema)


def _columns(options: dict[str, Any]) -> list[str]:
    return polars.DataFrame(charpipe.read(b"", **options)).columns


def _is_field(column: str, options: dict[str, Any]) -> bool:
    # The names of all other columns begin with an underscore, and those of few fields.
    if not column.startswith("_"):
        return True
    try:
        charpipe.read(b"", **options | {"select": [column], "add_columns": [], "parent": []})
    except ValueError:
        return False
    return True


def _is_buffer(source: Any) -> bool:
    try:
        memoryview(source)
    except TypeError:
        return False
    return True
