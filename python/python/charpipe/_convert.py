"""Values in memory and whole files: decode, encode, detect, transcode, records, tables."""

from __future__ import annotations

import os

from charpipe import _charpipe, _shapes
from charpipe._inputs import opened_url
from charpipe._options import pairs, policy
from charpipe._verdict import Report, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO, Iterator

    from typing_extensions import Buffer


def decode(
    data: Buffer,
    encoding: str | None = None,
    errors: str = "strict",
    *,
    records: str | None = None,
    guess: bool = False,
    **options: Any,
) -> str:
    """Return the text of data. Without `encoding`, detect it; with `guess`, also from byte statistics.

    With `records` ("fb:80", "rdw", "auto" …) each record becomes a line. `errors` is "strict", "replace", "ignore" or
    "backslashreplace". The other options are those of `transcode`.

    >>> decode(b"\\xc8\\x89", "IBM1047")
    'Hi'
    """
    if encoding is not None and records is None and not options:
        return _charpipe.lookup(encoding).decode(data, errors)[0]
    data, records = _shapes.find(data, records, options.get("file"))
    given = {"from": encoding, "records": records, "guess": guess, "malformed": policy(errors, False)}
    return _charpipe.decode(data, pairs(given | options))[0]


def encode(text: str, encoding: str, errors: str = "strict") -> bytes:
    """Return the text as bytes in an encoding, with charpipe's codec.

    >>> encode("Hi", "IBM1047")
    b'\\xc8\\x89'
    """
    return _charpipe.lookup(encoding).encode(text, errors)[0]


def detect(source: Buffer | str | os.PathLike[str] | BinaryIO, *, whole: bool = False, **options: Any) -> Verdict:
    """Return the encoding of bytes or of a file, and the evidence for it. The options are those of `transcode`.

    With `whole`, check the whole source against the encoding, not only its first 64 KiB.

    >>> verdict = detect(b"<?xml version='1.0' encoding='ISO-8859-1'?><a/>")
    >>> verdict.encoding, verdict.rule
    ('ISO-8859-1', 'rfc7303:declaration')
    """
    return Verdict._of_json(_charpipe.detect(opened_url(source), pairs(options), whole))


def transcode(
    source: Buffer | str | os.PathLike[str] | BinaryIO,
    target: str | os.PathLike[str] | BinaryIO,
    **options: Any,
) -> Report:
    """Convert a file, or bytes, to a file, in constant memory; return the report.

    The options are those of the command, with `_` for `-`: `from_="IBM1047"`, `to="UTF-8"`, `malformed="replace"`,
    `unmappable="xml"`, `records="fb:80"`, `to_records="rdw"`, `eol="lf"`, `ebcdic_nl="zos"`, `jobs=4` …
    `charpipe.transcode.options` lists them, and docs/reference/convert.md describes them. A target path is replaced only
    when the output is complete, so it may be the source. After an error it is unchanged.

    >>> import io
    >>> out = io.BytesIO()
    >>> transcode(b"caf\\xe9", out, from_="ISO-8859-1").bytes_out, out.getvalue()
    (5, b'caf\\xc3\\xa9')
    """
    source, options["records"] = _shapes.find(opened_url(source), options.get("records"), options.get("file"))
    given = pairs(options)
    if not hasattr(target, "write"):
        target = os.fsdecode(target)
    return Report._of_json(_charpipe.transcode(source, target, given))


transcode.options = {name: (kind, words) for name, kind, words in _charpipe.options()}


def records(source: Buffer | str | os.PathLike[str] | BinaryIO, shape: str, *, limit: int | None = None):
    """Iterate over the records of a file, or of bytes. Each record is returned as bytes, without its header.

    `shape` is one of "fb:80", "rdw", "vb" …, or "auto" to find it in the first bytes.

    The iterator has the `number` (from 1) and the `offset` of the last record that it returned. A record that is longer
    than `limit` bytes (by default 1 MiB) is an error.

    >>> list(records(b"\\x00\\x06\\x00\\x00\\xc1\\xc2\\x00\\x04\\x00\\x00", "rdw"))
    [b'\\xc1\\xc2', b'']
    """
    return _charpipe.Records(*_shapes.find(opened_url(source), shape), limit)


def load_table(path: str | os.PathLike[str], *, to: str | None = None) -> str:
    """Read a table file (ICU's `.ucm`, glibc's charmap, Unicode's `.TXT`, 256 bytes …) and register its encoding; return
    its name. It takes precedence over a built-in encoding with that name. With `to`, a file of 256 bytes maps to bytes of
    that code page.
    """
    from charpipe import _codecs

    name, _ = _charpipe.load_table(path, to)
    # Python caches the codecs that it found. This clears the cache.
    if _codecs.is_registered():
        _codecs.register()
    return name


def names(pattern: str = "") -> list[str]:
    """Return the names of all encodings, or of those whose name or aliases contain the pattern (case-insensitive).

    >>> names("1047")
    ['IBM1047']
    """
    wanted = pattern.lower()
    return [name for name in _charpipe.names() if any(wanted in label.lower() for label in _charpipe.labels(name))]
