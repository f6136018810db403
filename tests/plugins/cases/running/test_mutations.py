"""Replays on pages that changed: the right elements, or none from the first that cannot be told."""

import pytest

from benchmarks.of_cases.engines import config_in
from benchmarks.of_cases.measuring_mutations import replayed
from benchmarks.of_cases.mutations import flow, mutated
from strap import open_router

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("pages", [8, pytest.param(32, marks=pytest.mark.soak)])
async def test_a_replay_never_acts_on_a_wrong_element(tmp_path, pages):
    async with open_router(config=config_in(tmp_path)) as router:
        as_it_was = await replayed(router, flow(0))
        assert (as_it_was["done"], as_it_was["drift"]) == (1, 0)
        for number in range(pages):
            changed = mutated(number)
            came = await replayed(router, changed)
            assert came["wrong"] == 0, changed
            assert came["done"] == came["possible"], changed
