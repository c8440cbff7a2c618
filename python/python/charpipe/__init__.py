"""EBCDIC and every other encoding as Python codecs; detection, transcoding, mainframe records.

`import charpipe` registers every encoding, after Python's own:

>>> b"\\xc8\\x89\\x5a".decode("ibm1047")
'Hi!'
>>> "東京".encode("cp939").hex()
'0e455745750f'
"""

from charpipe._charpipe import __VERSION__ as __version__
from charpipe._codecs import lookup, register, unregister
from charpipe._errors import Error, RecordError, UnknownEncoding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from charpipe._chart import Chart, chart
    from charpipe._convert import decode, detect, encode, load_table, names, records, transcode
    from charpipe._files import TextFile, open
    from charpipe._verdict import Report, Verdict
    from charpipe.arrow import RecordStream, Split, read, splits, write

# What is imported when it is first used, and from where: programs that only want the codecs start faster.
_LATER = {
    "Chart": "_chart",
    "RecordStream": "arrow",
    "Report": "_verdict",
    "Split": "arrow",
    "TextFile": "_files",
    "Verdict": "_verdict",
    "chart": "_chart",
    "decode": "_convert",
    "detect": "_convert",
    "encode": "_convert",
    "load_table": "_convert",
    "names": "_convert",
    "open": "_files",
    "read": "arrow",
    "records": "_convert",
    "splits": "arrow",
    "transcode": "_convert",
    "write": "arrow",
}

__all__ = ["Error", "RecordError", "UnknownEncoding", "__version__", "lookup", "register", "unregister", *_LATER]


def __getattr__(name):
    try:
        module = _LATER[name]
    except KeyError:
        raise AttributeError(f"module 'charpipe' has no attribute {name!r}") from None
    value = getattr(__import__(f"charpipe.{module}", fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LATER})


register()
