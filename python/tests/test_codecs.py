"""The encodings as codecs of Python."""

import codecs
import io
import signal
import threading
import time

import charpipe
import pytest
from conftest import wrapped

HANDLERS = ["strict", "ignore", "replace", "backslashreplace", "surrogateescape"]


def test_round_trip(encoding, text):
    data = text.encode(encoding)
    assert data.decode(encoding) == text
    assert codecs.lookup(encoding).encode(text) == (data, len(text))
    assert codecs.lookup(encoding).decode(memoryview(bytearray(data))) == (text, len(data))


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 511, 512, 513, 3000, 70_000])
def test_any_size(encoding, text, size):
    text = (text * (size // max(len(text), 1) + 1))[:size]
    data = text.encode(encoding)
    assert data.decode(encoding) == text
    decoder = codecs.getincrementaldecoder(encoding)()
    assert decoder.decode(data, True) == text


def test_every_cut_of_decoding(encoding, text):
    data = text.encode(encoding)
    for cut in range(len(data) + 1):
        decoder = codecs.getincrementaldecoder(encoding)()
        begun = decoder.decode(data[:cut])
        state = decoder.getstate()
        assert begun + decoder.decode(data[cut:], True) == text
        other = codecs.getincrementaldecoder(encoding)()
        other.setstate(state)
        assert other.getstate() == state
        assert begun + other.decode(data[cut:], True) == text


def test_every_cut_of_encoding(encoding, text):
    data = text.encode(encoding)
    for cut in range(len(text) + 1):
        encoder = codecs.getincrementalencoder(encoding)()
        begun = encoder.encode(text[:cut])
        state = encoder.getstate()
        assert begun + encoder.encode(text[cut:], True) == data
        other = codecs.getincrementalencoder(encoding)()
        other.setstate(state)
        assert begun + other.encode(text[cut:], True) == data


@pytest.mark.parametrize("handler", HANDLERS)
def test_a_cut_changes_no_fault(encoding, text, handler):
    data = text.encode(encoding)[:40] + b"\xff\x0e\x41\xff\xff\x0f\xfd" + text.encode(encoding)[:9]

    def whole(pieces):
        decoder = codecs.getincrementaldecoder(encoding)(handler)
        out = [decoder.decode(piece) for piece in pieces]
        return "".join([*out, decoder.decode(b"", True)])

    def outcome(run):
        try:
            return run()
        except UnicodeDecodeError as error:
            return error.reason, error.object[error.start : error.end]

    expected = outcome(lambda: whole([data]))
    assert outcome(lambda: data.decode(encoding, handler)) == expected
    for cut in range(len(data) + 1):
        assert outcome(lambda: whole([data[:cut], data[cut:]])) == expected
    assert outcome(lambda: whole([bytes([byte]) for byte in data])) == expected


def test_surrogateescape_keeps_every_byte():
    for encoding in ("charpipe-IBM424", "charpipe-windows-1252", "charpipe-windows-1257", "charpipe-EUC-JP"):
        data = bytes(range(0x80, 0x100)) + b"abc"
        text = data.decode(encoding, "surrogateescape")
        kept = text.encode(encoding, "surrogateescape")
        assert kept.decode(encoding, "surrogateescape") == text


def test_the_place_of_a_fault():
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\x0e\x45\x66\xff\xff\x0f\xc1".decode("IBM939")
    error = caught.value
    assert (error.encoding, error.start, error.end, error.object) == ("IBM939", 3, 4, b"\x0e\x45\x66\xff\xff\x0f\xc1")
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\x0e\x45".decode("IBM939")
    assert (caught.value.start, caught.value.end, caught.value.reason) == (1, 2, "incomplete multibyte sequence")
    with pytest.raises(UnicodeEncodeError) as caught:
        "ab😀😁c".encode("IBM1047")
    assert (caught.value.start, caught.value.end) == (2, 4)
    with pytest.raises(UnicodeEncodeError) as caught:
        ("日" * 9000 + "\ud800").encode("IBM939")
    assert (caught.value.start, caught.value.end) == (9000, 9001)


def test_handlers_of_ones_own():
    def skip(error):
        return ("<?>", error.end + 1) if isinstance(error, UnicodeDecodeError) else (b"\x6f", error.end)

    codecs.register_error("test.skip", skip)
    assert b"\x70\xc1\xc2".decode("charpipe-IBM424", "test.skip") == "<?>B"
    assert b"\x0e\x45\x66\xff\xff\x45\x66\x0f\xc1".decode("IBM939", "test.skip") == "本<?>本A"
    assert "a😀b".encode("IBM939", "test.skip") == b"\x81\x6f\x82"
    codecs.register_error("test.again", lambda error: ("!", -1))
    assert "a😀b".encode("IBM939", "test.again") == "a!b".encode("IBM939")
    codecs.register_error("test.out", lambda error: ("", 99))
    with pytest.raises(IndexError, match="position 99 from error handler out of bounds"):
        b"\xff".decode("charpipe-EUC-JP", "test.out")
    codecs.register_error("test.wrong", lambda error: 42)
    with pytest.raises(TypeError, match="must return"):
        b"\xff".decode("charpipe-EUC-JP", "test.wrong")
    codecs.register_error("test.other", lambda error: (setattr(error, "object", b"b") or "!", 0))
    assert b"a\xff".decode("charpipe-EUC-JP", "test.other") == "a!b"
    with pytest.raises(LookupError):
        b"\xff".decode("charpipe-EUC-JP", "no.such.handler")


def test_text_before_a_surrogate_is_not_lost():
    # The encoder holds æ back, because a combining mark may follow.
    encoding = "charpipe-EUC-JIS-2004"
    assert "æ\udcffb".encode(encoding, "surrogateescape") == "æ".encode(encoding) + b"\xffb"
    assert "æ\ud800b".encode(encoding, "ignore") == "æb".encode(encoding)


def test_many_faults_take_linear_time():
    def seconds(size):
        begin = time.process_time()
        assert (b"\xff" * size).decode("charpipe-EUC-JP", "replace") == "\ufffd" * size
        assert ("a😀" * (size // 2)).encode("charpipe-EUC-JP", "ignore") == b"a" * (size // 2)
        return time.process_time() - begin

    small = min(seconds(5_000) for _ in range(3))
    assert seconds(100_000) < 80 * small


def test_tell_and_seek(encoding, text):
    text *= 3
    data = text.encode(encoding)
    file = wrapped(data, encoding)
    places = []
    while char := file.read(1):
        places.append((file.tell(), char))
    assert "".join(char for _, char in places) == text
    for index in range(0, len(places), 7):
        place, _ = places[index]
        file.seek(place)
        assert file.read() == text[index + 1 :]


def test_lines_keep_their_place():
    text = "日本語 abc\n東京 def\n" * 50
    with wrapped(text.encode("IBM939"), "IBM939") as file:
        lines = []
        while True:
            place = file.tell()
            line = file.readline()
            if not line:
                break
            lines.append((place, line))
        assert [line for _, line in lines] == text.splitlines(True)
        for place, line in reversed(lines):
            file.seek(place)
            assert file.readline() == line


def test_stream_reader_and_writer(encoding, text):
    out = io.BytesIO()
    writer = codecs.getwriter(encoding)(out)
    for char in text:
        writer.write(char)
    writer.reset()
    assert out.getvalue() == text.encode(encoding)
    reader = codecs.getreader(encoding)(io.BytesIO(out.getvalue()))
    assert reader.read() == text
    lines = codecs.getreader(encoding)(io.BytesIO(out.getvalue())).readlines()
    assert "".join(lines) == text


def test_names():
    assert b"\xc8\x15\x89".decode("ibm-1047,nl=zos") == "H\ni"
    assert codecs.lookup("ibm_1047_nl_fold").name == "IBM1047"
    assert codecs.lookup("cp037").name == "cp037", "Python's own come first"
    assert codecs.lookup("charpipe-cp037").name == "IBM037"
    with pytest.raises(LookupError, match="did you mean IBM1047"):
        b"x".decode("ibm-1074")
    with pytest.raises(LookupError, match="unknown encoding: nonsense"):
        b"x".decode("nonsense")
    with pytest.raises(charpipe.UnknownEncoding) as caught:
        charpipe.lookup("ibm1074")
    assert caught.value.code == "unknown-label"


def test_a_name_of_another_package():
    info = codecs.lookup("latin-1")
    search = lambda name: info if name == "cp99999" else None
    codecs.register(search)
    try:
        assert codecs.lookup("cp99999") is info
    finally:
        codecs.unregister(search)


def test_unregister():
    charpipe.unregister()
    with pytest.raises(LookupError):
        codecs.lookup("ibm1047")
    charpipe.register()
    assert codecs.lookup("ibm1047").name == "IBM1047"


def test_states_that_are_none():
    decoder = codecs.getincrementaldecoder("IBM939")()
    for state in [(b"", 7), (b"abc", 0), (b"\xc1", 0)]:
        with pytest.raises(UnicodeDecodeError):
            decoder.setstate(state)
        assert decoder.getstate() == (b"", 0)
    with pytest.raises(AttributeError):
        del decoder.errors


def test_threads():
    text = "日本語 abc " * 20_000
    data, bad = text.encode("IBM939"), []

    def run():
        if data.decode("IBM939") != text or text.encode("IBM939") != data:
            bad.append(1)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not bad


def test_wrong_arguments():
    with pytest.raises(TypeError):
        charpipe.lookup("IBM037").decode("text")
    with pytest.raises(TypeError):
        charpipe.lookup("IBM037").encode(b"bytes")
    with pytest.raises(BufferError):
        charpipe.lookup("IBM037").decode(memoryview(b"abcdef")[::2])


@pytest.mark.parametrize("encoding", ["cp037", "cp500", "cp1140", "cp437", "koi8-r", "cp1252"])
def test_pages_are_those_of_python(encoding):
    """Texts of every length up to some blocks, with each byte and each character at every place of a block."""
    theirs, ours = codecs.lookup(encoding), codecs.lookup(f"charpipe-{encoding}")
    every = bytes(byte for byte in range(256) if theirs.decode(bytes([byte]), "ignore")[0])
    data = every * 40
    for length in [*range(600), 4095, 4096, 4097, len(data)]:
        part = data[len(data) - length :]
        text = theirs.decode(part)[0]
        assert ours.decode(part) == (text, length)
        assert ours.encode(text) == (part, length)


# --- Data that changes ------------------------------------------------------------------------------------------------

LARGE = 24 << 20


def letters(text):
    return set(text[:: 1 << 10] + text[-1])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
@pytest.mark.parametrize("encoding", ["IBM1390", "IBM037"])
def test_a_signal_handler_changes_the_data(encoding):
    """What is decoded is what was there when the call began, whenever the handler runs."""
    data = bytearray(LARGE)
    old = signal.signal(signal.SIGALRM, lambda *_: data.__setitem__(slice(None), b"\xc2" * LARGE))
    try:
        for delay in range(1, 9):
            data[:] = b"\xc1" * LARGE
            signal.setitimer(signal.ITIMER_REAL, delay / 500)
            text = charpipe.lookup(encoding).decode(data)[0]
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert letters(text) in ({"A"}, {"B"}), delay
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("encoding", ["IBM1390", "IBM037"])
def test_another_thread_changes_the_data(encoding):
    """A read-only view does not keep anybody from changing what it is a view of."""
    data = bytearray(b"\xc1" * LARGE)
    contents, over = (b"\xc1" * LARGE, b"\xc2" * LARGE), threading.Event()

    def change():
        while not over.is_set():
            for content in contents:
                data[:] = content

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for view in [data, memoryview(data), memoryview(data).toreadonly()] * 3:
            assert letters(charpipe.lookup(encoding).decode(view)[0]) in ({"A"}, {"B"})
            assert letters(charpipe.decode(view, encoding)) in ({"A"}, {"B"})
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("encoding", ["EUC-JP", "ASCII"])
def test_an_error_handler_changes_the_data(encoding):
    data = bytearray(b"\xffAAA")

    def handler(error):
        data[1:] = bytes(3)
        return "?", error.end

    codecs.register_error("charpipe-test-changes", handler)
    for view in data, memoryview(data).toreadonly():
        data[1:] = b"AAA"
        assert charpipe.lookup(encoding).decode(view, "charpipe-test-changes")[0] == "?AAA"
