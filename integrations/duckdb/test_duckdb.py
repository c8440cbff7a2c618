"""DuckDB reads text in other encodings, and records."""

import decimal
import io
import random
import subprocess

import charpipe
import duckdb
import fsspec
import pyarrow
import pytest

TEXT = {
    "IBM1047,nl=zos": "Müller, \"Köln\"\nline [2] ^",
    "Shift_JIS": "東京都\\ｱｲｳ ソ表",
    "windows-1252": "€ “quoted” — Šaž",
    "IBM939": "abc 東京 DEF",
    "UTF-16": "any 😀 at all",
}


def table(encoding):
    """Returns rows whose text is cut by every buffer at another place."""
    text = TEXT[encoding]
    return [(number, text[: number % len(text)] + text) for number in range(1, 20_001)]


def as_csv(rows, encoding):
    quoted = ("%d,\"%s\"\n" % (number, text.replace('"', '""')) for number, text in rows)
    return "".join(["id,text\n", *quoted]).encode(encoding.replace("windows", "charpipe-windows"))


@pytest.mark.parametrize("encoding", TEXT)
def test_text(encoding, tmp_path):
    rows, path = table(encoding), tmp_path / "file.csv"
    path.write_bytes(as_csv(rows, encoding))
    types = {"dtype": {"id": "BIGINT", "text": "VARCHAR"}}
    with charpipe.open(path, encoding=None if encoding == "UTF-16" else encoding) as file:
        assert duckdb.read_csv(file, **types).fetchall() == rows
    # A file that fsspec has opened.
    with fsspec.open(f"file://{path}", "rb") as raw:
        file = charpipe.open(raw, encoding=encoding, malformed="fail")
        assert duckdb.read_csv(file, **types).fetchall() == rows
    # A pipe.
    command = ["charpipe", *([] if encoding == "UTF-16" else ["-f", encoding]), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        query = "COPY (FROM read_csv('/dev/stdin', columns={id: 'BIGINT', text: 'VARCHAR'})) TO '%s'" % (tmp_path / "all.parquet")
        subprocess.run(["duckdb", "-c", query + " (FORMAT parquet)"], stdin=process.stdout, check=True)
    assert process.returncode == 0
    assert duckdb.sql(f"FROM '{tmp_path / 'all.parquet'}' ORDER BY id").fetchall() == rows


def test_malformed_text(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(as_csv(table("Shift_JIS"), "Shift_JIS") + b"1,\x83\n")
    with charpipe.open(path, encoding="Shift_JIS", malformed="fail") as file, pytest.raises(ValueError, match="Shift_JIS"):
        duckdb.read_csv(file).fetchall()
    with charpipe.open(path, encoding="Shift_JIS") as file, pytest.raises(UnicodeDecodeError):
        duckdb.read_csv(file).fetchall()
    # In a pipe, DuckDB takes even half of the line with the error for a row. Only charpipe's status tells.
    script = "set -o pipefail; charpipe -f Shift_JIS '%s' | duckdb -csv -noheader -c \"SELECT count(*) FROM read_csv('/dev/stdin')\""
    done = subprocess.run(["bash", "-c", script % path], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "20001\n")
    assert "83" in done.stderr


LAYOUT = """
       01  ACCOUNT.
           05  ID       PIC 9(9).
           05  NAME     PIC X(12).
           05  BALANCE  PIC S9(7)V99 COMP-3.
           05  BRANCH   PIC S9(9) COMP.
           05  MARK     PIC 9 OCCURS 3.
"""


def records(count):
    """Returns records that are encoded here, and their rows."""
    dice, data, rows = random.Random(7), bytearray(), []
    for number in range(count):
        name = dice.choice(["Müller", "Ærø", "O'Neill", "", "twelve chars"])
        cents, branch = dice.randint(-(10**9) + 1, 10**9 - 1), dice.randint(-(2**31), 2**31 - 1)
        times = [dice.randint(0, 9) for _ in range(3)]
        data += str(number).zfill(9).encode("cp037") + name.ljust(12).encode("cp037")
        data += bytes.fromhex(str(abs(cents)).zfill(9) + ("d" if cents < 0 else "c"))
        data += branch.to_bytes(4, "big", signed=True) + "".join(map(str, times)).encode("cp037")
        value = decimal.Decimal(cents).scaleb(-2)
        rows.append((decimal.Decimal(number), name, value, branch, [decimal.Decimal(time) for time in times]))
    return bytes(data), rows


def test_records(tmp_path):
    data, expected = records(200_000)
    path = tmp_path / "accounts.dat"
    path.write_bytes(data)
    for wrap in (lambda stream: stream, pyarrow.RecordBatchReader.from_stream, pyarrow.table):
        rows = wrap(charpipe.read(path, layout=LAYOUT, batch_rows=1000))
        assert duckdb.sql("FROM rows ORDER BY ID").fetchall() == expected
    rows = charpipe.read(path, layout=LAYOUT, select=["BALANCE", "NAME"])
    found = duckdb.sql("SELECT NAME, sum(BALANCE), count(*) FROM rows GROUP BY ALL ORDER BY ALL").fetchall()
    sums = {}
    for _, name, value, *_ in expected:
        total, count = sums.get(name, (0, 0))
        sums[name] = total + value, count + 1
    assert found == sorted((name, total, count) for name, (total, count) in sums.items())


def test_a_stream_is_read_once():
    data, _ = records(10)
    connection = duckdb.connect()
    rows = charpipe.read(data, layout=LAYOUT)
    connection.sql("CREATE TABLE accounts AS FROM rows")
    for _ in range(2):
        assert connection.sql("SELECT count(*) FROM accounts").fetchall() == [(10,)]
    with pytest.raises(duckdb.Error, match="read to its end"):
        connection.sql("FROM rows").fetchall()


def test_all_columns_are_read_unless_they_are_selected():
    data = bytearray(records(3)[0])
    data[21:26] = b"\x40" * 5
    rows = charpipe.read(bytes(data), layout=LAYOUT)
    with pytest.raises(duckdb.Error, match="record 1, field BALANCE, .* is not a number"):
        duckdb.sql("SELECT NAME FROM rows").fetchall()
    rows = charpipe.read(bytes(data), layout=LAYOUT, select=["NAME"])
    assert len(duckdb.sql("SELECT NAME FROM rows").fetchall()) == 3


def test_an_error_leaves_no_table():
    data = bytearray(records(100_000)[0])
    data[-12:-7] = b"\x40" * 5
    connection, rows = duckdb.connect(), charpipe.read(bytes(data), layout=LAYOUT, name="a.dat")
    with pytest.raises(duckdb.Error, match="a.dat: .*record 100000, field BALANCE"):
        connection.sql("CREATE TABLE accounts AS FROM rows")
    assert connection.sql("SHOW TABLES").fetchall() == []


def test_limit_ends_the_reading():
    data = records(1000)[0]

    class Endless(io.RawIOBase):
        count = 0

        def read(self, size):
            self.count += 1
            return data if self.count < 10_000 else b""

    source = Endless()
    rows = charpipe.read(source, layout=LAYOUT)
    assert len(duckdb.sql("FROM rows LIMIT 5").fetchall()) == 5
    assert source.count < 5000
