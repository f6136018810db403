"""Warnings, signatures and code, in markup as others write it, each in a long page."""

from collections.abc import Iterator

from benchmarks.of_loss.prose import NOUNS, Case, Prose, article

_SHORT = "Turn off the mains before you open the case of number {0}."
_LONG = (
    "Turn off the mains before you open the case of number {0}, and wait for ten minutes until the "
    "capacitors have lost their charge; else a shock from the terminals may kill whoever works "
    "there, as the manual of the {0}th edition tells on its first page."
)
_CLASSES = [
    "notice",
    "callout",
    "description",
    "admonition",
    "alert",
    "note",
    "warning",
    "tip",
    "box",
    "panel",
    "well",
    "hint",
    "infobox",
    "important",
    "caution",
    "message",
    "banner-text",
    "highlight",
    "lead",
    "widget",
]
WRAPPERS = (
    *(f"<div class={name}>{{}}</div>" for name in _CLASSES),
    "<div>{}</div>",
    "<section>{}</section>",
    "<center>{}</center>",
    "<aside>{}</aside>",
    "<section class=note>{}</section>",
    "<aside class=admonition>{}</aside>",
    '<aside aria-label="Warning" class="starlight-aside starlight-aside--danger">{}</aside>',
    '<aside role=note class="note">{}</aside>',
    "<div role=note>{}</div>",
    "<div role=alert>{}</div>",
    "<div role=status>{}</div>",
    '<div class="alert alert-danger" role=alert>{}</div>',
    '<div class="admonition warning"><div class=admonition-title>Warning</div>{}</div>',
    "<details open><summary>Read this</summary>{}</details>",
    "<details><summary>Read this</summary>{}</details>",
    '<div class="tab-content"><div class="tab-pane active">{}</div></div>',
    '<div class=tabs><div role=tabpanel class="tab-pane show active">{}</div></div>',
    '<div class="theme-admonition alert alert--danger"><div>{}</div></div>',
    '<div class="card"><div class="card-body">{}</div></div>',
    '<div class="row"><div class="col-md-12">{}</div></div>',
    '<div class="social-history">{}</div>',
    '<div class="meta-analysis">{}</div>',
    '<div class="register-machine">{}</div>',
    '<div class="privacy-levels">{}</div>',
    '<div class="disclaimer-of-warranties">{}</div>',
    '<div class="authors-contribution">{}</div>',
    '<div class="related-work">{}</div>',
    '<div class="signature-scheme">{}</div>',
    '<div class="comment">{}</div>',
    '<div class="footer-example">{}</div>',
    "<figure>{}</figure>",
    "<blockquote>{}</blockquote>",
    "<address>{}</address>",
    '<div class="notice"><b>Warning:</b> {}</div>',
    '<div class="notice">{} <a href="/more">the rules</a></div>',
    "<h2>Before the work</h2><div>{}</div>",
    "<div>{}</div><ul><li>Screwdriver of the smallest size</li><li>Gloves of rubber</li></ul>",
    "<div class=notice>{}</div><div class=notice>Keep it dry in store 7.</div>",
)
"""Wrappers of a warning; those with a name tell what their text may be about."""


def wrappers() -> Iterator[Case]:
    for wrapper in WRAPPERS:
        for size, text in (("short", _SHORT), ("long", _LONG)):
            for tag in ("", "p"):
                said = text.format(len(wrapper))
                inner = wrapper.replace("{}", f"<p>{said}</p>" if tag else said)
                name = f"{wrapper}, {size}{', in p' if tag else ''}"
                prose = Prose(name)
                body = f"{prose.paragraphs(15)}{inner}{prose.paragraphs(24)}"
                yield Case(name=name, kind="wrappers", html=article(body), wanted=(said,))


SIGNATURES = {
    "Javadoc": "<section class=detail><h3>{m}</h3><pre class=methodSignature>public Widget {m}(int"
    " {a})</pre><div class=block>{d}</div></section>",
    "Javadoc 17": '<section class=detail><h3>{m}</h3><div class="member-signature"><span'
    ' class="modifiers">public</span>&nbsp;<span class="return-type"><a href="W.html">Widget</a>'
    '</span>&nbsp;<span class="element-name">{m}</span>(int&nbsp;{a})</div><div class=block>{d}'
    "</div></section>",
    "TypeDoc": '<section class="tsd-panel tsd-member"><h3 class="tsd-anchor-link">{m}</h3>'
    '<ul class="tsd-signatures"><li class="tsd-signature">{m}({a}: number): Widget</li>'
    '<li class="tsd-description"><p>{d}</p></li></ul></section>',
    "YARD": '<div class="method_details"><h3 class="signature">- (Widget) <strong>{m}</strong>({a})'
    '</h3><div class="docstring"><p>{d}</p></div></div>',
    "ExDoc": '<section class="detail"><div class="detail-header"><h1 class="signature">{m}({a})'
    "</h1></div><section class=docstring><p>{d}</p></section></section>",
    "mkdocstrings": '<div class="doc doc-object"><h3 class="doc doc-heading">{m}</h3><div class="'
    'doc-signature highlight"><pre><code>{m}({a}: int) -> Widget</code></pre></div><div class="doc'
    ' doc-contents"><p>{d}</p></div></div>',
    "Scaladoc": '<li class="indented0"><h4 class="signature"><span class="symbol"><span'
    ' class="name">{m}</span><span class="params">({a}: Int): Widget</span></span></h4><div'
    ' class="fullcomment"><div class="comment cmt"><p>{d}</p></div></div></li>',
}
"""A member of an API as its generator writes it: `m` its name, `a` its argument, `d` the rest."""


def signatures() -> Iterator[Case]:
    for name, member in SIGNATURES.items():
        prose, wanted, members = Prose(name), [], []
        for at in range(40):
            method, argument = f"resize{NOUNS[at % 26].title()}{at}", f"delta{at}"
            members.append(member.format(m=method, a=argument, d=prose.text(1 + at % 3)))
            wanted.append(argument)
        html = article(f"<p>{prose.text()}</p>{''.join(members)}")
        yield Case(name=name, kind="signatures", html=html, wanted=tuple(wanted))


NAMED = (
    "<pre class=login-config>{}</pre>",
    "<pre class=footer-example>{}</pre>",
    "<pre class=signature>{}</pre>",
    "<div class=social-preview-code><pre>{}</pre></div>",
    '<div class="dropdown"><pre><code>{}</code></pre></div>',
    '<div class="login-example"><pre><code>{}</code></pre></div>',
    '<div class="code-modal"><code>{}</code></div>',
    '<div class="newsletter-api"><pre>{}</pre></div>',
    '<div class="cookie-header"><p><code>{}</code></p></div>',
    "<table class=register-map><tr><th>Register<th>Use<tr><td>{}<td>status</table>",
    "<div class=related-table><table><tr><th>A<th>B<tr><td>{}<td>two</table></div>",
    "<dl class=privacy-levels><dt>{}<dd>Level of the first kind</dl>",
    "<div class=author-api><dl><dt>{}<dd>What it returns</dl></div>",
    '<div class="disclaimer-of-warranties"><p>{}</p></div>',
    '<section class="disclaimer-of-warranties"><h3>Warranties</h3><p>{}</p></section>',
    '<div class="authors-contribution"><p>{}</p></div>',
    '<span class="comment">{}</span>',
    '<pre><span class="comment">{}</span> select 1</pre>',
    '<h2 class="signature">{}</h2>',
    '<h3 class="author">{}</h3>',
    '<ul class="social-graph-api"><li>{}</li><li>edges of the graph</li></ul>',
)
"""Code, tables and lists with a name that menus and boxes have as well."""


def named() -> Iterator[Case]:
    for form in NAMED:
        prose = Prose(form)
        code = f"open_valve(number={len(form)}, pressure=7)"
        body = f"{prose.paragraphs(15)}{form.replace('{}', code)}{prose.paragraphs(24)}"
        yield Case(name=form, kind="named", html=article(body), wanted=(code,))
