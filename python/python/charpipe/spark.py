"""A Spark data source for mainframe records.

    import charpipe.spark

    charpipe.spark.register(spark)
    frame = (
        spark.read.format("charpipe")
        .option("layout", "/mnt/copybooks/customer.cpy")
        .option("encoding", "IBM037")
        .option("records", "vb")
        .load("/mnt/data/customer/*.dat")
    )

It needs pyspark 4.0 or later, and works on Spark Connect. Files are read by the workers, in parts: from every path that
they can open, and from every URL that fsspec can read. ``docs/spark.md`` describes the options.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

import charpipe
from charpipe import arrow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

__all__ = ["CharpipeDataSource", "register"]

#: The default size of a part.
SPLIT_BYTES = 128 << 20

#: Spark's words for the handling of records with values that cannot be read.
MODES = {"failfast": "error", "permissive": "null", "dropmalformed": "null"}

#: Options that are lists. They can be in JSON.
LISTS = ("select", "add_columns", "when", "parent", "dates", "null_indicator", "copy_path", "replacing", "count_map")

#: Columns that are not fields.
ADDED = ("_file", "_number", "_offset", "_type", "_parent", "_record", "_errors")

#: Options of the data source, besides those of ``charpipe.read``.
OTHERS = {"layout", "path", "paths", "mode", "split_bytes", "partitions", "batch_rows"}


def register(spark: SparkSession) -> None:
    """Register the format ``charpipe`` with a session."""
    spark.dataSource.register(CharpipeDataSource)


@dataclass
class Part(InputPartition):
    """A part of a file, for one task."""

    path: str
    size: int
    begin: int
    end: int
    number: int | None


class CharpipeDataSource(DataSource):
    """Mainframe records, read by a layout."""

    @classmethod
    def name(cls) -> str:
        return "charpipe"

    def schema(self) -> StructType:
        return from_arrow_schema(_Settings(self.options).schema())

    def reader(self, schema: StructType) -> DataSourceReader:
        return CharpipeReader(_Settings(self.options), schema)


class CharpipeReader(DataSourceReader):
    """Plans the parts of the files, and reads one part in each task."""

    def __init__(self, settings: _Settings, schema: StructType) -> None:
        self.settings = settings.select(schema.fieldNames())
        self.schema = schema

    def partitions(self) -> list[Part]:
        settings = self.settings
        files = settings.files()
        split_bytes = settings.split_bytes(sum(size for _, size in files))
        needs_numbers = "_number" in settings.columns
        parts: list[Part] = []
        for path, size in files:
            if settings.is_whole:
                parts.append(Part(path, size, 0, size, 1))
                continue
            shape = settings.shape(path)
            # Where unframed records begin is known only from the beginning on.
            whole = [(0, size, 1)] if shape == "layout" else None
            for split in whole or charpipe.splits(path, shape, split_bytes, numbers=needs_numbers):
                parts.append(Part(path, size, *split))
        return parts

    def read(self, part: Part) -> Iterator[pyarrow.RecordBatch]:
        if not isinstance(part, Part):
            # Without parts, because there are no records, Spark makes one itself.
            return
        settings = self.settings
        size = _size(part.path)
        if size != part.size:
            raise OSError(f"{part.path}: the file has changed: it had {part.size} bytes, and now has {size}")
        split = None if settings.is_whole else charpipe.Split(part.begin, part.end, part.number)
        wanted = to_arrow_schema(self.schema)
        for batch in settings.read(part.path, settings.shape(part.path), split):
            rows = pyarrow.record_batch(batch)
            if settings.drops_bad:
                rows = rows.filter(rows.column("_errors").is_null())
            rows = rows.select(wanted.names)
            if not rows.schema.equals(wanted):
                # Older versions of pyarrow have no RecordBatch.cast.
                columns = [column.cast(field.type) for column, field in zip(rows.columns, wanted)]
                rows = pyarrow.RecordBatch.from_arrays(columns, schema=wanted)
            yield rows


class _Settings:
    """The options of one load, checked."""

    def __init__(self, options: Any) -> None:
        options = {key.lower(): value for key, value in dict(options).items()}
        known = arrow.OPTIONS | OTHERS
        for key in options:
            if key in arrow.RENAMED:
                raise ValueError(f"unknown option {key!r}: the option is named {arrow.RENAMED[key]!r}")
            if key not in known:
                raise ValueError(f"unknown option {key!r}; expected one of {', '.join(sorted(known - {'paths'}))}")
        if not options.get("layout"):
            raise ValueError("the option 'layout' is needed")
        self.paths = _paths(options)
        self.split_size = _number(options, "split_bytes")
        self.partition_count = _number(options, "partitions")
        self.keywords: dict[str, Any] = {key: options[key] for key in arrow.OPTIONS if options.get(key)}
        self.keywords |= {key: _list(key, self.keywords[key]) for key in LISTS if key in self.keywords}
        self.records = self.keywords.pop("records", None)
        # One task reads the whole file: what is skipped is at its edges, and the parents of records can be far before them.
        whole = ("tape_file", "skip_head", "skip_tail", "parent")
        self.is_whole = any(option in self.keywords for option in whole)
        self.keywords.setdefault("add_columns", [])
        self.drops_bad = self._set_mode(options)
        if "batch_rows" in options:
            self.keywords["batch_rows"] = _number(options, "batch_rows")
        # Workers need not be able to open the layout.
        self.keywords["layout"] = arrow._layout(options["layout"])
        self.columns: list[str] = self.schema().names

    def _set_mode(self, options: dict[str, str]) -> bool:
        """Set the option for Spark's `mode`. Return whether records with bad fields are left out."""
        if "mode" not in options:
            return False
        mode = options["mode"].lower()
        if mode not in MODES:
            raise ValueError(f"mode={options['mode']!r}: expected FAILFAST, PERMISSIVE or DROPMALFORMED")
        if "on_bad" in options:
            raise ValueError("mode and on_bad both say what becomes of bad fields: leave one of them out")
        self.keywords["on_bad"] = MODES[mode]
        if mode != "failfast" and "errors" not in self.keywords["add_columns"]:
            self.keywords["add_columns"].append("errors")
        return mode == "dropmalformed"

    def schema(self, **changed: Any) -> pyarrow.Schema:
        """Return the columns that a query sees."""
        records = "layout" if {"length_field", "length_map"} & self.keywords.keys() else "fb:1"
        schema = pyarrow.schema(charpipe.read(b"", **{**self.keywords, "records": records, **changed}))
        return pyarrow.schema([field for field in schema if not (self.drops_bad and field.name == "_errors")])

    def select(self, names: list[str]) -> _Settings:
        """Read only these columns."""
        spelled = dict(zip(self.columns, self.schema(underscores=False).names))
        unknown = [name for name in names if name not in spelled and name not in ADDED]
        if unknown:
            raise ValueError(f"the layout has no field {unknown[0]!r}; it has {', '.join(self.columns)}")
        added = [name for name in names if name in ADDED]
        # Fields of the parent are there anyway.
        fields = [spelled[name] for name in names if name not in added and not name.startswith("_parent.")]
        if self.drops_bad:
            added.append("_errors")
        self.keywords |= {"select": fields, "add_columns": [name.removeprefix("_") for name in added]}
        self.columns = names
        return self

    def read(self, source: Any, records: str, split: charpipe.Split | None = None) -> charpipe.RecordStream:
        name = source if isinstance(source, str) else None
        stream = charpipe.read(source, **self.keywords, records=records, split=split, name=name)
        return stream

    def shape(self, path: str) -> str:
        """Return how the records of a file are stored."""
        if self.records not in (None, "auto", "layout"):
            return self.records
        return charpipe.read(path, **self.keywords, records=self.records).shape

    def split_bytes(self, total: int) -> int:
        if self.partition_count is not None:
            return max(1, -(-total // max(1, self.partition_count)))
        return self.split_size or SPLIT_BYTES

    def files(self) -> list[tuple[str, int]]:
        """Return all files and their sizes."""
        files = [file for path in self.paths for file in _files(path)]
        if not self.paths:
            raise ValueError("there is no path: name it in load(...)")
        return files


def _paths(options: dict[str, str]) -> list[str]:
    if options.get("paths"):
        return [_local(path) for path in json.loads(options["paths"])]
    return [_local(options["path"])] if options.get("path") else []


def _local(path: str) -> str:
    """Return a path without the scheme of local files."""
    if path.startswith("file:"):
        return "/" + path.removeprefix("file:").lstrip("/")
    if path.startswith("dbfs:/"):
        return "/dbfs/" + path.removeprefix("dbfs:").lstrip("/")
    return path


def _files(path: str) -> list[tuple[str, int]]:
    """Return the files of a path, a pattern or a directory, with their sizes."""
    if "://" in path:
        return _remote_files(path)
    found = sorted(glob.glob(path)) if glob.has_magic(path) and not os.path.exists(path) else [path]
    if not found:
        raise FileNotFoundError(f"{path}: no file matches")
    files = []
    for one in found:
        if os.path.isdir(one):
            names = sorted(os.listdir(one))
            inside = [os.path.join(one, name) for name in names if not name.startswith(("_", "."))]
            files += [file for file in inside if os.path.isfile(file)]
        else:
            files.append(one)
    return [(file, os.stat(file).st_size) for file in files]


def _remote_files(url: str) -> list[tuple[str, int]]:
    system, path = _remote(url)
    found = sorted(system.glob(path)) if glob.has_magic(path) else [path]
    if not found:
        raise FileNotFoundError(f"{url}: no file matches")
    files = []
    for one in found:
        if system.isdir(one):
            inside = sorted(system.find(one, maxdepth=1))
            files += [file for file in inside if not file.rsplit("/", 1)[-1].startswith(("_", "."))]
        else:
            files.append(one)
    return [(system.unstrip_protocol(file), system.size(file)) for file in files]


def _remote(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ImportError(f"{url}: reading this needs fsspec: pip install fsspec") from error
    return url_to_fs(url)


def _size(path: str) -> int:
    if "://" in path:
        system, name = _remote(path)
        return system.size(name)
    return os.stat(path).st_size


def _list(option: str, text: str) -> list[str] | dict[str, str]:
    """Return a list from JSON or from text separated by commas. Text that may contain commas is a single item."""
    if text.lstrip().startswith(("[", "{")):
        return json.loads(text)
    if option in ("when", "copy_path", "replacing", "count_map"):
        return [text]
    return [name.strip() for name in text.split(",") if name.strip()]


def _number(options: dict[str, str], key: str) -> int | None:
    if key not in options:
        return None
    try:
        number = int(options[key])
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError(f"{key}={options[key]!r}: expected a positive number")
    return number
