"""How soon each page settles, as multiples of an empty page; what is measured stands in tests/browser/measure_pages.py."""

from tests.browser.measure_pages import main

if __name__ == "__main__":
    main()
