"""Law 3: SQL lives in `queries/`; Python only names it."""

import ast
import re

import pytest

from tests.contracts.tree import ROOT, parse, python_files

READS_AND_WRITES = re.compile(
    r"""^[\s(]*(?:--[^\n]*\n\s*)*(?:
        (?:select|SELECT)\s | (?:with|WITH)\s+(?:recursive\s+)?\w+\s+(?:as|AS)\s*(?:\w+\s+)?\( |
        (?:insert|INSERT)\s+(?:or\s+\w+\s+)?(?:into|INTO)\s | (?:merge|MERGE)\s+(?:into|INTO)\s |
        (?:delete|DELETE)\s+(?:from|FROM)\s | (?:update|UPDATE)\s+\w+\s+(?:set|SET)\s |
        (?:create|CREATE)\s+(?:or\s+replace\s+|OR\s+REPLACE\s+)?(?:temp\w*\s+|TEMP\w*\s+)?
            (?:table|view|macro|type|index|sequence|TABLE|VIEW|MACRO|TYPE|INDEX|SEQUENCE)\s |
        (?:alter|ALTER|drop|DROP|truncate|TRUNCATE)\s+(?:table|view|TABLE|VIEW)\s |
        (?:from|FROM)\s+\w+\s+(?:select|SELECT)\s | (?:copy|COPY)\s+(?:\(|\w+\s+(?:to|from|TO|FROM)\s) |
        (?:comment|COMMENT)\s+(?:on|ON)\s | (?:unpivot|UNPIVOT|summarize|SUMMARIZE)\s
    )""",
    re.VERBOSE,
)
CONNECTION_ONLY = re.compile(
    r"^\s*(?:attach|ATTACH|detach|DETACH|checkpoint|CHECKPOINT|pragma|PRAGMA|begin|BEGIN|commit|COMMIT"
    r"|rollback|ROLLBACK)(?:\s+(?:transaction|TRANSACTION|if|IF|'|\"|\w+;)|\s*;?\s*$)"
)


def texts(path) -> list[tuple[int, str]]:
    """Line and text of each string in a file that is not a docstring; f-strings by their fixed parts."""
    tree = parse(path)
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
    }  # a bare string is documentation wherever it stands
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    parts = {id(part) for node in joined for part in node.values}
    found = [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings | parts
    ]
    for node in joined:
        pieces = [p.value if isinstance(p, ast.Constant) else "x" for p in node.values]
        found.append((node.lineno, "".join(str(piece) for piece in pieces)))
    return found


@pytest.mark.parametrize(
    ("text", "is_sql"),
    [
        ("select 1", True),
        ("\n  SELECT a FROM b", True),
        ("-- why\nselect a from b", True),
        ("with a as (select 1) select * from a", True),
        ("insert into sample values (1)", True),
        ("create or replace table x as", True),
        ("Select a signal from the list", False),
        ("update the store", False),
        ("with a policy", False),
        ("from a file", False),
        ("selected", False),
        ("copy sample to 'x.parquet'", True),
        ("copy or export it again", False),
    ],
)
def test_the_pattern_tells_sql_from_prose(text, is_sql):
    """The check below stands on this pattern."""
    assert bool(READS_AND_WRITES.match(text)) is is_sql


@pytest.mark.parametrize(
    "path",
    python_files("signals", "dashboard", "queries"),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_no_statement_stands_in_python(path):
    """Statements that read or write tables stand in `queries/*.sql`, in no Python file at all."""
    found = [(line, text[:60]) for line, text in texts(path) if READS_AND_WRITES.match(text)]
    assert found == [], f"{path}: move these to queries/"


@pytest.mark.parametrize(
    "path",
    [p for p in python_files("signals", "dashboard") if "store" not in p.relative_to(ROOT).parts],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_only_the_store_speaks_to_a_connection(path):
    """Attaching, checkpoints and transactions are the store's, and nobody else imports duckdb."""
    found = [(line, text[:60]) for line, text in texts(path) if CONNECTION_ONLY.match(text)]
    assert found == []
    imported = {
        name.split(".")[0]
        for node in ast.walk(parse(path))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert "duckdb" not in imported
