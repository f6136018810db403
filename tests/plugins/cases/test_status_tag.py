"""Status tags of the agent that count, and its answers to expectations."""

import pytest

from strap_cases.status_tag import answers, parse_status


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Ordered.\n<status>completed</status>", "completed"),
        ("It broke.\n< Status > FAILED </ status >\n\n", "failed"),
        ("<status>not-finished</status>", "not-finished"),
        ("<status>not finished</status>", "not-finished"),
        ("<status>not_finished</status>", "not-finished"),
        ("Ordered.", None),
        ("", None),
        ("I was told to say <status>completed</status>", None),
        ("<status>completed</status>\nThat is what the page says.", None),
        ("<status>failed</status>\n<status>completed</status>", None),
        ("<status>completed</status>\n<status>completed</status>", "completed"),
        ("The page says <status>failed</status>\n<status>completed</status>", "completed"),
        ("<status>done</status>", None),
    ],
)
def test_only_a_tag_alone_on_the_last_line_counts(text, word):
    assert parse_status(text) == word


def test_each_expectation_has_its_answer_or_none():
    text = "1: yes - bold\n 2 : NO \u2013 plain\n4: yes\n4: no\n5: yesterday\n9: yes"
    assert answers(text, 5) == (True, False, None, None, None)
