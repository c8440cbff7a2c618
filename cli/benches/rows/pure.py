"""Writes the records of a file as CSV or JSON lines, with struct and the codec cp037: what a script of a user does."""

import json
import struct
import sys

path, format = sys.argv[1:]
fields = struct.Struct(">6s20s20s8si8s8s9s")
names = ["ID", "NAME", "STREET", "PHONE", "TRANS", "SALE-DATE", "AMOUNT", "REMARK"]


def text(data):
    return data.decode("cp037").rstrip(" ")


def packed(data):
    digits = data.hex()
    number = int(digits[:-1])
    sign = "-" if digits[-1] in "bd" else ""
    return f"{sign}{number // 100}.{number % 100:02d}"


def cell(value):
    return '"' + value.replace('"', '""') + '"' if "," in value or '"' in value or "\n" in value else value


data = open(path, "rb").read()
write = sys.stdout.write
at = 0
if format == "csv":
    write(",".join(names) + "\n")
while at < len(data):
    length = data[at] << 8 | data[at + 1]
    a, b, c, d, e, f, g, h = fields.unpack_from(data, at + 4)
    at += length
    values = [str(int(text(a))), text(b), text(c), text(d), str(e), text(f), packed(g), text(h)]
    if format == "csv":
        write(",".join(map(cell, values)) + "\n")
    else:
        a, b, c, d, e, f, g, h = values
        b, c, d, f, h = map(json.dumps, (b, c, d, f, h))
        write(
            f'{{"ID":{a},"NAME":{b},"STREET":{c},"PHONE":{d},"TRANS":{e},"SALE-DATE":{f},"AMOUNT":{g},"REMARK":{h}}}\n'
        )
