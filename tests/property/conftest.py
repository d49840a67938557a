"""How hard the properties are tried: HYPOTHESIS_PROFILE is `quick` or `ci` (the default, everything)."""

import os

from hypothesis import HealthCheck, settings

# No example database: what failed is printed and can be pasted, and runs do not depend on what ran before. No deadline:
# durations are measured by the benchmarks.
settings.register_profile(
    "ci",
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=6, stateful_step_count=15)

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
