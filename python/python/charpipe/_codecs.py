"""Registers charpipe's encodings as codecs of Python, after Python's own."""

import codecs
from _thread import _local

from charpipe import _charpipe
from charpipe._errors import UnknownEncoding

# Families of labels that only charpipe handles: an unknown label of one of these is probably misspelt.
_OURS = ("ibm", "x_ibm", "cp", "ccsid", "ebcdic")

_PREFIX = "charpipe_"

_asking = _local()


def lookup(label: str) -> codecs.CodecInfo:
    """Return charpipe's codec for a label, even if Python has a codec of that name.

    >>> lookup("cp037").decode(b"\\xc8\\x89")
    ('Hi', 2)
    """
    return _info(_charpipe.lookup(label))


def _info(codec: _charpipe.Codec) -> codecs.CodecInfo:
    return codecs.CodecInfo(
        encode=codec.encode,
        decode=codec.decode,
        incrementalencoder=codec.encoder,
        incrementaldecoder=codec.decoder,
        streamreader=type("StreamReader", (StreamReader,), {"_codec": codec}),
        streamwriter=type("StreamWriter", (StreamWriter,), {"_codec": codec}),
        name=codec.name,
    )


class StreamReader(codecs.StreamReader):
    """Reads text from a binary file, with the state of the codec kept between reads."""

    _codec: _charpipe.Codec

    def __init__(self, stream, errors="strict"):
        super().__init__(stream, errors)
        self._decoder = self._codec.decoder(errors)

    def decode(self, data, errors="strict"):
        """Return the text of data, and its length. An unfinished character at its end stays in the decoder."""
        self._decoder.errors = errors
        return self._decoder.decode(data), len(data)

    def read(self, size=-1, chars=-1, firstline=False):
        """Return text from the stream. It must end with a complete character."""
        size = -1 if size is None else size
        text = super().read(size, chars, firstline)
        while not text and size and chars and self._decoder.getstate()[0]:
            more = self.stream.read(1)
            text = self._decoder.decode(more, not more)
        if size < 0 and chars < 0 and not firstline:
            text += self._decoder.decode(b"", True)
        return text

    def reset(self):
        """Discard bytes that were read but not returned."""
        super().reset()
        self._decoder.reset()


class StreamWriter(codecs.StreamWriter):
    """Writes text to a binary file, with the state of the codec kept between writes."""

    _codec: _charpipe.Codec

    def __init__(self, stream, errors="strict"):
        super().__init__(stream, errors)
        self._encoder = self._codec.encoder(errors)

    def encode(self, text, errors="strict"):
        """Return the bytes of text."""
        self._encoder.errors = errors
        return self._encoder.encode(text), len(text)

    def reset(self):
        """Write what leads back to the initial state."""
        rest = self._encoder.encode("", True)
        if rest:
            self.stream.write(rest)


def search(name: str) -> codecs.CodecInfo | None:
    """Return the codec for a name as Python folds it: lower case, and `_` for every punctuation mark."""
    if getattr(_asking, "name", None) == name:
        return None
    if name.startswith(_PREFIX):
        return lookup(name[len(_PREFIX) :])
    try:
        return lookup(name)
    except UnknownEncoding:
        if not name.startswith(_OURS) or not name.strip("_").lstrip("abcdefghijklmnopqrstuvwxyz_")[:1].isdigit():
            return None
        # Others may know it; only if nobody does, say what it may have meant.
        _asking.name = name
        try:
            return codecs.lookup(name)
        except LookupError:
            pass
        finally:
            _asking.name = None
        raise


_registered = False


def is_registered() -> bool:
    """Return whether Python finds the encodings."""
    return _registered


def register() -> None:
    """Register the encodings. `import charpipe` does it."""
    global _registered
    unregister()
    codecs.register(search)
    _registered = True


def unregister() -> None:
    """Take the encodings back. Names that only charpipe knows are unknown to Python again."""
    global _registered
    codecs.unregister(search)
    _registered = False
