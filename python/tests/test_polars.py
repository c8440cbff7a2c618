"""`charpipe.polars.scan`: what a query of a LazyFrame returns is what it returns of all rows."""

import decimal
import importlib.util
import io
import random

import charpipe
import pytest

polars = pytest.importorskip("polars")
import charpipe.polars  # noqa: E402

LAYOUT = """
       01  REC.
           05  ID       PIC 9(6).
           05  NAME     PIC X(8).
           05  AMOUNT   PIC S9(5)V99 COMP-3.
           05  KIND     PIC X.
           05  PAIR.
               10  A    PIC X.
               10  B    PIC S9(4) COMP.
"""


def records(count=1000):
    dice, data = random.Random(3), bytearray()
    for number in range(count):
        data += str(number).zfill(6).encode("cp037")
        data += dice.choice(["Müller", "Ann", "", "eight ch"]).ljust(8).encode("cp037")
        data += bytes.fromhex(str(dice.randrange(10**7)).zfill(7) + dice.choice("cd"))
        data += dice.choice("XYZ").encode("cp037") + b"\xc1" + dice.randrange(1 << 15).to_bytes(2, "big")
    return bytes(data)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("polars") / "records.dat"
    path.write_bytes(records())
    return path


OPTIONS = {"layout": LAYOUT, "add_columns": ["number", "file"], "encoding": "IBM037"}


def queries():
    """Yields steps of queries, in every order that matters: some are pushed into the scan, and some are not."""
    col = polars.col
    yield "all", lambda frame: frame
    yield "one column", lambda frame: frame.select("AMOUNT")
    yield "no column of the file", lambda frame: frame.select(polars.len())
    yield "only added columns", lambda frame: frame.select("_number")
    yield "another order", lambda frame: frame.select("KIND", "_number", "ID")
    yield "a group", lambda frame: frame.select(col("PAIR").struct.field("B"))
    yield "a filter", lambda frame: frame.filter(col("AMOUNT") > 0)
    yield "a filter on another column", lambda frame: frame.filter(col("KIND") == "X").select("NAME", "AMOUNT")
    yield "a filter that counts", lambda frame: frame.filter(col("KIND") == "X").select(polars.len())
    yield "two filters", lambda frame: frame.filter(col("KIND") == "X").filter(col("NAME") != "").select("ID")
    yield "a filter that passes nothing", lambda frame: frame.filter(col("KIND") == "none")
    # Polars needs this package to pass a filter in Python on to a source.
    if importlib.util.find_spec("cloudpickle"):
        yield "a function", lambda frame: frame.filter(col("ID").map_elements(lambda x: x % 7 == 0, polars.Boolean))
    for count in (1, 7, 299, 300, 600):
        yield f"head {count}", lambda frame, count=count: frame.head(count)
        yield f"head {count}, filter", lambda frame, count=count: frame.head(count).filter(col("AMOUNT") < 0).select("ID")
        yield f"filter, head {count}", lambda frame, count=count: frame.filter(col("AMOUNT") < 0).head(count).select("ID")
        yield f"slice {count}", lambda frame, count=count: frame.slice(count // 2, count).select("ID", "_number")
        yield f"tail {count}", lambda frame, count=count: frame.tail(count)
    yield "groups", lambda frame: frame.group_by("KIND").agg(col("AMOUNT").sum(), polars.len()).sort("KIND")
    yield "with itself", lambda frame: frame.join(frame.filter(col("KIND") == "X").select("ID"), on="ID", how="semi")


@pytest.mark.filterwarnings("ignore::polars.exceptions.PolarsInefficientMapWarning")
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("rows", [None, 1, 64])
def test_queries(tmp_path, rows, engine):
    path = tmp_path / "records.dat"
    path.write_bytes(records(300))
    everything = polars.DataFrame(charpipe.read(path, **OPTIONS))
    frame = charpipe.polars.scan(path, batch_rows=rows, **OPTIONS)
    assert frame.collect_schema() == everything.schema
    count = 0
    for name, query in queries():
        expected = query(everything.lazy()).collect()
        found = query(frame).collect(engine=engine)
        assert found.equals(expected) and found.schema == expected.schema, name
        count += 1
    assert count > 30


def test_only_what_a_query_needs_is_read(path):
    """Bad values are found if they are read, so they show what is read."""
    data = bytearray(path.read_bytes())
    data[500 * 22 + 14 : 500 * 22 + 18] = b"\x40" * 4
    frame = charpipe.polars.scan(bytes(data), batch_rows=100, name="x.dat", **OPTIONS)
    with pytest.raises(charpipe.RecordError, match="x.dat: byte 11014: record 501, field AMOUNT"):
        frame.collect()
    assert frame.select("NAME", "KIND").collect().height == 1000
    assert frame.select(polars.len()).collect().item() == 1000
    assert frame.filter(polars.col("KIND") == "X").select("ID").collect().height > 100
    with pytest.raises(charpipe.RecordError):
        frame.filter(polars.col("AMOUNT") > 0).select("ID").collect()
    # Exactly 500 rows are read, though a batch has 100.
    for count in (1, 99, 250, 500):
        assert frame.head(count).collect().height == count
    with pytest.raises(charpipe.RecordError):
        frame.head(501).collect()


def test_errors_are_those_of_all_fields(path):
    data = bytearray(path.read_bytes())
    data[14:18] = b"\x40" * 4
    frame = charpipe.polars.scan(bytes(data), layout=LAYOUT, on_bad="null", add_columns=["errors"])
    bad = frame.filter(polars.col("_errors").list.len() > 0).select("NAME").collect()
    assert bad.height == 1
    assert frame.select("AMOUNT").collect()["AMOUNT"].null_count() == 1


def test_names_with_underscores():
    layout = b"CUST-ID 1 2 zoned,unsigned\nTHE-NAME 3 3 text\n"
    data = "01Ann02Bob".encode("cp037")
    frame = charpipe.polars.scan(data, layout=layout, underscores=True)
    assert frame.select("THE_NAME").collect().rows() == [("Ann",), ("Bob",)]
    assert frame.filter(polars.col("CUST_ID") == 2).collect().rows() == [(decimal.Decimal(2), "Bob")]
    selected = charpipe.polars.scan(data, layout=layout, underscores=True, select=["THE-NAME"])
    assert selected.collect_schema().names() == ["THE_NAME"]
    assert selected.collect().rows() == [("Ann",), ("Bob",)]


def test_fields_that_begin_with_an_underscore():
    layout, data = b"_X 1 2 text\n_number 3 2 text\nB 5 1 text\n", b"abcdef" * 2
    frame = charpipe.polars.scan(data, layout=layout, encoding="latin1", records="fb:6", overlong="cut")
    assert frame.select("_X", "B").collect().rows() == [("ab", "e")] * 2
    assert frame.select("_number").collect().rows() == [("cd",)] * 2
    other = charpipe.polars.scan(
        data, layout=b"_X 1 2 text\n", encoding="latin1", records="fb:6", overlong="cut", add_columns=["number"]
    )
    assert other.select("_number", "_X").collect().rows() == [(1, "ab"), (2, "ab")]


def test_types_and_parents():
    layout = b"""KIND 1 1 text
when KIND=C: CUSTOMER
NAME 2 3 text
when KIND=A: ACCOUNT
IBAN 2 3 text
"""
    data = "CAnnA001A002CBobA003".encode("cp037")
    options = {"layout": layout, "parent": {"ACCOUNT": "CUSTOMER: NAME"}, "records": "fb:4"}
    everything = polars.DataFrame(charpipe.read(data, **options))
    frame = charpipe.polars.scan(data, **options)
    assert frame.collect().equals(everything)
    for name in everything.columns:
        assert frame.select(name).collect().equals(everything.select(name)), name
    accounts = frame.filter(polars.col("_type") == "ACCOUNT").select("_parent.NAME").collect()
    assert accounts["_parent.NAME"].to_list() == ["Ann", "Ann", "Bob"]


def test_lengths_from_a_field():
    layout = b"LEN 1 2 zoned,unsigned\nNAME 3 3 text\nMORE 6 2 text\n"
    data = "05Ann07Bobby".encode("cp037")
    options = {"layout": layout, "records": "layout", "length_field": "LEN", "short_records": "null"}
    everything = polars.DataFrame(charpipe.read(data, **options))
    assert charpipe.polars.scan(data, **options).collect().equals(everything)
    assert everything["NAME"].to_list() == ["Ann", "Bob"]


def test_several_files_and_parts(path, tmp_path):
    for number in (2, 1):
        (tmp_path / f"{number}.dat").write_bytes(records(number * 10))
    frame = charpipe.polars.scan(f"{tmp_path}/*.dat", **OPTIONS)
    for _ in range(2):
        assert frame.select("_number").collect()["_number"].to_list() == [*range(1, 11), *range(1, 21)]
    assert frame.head(12).collect().height == 12
    parts = charpipe.splits(path, "fb:22", 3000)
    frames = [charpipe.polars.scan(path, split=part, **OPTIONS) for part in parts]
    assert len(frames) > 5
    assert polars.concat(frames).collect().equals(polars.DataFrame(charpipe.read(path, **OPTIONS)))


def test_what_cannot_be_scanned(path):
    with pytest.raises(TypeError, match="name the file"):
        charpipe.polars.scan(io.BytesIO(b""), layout=LAYOUT)
    with pytest.raises(TypeError, match="name the file"):
        charpipe.polars.scan([path, path.open("rb")], layout=LAYOUT)
    with pytest.raises(TypeError, match="unexpected keyword argument 'recods'"):
        charpipe.polars.scan(path, layout=LAYOUT, recods="fb:22")
    with pytest.raises(ValueError, match="layout"):
        charpipe.polars.scan(path, layout=b"NAME 1 4 txt\n")
    with pytest.raises(FileNotFoundError):
        charpipe.polars.scan(path.with_name("other"), layout=LAYOUT).collect()
    assert charpipe.polars.scan(b"", layout=LAYOUT).collect().height == 0


def test_memory_does_not_grow(tmp_path):
    """A scan that is filtered passes on each batch before it reads the next one."""
    path = tmp_path / "long.dat"
    path.write_bytes(records(200) * 2000)
    frame = charpipe.polars.scan(path, layout=LAYOUT)
    count = frame.filter(polars.col("KIND") == "X").select(polars.len()).collect(engine="streaming").item()
    assert 0 < count < 400_000 and count % 2000 == 0
