"""Answers of a person in words, as the code in a mail: for a page, and not for the agent."""

from strap.credentials.disclosed import bare
from strap.errors import UsageError

SHORTEST = 4
"""Characters: shorter ones are in too many words. Codes by mail have 4 or more."""


class Answer:
    """Words that become a secret; raises `UsageError` for what could not be masked."""

    def __init__(self, words: str) -> None:
        self.value = " ".join(words.split())
        if len(bare(self.value)) < SHORTEST or not self.value.isprintable():
            raise UsageError("That is too short to be kept secret: take control and type it.")

    async def read(self, origin: str) -> str:
        """Return it."""
        return self.value


def takes_words(text: str, origin: str) -> bool:
    """Whether a person may answer in words: a question, beside a page of some server."""
    return bool(origin) and text.rstrip().endswith("?")


def words_taken(name: str, origin: str) -> str:
    """Return what an agent is told of an answer in words."""
    return (
        f"The person answered: {{{{{name}}}}}. Fill in that name, braces included, on {origin}:"
        " it is for no other site."
    )
