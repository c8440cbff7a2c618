#!/usr/bin/env python3
"""Writes the files of examples/data/records/: mainframe records, and the text that each file should be converted to.

    examples/data/records/make.py

This script does not use charpipe. Single bytes come from Python's codec cp037, and pairs from the small table of IBM-930
below. The expected text is made from the original text, not from the bytes. Running the script again changes nothing.
It needs only the standard library.
"""
import csv
import io
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
SO, SI = b"\x0e", b"\x0f"


def ebcdic(text, width):
    """Returns a field PIC X(width) in IBM-037, padded with blanks."""
    assert len(text) <= width, text
    return text.ljust(width).encode("cp037")


# --- Customers --------------------------------------------------------------------------------------------------------

FIRST = ["José", "Renée", "Åse", "Günther", "Mary Ann", "Zoë", "Søren"]
LAST = ["Müller", "Lindström", "O'Brien", "Ibáñez", "Øvergård", "Smith", "Núñez", "Dupré", "Jones", "Weiß", "Ångström"]
STREETS = ["Main Street", "Königsallee", "Rue de l'Église", "Calle Mayor", "Åsgatan"]
NOTES = ["", "[paid] {50%}", "call before 9 a.m.", "", "½ year: £ or $?", "VIP", "moved | returned"]


def customers():
    """Yields the customers: (id, name, address, cents, note)."""
    for index in range(100):
        cents = index * index * 7919 + index * 104729
        if index % 5 == 3:
            cents = -cents
        if index == 42:
            cents = 999999999
        name = f"{FIRST[index % 7]} {LAST[index % 11]}"
        address = f"{index * 7 % 180 + 1} {STREETS[index % 5]}"
        yield 1000001 + 37 * index, name, address, cents, NOTES[index % len(NOTES)]


def packed(number, length):
    """Returns a number in COMP-3: two digits per byte, and the sign in the low half of the last byte."""
    digits = f"{abs(number):0{2 * length - 1}d}" + ("D" if number < 0 else "C")
    assert len(digits) == 2 * length
    return bytes.fromhex(digits)


def head(number, name, address, cents):
    return f"{number:07d}".encode("cp037") + ebcdic(name, 20) + ebcdic(address, 24) + packed(cents, 5)


def word(length, control=0):
    return length.to_bytes(2, "big") + bytes([control, 0])


def blocks(pieces):
    return b"".join(word(4 + len(piece)) + piece for piece in pieces)


def vb(records, blksize):
    """Puts as many whole records into each block as fit."""
    done, block = [], b""
    for record in records:
        whole = word(4 + len(record)) + record
        if 4 + len(block) + len(whole) > blksize:
            done.append(block)
            block = b""
        block += whole
    return blocks(done + [block])


def vbs(records, blksize):
    """Fills every block; a record continues in the next blocks until all of its bytes are written."""
    done, block = [], b""
    for record in records:
        rest, first = record, True
        while first or rest:
            if blksize - 4 - len(block) < 5:
                done.append(block)
                block = b""
            room = blksize - 4 - len(block) - 4
            segment, rest = rest[:room], rest[room:]
            control = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}[first, not rest]
            block += word(4 + len(segment), control) + segment
            first = False
    return blocks(done + [block])


def customer_files():
    fixed, variable, text, hexed, listed = [], [], [], [], []
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(["ID", "NAME", "ADDRESS", "BALANCE", "NOTE"])
    for number, name, address, cents, note in customers():
        begin = head(number, name, address, cents)
        fixed.append(begin + ebcdic(note, 20))
        variable.append(begin + note.encode("cp037"))
        columns = f"{number:07d}{name:20}{address:24}"
        text.append((columns + note).rstrip(" "))
        hexed.append((columns + packed(cents, 5).hex().upper() + note).rstrip(" "))
        sign = "-" if cents < 0 else ""
        amount = f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
        rows.writerow([f"{number:07d}", name, address, amount, note])
        listed.append(f"{number:07d}  {name:20}  {amount:>11}  {note}".rstrip(" "))
    assert {len(record) for record in fixed} == {76}
    return {
        "customers.fb": b"".join(fixed),
        "customers.vb": vb(variable, 800),
        # The blocks are so short that most records span two or three of them.
        "customers.vbs": vbs(variable, 64),
        # Columns 1-51 and 57-: without the balance, and with the balance in hexadecimal.
        "customers.txt": lines(text),
        "customers-hex.txt": lines(hexed),
        # The output of examples/fields.rs and of examples/records_to_csv.rs.
        "customers-list.txt": lines(listed),
        "customers.csv": table.getvalue().encode("utf-8"),
    }


def lines(text):
    return "".join(line + "\n" for line in text).encode("utf-8")


# --- Members, in katakana EBCDIC --------------------------------------------------------------------------------------

# From glibc's version of IBM's table for CCSID 930.
SINGLE = {
    "ﾔ": "A9", "ﾏ": "A4", "ﾀ": "91", "ﾞ": "BE", "ﾛ": "BB", "ｳ": "83", "ｻ": "8C", "ﾄ": "95", "ﾊ": "9D", "ﾅ": "96", "ｺ": "8A",
    "ｽ": "8E", "ｷ": "87", "ｲ": "82", "ﾁ": "92", "ｶ": "86", "ﾑ": "A6", "ﾗ": "AD", "ﾕ": "AA", "ﾐ": "A5", "ﾜ": "BC", "ﾉ": "9A",
    "ｹ": "89", "ﾝ": "BD", " ": "40",
}
PAIRS = {
    "東": "4557", "京": "4575", "都": "454F", "千": "454C", "代": "459A", "田": "4563", "区": "4554", "丸": "467A",
    "の": "449A", "内": "458E", "一": "4541", "丁": "4BCE", "目": "4675", "大": "455B", "阪": "4591", "市": "4553",
    "北": "455A", "名": "45F3", "古": "45D4", "屋": "45E9", "中": "455C", "栄": "45FA", "三": "4543", "横": "45F2",
    "浜": "45EA", "西": "4558", "み": "44A5", "な": "4496", "と": "4495", "ら": "44AD", "い": "4482", "札": "48F9",
    "幌": "496B", "福": "458B", "岡": "4572", "博": "45F6", "多": "45FE", "駅": "49AC", "前": "45AF", "\u3000": "4040",
}

# An address of nine characters or fewer has its shift-in. With ten there is no room for it; longer ones are truncated.
MEMBERS = [
    ("ﾔﾏﾀﾞ ﾀﾛｳ", "東京都千代田区丸の内一丁目"),
    ("ｻﾄｳ ﾊﾅｺ", "大阪市北区"),
    ("ｽｽﾞｷ ｲﾁﾛｳ", "名古屋市中区栄三丁目"),
    ("ﾀﾅｶ ﾐﾁｺ", "横浜市西区みなとみらい"),
    ("ﾅｶﾑﾗ ｹﾝ", ""),
    ("ﾜﾀﾅｺ ﾉﾄｺ", "福岡市博多区博多駅前"),
    # Padded with double-byte blanks.
    ("ｷﾑﾗ ﾀｽｹ", "札幌市北区" + 5 * "\u3000"),
]


def single(text, width):
    digits = {str(digit): f"F{digit}" for digit in range(10)}
    data = bytes.fromhex("".join({**SINGLE, **digits}[ch] for ch in text))
    assert len(data) <= width, text
    return data + b"\x40" * (width - len(data))


def member_files():
    """Number in 7 bytes, name in 13, address in 21 including its shift codes, truncated as by COBOL's MOVE."""
    fixed, text, spaced = b"", [], []
    for index in range(28):
        name, address = MEMBERS[index % len(MEMBERS)]
        pairs = bytes.fromhex("".join(PAIRS[ch] for ch in address))
        field = (SO + pairs + SI if pairs else b"")[:21].ljust(21, b"\x40")
        number = f"{2000000 + 13 * index}"
        fixed += single(number, 7) + single(name, 13) + field
        fits = address[:10]
        begin = f"{number}{name:13}"
        text.append((begin + fits).rstrip(" "))
        # One blank for each shift code.
        blank_after = " " if 0 < len(fits) < 10 else ""
        spaced.append((begin + (" " + fits if fits else "") + blank_after).rstrip(" "))
    assert len(fixed) == 28 * 41
    return {"members.fb": fixed, "members.txt": lines(text), "members-spaced.txt": lines(spaced)}


# --- A listing --------------------------------------------------------------------------------------------------------


def listing():
    """Yields the records of a printer file: the carriage control of the first column, and the line."""
    job = "J E S 2  J O B  L O G  --  S Y S T E M  P R O D  --  N O D E  C H A R"
    yield "1", f"{job:>90}"
    yield "0", "09.14.02 JOB04711 ---- MONDAY,    02 MAR 2026 ----"
    yield " ", "09.14.02 JOB04711  IRR010I  USERID BILLING  IS ASSIGNED TO THIS JOB."
    yield " ", "09.14.03 JOB04711  IEF403I BALANCES - STARTED - TIME=09.14.03"
    yield " ", "09.14.05 JOB04711  IEF404I BALANCES - ENDED - TIME=09.14.05"
    yield "-", "------ JES2 JOB STATISTICS ------"
    yield " ", "              2 CARDS READ"
    yield " ", "             64 SYSOUT PRINT RECORDS"
    rows = list(customers())
    for page in range(2):
        title = f"CUSTOMER BALANCES{'':70}PAGE {page + 1}"
        yield "1", title
        # Printed over the title once more, which makes it bold on a line printer.
        yield "+", title[:17]
        yield "0", f"{'NUMBER':9}{'NAME':22}{'BALANCE':>14}"
        yield "+", f"{'_' * 6:9}{'_' * 4:22}{'_' * 7:>14}"
        yield "0", ""
        total = 0
        for number, name, _, cents, _ in rows[20 * page : 20 * page + 20]:
            yield " ", f"{number:07d}  {name:22}{cents / 100:14,.2f}"
            total += cents
        yield "-", f"{'TOTAL':31}{total / 100:14,.2f}"
        yield "+", f"{'':31}{'=' * 14}"


def listing_files():
    """The listing with RECFM FBA and LRECL 133, and as a printer would print it: text with newlines, form feeds, and
    carriage returns before text that is printed over a line."""
    fixed, text = b"", ""
    for control, line in listing():
        fixed += ebcdic(control + line, 133)
        lines_before = {" ": 1, "0": 2, "-": 3, "1": 1, "+": 0}[control] if text else 0
        text += "\n" * lines_before + {"1": "\f", "+": "\r"}.get(control, "") + line.rstrip(" ")
    return {"listing.fba": fixed, "listing.txt": (text + "\n").encode("utf-8")}


for name, content in {**customer_files(), **member_files(), **listing_files()}.items():
    (HERE / name).write_bytes(content)
