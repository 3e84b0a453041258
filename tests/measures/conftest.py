"""How hypothesis tries the pure parts."""

from hypothesis import settings

# How long an example takes on a shared machine says nothing about the number that came out.
settings.register_profile("numbers", deadline=None)
settings.load_profile("numbers")
