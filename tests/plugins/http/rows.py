"""Pages with rows, and how a test asks for them."""

from tests.site.server import serve

NAV = (
    "<nav><ul><li><a href=/>Home</a><li><a href=/t>Travel</a><li><a href=/m>Mystery</a></ul></nav>"
)


def card(number):
    stars = ("One", "Two", "Three")[number % 3]
    return f"""<li class="col-6"><article class="product">
    <a href="item/{number}.html"><img src="/i/{number}.jpg"
     alt="The {number}th lamp of the row"></a>
    <p class="stars {stars}"><i class="icon"></i><i class="icon"></i></p>
    <h3><a href="item/{number}.html" title="The {number}th lamp of the row">The {number}th…</a></h3>
    <p class="price_color">€{number},50</p><p class="stock"><i></i> In stock</p>
    <form><button>Add to basket</button></form></article></li>"""


async def extracted(web, site, path="/", **fields):
    return await web(resource="http", action="extract", url=f"{site}{path}", **fields)


async def rows_of(web, page, **fields):
    with serve({"/": page}) as site:
        result = await extracted(web, site, **fields)
    assert isinstance(result.data["rows"], list)
    return result.data["rows"]
