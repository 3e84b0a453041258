"""What can go wrong by the rules of the domain: one family, each with a sentence a person can read and a way out."""


class DomainError(Exception):
    """A refusal. `sentence` says what and why, `way_out` what to do next; `status` is its HTTP status."""

    status = 400

    def __init__(self, sentence: str, way_out: str = "", **details: object) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.way_out = way_out
        self.details = details


class SignInNeeded(DomainError):
    """Nobody is signed in, or the token is not known."""

    status = 401


class SomebodyElse(DomainError):
    """The page is of one person, and its browser is signed in as another by now: nothing is done in either's name."""

    status = 403

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Signed in as {name} here, and this page is somebody else’s.",
            "Sign in as the person whose page it is; nothing was changed.",
            signed_in=name,
        )


class PasswordNeeded(DomainError):
    """The person is known, but the act asks for a password given within the last minutes."""

    status = 403


class NotAllowed(DomainError):
    """What the asker holds, or where the request comes from, does not let them do this."""

    status = 403


class NotThere(DomainError):
    """It does not exist, or the asker may not see it; the two are never told apart."""

    status = 404

    def __init__(self, sentence: str = "There is nothing here that you can see.", way_out: str = "") -> None:
        super().__init__(sentence, way_out or "Check the address, or ask the lead of the project.")


class RuleError(DomainError):
    """A rule of the judged set's life says no; `details` names the conditions that fail."""

    status = 409


class Gone(DomainError):
    """It was there for whoever holds this address, and is over: used, expired or withdrawn."""

    status = 410


class OtherHost(DomainError):
    """The request names a host that is not this installation's: its page may be another site's."""

    status = 421


class InputError(DomainError):
    """What was sent can't be read or is out of range; nothing was changed."""

    status = 422


class TooLong(DomainError):
    """What was sent is longer than what is taken."""

    status = 413


class FieldError(InputError):
    """A field of a form that can't be taken; `field` is its name, and the form comes back as it was typed."""

    def __init__(self, field: str, sentence: str, way_out: str = "") -> None:
        super().__init__(sentence, way_out, field=field)
        self.field = field


class Later(DomainError):
    """Not now; `retry_after` is in seconds."""

    def __init__(self, sentence: str, *, retry_after: int) -> None:
        super().__init__(sentence, f"Try again in {retry_after} seconds.")
        self.retry_after = retry_after


class TooOften(Later):
    """Too many tries."""

    status = 429


class Busy(Later):
    """The database is not there, or writes something else for longer than anybody waits; nothing was changed."""

    status = 503

    def __init__(self) -> None:
        super().__init__("The database is busy or can't be reached; nothing was changed.", retry_after=5)
