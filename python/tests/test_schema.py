"""The schema of a layout without data, and what a stream of records shows of itself in a notebook."""

import json
import subprocess
import sys

import pytest

import charpipe

pyarrow = pytest.importorskip("pyarrow")

COPYBOOK = """
       01  ORDER-REC.
           05 ID      PIC 9(9) COMP.
           05 NAME    PIC X(4).
           05 PAY     PIC S9(7)V99 COMP-3.
           05 BIG     PIC 9(20).
           05 BORN    PIC 9(8).
           05 ADR.
              10 CITY PIC X(3).
           05 LN OCCURS 2 TIMES.
              10 QTY  PIC 9(4).
"""
OPTIONS = {"layout": COPYBOOK, "dates": {"BORN": "YYYYMMDD"}, "underscores": True}
RECORD = (
    b"\0\0\0\x07" + "JOE ".encode("cp037") + b"\0\0\0\x01\x2c"
    + "0000000000000000000920240229OSL00010002".encode("cp037")
)


def test_arrow():
    schema = charpipe.schema(COPYBOOK, dates={"BORN": "YYYYMMDD"}, underscores=True)
    stream = charpipe.read(RECORD, **OPTIONS)
    assert schema == stream.schema == pyarrow.schema(stream)
    assert pyarrow.table(stream).schema == schema
    assert str(schema.field("PAY").type) == "decimal128(9, 2)"
    # Not every record has the same length, and that does not matter.
    varying = "01 R.\n 05 N PIC 9.\n 05 A PIC X OCCURS 0 TO 3 DEPENDING ON N.\n"
    assert charpipe.schema(varying).names == ["N", "A"]


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_rows_of_csv_go_into_the_table(name, tmp_path):
    """What the schema says is what a database stores."""
    sql = charpipe.schema(COPYBOOK, name, dates={"BORN": "YYYYMMDD"}, underscores=True)
    columns = [line.split('"')[1] for line in sql.splitlines()[1:-1]]
    row = ["7", "JOE", "0.12", "9", "2024-02-29", "OSL", "1", "2"]
    places = ",".join("?" * len(row))
    if name == "duckdb":
        database = pytest.importorskip("duckdb").connect()
    else:
        import sqlite3

        database = sqlite3.connect(":memory:")
    database.execute(sql)
    database.execute(f'INSERT INTO "ORDER-REC" VALUES ({places})', row)
    found = database.execute('SELECT * FROM "ORDER-REC"').fetchall()
    assert columns == ["ID", "NAME", "PAY", "BIG", "BORN", "ADR.CITY", "LN[1].QTY", "LN[2].QTY"]
    assert [str(value) for value in found[0]] == row


def test_nested_formats():
    spark = json.loads(charpipe.schema(COPYBOOK, "spark"))
    assert [field["name"] for field in spark["fields"]] == ["ID", "NAME", "PAY", "BIG", "BORN", "ADR", "LN"]
    assert spark["fields"][-1]["type"]["elementType"]["fields"][0]["type"] == "decimal(4,0)"
    avro = json.loads(charpipe.schema(COPYBOOK, "avro", select="LN"))
    assert avro["fields"][0]["type"][1]["items"][1]["name"] == "LN"
    lines = json.loads(charpipe.schema(COPYBOOK, "json-schema", integers=True))
    assert lines["properties"]["LN"]["maxItems"] == 2
    with pytest.raises(ValueError, match="format: \"oracle\" is not one of duckdb"):
        charpipe.schema(COPYBOOK, "oracle")
    with pytest.raises(TypeError, match="unexpected keyword argument 'malformd'"):
        charpipe.schema(COPYBOOK, malformd="x")


def test_a_stream_is_consumed_once():
    """A cell of a notebook that runs twice does not get an empty table."""
    stream = charpipe.read(RECORD * 3, **OPTIONS)
    assert pyarrow.table(stream).num_rows == 3
    for again in (pyarrow.table, list, iter):
        with pytest.raises(ValueError, match="read to its end; call charpipe.read again"):
            again(stream)
    # What was begun goes on.
    stream = charpipe.read(RECORD * 3, **OPTIONS, batch_rows=1)
    assert len(next(stream)) == 1
    assert pyarrow.table(stream).num_rows == 2
    assert pyarrow.table(charpipe.read(b"", **OPTIONS)).num_rows == 0


def test_what_a_notebook_shows():
    stream = charpipe.read(RECORD, **OPTIONS, name="orders.dat")
    shown = repr(stream)
    assert shown.startswith("<charpipe.RecordStream of orders.dat, fb:") and "  PAY: Decimal128(9, 2)" in shown
    assert "<tr><td>PAY</td><td>Decimal128(9, 2)</td></tr>" in stream._repr_html_()
    assert pyarrow.table(stream).num_rows == 1


def test_names_of_fields_are_not_code():
    """The name of a field stays a name: in SQL, in JSON, and in the HTML of a notebook."""
    import sqlite3

    name = 'A"INTEGER);DROP-TABLE"rows";--<script>\'&amp;\\'
    layout = f"{name} 1 1 text\nB 2 1 text\n"
    database = sqlite3.connect(":memory:")
    database.execute(charpipe.schema(layout, "sqlite"))
    assert [row[1] for row in database.execute('PRAGMA table_info("rows")')] == [name, "B"]
    assert list(json.loads(charpipe.schema(layout, "json-schema"))["properties"]) == [name, "B"]
    assert [field["name"] for field in json.loads(charpipe.schema(layout, "spark"))["fields"]] == [name, "B"]
    shown = charpipe.read(b"", layout=layout)._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;" in shown and "&amp;amp;" in shown


def test_pandas_is_told_what_to_call():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"pyarrow.table\(stream\).to_pandas\(\)"):
        pandas.DataFrame(charpipe.read(RECORD, **OPTIONS))
    assert pyarrow.table(charpipe.read(RECORD, **OPTIONS)).to_pandas().shape == (1, 7)


GOOD = """
import charpipe
stream = charpipe.read("records", layout="book.cpy", on_bad="null", trim="none")
print(charpipe.decode(b"", "IBM037"), stream.schema, charpipe.schema("book.cpy", "duckdb"))
"""
WRONG = [
    ('charpipe.read("records", layout="book.cpy", on_bad="nul")', "arg-type"),
    ('charpipe.read("records", layout="book.cpy", onbad="null")', "arg-type"),
    ('charpipe.write(stream, "records", layout="book.cpy", binary_range="half")', "arg-type"),
    ('charpipe.schema("book.cpy", "oracle")', "arg-type"),
]


def test_type_checkers(tmp_path):
    """They accept what is right, and find a misspelt option and a misspelt value."""
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(GOOD + "\n".join(line for line, _ in WRONG))
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", program]
    output = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path).stdout
    errors = [line for line in output.splitlines() if "program.py" in line and " error: " in line]
    first = GOOD.count("\n") + 1
    for number, (line, code) in enumerate(WRONG):
        assert any(error.startswith(f"{program.name}:{first + number}:") and f"[{code}]" in error for error in errors), (
            line,
            output,
        )
    assert len(errors) == len(WRONG), output
