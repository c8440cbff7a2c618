"""Files in an object store, through fsspec and through pipes, also if the store fails.

moto is the store. A server in front of it counts what is fetched, and does what networks do.
"""

import http.client
import http.server
import io
import os
import subprocess
import threading

import charpipe
import fsspec
import pytest
from moto.server import ThreadedMotoServer


class Front(http.server.ThreadingHTTPServer):
    """Passes requests on to the store. `fault` changes the answers to those for the contents of an object."""

    daemon_threads = True

    def __init__(self, store):
        super().__init__(("127.0.0.1", 0), Handler)
        self.store, self.fault, self.fetched = store, None, []
        self.url = "http://%s:%d" % self.server_address

    def fails(self, count, fault):
        """Makes the next `count` answers fail, and no others."""
        left = iter(range(count))
        self.fault = lambda: fault if next(left, None) is not None else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        connection = http.client.HTTPConnection(*self.server.store)
        headers = {name: value for name, value in self.headers.items() if name.lower() != "transfer-encoding"}
        connection.request(self.command, self.path, body, headers | {"Content-Length": str(len(body))})
        answer = connection.getresponse()
        data, status = answer.read(), answer.status
        is_content = self.command == "GET" and status in (200, 206) and self.path.split("?")[0].count("/") > 1
        fault = self.server.fault() if is_content and self.server.fault else None
        if fault == "busy":
            status, data = 503, b"<Error><Code>SlowDown</Code><Message>slow down</Message></Error>"
        elif fault == "nothing":
            data = b""
        elif fault == "beyond":
            status, data = 416, b"<Error><Code>InvalidRange</Code><Message>none</Message></Error>"
        if is_content:
            self.server.fetched.append(len(data))
        self.send_response(status)
        for name, value in answer.getheaders():
            if name.lower() not in ("content-length", "connection", "transfer-encoding", "server", "date"):
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(data))
        if fault == "ends without length":
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", length)
        self.end_headers()
        if fault in ("ends", "ends without length"):
            data, self.close_connection = data[: len(data) // 2], True
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer


@pytest.fixture(scope="module")
def front():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    front = Front(server.get_host_and_port())
    threading.Thread(target=front.serve_forever, daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("AWS_") or name.lower().endswith("_proxy"):
                patch.delenv(name)
        patch.setenv("AWS_ACCESS_KEY_ID", "any")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "any")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_CONFIG_FILE", "/dev/null")
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
        patch.setenv("AWS_ENDPOINT_URL", front.url)
        # Otherwise a store that fails each time takes minutes.
        patch.setenv("AWS_MAX_ATTEMPTS", "3")
        patch.setitem(fsspec.config.conf, "s3", {"default_block_size": 1 << 16})
        fsspec.filesystem("s3").mkdir("data")
        yield front
    front.shutdown()
    server.stop()


@pytest.fixture(autouse=True)
def store(front):
    front.fault, front.fetched = None, []
    files = fsspec.filesystem("s3")
    files.invalidate_cache()
    return files


def rows_of(batches, file):
    import pyarrow

    table = pyarrow.Table.from_batches([pyarrow.record_batch(batch) for batch in batches])
    return list(zip(*(table[name].to_pylist() for name in file.columns)))


# --- Through fsspec ---------------------------------------------------------------------------------------------------


def test_records(store, records, shape):
    file = records(shape, 20_000)
    store.pipe({"data/a.dat": file.data, "data/a.cpy": file.layout.encode(), "data/b.dat": file.data})
    read = file.read_with() | {"layout": "s3://data/a.cpy"}
    assert rows_of(charpipe.read("s3://data/a.dat", **read), file) == file.rows
    assert rows_of(charpipe.read("s3://data/*.dat", **read), file) == file.rows * 2
    assert rows_of(charpipe.read(["s3://data/b.dat", "s3://data/a.dat"], **read), file) == file.rows * 2


def test_parts(front, store, records, shape, sizes):
    file = records(shape, 20_000)
    store.pipe("data/a.dat", file.data)
    for size in sizes(len(file.data), 8):
        parts, rows = charpipe.splits("s3://data/a.dat", shape if shape != "fb" else file.shape, size), []
        for part in parts:
            front.fetched.clear()
            rows += rows_of(charpipe.read("s3://data/a.dat", split=part, **file.read_with()), file)
            # A part is fetched without the rest of the file, but for one piece of 256 KiB and what fsspec reads ahead.
            assert sum(front.fetched) <= part.end - part.begin + (5 << 16), (part, front.fetched)
        assert rows == file.rows, size


def test_where_to_cut_is_found_without_reading_everything(front, store, records):
    data = records("rdw", 50_000).data * 10
    store.pipe("data/a.dat", data)
    assert len(charpipe.splits("s3://data/a.dat", "rdw", len(data) // 2)) == 2
    assert sum(front.fetched) < len(data) // 8


@pytest.mark.parametrize("fault", ["busy", "ends"])
def test_a_store_that_fails_twice(front, store, records, shape, fault):
    file = records(shape, 20_000)
    store.pipe("data/a.dat", file.data)
    front.fails(2, fault)
    assert rows_of(charpipe.read("s3://data/a.dat", **file.read_with()), file) == file.rows
    assert front.fault() is None


@pytest.mark.parametrize("fault", ["busy", "ends", "nothing", "beyond"])
def test_a_store_that_fails_in_the_middle(front, store, records, fault):
    """An error, and never fewer rows without one; also between two records."""
    file = records("fb", 1 << 15)
    store.pipe("data/a.dat", file.data)
    count = iter(range(100))
    front.fault = lambda: fault if next(count) >= 1 else None
    batches = []
    with pytest.raises(Exception) as caught:
        for batch in charpipe.read("s3://data/a.dat", batch_rows=1000, **file.read_with()):
            batches.append(batch)
    assert 0 < sum(len(batch) for batch in batches) < 1 << 15
    if fault == "nothing":
        assert "s3://data/a.dat: the file ended after" in str(caught.value)
    for read in (
        lambda: charpipe.open("s3://data/a.dat", encoding="IBM037").read(),
        lambda: charpipe.open("s3://data/a.dat", encoding="IBM037", ebcdic_nl="zos").read(),
        lambda: charpipe.transcode("s3://data/a.dat", io.BytesIO(), from_="IBM037"),
        lambda: list(charpipe.records("s3://data/a.dat", "fb:18")),
    ):
        count = iter(range(100))
        with pytest.raises(Exception) as caught:
            read()
        assert not isinstance(caught.value, (AssertionError, TypeError)), caught.value


def test_an_object_that_is_replaced_while_it_is_read(store, records):
    file = records("fb", 1 << 15)
    store.pipe("data/a.dat", file.data)
    rows = charpipe.read("s3://data/a.dat", batch_rows=1000, **file.read_with())
    next(rows)
    store.pipe("data/a.dat", file.data[: 18 * 5000])
    with pytest.raises(Exception, match="a.dat") as caught:
        list(rows)
    assert isinstance(caught.value, (OSError, fsspec.exceptions.FSTimeoutError)) or "Expired" in type(caught.value).__name__


def test_a_file_of_a_web_server_that_becomes_shorter(front, store, records):
    """Here no version of the object is compared, and the server answers that there is nothing more."""
    file = records("fb", 1 << 15)
    store.pipe("data/a.dat", file.data)
    url = store.url("data/a.dat")
    options = file.read_with()
    count = iter(range(100))
    front.fault = lambda: "beyond" if next(count) >= 1 else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(fsspec.config.conf, "http", {"block_size": 1 << 16})
        with pytest.raises(OSError, match=r"a.dat.*: the file ended after \d+ of 589824 bytes"):
            list(charpipe.read(url, batch_rows=1000, **options))


def test_text(store):
    text = "[a] line\n日本語 abc\n" * 20_000
    store.pipe("data/a.txt", text.encode("charpipe-ibm939"))
    with charpipe.open("s3://data/a.txt", encoding="IBM939") as file:
        assert file.readline() == "[a] line\n" and file.tell() and file.read() == text[9:]
        file.seek(0)
        assert file.read() == text
    with charpipe.open("s3://data/a.txt", encoding="IBM939", malformed="fail") as file:
        assert file.read() == text and file.report.bytes_in == store.size("data/a.txt")
    store.pipe("data/b.xml", "<?xml version='1.0' encoding='IBM1047'?><a>é</a>".encode("charpipe-ibm1047"))
    assert charpipe.detect("s3://data/b.xml").encoding == "IBM1047"
    out = io.BytesIO()
    charpipe.transcode("s3://data/b.xml", out)
    assert out.getvalue().decode() == "<?xml version='1.0' encoding='UTF-8'?><a>é</a>"
    store.pipe("data/c.fb", "one  two  three".encode("cp037"))
    assert list(charpipe.records("s3://data/c.fb", "fb:5")) == [word.ljust(5).encode("cp037") for word in ("one", "two", "three")]
    with charpipe.open("s3://data/c.fb", encoding="IBM037", records="fb:5") as lines:
        assert lines.read() == "one\ntwo\nthree\n"
    with pytest.raises(FileNotFoundError):
        charpipe.open("s3://data/none", encoding="IBM037")


def test_nothing_is_stored_of_a_failed_conversion(store):
    store.pipe("data/in.txt", b"good \xc3\xa9\n" * 200_000 + b"\xff")
    with pytest.raises(charpipe.Error), store.transaction, store.open("data/out.txt", "wb", block_size=5 << 20) as target:
        charpipe.transcode("s3://data/in.txt", target, from_="UTF-8", to="IBM1047")
    store.invalidate_cache()
    assert not store.exists("data/out.txt")
    with store.transaction, store.open("data/out.txt", "wb", block_size=5 << 20) as target:
        charpipe.transcode("s3://data/in.txt", target, from_="UTF-8", to="IBM1047", malformed="drop")
    assert store.cat("data/out.txt") == ("good é\n" * 200_000).encode("charpipe-ibm1047")


# --- Through pipes ----------------------------------------------------------------------------------------------------


def bash(script, folder):
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def aws(url):
    return f"aws --cli-read-timeout 10 s3 cp --no-progress s3://{url} -"


@pytest.fixture(params=["curl", "aws"])
def fetch(request, store):
    """A command that writes an object to a pipe."""
    return {"curl": f"curl -fsS '{store.url('data/a.txt')}'", "aws": aws("data/a.txt")}[request.param]


TEXT = "line [of] text\n" * 10_000


def test_a_whole_file(store, fetch, tmp_path):
    store.pipe("data/a.txt", TEXT.encode("charpipe-ibm1047"))
    assert bash(f"set -o pipefail; {fetch} | charpipe -f IBM1047 -o out.txt", tmp_path) == (0, "")
    assert (tmp_path / "out.txt").read_text() == TEXT


def test_a_broken_transfer(front, store, fetch, tmp_path):
    """charpipe cannot know, and pipefail tells. What the page advises leaves the old file."""
    store.pipe("data/a.txt", TEXT.encode("charpipe-ibm1047"))
    front.fault = lambda: "ends"
    (tmp_path / "out.txt").write_text("old")
    status, _ = bash(f"{fetch} | charpipe -f IBM1047 -o half.txt", tmp_path)
    assert status == 0 and (tmp_path / "half.txt").read_text() != TEXT
    status, words = bash(f"set -o pipefail; {fetch} | charpipe -f IBM1047 -o new.txt && mv new.txt out.txt", tmp_path)
    assert status not in (0, 3) and words, (status, words)
    assert (tmp_path / "out.txt").read_text() == "old"


def test_a_broken_transfer_of_records(front, store, fetch, tmp_path):
    """If the transfer ends within a record, charpipe knows, and keeps the old file."""
    front.fault = lambda: "ends"
    layout = tmp_path / "layout.fields"
    layout.write_text("NAME 1 3 text\nREST 4 78 text\n")
    for records in ("fb:81", "rdw", "vb"):
        data = charpipe.encode("".join(f"{number:04}{'x' * 77}" for number in range(1001)), "IBM037")
        if records != "fb:81":
            data = b"".join(b"\0\x55\0\0" + data[at : at + 81] for at in range(0, len(data), 81))
        if records == "vb":
            data = (len(data) + 4).to_bytes(2, "big") + b"\0\0" + data if len(data) < 32000 else b"".join(
                b"\0\x59\0\0" + data[at : at + 85] for at in range(0, len(data), 85)
            )
        store.pipe("data/a.txt", data)
        for command in ("-f IBM037 --records", f"rows -q -f IBM037 --layout {layout} --records"):
            out = tmp_path / "out.txt"
            out.write_text("old")
            status, words = bash(f"{fetch} | charpipe {command} {records} -o out.txt", tmp_path)
            assert status == 1 and "record" in words, (records, command, status, words)
            assert out.read_text() == "old" and sorted(path.name for path in tmp_path.iterdir()) == ["layout.fields", "out.txt"]


def test_a_server_that_declares_no_length(front, store, tmp_path):
    """Then curl cannot know either."""
    store.pipe("data/a.txt", TEXT.encode("charpipe-ibm1047"))
    front.fault = lambda: "ends without length"
    status, words = bash(f"set -o pipefail; curl -fsS '{store.url('data/a.txt')}' | charpipe -f IBM1047 -o out.txt", tmp_path)
    assert (status, words) == (0, "") and (tmp_path / "out.txt").read_text() != TEXT


def test_aws_begins_again(front, store, tmp_path):
    """After a transfer that broke once, aws writes the beginning twice into a pipe, and exits with 0. A file is right."""
    store.pipe("data/a.txt", TEXT.encode("charpipe-ibm1047"))
    front.fails(1, "ends")
    assert bash(f"set -o pipefail; {aws('data/a.txt')} | charpipe -f IBM1047 -o out.txt", tmp_path) == (0, "")
    assert (tmp_path / "out.txt").read_text() == TEXT[: len(TEXT) // 2] + TEXT
    for count in (1, 2, 3):
        front.fails(count, "ends")
        script = "set -e; aws s3 cp --no-progress s3://data/a.txt in.txt > log; charpipe -f IBM1047 -o out.txt in.txt"
        assert bash(script, tmp_path) == (0, "")
        assert (tmp_path / "out.txt").read_text() == TEXT
    front.fault = lambda: "ends"
    (tmp_path / "in.txt").unlink()
    (tmp_path / "out.txt").write_text("old")
    status, _ = bash(script, tmp_path)
    assert status not in (0, 3) and (tmp_path / "out.txt").read_text() == "old"


def test_a_raw_response(front, store, tmp_path):
    """charpipe itself compares the length that the head declares."""
    store.pipe("data/a.txt", TEXT.encode("charpipe-ibm1047"))
    (tmp_path / "out.txt").write_text("old")
    fetch = f"curl -fsSi '{store.url('data/a.txt')}' | charpipe --as http -f IBM1047 -o out.txt"
    front.fault = lambda: "ends"
    status, words = bash(fetch, tmp_path)
    assert status == 3 and "the body of the response ends after 75000 of 150000 bytes" in words, words
    assert (tmp_path / "out.txt").read_text() == "old"
    front.fault = None
    assert bash(fetch, tmp_path) == (0, "") and (tmp_path / "out.txt").read_text() == TEXT


def test_an_upload_of_a_failed_conversion(store, tmp_path):
    """aws stores what it got, so a conversion that may fail needs a file between."""
    (tmp_path / "in.txt").write_bytes(b"good\n" * 100_000 + b"\xff")
    up = "aws s3 cp --no-progress"
    status, _ = bash(f"set -o pipefail; charpipe -f UTF-8 in.txt | {up} - s3://data/up.txt", tmp_path)
    assert status == 1 and store.size("data/up.txt") == 500_000
    store.rm("data/up.txt")
    status, _ = bash(f"charpipe -f UTF-8 in.txt -o out.txt && {up} out.txt s3://data/up.txt", tmp_path)
    store.invalidate_cache()
    assert status == 1 and not store.exists("data/up.txt")
