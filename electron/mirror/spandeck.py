"""Reads the stored tables that Spandeck mirrored into the folder of this file.

    import spandeck

    m = spandeck.open()            # or spandeck.open("/path/to/the/mirror")
    m.tables()                     # names, rows, age, and what is missing
    m.spans()                      # a table as a frame of pandas or polars, or a DuckDB relation
    m.spans(columns=["id", "name"], using="polars")
    m.sql("SELECT name, count(*) FROM spans GROUP BY ALL")

Needs Python 3.9 or later, and one of: pandas with pyarrow, polars, duckdb. `sql` needs duckdb. Nothing is sent
anywhere. Columns that hold JSON are texts: `m.table_info("spans").json_columns` names them.
"""

from __future__ import annotations

import collections
import difflib
import importlib
import importlib.util
import io
import json
import os
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Sequence

FORMAT = "spandeck-mirror"
VERSION = 1
LIBRARIES = ("pandas", "polars", "duckdb")
NEEDS = {"pandas": ("pandas", "pyarrow"), "polars": ("polars",), "duckdb": ("duckdb",)}


class MirrorError(Exception):
    """A mirror that cannot be read, or an argument that does not fit it."""


@dataclass(frozen=True)
class Table:
    """One table of a mirror. Times are ISO 8601 texts in UTC."""

    name: str
    title: str
    rows: int
    #: False if rows of the service are not stored.
    complete: bool
    #: Missing rows, in words.
    missing: str | None
    #: When its oldest and newest rows were read from the service.
    oldest_read_at: str | None
    newest_read_at: str | None
    columns: tuple[str, ...]
    #: DuckDB's name of the type of each column.
    types: dict[str, str]
    json_columns: tuple[str, ...]
    #: Paths of its Parquet files, in the order of the rows.
    files: tuple[str, ...]


def open(folder: str | os.PathLike[str] | None = None) -> Mirror:  # noqa: A001
    """The mirror in a folder; by default the folder of this file. Raises MirrorError if there is none."""
    return Mirror(os.path.dirname(os.path.abspath(__file__)) if folder is None else folder)


class Mirror:
    """The tables of one mirror. Each is also a method: `m.spans()` is `m.table("spans")`."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.path.abspath(os.fspath(folder))
        self._duckdb: Any = None
        self._tables: dict[str, Table] = {}
        self.catalog: dict[str, Any] = {}
        self.reload()

    def reload(self) -> None:
        """Reads the catalog again, after Spandeck has refreshed the mirror."""
        self.catalog = _read_catalog(self.folder)
        self._tables = {name: _table_of(self.folder, name, entry) for name, entry in self.catalog["tables"].items()}

    @property
    def written_at(self) -> str:
        """When the mirror was last refreshed, ISO 8601 in UTC."""
        return self.catalog["writtenAt"]

    @property
    def masked_fields(self) -> tuple[str, ...]:
        """Patterns of the fields whose values Spandeck replaced by `[redacted]`."""
        return tuple(self.catalog["privacy"]["maskedFields"])

    def tables(self) -> list[Table]:
        """All tables, by name."""
        return list(self._tables.values())

    def table_info(self, name: str) -> Table:
        """One table: rows, age, columns and files. Raises MirrorError if there is none of this name."""
        found = self._tables.get(name)
        if found is not None:
            return found
        raise MirrorError(f"Expected the name of a table, got {name!r}.{_suggestion(name, self._tables)}")

    def table(self, name: str, columns: Sequence[str] | None = None, using: str | None = None) -> Any:
        """The rows of a table, with all or some columns.

        `using`: "pandas", "polars" or "duckdb"; by default the first of them that is installed.
        """
        library = _library(using)
        return self._load(lambda: _LOADERS[library](self, self.table_info(name), self._chosen(name, columns)), [name])

    def sql(self, query: str, using: str | None = None) -> Any:
        """The result of a SELECT over all tables by their names: a DuckDB relation, or a frame of `using`.

        `name_of('ID')` is the name of an application, dataset or experiment, as the columns of these names have it.
        """
        _need("duckdb", "SQL")
        if using is not None:
            _need(_library(using), f"using={using!r}")

        def run() -> Any:
            connection = self._connection()
            self._define(connection)
            self._warn_of_names(query)
            for each in self.tables():
                connection.execute(f"CREATE OR REPLACE VIEW {_quoted(each.name)} AS {_select(each, each.columns)}")
            relation = connection.sql(query)
            if relation is None:
                raise MirrorError("Expected a SELECT: the tables of a mirror are only read.")
            if using == "pandas":
                return relation.df()
            return relation.pl() if using == "polars" else relation

        return self._load(run, list(self._tables))

    def _define(self, connection: Any) -> None:
        """Functions that the notebook code of Spandeck uses."""
        rows = ", ".join(f"({_text(id)}, {_text(name)})" for id, name in self.catalog["names"].items())
        # The name of an application, dataset or experiment, which the tables have instead of its id.
        connection.execute(
            "CREATE OR REPLACE TEMP MACRO name_of(wanted) AS coalesce("
            f"(SELECT name FROM (VALUES {rows or '(NULL, NULL)'}) AS names(id, name) WHERE id = wanted), wanted)"
        )
        # The number of a value, or the milliseconds since 1970 of a time.
        connection.execute(
            "CREATE OR REPLACE TEMP MACRO axis_of(value) AS coalesce(TRY_CAST(CAST(value AS VARCHAR) AS DOUBLE), "
            "epoch_us(TRY_CAST(CAST(value AS VARCHAR) AS TIMESTAMPTZ)) / 1000.0)"
        )
        # -1, 0 or 1: a value against a text, as times or numbers in columns of these, otherwise as texts.
        connection.execute(
            "CREATE OR REPLACE TEMP MACRO compared(value, wanted) AS CASE "
            "WHEN typeof(value) LIKE 'TIMESTAMP%' OR typeof(value) = 'DATE' THEN sign("
            "epoch_us(TRY_CAST(CAST(value AS VARCHAR) AS TIMESTAMPTZ)) - epoch_us(TRY_CAST(wanted AS TIMESTAMPTZ))) "
            "WHEN CAST(value AS VARCHAR) = wanted THEN 0 "
            "WHEN typeof(value) IN ('VARCHAR', 'BOOLEAN') THEN CASE WHEN CAST(value AS VARCHAR) < wanted THEN -1 "
            "WHEN CAST(value AS VARCHAR) > wanted THEN 1 END "
            # Whole numbers may have more digits than a DOUBLE.
            "WHEN typeof(value) LIKE '%INT' AND TRY_CAST(wanted AS DECIMAL(38, 9)) IS NOT NULL THEN "
            "sign(TRY_CAST(CAST(value AS VARCHAR) AS DECIMAL(38, 9)) - TRY_CAST(wanted AS DECIMAL(38, 9))) "
            "ELSE sign(TRY_CAST(CAST(value AS VARCHAR) AS DOUBLE) - TRY_CAST(wanted AS DOUBLE)) END"
        )

    def _warn_of_names(self, query: str) -> None:
        """Rows are found by names, so records of the same name are not told apart."""
        names: dict[str, str] = self.catalog["names"]
        counts = collections.Counter(names.values())
        for id, name in names.items():
            if counts[name] > 1 and f"name_of({_text(id)})" in query:
                warnings.warn(
                    f"{counts[name]} applications, datasets or experiments have the name {name!r}: "
                    "the result has the rows of all of them that are of the same kind.",
                    stacklevel=5,
                )

    def _load(self, load: Callable[[], Any], names: Sequence[str]) -> Any:
        try:
            return load()
        except MirrorError:
            raise
        except Exception as problem:
            # A refresh removes files that its catalog does not name.
            files = [file for name in names for file in self.table_info(name).files]
            if all(os.path.exists(file) for file in files):
                raise
            self.reload()
            try:
                return load()
            except MirrorError:
                raise
            except Exception:
                raise MirrorError(
                    f"Expected the files that {os.path.join(self.folder, 'catalog.json')} names, but some are gone. "
                    "Refresh the mirror in Spandeck, then try again."
                ) from problem

    def _chosen(self, name: str, columns: Sequence[str] | None) -> tuple[str, ...]:
        known = self.table_info(name).columns
        if columns is None:
            return known
        if isinstance(columns, str):
            raise MirrorError(f"Expected a list of columns, got the text {columns!r}. Write columns=[{columns!r}].")
        for each in columns:
            if each not in known:
                raise MirrorError(f"Expected columns of {name}, got {each!r}.{_suggestion(each, known)}")
        return tuple(columns)

    def _connection(self) -> Any:
        if self._duckdb is None:
            self._duckdb = importlib.import_module("duckdb").connect()
            self._duckdb.execute("SET TimeZone = 'UTC'")
        return self._duckdb

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in self.__dict__.get("_tables", {}):
            raise AttributeError(f"This mirror has no table {name!r}.{_suggestion(name, self.__dict__.get('_tables', {}))}")

        def read(columns: Sequence[str] | None = None, using: str | None = None) -> Any:
            return self.table(name, columns, using)

        read.__name__ = name
        read.__doc__ = self._tables[name].title
        return read

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._tables})

    def __repr__(self) -> str:
        lines = [f"Mirror of {self.catalog['connection']['name']}, written {self.written_at}, in {self.folder}"]
        for each in self.tables():
            rest = "" if each.missing is None else f" ({each.missing})"
            lines.append(f"  {each.name}: {each.rows:,} rows{rest}")
        return "\n".join(lines)


def _read_catalog(folder: str) -> dict[str, Any]:
    path = os.path.join(folder, "catalog.json")
    again = "Write it with: spandeck mirror FOLDER"
    try:
        with io.open(path, encoding="utf-8") as file:
            catalog = json.load(file)
    except FileNotFoundError:
        raise MirrorError(f"Expected a mirror, but {folder} has no catalog.json. {again}") from None
    except ValueError as problem:
        raise MirrorError(f"Expected JSON in {path}, got: {problem}. {again}") from problem
    if not isinstance(catalog, dict) or catalog.get("format") != FORMAT:
        raise MirrorError(f"Expected the catalog of a mirror in {path}, got other JSON. {again}")
    if catalog.get("version") != VERSION:
        raise MirrorError(
            f"Expected version {VERSION} of a mirror, got version {catalog.get('version')!r} in {path}. "
            "Use the spandeck.py that lies in the same folder."
        )
    return catalog


def _table_of(folder: str, name: str, entry: dict[str, Any]) -> Table:
    columns = entry["columns"]
    return Table(
        name=name,
        title=entry["title"],
        rows=entry["rows"],
        complete=entry["complete"],
        missing=entry["missing"],
        oldest_read_at=entry["oldestReadAt"],
        newest_read_at=entry["newestReadAt"],
        columns=tuple(each["name"] for each in columns),
        types={each["name"]: each["type"] for each in columns},
        json_columns=tuple(each["name"] for each in columns if each.get("json")),
        files=tuple(os.path.join(folder, *each["path"].split("/")) for each in entry["files"]),
    )


def _suggestion(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, list(known), n=3)
    if near:
        return f" Did you mean {' or '.join(near)}?"
    names = ", ".join(list(known)[:20])
    return f" There are: {names}{', …' if len(known) > 20 else ''}." if names else " The mirror has no tables."


def _is_there(library: str) -> bool:
    return all(importlib.util.find_spec(each) is not None for each in NEEDS[library])


def _need(library: str, purpose: str) -> None:
    if not _is_there(library):
        packages = " ".join(NEEDS[library])
        raise MirrorError(f"{purpose} expects {' and '.join(NEEDS[library])}. Install it with: pip install {packages}")


def _library(using: str | None) -> str:
    if using is not None:
        if using not in LIBRARIES:
            raise MirrorError(f"using expects one of {', '.join(LIBRARIES)}; got {using!r}.")
        _need(using, f"using={using!r}")
        return using
    for each in LIBRARIES:
        if _is_there(each):
            return each
    raise MirrorError(
        "Expected one of these packages, but none is installed: pandas with pyarrow, polars, duckdb. "
        "Install one of them, such as: pip install polars"
    )


def _read_pandas(mirror: Mirror, table: Table, columns: Sequence[str]) -> Any:
    pandas = importlib.import_module("pandas")
    if not table.files:
        return pandas.DataFrame(columns=list(columns))
    arrow = importlib.import_module("pyarrow")
    parquet = importlib.import_module("pyarrow.parquet")
    # One file at a time: a list of paths would be read as the name of a column where a folder has an "=".
    parts = [parquet.ParquetFile(file).read(columns=list(columns)) for file in table.files]
    # Columns of whole numbers keep their missing values and all digits.
    return arrow.concat_tables(parts).select(list(columns)).to_pandas(types_mapper=pandas.ArrowDtype)


def _read_polars(mirror: Mirror, table: Table, columns: Sequence[str]) -> Any:
    polars = importlib.import_module("polars")
    if not table.files:
        return polars.DataFrame(schema=list(columns))
    parts = [polars.read_parquet(file, columns=list(columns), glob=False, hive_partitioning=False) for file in table.files]
    return polars.concat(parts).select(list(columns))


def _read_duckdb(mirror: Mirror, table: Table, columns: Sequence[str]) -> Any:
    return mirror._connection().sql(_select(table, columns))


_LOADERS = {"pandas": _read_pandas, "polars": _read_polars, "duckdb": _read_duckdb}


def _select(table: Table, columns: Sequence[str]) -> str:
    if table.files:
        files = ", ".join(_text(_unglobbed(file)) for file in table.files)
        names = ", ".join(_quoted(each) for each in columns) or "*"
        return f"SELECT {names} FROM read_parquet([{files}], hive_partitioning = false)"
    empty = ", ".join(f"CAST(NULL AS {table.types[each]}) AS {_quoted(each)}" for each in columns)
    return f"SELECT {empty or 'NULL AS nothing'} LIMIT 0"


def _unglobbed(path: str) -> str:
    return "".join(f"[{each}]" if each in "[*?" else each for each in path)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
