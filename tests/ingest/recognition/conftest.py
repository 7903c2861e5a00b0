"""Noise that is the same in each test, whichever ran before it."""

import numpy as np
import pytest

from tests.ingest.recognition.test_roles import NOISE


@pytest.fixture(autouse=True)
def same_noise() -> None:
    """Begin the noise of tables anew."""
    NOISE.bit_generator.state = np.random.default_rng(7).bit_generator.state
