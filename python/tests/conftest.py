"""What all tests share."""

import io
import pathlib

import charpipe
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# One of each kind: single bytes, two shifted pages, pairs, a surface, the web's, states of several kinds.
ENCODINGS = [
    "IBM037", "IBM1047", "IBM1025", "ibm_1047_nl_zos", "IBM930", "IBM939", "IBM1399", "IBM300", "windows-1252",
    "EUC-JP", "Shift_JIS", "GB18030", "ISO-2022-JP", "ISO-2022-KR", "ISO-2022-CN", "HZ-GB-2312", "UTF-7", "UTF-EBCDIC",
    "EUC-JIS-2004",
]

TEXT = "Hello, Grüße! 日本語 abc 東京 æ̀ Привет\nシ한국어ｱ\n" * 3


@pytest.fixture(params=ENCODINGS)
def encoding(request):
    return f"charpipe-{request.param}"


@pytest.fixture
def text(encoding):
    """The characters of TEXT that the encoding has."""

    def has(char):
        try:
            char.encode(encoding)
        except UnicodeEncodeError:
            return False
        return True

    return "".join(char for char in TEXT if has(char))


@pytest.fixture
def data():
    """The folder of sample documents."""
    return ROOT / "examples" / "data"


@pytest.fixture(autouse=True)
def registered():
    """Tests may take the encodings back."""
    yield
    charpipe.register()


def wrapped(data: bytes, encoding: str, **options) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding, newline="", **options)
