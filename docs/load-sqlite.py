#!/usr/bin/env python3
"""Loads a CSV file into an SQLite database, and prints the result of a query: load-sqlite.py CSV QUERY.

The table has the name of the file. With the sqlite3 command, use `.import --csv FILE TABLE`.
"""

import csv
import pathlib
import sqlite3
import sys


def identifier(name):
    """Returns a name as SQL writes it, whatever is in it: a quotation mark is written twice."""
    return '"' + name.replace('"', '""') + '"'


path, query = pathlib.Path(sys.argv[1]), sys.argv[2]
with path.open(newline="", encoding="utf-8") as file:
    rows = csv.reader(file)
    header = next(rows)
    columns = ", ".join(f"{identifier(name)} NUMERIC" for name in header)
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE {identifier(path.stem)} ({columns})")
    marks = ", ".join("?" for _ in header)
    database.executemany(f"INSERT INTO {identifier(path.stem)} VALUES ({marks})", rows)
for row in database.execute(query):
    print(*row, sep="|")
