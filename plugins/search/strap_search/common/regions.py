"""Regions of results: `country-language`, as DuckDuckGo writes them, with ISO codes."""

import re

WORLD = "wt-wt"
"""DuckDuckGo's name for no region at all."""

# Where DuckDuckGo's codes are not those of ISO 3166-1 and ISO 639-1.
_DUCKDUCKGO = {
    "gb-en": "uk-en",
    "jp-ja": "jp-jp",
    "kr-ko": "kr-kr",
    "si-sl": "sl-sl",
    "es-ca": "ct-ca",
    "tw-zh": "tw-tzh",
    "hk-zh": "hk-tzh",
    "no-nb": "no-no",
}
_ISO = {theirs: ours for ours, theirs in _DUCKDUCKGO.items()}
# Languages that are no country: in front, they show the order of BCP 47 (`en-us`).
_LANGUAGES_ONLY = frozenset(
    ("cs", "da", "el", "en", "fa", "he", "hi", "ja", "ko", "nb", "sq", "ur", "zh")
)


def canonical(text: str) -> str | None:
    """Return `country-language` for DuckDuckGo's spellings and BCP 47 tags; raises `ValueError`."""
    first, _, second = text.replace("_", "-").partition("-")
    tag = first.islower() and second.isupper()
    if tag or first.lower() in _LANGUAGES_ONLY:
        first, second = second, first
    region = f"{first}-{second}".lower()
    if region == WORLD:
        return None
    region = _ISO.get(region, region)
    if not re.fullmatch("[a-z]{2}-[a-z]{2}", region):
        raise ValueError("must be country-language as in us-en or de-at, or wt-wt for the world")
    return region


def duckduckgo(region: str | None) -> str:
    """Return the code of DuckDuckGo for a canonical region."""
    return WORLD if region is None else _DUCKDUCKGO.get(region, region)


# https://duckduckgo.com/params, in DuckDuckGo's own codes.
_KNOWN = """
ar-es at-de au-en be-fr be-nl bg-bg br-pt ca-en ca-fr ch-de ch-fr ch-it cl-es cn-zh co-es ct-ca
cz-cs de-de dk-da ee-et es-es fi-fi fr-fr gr-el hk-tzh hr-hr hu-hu id-en id-id ie-en il-he in-en
it-it jp-jp kr-kr lt-lt lv-lv mx-es my-en my-ms nl-nl no-no nz-en pe-es ph-en ph-tl pl-pl pt-pt
ro-ro ru-ru se-sv sg-en sk-sk sl-sl th-th tr-tr tw-tzh ua-uk ue-es uk-en us-en ve-es vn-vi xa-ar
xa-en xl-es za-en
"""
DUCKDUCKGO = frozenset(_ISO.get(code, code) for code in _KNOWN.split())
"""The regions that DuckDuckGo knows; others it ignores."""
