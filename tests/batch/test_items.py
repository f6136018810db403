"""From tables to items, and what is no table."""

import json

import pytest

from strap.batch.items import Reader
from strap.batch.rows import Row
from strap.batch.sources import entries
from strap.batch.table import export
from strap.errors import UsageError

parquet = pytest.importorskip("pyarrow.parquet")
pyarrow = pytest.importorskip("pyarrow")


def items(path, line=None):
    reader = Reader(line)
    return [reader.read(entry, number) for number, entry in enumerate(entries(path), 1)]


def table(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_three_kinds_of_tables_say_the_same(tmp_path):
    rows = [{"id": "a", "url": "https://a.example"}, {"id": "b", "url": "https://b.example/?q=1"}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    cells = "\ufeffid,url\r\n" + "".join(f'{row["id"]},"{row["url"]}"\r\n' for row in rows)
    columns = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), columns)
    tables = [table(tmp_path, "t.jsonl", lines), table(tmp_path, "t.csv", cells), columns]
    found = [items(each, "http fetch url={url}") for each in tables]
    assert found[0] == found[1] == found[2]
    assert [item.key for item in found[0]] == ["a", "b"]
    assert found[0][1].calls == ({"resource": "http", "action": "fetch", "url": rows[1]["url"]},)
    assert found[0][1].host == "b.example"


def test_a_line_is_a_call_or_several():
    call = {"resource": "http", "action": "fetch", "url": "a.example"}
    one = Reader().read({"id": 7, **call}, 1)
    assert (one.key, one.calls) == ("7", (call,))
    steps = ["browser launch", {"resource": "browser", "action": "text"}]
    several = Reader().read({"steps": steps}, 2)
    assert [each["action"] for each in several.calls] == ["launch", "text"]
    assert len(several.key) == 32


def test_what_stands_in_a_cell_stays_one_value():
    sly = "x max_tokens=1 #' \"; rm -rf / {id}"
    item = Reader("http fetch url={url} headers.X={url}").read({"url": sly}, 1)
    assert item.calls[0] == {
        "resource": "http", "action": "fetch", "url": sly, "headers": {"X": sly},
    }  # fmt: skip


@pytest.mark.parametrize("entry", [1, "abc", None, ["http help"]])
def test_an_item_of_a_program_that_is_no_dict(entry):
    with pytest.raises(UsageError, match=r"^Item 3: an item is a dict of fields, not "):
        Reader().read(entry, 3)


def test_keys_without_an_id_are_of_the_calls_whatever_their_order():
    one = Reader().read({"action": "fetch", "url": "x"}, 1)
    other = Reader().read({"url": "x", "action": "fetch"}, 2)
    assert one.key == other.key
    assert one.key != Reader().read({"action": "fetch", "url": "y"}, 1).key


WRONG = {
    "a.txt": ("x", "of no kind"),
    "none.csv": (None, "no file"),
    "a.csv": ("id,\n1,2\n", ":1 does not name"),
    "twice.csv": ("id,id\n1,2\n", ":1 does not name"),
    "empty.csv": ("", ":1 does not name"),
    "ragged.csv": ("id,url\n1,2\n1,2,3\n", ":3 has 3 cells"),
    "quote.csv": ('id,url\n1,"2\n', "is not valid CSV"),
    "latin.csv": (b"id\n\xff\n", "not UTF-8"),
    "parquet.csv": (b"PAR1\x15\x04\x15\x9e\xff\x00PAR1", "not UTF-8"),
    "csv.jsonl": ("id,url\na,https://a.example\n", ":1 is not valid JSON"),
    "lines.csv": ('{"id": "a", "url": "x"}\n{"id": "b", "url": "y"}\n', "no column 'id'"),
    "a.jsonl": ('{"action": "x"}\nhello\n', ":2 is not valid JSON"),
    "list.jsonl": ("[1]\n", ":1 is not a JSON object"),
    "deep.jsonl": ("[" * 100_000, ":1 is not valid JSON"),
    "a.parquet": ("id,url\n", "not a Parquet"),
    "steps.jsonl": ('{"steps": []}', "Item 1: 'steps'"),
    "mixed.jsonl": ('{"steps": ["http help"], "url": "x"}', "Item 1: 'steps'"),
    "step.jsonl": ('{"steps": [7]}', "Item 1: A step is"),
    "noaction.jsonl": ('{"url": "x"}', "Item 1: A call needs"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_table_is_named(name, tmp_path):
    text, said = WRONG[name]
    path = tmp_path / name if text is None else table(tmp_path, name, text)
    with pytest.raises(UsageError, match=said):
        items(path, None if path.suffix == ".jsonl" else "http fetch url={id}")


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(UsageError, match="Item 4: There is no column 'ur'"):
        Reader("http fetch url={ur}").read({"url": "x"}, 4)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    for place in (tmp_path / "no" / "out.csv", tmp_path / "no" / "out.jsonl"):
        with pytest.raises(UsageError, match=r"no/out\.\w+ cannot be written: No such file"):
            export([], place)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_rows_become_a_table_without_formulas(kind, tmp_path):
    row = Row(key="a", index=1, status="ok", text="=HYPERLINK(1)", seconds=0.5)
    path = tmp_path / f"t.{kind}"
    assert export([row], path, {"a": {"url": "x"}}) == 1
    found = next(iter(entries(path)))
    assert found["key"] == "a"
    assert found["text"] == ("'=HYPERLINK(1)" if kind == "csv" else "=HYPERLINK(1)")
    assert json.loads(found["input"]) == {"url": "x"}
    assert len([*tmp_path.iterdir()]) == 1
