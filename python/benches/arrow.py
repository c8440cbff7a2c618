"""Measures how fast records become Arrow batches: megabytes of input per second of processor time of one core.

    python python/benches/arrow.py [MEGABYTES]

The records have an RDW and eight typed fields, as in `cargo bench --bench fields`: four of text, and a zoned, a binary, a
packed and a signed zoned number. Beside charpipe stands pure Python: `struct`, `decode` and `Decimal`. Each line is the
fastest of several runs; the two are compared before.

The last lines are of records of one length, without an RDW: ten packed numbers, one of the ten, and texts and numbers
with an array. They show nanoseconds per record, and the time of one of ten fields as a part of the time of all.
"""

import os
import struct
import sys
import tempfile
import time
from decimal import Decimal

import pyarrow

import charpipe

LAYOUT = """
ID        1  6 zoned,unsigned
NAME      7 20 text
ADDRESS  27 20 text
PHONE    47  8 text
DATE     55  8 text
COUNT    63  4 binary
AMOUNT   67  8 packed.2
BALANCE  75  9 zoned.2
FILLER   84 41 raw
"""
TEXT = ["NAME", "ADDRESS", "PHONE", "DATE"]
NUMBERS = ["ID", "COUNT", "AMOUNT", "BALANCE"]
RUNS = 5


def packed(number: int, length: int) -> bytes:
    digits = f"{abs(number):0{2 * length - 1}d}" + ("d" if number < 0 else "c")
    return bytes.fromhex(digits)


def zoned(number: int, length: int) -> bytes:
    digits = bytearray(f"{abs(number):0{length}d}".encode("cp037"))
    digits[-1] &= 0xDF if number < 0 else 0xCF
    return bytes(digits)


def record(number: int) -> bytes:
    mixed = number * 0x9E3779B9 & 0xFFFFFFFF
    texts = [f"Customer {mixed % 9973}", f"{mixed % 997} Main Street", f"{mixed % 10**8:08}", f"2026{mixed % 1231:04}"]
    data = b"".join(
        [
            f"{mixed % 10**6:06}".encode("cp037"),
            *(text.ljust(width).encode("cp037") for text, width in zip(texts, (20, 20, 8, 8))),
            struct.pack(">i", mixed // 3 % 2**31),
            packed((mixed - 2**31) * 100 + mixed % 100, 8),
            zoned(-(mixed % 10**9), 9),
            bytes(41),
        ]
    )
    return struct.pack(">HH", len(data) + 4, 0) + data


def pure_python(path: str) -> pyarrow.Table:
    """Reads the same fields with the means of Python."""
    rows = []
    with open(path, "rb") as file:
        data = file.read()
    at, end = 0, len(data)
    while at < end:
        length = struct.unpack_from(">H", data, at)[0]
        record = data[at + 4 : at + length]
        number = record[66:74].hex()
        sign = -1 if number[-1] in "bd" else 1
        zone = record[74:83]
        last = zone[-1]
        balance = int(zone[:-1].decode("cp037") + str(last & 15)) * (-1 if last >> 4 in (0xB, 0xD) else 1)
        rows.append(
            (
                int(record[0:6].decode("cp037")),
                record[6:26].decode("cp037").rstrip(),
                record[26:46].decode("cp037").rstrip(),
                record[46:54].decode("cp037").rstrip(),
                record[54:62].decode("cp037").rstrip(),
                struct.unpack_from(">i", record, 62)[0],
                Decimal(sign * int(number[:-1])).scaleb(-2),
                Decimal(balance).scaleb(-2),
            )
        )
        at += length
    names = ["ID", "NAME", "ADDRESS", "PHONE", "DATE", "COUNT", "AMOUNT", "BALANCE"]
    return pyarrow.table({name: column for name, column in zip(names, zip(*rows))})


def measure(size: int, work, runs: int = RUNS) -> float:
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return size / best / 1e6


def consume(path: str, columns: list[str]) -> None:
    """Reads everything, batch after batch, as a program does that keeps nothing."""
    reader = pyarrow.RecordBatchReader.from_stream(charpipe.read(path, select=columns, **WHAT))
    for _ in reader:
        pass


WHAT = {"layout": LAYOUT, "encoding": "IBM037", "records": "rdw"}


PACKED = [(5, 0), (7, 2), (9, 2), (11, 2), (13, 2), (15, 2), (7, 0), (9, 4), (5, 2), (3, 0)]
MIXED = """
       01  CUSTOMER.
           05  ID        PIC 9(6).
           05  NAME      PIC X(20).
           05  STREET    PIC X(20).
           05  PHONE     PIC X(8).
           05  TRANS     PIC S9(9) COMP.
           05  SALE-DATE PIC X(8).
           05  AMOUNT    PIC S9(13)V99 COMP-3.
           05  LINE-ITEM OCCURS 3 TIMES.
              10  QTY    PIC S9(4) COMP.
              10  PRICE  PIC S9(5)V99 COMP-3.
           05  REMARK    PIC X(9).
"""


def packed_record(number: int) -> tuple[bytes, list[Decimal]]:
    """A record of ten packed numbers, and what they are."""
    values = [number * 0x9E3779B97F4A7C15 % 10**digits * (-1) ** (number % 5 == 0) for digits, _ in PACKED]
    data = b"".join(packed(value, digits // 2 + 1) for value, (digits, _) in zip(values, PACKED))
    return data, [Decimal(value).scaleb(-scale) for value, (_, scale) in zip(values, PACKED)]


def mixed_record(number: int) -> tuple[bytes, list[object]]:
    """A record of texts and numbers, and what they are."""
    name, street = ["Mary Poppins", "Joe \"Six\" Pack", "Doe, Jane"][number % 3], f"{number % 977} Main Street"
    amount, price = number * 7919**3 % 10**12 - 10**11, number * 7919 % 10**6
    items = [{"QTY": number % 9999, "PRICE": Decimal(price).scaleb(-2)}] * 3
    data = f"{number:06}{name:20}{street:20}{number * 7919:08}".encode("cp037") + struct.pack(">i", number * 77)
    data += "26/11/26".encode("cp037") + packed(amount, 8) + 3 * (struct.pack(">h", number % 9999) + packed(price, 4))
    texts = [number, name, street, f"{number * 7919:08}", number * 77, "26/11/26"]
    return data + "comment  ".encode("cp037"), [*texts, Decimal(amount).scaleb(-2), items, "comment"]


def fixed_length(folder: str, megabytes: int) -> None:
    picture = [f"S9({digits - scale})" + f"V9({scale})" * (scale > 0) for digits, scale in PACKED]
    fields = "".join(f"           05  P{index} PIC {picture[index]} COMP-3.\n" for index in range(len(PACKED)))
    packed_layout = f"       01  R.\n{fields}"
    kinds = [("packed numbers", packed_layout, packed_record), ("texts and numbers", MIXED, mixed_record)]
    for what, layout, make in kinds:
        some = [make(number) for number in range(10_000)]
        data = b"".join(record for record, _ in some)
        path, copies = os.path.join(folder, "fixed"), max(1, megabytes * 1_000_000 // len(data))
        with open(path, "wb") as file:
            for _ in range(copies):
                file.write(data)
        options = {"layout": layout, "encoding": "IBM037"}
        rows = pyarrow.table(charpipe.read(data, **options)).to_pylist()
        assert [list(row.values()) for row in rows] == [values for _, values in some], "other values were read"

        def time_of(**selected: list[str]) -> float:
            def work() -> None:
                for _ in pyarrow.RecordBatchReader.from_stream(charpipe.read(path, **options, **selected)):
                    pass

            return 1e3 / measure(copies * len(some), work)

        whole = time_of()
        print(f"{what + ', one length':40} {whole:7.1f} ns per record")
        if make is packed_record:
            one = time_of(select=["P5"])
            print(f"{'one of ten packed numbers, one length':40} {one:7.1f} ns per record, {one / whole:.2f} of all ten")


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    some = b"".join(record(number) for number in range(20_000))
    with tempfile.TemporaryDirectory() as folder:
        path, small = os.path.join(folder, "large"), os.path.join(folder, "small")
        copies = max(1, megabytes * 1_000_000 // len(some))
        with open(path, "wb") as file:
            for _ in range(copies):
                file.write(some)
        with open(small, "wb") as file:
            file.write(some)
        size = copies * len(some)
        expected = pure_python(small)
        found = pyarrow.table(charpipe.read(small, select=expected.column_names, **WHAT))
        assert found.to_pylist() == expected.to_pylist(), "the two read different values"
        python = measure(len(some), lambda: pure_python(small), 3)
        print(f"{'pure Python, eight typed fields':40} {python:7.0f} MB/s")
        for name, columns in [
            ("charpipe, eight typed fields", TEXT + NUMBERS),
            ("charpipe, four text fields", TEXT),
            ("charpipe, four numbers", NUMBERS),
        ]:
            speed = measure(size, lambda: consume(path, columns))
            print(f"{name:40} {speed:7.0f} MB/s, {speed / python:5.1f} times pure Python")
        whole = charpipe.splits(path, "rdw", size // 8)
        speed = measure(size, lambda: charpipe.splits(path, "rdw", size // 8, numbers=True))
        print(f"{f'all headers, for {len(whole)} numbered parts':40} {speed:7.0f} MB/s")
        fixed_length(folder, megabytes)


if __name__ == "__main__":
    main()
