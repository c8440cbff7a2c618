#!/usr/bin/env python3
"""Writes a page of codecs/ from an ICU .ucm table.

    codecs/import.py FILE.ucm NAME TITLE ALIAS...  > codecs/NAME.txt

Single-byte tables only. The page is then the source of truth; what the
format means is said in codecs/README.md. Standard library only.
"""
import hashlib
import os
import re
import sys

MAPPING = re.compile(r"<U([0-9A-F]{4,6})>\s+\\x([0-9A-F]{2})\s+\|([0-4])")


def main():
    path, name, title, *aliases = sys.argv[1:]
    raw = open(path, "rb").read()
    text = raw.decode("latin-1")
    decode, to_bytes = {}, {}
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        match = MAPPING.fullmatch(line)
        if match:
            code_point, byte, flag = int(match[1], 16), int(match[2], 16), match[3]
            if flag in "03":
                assert byte not in decode, line
                decode[byte] = code_point
            if flag == "1":
                assert code_point not in to_bytes, line
                to_bytes[code_point] = byte
            assert flag in "01", f"not in the page format yet: {line}"
        elif line.startswith("<U"):
            raise SystemExit(f"not understood: {line}")
    substitute = re.search(r"<subchar>\s+\\x([0-9A-F]{2})", text)[1]
    out = [f"# {title}", ""]
    out.append(f"name        {name}")
    for start in range(0, len(aliases), 5):
        out.append(f"alias       {' '.join(aliases[start:start + 5])}")
    out.append(f"source      {os.path.basename(path)}")
    out.append(f"sha256      {hashlib.sha256(raw).hexdigest()}")
    out.append(f"substitute  {substitute}")
    out += ["", "chart"]
    out.append("     " + " ".join(f"{high:X}-  " for high in range(16)).rstrip())
    for low in range(16):
        cells = []
        for high in range(16):
            code_point = decode.get(high * 16 + low)
            cells.append("----" if code_point is None else f"{code_point:04X}")
        out.append(f"-{low:X}   " + " ".join(cells))
    if to_bytes:
        out += ["", "best-fit"]
        for code_point in sorted(to_bytes):
            out.append(f"{code_point:04X} {to_bytes[code_point]:02X}")
    print("\n".join(out))


main()
