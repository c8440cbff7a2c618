#!/usr/bin/env python3
"""Compares the layouts of copybooks and programs with those of GnuCOBOL.

    spec/copybooks.py FOLDER [--charpipe PATH] > spec/copybooks.tsv

FOLDER has a folder for each repository (OWNER/NAME), with its files at their
paths. Each file is given to `charpipe rows --show-layout` and to `cobc
-std=ibm`, and every item is compared: its level, name, length and place, also
of FILLER and in redefinitions. The files themselves are not in the tree,
because their licences differ; the list has their digests.

cobc's listing has the lengths. The places come from the C program that cobc
makes; it has none for items in redefinitions, which follow from the lengths.
The table goes to standard output, differences and counts to standard error.
The exit status is 1 if there is a difference that is not GnuCOBOL's own. Uses
only the standard library.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ORACLE.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n"
TAIL = "\n       PROCEDURE DIVISION.\n           STOP RUN.\n"
# Words for which GnuCOBOL has other lengths than IBM's compilers, and what differs.
OWN = [
    (r"\b(PROGRAM-|FUNCTION-|PROCEDURE-)?POINTER\b|\bINDEX\b", "pointers and indexes have 8 bytes in GnuCOBOL"),
    (r"\bSYNC", "GnuCOBOL aligns other items"),
    (r"\bPICTURE\s+SYMBOL\b", "GnuCOBOL has no picture symbols of currencies"),
    (r"\b(COMP|COMPUTATIONAL)-5\b|\bBINARY-CHAR\b", "binary numbers of 1 and 2 digits have 1 byte in GnuCOBOL"),
]
# What charpipe does not read, by its message.
OUT_OF_SCOPE = [
    (r"there is no file for (COPY|INCLUDE)|COPY needs the name of a member", "copies a member that is not there"),
    (r"which is no constant of this file|picture symbol", "uses a constant of another file"),
    (r"placeholder between colons", "has placeholders"),
    (r"UNBOUNDED", "a table without a largest size"),
    (r"there is no \S+ in this record, but it should contain the count", "the count of a table is in another record"),
    (r"OCCURS is not allowed at level 01", "a table at level 01"),
    (r"found SAME|found IS", "TYPEDEF and SAME AS"),
    (r"(?i)found (BINARY-C-LONG|(UN)?SIGNED-\w+|HANDLE|FLOAT\S*|COMP-N|POINTER-\w+),", "a usage of GnuCOBOL's own"),
    (r"found >>|found \$", "directives of the compiler"),
    (r"'1' is not a symbol", "bits"),
    (r"found %\d", "octal literals"),
    (r"and no other level 01", "the data division is in debugging lines"),
    (r"the number has no digits", "a picture of P alone"),
]

Item = collections.namedtuple("Item", "level name length place")


def bare(name):
    """Returns a name as cobc's listing has it, in which every name that begins with FILLER is FILLER."""
    return "FILLER" if name.startswith("FILLER") else name


def run(*args, cwd=None):
    done = subprocess.run(args, cwd=cwd, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


# --- charpipe ---------------------------------------------------------------


def layout(charpipe, file, *options):
    """Returns the items of a layout, or a message."""
    status, printed, message = run(
        charpipe, "rows", "-q", "--layout", file, "--copy-path", str(pathlib.Path(file).parent), "--show-layout", *options
    )
    if status != 0:
        return re.sub(r"^.*?: (line \d+)", r"\1", message.strip())
    items = []
    for line in printed.splitlines():
        row = re.match(r"\s+(\d\d)\s+(\S+)\s+(\d+|\*)\s+(\d+)\s(.*)", line)
        # Slack bytes are not in cobc's listing.
        if row and not row[5].split()[1:] == ["SYNCHRONIZED"]:
            place = None if row[3] == "*" else int(row[3]) - 1
            items.append(Item(int(row[1]), bare(row[2].upper()), int(row[4]), place))
    return items


# --- GnuCOBOL ---------------------------------------------------------------


def without_statements(text):
    """Returns the text up to the procedure division, without embedded SQL."""
    text = re.sub(r"(?im)^(.{6} |[ \t]*)[ \t]*PROCEDURE\s+DIVISION\b(.|\n)*", "", text)
    return re.sub(r"(?i)\bEXEC\s+(SQL|CICS)\b(?:.|\n)*?\bEND-EXEC\b\s*\.?", " ", text)


def is_program(text):
    return re.search(r"(?im)\b(ID|IDENTIFICATION|DATA)\s+DIVISION\b|\b(FILE|STORAGE|LINKAGE)\s+SECTION\b", text) is not None


def first_level(text, is_fixed):
    """Returns the level of the first entry; copybooks can begin within a record."""
    for line in text.splitlines():
        code = line[7:72] if is_fixed else line
        is_comment = line[6:7] in ("*", "/") if is_fixed else code.lstrip().startswith("*")
        found = re.match(r"\s*(\d\d?)\s", code + " ")
        if found and not is_comment:
            return int(found[1])
    return 1


def program(text, is_fixed):
    """Returns a program for cobc that has the records of the text, and whether they are in a record of its own."""
    text = without_statements(text)
    if re.search(r"(?i)\bPROGRAM-ID\b", text):
        return text + TAIL, False
    is_part = first_level(text, is_fixed) not in (1, 66, 77, 78)
    return HEAD + ("       01 CHARPIPE-RECORD.\n" if is_part else "") + text + TAIL, is_part


def compiled(file, text, folder):
    """Compiles a text in one of the forms. Returns the listing, the C source, and whether it is a part; or a message."""
    messages = []
    for form in ("-fixed", "-free"):
        source, is_part = program(text, form == "-fixed")
        if form == "-free":
            source = re.sub(r"(?m)^ {7}", "", source)
        (folder / "oracle.cob").write_text(source, encoding="utf-8", errors="surrogateescape")
        args = ["-std=ibm", form, "-I", str(pathlib.Path(file).parent.resolve()), "-T", "oracle.lst", "-ftsymbols"]
        status, _, message = run("cobc", "-x", "-C", "-fdump=ALL", *args, "oracle.cob", cwd=folder)
        if status == 0:
            listing = (folder / "oracle.lst").read_text(encoding="utf-8", errors="replace")
            code = [file.read_text(encoding="utf-8", errors="replace") for file in sorted(folder.glob("oracle.c*"))]
            return listing, "\n".join(code[1:]), is_part
        errors = [line for line in message.splitlines() if "error:" in line]
        messages.append(re.sub(r"^.*?error: ", "", (errors or [message.strip() or "no message"])[0]))
    return messages[0]


def symbols(listing):
    """Returns the items of a listing: level, name, length of an element, the number of elements, and what it redefines."""
    is_wanted = True
    for line in listing.splitlines():
        if section := re.match(r" +(\S+) SECTION$", line):
            is_wanted = section[1] not in ("REPORT", "SCREEN")
        row = re.match(r"(\d{5,}) (\S+)\s+(\d\d)\s+(\S+?)(,? .*)?$", line)
        if not row or row[3] in ("66", "78", "88") or not is_wanted:
            continue
        rest = row[5] or ""
        count = re.search(r"OCCURS (?:\d+ TO )?(\d+)", rest)
        count = int(count[1]) if count else 1
        length = int(row[1]) // (count if row[2] == "GROUP" else 1)
        redefines = re.search(r"REDEFINES (\S+)", rest)
        level = 1 if row[3] == "77" else int(row[3])
        name = row[4].rstrip(",").upper()
        yield level, bare(name), length, count, redefines and redefines[1].upper()


def places(code):
    """Returns the names and places of the items that the C program dumps."""
    fields = dict(re.findall(r"cob_field (f_\d+)\s*= \{\d+, b_\d+((?: \+ \d+)*),", code))
    dumped = r'cob_dump_field\w*\s*\(\s*(\d+), "([^"]*)", (?:&(f_\d+)|COB_SET_FLD\s*\(f0, [\d +]+, b_\d+((?: \+ \d+)*),)'
    for level, name, field, place in re.findall(dumped, code):
        terms = fields.get(field, "") if field else place
        yield bare(name.upper()), sum(int(term) for term in re.findall(r"\d+", terms))


def records(listing, code):
    """Returns the records of a program, each with its items, and how many places come from the C program."""
    dumped, known = list(places(code)), 0
    found, at, in_redefined = [], 0, None
    around = []
    for level, name, length, count, redefined in symbols(listing):
        if level == 1:
            found.append([])
            around = []
        while around and around[-1]["level"] >= level:
            around.pop()
        if in_redefined is not None and level <= in_redefined:
            in_redefined = None
        group = around[-1] if around else {"next": 0, "places": {}}
        place = group["places"].get(redefined, group["next"]) if redefined else group["next"]
        if redefined and in_redefined is None:
            in_redefined = level
        if in_redefined is None and at < len(dumped) and dumped[at][0] == name:
            place, at, known = dumped[at][1], at + 1, known + 1
        group["next"] = max(group["next"], place + length * count)
        group["places"][name] = place
        if found:
            found[-1].append(Item(level, name, length, place))
        around.append({"level": level, "next": place, "places": {}})
    return found, known


# --- Both -------------------------------------------------------------------


def difference(ours, theirs):
    """Returns the first difference of two lists of items."""
    for our, their in zip(ours, theirs):
        level = 1 if our.level == 77 else our.level
        if (level, our.name, our.length) != their[:3] or our.place not in (None, their.place):
            return f"{our.name} {our.place}+{our.length}, cobc has {their.name} {their.place}+{their.length}"
    return None if len(ours) == len(theirs) else f"{len(ours)} items, cobc has {len(theirs)}"


def reason(table, text):
    return next((why for pattern, why in table if re.search(pattern, text, re.IGNORECASE)), None)


def shown(why):
    """Returns a reason on one line of ASCII."""
    return re.sub(r"[^ -~]", "?", why)


def verdict(charpipe, file):
    """Returns the outcome for a file, its explanation, and the number of items that were compared."""
    text = file.read_bytes().decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\t", "        ")
    with tempfile.TemporaryDirectory() as folder:
        oracle = compiled(file, text, pathlib.Path(folder))
    if isinstance(oracle, str):
        return "out of scope", f"cobc: {oracle[:100]}", 0
    found, _ = records(*oracle[:2])
    if oracle[2] and found:
        found[0].pop(0)
    found = [items for items in found if items]
    if not found:
        return "out of scope", "no records", 0
    if is_program(text):
        return of_program(charpipe, file, text, found)
    return outcome(layout(charpipe, str(file)), [item for items in found for item in items], text)


def of_program(charpipe, file, text, found):
    """Returns the outcome for a program: all its records, chosen by their names."""
    names = collections.Counter(items[0].name for items in found)
    compared, own = 0, None
    for items in found:
        name = items[0].name
        if names[name] > 1 or name in ("FILLER", "DEBUG-ITEM"):
            continue
        what, why, count = outcome(layout(charpipe, str(file), "--record-name", name), items, text)
        compared += count
        if what == "GnuCOBOL's own":
            own = why
        elif what != "agree":
            return what, f"{name}: {why}" if what == "DIFFERENT" else why, compared
    if own:
        return "GnuCOBOL's own", own, compared
    return ("agree", "-", compared) if compared else ("out of scope", "no records", 0)


def outcome(ours, theirs, text):
    if isinstance(ours, str):
        why = reason(OUT_OF_SCOPE, ours)
        return ("out of scope", why, 0) if why else ("DIFFERENT", ours[:150], 0)
    differs = difference(ours, theirs)
    if not differs:
        return "agree", "-", len(ours)
    own = reason(OWN, text)
    if [item.name for item in ours] == [item.name for item in theirs if item.name != "FILLER"]:
        own = own or "GnuCOBOL puts items whose level no group has into a FILLER"
    return ("GnuCOBOL's own", own, 0) if own else ("DIFFERENT", differs, 0)


def row(charpipe, folder, file):
    try:
        what, why, compared = verdict(charpipe, file)
    except subprocess.TimeoutExpired:
        what, why, compared = "out of scope", "cobc takes too long", 0
    owner, name, *path = file.relative_to(folder).parts
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return (f"{owner}/{name}", "/".join(path), digest, what, shown(why)), compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--charpipe", default="target/debug/charpipe")
    args = parser.parse_args()
    files = sorted(file for file in args.folder.glob("*/*/**/*") if file.is_file())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda file: row(args.charpipe, args.folder, file), files))
    seen, counts = set(), collections.Counter()
    print("id\trepository\tpath\tsha256\toutcome\twhy")
    for (repository, path, digest, what, why), compared in rows:
        if digest in seen:
            continue
        seen.add(digest)
        counts[what] += 1
        counts["items"] += compared
        print(len(seen), repository, path, digest, what, why, sep="\t")
        if what == "DIFFERENT":
            print(f"{repository}/{path}: {why}", file=sys.stderr)
    print(", ".join(f"{what}: {count}" for what, count in counts.most_common()), file=sys.stderr)
    sys.exit(counts["DIFFERENT"] > 0)


if __name__ == "__main__":
    main()
