"""Calls the official connector. The calls are read from standard input, and their results written to standard output."""

import json
import sys

stand_in, source = sys.argv[1:]
sys.path.insert(0, source)
# What is installed is used rather than the stand-ins.
sys.path.append(stand_in)

import delta_sharing  # noqa: E402
import pandas  # noqa: E402
import pyarrow  # noqa: E402


def plain(value):
    if pandas.isna(value):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else value


def result(name, arguments):
    if name == "list_all_tables":
        tables = delta_sharing.SharingClient(**arguments).list_all_tables()
        return [f"{table.share}.{table.schema}.{table.name}" for table in tables]
    value = getattr(delta_sharing, name)(**arguments)
    if not isinstance(value, pandas.DataFrame):
        return value
    rows = [[plain(cell) for cell in row] for row in value.itertuples(index=False, name=None)]
    return {"columns": list(value.columns), "rows": rows}


def outcome(name, arguments):
    try:
        return {"result": result(name, arguments)}
    except Exception as error:
        return {"error": str(error)}


results = [outcome(**call) for call in json.load(sys.stdin)]
versions = {module.__name__: module.__version__ for module in (delta_sharing, pandas, pyarrow)}
json.dump({"versions": versions, "results": results}, sys.stdout)
