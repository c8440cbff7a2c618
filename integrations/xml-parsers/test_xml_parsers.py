"""EBCDIC and UCS-4 documents: what each parser does with them alone, as the table of the page has it, and that it reads
the right text behind charpipe. The documents are encoded without charpipe.
"""

import functools
import json
import os
import pathlib
import pyexpat
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import charpipe
import pytest
from lxml import etree

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/with/xml-parsers.md"

# The text in each document.
LATIN, HEBREW, UNICODE = "grün [x] é", "שלום [x]", "grün € 漢 😀"

# The bytes in which IBM1047 differs from IBM037.
IBM1047 = {0xBA: 0xAD, 0xBB: 0xBD, 0xB0: 0x5F, 0x5F: 0xB0, 0xAD: 0xBA, 0xBD: 0xBB}
ORDERS = {"1234": (0, 1, 2, 3), "4321": (3, 2, 1, 0), "2143": (1, 0, 3, 2), "3412": (2, 3, 0, 1)}


def ebcdic(label, text, newline):
    codec = {"IBM1047": "cp037", "IBM01140": "cp1140"}.get(label, "cp" + label.removeprefix("IBM"))
    return f'<?xml version="1.0" encoding="{label}"?>{newline}<a>{text}</a>{newline}'.encode(codec)


def ucs4(order, text, bom="", label=""):
    declaration = f'<?xml version="1.0" encoding="{label}"?>\n' if label else ""
    characters = (ord(ch).to_bytes(4, "big") for ch in bom + declaration + f"<a>{text}</a>")
    return b"".join(bytes(ch[at] for at in ORDERS[order]) for ch in characters)


def pages(labels, newlines):
    for label in labels:
        text = HEBREW if label == "IBM424" else LATIN
        for newline in newlines:
            code = ebcdic(label, text, newline)
            yield bytes(IBM1047.get(byte, byte) for byte in code) if label == "IBM1047" else code, text


def orders(names, bom, labels=("", "ISO-10646-UCS-4"), text=UNICODE):
    return [(ucs4(order, text, bom, label), text) for order in names for label in labels]


ONE_LINE, LF, NEL = "", "\n", "\x85"

# For each row of the page: its documents.
DOCUMENTS = {
    "IBM037, IBM500, IBM01140, IBM424": list(pages(("IBM037", "IBM500", "IBM01140", "IBM424"), (ONE_LINE, LF))),
    "IBM1047 in one line": list(pages(["IBM1047"], [ONE_LINE])),
    "IBM1047 with LF": list(pages(["IBM1047"], [LF])),
    "IBM273 in one line": list(pages(["IBM273"], [ONE_LINE])),
    "IBM1026": list(pages(["IBM1026"], (ONE_LINE, LF, NEL))),
    "IBM037, IBM500, IBM1047, IBM273 with NEL": list(pages(("IBM037", "IBM500", "IBM1047", "IBM273"), [NEL])),
    "UCS-4, big-endian": orders(["1234"], ""),
    "UCS-4, little-endian": orders(["4321"], ""),
    "UCS-4, orders 2143 and 3412": orders(("2143", "3412"), ""),
    "UCS-4, any order, with a byte order mark": orders(ORDERS, "\ufeff"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The paths of the documents of each row, with their texts."""
    folder = tmp_path_factory.mktemp("documents")
    found = {}
    for row, documents in DOCUMENTS.items():
        for code, text in documents:
            path = folder / f"{sum(map(len, found.values()))}.xml"
            path.write_bytes(code)
            found.setdefault(row, []).append((path, text))
    return found


# --- The parsers: each returns the text in the document, or None if it refuses it -------------------------------------


def xmllint(path, environment=None):
    done = subprocess.run(["xmllint", "--xpath", "string(/a)", path], capture_output=True, env=environment, check=False)
    return None if done.returncode else done.stdout.decode().removesuffix("\n")


def xmlwf(path):
    folder = path.parent / "canonical"
    folder.mkdir(exist_ok=True)
    # It prints errors to standard output. Its status differs between versions.
    if subprocess.run(["xmlwf", "-d", folder, path], capture_output=True, check=False).stdout:
        return None
    return ElementTree.parse(folder / path.name).getroot().text


def in_python(parse, *errors):
    def read(path):
        try:
            return parse(path).getroot().text
        except errors:
            return None

    return read


@functools.cache
def java_alone(folder):
    paths = sorted(folder.glob("*.xml"))
    shown = subprocess.run(["java", HERE / "Alone.java", *paths], capture_output=True, check=True).stdout
    return {path: line.split(" ", 1) for path, line in zip(paths, shown.decode().split("\n"))}


def java(path):
    what, text = java_alone(path.parent)[path]
    return text if what == "text" else None


PARSERS = {
    "xmllint": xmllint,
    "lxml": in_python(lambda path: etree.parse(str(path)), etree.XMLSyntaxError),
    "xmlwf": xmlwf,
    "xml.etree": in_python(ElementTree.parse, ElementTree.ParseError, ValueError, LookupError),
    "Java": java,
}


@functools.cache
def version(parser):
    if parser == "lxml":
        return etree.__version__
    if parser == "xml.etree":
        return pyexpat.EXPAT_VERSION.removeprefix("expat_")
    line = {"xmllint": ["xmllint", "--version"], "xmlwf": ["xmlwf", "-v"], "Java": ["java", "-version"]}[parser]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    found = re.search(r'libxml version (\d)(\d\d)(\d\d)|expat_([\d.]+)|version "(\d+)', done.stdout + done.stderr)
    libxml = found.groups()[:3]
    return ".".join(str(int(part)) for part in libxml) if libxml[0] else found[4] or found[5]


# --- Alone ------------------------------------------------------------------------------------------------------------


def table():
    """Returns the rows of the page's table, and the columns: a parser and its version."""
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    lines = [line.strip("|").split("|") for line in lines]
    header, *rows = [[cell.strip() for cell in line] for line in lines]
    return [cell.rsplit(" ", 1) for cell in header[1:]], {row[0]: row[1:] for row in rows}


@pytest.mark.parametrize("parser", PARSERS)
def test_alone(parser, files):
    columns, rows = table()
    assert set(rows) == set(files)
    index = [name for name, _ in columns].index(parser)
    measured = {}
    for row, documents in files.items():
        found = set()
        for path, text in documents:
            read = PARSERS[parser](path)
            found.add("refuses" if read is None else "reads" if read == text else "**wrong text**")
        measured[row] = " or ".join(sorted(found))
    if version(parser) != columns[index][1]:
        pytest.skip(f"{parser} is {version(parser)}, not {columns[index][1]}: {json.dumps(measured, indent=2)}")
    assert measured == {row: cells[index] for row, cells in rows.items()}


def test_the_shim(files):
    """The iconv shim adds pages that glibc lacks, but no order of UCS-4, and NEL stays NEL."""
    shim = os.environ.get("CHARPIPE_ICONV")
    if not shim:
        pytest.skip("CHARPIPE_ICONV does not name the shim")
    environment = {**os.environ, "LD_PRELOAD": shim}
    path = files["IBM1026"][0][0].with_name("shim.xml")
    # IBM00924 has its letters and signs where IBM1047 has them.
    document = f'<?xml version="1.0" encoding="IBM00924"?><a>{LATIN}</a>'.encode("cp037")
    path.write_bytes(bytes(IBM1047.get(byte, byte) for byte in document))
    assert (xmllint(path), xmllint(path, environment)) == (None, LATIN)
    for row in ("UCS-4, orders 2143 and 3412", "IBM037, IBM500, IBM1047, IBM273 with NEL"):
        for path, _ in files[row]:
            assert xmllint(path, environment) is None, path


# --- Behind charpipe --------------------------------------------------------------------------------------------------


def piped(*command):
    """Returns a parser that reads what charpipe writes."""

    def read(path):
        with subprocess.Popen(["charpipe", "-q", path], stdout=subprocess.PIPE) as converted:
            done = subprocess.run(command, stdin=converted.stdout, capture_output=True, check=True)
        assert converted.returncode == 0
        return done.stdout.decode()

    return read


def of_stream(parse):
    def read(path):
        with charpipe.open(path, relabel="auto") as document:
            return parse(document.buffer).getroot().text

    return read


def test_behind_charpipe(files):
    wellformed = piped("xmlwf")
    readers = [piped("xmllint", "--xpath", "string(/a)", "-"), of_stream(ElementTree.parse), of_stream(etree.parse)]
    all_files = [pair for documents in files.values() for pair in documents]
    for path, text in all_files:
        for read in readers:
            assert read(path).removesuffix("\n") == text, path
        # It prints errors.
        assert wellformed(path) == "", path
    line = [
        "java",
        "-Dfile.encoding=UTF-8",
        "-Dstdout.encoding=UTF-8",
        HERE / "Read.java",
        *(path for path, _ in all_files),
    ]
    shown = subprocess.run(line, capture_output=True, check=True).stdout.decode()
    assert shown == "".join(f"{text}\n" for _, text in all_files)


def test_the_example_in_c(files, tmp_path):
    """libxml2 with the C library, without a pipe."""
    if subprocess.run(["pkg-config", "--exists", "libxml-2.0", "charpipe"], check=False).returncode != 0:
        pytest.skip("the headers of libxml2, or the C library, are not installed")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libxml-2.0", "charpipe"], capture_output=True, check=True)
    program = tmp_path / "xml"
    subprocess.run(["cc", ROOT / "capi/examples/xml.c", "-o", program, *flags.stdout.decode().split()], check=True)
    for path, text in [pair for documents in files.values() for pair in documents]:
        shown = subprocess.run([program, path], capture_output=True, check=True).stdout.decode()
        assert shown == f"<a>\n{text}\n", path


def test_iteration_behind_charpipe(tmp_path):
    """A large document is parsed while it is converted."""
    path = tmp_path / "large.xml"
    with open(path, "wb") as file:
        tags = ucs4("3412", "")
        file.write(tags[:12])
        for number in range(50_000):
            file.write(ucs4("3412", f"{number} 😀"))
        file.write(tags[12:])
    with charpipe.open(path, relabel="auto") as document:
        texts = [element.text for _, element in ElementTree.iterparse(document.buffer)]
    assert texts[:-1] == [f"{number} 😀" for number in range(50_000)] and len(texts) == 50_001


def test_an_error_in_the_document(tmp_path):
    """A document that charpipe cannot convert is an error everywhere, even after the end tag."""
    good = ebcdic("IBM037", "x", "")
    for bad in (ucs4("2143", "x")[:-2], ucs4("2143", "x") + b"\0\x11\0\0", ucs4("3412", "x") + b"\0"):
        path = tmp_path / "bad.xml"
        path.write_bytes(bad)
        with charpipe.open(path, relabel="auto") as document, pytest.raises((ValueError, ElementTree.ParseError)):
            ElementTree.parse(document.buffer)
        done = subprocess.run(["java", HERE / "Read.java", path], capture_output=True, text=True, check=False)
        assert done.returncode != 0 and "Exception" in done.stderr, bad
        line = f"set -o pipefail; charpipe -q '{path}' | xmllint --noout -"
        assert subprocess.run(["bash", "-c", line], capture_output=True, check=False).returncode != 0, bad
    path.write_bytes(good)
    assert of_stream(ElementTree.parse)(path) == "x"
