#!/usr/bin/env python3
"""Writes the bodies of the pages of codecs/ and codecs/legacy/ from ICU tables (.ucm).

    codecs/import.py DIR codecs/NAME.txt ...    updates these pages from the tables in DIR
    codecs/import.py DIR --all                  updates every page that has a .ucm source
    codecs/import.py DIR --check --all          writes nothing; exits with 1 if a page is out of date

The head of a page is written by hand and kept, except for the lines that
are taken from its table: sha256, shape, state, substitute, substitute1.
`shape led` is kept if it is there. Everything after the head is generated. codecs/README.md describes the format.
Uses only the standard library.
"""
import argparse
import hashlib
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = [HERE, os.path.join(HERE, "legacy")]
WIDTH = 100
SHAPES = {"SBCS": "single", "DBCS": "double", "EBCDIC_STATEFUL": "shifted", "MBCS": "states"}
# The lines of a head that are taken from the table.
FACTS = ["sha256", "shape", "state", "substitute", "substitute1"]
# The flags of a .ucm table, and the sections for mappings that a chart cannot show.
ROUND_TRIP, BEST_FIT, SUBSTITUTE1, TO_TEXT, TO_BYTES = range(5)
SECTIONS = ["to-text", "both", "to-bytes", "best-fit", "substitute1"]
FLAG_OF = {"both": ROUND_TRIP, "to-bytes": TO_BYTES, "best-fit": BEST_FIT}


class Table:
    """The content of a page.

    cells: maps bytes to the one code point in their cell.
    lists: maps the name of a section to its set of items. An item is (bytes, code points). In `to-text` the code points
    are () if they are in the cell; in `substitute1` the bytes are b"" and there is one code point.
    """

    def __init__(self):
        self.cells = {}
        self.lists = {section: set() for section in SECTIONS}
        self.shape = "single"
        self.states = []
        self.substitute = self.substitute1 = None

    def __eq__(self, other):
        return vars(self) == vars(other)


# ---- The tables ----

HEADER = re.compile(r"<([A-Za-z][A-Za-z0-9_:]*)>\s*(.*)")
MAPPING = re.compile(r"((?:\+?<U[0-9A-F]{4,6}>)+)\s+((?:\+?\\x[0-9A-F]{2})+)\s*\|([0-4])")


def read_ucm(text):
    table, headers = Table(), {}
    rows, states = [], []
    for line in text.splitlines():
        line = line.split("#")[0].strip(" \t\x1A")  # 1A: the end of a file under DOS
        if mapping := MAPPING.fullmatch(line):
            points = tuple(int(digits, 16) for digits in re.findall(r"<U([0-9A-F]+)>", mapping[1]))
            rows.append((points, hex_bytes(mapping[2]), int(mapping[3])))
        elif header := HEADER.fullmatch(line):
            headers[header[1]] = header[2].strip('"')
            if header[1] == "icu:state":
                states.append(header[2].strip('"'))
        elif line not in ("", "CHARMAP", "END CHARMAP"):
            raise SystemExit(f"invalid line: {line}")
    table.shape = SHAPES[headers["uconv_class"]]
    if states and set(states) == {"0-ff"}:
        # Some tables of single bytes say so in this way.
        table.shape = "single"
    if table.shape == "double" and any(min(code) < 0x40 for _, code, _ in rows):
        table.shape = "states"
    if table.shape == "states":
        table.states = read_states(states or derived_states([code for _, code, _ in rows]))
    table.substitute = hex_bytes(headers.get("subchar", "\\x1A"))
    if "subchar1" in headers:
        table.substitute1 = hex_bytes(headers["subchar1"])
    decoded, encoded = set(), set()
    # A few tables also have an approximation of a character that they have.
    exact = {points for points, _, flag in rows if flag == ROUND_TRIP}
    rows = [row for row in rows if row[2] != BEST_FIT or row[0] not in exact]
    for points, code, flag in rows:
        shown = f"{code.hex().upper()} |{flag}"
        if flag in (ROUND_TRIP, TO_TEXT):
            assert code not in decoded, f"read twice: {shown}"
            decoded.add(code)
        if flag != TO_TEXT:
            assert points not in encoded, f"written twice: {shown}"
            encoded.add(points)
        cell = flag in (ROUND_TRIP, TO_TEXT) and len(points) == 1 and (points[0] <= 0xFFFF or table.shape == "states")
        if cell:
            table.cells[code] = points[0]
        if flag == TO_TEXT:
            table.lists["to-text"].add((code, () if cell else points))
        elif flag == SUBSTITUTE1:
            assert code in (table.substitute1, table.substitute) and len(points) == 1, shown
            table.lists["substitute1"].add((b"", points))
        elif not cell:
            section, = (section for section, of in FLAG_OF.items() if of == flag)
            table.lists[section].add((code, points))
    return table


def read_states(rows):
    """Returns the states of a table as lines of a page, from its lines of the form `0-7f, 81-fe:1, ff.u`."""
    states = []
    for row in rows:
        cells = {}
        for entry in row.lower().replace(" ", "").split(","):
            if match := re.fullmatch(r"([0-9a-f]+)(?:-([0-9a-f]+))?(?::([0-9a-f]+))?(?:\.([usp]?))?", entry):
                first, last = int(match[1], 16), int(match[2] or match[1], 16)
                ends = match[4] is not None or match[3] is None
                what = ".u" if match[4] == "u" else "" if ends else f":{int(match[3], 16)}"
                cells.update(dict.fromkeys(range(first, last + 1), what))
            elif entry not in ("", "initial", "surrogates"):
                raise SystemExit(f"not understood: {row}")
        runs = []
        for byte, what in sorted(cells.items()):
            if runs and runs[-1][1:] == (byte - 1, what):
                runs[-1] = (runs[-1][0], byte, what)
            else:
                runs.append((byte, byte, what))
        states.append(" ".join((f"{a:02X}-{b:02X}" if a < b else f"{a:02X}") + what for a, b, what in runs))
    return states


def derived_states(codes):
    """Returns the states of some codes, for a table that has none: state n, except 0, is for the last n bytes."""
    longest = max(len(code) for code in codes)
    cells = [set() for _ in range(longest)]
    for code in codes:
        for at, byte in enumerate(code):
            left = len(code) - 1 - at
            cells[len(code) - at if at else 0].add((byte, f":{left}" if left else ""))
    for row in cells:
        assert len(row) == len({byte for byte, _ in row}), "a code begins a longer one"
    return [", ".join(f"{byte:x}{what}" for byte, what in sorted(row)) for row in cells]


def hex_bytes(text):
    return bytes.fromhex(re.sub(r"[\\x+]", "", text))


# ---- The pages ----

def split(text):
    """Returns the lines of the head, and the words of each line of the body."""
    lines = text.splitlines()
    starts = ("chart", "but", *SECTIONS)
    for at, line in enumerate(lines):
        words = line.split("#")[0].split()
        if words and words[0] in starts and (len(words) == 1 or words[0] == "chart"):
            return lines[:at], [line.split("#")[0].split() for line in lines[at:]]
    return lines, []


def head_words(head, word):
    """Returns everything after `word` in the head."""
    lines = (line.split("#")[0].split() for line in head)
    return [value for words in lines if words[:1] == [word] for value in words[1:]]


READ = {}


def read_page(name):
    """Returns the complete page of that name: the pages that it is like, and its own content."""
    if name not in READ:
        READ[name] = None
        path, = (path for path in (os.path.join(folder, name + ".txt") for folder in FOLDERS) if os.path.exists(path))
        with open(path, encoding="utf-8") as file:
            READ[name] = parse_page(file.read())
    if READ[name] is None:
        raise SystemExit(f"{name}: is based on itself")
    return READ[name]


def parse_page(text):
    head, body = split(text)
    shape, = head_words(head, "shape") or ["single"]
    table = base_of(head, shape)
    words = (line.split() for line in head)
    table.states = [" ".join(line[1:]) for line in words if line[:1] == ["state"]]
    table.substitute = hex_bytes(*head_words(head, "substitute"))
    table.substitute1 = hex_bytes(*head_words(head, "substitute1")) if head_words(head, "substitute1") else None
    section, lead = None, b""
    for words in body:
        if not words:
            continue
        if words[0].endswith("-") and section == "chart":
            first = int(words[0][:-1], 16)
            continue
        if words[0] in ("chart", "but", *SECTIONS):
            section = words[0]
            lead = hex_bytes("".join(words[1:]))
        elif section == "chart":
            low = int(words[0][1:], 16)
            for column, cell in enumerate(words[1:], first):
                if cell != "----":
                    table.cells[lead + bytes([column << 4 | low])] = int(cell, 16)
        elif section == "but":
            for word in words:
                code, cell = word.split("=")
                if cell == "----":
                    del table.cells[hex_bytes(code)]
                else:
                    table.cells[hex_bytes(code)] = int(cell, 16)
        else:
            for word in words:
                for item in parse_items(section, word.removeprefix("-")):
                    if word.startswith("-"):
                        table.lists[section].remove(item)
                    else:
                        assert item not in table.lists[section], word
                        table.lists[section].add(item)
    return table


def parse_items(section, word):
    if section == "substitute1":
        first, _, last = word.partition("..")
        return [(b"", (point,)) for point in range(int(first, 16), int(last or first, 16) + 1)]
    code, _, points = word.partition("=")
    return [(hex_bytes(code), tuple(int(point, 16) for point in points.split("+") if point))]


def base_of(head, shape):
    """Returns the base of a page with this head: the pages that it is like, or an empty table."""
    base = Table()
    base.shape = shape
    for name in head_words(head, "like"):
        like = read_page(name)
        base.cells.update(like.cells)
        for section in SECTIONS:
            base.lists[section] |= like.lists[section]
    return base


# ---- Writing ----

def write_body(table, base, has_base):
    """Returns the body of a page that contains `table` and is based on `base`."""
    blocks = []
    if has_base:
        codes = table.cells.keys() | base.cells.keys()
        codes = sorted((code for code in codes if table.cells.get(code) != base.cells.get(code)), key=byte_order)
        blocks.append(wrap("but", [f"{code.hex().upper()}={cell(table, code)}" for code in codes]))
    else:
        if any(len(code) == 1 for code in table.cells):
            blocks.append(write_chart(table, b"", 0))
        for lead in sorted({code[:-1] for code in table.cells if len(code) > 1}, key=byte_order):
            columns = [code[-1] >> 4 for code in table.cells if len(code) > 1]
            blocks.append(write_chart(table, lead, min(columns) if table.states else 4))
    for section in SECTIONS:
        added = table.lists[section] - base.lists[section]
        removed = base.lists[section] - table.lists[section]
        if section == "substitute1":
            items = [(points, word) for items, sign in ((added, ""), (removed, "-"))
                     for points, word in write_ranges(items, sign)]
        else:
            order = item_by_bytes if section == "to-text" else item_by_points
            items = [(order(item), write_item(item)) for item in added]
            items += [(order(item), "-" + write_item(item)) for item in removed]
        blocks.append(wrap(section, [word for _, word in sorted(items)]))
    return "\n\n".join(block for block in blocks if block) + "\n"


def write_chart(table, lead, first_column):
    columns = range(first_column, 16)
    lines = [f"chart {lead.hex().upper()}".strip()]
    rows = [[cell(table, lead + bytes([high << 4 | low])) for high in columns] for low in range(16)]
    width = max(len(cell) for row in rows for cell in row)
    lines.append(("     " + " ".join(f"{high:X}-".ljust(width) for high in columns)).rstrip())
    for low, row in enumerate(rows):
        lines.append((f"-{low:X}   " + " ".join(cell.ljust(width) for cell in row)).rstrip())
    return "\n".join(lines)


def cell(table, code):
    return f"{table.cells[code]:04X}" if code in table.cells else "----"


def byte_order(code):
    return len(code), code


def item_by_bytes(item):
    return byte_order(item[0]), item[1]


def item_by_points(item):
    return item[1], byte_order(item[0])


def write_item(item):
    code, points = item
    return "=".join(filter(None, [code.hex().upper(), "+".join(f"{point:04X}" for point in points)]))


def write_ranges(items, sign):
    """Returns single code points, and three or more consecutive ones as a range."""
    runs = []
    for point in sorted(points[0] for _, points in items):
        if runs and runs[-1][-1] == point - 1:
            runs[-1].append(point)
        else:
            runs.append([point])
    for run in runs:
        if len(run) > 2:
            yield (run[0],), f"{sign}{run[0]:04X}..{run[-1]:04X}"
        else:
            yield from (((point,), f"{sign}{point:04X}") for point in run)


def wrap(section, words):
    lines = []
    gap = "  " if "=" in "".join(words) else " "
    for word in words:
        if lines and len(lines[-1]) + len(gap) + len(word) <= WIDTH:
            lines[-1] += gap + word
        else:
            lines.append(word)
    return "\n".join([section, *lines]) if lines else ""


def write_page(text, directory):
    """Returns the updated page, from its head and its table."""
    head, _ = split(text)
    while head and not head[-1].strip():
        head.pop()
    source, = head_words(head, "source")
    with open(os.path.join(directory, source), "rb") as file:
        raw = file.read()
    table = read_ucm(raw.decode("latin-1"))
    if head_words(head, "shape") == ["led"]:
        table.shape, table.states = "led", []
    facts = [f"sha256      {hashlib.sha256(raw).hexdigest()}"]
    if table.shape != "single":
        facts.append(f"shape       {table.shape}")
    facts += [f"state       {state}" for state in table.states]
    facts.append(f"substitute  {table.substitute.hex().upper()}")
    if table.substitute1:
        facts.append(f"substitute1 {table.substitute1.hex().upper()}")
    kept = [line for line in head if line.split()[:1] not in ([fact] for fact in FACTS)]
    at, = (at + 1 for at, line in enumerate(kept) if line.split()[:1] == ["source"])
    head = kept[:at] + facts + kept[at:]
    body = write_body(table, base_of(head, table.shape), bool(head_words(head, "like")))
    text = "\n".join(head) + "\n\n" + body
    if parse_page(text) != table:
        raise SystemExit(f"{source}: the page would differ from the table")
    return text


def main():
    parser = argparse.ArgumentParser(description="Write the bodies of pages from ICU tables.")
    parser.add_argument("directory", help="where the .ucm tables are")
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--all", action="store_true", help="every page of codecs/ that has a .ucm source")
    parser.add_argument("--check", action="store_true", help="write nothing, exit with 1 if a page would change")
    options = parser.parse_intermixed_args()
    paths = options.pages
    if options.all:
        paths = [os.path.join(folder, name) for folder in FOLDERS for name in os.listdir(folder) if name.endswith(".txt")]
    pages = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        source = head_words(split(text)[0], "source")
        if source and source[0].endswith(".ucm"):
            pages[os.path.splitext(os.path.basename(path))[0]] = (path, text)
        elif not options.all:
            raise SystemExit(f"{path}: has no .ucm source")
    changed = 0
    done = set()

    def write(name):
        """Writes the pages that this one is like, and then this one."""
        nonlocal changed
        if name in done or name not in pages:
            return
        done.add(name)
        path, text = pages[name]
        for like in head_words(split(text)[0], "like"):
            write(like)
        new = write_page(text, options.directory)
        if new != text:
            changed += 1
            print(f"{name}: {'differs' if options.check else 'written'}")
            if not options.check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(new)
        READ[name] = parse_page(new)

    for name in sorted(pages):
        write(name)
    print(f"{len(pages)} pages, {changed} {'differ' if options.check else 'written'}", file=sys.stderr)
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
