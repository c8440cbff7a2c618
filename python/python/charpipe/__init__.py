"""EBCDIC and every other encoding as Python codecs; detection, transcoding, mainframe records."""

from charpipe._charpipe import __VERSION__ as __version__
from charpipe._charpipe import RecordError
from charpipe.arrow import RecordStream, Split, read, splits, write

__all__ = ["RecordError", "RecordStream", "Split", "__version__", "read", "splits", "write"]
