"""What happened on a page between two answers, in short sentences."""

from collections.abc import Iterable

from strap_browser.common.text import clip

LIMIT = 20
"""Different sentences that are kept between two answers; of older ones the number is told."""

FEW = 3
"""New pages that are told one by one; of more the first and the last."""


class Notices:
    """Sentences that the next answer is to carry; `drain` hands them over."""

    def __init__(self) -> None:
        self._sentences: dict[str, int] = {}
        """How often each of them came."""
        self._opened: list[tuple[str, str]] = []
        """New pages: their names, and where they are."""
        self._dropped = 0
        self._errors = 0
        self._first_error = ""

    def add(self, sentence: str) -> None:
        """Note something; of more than 20 sentences the last are kept, and the number of others."""
        self._sentences[sentence] = self._sentences.get(sentence, 0) + 1
        if len(self._sentences) > LIMIT:
            self._dropped += self._sentences.pop(next(iter(self._sentences)))

    def add_page(self, handle: str, where: str) -> None:
        """Note a page that this one opened."""
        self._opened.append((handle, where))

    def forget_pages(self, handles: Iterable[str]) -> None:
        """Do not tell of pages that are gone by now."""
        gone = set(handles)
        self._opened = [each for each in self._opened if each[0] not in gone]

    def add_error(self, text: str) -> None:
        """Count an error of the page's console or scripts."""
        self._errors += 1
        self._first_error = self._first_error or clip(text)

    @property
    def noted(self) -> int:
        """How much was noted since the last time, without errors."""
        return self._dropped + len(self._opened) + sum(self._sentences.values())

    def drain(self) -> list[str]:
        """Return the sentences since the last time and forget them."""
        sentences = [
            text if times == 1 else f"{text} ({times} times)"
            for text, times in self._sentences.items()
        ]
        sentences = [*self._pages(), *sentences]
        if self._dropped:
            many = "thing" if self._dropped == 1 else "things"
            sentences.insert(0, f"{self._dropped} {many} happened before that.")
        if self._errors == 1:
            sentences.append(f"1 console error: {self._first_error}")
        elif self._errors:
            sentences.append(f"{self._errors} console errors, the first: {self._first_error}")
        self.__init__()  # type: ignore[misc]
        return sentences

    def _pages(self) -> list[str]:
        if len(self._opened) <= FEW:
            return [
                f"A new page opened: {handle} {where} (address it with target_id)."
                for handle, where in self._opened
            ]
        first, last = self._opened[0][0], self._opened[-1][0]
        many = len(self._opened)
        return [f"{many} new pages opened: {first} to {last} (`list_pages` tells where they are)."]
