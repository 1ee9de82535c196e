"""What holds for every suite."""

import os

from hypothesis import settings

# Machines that run the suites are shared: how long an example takes says nothing. The examples are
# the same in every run, so that a failure is this change's; `HYPOTHESIS_PROFILE=explore` draws new
# ones (CONTRIBUTING.md).
settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
