"""The archive that the installed example asks."""

import pytest

from tests.site.archive import serve_archive


@pytest.fixture
def archive():
    with serve_archive() as origin:
        yield origin
