"""The schema of a layout without data, and what a stream of records shows of itself in a notebook."""

import json
import pathlib
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

#: Layouts with every kind of field, with groups, OCCURS and record types.
LAYOUTS = {
    "copybook": (COPYBOOK, {"dates": "BORN=YYYYMMDD", "underscores": True, "add_columns": "number,errors,record,file"}),
    "kinds": (
        """T 1 4 text
Z 5 3 zoned.1
U 8 2 zoned,unsigned
M 10 31 zoned
P 41 5 packed.12
Q 46 5 packed.-3
B1 51 1 binary
B2 52 2 binary,unsigned
B4 54 4 binary
V4 58 4 binary,unsigned
B8 62 8 binary
V8 70 8 binary,unsigned
S 78 4 binary.2
I 82 4 float
D 86 8 float
F 90 4 float,ieee
G 94 8 float,ieee
R 102 3 raw
A 105 2*3 text
L 111 18 zoned,unsigned
TS 129 26 text
""",
        {"dates": "TS=YYYY-MM-DD-HH.MI.SS.FFFFFF", "integers": True},
    ),
    "types": (
        """01 REC.
 05 KIND PIC X.
 05 CUST.
  10 ID PIC 9(6) COMP-3.
  10 NAME-1 PIC X(8).
 05 ACCT REDEFINES CUST.
  10 NO PIC 9(4).
  10 AMT PIC -(5)9.99.
""",
        {
            "when": ["KIND=C: CUST", "KIND=A: ACCT"],
            "parent": "ACCT < CUST: ID, NAME-1",
            "add_columns": "type,parent,offset",
        },
    ),
    "texts": (
        "01 R.\n 05 A.\n  10 B PIC X.\n  10 C PIC 9 OCCURS 2.\n 05 FILLER PIC X.\n",
        {"groups": "text", "filler": True},
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_schema_of_the_command(name, tmp_path):
    """`charpipe rows --schema arrow` prints the schema that streams have here."""
    layout, options = LAYOUTS[name]
    (tmp_path / "layout").write_text(layout)
    words = [word for pair in _words(options) for word in pair]
    arguments = ["rows", "--layout", tmp_path / "layout", "--schema", "arrow", *words]
    found = subprocess.run([_command(), *arguments], check=True, capture_output=True).stdout
    with pyarrow.ipc.open_stream(found) as stream:
        assert stream.schema == charpipe.schema(layout, **options)
        assert stream.read_all().num_rows == 0


def _command():
    """Return the path of the command, if it was built."""
    target = pathlib.Path(__file__).parents[2] / "target"
    built = [target / profile / "charpipe" for profile in ("debug", "release")]
    return next((path for path in built if path.exists()), None) or pytest.skip("the command is not built")


def _words(options):
    """Yield options as arguments."""
    for option, values in options.items():
        for value in values if isinstance(values, list) else [values]:
            name = "--" + option.replace("_", "-")
            yield (name,) if value is True else (name, value)


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
