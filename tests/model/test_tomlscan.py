"""The first look at a TOML text: where entries stand, and what is refused before a parser sees it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.errors import ModelError
from dalembert.model.tomlscan import MAX_KEY_PARTS, MAX_NESTING, MAX_WORD, scan

TEXT = '''# a comment with = and [brackets]
format = 1
coordinates = [ "x", # inside
  "y" ]

[parameters]
m = 1.0
"k.1" = 2
g="9.81"

[ draw . points ]
O = ["0", 'x']
[constraints]
rod.x   =   "x = l*sin(phi)"
'quoted' = 'y'  # ]
  long = """
x = "0"
"""
after = "z"
escaped = "a\\tb"
[[list]]
inner = { a = "1", b = [1, 2] }
'''


def test_lines():
    lines = scan(TEXT, "file").lines
    assert lines == {
        ("format",): 2,
        ("coordinates",): 3,
        ("parameters",): 6,
        ("parameters", "m"): 7,
        ("parameters", "k.1"): 8,
        ("parameters", "g"): 9,
        ("draw",): 11,
        ("draw", "points"): 11,
        ("draw", "points", "O"): 12,
        ("constraints",): 13,
        ("constraints", "rod"): 14,
        ("constraints", "rod", "x"): 14,
        ("constraints", "quoted"): 15,
        ("constraints", "long"): 16,
        ("constraints", "after"): 19,
        ("constraints", "escaped"): 20,
        ("list",): 21,
        ("list", "inner"): 22,
    }


def test_columns_of_texts():
    columns = scan(TEXT, "file").columns
    assert columns == {
        ("parameters", "g"): 4,
        ("constraints", "rod", "x"): 14,
        ("constraints", "quoted"): 13,
        ("constraints", "after"): 10,
    }
    for path, column in columns.items():
        line = TEXT.split("\n")[scan(TEXT, "file").lines[path] - 1]
        assert line[column - 2] in "\"'"


def test_the_first_of_two_entries_counts():
    assert scan("a = 1\na = 2\n[t]\n[t]\n", "file").lines == {("a",): 1, ("t",): 3}


@pytest.mark.parametrize(
    "text",
    [
        'a = """x"""',
        'a = """"x""""',  # a quote may stand right before the closing ones
        'a = """""x"""""',
        'a = """\\""""',
        'a = """\\\\"""',
        "a = ''''x''''",
        'a = ""',
        "a = ''",
        "a = '\\'",
        'a = "\\\\"',
        'a = "\\""',
        '"" = 1',
        "a = 1 # it's",
    ],
)
def test_strings_are_seen_as_the_parser_sees_them(text):
    tomllib.loads(text)
    end = scan(f"{text}\nb = 1", "file")
    assert end.lines[("b",)] == text.count("\n") + 2


def refused(text: str) -> tuple[int | None, int | None, str]:
    with pytest.raises(ModelError) as caught:
        scan(text, "file")
    (problem,) = caught.value.problems
    assert problem.file == "file"
    return problem.line, problem.column, problem.text


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("\na = " + "[" * (MAX_NESTING + 1), 2, 5 + MAX_NESTING, f"brackets nested deeper than {MAX_NESTING} levels"),
        ("a = " + "[{a = " * 1000, 1, 65, f"brackets nested deeper than {MAX_NESTING} levels"),
        ("a" * (MAX_WORD + 1) + " = 1", 1, 1, f"a key of {MAX_WORD + 1} characters; at most {MAX_WORD} are read"),
        ("'" + "a" * MAX_WORD + "' = 1", 1, 1, "a key of 202 characters"),
        (
            "[t]\na = " + "1" * 5000,
            2,
            5,
            "a number of 5000 characters; at most 200 are read (expressions go in quotes)",
        ),
        ("a = " + "1_" * 5000, 1, 5, "a number of 10000 characters"),
        ("a = 0x" + "f" * 5000, 1, 5, "a number of 5002 characters"),
        ("a." * MAX_KEY_PARTS + "a.a = 1", 1, 18, f"a dotted key of more than {MAX_KEY_PARTS} parts"),
        ("a." * 20_000 + "a = 1", 1, 18, f"a dotted key of more than {MAX_KEY_PARTS} parts"),
        ("[" + "a." * 20_000 + "a]", 1, 19, f"a dotted key of more than {MAX_KEY_PARTS} parts"),
        ("a = {" + "a." * 20_000 + "a = 1}", 1, 167, f"a dotted key of more than {MAX_KEY_PARTS} parts"),
        ('a = "x', 1, 5, "a string is never closed; it ends with the quote it began with"),
        ("a = 'x\n'", 1, 5, "a string is never closed"),
        ('a = 1\nb = """x\n\n', 2, 5, "a string is never closed"),
        ("b = '''x''\n", 1, 5, "a string is never closed"),
        ('a = "x\\\ny"', 1, 5, "a string is never closed"),
        ("a = x'^2/2", 1, 6, 'expressions stand in double quotes: kinetic = "x\'^2/2"'),
        ("a = 'x'^2/2'", 1, 12, "expressions stand in double quotes"),
        ("a = '2*(x')'", 1, 12, "expressions stand in double quotes"),
        ("a = [\n  1, x',\n]", 2, 7, "expressions stand in double quotes"),
        ('a = ["b", \'x', 1, 11, "a string is never closed"),
        ("phi' = 1", 1, 4, 'a key with a prime is quoted: "phi\'" = 0'),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_refused(text, line, column, words):
    found = refused(text)
    assert found[:2] == (line, column)
    assert words in found[2]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "]" * 200_000,
        "[" + "a " * 100_000 + "]" * 100_000,
        "a " * 100_000 + "=" + '"" ' * 100_000,
        "a = " + " " * 500_000 + "1 1",
        '"' * 500_000,
        "'" * 500_000,
        "\\" * 500_000,
        '\\""" "\n' * 100_000,
        "a = 1\n" + "#" * 500_000,
        'a = "' + '\\"' * 250_000,
        'a = """' + '""\\"' * 100_000,
        "a = [" + "[]," * 100_000,
        "=" * 500_000,
        "." * 80,
        "a = {" + "a = {}," * 50_000 + "}",
    ],
    ids=lambda text: text[:20],
)
def test_long_texts_take_a_moment(text):
    """Each of these would take minutes, were anything in the scan quadratic."""
    try:
        scan(text, "file")
    except ModelError as error:
        assert len(str(error)) < 200


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="ab .=[]{}\"'\\\n#,1é", max_size=60))
def test_any_text(text):
    """Whatever is not refused and is TOML has its top entries in the index, at the lines where they stand."""
    try:
        index = scan(text, "file")
        data = tomllib.loads(text)
    except (ModelError, tomllib.TOMLDecodeError):
        return
    lines = text.split("\n")
    for path, line in index.lines.items():
        assert 1 <= line <= len(lines)
        assert all(part in lines[line - 1] for part in path[-1:])
    for key in data:
        assert any(path[:1] == (key,) or "\\" in "".join(path) for path in index.lines)


@pytest.mark.parametrize("key", ['"x\\u0027"', '"\\u0078\'"', "'x'", '"\\q"', '"x\\U00000027"'])
def test_keys_with_escapes_have_their_line(key):
    name = "\\q" if "q" in key else "x" if key == "'x'" else "x'"
    index = scan(f"[initial]\na = 1\n{key} = 'zz'", "file")
    assert index.lines["initial", name] == 3
    assert index.columns["initial", name] == len(key) + 5
