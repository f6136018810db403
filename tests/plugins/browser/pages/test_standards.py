"""Roles and names as WAI-ARIA, AccName and HTML-AAM give them, in documents full of cases."""

import pytest

from strap_browser.page_script.bundle import module

pytestmark = pytest.mark.anyio

PARTS = f"""const role = {module("accessibility/role_and_name.js")};
const name = {module("accessibility/name.js")};"""
WRONG = """(() => {
%s
const told = (element) => {
  const found = role.roleOf(element);
  return { role: found, name: name.nameOf(element, found) };
};
const cases = [...document.querySelectorAll("[data-%s]")];
const wrong = cases.filter((element) => told(element).%s !== element.dataset.%s);
return [cases.length, ...wrong.map((element) => `${told(element).%s}: ${element.outerHTML}`)]
  .join("\\n");
})()"""


@pytest.mark.parametrize(("kind", "count"), [("role", "155"), ("name", "99")])
async def test_each_element_is_told_as_the_standards_say(kind, count, one_page):
    await one_page.open(f"{kind}s.html")
    assert await one_page("evaluate", text=WRONG % (PARTS, *[kind] * 4)) == f'"{count}"'
