#!/usr/bin/env python3
"""Tests the iconv shim with the cases of `spec/cases`, and that its memory does not grow: `cases.py SHIM`. Prints `ok`."""

import ctypes
import errno
import json
import pathlib
import resource
import sys

FAILED = ctypes.c_size_t(-1).value
shim = ctypes.CDLL(sys.argv[1], use_errno=True)
shim.iconv_open.restype = ctypes.c_void_p
shim.iconv.restype = ctypes.c_size_t
shim.iconv.argtypes = [ctypes.c_void_p] + [ctypes.c_void_p] * 4
shim.iconv_close.argtypes = [ctypes.c_void_p]


def convert(cd, data, room=4096):
    """Convert bytes; return the output, how many bytes were read, and 0 or the number of the error."""
    source, output, read, code = ctypes.create_string_buffer(data, len(data) + 1), b"", 0, 0
    at, left = ctypes.c_void_p(ctypes.addressof(source)), ctypes.c_size_t(len(data))
    is_end = False
    while True:
        buffer = ctypes.create_string_buffer(room)
        to, free = ctypes.c_void_p(ctypes.addressof(buffer)), ctypes.c_size_t(room)
        place = (None, None) if is_end else (ctypes.byref(at), ctypes.byref(left))
        done = shim.iconv(cd, *place, ctypes.byref(to), ctypes.byref(free))
        code = ctypes.get_errno() if done == FAILED else 0
        output += buffer.raw[:room - free.value]
        read = len(data) - left.value
        if code not in (0, errno.E2BIG) or code == 0 and is_end:
            return output, read, code
        is_end = is_end or code == 0


def cases():
    """The conversions that only name two charsets. iconv has no policies, no detection and no labels to correct."""
    path = pathlib.Path(__file__).parents[2] / "spec" / "cases" / "convert.jsonl"
    for case in map(json.loads, filter(None, path.read_text(encoding="utf-8").split("\n"))):
        options, report = case["options"], case.get("report", {})
        names_both = "from" in options or report.get("from") == "UTF-8"
        if set(options) <= {"from", "to"} and options.get("from") != "auto" and names_both and "refused" not in case:
            if not case["name"].startswith(("xml", "html", "label-lies", "utf-8-mark", "only-a-mark")):
                yield case


def data(case, key):
    return bytes.fromhex(case[f"{key}_hex"]) if f"{key}_hex" in case else case.get(key, "").encode()


def conversions():
    count = 0
    for case in cases():
        input, output, error = data(case, "input"), data(case, "output"), case.get("error")
        cd = shim.iconv_open(case["report"]["to"].encode(), case["options"].get("from", "UTF-8").encode())
        assert cd not in (None, ctypes.c_void_p(-1).value), case["name"]
        for room in (4096, 16):
            found, read, code = convert(cd, input, room)
            assert found == output, (case["name"], found, output)
            assert read == (error["offset"] if error else len(input)), (case["name"], read)
            assert code in ((errno.EILSEQ, errno.EINVAL) if error else (0,)), (case["name"], code)
            shim.iconv(cd, None, None, None, None)
        count += 1
        shim.iconv_close(cd)
    assert count > 60, count


def memory():
    """The peak of this process does not grow when sixteen times as much is converted."""
    peaks = []
    for mebibytes in (4, 64):
        for source, to, unit in (("IBM1047", "UTF-8", b"\xc1\x15"), ("UTF-8", "IBM939", "本\n".encode())):
            cd = shim.iconv_open(to.encode(), source.encode())
            piece = unit * ((1 << 16) // len(unit))
            for _ in range(mebibytes << 4):
                _, _, code = convert(cd, piece, 1 << 18)
                assert code == 0
            shim.iconv_close(cd)
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert peaks[1] - peaks[0] < 4096, peaks


if __name__ == "__main__":
    conversions()
    memory()
    print("ok")
