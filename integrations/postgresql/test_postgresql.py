"""Records in a real PostgreSQL server: each value, what NULs and bad bytes do, and what an error leaves behind."""

import decimal
import io
import os
import pathlib
import random
import shlex
import struct
import subprocess
import tempfile
import time

import pytest
from server import server

LAYOUT = """\
KEY 1 6 zoned,unsigned
NAME 7 20 text
NOTE 27 12 text,varying
SUM 39 9 packed.2
BIG 48 16 packed.10
SMALL 64 2 binary.2
COUNT 66 8 binary,unsigned
RATE 74 4 float
RATIO 78 8 float,ieee
BORN 86 8 text
FLAGS 94 3 raw
"""
LENGTH = 96
# More than any number has.
decimal.getcontext().prec = 60
DATES = ["--dates", "BORN=YYYYMMDD"]


@pytest.fixture(scope="module")
def environment():
    with server() as found:
        yield found


@pytest.fixture
def folder(environment):
    """A folder that the server can read."""
    with tempfile.TemporaryDirectory(dir=pathlib.Path(environment["PGHOST"]).parent) as made:
        os.chmod(made, 0o755)
        yield pathlib.Path(made)
    sql(environment, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")


def sql(environment, *commands, variables=(), check=True):
    line = ["psql", "-XAtq", *variables]
    for command in commands:
        line += ["-c", command]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done.stdout if check else done


def rows(*arguments):
    return subprocess.run(["charpipe", "rows", *arguments], capture_output=True, text=True, check=True).stdout


def load(folder, *options, table="rows", copy="COPY", more=""):
    """Returns the command that loads the file `data` with the layout `layout`."""
    program = shlex.join(["charpipe", "rows", "-q", "--layout", f"{folder}/layout", *options, f"{folder}/data"])
    program = program.replace("'", "''")
    return f"{copy} {table} FROM PROGRAM '{program}' (FORMAT csv, HEADER, ENCODING 'UTF8'{more})"


def create(environment, folder, layout, data, *options):
    (folder / "layout").write_text(layout)
    (folder / "data").write_bytes(data)
    sql(environment, rows("--layout", f"{folder}/layout", *options, "--schema", "postgresql"))


def content(environment, query):
    """Returns the rows of a query, with NULL as None."""
    shown = sql(environment, f"COPY ({query}) TO STDOUT (FORMAT csv, NULL '<null>', FORCE_QUOTE *)")
    table = []
    for line in shown.splitlines():
        cells = line.replace("<null>", '"<null>"')[1:-1].split('","')
        table.append([None if cell == "<null>" else cell for cell in cells])
    return table


# --- A million records ------------------------------------------------------------------------------------------------


def packed(digits, sign, length):
    return bytes.fromhex(f"{digits:0{2 * length - 1}d}{sign}")


def make(count):
    """Yields records with random bytes in every field that can have any."""
    draw = random.Random(37)
    for number in range(count):
        name = draw.randbytes(20) if number % 4 == 0 else draw.choice(NAMES)
        length = draw.randrange(11)
        note = struct.pack(">H", length) + draw.randbytes(10)
        scale = draw.choice((1, 10**4, 10**9, 10**15))
        born = (
            b"\x40" * 8
            if number % 10 == 0
            else f"{draw.randrange(1000, 9999)}{draw.randrange(1, 13):02}{draw.randrange(1, 29):02}".encode("cp037")
        )
        ratio = struct.unpack(">d", draw.randbytes(8))[0] if number % 3 == 0 else draw.uniform(-1e6, 1e6)
        yield b"".join(
            (
                f"{number:06}".encode("cp037"),
                name,
                note,
                packed(draw.randrange(100 * scale), draw.choice("CDF"), 9),
                packed(draw.randrange(10**31), draw.choice("CDAB"), 16),
                draw.randbytes(2),
                draw.randbytes(8),
                draw.randbytes(4),
                struct.pack(">d", ratio),
                born,
                draw.randbytes(3),
            )
        )


NAMES = [
    name.ljust(20).encode("cp037")
    for name in (
        "José Müller",
        'O"Brien, "Zoë"',
        "",
        "\\.",
        "\\N",
        "NULL",
        "a,b",
        "x\ny",
        "tab\there",
        "Ångström £¢¬",
        "'; --",
    )
]

# What `--controls xml` replaces.
FORBIDDEN = {code: " " for code in range(32) if chr(code) not in "\t\n\r"}


def text(code):
    return code.decode("cp037").translate(FORBIDDEN)


def number(code, places):
    digits = code.hex()
    assert digits[:-1].isdigit()
    value = decimal.Decimal(int(digits[:-1])).scaleb(-places)
    return -value if digits[-1] in "db" else value


class Single(float):
    """A number of 24 bits. Its text has the digits that single precision needs, if that has its exponent."""

    def same(self, text):
        found = float(text)
        if 2.0**-126 <= abs(self) < 2.0**128:
            found = struct.unpack("f", struct.pack("f", found))[0]
        return found == self


def hexadecimal_float(code):
    sign, exponent, fraction = code[0] >> 7, code[0] & 0x7F, int.from_bytes(code[1:], "big")
    # A fraction of 24 bits, and an exponent that fits: the product is exact.
    return Single((-1) ** sign * fraction * 16.0 ** (exponent - 64) / 2**24)


def decode(record):
    """Decodes a record without charpipe."""
    born = record[85:93].decode("cp037")
    length = struct.unpack_from(">H", record, 26)[0]
    return [
        decimal.Decimal(record[:6].decode("cp037")),
        text(record[6:26].rstrip(b"\x40")),
        # A text that has its length keeps its spaces.
        text(record[28 : 28 + length]),
        number(record[38:47], 2),
        number(record[47:63], 10),
        decimal.Decimal(struct.unpack_from(">h", record, 63)[0]).scaleb(-2),
        decimal.Decimal(struct.unpack_from(">Q", record, 65)[0]),
        hexadecimal_float(record[73:77]),
        struct.unpack_from(">d", record, 77)[0],
        None if not born.strip() else f"{born[:4]}-{born[4:6]}-{born[6:]}",
        record[93:96].hex().upper(),
    ]


ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}


def unescape(cell):
    """Decodes a value of COPY's text format."""
    if cell == "\\N":
        return None
    parts = cell.split("\\")
    found, at = parts[0], 1
    while at < len(parts):
        if parts[at] == "":
            found, at = found + "\\" + parts[at + 1], at + 2
        else:
            found, at = found + ESCAPES[parts[at][0]] + parts[at][1:], at + 1
    return found


def same(found, expected):
    if found is None or expected is None or isinstance(expected, str):
        return found == expected
    if isinstance(expected, Single):
        return expected.same(found)
    if isinstance(expected, float):
        return float(found) == expected or expected != expected and found == "NaN"
    # As many decimal places, too. PostgreSQL's numbers have no negative zero.
    return (
        decimal.Decimal(found) == expected
        and decimal.Decimal(found).as_tuple().exponent == expected.as_tuple().exponent
    )


def test_a_million_records(environment, folder):
    count = 1_000_000
    create(environment, folder, LAYOUT, b"", *DATES)
    with open(folder / "data", "wb") as file:
        file.writelines(make(count))
    began = time.monotonic()
    sql(environment, load(folder, *DATES, "--quote-empty", "--controls", "xml"))
    print(f"\n{count} records are loaded in {time.monotonic() - began:.1f} s")
    command = ["psql", "-XAtqc", 'COPY (SELECT * FROM rows ORDER BY "KEY") TO STDOUT']
    with (
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as shown,
        open(folder / "data", "rb") as file,
    ):
        for number_of_row, line in enumerate(io.TextIOWrapper(shown.stdout, "utf-8", newline="\n")):
            expected = decode(file.read(LENGTH))
            found = [unescape(cell) for cell in line.removesuffix("\n").split("\t")]
            different = [pair for pair in zip(found, expected, strict=True) if not same(*pair)]
            assert different == [], (number_of_row, different)
    assert number_of_row == count - 1 and shown.returncode == 0


# --- Text -------------------------------------------------------------------------------------------------------------

NAMED = "NAME 1 4 text\nN 5 1 zoned\n"


def test_empty_text_and_null(environment, folder):
    data = "    1ab  2".encode("cp037") + b"\0\0\0\0\xf3" + "cd  ".encode("cp037") + b"\xff"
    options = ["--empty-is-null", "--on-bad", "null"]
    create(environment, folder, NAMED, data)
    sql(environment, load(folder, *options, "--quote-empty"))
    expected = [["", "1"], ["ab", "2"], [None, "3"], ["cd", None]]
    assert content(environment, "SELECT * FROM rows") == expected
    # Without the option, empty text is NULL.
    sql(environment, "DELETE FROM rows", load(folder, *options))
    assert content(environment, "SELECT * FROM rows") == [[None, "1"], *expected[1:]]
    # One column.
    sql(
        environment,
        "CREATE TABLE one (n text)",
        load(folder, *options, "--quote-empty", "--select", "NAME", table="one"),
    )
    assert content(environment, "SELECT * FROM one") == [[""], ["ab"], [None], ["cd"]]


def test_a_row_that_looks_like_the_end(environment, folder):
    create(environment, folder, "NAME 1 2 text\n", "ab\\.cd\\Ne ".encode("cp037"))
    sql(environment, load(folder))
    assert content(environment, "SELECT * FROM rows") == [["ab"], ["\\."], ["cd"], ["\\N"], ["e"]]
    sql(environment, "DELETE FROM rows", load(folder, copy="\\copy"))
    assert content(environment, "SELECT * FROM rows") == [["ab"], ["\\."], ["cd"], ["\\N"], ["e"]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], None), (["--controls", "xml"], "a b"), (["--controls", "drop"], "ab"), (["--controls", "space"], "a b")],
)
def test_nul(environment, folder, options, expected):
    create(environment, folder, NAMED, b"\x81\0\x82\x40\xf1")
    done = sql(environment, load(folder, *options), check=False)
    if expected is None:
        assert done.returncode != 0 and 'invalid byte sequence for encoding "UTF8": 0x00' in done.stderr
    else:
        assert content(environment, "SELECT * FROM rows") == [[expected, "1"]]


def test_a_nul_can_be_an_error_that_names_the_record(environment, folder):
    create(environment, folder, NAMED, b"\x81\x81\x81\x81\xf1\x81\0\x82\x40\xf1")
    done = sql(environment, load(folder, "--controls", "error"), check=False)
    assert "child process exited with exit code 1" in done.stderr and content(environment, "SELECT * FROM rows") == []
    with open(f"{environment['PGHOST']}/log", encoding="utf-8") as log:
        assert "record 2, field NAME" in log.read()


def test_bad_bytes(environment, folder):
    # FF is not valid in the name, and a space is not a number.
    create(environment, folder, "NAME 1 4 text UTF-8\nN 5 1 zoned\n", b"A\xffB \xf1ABCD\x40")
    done = sql(environment, load(folder), check=False)
    assert done.returncode != 0 and "child process exited with exit code 1" in done.stderr
    # Nothing is loaded, also if thousands of good records precede the bad one.
    good = b"ABCD\xf1" * 100_000
    (folder / "data").write_bytes(good + (folder / "data").read_bytes())
    assert sql(environment, load(folder), check=False).returncode != 0
    assert sql(environment, "SELECT count(*) FROM rows") == "0\n"
    sql(environment, load(folder, "--on-bad", "null"))
    assert content(environment, "SELECT * FROM rows OFFSET 100000") == [[None, "1"], ["ABCD", None]]
    sql(environment, "DELETE FROM rows", load(folder, "--on-bad", "null", "--malformed", "replace"))
    assert content(environment, "SELECT * FROM rows OFFSET 100000") == [["A\ufffdB", "1"], ["ABCD", None]]


def test_the_encoding_of_the_client_does_not_matter(environment, folder):
    latin = {**environment, "PGCLIENTENCODING": "LATIN1"}
    create(environment, folder, NAMED, "Zoë 1".encode("cp037"))
    sql(latin, load(folder))
    assert content(environment, "SELECT * FROM rows") == [["Zoë", "1"]]
    sql(latin, "DELETE FROM rows", load(folder).replace(", ENCODING 'UTF8'", ""))
    assert content(environment, "SELECT * FROM rows") == [["ZoÃ«", "1"]], "so the page must give it"


# --- psql -------------------------------------------------------------------------------------------------------------


def test_copy_of_psql(environment, folder):
    """psql commits before it knows that the program has failed, unless a transaction waits for it."""
    create(environment, folder, NAMED, "abcd1abcd2abcd ".encode("cp037"))
    copy = load(folder, copy="\\copy")
    done = sql(environment, copy, check=False)
    assert done.returncode == 1 and sql(environment, "SELECT count(*) FROM rows") == "2\n", "so the page must warn"
    for commands, variables in [
        (["BEGIN", copy, "COMMIT"], ["-v", "ON_ERROR_STOP=1"]),
        ([copy], ["-1", "-v", "ON_ERROR_STOP=1"]),
    ]:
        sql(environment, "DELETE FROM rows")
        done = sql(environment, *commands, variables=variables, check=False)
        assert done.returncode != 0 and sql(environment, "SELECT count(*) FROM rows") == "0\n", variables
    # As the page has it.
    sql(environment, "DELETE FROM rows")
    psql = ["psql", "-X", "-1", "-v", "ON_ERROR_STOP=1"]
    assert subprocess.run(psql, env=environment, input=copy.encode(), capture_output=True, check=False).returncode == 3
    assert sql(environment, "SELECT count(*) FROM rows") == "0\n"
    (folder / "data").write_bytes("abcd1abcd2abcd3".encode("cp037"))
    sql(environment, copy, variables=["-1", "-v", "ON_ERROR_STOP=1"])
    assert content(environment, "SELECT * FROM rows") == [["abcd", str(n)] for n in (1, 2, 3)]


def test_several_types(environment, folder):
    """A table for each record type, loaded one by one, and joined by the number of the parent."""
    layout = (
        "TYPE 1 1 text\nwhen TYPE=C: CUSTOMER\nID 2 3 zoned,unsigned\nwhen TYPE=A: ACCOUNT\nSUM 2 3 packed.2\nend\n"
    )
    record = lambda kind, rest: kind.encode("cp037") + rest  # noqa: E731
    data = b"".join(
        [
            record("C", "001".encode("cp037")),
            record("A", bytes.fromhex("01234C")),
            record("A", bytes.fromhex("00001D")),
            record("C", "002".encode("cp037")),
            record("A", bytes.fromhex("99999C")),
        ]
    )
    options = ["--parent", "ACCOUNT<CUSTOMER", "--output-dir", f"{folder}/out"]
    create(environment, folder, layout, data, *options)
    rows("-q", "--layout", f"{folder}/layout", *options, f"{folder}/data")
    for table in ("CUSTOMER", "ACCOUNT"):
        sql(environment, f"\\copy \"{table}\" FROM '{folder}/out/{table}.csv' (FORMAT csv, HEADER, ENCODING 'UTF8')")
    query = (
        'SELECT c."CUSTOMER.ID", sum(a."ACCOUNT.SUM") FROM "CUSTOMER" c JOIN "ACCOUNT" a ON a._parent = c._number '
        "GROUP BY 1 ORDER BY 1"
    )
    assert content(environment, query) == [["1", "12.33"], ["2", "999.99"]]


def test_names(environment, folder):
    """Names are quoted, whatever they are. PostgreSQL cuts those of more than 63 bytes."""
    create(environment, folder, 'SELECT 1 1 text\na"b 2 1 text\n' + "L" * 70 + " 3 1 text\n", "xyz".encode("cp037"))
    sql(environment, load(folder))
    assert content(environment, f'SELECT "SELECT", "a""b", "{"L" * 63}" FROM rows') == [["x", "y", "z"]]
