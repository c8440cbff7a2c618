"""Output files that are replaced only when they are complete."""

from __future__ import annotations

import contextlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator


@contextlib.contextmanager
def replacing(target: str | os.PathLike[str]) -> Iterator[str]:
    """Give the path of a new file, which replaces the target at the end. After an error the target is as it was.

    The file that a link points to is replaced, and not the link. What is no file, such as a pipe, is written directly.
    """
    given = os.fsdecode(target)
    if os.path.exists(given) and not os.path.isfile(given):
        yield given
        return
    path = os.path.realpath(given)
    beside = _new(path)
    try:
        yield beside
        if os.path.exists(path):
            os.chmod(beside, os.stat(path).st_mode & 0o7777)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _new(path: str) -> str:
    """Create an empty file beside a file. It cannot be a link that somebody else made."""
    while True:
        beside = f"{path}.{os.getpid()}-{os.urandom(4).hex()}.part"
        try:
            os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except FileExistsError:
            continue
        except OSError as error:
            # The target is what the caller knows.
            raise OSError(error.errno, os.strerror(error.errno), path) from None
        return beside
