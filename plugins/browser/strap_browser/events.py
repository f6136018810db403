"""What happened on a page between two answers, in short sentences."""

from collections import deque

LIMIT = 20
TEXT = 200


class Events:
    """Sentences that the next answer is to carry; `drain` hands them over."""

    def __init__(self) -> None:
        self._sentences: deque[str] = deque()
        self._dropped = 0
        self._errors = 0
        self._first_error = ""

    def add(self, sentence: str) -> None:
        """Note something; beyond 20 sentences only the number is kept."""
        if len(self._sentences) < LIMIT:
            self._sentences.append(sentence)
        else:
            self._dropped += 1

    def add_error(self, text: str) -> None:
        """Count an error of the page's console or scripts."""
        self._errors += 1
        self._first_error = self._first_error or clip(text)

    def drain(self) -> list[str]:
        """Return the sentences since the last time and forget them."""
        sentences = list(self._sentences)
        if self._dropped:
            sentences.append(f"{self._dropped} more things happened.")
        if self._errors == 1:
            sentences.append(f"1 console error: {self._first_error}")
        elif self._errors:
            sentences.append(f"{self._errors} console errors, the first: {self._first_error}")
        self.__init__()  # type: ignore[misc]
        return sentences


def clip(text: str, limit: int = TEXT) -> str:
    """Return `text` on one line, shortened to `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
