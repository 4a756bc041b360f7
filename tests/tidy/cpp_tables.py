# SPDX-License-Identifier: Apache-2.0
"""Reads the texts out of the C++ tables, so that tests and docs follow the tables that the program follows."""

import re

TOKEN = re.compile(r'//[^\n]*|"((?:\\.|[^"\\])*)"|([{}])|(,)|([^\s{},"]+)')


def rows_of(text, table):
    """The rows of `... table[] = {{...}, ...};`, each a list of fields; texts without quotes, adjacent ones joined."""
    begin = re.search(rf"\b{table}\[\]\s*=\s*", text)
    if not begin:
        raise ValueError(f"no table {table}[]")
    rows, depth, fields = [], 0, None
    for match in TOKEN.finditer(text, begin.end()):
        literal, brace, comma, other = match.group(1), match.group(2), match.group(3), match.group(4)
        if brace == "{":
            depth += 1
            if depth == 2:
                fields = [None]
        elif brace == "}":
            depth -= 1
            if depth == 1:
                rows.append(fields)
            elif depth == 0:
                return rows
        elif depth >= 2 and comma:
            if depth == 2:
                fields.append(None)
        elif depth == 2 and literal is not None:
            fields[-1] = (fields[-1] or "") + literal
        elif depth == 2 and other:
            fields[-1] = (fields[-1] or "") + other
    raise ValueError(f"table {table}[] has no end")
