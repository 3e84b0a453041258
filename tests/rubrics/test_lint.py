"""What the lint says of a rubric."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rubrics.lint import Finding, find_faults
from app.rubrics.lint_words import COMPARATIVE, EVALUATIVE, FILLERS, NO_SUPERLATIVE
from app.rubrics.templates import TEMPLATES, Template
from app.rubrics.texts import Example, LevelText, RubricText

SHOWN = (Example("q", "d", "why"),)
PLAIN = ("Can", "they", "carry", "out", "one", "step", "with", "a", "form", "they", "print", "today")


def level(question: str, name: str = "A step", *, number: int = 1, not_this: str = "") -> LevelText:
    return LevelText(number, name, question, SHOWN, SHOWN, not_this)


def found(question: str, name: str = "A step", *, instructions: str = "") -> list[Finding]:
    return find_faults(RubricText([level(question, name)], instructions))


def rubric(*questions: str, instructions: str = "") -> RubricText:
    """Levels with names of their own, with examples and lines."""
    levels = [
        level(question, f"Name {'abcdefghij'[number]}", number=number, not_this="Not this but that.")
        for number, question in enumerate(questions)
    ]
    return RubricText(levels, instructions)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Is it the best answer?", ("best",)),
        ("Does it answer better than others?", ("better",)),
        ("Is it the CLEAREST page?", ("clearest",)),
        ("Is it among the top results?", ("top",)),
        ("Does it hold more than the rest?", ("more",)),
        ("Is it the most complete one?", ("most",)),
        ("Is it shorter than the others?", ("shorter",)),
        ("Is it the best-matching product?", ("best-matching",)),
        ("Can they do at least as much as with any other?", ("least",)),
        ("Is it newer than what they have and the best?", ("best", "newer")),
    ],
)
def test_a_level_that_compares_is_found_and_blocks(question: str, words: tuple[str, ...]) -> None:
    (finding,) = found(question)
    assert (finding.kind, finding.words, finding.level, finding.blocks) == ("comparative", words, 1, True)


@pytest.mark.parametrize("question", ["Is it highly relevant?", "Is it a good page?", "Is it an authoritative source?"])
def test_a_level_that_judges_is_found_and_only_warned_of(question: str) -> None:
    (finding,) = found(question)
    assert (finding.kind, finding.blocks) == ("evaluative", False)


@pytest.mark.parametrize(
    "question",
    [
        "Can they run the test with it?",
        "Can they send the request?",
        "Do they find the latest interest rate?",
        "Can they finish the rest of it in the forest?",
        "Can they do at least one step?",
        "Do they need more than one page, or no more than two?",
        "Does it stand at the top of the page?",
        "Do they learn about something other than what they asked, rather than nothing?",
        "Does it name the best-before date, or best practices?",
        "Is it a top-level page on goods?",
        "Bestellen sie damit?",
    ],
)
def test_words_that_only_look_comparative_pass(question: str) -> None:
    assert found(question) == []


def test_the_name_is_read_too() -> None:
    assert [finding.kind for finding in found("Can they finish?", name="Best")] == ["comparative"]


@pytest.mark.parametrize("second", ["can they act on it", "Can the user act on this document?"])
def test_two_levels_that_ask_the_same_are_found_whatever_their_punctuation_and_small_words(second: str) -> None:
    findings = find_faults(rubric("Can they act on it?", second))
    assert [(finding.kind, finding.sentence) for finding in findings] == [
        ("same", "Levels 0 and 1 ask the same question.")
    ]


@pytest.mark.parametrize("second", ["Can they not act on it?", "Can they act on part of it?", "Can they act on 2?"])
def test_a_word_that_says_something_makes_another_question(second: str) -> None:
    assert find_faults(rubric("Can they act on it?", second)) == []


def test_two_levels_of_one_name_are_found() -> None:
    levels = [level("Can they act?", "A step", number=0, not_this="x"), level("Can they look?", "a step.")]
    assert [finding.sentence for finding in find_faults(RubricText(levels))] == ["Levels 0 and 1 have the same name."]


@pytest.mark.parametrize(
    ("examples", "counter_examples", "missing"),
    [
        ((), SHOWN, "no example."),
        (SHOWN, (), "no counter-example."),
        ((Example(),), (), "no example and no counter-example."),
    ],
)
def test_a_level_without_examples_is_told_which_it_lacks(
    examples: tuple[Example, ...], counter_examples: tuple[Example, ...], missing: str
) -> None:
    (finding,) = find_faults(RubricText([LevelText(2, "A", "Can they?", examples, counter_examples)]))
    assert (finding.kind, finding.sentence) == ("example", f"Level 2 has {missing}")


def test_lines_are_asked_between_levels_that_count_and_between_the_only_two() -> None:
    levels = [level(f"Can they do step {at}?", f"Name {at}", number=at) for at in range(4)]
    assert [each.level for each in find_faults(RubricText(levels)) if each.kind == "neighbour"] == [2, 3]
    assert [each.level for each in find_faults(RubricText(levels[:2])) if each.kind == "neighbour"] == [1]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Can they finish the task?", ("task",)),
        ("Does it cover one aspect of the topic?", ("aspect", "topic")),
        ("Does it meet the search intent?", ("search intent",)),
        ("Does it stand in the SERP?", ("SERP",)),
    ],
)
def test_a_word_that_the_rubric_nowhere_explains_is_found(question: str, words: tuple[str, ...]) -> None:
    (finding,) = found(question)
    assert (finding.kind, finding.words) == ("unexplained", words)
    assert f"“{words[0]}” means" in finding.way_out


@pytest.mark.parametrize(
    ("question", "instructions"),
    [
        ("Can they finish the task?", "The task is what they wanted to get done."),
        ("Can they finish the task?", "Task: what they wanted to get done."),
        ("Can they finish the task?", "By “task” here we mean what they wanted to get done."),
        ("Does it cover all aspects?", "An aspect (a part of the question) may be left open."),
        ("Does it stand in the SERP?", "They see the page of results (SERP) first."),
        ("Do they need a PDF from this URL?", ""),
    ],
)
def test_a_word_that_is_explained_anywhere_or_known_to_all_passes(question: str, instructions: str) -> None:
    assert found(question, instructions=instructions) == []


def test_a_word_is_told_once_at_the_first_level_that_uses_it() -> None:
    findings = find_faults(rubric("Is the task still open?", "Can they begin the task?", "Can they finish the task?"))
    assert [(each.level, each.words) for each in findings] == [(0, ("task",))]


def test_the_first_draft_compares_nothing_and_asks_for_examples_lines_and_what_a_task_is() -> None:
    findings = find_faults(RubricText())
    assert {finding.kind for finding in findings} == {"example", "neighbour", "unexplained"}
    assert [finding.level for finding in findings if finding.kind == "neighbour"] == [2, 3]


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda template: template.name)
def test_nothing_is_found_in_a_template(template: Template) -> None:
    assert find_faults(template.text) == []
    assert template.explanation.endswith(".")
    assert template.gain_table is None or len(template.gain_table) == len(template.text.levels)


# Scales that were used, in our words. What the lint finds in each, by level: kind and words.


def scale(*levels: tuple[str, str]) -> RubricText:
    return RubricText(
        [level(question, name, number=number, not_this="x") for number, (name, question) in enumerate(levels)]
    )


USED: dict[str, tuple[RubricText, set[tuple[int | None, str, tuple[str, ...]]]]] = {
    "passages of a deep learning track": (
        scale(
            ("Irrelevant", "Has the passage nothing to do with the query?"),
            ("Related", "Does it seem related without answering?"),
            ("Highly relevant", "Is there some answer, unclear or hidden among other things?"),
            ("Perfectly relevant", "Is the passage about the query only, with the exact answer?"),
        ),
        {
            (0, "evaluative", ("irrelevant",)),
            (2, "evaluative", ("highly", "relevant")),
            (3, "evaluative", ("perfectly", "relevant")),
        },
    ),
    "four levels of a newspaper collection": (
        scale(
            ("Not relevant", "Does it hold nothing about the topic?"),
            ("Marginally relevant", "Does it only point at the topic, in a sentence or so?"),
            ("Fairly relevant", "Does it hold more than the topic's description, but not exhaustively?"),
            ("Highly relevant", "Does it discuss the themes of the topic exhaustively?"),
        ),
        {
            (0, "evaluative", ("relevant",)),
            (0, "unexplained", ("topic",)),
            (1, "evaluative", ("marginally", "relevant")),
            (2, "comparative", ("more",)),
            (2, "evaluative", ("fairly", "relevant", "exhaustively")),
            (3, "evaluative", ("highly", "relevant", "exhaustively")),
        },
    ),
    "products of a shop": (
        scale(
            ("Irrelevant", "Does the item miss a central aspect of the query?"),
            ("Complement", "Could it be used together with an exact item?"),
            ("Substitute", "Is it somewhat relevant, failing some aspects but a functional substitute?"),
            ("Exact", "Does it satisfy all specifications of the query?"),
        ),
        {
            (0, "evaluative", ("irrelevant",)),
            (0, "unexplained", ("aspect",)),
            (1, "unexplained", ("complement",)),
            (2, "evaluative", ("somewhat", "relevant")),
            (2, "unexplained", ("substitute", "aspects")),
            (3, "unexplained", ("satisfy", "specifications")),
        },
    ),
    "results of a web engine": (
        scale(
            ("Bad", "Is it useless to nearly all users?"),
            ("Fair", "Does it help a few users, while better results exist?"),
            ("Good", "Is it helpful, of high quality, but not the most complete?"),
            ("Perfect", "Is it the best possible result, which fully meets the user intent?"),
        ),
        {
            (0, "evaluative", ("bad", "useless")),
            (1, "comparative", ("better",)),
            (2, "comparative", ("most",)),
            (2, "evaluative", ("good", "helpful", "quality")),
            (3, "comparative", ("best",)),
            (3, "evaluative", ("perfect",)),
            (3, "unexplained", ("user intent",)),
        },
    ),
    "answers to health questions": (
        scale(
            ("Incorrect", "Does it answer another question, or none?"),
            ("Related", "Does it speak of what was asked, without an answer?"),
            ("Incomplete", "Does it answer a part of what was asked?"),
            ("Complete", "Does it answer all that was asked?"),
        ),
        set(),
    ),
    "yes or no, as a track asked it": (
        scale(
            ("No", "Would nothing in it be used in a report on the topic?"),
            ("Yes", "Would anything in it be used in a report on the topic?"),
        ),
        {(0, "unexplained", ("topic",))},
    ),
}


@pytest.mark.parametrize("name", USED)
def test_in_scales_that_were_used_exactly_this_is_found(name: str) -> None:
    text, expected = USED[name]
    assert {(finding.level, finding.kind, finding.words) for finding in find_faults(text)} == expected


# Any rubric

TEXTS = st.text(max_size=40) | st.lists(st.sampled_from(PLAIN + tuple(COMPARATIVE)), max_size=8).map(" ".join)
EXAMPLES = st.lists(st.builds(Example, TEXTS, TEXTS, TEXTS), max_size=2).map(tuple)
RUBRICS = st.builds(
    RubricText,
    st.lists(st.builds(LevelText, st.just(0), TEXTS, TEXTS, EXAMPLES, EXAMPLES, TEXTS), min_size=2, max_size=10).map(
        lambda levels: [LevelText(at, *fields_of(each)) for at, each in enumerate(levels)]
    ),
    TEXTS,
    TEXTS,
)


def fields_of(each: LevelText) -> tuple[str, str, tuple[Example, ...], tuple[Example, ...], str]:
    return each.name, each.question, each.examples, each.counter_examples, each.not_this


@given(RUBRICS)
def test_every_finding_names_a_level_says_why_and_shows_a_way_out(text: RubricText) -> None:
    for finding in find_faults(text):
        assert finding.level is not None
        assert f"{finding.level}" in finding.sentence
        assert finding.way_out
        said = f"{text.levels[finding.level].name} {text.levels[finding.level].question}".casefold()
        if finding.kind in ("comparative", "evaluative"):
            assert finding.words
            assert all(word in said for word in finding.words)


@given(st.permutations(PLAIN), st.sampled_from(sorted(COMPARATIVE)), st.integers(0, len(PLAIN)))
def test_a_comparing_word_is_found_wherever_it_stands(words: Sequence[str], word: str, at: int) -> None:
    said = [*words[:at], word, *words[at:]]
    phrase = {("at", word), ("one", word), (word, "than")}
    if not phrase & set(pairwise(said)):
        assert [finding.words for finding in found(" ".join(said)) if finding.blocks] == [(word,)]


@given(st.permutations(PLAIN), st.sampled_from(sorted(NO_SUPERLATIVE | FILLERS)))
def test_plain_words_are_never_found(words: Sequence[str], word: str) -> None:
    assert found(" ".join([*words, word])) == []


@given(st.sampled_from(sorted(EVALUATIVE)))
def test_a_judging_word_is_never_taken_for_a_comparing_one(word: str) -> None:
    assert [finding.kind for finding in found(f"Is it {word}?")] == ["evaluative"]
