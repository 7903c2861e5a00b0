"""Papers: the four papers' figures and tables made again, on their samples or on trials of one's own."""

from pages._papers import body
from pages._ui.page import page

with page("Papers", "Every figure and table of four papers, made again here, beside what they print."):
    body.draw()
