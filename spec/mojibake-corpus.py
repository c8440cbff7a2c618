"""Counts what `charpipe --mojibake repair` changes in text that is not damaged, and what it repairs in text that is.

    python3 spec/mojibake-corpus.py CHARPIPE FOLDER...

The text is that of the message catalogues (`LC_MESSAGES/*.mo`) and manual pages (`man/LANG/`) in the folders, by
language; /usr/share/locale and unpacked packages of any distribution will do. Every change is printed. Then lines of each
language are damaged by each page, and the lines are counted that are repaired to the last character.
"""

import collections
import gzip
import json
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

PAGES = {
    "windows-1252": "cp1252",
    "ISO-8859-1": "latin-1",
    "windows-1254": "cp1254",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1253": "cp1253",
    "windows-1257": "cp1257",
    "ISO-8859-2": "iso8859-2",
    "macintosh": "mac_roman",
    "IBM437": "cp437",
    "IBM850": "cp850",
}
LINES = 40


def catalogue(path):
    """Yields the translations in a catalogue."""
    data = path.read_bytes()
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, _, table = struct.unpack(order + "III", data[8:20])
    charset = "utf-8"
    for index in range(count):
        length, at = struct.unpack_from(order + "II", data, table + 8 * index)
        text = data[at : at + length]
        if index == 0 and (found := re.search(rb"charset=([\w-]+)", text)):
            charset = found[1].decode()
        yield text.decode(charset).replace("\0", "\n")


def texts(folders):
    """Returns the text of each language."""
    found = collections.defaultdict(set)
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            try:
                if path.suffix == ".mo" and path.parent.name == "LC_MESSAGES":
                    found[path.parent.parent.name].update(catalogue(path))
                elif path.suffix == ".gz" and path.parts[-4:-3] == ("man",):
                    found[path.parts[-3]].add(gzip.decompress(path.read_bytes()).decode())
            except (OSError, UnicodeError, LookupError, struct.error):
                continue
    return {language: "\n".join(sorted(parts)) for language, parts in found.items()}


def repair(charpipe, text):
    """Returns the repaired text and the report."""
    command = [charpipe, "-f", "UTF-8", "--mojibake", "repair", "--report", "-"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    report = next(line for line in done.stderr.splitlines() if line.startswith(b"{"))
    return done.stdout.decode(), json.loads(report)["mojibake"]


def damaged(text, page):
    """Decodes UTF-8 as the page; a byte that it lacks is the control of that number."""

    def char(byte):
        try:
            return bytes([byte]).decode(PAGES[page])
        except UnicodeDecodeError:
            return chr(byte)

    return "".join(map(char, text.encode()))


def main(charpipe, *folders):
    size = changes = 0
    lines = []
    for language, text in sorted(texts(folders).items()):
        size += len(text.encode())
        _, found = repair(charpipe, text)
        changes += found["count"]
        for at in found["first"]:
            print(f"{language}: {at['before']} became {at['after']} at {at['offset']}")
        likely = [line for line in text.split("\n") if 12 < len(line) < 90 and not line.isascii() and "\ufffd" not in line]
        lines += random.Random(language).sample(likely, min(LINES, len(likely)))
    print(f"{changes} changes in {size} bytes")
    for page in PAGES:
        before = lines
        for times in range(1, 4):
            before = [damaged(line, page) for line in before]
            after, _ = repair(charpipe, "\n".join(before))
            right = sum(one == other for one, other in zip(after.split("\n"), lines, strict=True))
            print(f"{page}, {times} times: {100 * right / len(lines):.1f} % of {len(lines)} lines")


main(*sys.argv[1:])
