"""pyarrow reads the streams of `charpipe rows --format arrow`: docs/fields.md. They are compared with the
lines of JSON in spec/cases, and with what the Python package makes of the same records."""

import decimal
import io
import json
import pathlib
import random
import struct
import subprocess

import charpipe
import pyarrow
import pyarrow.ipc
import pytest

ROOT = pathlib.Path(__file__).parents[2]
CASES = [json.loads(line) for line in (ROOT / "spec/cases/rows.jsonl").read_text("utf-8").splitlines()]
#: Options that rows of Arrow do not have.
NOT_OF_ARROW = {"formulas", "quote-empty", "nest"}


def words(options):
    """Returns options as words of the command."""
    for name, value in options.items():
        for one in value.split("\n") if name in ("when", "parent") else [value]:
            yield from [f"--{name}"] if one == "true" else [] if one == "false" else [f"--{name}", one]


def run(folder, layout, options, *files, input=None):
    (folder / "layout").write_text(layout, "utf-8")
    command = ["charpipe", "rows", "--format", "arrow", "--layout", "layout", "-q", *words(options), *files]
    return subprocess.run(command, cwd=folder, input=b"" if input is None else input, capture_output=True)


def read(stream):
    """Returns the batches of a stream as a table, after every check that Arrow has."""
    with pyarrow.ipc.open_stream(stream) as reader:
        batches = list(reader)
    for batch in batches:
        batch.validate(full=True)
    return pyarrow.Table.from_batches(batches, reader.schema), [batch.num_rows for batch in batches]


def of_json(value):
    """Returns a value as it is in a line of JSON."""
    if isinstance(value, dict):
        return {name: of_json(one) for name, one in value.items()}
    if isinstance(value, list):
        return [of_json(one) for one in value]
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, float):
        name = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(str(value))
        return name or value
    return value


def is_equal(found, line):
    """Compares a value with that of a line, which lacks what does not apply to a record."""
    if isinstance(line, dict):
        return isinstance(found, dict) and all(is_equal(one, line.get(name)) for name, one in found.items())
    if isinstance(line, list):
        return isinstance(found, list) and len(found) == len(line) and all(map(is_equal, found, line))
    if isinstance(found, float) and isinstance(line, (decimal.Decimal, int)):
        return found == float(line)
    if isinstance(found, str) or line is None or found is None:
        return found == line
    if hasattr(found, "isoformat"):
        return pyarrow.scalar(found).cast(pyarrow.string()).as_py().split(".")[0] == line.split(".")[0]
    return found == line


def has_arrow(case):
    return "refused" not in case and not NOT_OF_ARROW & set(case["options"])


@pytest.mark.parametrize("case", list(filter(has_arrow, CASES)), ids=lambda case: case["name"])
def test_cases(case, tmp_path):
    data = bytes.fromhex(case["input_hex"])
    (tmp_path / "data").write_bytes(data)
    options = {name: value for name, value in case["options"].items() if name != "jobs"}
    done = run(tmp_path, case["layout"], options, "data")
    assert (done.returncode != 0) == ("error" in case), done.stderr.decode()
    table, _ = read(done.stdout)
    # Without an error, the mark of the end is there.
    assert done.stdout.endswith(b"\xff\xff\xff\xff\0\0\0\0") == ("error" not in case)
    lines = [json.loads(line, parse_float=decimal.Decimal) for line in case["jsonl"].splitlines()]
    rows = [of_json(row) for row in table.to_pylist()]
    assert len(rows) == len(lines)
    for row, line in zip(rows, lines):
        assert is_equal(row, line), (row, line)
    # However the input is cut.
    assert run(tmp_path, case["layout"], options | {"jobs": "3"}, "data").stdout == done.stdout
    assert run(tmp_path, case["layout"], options, input=data).stdout == done.stdout
    if "file" not in options.get("add-columns", ""):
        check_python(case["layout"], options, data, table)


def check_python(layout, options, data, table):
    """Compares with the batches of the Python package, types included."""
    given = {name.replace("-", "_"): value for name, value in options.items()}
    given["encoding"] = given.pop("from", "IBM037")
    for name in ("when", "parent", "select", "add_columns"):
        if name in given:
            given[name] = given[name].split("\n" if name in ("when", "parent") else ",")
    if "dates" in given:
        given["dates"] = dict(one.split("=") for one in given["dates"].split(","))
    given = {name: {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value for name, value in given.items()}
    stream = charpipe.read(data, layout=layout, **given)
    batches, schema = [], pyarrow.schema(stream)
    assert table.schema == schema
    try:
        batches.extend(pyarrow.record_batch(batch) for batch in stream)
    except ValueError:
        # What test_cases expects. The rows before it were delivered.
        pass
    same = pyarrow.Table.from_batches(batches, schema)
    assert repr(same.to_pylist()) == repr(table.to_pylist())


LIST = """
N 1 4 binary
T 5 6 text
L 11 8 binary
P 19 5 packed.2
D 24 8 zoned,unsigned
G 32 8 float,ieee
X 40 3 raw
"""


def record(number):
    dice = random.Random(number)
    amount = dice.randrange(10**9)
    return b"".join([
        struct.pack(">i", number), f"é{number % 1000:<5}".encode("cp037"), struct.pack(">q", -number << 30),
        bytes.fromhex(f"{amount:09}" + dice.choice("cd")), f"20{dice.randrange(100):02}0{dice.randrange(1, 10)}28".encode("cp037"),
        struct.pack(">d", dice.random()), dice.randbytes(3),
    ])  # fmt: skip


def test_several_batches_and_inputs(tmp_path):
    parts = [[record(number) for number in numbers] for numbers in (range(70_000), [], range(70_000, 140_000))]
    for index, records in enumerate(parts):
        (tmp_path / f"part{index}").write_bytes(b"".join(records))
    options = {"dates": "D=YYYYMMDD", "add-columns": "file,number,offset,errors", "on-bad": "null"}
    files = ["part0", "part1", "part2"]
    done = run(tmp_path, LIST, options, *files)
    table, lengths = read(done.stdout)
    assert (done.returncode, lengths) == (0, [65_536, 65_536, 8928])
    assert table["_file"].to_pylist() == ["part0"] * 70_000 + ["part2"] * 70_000
    assert table["N"].to_pylist() == list(range(140_000))
    same = charpipe.read([tmp_path / name for name in files], layout=LIST, encoding="IBM037", on_bad="null",
                         dates={"D": "YYYYMMDD"}, add_columns=["file", "number", "offset", "errors"])  # fmt: skip
    same = pyarrow.table(same)
    assert table.schema == same.schema
    assert table.drop_columns("_file").equals(same.drop_columns("_file"))
    # What a pipe has read so far makes no difference.
    whole = b"".join(map(b"".join, parts))
    piped = run(tmp_path, LIST, options | {"add-columns": "number"}, input=whole).stdout
    (tmp_path / "whole").write_bytes(whole)
    assert piped == run(tmp_path, LIST, options | {"add-columns": "number", "jobs": "4"}, "whole").stdout


def test_rejected_records(tmp_path):
    data = bytearray(b"".join(map(record, range(1000))))
    for bad in (0, 7, 999):
        data[bad * 42 + 18] = 0xFF
    (tmp_path / "data").write_bytes(data)
    done = run(tmp_path, LIST, {"rejects": "rejects", "report": "-"}, "data")
    table, _ = read(done.stdout)
    assert set(range(1000)) - set(table["N"].to_pylist()) == {0, 7, 999}
    assert len((tmp_path / "rejects").read_text().splitlines()) == 3
    report = json.loads(done.stderr)
    assert (report["rows"], report["records"], report["bytes_out"]) == (997, 1000, len(done.stdout))
    # Rows before an error, without the mark of the end.
    done = run(tmp_path, LIST, {"skip-head": "1r"}, "data")
    assert done.returncode == 1 and read(done.stdout)[0]["N"].to_pylist() == list(range(1, 7))


def test_no_records(tmp_path):
    done = run(tmp_path, LIST, {}, input=b"")
    table, lengths = read(io.BytesIO(done.stdout))
    assert (table.num_rows, lengths, table.schema.names) == (0, [], list("NTLPDGX"))
    schema = subprocess.run(["charpipe", "rows", "--layout", "layout", "--schema", "arrow"], cwd=tmp_path, capture_output=True)
    assert schema.stdout == done.stdout
