"""Memory does not grow with the input: the peak of a process is the same for an input that is sixteen times as long."""

import os
import subprocess
import sys

import pytest

STATUS = "/proc/self/status"
pytestmark = pytest.mark.skipif(not os.path.exists(STATUS), reason="this system does not tell the peak of a process")

# Prints the peak in KiB. (`getrusage` counts what the parent had before the program began, too.)
PEAK = f"print(next(line.split()[1] for line in open({STATUS!r}) if line.startswith('VmHWM')))"


def peak(program, path):
    program = f"import sys\nimport charpipe\npath = sys.argv[1]\n{program}\n{PEAK}"
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def check(program, unit, tmp_path):
    """Compares inputs of 2 and of 32 MiB."""
    path = tmp_path / "input"
    peaks = []
    for mebibytes in (2, 32):
        path.write_bytes(unit * ((mebibytes << 20) // len(unit)))
        peaks.append(peak(program, path))
    assert peaks[1] - peaks[0] < 8 << 10, peaks


@pytest.mark.parametrize(
    "program",
    [
        "charpipe.transcode(path, path + '.out', from_='IBM1047')",
        "charpipe.transcode(open(path, 'rb'), open(path + '.out', 'wb'), from_='IBM1047', to='UTF-16')",
        "charpipe.transcode(path, path + '.out', from_='IBM1047', records='fb:64', to_records='rdw', jobs=2)",
        "for line in charpipe.open(path, encoding='IBM1047', newline=''): pass",
        "for record in charpipe.records(path, 'fb:64'): pass",
        "charpipe.detect(path, whole=True)",
    ],
)
def test_memory_does_not_grow_with_the_input(program, tmp_path):
    check(program, b"\xc1\xc2\xc3\x25" * 16, tmp_path)


def test_memory_does_not_grow_with_the_records(tmp_path):
    pytest.importorskip("pyarrow")
    layout = tmp_path / "layout"
    layout.write_text("A 1 76 text\nB 77 4 packed\n")
    program = f"for batch in charpipe.read(path, layout={str(layout)!r}, encoding='IBM037', batch_rows=1000): pass"
    check(program, b"\xc1" * 76 + b"\x00\x00\x12\x3c", tmp_path)
