"""EBCDIC and every other encoding as Python codecs; detection, transcoding, mainframe records.

`import charpipe` registers every encoding, after Python's own:

>>> b"\\xc8\\x89\\x5a".decode("ibm1047")
'Hi!'
>>> "東京".encode("cp939").hex()
'0e4596457f0f'
"""

from __future__ import annotations

from charpipe import _charpipe
from charpipe._chart import Chart, chart
from charpipe._charpipe import __VERSION__ as __version__
from charpipe._codecs import lookup, register, unregister
from charpipe._convert import decode, detect, encode, load_table, names, records, transcode
from charpipe._errors import Error, RecordError, UnknownEncoding
from charpipe._files import open
from charpipe._verdict import Report, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from charpipe.arrow import RecordStream, Split, read, splits, write

__all__ = [
    "Chart",
    "Error",
    "RecordError",
    "RecordStream",
    "Report",
    "Split",
    "UnknownEncoding",
    "Verdict",
    "__version__",
    "chart",
    "decode",
    "detect",
    "encode",
    "load_table",
    "lookup",
    "names",
    "open",
    "read",
    "records",
    "register",
    "splits",
    "transcode",
    "unregister",
    "write",
]

register()


def __getattr__(name: str):
    """Import `charpipe.arrow` when something of it is used first."""
    if name in ("RecordStream", "Split", "read", "splits", "write"):
        from charpipe import arrow

        return getattr(arrow, name)
    raise AttributeError(f"module 'charpipe' has no attribute {name!r}")
