"""Beside other packages: pandas, polars, ebcdic. Each test is skipped if the package is not installed."""

import io

import charpipe
import pytest

CSV = "name,town\nAnn,Tokyo\n東京,日本\n"


def test_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "file.csv"
    path.write_bytes(CSV.encode("IBM939"))
    frame = pandas.read_csv(path, encoding="ibm-939")
    assert list(frame["town"]) == ["Tokyo", "日本"]
    frame.to_csv(tmp_path / "out.csv", encoding="ibm-939", index=False, lineterminator="\n")
    assert (tmp_path / "out.csv").read_bytes().decode("ibm-939") == CSV
    records = "".join(line.ljust(20) for line in ["Joe       Cologne", "Ann       Paris"]).encode("ibm1047")
    fixed = pandas.read_fwf(charpipe.open(io.BytesIO(records), encoding="IBM1047", records="fb:20"), header=None)
    assert list(fixed[1]) == ["Cologne", "Paris"]


def test_polars(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "file.csv"
    path.write_bytes("name,town\nJürgen,Köln\n".encode("ibm-1047,nl=zos"))
    assert polars.read_csv(path, encoding="ibm-1047,nl=zos")["town"].to_list() == ["Köln"]


def test_polars_reads_what_open_returns(tmp_path):
    """Polars reads the bytes below a text file, after a seek to where it is."""
    polars = pytest.importorskip("polars")
    path = tmp_path / "file.csv"
    path.write_bytes("name,town\nJürgen,Köln\n".encode("ibm-1047,nl=zos"))
    for read in (polars.read_csv, lambda file: polars.scan_csv(file).collect()):
        frame = read(charpipe.open(path, encoding="IBM1047", ebcdic_nl="zos"))
        assert frame.rows() == [("Jürgen", "Köln")]
    cards = "".join(line.ljust(20) for line in ["name,town", "Joe,Köln"]).encode("ibm1047")
    assert polars.read_csv(charpipe.open(io.BytesIO(cards), encoding="IBM1047", records="fb:20"))["name"].item() == "Joe"
    # Text that was read, and is no longer in the bytes, must not be missing without an error.
    file = charpipe.open(path, encoding="IBM1047", ebcdic_nl="zos")
    assert file.seek(0, 1) == 0 and file.readline() == "name,town\n"
    with pytest.raises(io.UnsupportedOperation):
        polars.read_csv(file)
    with pytest.raises(io.UnsupportedOperation):
        file.seek(0)
    assert file.read() == "Jürgen,Köln\n"


# What the package ebcdic reads differently: its newlines (15 and 25 are both LF), and one character, in which charpipe
# follows IBM's table.
CHARACTERS = {"cp1122": {0xBC}}


def test_ebcdic():
    ebcdic = pytest.importorskip("ebcdic")
    names = [name for name in ebcdic.codec_names]
    assert len(names) >= 30
    lacking = []
    for name in names:
        try:
            ours = charpipe.lookup(name)
        except LookupError:
            lacking.append(name)
            continue
        module = __import__(f"ebcdic.{name}", fromlist=["decoding_table"])
        for byte, theirs in enumerate(module.decoding_table):
            char = ours.decode(bytes([byte]), "replace")[0]
            if byte in (0x15, 0x25):
                assert {theirs, char} <= {"\n", "\x85"}, (name, byte)
            elif theirs in ("\ufffe", "\ufffd"):
                assert char == "\ufffd", (name, hex(byte), char)
            elif byte in CHARACTERS.get(name, ()):
                assert char != theirs, (name, hex(byte))
            else:
                assert char == theirs, (name, hex(byte), char, theirs)
    assert set(lacking) <= {"cp500ms", "cp1148ms"}
