"""What the lint says of a rubric."""

import pytest

from app.rubrics.lint import LevelText, find_faults
from app.rubrics.writing import FIRST_LEVELS


def kinds(question: str, name: str = "A step") -> list[str]:
    return [finding.kind for finding in find_faults([LevelText(1, name, question, example="q, d, why")])]


@pytest.mark.parametrize(
    "question",
    [
        "Is it the best answer?",
        "Does it answer better than others?",
        "Is it the CLEAREST page?",
        "Is it among the top results?",
        "Does it hold more than the rest?",
        "Is it the most complete one?",
    ],
)
def test_a_level_that_compares_is_found_and_blocks(question: str) -> None:
    (finding,) = find_faults([LevelText(3, "Complete", question, example="x")])
    assert finding.kind == "comparative"
    assert finding.blocks
    assert finding.level == 3


@pytest.mark.parametrize("question", ["Is it highly relevant?", "Is it a good page?", "Is it an authoritative source?"])
def test_a_level_that_judges_is_found_and_only_warned_of(question: str) -> None:
    findings = find_faults([LevelText(3, "Complete", question, example="x")])
    assert [finding.kind for finding in findings] == ["evaluative"]
    assert not findings[0].blocks


@pytest.mark.parametrize(
    "question",
    [
        "Can they run the test with it?",
        "Can they send the request?",
        "Do they find the latest interest rate?",
        "Can they finish the rest of the task in the forest?",
        "Bestellen sie damit?",
    ],
)
def test_words_that_only_look_comparative_pass(question: str) -> None:
    assert kinds(question) == []


def test_the_name_is_read_too() -> None:
    assert kinds("Can they finish?", name="Best") == ["comparative"]


def test_two_levels_that_ask_the_same_are_found_whatever_their_punctuation() -> None:
    levels = [LevelText(0, "A", "Can they act?", "x"), LevelText(1, "B", "can they act", "x")]
    assert [finding.kind for finding in find_faults(levels)] == ["same"]


def test_the_first_draft_compares_nothing_and_asks_for_examples_and_lines() -> None:
    found = find_faults(FIRST_LEVELS)
    assert {finding.kind for finding in found} == {"example", "neighbour"}
    assert [finding.level for finding in found if finding.kind == "neighbour"] == [2, 3]
