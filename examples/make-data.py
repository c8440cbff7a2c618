#!/usr/bin/env python3
"""Writes the documents of examples/data/.

    examples/make-data.py

EBCDIC bytes come from the charts in codecs/. This script contains the text of each document and writes its bytes.
Running it again changes nothing. It needs only the standard library.
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEL = "\u0085"
SO, SI = b"\x0e", b"\x0f"

# The words that begin a section of a page, besides its charts.
SECTIONS = {"but", "both", "to-text", "to-bytes", "best-fit", "substitute1"}


def cells(name):
    """Returns the code point of each byte sequence in codecs/NAME.txt in hexadecimal, `----` if it is only decoded."""
    to_text, section, columns = {}, None, None
    for line in (ROOT / "codecs" / f"{name}.txt").read_text("utf-8").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if section is None and words[0] == "like":
            for other in words[1:]:
                to_text.update(cells(other))
        elif words[0] == "chart" or len(words) == 1 and words[0] in SECTIONS:
            section, columns = words, None
        elif section is None:
            continue
        elif section[0] == "chart" and columns is None:
            columns = [word[0] for word in words]
        elif section[0] == "chart":
            lead = section[1] if len(section) > 1 else ""
            for high, cell in zip(columns, words[1:]):
                to_text[bytes.fromhex(lead + high + words[0][1])] = cell
        elif section[0] in ("but", "both"):
            to_text.update((bytes.fromhex(code), cell) for code, cell in (word.split("=") for word in words))
        elif section[0] == "to-text":
            to_text.update((bytes.fromhex(word.split("=")[0]), "----") for word in words)
    return to_text


def page(name):
    """Returns the bytes of each character."""
    return {chr(int(cell, 16)): code for code, cell in cells(name).items() if cell != "----" and "+" not in cell}


def ebcdic(name, text):
    """Encodes `text` in the page, with pairs between shift codes. Lines end with NEL, the newline of EBCDIC."""
    to_bytes = page(name)
    out, width = b"", 1
    for ch in text.replace("\n", NEL):
        code = to_bytes[ch]
        if len(code) != width:
            out += SI if width == 2 else SO
            width = len(code)
        out += code
    return out + (SI if width == 2 else b"")


def keis(name, text):
    """Encodes `text` in KEIS with the page for single bytes. The pairs are between shift codes of two bytes. They are
    those of EUC-JP, except for the double-byte blank."""
    to_bytes = page(name)
    result = b""
    double = False
    for ch in text.replace("\n", NEL):
        single = ch in to_bytes
        if single == double:
            result += b"\x0a\x41" if single else b"\x0a\x42"
            double = not single
        result += to_bytes[ch] if single else b"\x40\x40" if ch == "\u3000" else ch.encode("euc_jp")
    assert not double
    return result


def ucs4(order, text):
    """Encodes `text` in UCS-4, with the octets of each character in the given order: 1234 is big-endian."""
    octets = [ch.encode("utf-32-be") for ch in text]
    return bytes(four[int(place) - 1] for four in octets for place in order)


def site_page():
    """Returns the page file of a site: page 1047 with two unused characters replaced by two that the site needs."""
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


# EBCDIC pages differ in brackets, braces, the caret and the bar.
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

# Kanji, kana, a double-byte blank, and a letter that exists as a single byte and as a pair.
KEIS = """\
<?xml version="1.0" encoding="X-KEIS83"?>
<customer><name>山田\u3000タロウ</name><city>東京都</city><class>Å</class></customer>
"""

# Page 930: single-byte katakana and double-byte text. The lower-case letters have the bytes that they have in page 290.
JAPANESE = """\
<?xml version="1.0" encoding="IBM930"?>
<顧客 区分="法人・個人">
  <氏名>山田 太郎（ﾔﾏﾀﾞ ﾀﾛｳ）</氏名>
  <住所>東京都千代田区１丁目 Tower 3F</住所>
</顧客>
"""

# Page 933: hangul and hanja.
KOREAN = """\
<?xml version="1.0" encoding="IBM933"?>
<고객 구분="法人">
  <이름>한국전자（韓國電子）</이름>
  <주소>서울특별시 종로구 ３층</주소>
</고객>
"""

# Page 1388: simplified characters.
CHINESE = """\
<?xml version="1.0" encoding="IBM1388"?>
<客户 类型="企业">
  <名称>北京《朱镕基》书店</名称>
  <地址>北京市海淀区，Ａ座 3F</地址>
</客户>
"""

# The last character is above U+FFFF: it needs more than two octets in UCS-4, and a surrogate pair in UTF-16.
PLANES = """\
<?xml version="1.0"{}?>
<sign>é € \U00010348</sign>
"""

LATIN1 = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<city>Málaga</city>
"""

# Malformed: a truncated €, a byte that is never valid in UTF-8, and an overlong slash (two bytes, each malformed).
DAMAGED = b"caf\xc3\xa9 5 \xe2\x82 \xff and \xc0\xaf \xc2\xa7\n"

DATA = {
    "hello-ibm1047.xml": ebcdic("IBM1047", HELLO),
    "no-declaration-name-ibm037.xml": ebcdic("IBM037", NO_DECLARATION_NAME),
    "katakana-ibm290.xml": ebcdic("IBM290", KATAKANA),
    "keis.xml": keis("IBM037", KEIS),
    "japanese-ibm930.xml": ebcdic("IBM930", JAPANESE),
    "korean-ibm933.xml": ebcdic("IBM933", KOREAN),
    "chinese-ibm1388.xml": ebcdic("IBM1388", CHINESE),
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
