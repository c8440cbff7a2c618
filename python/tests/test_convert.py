"""decode, encode, open, detect, transcode, records, tables, charts."""

import io
import json
import os
import pickle
import signal
import subprocess
import sys
import threading

import charpipe
import pytest


def test_decode():
    assert charpipe.decode(b"\xc8\x89", "IBM1047") == "Hi"
    assert charpipe.decode("Grüße".encode()) == "Grüße"
    assert charpipe.decode(b"\x81\x82@\x83@@", "IBM1047", records="fb:3") == "ab\nc\n"
    assert charpipe.decode(b"a\xffb", errors="replace") == "a\ufffdb"
    assert charpipe.decode("Grüße".encode("cp1252"), fallback=["UTF-8", "windows-1252"]) == "Grüße"
    with pytest.raises(UnicodeDecodeError) as caught:
        charpipe.decode(b"ab\xff")
    assert (caught.value.start, caught.value.end, caught.value.object) == (2, 3, b"ab\xff")
    with pytest.raises(ValueError, match="surrogateescape"):
        charpipe.decode(b"ab\xff", errors="surrogateescape")


def test_detect(data, tmp_path):
    verdict = charpipe.detect(data / "hello-ibm1047.xml")
    assert (verdict.encoding, verdict.rule, verdict.kind) == ("IBM1047", "rfc7303:declaration", "xml")
    assert str(verdict) == "IBM1047" and "declares IBM1047" in verdict.explain()
    assert verdict["codec"] == "IBM1047" and verdict.to_dict()["family"] == "ebcdic"
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    assert charpipe.detect(b"\x00\x01\xff").encoding is None
    assert charpipe.detect(b"\x00\x01\xff").error["code"] == "unknown-encoding"
    assert charpipe.detect(io.BytesIO(b"<a/>"), content_type="text/xml; charset=ISO-8859-1").source == "charset"
    with pytest.raises(FileNotFoundError):
        charpipe.detect(tmp_path / "none")


def test_detect_whole():
    data = b"a" * 70_000 + b"\xe9"
    assert charpipe.detect(data).encoding == "UTF-8"
    assert charpipe.detect(data, whole=True).error["offset"] == 70_000


def test_the_shape_of_records_is_found(tmp_path):
    data = b"\x00\x0a\x00\x00\xc1\xc2\xc3\x40\xf1\xf2" * 50
    path, text = tmp_path / "in", "ABC 12\n" * 50
    path.write_bytes(data)
    assert charpipe.decode(data, "IBM037", records="auto") == text
    assert charpipe.decode(bytearray(data), "IBM037", records="AUTO") == text
    for source in (data, path, str(path), io.BytesIO(data), open(path, "rb", buffering=0)):
        out = io.BytesIO()
        assert charpipe.transcode(source, out, from_="IBM037", records="auto").records == 50
        assert out.getvalue().decode() == text
    for source in (data, path, io.BytesIO(data)):
        assert list(charpipe.records(source, "auto")) == [data[4:10]] * 50
    for source in (path, io.BytesIO(data)):
        with charpipe.open(source, encoding="IBM037", records="auto") as file:
            assert file.read() == text
    with pytest.raises(ValueError, match='records="auto"'):
        charpipe.decode(b"no records", "IBM037", records="auto")


def test_files_that_are_replaced(tmp_path):
    target, link = tmp_path / "out", tmp_path / "link"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    charpipe.transcode(b"after", link)
    assert target.read_text() == "after" and link.is_symlink() and target.stat().st_mode & 0o777 == 0o640
    charpipe.transcode(b"x", os.devnull)
    assert not os.path.isfile(os.devnull)
    with pytest.raises(FileNotFoundError, match="none"):
        charpipe.transcode(b"x", tmp_path / "none" / "out")


class Reluctant(io.RawIOBase):
    """Takes three bytes at a time."""

    def __init__(self):
        self.taken = b""

    def writable(self):
        return True

    def write(self, data):
        self.taken += bytes(data[:3])
        return min(3, len(data))


def test_raw_files_that_write_less():
    out = Reluctant()
    charpipe.transcode(b"Hello, world", out)
    assert out.taken == b"Hello, world"


def test_transcode(tmp_path):
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes("Grüße\n".encode("cp037"))
    report = charpipe.transcode(source, target, from_="IBM037", to="ISO-8859-1")
    assert target.read_bytes() == "Grüße\n".encode("latin-1")
    assert (report.source, report.to, report.bytes_in, report["from"]) == ("IBM037", "ISO-8859-1", 6, "IBM037")
    report = charpipe.transcode(target, target, from_="ISO-8859-1", to="IBM1047", ebcdic_nl="zos")
    assert target.read_bytes()[-1] == 0x15
    out = io.BytesIO()
    assert charpipe.transcode(b"a\xffb", out, malformed="replace").malformed["count"] == 1
    assert out.getvalue() == "a\ufffdb".encode()


def test_transcode_leaves_the_target_as_it_was(tmp_path):
    target = tmp_path / "out"
    target.write_text("before")
    with pytest.raises(charpipe.Error) as caught:
        charpipe.transcode(b"good\xff", target)
    assert (caught.value.code, caught.value.offset) == ("malformed", 4)
    assert target.read_text() == "before" and os.listdir(tmp_path) == ["out"]


def test_errors_name_the_line_and_the_column(tmp_path):
    data = "naïve\r\n12".encode() + b"\xff"
    (tmp_path / "in").write_bytes(data)

    def place(input):
        with pytest.raises(charpipe.Error) as caught:
            charpipe.transcode(input, io.BytesIO(), from_="UTF-8")
        assert str(caught.value).startswith("line 2, column 3 (byte 10): FF is not valid UTF-8")
        return caught.value.line, caught.value.column, caught.value.offset, caught.value.record

    for input in (data, tmp_path / "in", io.BytesIO(data)):
        assert place(input) == (2, 3, 10, None)
    with pytest.raises(UnicodeDecodeError, match="byte 10: FF is not valid UTF-8"):
        charpipe.decode(data, from_="UTF-8")


def test_errors_name_the_record():
    with pytest.raises(charpipe.Error) as caught:
        charpipe.transcode(b"\xc1\xc1\xc1\xc1\x70\xc1", io.BytesIO(), from_="IBM424", records="fb:3")
    assert (caught.value.record, caught.value.column, caught.value.offset) == (2, 2, 4)


@pytest.mark.parametrize("options", [{"malformd": "x"}, {"eol": "unix"}, {"records": "fb:0"}, {"to": "nonsense"}])
def test_bad_options(options, tmp_path):
    with pytest.raises(charpipe.Error):
        charpipe.transcode(b"", tmp_path / "out", **options)
    assert os.listdir(tmp_path) == []


def test_options_are_those_of_the_library():
    assert charpipe.transcode.options["bom"] == ("word", ["auto", "keep", "add", "strip"])
    assert {"from", "to", "malformed", "records", "columns", "jobs"} <= set(charpipe.transcode.options)


def test_open(tmp_path):
    path = tmp_path / "file"
    with charpipe.open(path, "w", "IBM939") as file:
        file.write("日本")
    assert path.read_bytes() == b"\x0eEbEf\x0f" or path.read_bytes().endswith(b"\x0f"), "the shift is closed"
    with charpipe.open(path, encoding="IBM939") as file:
        assert file.read(1) == "日"
        place = file.tell()
        assert file.read() == "本"
        file.seek(place)
        assert file.read() == "本"
    with charpipe.open(path, "w", "IBM1047", records="fb:5") as file:
        file.write("ab\ncd\n")
    assert path.read_bytes() == b"\x81\x82@@@\x83\x84@@@"
    with charpipe.open(path, encoding="IBM1047", records="fb:5") as file:
        assert list(file) == ["ab\n", "cd\n"]
        assert file.report.records == 2 and file.verdict.codec == "IBM1047"
    with charpipe.open(path, "w", "IBM1047", records="fb:2") as file, pytest.raises(charpipe.Error):
        file.write("too long\n")
        file.close()
    with pytest.raises(ValueError):
        charpipe.open(path, "rb")


def test_open_detects(data):
    with charpipe.open(data / "latin1.xml") as file:
        assert "Málaga" in file.read()
        assert file.verdict.encoding == "ISO-8859-1"


def test_open_delivers_what_is_good(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"good\n" + b"x" * 300_000 + b"\nbad\xff")
    with charpipe.open(path, "r", "UTF-8", eol="keep") as file:
        assert file.readline() == "good\n"
        assert file.readline() == "x" * 300_000 + "\n"
        with pytest.raises(charpipe.Error) as caught:
            file.readline()
    assert caught.value.offset == 300_009


def test_records(tmp_path):
    data = b"\x00\x06\x00\x00\xc1\xc2\x00\x04\x00\x00"
    assert list(charpipe.records(data, "rdw")) == [b"\xc1\xc2", b""]
    path = tmp_path / "file"
    path.write_bytes(data)
    records = charpipe.records(path, "rdw")
    assert next(records) == b"\xc1\xc2" and (records.number, records.offset) == (1, 0)
    assert next(records) == b"" and (records.number, records.offset) == (2, 6)
    assert list(records) == []
    assert list(charpipe.records(io.BytesIO(data), "rdw")) == [b"\xc1\xc2", b""]
    with pytest.raises(charpipe.Error) as caught:
        list(charpipe.records(data[:-1], "rdw"))
    assert caught.value.offset is not None
    with pytest.raises(ValueError):
        charpipe.records(data, "fb:x")


def test_an_error_of_a_file_comes_back_as_it_was():
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        charpipe.transcode(Broken(), io.BytesIO())
    with pytest.raises(KeyError, match="mine"):
        list(charpipe.records(Broken(), "rdw"))


def test_load_table(data):
    # In a process of its own, because the table stays.
    code = f"""
import charpipe
assert charpipe.load_table({str(data / "x-site.txt")!r}) == "X-SITE"
assert "X-SITE" in charpipe.names("site")
assert charpipe.lookup("site").name == "X-SITE"
assert b"\\x81".decode("site")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(OSError):
        charpipe.load_table("/no/such/file")


def test_a_label_that_a_loaded_table_takes_names_its_codec_from_then_on(data, tmp_path):
    table = (data / "x-site.txt").read_text("utf-8").replace("alias       site", "alias       cp500")
    (tmp_path / "mine.txt").write_text(table, "utf-8")
    code = f"""
import charpipe
byte = b"\\x9f"
assert charpipe.decode(byte, "cp500") == "¤" and charpipe.lookup("cp500").name == "IBM500"
charpipe.load_table({str(tmp_path / "mine.txt")!r})
assert charpipe.decode(byte, "cp500") == "€" and charpipe.lookup("cp500").name == "X-SITE"
for label in range(1000):
    charpipe.lookup(" " * label + "cp500")
assert charpipe.decode(byte, "cp500") == "€"
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_and_charts():
    assert charpipe.names("1047") == ["IBM1047"] and len(charpipe.names()) > 240
    assert charpipe.chart("IBM037")[0xC1] == "A" and charpipe.chart("IBM939")[0x0E] is None
    chart = charpipe.chart("IBM037", "IBM500")
    assert chart.differences[0x4A] == ("¢", "[")
    assert "IBM037 and IBM500" in str(chart) and 'title="4A: U+00A2; IBM500: ["' in chart._repr_html_()


def test_ctrl_c():
    if sys.platform == "win32":
        pytest.skip("signals of POSIX")
    code = """
import io, os, signal, sys, charpipe

class Endless(io.RawIOBase):
    count = 0
    def read(self, size=-1):
        self.count += 1
        if self.count == 9:
            os.kill(os.getpid(), signal.SIGINT)
        if self.count > 500:
            sys.exit("still running")
        return b"a" * size

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    charpipe.transcode(Endless(), open(os.devnull, "wb"))
except KeyboardInterrupt:
    print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "stopped\n", done.stderr


def test_what_is_binary_is_refused(tmp_path):
    """Whatever is allowed to be replaced, and a file that was to be converted stays as it was."""
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256))
    path = tmp_path / "picture.png"
    path.write_bytes(picture)
    for options in [{}, {"malformed": "replace"}, {"fallback": "UTF-8,windows-1252"}, {"guess": True}]:
        with pytest.raises(charpipe.Error) as error:
            charpipe.transcode(path, path, **options)
        assert error.value.code == "unknown-encoding"
        assert path.read_bytes() == picture


def test_a_label_that_lies_is_reported():
    document = "<?xml version='1.0' encoding='ISO-8859-1'?><a>café</a>".encode()
    report = charpipe.transcode(document, io.BytesIO())
    found = [(note["code"], note["severity"]) for note in report.verdict.diagnostics]
    assert found == [("looks-like-utf8", "warning")]
    with pytest.raises(charpipe.Error):
        charpipe.transcode(document, io.BytesIO(), strict=True)


def test_it_agrees_with_the_command(data):
    """Reports have the keys that the documentation of the command lists."""
    report = charpipe.transcode((data / "latin1.xml").read_bytes(), io.BytesIO())
    assert json.dumps(report.to_dict())
    assert report.relabelled == {"from": "ISO-8859-1", "to": "UTF-8"} and report.verdict.encoding == "ISO-8859-1"


def test_a_peer_that_waits_for_the_answer():
    ours, theirs = os.pipe()
    back, answers = os.pipe()
    with open(ours, "rb") as source, open(answers, "wb") as sink, open(back, "rb", buffering=0) as answer:
        run = threading.Thread(target=charpipe.transcode, args=(source, sink), kwargs={"from_": "windows-1252"})
        run.start()
        for sent, expected in [(b"o", "o"), (b"k\xe9\n", "ké\n"), (b"yes\n", "yes\n")]:
            os.write(theirs, sent)
            arrived = b""
            while len(arrived) < len(expected.encode()):
                arrived += answer.read(100)
            assert arrived == expected.encode()
        os.close(theirs)
        run.join()


def test_urls(tmp_path):
    """Every function that reads a file takes an address that fsspec can open."""
    fsspec = pytest.importorskip("fsspec")
    xml = "<?xml version='1.0' encoding='IBM1047'?><a>é</a>\n".encode("charpipe-ibm1047")
    with fsspec.open("memory://urls/in.xml", "wb") as file:
        file.write(xml)
    out = io.BytesIO()
    report = charpipe.transcode("memory://urls/in.xml", out)
    assert out.getvalue().decode() == "<?xml version='1.0' encoding='UTF-8'?><a>é</a>\n" and report.bytes_in == len(xml)
    assert charpipe.detect("memory://urls/in.xml", whole=True).encoding == "IBM1047"
    assert [bytes(record) for record in charpipe.records("memory://urls/in.xml", f"fb:{len(xml)}")] == [xml]
    with charpipe.open("memory://urls/in.xml", encoding="IBM1047") as file:
        assert file.read().endswith("<a>é</a>\n") and file.seek(0) == 0 and file.readline().startswith("<?xml")
    with charpipe.open("memory://urls/in.xml") as file:
        assert file.read().endswith("<a>é</a>\n") and file.verdict.encoding == "IBM1047"
    (tmp_path / "in.xml").write_bytes(xml)
    for read in (lambda url: charpipe.open(url).read(), charpipe.detect):
        assert read((tmp_path / "in.xml").as_uri())
        with pytest.raises(FileNotFoundError):
            read("memory://urls/none")


def test_a_url_whose_file_ends_early():
    """fsspec returns nothing for a range that a store does not have. That is not the end of the file."""
    fsspec = pytest.importorskip("fsspec")

    class File(fsspec.spec.AbstractBufferedFile):
        def _fetch_range(self, start, end):
            return b"\xc1" * max(0, min(end, 600_000) - start)

    class Store(fsspec.AbstractFileSystem):
        protocol = "short"

        def info(self, path, **options):
            return {"name": path, "size": 1_000_000, "type": "file"}

        def _open(self, path, mode="rb", **options):
            return File(self, path, mode, block_size=1 << 16, cache_type="readahead")

    fsspec.register_implementation("short", Store, clobber=True)
    ended = "short://a.dat: the file ended after 600000 of 1000000 bytes"
    for read in (
        lambda url: charpipe.open(url, encoding="IBM037").read(),
        lambda url: charpipe.open(url, encoding="IBM037", records="fb:10").read(),
        lambda url: charpipe.transcode(url, io.BytesIO(), from_="IBM037"),
        lambda url: list(charpipe.records(url, "fb:10")),
        lambda url: list(charpipe.read(url, layout=b"A 1 10 text\n")),
        lambda url: list(charpipe.read(url, layout=b"A 1 10 text\n", progress=True)),
    ):
        with pytest.raises(OSError, match=ended):
            read("short://a.dat")
