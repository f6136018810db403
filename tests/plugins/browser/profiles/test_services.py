"""Each service that is known by name, as its documentation says that it behaves."""

import pytest

from tests.support.services import KEY, Browserbase, Browserless, Cloudflare, Steel
from tests.support.waiting import becomes

pytestmark = pytest.mark.anyio
SERVICES = (Steel, Browserbase, Cloudflare, Browserless)


def _marked(service):
    """One of them in every run, as they differ in data alone."""
    marks = () if service is Browserbase else pytest.mark.soak
    return pytest.param(service, id=service.__name__.lower(), marks=marks)


@pytest.fixture(params=map(_marked, SERVICES))
async def service(request, tmp_path):
    async with request.param(tmp_path / "service").running() as service:
        yield service


@pytest.fixture
def site(serve_site):
    return serve_site({"/": "<title>Home</title><p>Home</p>"})


def with_profile(service, **more):
    return {"profiles": {"lent": service.profile() | more}, "auto_launch": True}


async def test_a_browser_is_lent_used_lost_and_given_back(open_web, service, site):
    async with open_web(**with_profile(service)) as web:
        lent = {"resource": "browser", "profile": "lent"}
        assert "Home" in (await web(**lent, action="navigate", url=site)).text
        assert [*service.sessions] == ["s1"]
        assert KEY not in str((await web(**lent, action="status")).data)
        await web(**lent, action="close")
        await becomes(lambda: service.sessions, {})
        assert "Home" in (await web(**lent, action="navigate", url=site)).text
        await service.expire("s2")
        await becomes(lambda: lost(web, lent), "page_lost")
        assert "Home" in (await web(**lent, action="navigate", url=site)).text
        assert [*service.sessions] == ["s3"]
    await becomes(lambda: service.sessions, {})


async def lost(web, lent):
    return (await web.fails(**lent, action="snapshot")).code


async def test_one_that_is_full_or_knows_nobody(open_web, service, site):
    service.most = 0
    async with open_web(**with_profile(service)) as web:
        lent = {"resource": "browser", "profile": "lent"}
        error = await web.fails(**lent, action="navigate", url=site)
        assert (error.code, error.retryable) == ("full", True)
    wrong = {"headers": {service.header: "some-other-key"}}
    if isinstance(service, Browserless):
        wrong = {"cdp_url": service.profile()["cdp_url"].replace(KEY, "another-key")}
    async with open_web(**with_profile(service, **wrong)) as web:
        error = await web.fails(**lent, action="navigate", url=site)
        assert "401" in str(error)
        assert not error.retryable
