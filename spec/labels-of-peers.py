#!/usr/bin/env python3
"""Prints the names that other converters have for charsets, for spec/peer-labels.tsv.

    spec/labels-of-peers.py > spec/peer-labels.tsv
    CHARPIPE_WRITE_LABELS=1 cargo test -p charpipe --test it -- labels::

The first line writes the columns `label` and `peers`, the second one fills in
`codec` and `reason`. The peers are the installed iconv (glibc), uconv (ICU),
Python and JDK, and the code page identifiers of Windows, which are listed
here. Uses only the standard library.
"""
import encodings
import encodings.aliases
import pathlib
import pkgutil
import subprocess
import tempfile

# https://learn.microsoft.com/windows/win32/intl/code-page-identifiers
WINDOWS = """
37 437 500 708 709 710 720 737 775 850 852 855 857 858 860 861 862 863 864 865 866 869 870 874 875 932 936 949 950
1026 1047 1140 1141 1142 1143 1144 1145 1146 1147 1148 1149 1200 1201 1250 1251 1252 1253 1254 1255 1256 1257 1258 1361
10000 10001 10002 10003 10004 10005 10006 10007 10008 10010 10017 10021 10029 10079 10081 10082 12000 12001 20000 20001
20002 20003 20004 20005 20105 20106 20107 20108 20127 20261 20269 20273 20277 20278 20280 20284 20285 20290 20297 20420
20423 20424 20833 20838 20866 20871 20880 20905 20924 20932 20936 20949 21025 21027 21866 28591 28592 28593 28594 28595
28596 28597 28598 28599 28603 28605 29001 38598 50220 50221 50222 50225 50227 50229 50930 50931 50933 50935 50936 50937
50939 51932 51936 51949 51950 52936 54936 57002 57003 57004 57005 57006 57007 57008 57009 57010 57011 65000 65001
"""

JAVA = """
import java.nio.charset.Charset;

class Names {
    public static void main(String[] args) {
        for (Charset charset : Charset.availableCharsets().values()) {
            System.out.println(charset.name());
            charset.aliases().forEach(System.out::println);
        }
    }
}
"""


def lines_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def jdk():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "Names.java")
        path.write_text(JAVA, encoding="ascii")
        return lines_of("java", str(path))


def main():
    modules = [module.name for module in pkgutil.iter_modules(encodings.__path__)]
    peers = {
        "glibc": [name.strip().removesuffix("//") for name in lines_of("iconv", "-l")],
        "icu": [name for line in lines_of("uconv", "-l") for name in line.split()],
        "jdk": jdk(),
        "python": [*encodings.aliases.aliases, *encodings.aliases.aliases.values(), *modules],
        "windows": [form + number for number in WINDOWS.split() for form in ("", "CP", "windows-")],
    }
    users = {}
    for peer, names in peers.items():
        for name in filter(None, names):
            users.setdefault(name, set()).add(peer)
    print("# Written by spec/labels-of-peers.py and the test `labels`.")
    print("label\tpeers\tcodec\treason")
    for name in sorted(users, key=lambda name: (name.lower(), name)):
        print(name, ",".join(sorted(users[name])), "-", "-", sep="\t")


if __name__ == "__main__":
    main()
