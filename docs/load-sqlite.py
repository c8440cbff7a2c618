#!/usr/bin/env python3
"""Loads a CSV file into an SQLite database, and prints the result of a query: load-sqlite.py CSV QUERY.

The table has the name of the file. With the sqlite3 command, use `.import --csv FILE TABLE`.
"""

import csv
import pathlib
import sqlite3
import sys

path, query = pathlib.Path(sys.argv[1]), sys.argv[2]
with path.open(newline="", encoding="utf-8") as file:
    rows = csv.reader(file)
    header = next(rows)
    columns = ", ".join(f'"{name}" NUMERIC' for name in header)
    database = sqlite3.connect(":memory:")
    database.execute(f'CREATE TABLE "{path.stem}" ({columns})')
    marks = ", ".join("?" for _ in header)
    database.executemany(f'INSERT INTO "{path.stem}" VALUES ({marks})', rows)
for row in database.execute(query):
    print(*row, sep="|")
