"""Pages that are made of many like things: threads, recipes, entries of a reference."""

from collections.abc import Iterator

from benchmarks.of_loss.prose import NOUNS, Case, Prose, article, page

_STACK = '<div class="{}"><div class="s-prose js-post-body"><p>{{}}</p></div></div>'
_MARKED = '<div itemscope itemtype="https://schema.org/{}"><p itemprop=text>{{}}</p></div>'
_POST = '<div class="post"><p>{}</p></div>'
POSTS = {
    "Stack Exchange": (_STACK.format("question"), _STACK.format("answer")),
    "Q&A microdata": (_MARKED.format("Question"), _MARKED.format("Answer")),
    "phpBB": ('<div class="post"><div class="content">{}</div></div>',) * 2,
    "Discourse": ('<div class="topic-body"><div class=post><p>{}</p></div></div>',) * 2,
    "replies .comment": (_POST, '<div class="comment"><p>{}</p></div>'),
    "replies .reply-item": (_POST, '<div class="reply-item"><div>{}</div></div>'),
}
"""The first post of a thread, and the others."""


def threads() -> Iterator[Case]:
    for name, (first, other) in POSTS.items():
        for replies, sentences in ((29, 60), (4, 30), (41, 1), (41, 3), (41, 6), (41, 12)):
            prose = Prose(f"{name}{replies}{sentences}")
            posts, wanted = [], []
            for at in range(replies + 1):
                mark = f"Post {at} says that valve {at * 7 + 1} leaks."
                size = sentences if at == 0 or (replies < 40 and at == 2) else 1 + at % 3
                text = f"{prose.text(size)} {mark}"
                user = f"<div class=user><a href=/u/{at}>user{at}</a></div>"
                posts.append(user + (other if at else first).format(text))
                wanted.append(mark)
            html = page(f"<div id=content><h1>The long manual</h1>{''.join(posts)}</div>")
            yield Case(
                name=f"{name}, {replies} replies, first of {sentences} sentences",
                kind="threads",
                html=html,
                wanted=tuple(wanted),
            )


INGREDIENTS = (
    "<li><strong>{n}</strong> <strong>lb.</strong> <p>{w}</p></li>",
    "<li>{n} g {w}</li>",
    '<li><input type=checkbox id=i{n}><label for=i{n}>{n} g {w}</label></li>',
    '<li class="wprm-recipe-ingredient"><span>{n}</span> cups <a href="/w/{n}">{w}</a></li>',
    '<div class="ingredient"><span>{n} g</span><span> {w}</span></div>',
)  # fmt: skip
"""A line of what a dish is made of."""


def recipes() -> Iterator[Case]:
    for form in INGREDIENTS:
        for place in ("<section>{}</section>", "<aside class=ingredients>{}</aside>"):
            prose = Prose(form + place)
            things = [f"{noun} flour" for noun in NOUNS[:9]]
            lines = "".join(form.format(n=at + 2, w=thing) for at, thing in enumerate(things))
            block = f"<ul>{lines}</ul>" if form.startswith("<li") else f"<div>{lines}</div>"
            steps = [prose.text(2) for _ in range(6)]
            listed = "".join(f"<li><p>{step}</p></li>" for step in steps)
            body = (
                f"{prose.paragraphs(6)}{place.format(f'<h2>Ingredients</h2>{block}')}"
                f"<section><h2>Directions</h2><ol>{listed}</ol></section>{prose.paragraphs(3)}"
                f"{'<!-- -->' * 700}"
            )
            name = f"{form} in {place}"
            wanted = (*things, *steps)
            yield Case(name=name, kind="recipes", html=article(body), wanted=wanted)


ENTRIES = (
    '<dl class="py"><dt class="sig">exception requests.{n}(*args)</dt><dd><p>{d}</p></dd></dl>',
    "<h3>{n}</h3><p>{d}</p>",
    "<div class=item><h4>{n}</h4><div>{d}</div></div>",
    "<p><b>{n}</b></p><blockquote><p>{d}</p></blockquote>",
    "<section><h2>{n}</h2>{d}</section>",
)
"""An entry of an API reference."""


def entries() -> Iterator[Case]:
    for form in ENTRIES:
        prose, wanted, entries = Prose(form), [], []
        for at in range(24):
            name = f"{NOUNS[at % 26].title()}{at}Error"
            short = f"A {NOUNS[at % 26]} error {at} occurred."
            said = short if at % 3 else f"{short} {prose.text(3)}"
            entries.append(form.format(n=name, d=said))
            wanted += [name, short]
        body = f"{prose.paragraphs(8)}{''.join(entries)}{prose.paragraphs(4)}"
        yield Case(name=form, kind="entries", html=article(body), wanted=tuple(wanted))
