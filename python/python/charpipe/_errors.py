"""The exceptions of the package."""

import os


class Error(ValueError):
    """The error for input that charpipe cannot convert, detect or read.

    The message says what was found, where, and what to do. `code` is a short name for programs, such as `malformed`, and
    never changes. `offset` counts bytes of the input from 0. In text, `line` and `column` (in characters) count from 1. In
    an input of records, `record` is the number of the record from 1, and `column` the byte in it. Each of these is None if
    it does not apply.
    """

    code: str
    offset: int | None
    line: int | None
    record: int | None
    column: int | None


class UnknownEncoding(Error, LookupError):
    """The error for a label that is unknown, or whose charset is not supported. The message names similar labels."""


class RecordError(Error):
    """The error for a record that cannot be read or written.

    `record` counts from 1. `field` is the path of the field, `offset` is its offset in the input, and `bytes` are its bytes,
    or the bytes of an invalid header. Each of these is None if it does not apply.
    """

    field: str | None
    bytes: bytes | None


def in_record(message, code, offset, record, field, data):
    """Return the exception for a bad record or field."""
    error = RecordError(message)
    error.code, error.offset, error.line, error.record, error.column = code, offset, None, record, None
    error.field, error.bytes = field, data
    return error


def made(arguments, os_error):
    """Return the exception for an error of the library."""
    message, code, offset, line, record, column = arguments
    if os_error is not None:
        return OSError(os_error, f"{os.strerror(os_error)}: {message}")
    kind = UnknownEncoding if code in ("unknown-label", "unsupported-label") else Error
    error = kind(message)
    error.code, error.offset, error.line, error.record, error.column = code, offset, line, record, column
    return error
