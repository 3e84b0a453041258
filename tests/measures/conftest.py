"""How hypothesis tries the pure parts."""

import os

from hypothesis import HealthCheck, Phase, settings

# How long an example takes on a shared machine says nothing about the number that came out.
settings.register_profile("numbers", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(  # make mutation: any failure tells enough, so that none is made smaller, which takes long.
    "few",
    settings.get_profile("numbers"),
    max_examples=12,
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "numbers"))
