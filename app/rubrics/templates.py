"""Rubrics to begin with: each says in a sentence what it is for, and the lint finds nothing in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.rubrics.models import OUTCOMES
from app.rubrics.texts import Example, LevelText, Refusal, RubricText


@dataclass(frozen=True)
class Template:
    """`gain_table` where the scale has gains of its own, from level 0 up."""

    name: str
    title: str
    explanation: str
    text: RubricText
    gain_table: Sequence[float] | None = None


READ_WHOLE = "Read the query and its description first, then the document to its end. Judge this document alone."
REFUSALS = {
    "wrong language": Refusal("You can’t read the language it is written in."),
    "broken": Refusal("Nothing readable arrived: an error page, an empty page, garbled text.", OUTCOMES[1]),
    "needs expertise": Refusal("You would have to know the field to say what it lets somebody do."),
    "query unclear": Refusal("Query and description leave open what the person wanted."),
}

ACTION = Template(
    "action",
    "What can the user do?",
    "For help pages, support and any search that ends in doing something: four levels, from nothing to done.",
    RubricText(
        (
            LevelText(
                0,
                "Nothing",
                "Are they exactly where they were before?",
                (Example("rotate an API key", "A list of the company’s offices", "Not a word about keys."),),
                (Example("rotate an API key", "What an API key is", "They learn what is to be changed: a 1."),),
                "Not a page that names the thing in passing, but one that tells something about it, is a 1.",
            ),
            LevelText(
                1,
                "Context",
                "Do they learn something about the task, without being able to act on it?",
                (Example("rotate an API key", "The policy that keys expire yearly", "They know why, and not how."),),
                (Example("rotate an API key", "How to list the keys of an account", "Listing is a step of it: a 2."),),
                "Not knowing that a step exists, but being able to carry it out, makes it a 2.",
            ),
            LevelText(
                2,
                "A step",
                "Can they carry out a necessary step, but not the whole task?",
                (Example("rotate an API key", "How to make a new key", "The old one still has to be withdrawn."),),
                (Example("rotate an API key", "Make the new key, then withdraw the old", "Nothing is left: a 3."),),
                "Not a step that leaves others to be found elsewhere, but every step in one place, is a 3.",
            ),
            LevelText(
                3,
                "Complete",
                "Can they finish the task with this document alone?",
                (Example("rotate an API key", "Make the new key, then withdraw the old", "They can do all of it."),),
                (Example("rotate an API key", "A link to the page that says how", "It says nothing itself: a 1."),),
            ),
        ),
        f"{READ_WHOLE}\nThe task is what the person wanted to get done when they wrote the query. A necessary step is "
        "one without which it can’t be finished.",
        "Say why, and go on; somebody else decides about the pair.",
        refusals=REFUSALS,
    ),
)
PASSAGES = Template(
    "passages",
    "Passage retrieval",
    "For short passages that should answer a question: four levels, of which 2 and above count as relevant.",
    RubricText(
        (
            LevelText(
                0,
                "Elsewhere",
                "Is the passage about something that the question does not ask about?",
                (Example("how long do cats live", "Dogs live ten to thirteen years.", "Of dogs only."),),
                (Example("how long do cats live", "Cats age in six stages.", "About the life of cats: a 1."),),
            ),
            LevelText(
                1,
                "About it",
                "Is it about what was asked, without answering any part of it?",
                (Example("how long do cats live", "Cats age in six stages.", "About a cat’s life, with no number."),),
                (Example("how long do cats live", "House cats outlive strays by years.", "Part of an answer: a 2."),),
                "Not a passage on the same things, but one from which a part of the answer can be told, is a 2.",
            ),
            LevelText(
                2,
                "In part",
                "Can they tell a part of the answer from it, or only after working it out?",
                (Example("how long do cats live", "Our cat, 15, is as old as most get.", "It has to be worked out."),),
                (Example("how long do cats live", "Cats live 12 to 18 years.", "The whole answer, in words: a 3."),),
                "Not an answer to be put together, but one that can be read off in full, is a 3.",
            ),
            LevelText(
                3,
                "Answered",
                "Can they read the whole answer off the passage, in its own words?",
                (Example("how long do cats live", "Cats live 12 to 18 years.", "Asked and answered."),),
                (
                    Example(
                        "how long do cats live",
                        "One cat lived 38 years.",
                        "The age of one cat: a 1.",
                    ),
                ),
            ),
        ),
        f"{READ_WHOLE}\nWhether the answer is true is not asked: judge what a reader would take from it.",
        "Say why, and go on; somebody else decides about the pair.",
        threshold=2,
        refusals=REFUSALS,
    ),
)
PRODUCTS = Template(
    "products",
    "Product search",
    "For shops, where a buyer takes the thing itself or nearly nothing: a level is worth a tenth of the next.",
    RubricText(
        (
            LevelText(
                0,
                "Another thing",
                "Would the buyer neither take it instead nor with what they looked for?",
                (Example("red running shoes", "Garden hose, 20 m", "It has nothing to do with shoes."),),
                (Example("red running shoes", "Running socks", "Bought with them: a 1."),),
            ),
            LevelText(
                1,
                "Goes with it",
                "Would they buy it along with what they looked for, but not in its place?",
                (Example("red running shoes", "Running socks", "Worn with the shoes, not in their place."),),
                (Example("red running shoes", "Blue running shoes", "They could be worn in their place: a 2."),),
                "Not something to go with it, but something that does the same job, is a 2.",
            ),
            LevelText(
                2,
                "In its place",
                "Does it do the same job, while one thing that was asked for is missing?",
                (Example("red running shoes", "Blue running shoes", "The colour is missing; they run in them."),),
                (Example("red running shoes", "Running shoes, red and white", "Red is there: a 3."),),
                "Not a thing that lacks one word of the query, but one that has them all, is a 3.",
            ),
            LevelText(
                3,
                "As asked",
                "Does it have everything that the query asks for?",
                (Example("red running shoes", "Running shoes, red, size 42", "Shoes, for running, red."),),
                (Example("red running shoes", "Red walking shoes", "Not made for running: a 2."),),
            ),
        ),
        f"{READ_WHOLE}\nWhat the query leaves open, a size or a brand, may be anything. Price and stars are not asked.",
        "Say why, and go on; somebody else decides about the pair.",
        threshold=2,
        refusals=REFUSALS,
    ),
    gain_table=(0, 0.01, 0.1, 1),
)
BINARY = Template(
    "binary",
    "Yes or no",
    "For a first look, or where a document either serves or does not: two levels, the quickest to judge.",
    RubricText(
        (
            LevelText(
                0,
                "No",
                "Would leaving it out take nothing away from what they set out to know or do?",
                (Example("opening hours of the town library", "The library’s history", "No hours in it."),),
                (
                    Example(
                        "opening hours of the town library", "The library is shut on Mondays", "It tells one day: a 1."
                    ),
                ),
            ),
            LevelText(
                1,
                "Yes",
                "Do they know or can they do something that they set out for?",
                (Example("opening hours of the town library", "Open 9 to 5, Mondays shut", "The hours stand there."),),
                (Example("opening hours of the town library", "Hours of another town’s library", "Not theirs: a 0."),),
                "Not a document on the same subject, but one that holds a piece of what was looked for, is a 1.",
            ),
        ),
        READ_WHOLE,
        "Say why, and go on; somebody else decides about the pair.",
        refusals=REFUSALS,
    ),
)
TEMPLATES: Mapping[str, Template] = {each.name: each for each in (ACTION, PASSAGES, PRODUCTS, BINARY)}
