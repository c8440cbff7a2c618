"""pandas reads and writes text in other encodings, and reads records exactly."""

import decimal

import charpipe
import pandas
import pyarrow
import pytest

TEXT = {
    "IBM1047": "Müller [Köln] ^",
    "ibm1047,nl=zos": "Müller [Köln] ^",
    "ibm-939": "abc 東京 DEF",
    "ibm-930": "ABC 東京 ｱｲｳ",
    "shift_jis": "東京都ｱｲｳソ表",
    "windows-1252": "€ “quoted” Šaž",
    "EUC-JIS-2004": "か゚ 東京",
}


@pytest.mark.parametrize("encoding", TEXT)
def test_text(encoding, tmp_path):
    # A field that has the separators of CSV itself.
    texts = [TEXT[encoding] + TEXT[encoding][: number % 9] + ' "quoted", and\nmore' for number in range(20_000)]
    frame, path = pandas.DataFrame({"id": range(20_000), "text": texts}), tmp_path / "file.csv"
    frame.to_csv(path, encoding=encoding, index=False, lineterminator="\n")
    assert pandas.read_csv(path, encoding=encoding).equals(frame)
    with charpipe.open(path, encoding=encoding, malformed="fail") as file:
        assert pandas.read_csv(file).equals(frame)
    for size in (1, 777, 19_999, 20_000):
        with pandas.read_csv(path, encoding=encoding, chunksize=size, nrows=size * 3) as pieces:
            assert pandas.concat(pieces).equals(frame.head(size * 3)), size


@pytest.mark.parametrize("engine", ["c", "python", "pyarrow"])
def test_malformed_text(engine, tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(b"text\n" + b"abcde\n" * 50_000 + b"\x83\n")
    with pytest.raises(ValueError):
        pandas.read_csv(path, encoding="charpipe-shift_jis", engine=engine)
    with pytest.raises(charpipe.Error, match="line 50002, column 1"), charpipe.open(path, "r", "Shift_JIS", malformed="fail") as file:
        pandas.read_csv(file, engine=engine)


def test_records(records, shape):
    file = records(shape, 20_000)
    table = pyarrow.table(charpipe.read(file.data, **file.read_with(), batch_rows=999))
    frame = table.to_pandas(types_mapper=pandas.ArrowDtype)
    assert list(frame.columns) == file.columns
    for position, name in enumerate(file.columns):
        found = [list(value) if name == "NAME" and shape != "fb" else value for value in frame[name]]
        assert found == [row[position] for row in file.rows], name
    assert frame["AMOUNT"].sum() == sum(row[1] for row in file.rows)
    rows = charpipe.read(file.data, **file.read_with(), batch_rows=999)
    pieces = [pyarrow.table(pyarrow.record_batch(batch)).to_pandas(types_mapper=pandas.ArrowDtype) for batch in rows]
    assert len(pieces) == 21 and pandas.concat(pieces, ignore_index=True).equals(frame)


def test_why_arrow_types():
    """Without them, integers beside a null value lose digits."""
    layout = b"KEY 1 18 zoned,unsigned\n"
    data = ("999999999999999999" + " " * 18).encode("cp037")
    read = {"layout": layout, "integers": True, "on_bad": "null"}
    table = pyarrow.table(charpipe.read(data, **read))
    assert table.to_pandas()["KEY"][0] == 1e18
    exact = table.to_pandas(types_mapper=pandas.ArrowDtype)["KEY"]
    assert exact[0] == 999999999999999999 and exact[1] is pandas.NA
    assert isinstance(pyarrow.table(charpipe.read(b"\x12\x3c", layout=b"X 1 2 packed.1\n")).to_pandas()["X"][0], decimal.Decimal)
