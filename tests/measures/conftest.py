"""How hypothesis tries the pure parts."""

import os

from hypothesis import HealthCheck, settings

# How long an example takes on a shared machine says nothing about the number that came out.
settings.register_profile("numbers", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", settings.get_profile("numbers"), max_examples=12, database=None)  # make mutation
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "numbers"))
