"""The Spark data source, with a real Spark on two cores: all rows, each once, however the files are split.

`CHARPIPE_SPARK_CONNECT=1` runs the same tests through Spark Connect.
"""

import os
import pathlib
import shutil
import struct
import sys
from decimal import Decimal

import pytest

pytest.importorskip("pyspark")
pyarrow = pytest.importorskip("pyarrow")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)

import charpipe  # noqa: E402
import charpipe.spark  # noqa: E402

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data" / "carddemo"
BOOKS, EBCDIC = DATA / "copybooks", DATA / "ebcdic"
LIST = "ID 1 6 zoned,unsigned\nNAME 7 6 text\nAMOUNT 13 3 packed.2\nCOUNT 16 2 binary\nSIZES 18 2*2 binary\n"


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    builder = builder.remote("local[2]") if os.environ.get("CHARPIPE_SPARK_CONNECT") else builder.master("local[2]")
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.memory": "1g"}
    for key, value in options.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    charpipe.spark.register(session)
    yield session
    session.stop()


def load(spark, path, layout=LIST, **options):
    reader = spark.read.format("charpipe").option("layout", str(layout)).option("encoding", "IBM037")
    for key, value in options.items():
        reader = reader.option(key, value)
    return reader.load([str(one) for one in path] if isinstance(path, list) else str(path))


def item(number, amount=None):
    text = f"{number:06}N{number % 997:<5}".encode("cp037")
    if amount is None:
        amount = bytes.fromhex(f"{number % 100_000:05}c")
    return text + amount + struct.pack(">hhh", number % 1000, number % 7, -(number % 3))


def framed(records, data):
    frame = {
        "fb:21": lambda one: one,
        "rdw": lambda one: struct.pack(">HH", len(one) + 4, 0) + one,
        "u32": lambda one: struct.pack(">I", len(one)) + one,
    }
    if records != "vb":
        return b"".join(map(frame[records], data))
    blocks = []
    for at in range(0, len(data), 7):
        block = b"".join(struct.pack(">HH", len(one) + 4, 0) + one for one in data[at : at + 7])
        blocks.append(struct.pack(">HH", len(block) + 4, 0) + block)
    return b"".join(blocks)


@pytest.mark.parametrize("records", ["fb:21", "rdw", "vb", "u32"])
def test_the_same_rows_each_once_however_files_are_split(spark, tmp_path, records):
    counts = [0, 1, 2000, 1500]
    first = 0
    for file, count in enumerate(counts):
        data = [item(number) for number in range(first, first + count)]
        (tmp_path / f"part-{file}.dat").write_bytes(framed(records, data))
        first += count
    (tmp_path / "_SUCCESS").write_bytes(b"?")
    paths = sorted(tmp_path.glob("*.dat"))
    options = {"layout": LIST, "encoding": "IBM037", "records": records, "add_columns": ["file", "number", "offset"]}
    tables = [pyarrow.table(charpipe.read(str(path), **options)) for path in paths]
    expected = pyarrow.concat_tables(tables).to_pylist()
    assert len(expected) == sum(counts)
    for parts in (1, 2, 5, 40):
        frame = load(spark, tmp_path, records=records, add_columns="file,number,offset", partitions=parts)
        rows = sorted((row.asDict(recursive=True) for row in frame.collect()), key=lambda row: row["ID"])
        assert rows == expected, parts


def test_no_records(spark, tmp_path):
    (tmp_path / "empty.dat").write_bytes(b"")
    assert load(spark, tmp_path).collect() == []
    (tmp_path / "empty.dat").unlink()
    assert load(spark, tmp_path, records="rdw").count() == 0


def test_a_copybook_of_carddemo(spark):
    path = EBCDIC / "AWS.M2.CARDDEMO.ACCTDATA.PS"
    frame = load(spark, path, BOOKS / "CVACT01Y.cpy", underscores="true", dates="ACCT-OPEN-DATE=YYYY-MM-DD")
    types = dict(frame.dtypes)
    assert types["ACCT_ID"] == "decimal(11,0)"
    assert types["ACCT_CURR_BAL"] == "decimal(12,2)"
    assert types["ACCT_OPEN_DATE"] == "date"
    assert frame.count() == 50
    total = frame.selectExpr("sum(ACCT_CURR_BAL) as total").first()["total"]
    accounts = pyarrow.table(charpipe.read(path, layout=BOOKS / "CVACT01Y.cpy", encoding="IBM037"))
    assert total == sum(accounts["ACCT-CURR-BAL"].to_pylist())


def test_record_types_become_structs(spark):
    when = '["EXPORT-REC-TYPE=C: EXPORT-CUSTOMER-DATA", "EXPORT-REC-TYPE=A: EXPORT-ACCOUNT-DATA"]'
    path = EBCDIC / "AWS.M2.CARDDEMO.EXPORT.DATA.PS"
    frame = load(spark, path, BOOKS / "CVEXPORT.cpy", mode="PERMISSIVE", when=when, underscores="true")
    customers = frame.where("_type = 'EXPORT-CUSTOMER-DATA'")
    assert customers.where("EXPORT_ACCOUNT_DATA is null").count() == customers.count() > 0
    assert customers.select("EXPORT_CUSTOMER_DATA.EXP_CUST_FIRST_NAME").first()[0] == "IMMANUEL"
    assert frame.where("_errors[0].code = 'unknown-type'").count() > 0
    assert frame.count() == 500


def test_a_copybook_that_copies(spark, tmp_path):
    (tmp_path / "PART.cpy").write_text("           05 :T:-A PIC X(:L:).\n           05 B PIC X.\n           05 N PIC S9 COMP.\n")
    (tmp_path / "book.cpy").write_text("       01 R.\n           COPY PART.\n")
    (tmp_path / "in.dat").write_bytes(b"\xc1\xc2\xc3\0\1" + b"\xc1\xc2\xc3\xff\xff")
    replacing = '["==:T:== BY ==C==", "==:L:== BY ==2=="]'
    options = {"copy_path": str(tmp_path), "replacing": replacing, "null_indicator": "B=N,C-A=N"}
    frame = load(spark, tmp_path / "in.dat", tmp_path / "book.cpy", **options)
    assert [tuple(row) for row in frame.collect()] == [("AB", "C", 1), (None, None, -1)]


def test_records_that_nothing_frames(spark, tmp_path):
    (tmp_path / "in.dat").write_bytes(b"\x03\xc1\xc2\x02\xc3" * 500)
    (tmp_path / "list").write_text("LEN 1 1 binary\nX 2 2 text\n")
    # They are one part, although parts should be small.
    options = {"length_field": "LEN", "short_records": "null", "add_columns": "number", "split_bytes": "100"}
    frame = load(spark, tmp_path / "in.dat", tmp_path / "list", **options)
    assert frame.rdd.getNumPartitions() == 1
    rows = [tuple(row) for row in frame.collect()]
    assert (len(rows), rows[:2], rows[-1]) == (1000, [(1, 3, "AB"), (2, 2, "C")], (1000, 2, "C"))
    options |= {"skip_head": "1r", "skip_tail": "2r"}
    rows = [tuple(row) for row in load(spark, tmp_path / "in.dat", tmp_path / "list", **options).collect()]
    assert (len(rows), rows[0], rows[-1]) == (997, (2, 2, "C"), (998, 2, "C"))


def test_columns(spark, tmp_path):
    path = tmp_path / "in.dat"
    path.write_bytes(b"".join(map(item, range(100))))
    frame = load(spark, path, select="ID", add_columns="number")
    assert frame.columns == ["_number", "ID"]
    # A schema that the caller gives chooses columns, and their types.
    reader = spark.read.format("charpipe").schema("COUNT bigint, ID decimal(9,0)")
    frame = reader.option("layout", LIST).option("encoding", "IBM037").load(str(path))
    assert frame.dtypes == [("COUNT", "bigint"), ("ID", "decimal(9,0)")]
    assert [tuple(row) for row in frame.orderBy("ID").limit(2).collect()] == [(0, Decimal(0)), (1, Decimal(1))]
    assert frame.count() == 100
    # Integers, names, and the bytes of a record.
    frame = load(spark, path, integers="true", add_columns="record")
    assert dict(frame.dtypes)["ID"] == "int"
    assert bytes(frame.where("ID = 7").first()["_record"]) == item(7)


def test_bad_values(spark, tmp_path):
    path = tmp_path / "in.dat"
    path.write_bytes(item(1) + item(2, amount=b"\x40\x40\x40") + item(3))
    frame = load(spark, path, mode="PERMISSIVE")
    rows = frame.orderBy("ID").collect()
    assert [row["AMOUNT"] for row in rows] == [Decimal("0.01"), None, Decimal("0.03")]
    assert rows[1]["_errors"][0]["field"] == "AMOUNT"
    assert load(spark, path, mode="DROPMALFORMED").count() == 2
    frame = load(spark, path, on_bad="null")
    assert "_errors" not in frame.columns and frame.where("AMOUNT is null").count() == 1
    assert "_errors" not in load(spark, path, mode="DROPMALFORMED").columns
    with pytest.raises(Exception, match="in.dat.*byte 33: record 2, field AMOUNT, columns 13-15: 40 40 40 is not a number"):
        load(spark, path).collect()


def test_damage_is_an_error(spark, tmp_path):
    data = framed("rdw", [item(number) for number in range(4000)])
    path = tmp_path / "in.dat"
    broken = bytearray(data)
    broken[25 * 2000 : 25 * 2000 + 2] = b"\x00\x09"
    path.write_bytes(broken)
    for parts in (1, 7):
        with pytest.raises(Exception, match="in.dat.*(the header .* is wrong|do not end at byte|the record has 5 bytes)"):
            load(spark, path, records="rdw", partitions=parts).count()
    path.write_bytes(data[:-5])
    with pytest.raises(Exception, match="is incomplete"):
        load(spark, path, records="rdw", partitions=3).count()
    path.write_bytes(item(1) + b"?")
    with pytest.raises(Exception, match="record 2, which begins at byte 21, is incomplete"):
        load(spark, path).count()


def test_a_file_that_grows_is_an_error(tmp_path):
    from pyspark.sql.types import StructType

    path = tmp_path / "in.dat"
    path.write_bytes(item(1))
    source = charpipe.spark.CharpipeDataSource({"layout": LIST, "encoding": "IBM037", "path": str(path)})
    schema = source.schema()
    assert isinstance(schema, StructType)
    reader = source.reader(schema)
    (part,) = reader.partitions()
    assert sum(batch.num_rows for batch in reader.read(part)) == 1
    path.write_bytes(item(1) + item(2))
    with pytest.raises(OSError, match="in.dat: the file has changed: it had 21 bytes, and now has 42"):
        list(reader.read(part))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"layot": "x"}, "unknown option 'layot'"),
        ({"mode": "LENIENT"}, "expected FAILFAST, PERMISSIVE or DROPMALFORMED"),
        ({"integers": "yes"}, "is not true or false"),
        ({"partitions": "none"}, "expected a positive number"),
        ({"records": "fbb"}, "is not a record shape"),
        ({"select": "NAMES"}, "NAMES"),
        ({"encoding": "IBM9999"}, "IBM9999"),
        ({"layout": ""}, "the option 'layout' is needed"),
        ({"floats": "ieee"}, "unknown option 'floats': the option is named 'float'"),
        ({"mode": "PERMISSIVE", "on_bad": "null"}, "leave one of them out"),
        ({"path": "absent/*.dat"}, "no file matches"),
        ({"path": "absent.dat"}, "absent.dat"),
    ],
)
def test_bad_options(options, match):
    options = {"layout": LIST, "encoding": "IBM037", "path": str(EBCDIC / "AWS.M2.CARDDEMO.CARDXREF.PS"), **options}
    with pytest.raises((ValueError, LookupError, OSError), match=match):
        source = charpipe.spark.CharpipeDataSource(options)
        source.reader(source.schema()).partitions()


def test_paths(tmp_path):
    def files(path):
        source = charpipe.spark.CharpipeDataSource({"layout": LIST, "encoding": "IBM037", "path": path})
        return [pathlib.Path(part.path).name for part in source.reader(source.schema()).partitions()]

    for name in ("a.dat", "b.dat", "_c.dat", "d[1].dat"):
        (tmp_path / name).write_bytes(item(1))
    assert files(str(tmp_path)) == ["a.dat", "b.dat", "d[1].dat"]
    assert files(f"{tmp_path}/[ab].dat") == ["a.dat", "b.dat"]
    assert files(f"{tmp_path}/d[1].dat") == ["d[1].dat"]
    assert files(f"file:{tmp_path}/a.dat") == files(f"file://{tmp_path}/a.dat") == ["a.dat"]


def test_remote_files():
    fsspec = pytest.importorskip("fsspec")
    for name in "ab":
        with fsspec.open(f"memory://spark/{name}.dat", "wb") as file:
            file.write(item(1) * 10)
    options = {"layout": LIST, "encoding": "IBM037", "path": "memory://spark/*.dat", "split_bytes": "100", "add_columns": "file"}
    source = charpipe.spark.CharpipeDataSource(options)
    reader = source.reader(source.schema())
    parts = reader.partitions()
    assert len(parts) == 4
    batches = [batch for part in parts for batch in reader.read(part)]
    assert sum(batch.num_rows for batch in batches) == 20
    assert batches[0].column("_file")[0].as_py() == "memory:///spark/a.dat"
    # A file that is named is read, whatever its name.
    with fsspec.open("memory://spark/_c.dat", "wb") as file:
        file.write(item(1))
    for path, count in [("memory://spark/_c.dat", 1), ("memory://spark", 2)]:
        source = charpipe.spark.CharpipeDataSource({"layout": LIST, "encoding": "IBM037", "path": path})
        assert len(source.reader(source.schema()).partitions()) == count


def test_records_that_are_longer_than_the_layout(spark, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"\0\x06\0\0" + "ab".encode("cp037") + b"\0\x07\0\0" + "cde".encode("cp037"))
    options = {"layout": "A 1 2 text\n", "records": "rdw"}
    with pytest.raises(Exception, match="record 2: it has 3 bytes, but the layout describes only 2 of them"):
        load(spark, path, **options).collect()
    rows = load(spark, path, overlong="cut", **options).collect()
    assert [row.A for row in rows] == ["ab", "cd"]
    rows = load(spark, path, mode="PERMISSIVE", **options).collect()
    assert [row.A for row in rows] == ["ab", None]


@pytest.mark.skipif(bool(os.environ.get("CHARPIPE_SPARK_CONNECT")), reason="the function would run elsewhere")
def test_files_that_arrive(spark, tmp_path):
    """The program of docs/spark.md: each row of each file once, also if a batch fails and is repeated."""
    page = (pathlib.Path(__file__).parents[2] / "docs" / "spark.md").read_text("utf-8")
    program = page.split("## Files that arrive")[1].split("```python\n")[1].split("```")[0]
    program = program.replace("/mnt", str(tmp_path))
    for folder in ("copybooks", "data/in"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "copybooks" / "customer.cpy").write_text(LIST)
    codec = "spark.sql.parquet.compression.codec"
    spark.conf.set(codec, "gzip")

    def arrive(name, numbers, tail=b""):
        hidden = tmp_path / "data" / "in" / f"_{name}"
        hidden.write_bytes(b"".join(item(number) for number in numbers) + tail)
        return hidden, hidden.with_name(name)

    def found():
        exec(program, {"spark": spark})
        return sorted(int(row.ID) for row in spark.read.parquet(str(tmp_path / "data" / "out")).collect())

    for name, numbers in (("first ü.dat", range(100)), ("second.dat", range(100, 150))):
        hidden, complete = arrive(name, numbers)
        hidden.rename(complete)
    not_complete, complete = arrive("third.dat", range(150, 160))
    assert found() == list(range(150))
    assert found() == list(range(150))
    not_complete.rename(complete)
    assert found() == list(range(160))
    hidden, bad = arrive("bad.dat", range(160, 170), b"cut")
    hidden.rename(bad)
    hidden, complete = arrive("good.dat", range(170, 180))
    hidden.rename(complete)
    with pytest.raises(Exception, match="bad.dat"):
        found()
    hidden, _ = arrive("bad.dat", range(160, 170))
    hidden.rename(bad)
    assert found() == list(range(180))
    spark.conf.unset(codec)
