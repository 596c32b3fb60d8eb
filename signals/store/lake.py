"""A lake: rows in Parquet files by service and day, and a small store file, the index, that tells of them.

Whoever opens a lake sees its files in the place of the index's tables, which are empty. A load goes into the
tables of a draft, beside the lake's files; in the end its rows become new files, and a new index takes the
place of the old one. Files that are no longer part of the lake are removed when nobody reads.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path

import duckdb
import polars as pl

from signals.errors import QueryError, StoreError
from signals.store.lake_files import TABLES, move, new_path, settle_down
from signals.store.place import DRAFTS, INDEX, replace
from signals.store.sql import execute, load_query, run, script

__all__ = ["MOST_FILES", "Draft", "Part", "ask", "drafted", "narrowed", "open_files", "take_back"]

MOST_FILES = 24
"""Files that a day of a service may have in a table; the next write makes one of them."""
_ABOUT = (
    *("bounds", "finding", "lake_file", "reject"),
    *("series", "source", "target", "target_pool"),
)
_DAY = timedelta(days=1)
_ROWS_OF_A_SOURCE = 1 << 40
_NO_LOOK_BACK = {"gap_us": 0, "window_ticks": 0}


@dataclass(frozen=True)
class Part:
    """What a change of a lake is about, if not the whole.

    Attributes:
        service: whose rows change; files of others are not looked at.
        lost: paths of files that are given up, below the lake's folder.
    """

    service: str
    lost: tuple[str, ...] = ()


def open_files(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Let a reader of the index see the lake's files, and no others.

    Args:
        connection: which entered the index, before it loses access to files.
        folder: of the lake.
    """
    execute(connection, "lake/enter_reading")
    connection.execute("set search_path = 'memory.whole,fleet.main'").fetchall()
    files = run(connection, "lake/files")
    paths = [str(folder / path) for path in files["path"]]
    connection.execute("set allowed_paths = $paths", {"paths": paths}).fetchall()
    _define_views(connection, folder, files)


def ask(
    connection: duckdb.DuckDBPyConnection, name: str, params: Mapping[str, object]
) -> pl.DataFrame:
    """Run a query as `sql.run` does; of a lake, only files of the service and days it asks for are opened.

    Args:
        connection: of a reader.
        name: of a query.
        params: values by parameter name.

    Raises:
        QueryError: wrong parameters, or a value that does not convert.
    """
    with narrowed(connection, {key: params.get(key) for key in load_query(name).params}):
        return run(connection, name, params)


@contextmanager
def narrowed(connection: duckdb.DuckDBPyConnection, params: Mapping[str, object]) -> Iterator[None]:
    """Let only those files of a lake be seen that the service and days of a question need.

    Args:
        connection: of a reader.
        params: of one query, or of several about the same time together.
    """
    files = run(connection, "lake/files")
    few = None if files.is_empty() else _needed(connection, params)
    if few is None or few.height == files.height:
        yield
        return
    folder = Path(run(connection, "lake/index")["path"][0]).parent
    _define_views(connection, folder, few)
    yield
    _define_views(connection, folder, files)


def _needed(
    connection: duckdb.DuckDBPyConnection, params: Mapping[str, object]
) -> pl.DataFrame | None:
    """Files with all rows that such a question can tell of; None if it asks for the whole lake."""
    if "service" not in params:
        return None
    which = "service"
    if "first_us" in params:
        which = "ticks"
    elif "first" in params:
        which = "log"
    known = {**_NO_LOOK_BACK, **params}
    try:
        wanted = load_query(f"lake/files_of_{which}").params
        return run(connection, f"lake/files_of_{which}", {key: known[key] for key in wanted})
    except (KeyError, QueryError):
        return None  # what is wrong with them is told by the query itself


def take_back(
    connection: duckdb.DuckDBPyConnection,
    index: Path,
    sources: Sequence[int],
    part: Part | None = None,
) -> None:
    """Make rows of sources rows of tables again, with all that share files with them.

    Args:
        connection: of a writer; of a store without files nothing changes.
        index: the store's file.
        sources: numbers of sources.
        part: what the change is about; None for the whole lake.
    """
    taken = run(connection, "lake/files_of_sources", {"sources": list(sources)})
    if not taken.is_empty():
        _return_rows(connection, index.parent, taken)
        _define_views(connection, index.parent, _files(connection, part))


def _files(connection: duckdb.DuckDBPyConnection, part: Part | None) -> pl.DataFrame:
    if part is None:
        return run(connection, "lake/files")
    return run(connection, "lake/files_of_service", {"service": part.service})


def _return_rows(connection: duckdb.DuckDBPyConnection, folder: Path, files: pl.DataFrame) -> None:
    """Put rows of files into the tables; the files are no longer part of the lake."""
    for (table,), rows in files.group_by("table_name", maintain_order=True):
        paths = [str(folder / path) for path in rows["path"]]
        connection.read_parquet(paths, hive_partitioning=False).insert_into(f"main.{table}")
    execute(connection, "lake/delete_files", {"paths": files["path"].to_list()})


def _define_views(connection: duckdb.DuckDBPyConnection, folder: Path, files: pl.DataFrame) -> None:
    """Views under the names of the tables: the rows of the files, then those of the table itself."""
    for table in TABLES:
        paths = [str(folder / path) for path in files.filter(table_name=table)["path"]]
        _whole(connection, table, paths).create_view(table, replace=True)
    execute(connection, "lake/drop_sample")
    for text in script("schema"):
        if text.startswith("-- sample:"):
            connection.execute(text).fetchall()


def _whole(
    connection: duckdb.DuckDBPyConnection, table: str, paths: Sequence[str]
) -> duckdb.DuckDBPyRelation:
    rows = connection.table(f"main.{table}")
    column = duckdb.ColumnExpression
    if TABLES[table] == "arrival":
        names = [column(name) for name in rows.columns]
        rows = rows.select(*names, column("rowid").alias("rowid"))
    if not paths:
        return rows
    if TABLES[table] != "arrival":
        return connection.read_parquet(list(paths), hive_partitioning=False).union(rows)
    # numbered as they would be in one table: source by source, in each as they were read
    number = column("source_id").cast(duckdb.sqltypes.BIGINT) * duckdb.ConstantExpression(
        _ROWS_OF_A_SOURCE
    ) + column("file_row_number")
    stored = connection.read_parquet(
        list(paths), hive_partitioning=False, file_row_number=True
    ).select(*names, number.alias("rowid"))
    return stored.union(rows)


@dataclass
class Draft:
    """A change of a lake that nobody sees yet.

    Attributes:
        index: the lake's index; it need not exist.
        folder: of what is being written.
    """

    index: Path
    folder: Path
    _moves: dict[Path, Path] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        """A store file for the tables that change."""
        return self.folder / "work.duckdb"

    @property
    def new_index(self) -> Path:
        """The index to be."""
        return self.folder / INDEX

    def open(self, connection: duckdb.DuckDBPyConnection, part: Part | None = None) -> None:
        """Start from what the lake holds.

        Args:
            connection: to the new store at `work`, in a transaction.
            part: what the change is about; None for the whole lake.
        """
        if self.index.exists():
            # a store that was given an index's name has rows of its own
            _copy_tables(connection, self.index, (*_ABOUT, *TABLES))
        if part is None:
            crowded = run(connection, "lake/crowded_files", {"most": MOST_FILES})
            _return_rows(connection, self.index.parent, crowded)
        else:
            execute(connection, "lake/delete_files", {"paths": list(part.lost)})
        execute(connection, "lake/enter_writing")
        connection.execute("set search_path = 'whole,main'").fetchall()
        _define_views(connection, self.index.parent, _files(connection, part))

    def write(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Write new rows into files.

        Args:
            connection: as it was opened.
        """
        written = [
            row for table, owner in TABLES.items() for row in self._parts(connection, table, owner)
        ]
        if not written:
            return
        schema_overrides = {"sources": pl.List(pl.Int32)}
        connection.register("chunk", pl.DataFrame(written, schema_overrides=schema_overrides))
        try:
            execute(connection, "lake/insert_files")
        finally:
            connection.unregister("chunk")

    def _parts(
        self, connection: duckdb.DuckDBPyConnection, table: str, owner: str
    ) -> Iterator[dict[str, object]]:
        # query_table overlooks a schema before which no database stands, and knows no rowid
        full = {"table": f"{self.work.stem}.main.{table}"}
        name: dict[str, object] = {} if owner == "arrival" else {**full}
        for part in run(connection, f"lake/parts_by_{owner}", name).iter_rows(named=True):
            first = datetime.combine(part["day"], time_of_day(), UTC)
            file = self.folder / f"{len(self._moves)}.parquet"
            execute(
                connection,
                f"lake/write_by_{owner}",
                {
                    **name,
                    "service": part["service"],
                    "first": first,
                    "last": first + _DAY,
                    "path": str(file),
                },
            )
            path = new_path(table, part["service"], part["day"])
            self._moves[file] = self.index.parent / path
            yield {**part, "table_name": table, "path": path}

    def keep(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Fill the index to be.

        Args:
            connection: to the new store at `new_index`, in a transaction; that of `work` is closed.
        """
        _copy_tables(connection, self.work, _ABOUT)

    def publish(self) -> None:
        """Make the draft the lake: the files go to their places, then the index does.

        Raises:
            StoreError: the folder does not take them; the lake is as it was.
        """
        move(self._moves)
        try:
            replace(self.new_index, self.index)
        except StoreError:
            for target in self._moves.values():
                target.unlink(missing_ok=True)
            raise
        settle_down(self.index.parent)


@contextmanager
def drafted(index: Path) -> Iterator[Draft]:
    """A draft for the holder of the lock; what it leaves is removed, and what killed ones left.

    Args:
        index: the lake's index.

    Raises:
        StoreError: the folder cannot be written.
    """
    folder = index.parent / DRAFTS
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise StoreError(
            "the folder of the lake cannot be written",
            where=str(index.parent),
            hint=error.strerror or str(error),
        ) from error
    try:
        yield Draft(index, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_tables(connection: duckdb.DuckDBPyConnection, file: Path, tables: Sequence[str]) -> None:
    """Take over tables of another store file, which is left as it is."""
    execute(connection, "lake/attach", {"path": str(file)})
    for table in tables:
        connection.table(f"other.main.{table}").insert_into(f"main.{table}")
