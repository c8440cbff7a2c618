#!/usr/bin/env python3
"""Writes spec/tables.tsv: digests of the mappings of each ICU table.

    codecs/digests.py DIR > spec/tables.tsv    reads the .ucm tables in DIR

The digests are an oracle for the pages of codecs/. So this program shares
no code with import.py, and reads only the name and the source of a page.
spec/tables.md says what is hashed. Uses only the standard library.
"""
import hashlib
import pathlib
import sys

COLUMNS = ["name", "source", "sha256", "decoded", "decode", "encoded", "encode", "encoded_best_fit", "encode_best_fit"]
SHIFT_CODES = (b"\x0e", b"\x0f")


def private_use(point):
    return 0xE000 <= point <= 0xF8FF or point >= 0xF0000


def rows(data):
    """Yields the mappings of a table: code points, bytes, flag."""
    in_map = False
    for raw in data.split(b"\n"):
        fields = raw.partition(b"#")[0].decode("ascii").split()
        if fields == ["CHARMAP"]:
            in_map = True
        elif fields[:1] == ["END"]:
            in_map = False
        elif in_map and fields:
            text, code, flag = fields
            points = tuple(int(part.strip("+<U"), 16) for part in text.split(">") if part)
            yield points, bytes(int(part.rstrip("+"), 16) for part in code.split("\\x") if part), flag


def hexadecimal(points):
    return "+".join("%04X" % point for point in points)


def digest(lines):
    lines = list(lines)
    return [str(len(lines)), hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()]


def summary(data):
    shifted = b'"EBCDIC_STATEFUL"' in data
    decode, encode, best_fit = {}, {}, {}
    for points, code, flag in rows(data):
        if shifted and code in SHIFT_CODES:
            print("left out: %s %s %s" % (hexadecimal(points), code.hex().upper(), flag), file=sys.stderr)
            continue
        if flag in ("|0", "|3"):
            assert code not in decode, code
            decode[code] = points
        if flag in ("|0", "|4") or flag == "|1" and private_use(points[0]):
            assert points not in encode, hexadecimal(points)
            encode[points] = code
        elif flag == "|1":
            assert points not in best_fit, hexadecimal(points)
            best_fit[points] = code
        assert flag in ("|0", "|1", "|2", "|3", "|4"), flag
    # A few tables also have an approximation of a character that they have.
    best_fit = {points: code for points, code in best_fit.items() if points not in encode}
    codes = sorted(decode, key=lambda code: (len(code), code))

    def written(mapping):
        return digest("%s=%s" % (hexadecimal(points), mapping[points].hex().upper()) for points in sorted(mapping))

    decoded = digest("%s=%s" % (code.hex().upper(), hexadecimal(decode[code])) for code in codes)
    return decoded + written(encode) + written({**best_fit, **encode})


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    tables = pathlib.Path(sys.argv[1])
    lines = []
    for page in pathlib.Path(__file__).resolve().parent.glob("**/*.txt"):
        words = [line.split() for line in page.read_text(encoding="utf-8").splitlines()]
        name, = [line[1] for line in words if line[:1] == ["name"]]
        source, = [line[1] for line in words if line[:1] == ["source"]]
        if source.endswith(".ucm"):
            data = (tables / source).read_bytes()
            lines.append([name, source, hashlib.sha256(data).hexdigest(), *summary(data)])
    print("# Written by codecs/digests.py.")
    print("\t".join(COLUMNS))
    for line in sorted(lines):
        print("\t".join(line))


if __name__ == "__main__":
    main()
