"""The inputs of `charpipe.read`: one or several, patterns of paths, and the progress of reading them."""

from __future__ import annotations

import io
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def each(inputs: Any) -> list[Any]:
    """Return the sources: the items of a list, or all files that match a pattern, sorted."""
    if isinstance(inputs, (list, tuple)) or hasattr(inputs, "__next__") and not hasattr(inputs, "read"):
        sources = [one for part in inputs for one in each(part)]
        if not sources:
            raise ValueError("there is no source in the list")
        return sources
    path = os.fspath(inputs) if isinstance(inputs, os.PathLike) and not hasattr(inputs, "read") else inputs
    if not isinstance(path, str):
        return [path]
    is_remote = "://" in path and not path.startswith("file://")
    # A question mark has another meaning in an address.
    if not any(sign in path for sign in ("*" if is_remote else "*?[")):
        return [path]
    if is_remote:
        files, _, found = _fsspec(path).get_fs_token_paths(path)
        found = [files.unstrip_protocol(one) for one in found]
    else:
        import glob

        pattern, _ = source(path)
        if os.path.exists(pattern):
            return [path]
        found = [one for one in glob.glob(pattern, recursive=True) if not os.path.isdir(one)]
    if not found:
        raise FileNotFoundError(f"{path}: no file matches this pattern")
    return sorted(found)


def opened(sources: list[Any], progress: Progress | None) -> Iterator[tuple[Any, str | None]]:
    """Yield an object to read the records of each source from, and its name."""
    for one in sources:
        one, name = source(one)
        if progress is None:
            yield one, name
        elif isinstance(one, str):
            yield _Counted(open(one, "rb", buffering=0), progress), name
        elif (size := _size(one)) is None:
            yield _Counted(one, progress), name
        else:
            yield one, name
            progress.add(size)
    if progress is not None:
        progress.close()


def source(source: Any) -> tuple[Any, str | None]:
    """Return an object to read the records from, and its name. Paths with a scheme are opened by fsspec."""
    if isinstance(source, os.PathLike) and not hasattr(source, "read"):
        source = os.fspath(source)
    if isinstance(source, str) and "://" in source:
        name, (scheme, rest) = source, source.split("://", 1)
        if scheme == "file":
            from urllib.parse import unquote

            return "/" + unquote(rest).lstrip("/"), name
        return _Remote(_fsspec(source).open(source, "rb").open(), name), name
    if isinstance(source, io.TextIOBase):
        raise TypeError("the source must be opened in binary mode")
    return source, None


def opened_url(input: Any) -> Any:
    """Open an address, such as ``s3://...``. Return everything else as it is."""
    path = os.fspath(input) if isinstance(input, os.PathLike) and not hasattr(input, "read") else input
    return source(path)[0] if isinstance(path, str) and "://" in path else input


class _Remote(io.RawIOBase):
    """A file that fsspec has opened, which must not end before its size.

    fsspec returns no bytes for a range that the store does not have, for example because the object has been replaced by
    a shorter one. That is not the end of the file.
    """

    def __init__(self, file: Any, name: str):
        self._file, self.name = file, name

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        data = self._file.read(len(room))
        size = getattr(self._file, "size", None)
        if not data and len(room) and isinstance(size, int) and (at := self._file.tell()) < size:
            raise OSError(f"{self.name}: the file ended after {at} of {size} bytes")
        room[: len(data)] = data
        return len(data)

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        try:
            self._file.close()
        finally:
            super().close()


def _fsspec(url: str) -> Any:
    try:
        import fsspec
    except ImportError as error:
        raise ImportError(f"{url}: reading this needs fsspec: pip install fsspec") from error
    return fsspec


def _size(source: Any) -> int | None:
    """Return how many bytes a source has, if that is known."""
    try:
        return os.path.getsize(source) if isinstance(source, str) else memoryview(source).nbytes
    except (OSError, TypeError):
        return None


class _Counted:
    """A binary file that counts the bytes read."""

    def __init__(self, file: Any, progress: Progress):
        self._file, self._progress = file, progress

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int) -> bytes:
        # `read` of a buffered pipe waits for as many bytes as are asked for.
        data = getattr(self._file, "read1", self._file.read)(size)
        self._progress.add(len(data))
        return data


class Progress:
    """Shows how many bytes were read: with tqdm if it is installed, otherwise in a line on stderr."""

    def __init__(self, sources: list[Any], part: tuple[Any, ...] | None):
        sizes = [_size(one) for one in sources]
        total = part[1] - part[0] if part else None if None in sizes else sum(sizes)
        self._read, self._shown, self._of = 0, 0.0, "" if total is None else f" of {total / 1e6:.1f}"
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self.add, self.close = self._add, lambda: self._show("\n")
        else:
            bar = tqdm(total=total, unit="B", unit_scale=True)
            self.add, self.close = bar.update, bar.close

    def _add(self, count: int) -> None:
        self._read += count
        if time.monotonic() - self._shown > 0.5:
            self._show("\r")

    def _show(self, end: str) -> None:
        self._shown = time.monotonic()
        print(f"charpipe: {self._read / 1e6:.1f}{self._of} MB read", end=end, file=sys.stderr, flush=True)
