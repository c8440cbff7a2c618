"""EBCDIC and every other encoding as Python codecs; detection, transcoding, mainframe records."""

from charpipe._charpipe import __VERSION__ as __version__

__all__ = ["__version__"]
