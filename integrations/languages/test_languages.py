"""The examples of the C library in Go, C#, Ruby and PHP: their output and errors, their memory, and what they free.

They all do what the command does, so its output is the expected one. docs/c.md lists them.
"""

import os
import pathlib
import random
import shutil
import subprocess
import threading

import pytest

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "capi/examples"
DATA = ROOT / "examples/data"

# For each language: the programs that it needs, how the example is built, and how it is run.
LANGUAGES = {
    "go": (("go", "pkg-config", "cc"), ("go", "build", "-o", "convert", EXAMPLES / "convert.go"), ("./convert",)),
    "csharp": (("mcs", "mono"), ("mcs", "-out:convert.exe", EXAMPLES / "convert.cs"), ("mono", "convert.exe")),
    "ruby": (("ruby",), ("ruby", "-wc", EXAMPLES / "convert.rb"), ("ruby", "-w", EXAMPLES / "convert.rb")),
    "php": (("php",), ("php", "-l", EXAMPLES / "convert.php"), ("php", EXAMPLES / "convert.php")),
}


@pytest.fixture(scope="module", params=LANGUAGES)
def example(request, tmp_path_factory):
    """Returns a function that runs the example: its exit status, its output and its messages."""
    needed, build, line = LANGUAGES[request.param]
    for program in needed:
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    # Go keeps what it compiles.
    environment = {**os.environ, "GOCACHE": str(folder / "cache"), "GOPATH": str(folder / "go"), "GOFLAGS": "-mod=mod"}
    built = subprocess.run(build, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0 and built.stderr == "", built.stderr

    def run(data, *options, **variables):
        done = subprocess.run(
            (*line, *options),
            cwd=folder,
            env={**environment, **variables},
            input=data,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr.decode().replace("\r\n", "\n")

    run.line, run.folder, run.environment = line, folder, environment
    return run


def command(data, *options):
    done = subprocess.run(["charpipe", "-q", *options], input=data, capture_output=True, check=True)
    return done.stdout


def test_documents(example):
    for name in ("hello-ibm1047.xml", "japanese-ibm930.xml", "ucs4-2143.xml", "utf16le-bom.xml", "latin1.xml"):
        data = (DATA / name).read_bytes()
        assert example(data) == (0, command(data), "")


def test_any_size(example):
    """Nothing is lost or repeated at the ends of the buffers, in either direction."""
    draw = random.Random(7)
    for size in (0, 1, 16383, 16384, 16385, 32768, 100_001):
        data = draw.randbytes(size)
        assert example(data, "from=IBM1047") == (0, command(data, "-f", "IBM1047"), ""), size
        # Four times as long, so that the output needs room.
        text = "".join(draw.choices("abc é€漢", k=size)).encode()
        assert example(text, "from=UTF-8", "to=UTF-32BE") == (0, text.decode().encode("utf-32-be"), ""), size


def test_shift_codes_at_the_end(example):
    # The shift code that ends the text is written at the end of the input.
    assert example("漢字".encode(), "from=UTF-8", "to=IBM939") == (
        0,
        command("漢字".encode(), "-f", "UTF-8", "-t", "IBM939"),
        "",
    )
    assert example("漢字".encode(), "from=UTF-8", "to=IBM939")[1][-1] == 0x0F


def test_errors(example):
    status, output, message = example(b"x" * 40_000 + b"\nab\xff", "from=UTF-8")
    assert (status, output) == (1, b"x" * 40_000 + b"\nab")
    assert message == "malformed at 40003: line 2, column 3 (byte 40003): FF is not valid UTF-8\n"
    # At the end of the input, and with a character that is not ASCII in the message.
    assert example(b"ab\xe2\x82", "from=UTF-8")[::2] == (
        1,
        "malformed at 2: line 1, column 3 (byte 2): E2 82 is not valid UTF-8\n",
    )
    status, output, message = example("3 €".encode(), "from=UTF-8", "to=ISO-8859-1")
    assert (status, output) == (1, b"3 ") and message.startswith("unmappable at 2: ") and "'€'" in message
    status, output, message = example(b"x", "bom=yes")
    assert (status, output) == (1, b"")
    assert message == 'bad-option at -1: option bom: "yes" is not one of auto, keep, add, strip\n'


def test_options_that_are_not_ascii(example, tmp_path):
    """The name of a file is passed as UTF-8."""
    path = tmp_path / "Seite-Ä.txt"
    shutil.copy(ROOT / "codecs/IBM037.txt", path)
    status, output, message = example(b"\xc1\xc2", f"codec-file={path}", "from=IBM037")
    assert (status, output, message) == (0, b"AB", "")


def test_what_is_freed(example, tmp_path):
    library = tmp_path / "libcharpipe.so.1"
    source = pathlib.Path(__file__).with_name("counting.c")
    subprocess.run(["cc", "-O1", "-Wall", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
    real = next(
        path
        for path in (pathlib.Path(folder) / library.name for folder in os.environ["LD_LIBRARY_PATH"].split(":"))
        if path.exists()
    )
    variables = {"COUNTED": str(real), "COUNTS": str(tmp_path / "counts"), "LD_LIBRARY_PATH": str(tmp_path)}
    for data, options in ((b"x" * 1_000_000, ["from=UTF-8"]), (b"x" * 1_000_000 + b"\xff", ["from=UTF-8"])):
        example(data, *options, **variables)
        assert (tmp_path / "counts").read_text() == "1 opened, 1 freed, in pieces\n", options


def test_memory(example):
    """Four times as much input takes no more memory."""

    def peak(megabytes):
        process = subprocess.Popen(
            (*example.line, "from=IBM1047"),
            cwd=example.folder,
            env=example.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )

        def write():
            with process.stdin as file:
                for _ in range(megabytes):
                    file.write(b"\xc1" * 1_000_000)

        writer = threading.Thread(target=write)
        writer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        writer.join()
        assert status == 0
        return usage.ru_maxrss * 1024

    short, long = peak(10), peak(40)
    assert long < short + 20_000_000, (short, long)


def test_each_is_on_the_page():
    page = (ROOT / "docs/c.md").read_text("utf-8")
    for name in ("convert.go", "convert.cs", "convert.rb", "convert.php"):
        assert f"](../capi/examples/{name})" in page
