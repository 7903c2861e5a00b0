"""What trials and models have to say: values first, figures drawn from them after, sorted by what is looked at.

`trials`, `model`, `compare`, `space`, `scaling` and `experiment` hold the values of the views of that name, `shared`
what several of them show, `figures` every picture, `document` pages of HTML to keep. Nothing here stores, trains
unasked, or knows pages and verbs.
"""
