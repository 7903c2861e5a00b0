"""Scaling: how kernels scale over cores, clocks and bandwidth, and what one run of a new kernel tells."""

from pages._scaling import body
from pages._ui.page import page
from pages._ui.state import choose_dataset

with page("Scaling", "How time and power of a kernel change over cores, clocks and bandwidth, from one run of it."):
    body.draw(choose_dataset())
