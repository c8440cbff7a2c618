#!/usr/bin/env python3
"""Writes the documents of examples/data/.

    examples/make-data.py

EBCDIC bytes come from the charts in codecs/. Each document is written as text here and as bytes there; running this
again changes nothing. Standard library only.
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEL = "\u0085"


def page(name):
    """From character to byte, as the chart of codecs/NAME.txt has it."""
    lines = (ROOT / "codecs" / f"{name}.txt").read_text("utf-8").splitlines()
    first = lines.index("chart") + 2
    to_byte = {}
    for low, line in enumerate(lines[first : first + 16]):
        for high, cell in enumerate(line.split()[1:]):
            if cell != "----":
                to_byte[chr(int(cell, 16))] = high * 16 + low
    return to_byte


def ebcdic(name, text):
    """`text` on that page. A line ends with NEL, the newline of EBCDIC."""
    to_byte = page(name)
    return bytes(to_byte[ch] for ch in text.replace("\n", NEL))


def keis(name, text):
    """`text` in KEIS over that page: pairs as in EUC-JP between shift codes of two bytes, blanks of both widths apart."""
    to_byte = page(name)
    result = b""
    double = False
    for ch in text.replace("\n", NEL):
        single = ch in to_byte
        if single == double:
            result += b"\x0a\x41" if single else b"\x0a\x42"
            double = not single
        result += bytes([to_byte[ch]]) if single else b"\x40\x40" if ch == "\u3000" else ch.encode("euc_jp")
    assert not double
    return result


def ucs4(order, text):
    """`text` in UCS-4, the octets of each character in that order: 1234 is big-endian."""
    octets = [ch.encode("utf-32-be") for ch in text]
    return bytes(four[int(place) - 1] for four in octets for place in order)


def site_page():
    """A page file of a site's own: page 1047 with two signs that nobody there writes exchanged for two that they do."""
    chart = (ROOT / "codecs" / "IBM1047.txt").read_text("utf-8").split("chart\n")[1]
    chart = chart.split("\nbest-fit")[0].rstrip() + "\n"
    for old, new in (("00A4", "20AC"), ("00B6", "2713")):
        assert chart.count(old) == 1
        chart = chart.replace(old, new)
    head = """\
# Page 1047 with the euro sign and a check mark

name        X-SITE
alias       site
source      ours
substitute  6F

chart
"""
    return (head + chart).encode()


# Brackets, braces, caret and bar are where the EBCDIC pages differ.
HELLO = """\
<?xml version="1.0" encoding="IBM1047"?>
<customers>
  <customer id="1"><name>José Müller</name><note>[paid] {50%}</note></customer>
  <customer id="2"><name>Åse Lodz</name><note>^caret | bar</note></customer>
</customers>
"""

NO_DECLARATION_NAME = """\
<?xml version="1.0"?>
<order><to>Señor Ibáñez</to><total>100 ¢</total></order>
"""

# Page 290 has half-width katakana.
KATAKANA = """\
<?xml version="1.0" encoding="IBM290"?>
<city>ﾄｳｷｮｳ</city>
"""

# Kanji, kana, a blank as wide as they are, and a letter that both kinds of byte have.
KEIS = """\
<?xml version="1.0" encoding="X-KEIS83"?>
<customer><name>山田\u3000タロウ</name><city>東京都</city><class>Å</class></customer>
"""

# The last character is above U+FFFF: four octets that are all needed, and a surrogate pair in UTF-16.
PLANES = """\
<?xml version="1.0"{}?>
<sign>é € \U00010348</sign>
"""

LATIN1 = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<city>Málaga</city>
"""

# Ill-formed: a truncated €, a byte that is never UTF-8, and an overlong slash (two bytes, each bad by itself).
DAMAGED = b"caf\xc3\xa9 5 \xe2\x82 \xff and \xc0\xaf \xc2\xa7\n"

DATA = {
    "hello-ibm1047.xml": ebcdic("IBM1047", HELLO),
    "no-declaration-name-ibm037.xml": ebcdic("IBM037", NO_DECLARATION_NAME),
    "katakana-ibm290.xml": ebcdic("IBM290", KATAKANA),
    "keis.xml": keis("IBM037", KEIS),
    "ucs4-2143.xml": ucs4("2143", PLANES.format(' encoding="ISO-10646-UCS-4"')),
    "ucs4-3412.xml": ucs4("3412", PLANES.format(' encoding="ISO-10646-UCS-4"')),
    "utf16le-bom.xml": b"\xff\xfe" + PLANES.format(' encoding="UTF-16"').encode("utf-16-le"),
    "utf16be-declared-utf16.xml": PLANES.format(' encoding="UTF-16"').encode("utf-16-be"),
    "latin1.xml": LATIN1.encode("latin-1"),
    "damaged-utf8.txt": DAMAGED,
    "x-site.txt": site_page(),
}

for name, content in DATA.items():
    (ROOT / "examples" / "data" / name).write_bytes(content)
