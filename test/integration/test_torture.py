"""The torture, for a minute: see test/torture.  PGTQ_TORTURE_SEED gives its seed; PGTQ_TORTURE=full makes it a quarter of an hour."""

import os
import random

import pytest

from torture.run import Torture

SECONDS = 900 if os.environ.get("PGTQ_TORTURE") == "full" else 55


@pytest.mark.timeout(SECONDS + 245)
def test_torture(workspace, build, record_property):
    """What fails says how to see it again."""
    seed = os.environ.get("PGTQ_TORTURE_SEED") or str(random.randrange(10**6))
    torture = Torture(workspace, build, seed, SECONDS, patience=150)
    try:
        torture.go()
    finally:
        record_property("note", torture.summary())
