"""Start: files of one's own, four questions that the samples answer, and where one left off."""

from pages._start import body
from pages._ui.page import page

with page("Start", "From performance measurements to models that can be read, checked and shipped."):
    body.draw()
