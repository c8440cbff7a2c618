"""Polars reads text in other encodings, and records. python/tests/test_polars.py has the queries that are pushed down."""

import random
import struct

import charpipe
import charpipe.polars
import polars
import pytest

TEXT = {
    "IBM1047": "Müller [Köln] ^",
    "ibm-939": "abc 東京 DEF",
    "shift_jis": "東京都ｱｲｳソ表",
    "windows-1252": "€ “quoted” Šaž",
    "EUC-JIS-2004": "か゚ 東京",
}


@pytest.mark.parametrize("encoding", TEXT)
def test_text(encoding, tmp_path):
    rows = [(number, TEXT[encoding][: number % 9] + TEXT[encoding]) for number in range(50_000)]
    text = "".join(["id,text\n", *(f"{number},{text}\n" for number, text in rows)])
    path, schema = tmp_path / "file.csv", {"id": polars.Int64, "text": polars.String}
    charpipe.transcode(text.encode(), path, from_="UTF-8", to=encoding)
    assert polars.read_csv(path, encoding=encoding, schema=schema).rows() == rows
    with charpipe.open(path, encoding=encoding, malformed="fail") as file:
        assert polars.read_csv(file, schema=schema).rows() == rows
    if len(text.encode(f"charpipe-{encoding}")) == len(text):
        # Records of a fixed length, some of which end in the middle of a buffer.
        records = tmp_path / "file.fb"
        charpipe.transcode(text.encode(), records, from_="UTF-8", to=encoding, to_records="fb:61")
        with charpipe.open(records, encoding=encoding, records="fb:61") as file:
            assert polars.read_csv(file, schema=schema).rows() == rows


@pytest.mark.parametrize("place", [0, 1, 299_999])
def test_malformed_text(place, tmp_path):
    data = bytearray(b"text\n" + b"abcde\n" * 50_000)
    data[5 + place : 6 + place] = b"\x83\n"
    path = tmp_path / "file.csv"
    path.write_bytes(data)
    with pytest.raises(UnicodeDecodeError):
        polars.read_csv(path, encoding="shift_jis")
    # Polars panics if reading a file fails, which it does not for an encoding.
    with pytest.raises(BaseException, match="83 is not valid Shift_JIS"):
        polars.read_csv(charpipe.open(path, encoding="Shift_JIS", malformed="fail"))


LAYOUT = """
       01  ENTRY.
           05  ID     PIC S9(9) COMP.
           05  AMOUNT PIC S9(7) COMP-3.
           05  N      PIC 9.
           05  NAME   PIC X(5) OCCURS 0 TO 4 DEPENDING ON N.
"""


def test_parts_of_a_file_of_varying_records(tmp_path):
    """Each record is in one part, and parts that Polars reads side by side are the whole file."""
    dice, data, rows = random.Random(5), bytearray(), []
    for number in range(60_000):
        names = [dice.choice(["Anna", "Köln", "x", ""]) for _ in range(dice.randrange(5))]
        amount = dice.randrange(-9_999_999, 10_000_000)
        record = struct.pack(">i", number - 30_000) + bytes.fromhex(f"{abs(amount):07}" + "dc"[amount >= 0])
        record += str(len(names)).encode("cp037") + b"".join(name.ljust(5).encode("cp037") for name in names)
        data += struct.pack(">HH", len(record) + 4, 0) + record
        rows.append((number - 30_000, amount, len(names), names))
    path = tmp_path / "entries.rdw"
    path.write_bytes(data)
    options = {"layout": LAYOUT, "records": "rdw", "integers": True}
    whole = charpipe.polars.scan(path, **options).collect()
    assert whole.rows() == rows
    for size in (1, 1000, 4097, 65536, 1 << 20, len(data) - 1, len(data), 1 << 30):
        parts = charpipe.splits(path, "rdw", max(size, len(data) // 64))
        frames = [charpipe.polars.scan(path, split=part, **options) for part in parts]
        assert polars.concat(frames).collect().equals(whole), size
    positive = polars.concat(frames).filter(polars.col("AMOUNT") > 0)
    # The sum of a column of 32 bits has 32 bits.
    found = positive.select(polars.col("AMOUNT").cast(polars.Int64).sum()).collect().item()
    assert found == sum(amount for _, amount, *_ in rows if amount > 0)
