"""Fixtures of all tests: files of records that are made here, without charpipe, and the rows that are in them."""

import decimal
import random
import struct
from dataclasses import dataclass

import pytest

FIXED = """
       01  ENTRY.
           05  ID     PIC S9(9) COMP.
           05  AMOUNT PIC S9(7)V99 COMP-3.
           05  NAME   PIC X(6).
           05  TALLY  PIC 9(3).
"""
VARYING = """
       01  ENTRY.
           05  ID     PIC S9(9) COMP.
           05  AMOUNT PIC S9(7)V99 COMP-3.
           05  N      PIC 9.
           05  NAME   PIC X(6) OCCURS 0 TO 5 DEPENDING ON N.
"""
NAMES = ["Anna", "Köln", "[x]", "", "Ærøskø", "a b"]


@dataclass
class File:
    """Records as they are stored."""

    #: As `records=` has it.
    shape: str
    layout: str
    data: bytes
    #: The values of each record, in the order of the layout.
    rows: list[tuple]
    columns: list[str]

    def read_with(self):
        return {"layout": self.layout, "records": self.shape, "encoding": "IBM037"}


def packed(cents):
    return bytes.fromhex(f"{abs(cents):09}" + ("d" if cents < 0 else "c"))


def text(value, width):
    return value.ljust(width).encode("cp037")


def make(shape, count, seed=1):
    dice, data, block, rows = random.Random(f"{shape} {seed}"), bytearray(), bytearray(), []

    def end_block():
        if block:
            data.extend(struct.pack(">HH", len(block) + 4, 0) + block)
            block.clear()

    for number in range(count):
        identity, cents = number * 3 - count, dice.randrange(-(10**9) + 1, 10**9)
        record, amount = struct.pack(">i", identity) + packed(cents), decimal.Decimal(cents).scaleb(-2)
        if shape == "fb":
            name, tally = dice.choice(NAMES), dice.randrange(1000)
            data += record + text(name, 6) + text(f"{tally:03}", 3)
            rows.append((identity, amount, name, decimal.Decimal(tally)))
            continue
        names = [dice.choice(NAMES) for _ in range(dice.randrange(6))]
        record += text(str(len(names)), 1) + b"".join(text(name, 6) for name in names)
        rows.append((identity, amount, decimal.Decimal(len(names)), names))
        framed = struct.pack(">HH", len(record) + 4, 0) + record
        if shape == "rdw":
            data += framed
        else:
            if len(block) + len(framed) > dice.choice([100, 400, 2000]):
                end_block()
            block += framed
    end_block()
    is_fixed = shape == "fb"
    columns = ["ID", "AMOUNT", "NAME", "TALLY"] if is_fixed else ["ID", "AMOUNT", "N", "NAME"]
    return File("fb:18" if is_fixed else shape, FIXED if is_fixed else VARYING, bytes(data), rows, columns)


@pytest.fixture
def records():
    """Makes a file: `records(shape, count)`, where the shape is fb, rdw or vb."""
    return make


@pytest.fixture(params=["fb", "rdw", "vb"])
def shape(request):
    return request.param


@pytest.fixture
def sizes():
    """Chooses lengths of parts: `sizes(length of the file)`."""
    return sizes_of_parts


def sizes_of_parts(size, parts=40):
    """Returns lengths of parts that end at all kinds of places, and not more than `parts` parts."""
    least = size // parts + 1
    return [least, least + 1, least * 3 + 7, size // 2, size // 2 + 1, size - 1, size, 1 << 40]
