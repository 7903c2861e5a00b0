"""`ridgeline diversity`: applications compared by their models: what matters to each, and how unlike they react."""

from core.cli._frame import RecipeVerb, add_frame, load_frame, load_recipe, table_lines
from core.cli.base import Arguments, Parser, Report, flag, progress, timed
from core.codec import fields_of
from core.errors import OptionError
from core.report.space.diversity import compare
from core.untold import without_names


class DiversityVerb(RecipeVerb):
    """Compare applications by their models: what matters to each, and how unlike they react."""

    group = "explore a design space"
    examples = ("ridgeline diversity stargazer --dataset NAME --response cycles --over dispatch_width",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        add_frame(parser)
        flag(parser, "--by COLUMN", "a model per value (application)", default="application")
        flag(parser, "--over PARAMETER", "also how each reacts to this one, the others fixed")

    @timed
    def run(self, a: Arguments) -> Report:
        """Fit a model per application, compare them, report."""
        recipe, frame = load_recipe(a), without_names(load_frame(a))
        if a.over and a.over not in frame.names:
            raise OptionError(f"There is no parameter '{a.over}' here; there are: {', '.join(frame.names)}.")
        found = compare(recipe, frame, a.by, progress(a))
        apart, added = found.apart, found.added
        over = found.over(a.over) if a.over else None
        plain = {
            "recipe": recipe.name,
            **fields_of(a, "dataset response"),
            **fields_of(apart, "n_designs applications distance"),
            **({"contributions": added.plain()} if added else {}),
            **({"reactions": over.table().to_dict("list")} if over else {}),
        }
        lines = [
            f"{len(found.models)} models of {recipe.name} asked for the same {apart.n_designs:,} designs:",
            *table_lines(apart.table().iloc[:, :4].rename(columns={"application": a.by})),
            apart.measure,
        ]
        if added is not None:
            lines += [f"What each factor adds; {added.of}:", *table_lines(added.fewer(8).table())]
        if over is not None:
            title = f"Response against {over.parameter}, from its first level" if over.ratios else over.title
            lines += [f"{title}:", *table_lines(over.table())]
        return Report(lines, plain)
