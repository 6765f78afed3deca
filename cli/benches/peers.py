#!/usr/bin/env python3
"""The ten recipes for memories as DuckDB and polars have them: `peers.py duckdb|polars NUMBER FILE`.

side_by_side.py runs this with an interpreter that has both packages (`pip install duckdb polars`). Neither needs to guess what
the records hold: their columns are given. FILE is the offloaded file; its header has none of these columns, and is left out.
"""

import sys

COLUMNS = {
    "id": "VARCHAR",
    "memory_type": "VARCHAR",
    "namespace": "VARCHAR",
    "title": "VARCHAR",
    "content": "VARCHAR",
    "created": "VARCHAR",
    "tags": "VARCHAR[]",
    "status": "VARCHAR",
    "provenance": "STRUCT(source_type VARCHAR, agent VARCHAR, trust_level VARCHAR, confidence DOUBLE)",
}

SQL = {
    1: "SELECT title, namespace FROM records",
    2: "SELECT * FROM records WHERE starts_with(namespace, '_semantic')",
    3: "SELECT * FROM records WHERE regexp_matches(title, 'keyword', 'i')",
    4: "SELECT id, title, namespace FROM records",
    5: "SELECT * FROM records WHERE memory_type = 'semantic'",
    6: "SELECT namespace, count(*) AS count FROM records GROUP BY namespace ORDER BY namespace",
    7: "SELECT * FROM records WHERE list_contains(tags, 'TAG')",
    8: "SELECT * FROM records ORDER BY created",
    9: "SELECT * FROM records ORDER BY provenance.confidence DESC",
    10: "SELECT * FROM records WHERE regexp_matches(content, 'pattern', 'i')",
}


def duckdb(number, file):
    """Runs a recipe in DuckDB."""
    import duckdb

    columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
    records = f"SELECT * FROM read_ndjson('{file}', columns={{{columns}}}, maximum_object_size=100000000) WHERE id IS NOT NULL"
    form = "FORMAT csv, DELIMITER '\t', HEADER false" if number == 1 else "FORMAT json"
    duckdb.sql(f"COPY (WITH records AS ({records}) {SQL[number]}) TO '/dev/stdout' ({form})")


def polars(number, file):
    """Runs a recipe in polars."""
    import polars as pl
    from polars import String, col

    provenance = pl.Struct({"source_type": String, "agent": String, "trust_level": String, "confidence": pl.Float64})
    schema = {name: String for name in COLUMNS} | {"tags": pl.List(String), "provenance": provenance}
    records = pl.scan_ndjson(file, schema=schema).filter(col("id").is_not_null())
    found = {
        1: lambda: records.select("title", "namespace"),
        2: lambda: records.filter(col("namespace").str.starts_with("_semantic")),
        3: lambda: records.filter(col("title").str.contains("(?i)keyword")),
        4: lambda: records.select("id", "title", "namespace"),
        5: lambda: records.filter(col("memory_type") == "semantic"),
        6: lambda: records.group_by("namespace").len("count").sort("namespace"),
        7: lambda: records.filter(col("tags").list.contains("TAG")),
        8: lambda: records.sort("created"),
        9: lambda: records.sort(col("provenance").struct.field("confidence"), descending=True),
        10: lambda: records.filter(col("content").str.contains("(?i)pattern")),
    }[number]().collect()
    if number == 1:
        found.write_csv(sys.stdout.buffer, separator="\t", include_header=False)
    else:
        found.write_ndjson(sys.stdout.buffer)


if __name__ == "__main__":
    {"duckdb": duckdb, "polars": polars}[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
