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
    # Type checkers take only what is named twice for a part of this module.
    from charpipe._chart import Chart as Chart
    from charpipe._chart import chart as chart
    from charpipe._convert import decode as decode
    from charpipe._convert import detect as detect
    from charpipe._convert import encode as encode
    from charpipe._convert import load_table as load_table
    from charpipe._convert import names as names
    from charpipe._convert import records as records
    from charpipe._convert import transcode as transcode
    from charpipe._files import TextFile as TextFile
    from charpipe._files import open as open
    from charpipe._verdict import Report as Report
    from charpipe._verdict import Verdict as Verdict
    from charpipe.arrow import RecordStream as RecordStream
    from charpipe.arrow import Split as Split
    from charpipe.arrow import read as read
    from charpipe.arrow import schema as schema
    from charpipe.arrow import splits as splits
    from charpipe.arrow import write as write

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
    "schema": "arrow",
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
