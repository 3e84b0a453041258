"""What a person may choose about reading a file: the questions of an import's form, and their answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.errors import FieldError, InputError
from app.formats.opening import ENCODINGS
from app.formats.sniffing import Recognised
from app.names import UNSEEN, is_seen

LONGEST_ANSWER = 200
SEVERAL = ("columns", "renames")
Option = tuple[str, str]
"""A value and the words for it."""


@dataclass(frozen=True)
class Choice:
    """One question. `name` is its field in forms and in the API.

    `takes`: `option` one of `options`, `line` a line of text, `column` a heading of the file, `columns` several;
    `renames` several of what the file calls something and what it stands for, as `theirs=ours`.
    `reads_as` is the option of the kind's reader in app/formats that the answer becomes; None where the answer is for
    the kind alone: its first option is what holds where nothing is answered. `comes_first` puts the question on the
    first form too, before there is a file to look at.
    """

    name: str
    words: str
    hint: str = ""
    takes: Literal["option", "line", "column", "columns", "renames"] = "option"
    options: tuple[Option, ...] = ()
    reads_as: str | None = None
    comes_first: bool = False


ENCODING = Choice("encoding", "Encoding", options=tuple((name, name) for name in ENCODINGS), reads_as="encoding")
HAS_HEADER = Choice(
    "has_header", "First line", options=(("yes", "is a heading"), ("no", "is a row")), reads_as="has_header"
)
DELIMITER = Choice(
    "delimiter",
    "Columns are parted by",
    options=((",", "comma"), ("\t", "tab"), (";", "semicolon"), (" ", "blanks")),
    reads_as="delimiter",
)


def column(name: str, words: str, hint: str = "") -> Choice:
    """Which heading of the file is the reader's `name`."""
    return Choice(name, words, hint, takes="column", reads_as=name)


def read_answers(choices: Sequence[Choice], typed: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The answers that were given, by name; an empty one was not. FieldError where one can't be taken, InputError where
    nothing of that name is asked.
    """
    asked = {choice.name: choice for choice in choices}
    answers: dict[str, Any] = {}
    for name, values in typed.items():
        if name not in asked:
            known = ", ".join(sorted(asked))
            raise InputError(f"Nothing called “{name[:60]}” is asked here.", f"Choose among {known}.", field=name)
        given = [value for value in values if value]
        for value in given:
            require_answer(asked[name], value)
        if len(given) > 1 and asked[name].takes not in SEVERAL:
            raise FieldError(name, f"“{asked[name].words}” was answered {len(given)} times.", "Answer it once.")
        if asked[name].takes == "renames":
            require_one_each(asked[name], given)
        if given:
            answers[name] = given if asked[name].takes in SEVERAL else given[-1]
    return answers


def require_one_each(choice: Choice, given: Sequence[str]) -> None:
    """What stands for two things stands for neither."""
    said: dict[str, str] = {}
    for theirs, _, ours in (value.rpartition("=") for value in given):
        if said.setdefault(theirs, ours) != ours:
            reason = f"“{theirs[:60]}” was said to be “{said[theirs][:60]}” and “{ours[:60]}”."
            raise FieldError(choice.name, reason, "Say one of the two.")


def require_answer(choice: Choice, value: str) -> None:
    if choice.takes == "option" and value not in dict(choice.options):
        known = ", ".join(value for value, _ in choice.options)
        raise FieldError(
            choice.name, f"“{value[:60]}” is not a choice for “{choice.words}”.", f"Choose one of: {known}."
        )
    if len(value) > LONGEST_ANSWER:
        raise FieldError(choice.name, f"This is longer than {LONGEST_ANSWER} characters.", "Shorten it.")
    if choice.takes == "renames" and not all(value.rpartition("=")[::2]):
        raise FieldError(choice.name, f"“{value[:60]}” does not say what stands for what.", "Write theirs=ours.")
    if choice.takes == "line" and not is_seen(value):
        raise FieldError(choice.name, UNSEEN, "Type it anew.")


def reading_options(choices: Sequence[Choice], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The answers as options of the kind's reader."""
    reads_as = {choice.name: choice.reads_as for choice in choices}
    options: dict[str, Any] = {}
    for name, answer in answers.items():
        option = reads_as.get(name)
        if option is not None:
            options[option] = answer == "yes" if option == "has_header" else answer
    return options


@dataclass(frozen=True)
class Asked:
    """A choice as a form shows it: what there is to choose from, and what is chosen. `otherwise` says what holds where
    nothing is.
    """

    choice: Choice
    options: tuple[Option, ...]
    values: tuple[str, ...]
    otherwise: str


def ask(choices: Sequence[Choice], answers: Mapping[str, Any], recognised: Recognised | None = None) -> list[Asked]:
    """The questions that can be asked: about columns only when the file's are known."""
    if recognised is None:
        return [_ask(choice, answers, ()) for choice in choices if choice.comes_first]
    columns = tuple((name, name) for name in recognised.columns)
    known = {**recognised.roles, "people": recognised.people, "encoding": recognised.encoding}
    otherwise = {
        "format": recognised.format,
        "layout": recognised.format,
        "has_header": "is a heading" if recognised.has_header else "is a row",
        "delimiter": dict(DELIMITER.options).get(recognised.delimiter or "", ""),
    }
    return [
        _ask(choice, {**known, **answers}, columns, otherwise.get(choice.name, ""))
        for choice in choices
        if choice.takes != "renames"
    ]


@dataclass(frozen=True)
class AskedEach:
    """A choice of `renames` as a form shows it: what the file calls something, what that may stand for, what is chosen,
    and in words what holds otherwise.
    """

    choice: Choice
    each: tuple[tuple[str, tuple[Option, ...], str, str], ...]


def renamed(answers: Mapping[str, Any], choice: Choice) -> dict[str, str]:
    """What the file calls something → what it stands for."""
    return {theirs: ours for theirs, _, ours in (value.rpartition("=") for value in answers.get(choice.name, ()))}


def ask_each(
    choice: Choice, theirs: Mapping[str, str], ours: Sequence[Option], answers: Mapping[str, Any]
) -> AskedEach:
    """`theirs` is what the file says, with what holds otherwise; `ours` what each may stand for, with the words."""
    chosen = renamed(answers, choice)
    return AskedEach(
        choice,
        tuple(
            (
                each,
                tuple((f"{each}={value}", words) for value, words in ours),
                f"{each}={chosen.get(each, '')}",
                otherwise,
            )
            for each, otherwise in theirs.items()
        ),
    )


def _ask(choice: Choice, answers: Mapping[str, Any], columns: tuple[Option, ...], otherwise: str = "") -> Asked:
    answer = answers.get(choice.name, ())
    values = (answer,) if isinstance(answer, str) else tuple(answer)
    options = columns if choice.takes in {"column", "columns"} else choice.options
    return Asked(choice, options, values, otherwise)
