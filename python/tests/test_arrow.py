"""Records as Arrow batches: the values, the types, bad values, parts, and every consumer."""

import datetime
import io
import json
import mmap
import os
import pathlib
import struct
import subprocess
import sys
import threading
from decimal import Decimal

import pytest

import charpipe

pyarrow = pytest.importorskip("pyarrow")

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data" / "carddemo"
BOOKS, EBCDIC, ASCII = DATA / "copybooks", DATA / "ebcdic", DATA / "ascii"


def table(source, **options):
    return pyarrow.table(charpipe.read(source, **{"encoding": "IBM037", **options}))


def ebcdic(text):
    return text.encode("cp037")


LIST = "ID 1 4 zoned,unsigned\nNAME 5 6 text\nAMOUNT 11 3 packed.2\nCOUNT 14 2 binary\n"


def item(number, name="Joe", amount=b"\x01\x23\x4c", count=7):
    return ebcdic(f"{number:04}{name:6}") + amount + struct.pack(">h", count)


# --- Values and types -------------------------------------------------------------------------------------------------


def test_the_accounts_of_carddemo_are_those_of_their_ascii_copies():
    rows = table(EBCDIC / "AWS.M2.CARDDEMO.ACCTDATA.PS", layout=BOOKS / "CVACT01Y.cpy").to_pylist()
    lines = (ASCII / "acctdata.txt").read_text().splitlines()
    assert len(rows) == len(lines) == 50
    for row, line in zip(rows, lines):
        assert row["ACCT-ID"] == int(line[0:11])
        assert row["ACCT-ACTIVE-STATUS"] == line[11]
        assert row["ACCT-CURR-BAL"] == signed(line[12:24])
        assert row["ACCT-CREDIT-LIMIT"] == signed(line[24:36])
        assert row["ACCT-OPEN-DATE"] == line[48:58]


def signed(text):
    """A zoned decimal with two places, as it is in ASCII."""
    signs = "{ABCDEFGHI}JKLMNOPQR"
    sign = signs.index(text[-1])
    return Decimal(int(text[:-1] + str(sign % 10)) * (-1 if sign > 9 else 1)).scaleb(-2)


def test_every_file_of_carddemo_has_the_same_text_as_its_ascii_copy():
    pairs = [
        ("CARDDATA", "CVACT02Y", "carddata", 150),
        ("CARDXREF", "CVACT03Y", "cardxref", 50),
        ("CUSTDATA", "CVCUS01Y", "custdata", 500),
        ("TRANTYPE", "CVTRA03Y", "trantype", 60),
    ]
    for name, book, copy, length in pairs:
        found = table(EBCDIC / f"AWS.M2.CARDDEMO.{name}.PS", layout=f"ALL 1 {length} text\n", trim="none")
        lines = [line.ljust(length)[:length] for line in (ASCII / f"{copy}.txt").read_text().splitlines()]
        assert [row["ALL"] for row in found.to_pylist()] == lines, name
        fields = table(EBCDIC / f"AWS.M2.CARDDEMO.{name}.PS", layout=BOOKS / f"{book}.cpy")
        assert fields.num_rows == len(lines)


def test_types_follow_the_layout():
    layout = (
        "T 1 2 text\nZ 3 3 zoned.1\nP 6 3 packed,digits=4\nB1 9 2 binary\nB2 11 4 binary,unsigned\nB3 15 8 binary\n"
        "B4 23 8 binary,unsigned\nB5 31 4 binary.2\nF 35 8 float\nR 43 3 raw\nA 46 2*2 binary\nE 50 4 packed.-2\n"
    )
    schema = pyarrow.schema(charpipe.read(b"", layout=layout, encoding="IBM037"))
    types = [str(field.type) for field in schema]
    assert types == [
        "string",
        "decimal128(3, 1)",
        "decimal128(4, 0)",
        "int32",
        "int64",
        "int64",
        "decimal128(20, 0)",
        "decimal128(10, 2)",
        "double",
        "binary",
        "list<element: int32>",
        "decimal128(9, 0)",
    ]
    assert all(field.nullable for field in schema)
    integers = pyarrow.schema(charpipe.read(b"", layout=layout, encoding="IBM037", integers=True))
    assert [str(integers.field(name).type) for name in "PE"] == ["int32", "int32"]


def test_values():
    layout = "P 1 3 packed.-2\nF 4 4 float\nR 8 2 raw\nB 10 4 binary.2\n"
    rows = table(bytes.fromhex("00123D C1100000 00FF FFFFFF9C"), layout=layout).to_pylist()
    assert rows == [{"P": Decimal(-12300), "F": -1.0, "R": b"\x00\xff", "B": Decimal("-1.00")}]


def test_groups_arrays_and_counts():
    book = b"""
       01  ORDER-RECORD.
           05  ID           PIC 9(3).
           05  LINE-COUNT   PIC 9.
           05  LINES-OF OCCURS 0 TO 3 TIMES DEPENDING ON LINE-COUNT.
               10  ITEM     PIC X(2).
               10  SIZES    PIC 9 OCCURS 2 TIMES.
           05  TAIL.
               10  CODE-X   PIC X.
"""
    data = b"".join(struct.pack(">HH", len(ebcdic(text)) + 4, 0) + ebcdic(text) for text in ["0012AB12CD34x", "0020y"])
    rows = table(data, layout=book, records="rdw").to_pylist()
    assert rows[0]["LINES-OF"] == [
        {"ITEM": "AB", "SIZES": [Decimal(1), Decimal(2)]},
        {"ITEM": "CD", "SIZES": [Decimal(3), Decimal(4)]},
    ]
    assert (rows[1]["LINES-OF"], rows[1]["TAIL"]) == ([], {"CODE-X": "y"})


def test_record_types_leave_the_others_null():
    layout = "K 1 1 text\nwhen K=A: ONE\nX 2 2 text\nwhen K=B: TWO\nY 2 2 zoned,unsigned\nZ 4 1*2 text\nend\n"
    rows = table(ebcdic("Axy  B12pq"), layout=layout, records="fb:5").to_pylist()
    assert rows == [
        {"_type": "ONE", "K": "A", "ONE": {"X": "xy"}, "TWO": None},
        {"_type": "TWO", "K": "B", "ONE": None, "TWO": {"Y": Decimal(12), "Z": ["p", "q"]}},
    ]


def test_conditions_for_a_copybook():
    book = "       01 R.\n 05 K PIC X.\n 05 A PIC X(2).\n 05 B REDEFINES A PIC 9(2).\n"
    rows = table(ebcdic("1xy212"), layout=book, when=["K=1: A", "K=2: B"]).to_pylist()
    assert rows == [
        {"_type": "A", "K": "1", "A": "xy", "B": None},
        {"_type": "B", "K": "2", "A": None, "B": Decimal(12)},
    ]


def test_timestamps_and_dates_both_ways():
    layout = "T 1 26 text\nN 27 14 zoned,unsigned\nD 41 8 zoned,unsigned\n"
    dates = {"T": "YYYY-MM-DD-HH.MI.SS.FFFFFF", "N": "YYYYMMDDHHMISS", "D": "YYYYMMDD"}
    data = ("2026-11-23-05.06.07.123456" + "20261123050607" + "20240229" + " " * 26 + "20260101000000" + "00010101").encode("cp037")
    read = table(data, layout=layout, dates=dates)
    types = [pyarrow.timestamp("us"), pyarrow.timestamp("us"), pyarrow.date32()]
    assert read.schema.types == types and charpipe.schema(layout, dates=dates).types == types
    moment = datetime.datetime(2026, 11, 23, 5, 6, 7, 123456)
    day = datetime.date(2024, 2, 29)
    assert read.to_pylist() == [{"T": moment, "N": moment.replace(microsecond=0), "D": day}, {"T": None, "N": datetime.datetime(2026, 1, 1), "D": datetime.date(1, 1, 1)}]

    def written(**columns):
        out = io.BytesIO()
        rows = {"T": [moment], "N": [moment.replace(microsecond=0)], "D": [day]} | columns
        charpipe.write(pyarrow.table(rows), out, layout=layout, dates=dates)
        return out.getvalue().decode("cp037")

    out = io.BytesIO()
    charpipe.write(read, out, layout=layout, dates=dates)
    assert out.getvalue() == data
    for unit in ("s", "ms", "us", "ns"):
        whole = pyarrow.array([moment.replace(microsecond=0)], pyarrow.timestamp(unit))
        assert written(T=whole, N=whole)[:40] == "2026-11-23-05.06.07.00000020261123050607"
    assert written(T=["2026-11-23T05:06:07"], D=["2024-02-29"]) == "2026-11-23-05.06.07.0000002026112305060720240229"
    # No date is what it was read from: blanks in text, and zeros in a number.
    assert written(T=pyarrow.nulls(1))[:26] == " " * 26
    assert written(D=pyarrow.nulls(1))[40:] == "0" * 8
    for columns, code, message in [
        ({"N": [moment]}, "bad-date", "record 1, field N: 2026-11-23 05:06:07.123456 does not fit into YYYYMMDDHHMISS"),
        ({"D": ["2024-02-30"]}, "bad-date", 'record 1, field D: "2024-02-30" is not a date like YYYY-MM-DD'),
        ({"T": pyarrow.array([1], pyarrow.timestamp("ns"))}, "bad-batch", "record 1, field T: 1 is not a date"),
    ]:
        with pytest.raises(charpipe.RecordError, match=message) as error:
            written(**columns)
        assert (error.value.code, error.value.record) == (code, 1)
    with pytest.raises(ValueError, match="the column of T is Timestamp with a time zone"):
        written(T=pyarrow.array([moment], pyarrow.timestamp("us", "UTC")))


def test_dates():
    layout = "A 1 8 text\nB 9 8 zoned,unsigned\nC 17 7 text\nD 24 8 text\n"
    dates = {"B": "YYYYMMDD", "C": "YYYYDDD", "D": "DD-MM-YY"}
    row = table(ebcdic("        " + "20240229" + "2024060" + "01-02-49"), layout=layout, dates=dates).to_pylist()[0]
    assert [str(row[name]) for name in "BCD"] == ["2024-02-29", "2024-02-29", "2049-02-01"]
    empty = table(ebcdic(" " * 8 + "0" * 8 + "0000000" + " " * 8), layout=layout, dates=dates).to_pylist()[0]
    assert [empty[name] for name in "BCD"] == [None] * 3
    with pytest.raises(charpipe.RecordError, match='byte 8: record 1, field B, columns 9-16: F2 .*: "20230229" is not a date like YYYYMMDD') as error:
        list(charpipe.read(ebcdic(" " * 8 + "20230229" + "2024060" + "01-02-49"), layout=layout, encoding="IBM037", dates=dates))
    assert error.value.code == "bad-date"
    for pattern in ["YYYY", "MMDD", "YYYYMMDDDDD", ""]:
        with pytest.raises(ValueError, match="is not a pattern of a date"):
            charpipe.read(b"", layout=layout, encoding="IBM037", dates={"B": pattern})


def test_mixed_pages():
    data = bytes.fromhex("0E 4562 4566 0F 40 81 82 40 40")
    assert table(data, layout="A 1 11 text\n", encoding="IBM939").to_pylist() == [{"A": "日本 ab"}]


# --- Columns ----------------------------------------------------------------------------------------------------------


def test_columns_are_chosen_in_the_order_of_the_layout():
    found = table(item(1), layout=LIST, select=["COUNT", "ID"])
    assert found.column_names == ["ID", "COUNT"]
    assert table(item(1) * 3, layout=LIST, select=[]).num_rows == 3
    assert table(item(1), layout=LIST, select="COUNT, ID").column_names == ["ID", "COUNT"]
    assert table(item(1), layout=LIST, select=["ID"], add_columns="number").column_names == ["_number", "ID"]


def test_columns_that_are_no_fields():
    data = item(1) + item(2)
    added = ["file", "number", "offset", "type", "record", "errors"]
    rows = table(data, layout=LIST, select=["ID"], add_columns=added + added, name="in").to_pylist()
    assert rows[1] == {
        "_file": "in",
        "_number": 2,
        "_offset": 15,
        "_type": None,
        "ID": Decimal(2),
        "_record": item(2),
        "_errors": None,
    }


def test_underscores():
    assert table(b"\xc1", layout="A-B 1 1 text\n", underscores=True).column_names == ["A_B"]


def test_two_names_that_underscores_make_one():
    with pytest.raises(ValueError, match="two columns would have the name A_B"):
        charpipe.read(b"", layout="A-B 1 1 text\nA_B 2 1 text\n", underscores=True)


def test_zoned_signs_of_other_compilers_in_both_directions():
    book = "       01 R.\n 05 A PIC S9(3)V9.\n 05 B PIC S99 SIGN LEADING.\n"
    options = {"layout": book, "encoding": "US-ASCII", "zoned_signs": "ascii-p"}
    data = b"012sq7" + b"001217"
    rows = table(data, exact=True, **options)
    assert rows.to_pylist() == [{"A": Decimal("-12.3"), "B": Decimal(-17)}, {"A": Decimal("1.2"), "B": Decimal(17)}]
    target = io.BytesIO()
    assert charpipe.write(rows, target, **options) == 2
    assert target.getvalue() == data
    # The letters of EBCDIC are read too, but not written.
    with pytest.raises(charpipe.RecordError, match="would be written back as") as error:
        list(charpipe.read(b"012LJ7", exact=True, **options))
    assert error.value.code == "not-canonical"


def test_a_layout_with_all_options():
    book = b"       01 R.\n 05 F COMP-1.\n 05 B PIC S9(4) COMP-5.\n 05 FILLER PIC X.\n 05 T PIC X(3).\n"
    data = bytes.fromhex("0000C03F 0100 C1") + b"\xc1\x15\x00"
    row = table(data, layout=book, layout_format="copybook", float="ieee", byte_order="little", trim="nuls").to_pylist()
    assert row == [{"F": 1.5, "B": 1, "T": "A\x85"}]
    rows = table(data, layout=book, filler=True, controls="space", record_newlines="space", trim="none").to_pylist()
    assert rows[0]["T"] == "A  " and list(rows[0]) == ["F", "B", "FILLER", "T"]
    for options in ({"controls": "error", "trim": "none"}, {"record_newlines": "error"}):
        with pytest.raises(charpipe.RecordError, match="byte 7: record 1, field T") as error:
            list(charpipe.read(data, layout=book, **options))
        assert error.value.code in ("control", "newline-in-record")
    with pytest.raises(charpipe.RecordError) as error:
        list(charpipe.read(b"\xf0\x0c", layout="A 1 2 packed\n", exact=True))
    assert error.value.code in ("bad-number", "not-canonical")


def test_the_range_of_binary_numbers(tmp_path):
    book, path = "01 R.\n 05 N PIC S9(4) COMP.\n", tmp_path / "n.bin"
    for number, is_in_picture in ((9999, True), (10000, False), (-32768, False)):
        data = pyarrow.table({"N": [number]})
        assert charpipe.write(data, path, layout=book) == 1
        assert path.read_bytes() == number.to_bytes(2, "big", signed=True)
        if is_in_picture:
            assert charpipe.write(data, path, layout=book, binary_range="picture") == 1
        else:
            with pytest.raises(charpipe.RecordError, match="does not fit"):
                charpipe.write(data, path, layout=book, binary_range="picture")


def test_null_indicators(tmp_path):
    layout, data = "A 1 2 packed\nA-N 3 2 binary\n", b"\x00\x7c\x00\x00\x00\x0c\xff\xff"
    for indicator in ({"A": "A-N"}, "A=A-N"):
        read = table(data, layout=layout, null_indicator=indicator)
        assert read.to_pylist() == [{"A": Decimal(7), "A-N": 0}, {"A": None, "A-N": -1}]
        path = tmp_path / "back.bin"
        assert charpipe.write(read, path, layout=layout, null_indicator=indicator) == 2
        assert path.read_bytes() == data
    with pytest.raises(charpipe.RecordError, match="there is no value"):
        charpipe.write(read, tmp_path / "other.bin", layout=layout)
    with pytest.raises(ValueError, match="option null-indicator: the null indicator B: there is no B"):
        charpipe.read(data, layout=layout, null_indicator={"A": "B"})


def test_maps_of_counts():
    layout = "01 R.\n 05 S PIC X.\n 05 N PIC 9 OCCURS 1 TO 3 DEPENDING ON S.\n 05 T PIC X.\n 05 M PIC 9 OCCURS 0 TO 1 DEPENDING ON T.\n"
    data = "L123Y7S1NL456N".encode("cp037")
    options = {"layout": layout, "records": "layout", "count_map": ["S:S=1,L=3", "T:Y=1,N=0"]}
    read = table(data, **options)
    assert read.to_pylist() == [
        {"S": "L", "N": [1, 2, 3], "T": "Y", "M": [7]},
        {"S": "S", "N": [1], "T": "N", "M": []},
        {"S": "L", "N": [4, 5, 6], "T": "N", "M": []},
    ]
    out = io.BytesIO()
    charpipe.write(read, out, **options)
    assert out.getvalue() == data
    row = {"S": ["M"], "N": [[1]], "T": ["N"], "M": [[]]}
    with pytest.raises(charpipe.RecordError, match="record 1, field S, column 1: D4 is not in the map of counts"):
        charpipe.write(pyarrow.table(row), io.BytesIO(), **options)
    with pytest.raises(charpipe.RecordError, match="no value, because the record does not have this field"):
        charpipe.write(pyarrow.table(row | {"S": ["S"], "N": [[1, 2]]}), io.BytesIO(), **options)


def test_records_that_nothing_frames(tmp_path):
    layout, data = "LEN 1 1 binary\nX 2 2 text\n", b"\x03\xc1\xc2\x02\xc3\x03\xc4\xc5"
    rows = [(3, "AB"), (2, "C"), (3, "DE")]
    for lengths in ({"length_field": "LEN"}, {"length_map": "LEN:2=2,3=3"}):
        stream = charpipe.read(data, layout=layout, encoding="IBM037", short_records="null", **lengths)
        assert stream.shape == "layout"
        assert [tuple(row.values()) for row in pyarrow.table(stream).to_pylist()] == rows
    with pytest.raises(charpipe.RecordError, match="byte 3: record 2 has no valid length: field LEN: .*value 2") as caught:
        list(charpipe.read(data, layout=layout, length_map="LEN:3=3"))
    assert (caught.value.code, caught.value.offset, caught.value.record) == ("bad-record-length", 3, 2)
    with pytest.raises(ValueError, match="option length-field: cannot be used with records rdw"):
        charpipe.read(data, layout=layout, length_field="LEN", records="rdw")
    # The counts give the length, in both directions.
    layout, data = "01 R. 05 N PIC 9. 05 X PIC X OCCURS 0 TO 2 DEPENDING ON N.\n", ebcdic("2AB01C")
    read, path = table(data, layout=layout, records="layout"), tmp_path / "back.bin"
    assert [row["X"] for row in read.to_pylist()] == [["A", "B"], [], ["C"]]
    assert charpipe.write(read, path, layout=layout, records="layout") == 3
    assert path.read_bytes() == data
    with pytest.raises(ValueError, match="its records have 1 to 3 bytes"):
        charpipe.read(data, layout=layout)


def test_what_is_no_data():
    layout, data = "X 1 2 text\n", ebcdic("HH.AA.BB.CCT")
    options = {"layout": layout, "skip_head": "2", "skip_tail": 1, "record_prefix": 1, "add_columns": ["number", "offset"]}
    expected = [(1, 2, "AA"), (2, 5, "BB"), (3, 8, "CC")]
    assert [tuple(row.values()) for row in table(data, **options).to_pylist()] == expected
    data, options = ebcdic(".HH.hh.BB.TT"), options | {"skip_head": "2r", "skip_tail": "1r"}
    assert [tuple(row.values()) for row in table(data, **options).to_pylist()] == [(3, 6, "BB")]
    with pytest.raises(charpipe.RecordError, match="the input has only 12 of the 13 bytes to skip at its beginning"):
        list(charpipe.read(data, layout=layout, skip_head=13))
    with pytest.raises(ValueError, match="leave out split"):
        charpipe.read(data, layout=layout, skip_head=2, split=(2, 4, None))
BANK = "K 1 1 text\nwhen K=C: CUSTOMER\nNAME 2 1 text\nwhen K=A: ACCOUNT\nNUM 2 1 text\n"


def test_parents(tmp_path):
    data = "C1A2A3C4A5".encode("cp037")
    for parent in ({"ACCOUNT": "CUSTOMER"}, "ACCOUNT < CUSTOMER", ["ACCOUNT<CUSTOMER"]):
        read = table(data, layout=BANK, parent=parent)
        assert read.column_names[:3] == ["_number", "_type", "_parent"]
        assert read.column("_parent").to_pylist() == [None, 1, 1, None, 4]
        assert charpipe.schema(BANK, parent=parent) == read.schema
        assert charpipe.write(read, tmp_path / "back.bin", layout=BANK) == 5
        assert (tmp_path / "back.bin").read_bytes() == data
    with pytest.raises(charpipe.RecordError, match="there is no CUSTOMER before it") as error:
        list(charpipe.read(data[2:], layout=BANK, parent=parent))
    assert (error.value.record, error.value.offset, error.value.code) == (1, 0, "no-parent")
    orphans = table(data[2:], layout=BANK, parent=parent, on_bad="null", add_columns="errors")
    assert orphans.column("_parent").to_pylist() == [None, None, None, 3]
    codes = [errors and errors[0]["code"] for errors in orphans.column("_errors").to_pylist()]
    assert codes == ["no-parent", "no-parent", None, None]
    with pytest.raises(ValueError, match="a part of an input lacks the parents before it"):
        charpipe.read(data, layout=BANK, parent=parent, split=(2, 10, 2))


def test_parents_are_written_before_their_children():
    data = "C1A2A3C4A5".encode("cp037")
    options = {"layout": BANK, "parent": {"ACCOUNT": "CUSTOMER"}}

    def written(rows):
        out = io.BytesIO()
        assert charpipe.write(rows, out, **options) == len(rows)
        return out.getvalue()

    read = table(data, **options)
    assert written(read) == data
    assert written(read.slice(3)) == data[6:]
    # Each type in a table of its own, whose columns are its own.
    types = [read.filter(pyarrow.compute.equal(read["_type"], name)).drop_columns([other])
             for name, other in (("ACCOUNT", "CUSTOMER"), ("CUSTOMER", "ACCOUNT"))]
    both = pyarrow.concat_tables(types, promote_options="default")
    with pytest.raises(ValueError, match="^row 4: its _number 1 does not come after 5: with parent, sort the rows by _number"):
        written(both)
    assert written(both.sort_by("_number")) == data
    with pytest.raises(ValueError, match="row 2: its _number 1 does not come after 1"):
        written(pyarrow.concat_tables([read.slice(0, 1)] * 2))
    for rows in (read.drop_columns(["_number"]), read.set_column(0, "_number", pyarrow.nulls(5, pyarrow.int64()))):
        with pytest.raises(ValueError, match="row 1: it has no _number, which is needed with parent"):
            written(rows)
    with pytest.raises(ValueError, match="NO-TYPE"):
        charpipe.write(read, io.BytesIO(), layout=BANK, parent="ACCOUNT < NO-TYPE")


def test_columns_that_no_record_has(tmp_path):
    copybook = """
       01 REC.
          05 KIND PIC X.
          05 BODY.
             10 FILLER PIC X(3).
          05 NUMS REDEFINES BODY PIC 9 OCCURS 3.
          05 NAME REDEFINES BODY.
             10 FIRST PIC X.
             10 LAST PIC X(2).
"""
    options = {"layout": copybook, "when": ["KIND=1: NUMS", "KIND=2: NAME"]}
    data = "1123".encode("cp037") + "2Joe".encode("cp037")
    for filler in (False, True):
        read = table(data, filler=filler, **options, add_columns="file,number,offset,record,errors")
        assert ("BODY" in read.column_names) == filler
        out = io.BytesIO()
        assert charpipe.write(read, out, **options) == 2
        assert out.getvalue() == data

    def fails(message, **changes):
        row = {"KIND": "1", "NUMS": [1, 2, 3], "NAME": None} | changes
        with pytest.raises(ValueError, match=message):
            charpipe.write(pyarrow.Table.from_pylist([row]), io.BytesIO(), **options)

    # Columns without values can have any type.
    charpipe.write(pyarrow.Table.from_pylist([{"KIND": "1", "NUMS": [1, 2, 3], "NAME": None}]), io.BytesIO(), **options)
    fails("the column of BODY has values, but no record has this field", BODY={"FILLER": "x"})
    fails("record 1, field NUMS.1.: the list has 4 elements; expected at most 3", NUMS=[1, 2, 3, 4])
    fails('the layout has no field "NAME.MIDDLE"', NAME={"FIRST": None, "MIDDLE": None})


def test_keys_of_parents(tmp_path):
    data = "C1A2A3C4A5".encode("cp037")
    for parent in (
        {"ACCOUNT": "CUSTOMER: NAME, K"},
        "ACCOUNT < CUSTOMER: NAME, K",
        ["ACCOUNT<CUSTOMER:NAME", "K"],
    ):
        read = table(data, layout=BANK, parent=parent)
        assert read.column_names == ["_number", "_type", "_parent", "_parent.NAME", "_parent.K", "K", "CUSTOMER", "ACCOUNT"]
        assert read.column("_parent.NAME").to_pylist() == [None, "1", "1", None, "4"]
        assert read.column("_parent.K").to_pylist() == [None, "C", "C", None, "C"]
        assert charpipe.schema(BANK, parent=parent) == read.schema
        assert charpipe.write(read, tmp_path / "back.bin", layout=BANK) == 5
        assert (tmp_path / "back.bin").read_bytes() == data
    orphans = table(data[2:], layout=BANK, parent=parent, on_bad="null", add_columns="errors")
    assert orphans.column("_parent.NAME").to_pylist() == [None, None, None, "4"]
    unreadable = table(data[:2] + b"xx" + data[2:], layout=BANK, parent=parent, on_bad="null", add_columns="errors")
    assert unreadable.column("_parent.NAME").to_pylist() == [None, None, "1", "1", None, "4"]
    with pytest.raises(ValueError, match="parent: the key NUM is a field of ACCOUNT, not of CUSTOMER"):
        charpipe.read(data, layout=BANK, parent="ACCOUNT < CUSTOMER: NUM")


def test_a_copybook_that_copies(tmp_path):
    (tmp_path / "Part.cpy").write_text("           05 :T:-NAME PIC X(3).\n           05 D PIC Z9,9.\n")
    (tmp_path / "bad.cpy").write_text("\n           05 A PIK X.\n")
    book = "       LINKAGE SECTION.\n       01 OTHER PIC X.\n       01 R.\n           COPY PART.\n"
    options = {"replacing": ["==:T:== BY ==C=="], "decimal_comma": True, "record_name": "R"}
    for path in (tmp_path, str(tmp_path), [tmp_path]):
        rows = table(b"\xc1\xc2\xc3\x40\xf7\x6b\xf5", layout=book, copy_path=path, **options).to_pylist()
        assert rows == [{"C-NAME": "ABC", "D": Decimal("7.5")}]
        assert charpipe.schema(book, copy_path=path, **options).names == ["C-NAME", "D"]
    with pytest.raises(ValueError, match="line 4, column 12: there is no file for COPY PART"):
        charpipe.read(b"", layout=book, **options)
    with pytest.raises(ValueError, match="bad.cpy, line 2, column 17: found PIK"):
        charpipe.read(b"", layout="       01 R.\n           COPY BAD.\n", copy_path=tmp_path)
    with pytest.raises(ValueError, match="only a copybook can have it"):
        charpipe.read(b"", layout=LIST, record_name="R")


def test_layouts_in_json():
    layout = b'{"transf": [{"type": "ch", "bytes": 2, "name": "A"}, {"type": "pd+", "bytes": 2, "dplaces": 1, "name": "B"}]}'
    data = b"\xc1\xc2\x12\x3c"
    for layout_format in ("json", "auto"):
        rows = table(data, layout=layout, layout_format=layout_format).to_pylist()
        assert rows == [{"A": "AB", "B": Decimal("12.3")}]
    with pytest.raises(ValueError, match="layout: line 1"):
        table(data, layout=layout, layout_format="fields")


def test_the_options_are_those_of_the_table():
    """Rust has the table. The functions, the types and the pages have exactly its options."""
    import inspect
    import re

    from charpipe import _charpipe, arrow

    table = {name.replace("-", "_") for name, _, _ in _charpipe.rows_options()}
    expected = table - set(arrow.NOT_HERE) | {"encoding"}
    own = {"source", "layout", "split", "batch_rows", "name", "progress", "unknown"}
    assert set(inspect.signature(charpipe.read).parameters) - own == expected
    written = set(inspect.signature(charpipe.write).parameters) - {"data", "target", "layout", "unknown"}
    only_written = {"binary_range"}
    assert written - only_written < expected
    assert only_written <= table & set(arrow.NOT_HERE)
    for parameter in inspect.signature(charpipe.read).parameters.values():
        words = dict((name.replace("-", "_"), words) for name, _, words in _charpipe.rows_options()).get(parameter.name)
        assert not words or parameter.default in words, parameter
    types = (pathlib.Path(arrow.__file__).parent / "_charpipe.pyi").read_text()
    listed = re.search(r"_RowsOption = Literal\[(.*?)\]", types, re.DOTALL)[1]
    assert set(re.findall(r'"(\w+)"', listed)) == table - {"jobs"}
    page = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    section = page.read_text().split("## Options of `read`")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == expected


def test_batches():
    stream = charpipe.read(item(1) * 10, layout=LIST, encoding="IBM037", batch_rows=4)
    assert [batch.num_rows for batch in stream] == [4, 4, 2]
    with pytest.raises(ValueError, match="read to its end"):
        list(stream)
    assert next(stream, None) is None


RUNS = """
       01  R.
           05  ID      PIC 9(4).
           05  NAME    PIC X(6).
           05  AMOUNT  PIC S9(3)V99 COMP-3.
           05  LONG    PIC S9(25) COMP-3.
           05  RATE    COMP-2.
           05  G.
              10  COUNT   PIC S9(4) COMP.
              10  BIG     PIC 9(18) COMP.
           05  PAIRS   OCCURS 2.
              10  A       PIC S9(3).
              10  B       PIC X(2) OCCURS 3.
"""


def run_record(number, name="Joe", amount=b"\x01\x23\x4c"):
    """A record of the layout RUNS."""
    long, rate = f"{number * 7919 ** 5 % 10 ** 25:025}c", b"\x42\x64\x00\x00\x00\x00\x00\x00"
    numbers = bytes.fromhex(long) + rate + struct.pack(">hQ", number % 977 - 400, number ** 5)
    pairs = "".join(f"{(number + pair) % 1000:03}{pair}ab  c" for pair in (1, 2))
    return ebcdic(f"{number:04}{name:6}") + amount + numbers + ebcdic(pairs)


@pytest.mark.parametrize("batch_rows", [1, 7, 700, 100_000])
@pytest.mark.parametrize("odd", [{}, {"amount": b"bad"}, {"amount": b"\x99\x99\x9c"}, {"name": "Jörg"}, {"name": ""}])
def test_rows_are_the_same_one_by_one_and_many_at_once(batch_rows, odd):
    places = [0, 1, 400, 401, 402, 1999, *range(900, 1100)]
    data = b"".join(run_record(number, **(odd if number in places else {})) for number in range(2000))
    options = {"layout": RUNS, "encoding": "IBM037", "on_bad": "null", "batch_rows": batch_rows}
    many = pyarrow.table(charpipe.read(data, **options))
    # With a column for the number, records are read one by one.
    single = pyarrow.table(charpipe.read(data, **options, add_columns="number"))
    assert many.num_rows == 2000 and many.equals(single.drop_columns("_number"))
    many.validate(full=True)
    assert many["AMOUNT"].null_count == (len(places) if odd.get("amount") == b"bad" else 0)
    for names in ["AMOUNT", "B", "G"], ["NAME"]:
        some = pyarrow.table(charpipe.read(data, **options, select=names))
        single = pyarrow.table(charpipe.read(data, **options, select=names, add_columns="number"))
        assert some.equals(single.drop_columns("_number"))


def test_rows_before_an_error_are_read_many_at_once():
    data = b"".join(run_record(number) for number in range(1500)) + run_record(1500, amount=b"bad") + run_record(1501)
    stream = charpipe.read(data, layout=RUNS, encoding="IBM037", batch_rows=1000)
    assert [next(stream).num_rows, next(stream).num_rows] == [1000, 500]
    with pytest.raises(charpipe.RecordError, match="record 1501, field AMOUNT"):
        next(stream)


# --- Bad values -------------------------------------------------------------------------------------------------------


def test_an_error_comes_after_all_rows_before_it():
    data = item(1) + item(2) + item(3, amount=ebcdic("bad"))
    stream = charpipe.read(data, layout=LIST, encoding="IBM037")
    assert next(stream).num_rows == 2
    for _ in range(2):
        with pytest.raises(charpipe.RecordError) as error:
            next(stream)
        assert str(error.value).startswith("byte 40: record 3, field AMOUNT, columns 11-13: 82 81 84 is not a number")
    found = error.value
    assert (found.code, found.offset, found.record, found.field) == ("bad-number", 40, 3, "AMOUNT")
    assert found.bytes == b"\x82\x81\x84"
    assert isinstance(found, ValueError)


def test_a_consumer_of_the_stream_gets_the_message():
    reader = pyarrow.RecordBatchReader.from_stream(
        charpipe.read(item(1) + item(3, amount=b"\0\0\0"), layout=LIST, encoding="IBM037", name="x.dat")
    )
    assert reader.read_next_batch().num_rows == 1
    with pytest.raises((OSError, ValueError), match="x.dat: byte 25: record 2, field AMOUNT"):
        reader.read_next_batch()


def test_bad_values_become_null_with_a_reason():
    data = item(1) + item(2, amount=b"\x40\x40\x40") + item(3)
    rows = table(data, layout=LIST, on_bad="null", add_columns=["errors"]).to_pylist()
    assert [row["AMOUNT"] for row in rows] == [Decimal("12.34"), None, Decimal("12.34")]
    assert [row["_errors"] is None for row in rows] == [True, False, True]
    (error,) = rows[1]["_errors"]
    assert (error["field"], error["code"], error["bytes"]) == ("AMOUNT", "bad-number", b"@@@")
    # The same as in rows of the command: the number of the record and the field have columns of their own.
    assert error["message"].startswith("40 40 40 is not a number; expected")
    assert rows[1]["NAME"] == "Joe"


def test_a_record_that_cannot_be_read_becomes_a_row_of_nulls():
    layout = "N 1 1 zoned,unsigned\nwhen N=1: ONE\nX 2 1 text\nwhen N=2: TWO\nY 2 1*2 text\nend\n"
    rows = table(ebcdic("1a 9b 2cd"), layout=layout, records="fb:3", on_bad="null", add_columns=["record", "errors"]).to_pylist()
    assert [row["N"] for row in rows] == [1, None, 2]
    assert rows[1]["_errors"][0]["code"] == "unknown-type"
    assert (rows[1]["ONE"], rows[1]["TWO"], rows[1]["_record"]) == (None, None, ebcdic("9b "))
    assert rows[1]["_type"] is None
    assert rows[2]["TWO"] == {"Y": ["c", "d"]}


def test_a_record_that_cannot_be_read_has_its_type_and_one_error():
    book = """01 R. 05 K PIC X. 05 ONE. 10 X PIC 9. 10 N PIC 9. 10 T PIC X OCCURS 0 TO 3 DEPENDING ON N.
        05 TWO REDEFINES ONE PIC X(2)."""
    options = {"when": ["K=A: ONE", "K=B: TWO"], "records": "rdw", "on_bad": "null", "add_columns": "errors"}
    data = b"\0\x07\0\0" + ebcdic("Axy") + b"\0\x0b\0\0" + ebcdic("Bxyzxyz")
    rows = table(data, layout=book, **options).to_pylist()
    assert [row["_type"] for row in rows] == ["ONE", "TWO"]
    assert [[(error["field"], error["code"]) for error in row["_errors"]] for row in rows] == [
        [("ONE.N", "bad-count")],
        [(None, "longer-than-layout")],
    ]


def test_bad_values_are_null_without_a_reason_if_none_is_asked_for():
    data = item(1, amount=b"\x40\x40\x40")
    assert table(data, layout=LIST, on_bad="null").column_names == ["ID", "NAME", "AMOUNT", "COUNT"]
    assert table(data, layout=LIST, on_bad="null")["AMOUNT"].to_pylist() == [None]
    layout = "N 1 1 zoned,unsigned\nwhen N=1: ONE\nX 2 1 text\nend\n"
    stream = charpipe.read(ebcdic("1a9b"), layout=layout, records="fb:2", on_bad="null")
    assert next(stream).num_rows == 1
    with pytest.raises(charpipe.RecordError, match="byte 2: record 2") as error:
        next(stream)
    assert error.value.code == "unknown-type"


def test_many_bad_values_fill_several_batches():
    # 1.6 million reports of about 100 bytes, which are more than a batch may have.
    layout = "A 1 1*400 zoned,unsigned\n"
    stream = charpipe.read(b"\xff" * 1_600_000, layout=layout, encoding="IBM037", on_bad="null", add_columns="errors")
    batches = [pyarrow.record_batch(batch) for batch in stream]
    assert len(batches) > 1 and sum(batch.num_rows for batch in batches) == 4000
    assert all(len(batch.column("_errors").flatten()) == 400 * batch.num_rows for batch in batches)


def test_short_records():
    data = b"\0\x06\0\0" + ebcdic("12")
    layout = "A 1 2 zoned,unsigned\nB 3 4 text\n"
    with pytest.raises(charpipe.RecordError, match="the record has 2 bytes, but this field ends at byte 6") as error:
        next(charpipe.read(data, layout=layout, encoding="IBM037", records="rdw"))
    assert error.value.code == "record-too-short"
    assert table(data, layout=layout, records="rdw", short_records="null").to_pylist() == [{"A": Decimal(12), "B": None}]
    rows = table(data, layout=layout, records="rdw", on_bad="null", add_columns="errors").to_pylist()
    assert rows[0]["_errors"][0]["code"] == "record-too-short"


def test_records_that_are_longer_than_the_layout():
    layout = "A 1 2 text\n"
    data = b"\0\x06\0\0" + ebcdic("ab") + b"\0\x07\0\0" + ebcdic("cde")
    stream = charpipe.read(data, layout=layout, encoding="IBM037", records="rdw")
    assert len(next(stream)) == 1
    message = "byte 12: record 2: it has 3 bytes, but the layout describes only 2 of them"
    with pytest.raises(charpipe.RecordError, match=message) as error:
        next(stream)
    assert (error.value.code, error.value.record, error.value.field) == ("longer-than-layout", 2, None)
    rows = table(data, layout=layout, records="rdw", overlong="cut").to_pylist()
    assert rows == [{"A": "ab"}, {"A": "cd"}]
    rows = table(data, layout=layout, records="rdw", on_bad="null", add_columns="errors").to_pylist()
    assert [row["A"] for row in rows] == ["ab", None]
    assert rows[1]["_errors"][0]["code"] == "longer-than-layout"
    with pytest.raises(ValueError, match='option overlong: "wrap" is not one of fail, cut'):
        charpipe.read(data, layout=layout, encoding="IBM037", records="rdw", overlong="wrap")


def test_parts_and_batches_end_at_the_same_error():
    # Every number of batches, with a bad record in each position.
    layout = "N 1 3 zoned,unsigned\n"
    for count in range(7):
        for bad in range(count + 1):
            numbers = ["x.y" if index == bad else f"{index:03}" for index in range(count)]
            data = b"".join(b"\0\x07\0\0" + ebcdic(number) for number in numbers)
            outcomes = set()
            for batch_rows in (1, 2, 3, 100):
                rows, message = [], None
                stream = charpipe.read(
                    data, layout=layout, encoding="IBM037", records="rdw", batch_rows=batch_rows, integers=True
                )
                try:
                    for batch in stream:
                        rows += pyarrow.record_batch(batch).column("N").to_pylist()
                except charpipe.RecordError as error:
                    message = str(error)
                outcomes.add((tuple(rows), message))
            assert len(outcomes) == 1, outcomes
            rows, message = outcomes.pop()
            assert rows == tuple(range(min(bad, count))) and (message is None) == (bad == count)


def test_a_number_that_its_picture_has_no_room_for():
    # Four digits in three bytes: the first half byte should be zero.
    with pytest.raises(charpipe.RecordError, match="columns 1-3: 12 34 5C is not a number; expected zero in the first half byte") as error:
        next(charpipe.read(b"\x12\x34\x5c", layout="A 1 3 packed,digits=4\n", encoding="IBM037"))
    assert (error.value.code, error.value.bytes) == ("bad-number", b"\x12\x34\x5c")
    rows = table(b"\x12\x34\x5c\x01\x23\x4c", layout="A 1 3 packed,digits=4\n", on_bad="null").to_pylist()
    assert [row["A"] for row in rows] == [None, Decimal(1234)]
    # A binary number can have more digits than its picture, and than its column.
    layout, data = "A 1 8 binary,unsigned,digits=18\n", b"\xff" * 8 + b"\0" * 7 + b"\x05"
    with pytest.raises(charpipe.RecordError, match='columns 1-8: FF FF .* "18446744073709551615" does not fit; expected at most the digits that its picture has') as error:
        next(charpipe.read(data, layout=layout))
    assert (error.value.code, error.value.bytes) == ("does-not-fit", b"\xff" * 8)
    assert [row["A"] for row in table(data, layout=layout, on_bad="null").to_pylist()] == [None, 5]


@pytest.mark.parametrize("cut", [1, 3, 5, 17])
def test_a_file_that_is_cut_off(cut):
    data = b"".join(b"\0\x13\0\0" + item(number) for number in range(3))[:-cut]
    stream = charpipe.read(data, layout=LIST, encoding="IBM037", records="rdw")
    assert next(stream).num_rows == 2
    with pytest.raises(charpipe.RecordError, match="record 3, which begins at byte 38, is incomplete") as error:
        next(stream)
    assert (error.value.code, error.value.record, error.value.offset) == ("record-cut", 3, len(data))


def test_bad_options_are_errors_before_anything_is_read():
    def fails(error, match, **options):
        with pytest.raises(error, match=match):
            charpipe.read(b"", **{"layout": LIST, "encoding": "IBM037", **options})

    fails(ValueError, "NAMES", select=["NAMES"])
    fails(ValueError, "one of file, number", add_columns=["line"])
    fails(ValueError, "is not a record shape", records="fbb:80")
    fails(LookupError, "IBM9999", encoding="IBM9999")
    fails(ValueError, 'on-bad: "skip" is not one of error, null', on_bad="skip")
    fails(ValueError, 'trim: "x" is not one of blanks, nuls', trim="x")
    fails(ValueError, "layout: line 1, column", layout="A 1 x text\n")
    fails(ValueError, "layout: line 2", layout="       01 A.\n  05 B PIX X.\n")
    fails(ValueError, "have 1 to 3 bytes, so it must be said how they are stored", layout=ODO)
    fails(ValueError, "when", when=["X=1: NO"])
    fails(ValueError, "exact: cannot be used with on-bad null", exact=True, on_bad="null")
    for old, new in [
        ("floats", "float"),
        ("byteorder", "byte_order"),
        ("file", "tape_file"),
        ("columns", "select"),
        ("extra", "add_columns"),
    ]:
        fails(TypeError, f"unexpected keyword argument '{old}': the option is named '{new}'", **{old: "x"})
    fails(TypeError, "unexpected keyword argument 'colour'$", colour="red")
    fails(FileNotFoundError, "absent", layout=pathlib.Path("absent.cpy"))
    with pytest.raises(FileNotFoundError, match="absent.dat"):
        charpipe.read("absent.dat", layout=LIST, encoding="IBM037")
    with pytest.raises(TypeError, match="expected a path, an object with the buffer protocol"):
        charpipe.read(7, layout=LIST, encoding="IBM037")


ODO = b"       01 A.\n 05 N PIC 9.\n 05 B PIC X OCCURS 0 TO 2 DEPENDING ON N.\n"


# --- Inputs -----------------------------------------------------------------------------------------------------------


def test_inputs(tmp_path):
    data = item(1) + item(2)
    path = tmp_path / "in.dat"
    path.write_bytes(data)
    expected = table(data, layout=LIST)
    assert table(path, layout=LIST) == table(str(path), layout=LIST) == expected
    assert table(path.as_uri(), layout=LIST) == expected
    for kind in (bytearray, memoryview, io.BytesIO):
        assert table(kind(data), layout=LIST) == expected
    with open(path, "rb") as file:
        assert table(file, layout=LIST) == expected
    with open(path, "rb", buffering=0) as file:
        assert table(file, layout=LIST) == expected
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert table(mapped, layout=LIST) == expected
        assert charpipe.detect(mapped) == charpipe.detect(data)
    for view in memoryview(data)[:], memoryview(bytearray(data)).toreadonly():
        assert table(view, layout=LIST) == expected
    with open(path) as file, pytest.raises(TypeError, match="binary mode"):
        charpipe.read(file, layout=LIST, encoding="IBM037")


def test_sources_are_read_the_same_way_everywhere(tmp_path):
    class Bytearrays(io.RawIOBase):
        def __init__(self, data):
            self.file = io.BytesIO(data)

        def read(self, size=-1):
            return bytearray(self.file.read(size))

        def seek(self, offset, whence=0):
            return self.file.seek(offset, whence)

        def tell(self):
            return self.file.tell()

    data = b"".join(b"\0\x06\0\0" + ebcdic(f"{number:02}") for number in range(50))
    path = tmp_path / "in.dat"
    path.write_bytes(data)
    numbers = [f"{number:02}" for number in range(50)]

    def read(source, records="rdw"):
        fields = table(source(), layout="A 1 2 text\n", records=records)["A"].to_pylist()
        assert fields == [one.decode("cp037") for one in charpipe.records(source(), records)]
        assert fields == charpipe.decode(data, "IBM037", records=records).split()[-len(fields) :]
        return fields

    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for records in ("rdw", "auto"):
            assert read(lambda: Bytearrays(data), records) == numbers
            assert read(lambda: path, records) == numbers
            mapped.seek(6)
            # A buffer is read as a whole, a file from where it stands.
            assert read(lambda: mapped, records) == numbers
            out = io.BytesIO()
            charpipe.transcode(mapped, out, from_="IBM037", records=records)
            assert out.getvalue().decode().split() == numbers

            def after_the_first():
                stream = io.BytesIO(data)
                stream.seek(6)
                return stream

            assert read(after_the_first, records) == numbers[1:]


def test_a_pipe_is_read_once():
    data = b"".join(b"\0\x13\0\0" + item(number) for number in range(200))
    reading, writing = os.pipe()
    with open(writing, "wb") as file:
        file.write(data)
    with open(reading, "rb") as file:
        assert table(file, layout=LIST, records="auto").num_rows == 200


def test_a_file_object_that_fails():
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            raise TimeoutError("no answer from the disk")

    with pytest.raises(TimeoutError, match="no answer"):
        next(charpipe.read(Broken(), layout=LIST, encoding="IBM037"))


def test_the_shape_is_found():
    data = b"".join(b"\0\x13\0\0" + item(number) for number in range(200))
    stream = charpipe.read(data, layout=LIST, encoding="IBM037", records="auto")
    assert stream.shape == "rdw"
    assert pyarrow.table(stream).num_rows == 200
    with pytest.raises(ValueError, match="auto"):
        charpipe.read(b"?", layout=LIST, encoding="IBM037", records="auto")


def test_a_file_object_stays_where_it_was():
    data = b"".join(b"\0\x13\0\0" + item(number) for number in range(200))
    file = io.BytesIO(data)
    parts = charpipe.splits(file, "rdw", 1000)
    assert file.tell() == 0
    assert sum(table(file, split=part, layout=LIST, records="rdw").num_rows for part in parts) == 200
    file.seek(len(data) // 2)
    assert table(file, layout=LIST, records="auto").num_rows == 100


def test_a_url_of_a_file(tmp_path):
    path = tmp_path / "a file.dat"
    path.write_bytes(item(1))
    assert table(path.as_uri(), layout=LIST).num_rows == 1


def test_remote_files():
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://folder/in.dat", "wb") as file:
        file.write(item(1) * 5)
    with fsspec.open("memory://folder/list.txt", "wb") as file:
        file.write(LIST.encode())
    url = "memory://folder/in.dat"
    rows = table(url, layout="memory://folder/list.txt", add_columns=["file"]).to_pylist()
    assert [row["_file"] for row in rows] == [url] * 5
    parts = charpipe.splits(url, "fb:15", 30)
    assert [tuple(part) for part in parts] == [(0, 30, 1), (30, 60, 3), (60, 75, 5)]
    assert [table(url, layout=LIST, split=part).num_rows for part in parts] == [2, 2, 1]


# --- Parts ------------------------------------------------------------------------------------------------------------


def framed(records, data):
    command = {
        "rdw": lambda one: struct.pack(">HH", len(one) + 4, 0) + one,
        "rdw:le": lambda one: struct.pack("<HH", 0, len(one) + 4) + one,
        "u32": lambda one: struct.pack(">I", len(one)) + one,
        "u16": lambda one: struct.pack(">H", len(one)) + one,
        "fb:15": lambda one: one,
    }
    if records == "vb":
        blocks = []
        for at in range(0, len(data), 7):
            block = b"".join(struct.pack(">HH", len(one) + 4, 0) + one for one in data[at : at + 7])
            blocks.append(struct.pack(">HH", len(block) + 4, 0) + block)
        return b"".join(blocks)
    return b"".join(map(command[records], data))


@pytest.mark.parametrize("records", ["rdw", "rdw:le", "u32", "u16", "vb", "fb:15"])
def test_every_record_is_in_one_part(records, tmp_path):
    data = [item(number % 10000, name=f"{number}"[-6:]) for number in range(3000)]
    path = tmp_path / "in.dat"
    path.write_bytes(framed(records, data))
    size = path.stat().st_size
    options = {"layout": LIST, "records": records, "add_columns": ["number", "offset"]}
    whole = table(path, **options)
    assert whole.num_rows == 3000
    for count in range(1, 41):
        for numbers in (False, True):
            parts = charpipe.splits(path, records, -(-size // count), numbers=numbers)
            assert len(parts) <= count
            assert parts[0].begin == 0 and parts[-1].end == size
            assert all(one.end == other.begin for one, other in zip(parts, parts[1:]))
            found = pyarrow.concat_tables(table(path, split=part, **options) for part in parts)
            if numbers:
                assert found == whole
            else:
                assert found.drop(["_number"]) == whole.drop(["_number"])


def test_a_part_that_does_not_meet_the_next_one():
    data = framed("rdw", [item(number) for number in range(50)])
    stream = charpipe.read(data, layout=LIST, encoding="IBM037", records="rdw", split=(0, 100, 1), name="x")
    assert next(stream).num_rows == 5
    with pytest.raises(charpipe.RecordError, match="x: byte 114: the records from byte 0 on do not end at byte 100") as error:
        next(stream)
    assert (error.value.code, error.value.offset) == ("split-mismatch", 114)


def test_records_of_a_part_are_counted_from_its_beginning():
    data = framed("rdw", [item(1), item(2), item(3, amount=b"\0\0\0")])
    stream = charpipe.read(data, layout=LIST, encoding="IBM037", records="rdw", split=(19, 57, None), name="x")
    assert next(stream).num_rows == 1
    with pytest.raises(charpipe.RecordError, match="x, records counted from byte 19: byte 52: record 2, field AMOUNT"):
        next(stream)


def test_a_file_that_cannot_be_split(tmp_path):
    with pytest.raises(charpipe.RecordError, match="record 2, which begins at byte 15, is incomplete"):
        charpipe.splits(item(1) + b"\0", "fb:15", 100)
    assert charpipe.splits(b"", "rdw", 100) == []
    with pytest.raises(ValueError, match="is not a record shape"):
        charpipe.splits(b"", "r", 100)
    with pytest.raises(FileNotFoundError):
        charpipe.splits(tmp_path / "absent", "rdw", 100)


def test_a_split_can_be_pickled():
    import pickle

    part = charpipe.Split(1, 2, None)
    assert pickle.loads(pickle.dumps(part)) == part == (1, 2, None)


# --- Consumers --------------------------------------------------------------------------------------------------------


def test_pandas_polars_and_duckdb():
    data = b"".join(item(number) for number in range(100))

    def stream():
        return charpipe.read(data, layout=LIST, encoding="IBM037", integers=True)

    expected = sum(range(100))
    frame = pyarrow.table(stream()).to_pandas()
    assert frame["ID"].sum() == expected
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(stream())["ID"].sum() == expected
    duckdb = pytest.importorskip("duckdb")
    records = pyarrow.RecordBatchReader.from_stream(stream())
    assert duckdb.sql("select sum(ID), sum(AMOUNT) from records").fetchall() == [(expected, Decimal("1234.00"))]
    assert duckdb.from_arrow(records) is not None


def test_a_batch_can_be_passed_on():
    (batch,) = charpipe.read(item(5), layout=LIST, encoding="IBM037")
    assert len(batch) == 1
    assert pyarrow.record_batch(batch).to_pylist()[0]["ID"] == 5
    assert pyarrow.schema(batch).names == ["ID", "NAME", "AMOUNT", "COUNT"]


def test_two_threads_share_a_stream():
    stream = charpipe.read(item(1) * 5000, layout=LIST, encoding="IBM037", batch_rows=10)
    counts = []

    def read():
        # `for` refuses a stream that is at its end, and a thread may begin that late. `next` does not.
        counts.append(sum(len(one) for one in iter(lambda: next(stream, None), None)))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == 5000


def test_the_command_reads_the_same():
    """`charpipe rows` writes the same rows as JSON."""
    target = pathlib.Path(__file__).parents[2] / "target"
    built = [target / profile / "charpipe" for profile in ("debug", "release")]
    charpipe_command = next((path for path in built if path.exists()), None)
    if charpipe_command is None:
        pytest.skip("the command is not built")
    path, book = EBCDIC / "AWS.M2.CARDDEMO.DALYTRAN.PS", BOOKS / "CVTRA06Y.cpy"
    arguments = ["rows", "--layout", book, "--format", "jsonl", "-f", "IBM037", "-q", path]
    lines = subprocess.run([charpipe_command, *arguments], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = table(path, layout=book).to_pylist()
    assert [json.loads(line, parse_float=Decimal, parse_int=Decimal) for line in lines] == rows


# --- Writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, book", [("ACCTDATA", "CVACT01Y"), ("CUSTDATA", "CVCUS01Y"), ("DALYTRAN", "CVTRA06Y")])
def test_what_was_read_is_written_back(name, book, tmp_path):
    path, layout = EBCDIC / f"AWS.M2.CARDDEMO.{name}.PS", BOOKS / f"{book}.cpy"
    out = tmp_path / "out.dat"
    stream = charpipe.read(path, layout=layout, encoding="IBM037", add_columns=["number"])
    assert charpipe.write(stream, out, layout=layout, encoding="IBM037") == path.stat().st_size // len_of(layout)
    again = table(out, layout=layout)
    assert again == table(path, layout=layout)
    assert len(out.read_bytes()) == path.stat().st_size
    assert [file.name for file in tmp_path.iterdir()] == ["out.dat"]


def len_of(layout):
    return int(charpipe.read(b"", layout=layout, encoding="IBM037").shape.removeprefix("fb:"))


def test_records_that_are_written():
    layout = "N 1 1 zoned,unsigned\nG-1 2 2*2 binary\nT 6 3 text\nF 9 4 float\nR 13 1 raw\n"
    rows = [
        {"N": 1, "G_1": [1, -2], "T": "ab", "F": 1.5, "R": b"\xff"},
        {"N": 2, "G_1": [3, 4], "T": None, "F": 0.0, "R": b"\x00"},
    ]
    data = pyarrow.Table.from_pylist(rows)
    out = io.BytesIO()
    assert charpipe.write(data, out, layout=layout, encoding="IBM037", records="rdw", underscores=True) == 2
    assert out.getvalue().hex().upper() == (
        "00110000" + "F10001FFFE818240" + "41180000FF" + "00110000" + "F200030004404040" + "0000000000"
    )
    polars = pytest.importorskip("polars")
    other = io.BytesIO()
    charpipe.write(polars.from_arrow(data), other, layout=layout, encoding="IBM037", records="rdw", underscores=True)
    assert other.getvalue() == out.getvalue()


def test_where_records_are_written(tmp_path):
    class Reluctant(io.RawIOBase):
        taken = b""

        def writable(self):
            return True

        def write(self, data):
            self.taken += bytes(data[:7])
            return min(7, len(data))

    def stream():
        return charpipe.read(item(1) + item(2), layout=LIST, encoding="IBM037")

    out = Reluctant()
    charpipe.write(stream(), out, layout=LIST, encoding="IBM037")
    assert out.taken == item(1) + item(2)
    charpipe.write(stream(), os.devnull, layout=LIST, encoding="IBM037")
    assert not os.path.isfile(os.devnull)
    target, link = tmp_path / "out", tmp_path / "link"
    target.write_bytes(b"before")
    link.symlink_to(target)
    charpipe.write(stream(), link, layout=LIST, encoding="IBM037")
    assert link.is_symlink() and target.read_bytes() == item(1) + item(2)


def test_what_cannot_be_written(tmp_path):
    def fails(match, **columns):
        data = pyarrow.table({name: [value] for name, value in columns.items()})
        path = tmp_path / "out.dat"
        path.write_bytes(b"old")
        with pytest.raises(ValueError, match=match) as error:
            charpipe.write(data, path, layout=LIST, encoding="IBM037")
        assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1
        return error.value

    good = {"ID": 1, "NAME": "Joe", "AMOUNT": Decimal("1.50"), "COUNT": 5}
    error = fails("record 1, field AMOUNT, column 11: \"1234.50\" does not fit", **{**good, "AMOUNT": Decimal("1234.50")})
    assert (error.code, error.record, error.field) == ("does-not-fit", 1, "AMOUNT")
    fails("record 1, field NAME", **{**good, "NAME": "Josephine"})
    fails("U\\+65E5 '日' is not in IBM037", **{**good, "NAME": "日"})
    fails("there is no value", **{**good, "COUNT": None})
    fails("the layout has no field \"OTHER\"", **good, OTHER=1)
    fails("the column of NAME is Boolean, which no field can contain", **{**good, "NAME": True})
    with pytest.raises(TypeError, match="expected a table or a stream of Arrow"):
        charpipe.write([1], tmp_path / "x", layout=LIST, encoding="IBM037")


def test_names_of_columns_that_are_too_long(tmp_path):
    """A small copybook asks for half a million columns with names of 1500 bytes. They are never made."""
    groups = (f"{level:02} G{level}-{'X' * 26}{' OCCURS 2' if level <= 20 else ''}." for level in range(2, 49))
    book = "\n".join(["01 R.", *groups, "49 F PIC X."])
    with pytest.raises(ValueError, match="names of the columns are longer than 16777216 bytes in total"):
        charpipe.write(pyarrow.table({"F": ["a"]}), tmp_path / "out", layout=book, encoding="IBM037", records="u32")
    assert not (tmp_path / "out").exists()
def test_what_a_file_object_says_it_wrote():
    class Says:
        def __init__(self, answer):
            self.answer = answer

        def write(self, data):
            return self.answer

    class Blocks(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            return None

    def write(out):
        return charpipe.write(pyarrow.table({"A": ["ab"]}), out, layout="A 1 4 text\n", encoding="IBM037")

    assert write(Says(None)) == write(Says(4)) == 1
    for answer in (-1, 5, 10**30, "4", 2.0, [], b""):
        with pytest.raises(OSError, match="returned .* instead of a number from 0 to 4"):
            write(Says(answer))
    with pytest.raises(OSError):
        write(Says(0))
    with pytest.raises(BlockingIOError):
        write(Blocks())


# --- Data that is not what it says ------------------------------------------------------------------------------------


def written(data):
    """Writes the column A, of four characters."""
    out = io.BytesIO()
    charpipe.write(data, out, layout="A 1 4 text\n", encoding="IBM037")
    return out.getvalue().decode("cp037")


def refused(data, record=None, match=None):
    """The error for data that cannot be written; with a record, a `RecordError`."""
    out = io.BytesIO()
    with pytest.raises(charpipe.RecordError if record else ValueError, match=match) as error:
        charpipe.write(data, out, layout="A 1 4 text\n", encoding="IBM037")
    if record:
        assert (error.value.record, error.value.field) == (record, "A")
    return error.value


def words(*numbers, size=4):
    return b"".join(number.to_bytes(size, "little", signed=True) for number in numbers)


def buffers(*contents):
    return [None if content is None else pyarrow.py_buffer(content) for content in contents]


def view(length, start, buffer=0, offset=0):
    return words(length) + (start + words(buffer, offset) if len(start) == 4 else start.ljust(12, b"\0"))


def texts(values, kind):
    """An array of any bytes as text, which nobody has checked."""
    if kind == "dictionary":
        keys = pyarrow.array([None if value is None else index for index, value in enumerate(values)], pyarrow.int8())
        distinct = texts([value or b"" for value in values], pyarrow.string())
        return pyarrow.DictionaryArray.from_arrays(keys, distinct, safe=False)
    storage = {
        pyarrow.string(): pyarrow.binary(),
        pyarrow.large_string(): pyarrow.large_binary(),
        pyarrow.string_view(): pyarrow.binary_view(),
    }
    raw = pyarrow.array(values, storage[kind])
    return pyarrow.Array.from_buffers(kind, len(raw), raw.buffers())


KINDS = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), "dictionary"]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("bad", [b"\xff", b"a\xed\xa0\x80", b"ab\xc3", b"\xe2\x82", b"\xf4\x90\x80\x80", b"\xc0\x80"])
def test_text_that_is_not_utf8(kind, bad):
    # The text behind it completes a truncated character.
    error = refused(pyarrow.table({"A": texts([b"ok", bad, b"\xa9\xac"], kind)}), 2, "the text is not valid UTF-8")
    assert (error.code, error.bytes) == ("malformed", bad)
    longer = b"a" * 20 + bad
    assert refused(pyarrow.table({"A": texts([b"ok", longer], kind)}), 2).bytes == longer


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_text_of_every_type_and_nulls(kind):
    array = texts([b"ok", None, b"\xc3\xa9", b""], kind)
    assert written(pyarrow.table({"A": array})) == "ok      é       "
    assert written(pyarrow.table({"A": array})[1:3]) == "    é   "


def test_bad_text_where_nothing_is_read():
    bits = bytes([0b101])
    array = pyarrow.Array.from_buffers(pyarrow.string(), 3, buffers(bits, words(0, 1, 3, 4), b"a\xff\xffb"))
    assert written(pyarrow.table({"A": array})) == "a       b   "
    # Columns that `read` has added are not read.
    hostile = texts([b"\xff", b"\xff"], pyarrow.string())
    assert written(pyarrow.table({"A": ["a", "b"], "_file": hostile})) == "a   b   "


def test_bad_text_in_groups_and_arrays():
    texts_of = texts([b"ok", b"\xed\xa0\x80"], pyarrow.string())
    lists = pyarrow.ListArray.from_arrays(pyarrow.array([0, 2], pyarrow.int32()), texts_of)
    group = pyarrow.StructArray.from_arrays([lists], ["C"])
    book = b"       01 R.\n           05 G.\n               10 C PIC X(3) OCCURS 2 TIMES.\n"
    with pytest.raises(charpipe.RecordError, match="not valid UTF-8") as error:
        charpipe.write(pyarrow.table({"G": group}), io.BytesIO(), layout=book, encoding="IBM037")
    assert (error.value.record, error.value.field) == (1, "G.C[2]")
    # A null group has no fields, whatever their bytes are.
    null = pyarrow.StructArray.from_buffers(group.type, 1, buffers(b"\0"), children=[lists])
    out = io.BytesIO()
    assert charpipe.write(pyarrow.table({"G": null}), out, layout=book, encoding="IBM037") == 1
    assert out.getvalue() == b"\x40" * 6


@pytest.mark.parametrize(
    "offsets, record, match",
    [
        ((0, 4, 1, 5), 2, "from 4 to 1 is not within"),
        ((0, 4_000_000, 1, 5), 1, "from 0 to 4000000 is not within"),
        ((0, -4, 1, 5), 1, "from 0 to -4 is not within"),
    ],
)
def test_offsets_that_lie_elsewhere(offsets, record, match):
    array = pyarrow.Array.from_buffers(pyarrow.string(), 3, buffers(None, words(*offsets), b"abcde"))
    assert refused(pyarrow.table({"A": array}), record, match).code == "bad-batch"
    wide = words(*offsets, size=8)
    array = pyarrow.Array.from_buffers(pyarrow.large_string(), 3, buffers(None, wide, b"abcde"))
    refused(pyarrow.table({"A": array}), record, match)


def test_an_offset_that_becomes_the_last_one():
    """Tables are cut where any column is cut."""
    array = pyarrow.Array.from_buffers(pyarrow.string(), 2, buffers(None, words(0, 4_000_000, 4), b"abcd"))
    other = pyarrow.chunked_array([["x"], ["y"]])
    refused(pyarrow.table({"A": pyarrow.chunked_array([array]), "_x": other}), match="the column of A is invalid")


@pytest.mark.parametrize(
    "hostile",
    [
        view(2_000_000, b"aaaa"),
        view(20, b"aaaa", 7),
        view(20, b"aaaa", 0, 6),
        view(20, b"aaaa", 0, -1),
        view(-1, b"aaaa"),
    ],
)
def test_views_that_lie_elsewhere(hostile):
    both = view(4, b"good") + hostile
    array = pyarrow.Array.from_buffers(pyarrow.string_view(), 2, buffers(None, both, b"a" * 25))
    error = refused(pyarrow.table({"A": array}), 2)
    assert (error.code, str(error).split(": ")[1][:9]) == ("bad-batch", "the value")


def test_keys_that_the_dictionary_does_not_have():
    for key in (2, -1, 127):
        keys = pyarrow.array([1, key], pyarrow.int8())
        array = pyarrow.DictionaryArray.from_arrays(keys, pyarrow.array(["x", "y"]), safe=False)
        refused(pyarrow.table({"A": array}), 2, f"the dictionary has no value {key}")


def corrupted(table, old, new):
    """The table as a stream of Arrow's format, with other bytes in one place."""
    sink = io.BytesIO()
    with pyarrow.ipc.new_stream(sink, table.schema) as file:
        file.write_table(table)
    data = sink.getvalue()
    assert data.count(old) == 1
    return pyarrow.ipc.open_stream(data.replace(old, new))


def test_streams_with_other_offsets():
    table = pyarrow.table({"A": ["aaaa", "bbbb", "ccc"]})
    good = words(4, 8, 11)
    assert written(corrupted(table, good, good)) == "aaaabbbbccc "
    refused(corrupted(table, good, words(4, 8, 1500)), match="the column of A is invalid: Length spanned")
    refused(corrupted(table, good, words(4, 8, 12)), match="the column of A is invalid")
    refused(corrupted(table, good, words(4, 8, -1)), match="the column of A is invalid: Negative")
    refused(corrupted(table, good, words(4, 1 << 30, 11)), 2, "is not within its buffer")
    # The batches before are written.
    batches = [table.to_batches()[0], corrupted(table, good, words(4, 99, 11)).read_next_batch()]
    refused(pyarrow.RecordBatchReader.from_batches(table.schema, batches), 5)


def test_batches_frames_and_chunks():
    hostile = texts([b"ok", b"\xff"], pyarrow.string())
    batch = pyarrow.record_batch([hostile], ["A"])
    struct = pyarrow.chunked_array([batch.to_struct_array()])
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"A": pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([hostile]))})
    for data in (batch, struct, pyarrow.RecordBatchReader.from_batches(batch.schema, [batch]), frame):
        refused(data, 2, "not valid UTF-8")
    frame = pandas.DataFrame({"A": pandas.Series(["ok", None, "ok"], dtype="category")})
    assert written(frame) == "ok      ok  "


def test_rows_that_are_structs():
    pandas = pytest.importorskip("pandas")
    table = pyarrow.table({"A": ["aaaa", "bbbb", "ccc"]})
    good = words(4, 8, 11)
    for offsets in (good, words(4, 8, 1 << 30), words(4, 8, -1)):
        rows = corrupted(table, good, offsets).read_next_batch().to_struct_array()
        chunks = pyarrow.chunked_array([rows])
        series = pandas.Series(pandas.arrays.ArrowExtensionArray(chunks))
        for data in (chunks, series):
            if offsets is good:
                assert written(data) == "aaaabbbbccc "
            else:
                refused(data, match="^the rows are invalid: ")
    # Rows that are null, and parts of rows.
    rows = pyarrow.array([{"A": "x"}, {"A": "a"}, None, {"A": "b"}], pyarrow.struct([("A", pyarrow.string())]))
    chunks = pyarrow.chunked_array([rows[1:3], rows[3:]])
    series = pandas.Series(pandas.arrays.ArrowExtensionArray(chunks))
    for data in (chunks, series, pandas.Series([{"A": "a"}, None, {"A": "b"}])):
        assert written(data) == "a       b   "
    for data in (pyarrow.chunked_array([["a"]]), pandas.Series(["a"])):
        refused(data, match="expected columns")


def test_several_columns_of_one_name():
    one = pyarrow.array(["a"])
    refused(pyarrow.Table.from_arrays([one, one], ["A", "A"]), match='several columns have the name "A"')
    assert written(pyarrow.Table.from_arrays([one, one, one], ["A", "_x", "_x"])) == "a   "


def test_an_error_of_the_reader_is_the_one_that_is_raised():
    def batches():
        yield pyarrow.record_batch([["a"]], ["A"])
        raise LookupError("no more")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema([("A", pyarrow.string())]), batches())
    with pytest.raises(LookupError, match="^no more$"):
        written(reader)


def test_a_parquet_file_whose_text_is_not_utf8(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "hostile.parquet"
    values = [b"ok", b"\xed\xa0\x80", b"ab\xff"]
    for dictionary in (True, False):
        parquet.write_table(pyarrow.table({"A": texts(values, pyarrow.string())}), path, use_dictionary=dictionary)
        table = parquet.read_table(path)
        assert table.schema.field("A").type == pyarrow.string()
        assert refused(table, 2, "ED at byte 0").bytes == values[1]
        with parquet.ParquetFile(path, read_dictionary=["A"]) as file:
            refused(pyarrow.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches()), 2)


def test_malformed_text_of_a_mixed_page():
    book = "01 R.\n 05 A PIC G(3) DISPLAY-1.\n 05 B PIC X(6).\n"
    pairs, mixed = b"\x42\xc1\xff\xff\x40\x40", b"\xc1\x0e\x41\x41\xff\x0f"
    for policy, a, b in [
        ("replace", "Ａ" + 2 * "\N{REPLACEMENT CHARACTER}", "Aα\N{REPLACEMENT CHARACTER}"),
        ("drop", "Ａ", "Aα"),
        ("escape", "Ａ\\xFF\\xFF", "Aα\\xFF"),
    ]:
        found = table(pairs + mixed, layout=book, encoding="IBM939", malformed=policy).to_pylist()
        assert found == [{"A": a, "B": b}]
    # Neither is a shift code within the field a character, nor is this page like windows-1252.
    shifted = pairs[:2] + b"\x0f\x40\x40\x40" + mixed
    for data, policy in [(pairs + mixed, "windows-1252"), (shifted, "replace"), (pairs + mixed, "fail")]:
        with pytest.raises(charpipe.RecordError, match="is not valid IBM939"):
            list(charpipe.read(data, layout=book, encoding="IBM939", malformed=policy))


# --- Several sources --------------------------------------------------------------------------------------------------


def several(folder):
    for number, name in enumerate(["b.bin", "a.bin", "c.bin"]):
        (folder / name).write_bytes(item(number) + item(number + 10))
    (folder / "sub.bin").mkdir()
    return folder


def test_a_list_or_a_pattern_is_read_source_by_source(tmp_path):
    folder = several(tmp_path)
    rows = [("a.bin", 1, 1), ("a.bin", 2, 11), ("b.bin", 1, 0), ("b.bin", 2, 10), ("c.bin", 1, 2), ("c.bin", 2, 12)]
    paths = [folder / name for name in ("a.bin", "b.bin", "c.bin")]
    sources = [f"{folder}/*.bin", folder / "[a-c].bin", f"file://{folder}/?.bin", paths, tuple(paths)]
    for source in [*sources, [paths[0], f"{folder}/[bc].bin"]]:
        for batch_rows in 1, 3, 100:
            found = table(source, layout=LIST, add_columns="file,number", batch_rows=batch_rows)
            names = [pathlib.Path(name).name for name in found["_file"].to_pylist()]
            assert list(zip(names, found["_number"].to_pylist(), found["ID"].to_pylist())) == rows
    assert table(folder.glob("b.bin"), layout=LIST)["ID"].to_pylist() == [0, 10]
    # A name that exists is no pattern.
    (folder / "x[a].bin").write_bytes(item(9))
    assert table(f"{folder}/x[a].bin", layout=LIST)["ID"].to_pylist() == [9]
    mixed = [item(1), io.BytesIO(item(2)), b"", paths[0]]
    assert table(mixed, layout=LIST, batch_rows=2)["ID"].to_pylist() == [1, 2, 1, 11]


def test_each_of_several_sources_has_its_own_shape():
    framed = b"".join(b"\0\x13\0\0" + item(number) for number in range(50))
    blocks = b"".join(b"\0\x17\0\0\0\x13\0\0" + item(number) for number in range(50))
    stream = charpipe.read([framed, blocks], layout=LIST, records="auto")
    assert stream.shape == "rdw"
    assert pyarrow.table(stream)["ID"].to_pylist() == 2 * list(range(50))
    assert stream.shape == "vb"


def test_errors_of_several_sources_name_the_source(tmp_path):
    folder = several(tmp_path)
    (folder / "c.bin").write_bytes(item(1) + item(2, amount=b"abc"))
    sources = [folder / "a.bin", folder / "c.bin"]
    for batch_rows in 1, 100:
        read = lambda: charpipe.read(sources, layout=LIST, batch_rows=batch_rows)
        batches = []
        with pytest.raises(charpipe.RecordError, match=r"c\.bin: byte 25: record 2, field AMOUNT"):
            batches.extend(read())
        assert sum(map(len, batches)) == 3
        with pytest.raises(Exception, match=r"c\.bin: byte 25: record 2, field AMOUNT"):
            pyarrow.table(read())
    missing = [folder / "a.bin", folder / "none.bin"]
    with pytest.raises(FileNotFoundError, match=r"none\.bin"):
        list(charpipe.read(missing, layout=LIST))
    with pytest.raises(Exception, match=r"No such file.*none\.bin"):
        pyarrow.table(charpipe.read(missing, layout=LIST))
    with pytest.raises(FileNotFoundError, match=r"\*\.dat: no file matches this pattern"):
        charpipe.read(f"{folder}/*.dat", layout=LIST)
    with pytest.raises(ValueError, match="no source in the list"):
        charpipe.read([], layout=LIST)
    with pytest.raises(ValueError, match="split is that of one source, and there are 2"):
        charpipe.read(sources, layout=LIST, split=(0, 15, 1))
    with pytest.raises(ValueError, match="name is that of one source"):
        charpipe.read(sources, layout=LIST, name="x")
    with pytest.raises(ValueError, match='records="auto"'):
        list(charpipe.read([folder / "a.bin", b"x"], layout=LIST, records="auto"))


def test_a_pattern_of_remote_files():
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    for number in 2, 1:
        files.pipe(f"/several/{number}.bin", item(number))
    found = table("memory://several/*.bin", layout=LIST, add_columns="file")
    assert found["ID"].to_pylist() == [1, 2]
    assert [name.rsplit("/", 1)[1] for name in found["_file"].to_pylist()] == ["1.bin", "2.bin"]
    with pytest.raises(FileNotFoundError, match="no file matches"):
        charpipe.read("memory://several/*.dat", layout=LIST)


@pytest.mark.parametrize("with_tqdm", [False, True])
def test_progress_is_shown(tmp_path, monkeypatch, capsys, with_tqdm):
    if with_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    paths = sorted(several(tmp_path).glob("?.bin"))
    expected = table(paths, layout=LIST, add_columns="file")
    assert table(paths, layout=LIST, add_columns="file", progress=True) == expected
    assert ("90.0/90.0" if with_tqdm else "0.0 of 0.0 MB read\n") in capsys.readouterr().err
    # The size of a file object is not known.
    mixed = [io.BytesIO(item(1)), item(2), mmap.mmap(-1, 15)]
    mixed[2][:] = item(3)
    assert table(mixed, layout=LIST, progress=True)["ID"].to_pylist() == [1, 2, 3]
    assert ("45.0" if with_tqdm else "0.0 MB read\n") in capsys.readouterr().err
    assert table(paths[0], layout=LIST, split=(0, 15, 1), progress=True).num_rows == 1


@pytest.mark.parametrize("rest", ["", "list(stream)"])
def test_a_stream_may_outlive_the_interpreter(rest):
    # In a cycle, or in the traceback of an error that nobody catches.
    code = (
        "import charpipe, pyarrow\n"
        "stream = pyarrow.RecordBatchReader.from_stream(charpipe.read(bytes(7), layout='A 1 2 text\\n'))\n"
        "cycle = [stream]\n"
        "cycle.append(cycle)\n"
    )
    done = subprocess.run([sys.executable, "-c", code + rest], capture_output=True, text=True)
    if rest:
        assert done.returncode == 1 and "is incomplete" in done.stderr.splitlines()[-1], done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, "")
