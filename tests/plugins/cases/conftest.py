"""Case files of a text."""

from textwrap import dedent

import pytest

from strap_cases.problems import BadCases
from strap_cases.reading import read_cases


@pytest.fixture
def read(tmp_path):
    """Read a text as a case file; settings that every file needs are given."""

    def read_text(text, *, name="shop.case.md", base_url="http://shop.test", **options):
        path = tmp_path / name
        content = text if isinstance(text, bytes) else dedent(text).encode()
        path.write_bytes(content)
        return read_cases([path], base_url=base_url, **options)

    return read_text


@pytest.fixture
def wrong(read, tmp_path):
    """Read a text as a case file and return what is wrong with it, as (line, text)."""

    def problems(text, **options):
        with pytest.raises(BadCases) as raised:
            read(text, **options)
        return [(each.line, each.text) for each in raised.value.problems]

    return problems
