"""The cases of `spec/cases`: what a conversion gives, whole, in pieces, by file and with jobs."""

import datetime
import decimal
import io
import json

import charpipe
import pytest
from charpipe import _charpipe
from conftest import ROOT

pyarrow = pytest.importorskip("pyarrow")

QUIET = {
    "malformed": {"count": 0, "first": [], "read_as": None},
    "unmappable": {"count": 0, "first": []},
    "relabelled": None,
    "controls": None,
    "mojibake": None,
    "records": None,
    "records_out": None,
    "record_newlines": None,
    "records_cut": None,
    "passed": False,
    "diagnostics": [],
}


def cases(name):
    """The cases of a list for this door. One that is not for it says why."""
    lines = (ROOT / "spec" / "cases" / name).read_text(encoding="utf-8").split("\n")
    found = [json.loads(line) for line in lines if line]
    assert all(case["not_for"]["Python"] for case in found if "Python" in case.get("not_for", {}))
    return [case for case in found if "Python" not in case.get("not_for", {})]


CONVERSIONS = cases("convert.jsonl")


def data(case, key):
    return bytes.fromhex(case[f"{key}_hex"]) if f"{key}_hex" in case else case.get(key, "").encode()


def reported(keys, key):
    """A value of a report. Diagnostics are without their messages."""
    value = keys.get(key)
    if key == "diagnostics":
        return [{name: note[name] for name in ("code", "severity", "offset")} for note in value]
    return value


def check_report(case, report):
    for key, expected in (QUIET | {"bytes_out": len(data(case, "output"))} | case["report"]).items():
        assert reported(report, key) == expected, key
    for key, expected in case.get("verdict", {}).items():
        assert reported(report["verdict"], key) == expected, key


def check_error(case, error):
    place = ("code", "offset", "line", "record", "column")
    expected = case.get("error")
    found = error and {key: getattr(error, key) for key in place}
    assert found == (expected and {key: expected.get(key) for key in place}), error
    if expected and "bytes" in expected:
        assert bytes.fromhex(expected["bytes"]).hex(" ").upper() in str(error)
    if expected and "char" in expected:
        assert f"U+{ord(expected['char']):04X}" in str(error)


def arguments(case):
    """The options as keyword arguments: flags are `True` and `False`."""
    values = {"true": True, "false": False}
    names = {name: f"{name}_" if name in ("from", "as") else name.replace("-", "_") for name in case["options"]}
    return {names[name]: values.get(value, value) for name, value in case["options"].items()}


def transcoded(case, source, **more):
    """The output, the report and the error of `transcode`."""
    output = io.BytesIO()
    try:
        return output, charpipe.transcode(source, output, **arguments(case), **more), None
    except charpipe.Error as error:
        return output, None, error


@pytest.mark.parametrize("case", CONVERSIONS, ids=[case["name"] for case in CONVERSIONS])
def test_conversions(case, tmp_path):
    source = tmp_path / "input"
    source.write_bytes(data(case, "input"))
    if "refused" in case:
        with pytest.raises(ValueError) as caught:
            charpipe.transcode(source, io.BytesIO(), **arguments(case))
        assert caught.value.code == case["refused"]
        return
    for jobs in ({"jobs": 1}, {"jobs": 3}) if "jobs" not in case["options"] else ({},):
        for input in (source, data(case, "input"), io.BytesIO(data(case, "input"))):
            output, report, error = transcoded(case, input, **jobs)
            assert output.getvalue() == data(case, "output")
            check_error(case, error)
            if report:
                check_report(case, report.to_dict())
    for size in (1, 2, 3, 7, 1 << 20):
        in_pieces(case, size)


def in_pieces(case, size):
    """Feeds pieces to the stream that `open` and the codecs stand on."""
    stream = _charpipe.Stream(list(case["options"].items()))
    input, output, error = data(case, "input"), b"", None
    for at in range(0, max(len(input), 1), size):
        good, error = stream.feed(input[at:at + size], at + size >= len(input))
        output += good
        if error:
            break
    assert output == data(case, "output")
    check_error(case, error)
    check_report(case, json.loads(stream.report()))


def test_every_case_is_run():
    assert len(CONVERSIONS) > 200


ROWS = cases("rows.jsonl")
#: What the rows of the command have and batches do not: the difference between no key and null.
LITERALS = {"Infinity": float("inf"), "-Infinity": float("-inf")}


def without_nulls(value):
    """A row without what it lacks, with bytes in hex and dates as in ISO 8601."""
    if isinstance(value, dict):
        return {name: without_nulls(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [without_nulls(one) for one in value]
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "microseconds")
    return value.isoformat() if isinstance(value, datetime.date) else value


def rows_keywords(options):
    """The keywords of charpipe.read for the options of a case."""
    keywords = {}
    for name, value in options.items():
        name = {"from": "encoding"}.get(name, name.replace("-", "_"))
        if name == "when":
            keywords[name] = value.split("\n")
        elif name == "dates":
            keywords[name] = dict(pair.split("=") for pair in value.split(","))
        elif name != "jobs":
            keywords[name] = {"true": True, "false": False}.get(value, value)
    return keywords


def read_all(source, layout, keywords):
    """The rows of an input, and the error that ended them."""
    rows = []
    try:
        for batch in charpipe.read(source, layout=layout, **keywords):
            rows += pyarrow.record_batch(batch).to_pylist()
    except charpipe.Error as error:
        return rows, error
    return rows, None


@pytest.mark.parametrize("case", ROWS, ids=[case["name"] for case in ROWS])
@pytest.mark.parametrize("batch_rows", [1, 65536])
def test_rows(case, batch_rows, tmp_path):
    keywords = rows_keywords(case["options"]) | {"batch_rows": batch_rows}
    layout, records = case["layout"].encode(), bytes.fromhex(case["input_hex"])
    if "refused" in case:
        with pytest.raises(ValueError):
            charpipe.read(records, layout=layout, **keywords)
        return
    path = tmp_path / "records"
    path.write_bytes(records)
    lines = [json.loads(line, parse_float=decimal.Decimal) for line in case["jsonl"].splitlines()]
    for source in (records, path, io.BytesIO(records)):
        rows, error = read_all(source, layout, keywords)
        assert [plain(row) for row in without_nulls(rows)] == [plain(row) for row in without_nulls(lines)]
        expected = case.get("error")
        assert (error is None) == (expected is None), error
        if expected:
            assert (error.code, error.offset) == (expected["code"], expected["offset"]), error
            assert all(getattr(error, key) == expected[key] for key in ("record", "field") if key in expected)
            if "bytes" in expected:
                assert error.bytes == bytes.fromhex(expected["bytes"])


def plain(value):
    """Numbers of any type that are the same are equal, and so are those that JSON has as text."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, str):
        return LITERALS.get(value, value)
    return float(value) if isinstance(value, decimal.Decimal) and value != value.to_integral_value() else value
