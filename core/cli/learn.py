"""`ridgeline learn`: how good a model gets with how many designs, application by application."""

from contextlib import nullcontext
from dataclasses import replace

from core.cli._frame import RecipeVerb, add_frame, load_frame, load_recipe, table_lines
from core.cli.base import Arguments, Parser, Report, flag, progress, timed
from core.codec import fields_of
from core.errors import OptionError
from core.progress import in_turn, part
from core.recipes import Recipe
from core.recipes.stargazer import Stargazer
from core.report.model.contributions import Contributions, contributions
from core.report.shared.naming import fixed
from core.report.space.diversity import frames_by, said_of
from core.report.space.learning import Learning
from core.untold import without_names
from core.validate.learning_curve import UNSEEN, LearningCurve, learning_curve

ALL = "all"
_MOST_SIZES = 1000


class LearnVerb(RecipeVerb):
    """Learn from more and more designs and predict unseen ones."""

    group = "explore a design space"
    examples = ("ridgeline learn stargazer --dataset runs --response cycles --sizes 10,15 --test 8",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        add_frame(parser)
        flag(
            parser,
            "--sizes FROM:TO:STEP",
            "configurations to learn from; also 30,60,120 (%(default)s)",
            default="30:300:30",
        )
        flag(parser, "--test N", "unseen configurations to predict", default=200)
        flag(parser, "--draws N", "how often all is drawn anew", default=5)
        flag(parser, "--by COLUMN", "a curve per value, such as application")
        flag(parser, "--fixed TERMS", "beside it, Stargazer with these terms alone, such as simd,blk,simd:blk")
        flag(parser, "--contributions", "also what each factor adds to R² (stargazer), of all trials")

    @timed
    def run(self, a: Arguments) -> Report:
        """Learn, predict and report."""
        sizes = parse_sizes(a.sizes)
        recipe, frame = load_recipe(a), without_names(load_frame(a))
        frames = {ALL: frame} if a.by is None else frames_by(frame, a.by)
        other, show = _fixed(recipe, a.fixed), progress(a)

        def draw(recipe: Recipe, start: float, stop: float) -> dict[str, LearningCurve]:
            curves, fit = {}, recipe.asking(UNSEEN).fit
            for told, (name, one) in in_turn(part(show, start, stop), frames.items()):
                with nullcontext() if a.by is None else said_of(name):
                    curves[name] = learning_curve(fit, one, sizes, a.test, a.draws, a.seed, told)
            return curves

        own, beside = draw(recipe, 0.0, 0.5 if other else 1.0), draw(other, 0.5, 1.0) if other else {}
        found = Learning(recipe.name, own, beside, f"fixed terms {a.fixed}" if other else "")
        factors = contributions({n: recipe.fit(f) for n, f in frames.items()}) if a.contributions else None
        plain = {
            "recipe": recipe.name,
            **fields_of(a, "dataset response test draws"),
            **found.plain(),
            **({"contributions": factors.plain()} if factors else {}),
        }
        return Report(_lines(found, factors), plain)


def parse_sizes(text: str) -> tuple[int, ...]:
    """Return the sizes that `30:300:30` or `30,60,120` means, ascending.

    Raises
    ------
    OptionError
        If it is neither, or too many.
    """
    try:
        if ":" in text:
            start, stop, step = (int(t) for t in text.split(":"))
            found = tuple(range(start, stop + 1, step)[: _MOST_SIZES + 1])
        else:
            found = tuple(sorted({int(t) for t in text.split(",")}))
    except ValueError:
        found = ()
    if len(found) > _MOST_SIZES:
        raise OptionError(f"--sizes takes {_MOST_SIZES:,} sizes at most; '{text}' is more. Take larger steps.")
    if not found or found[0] < 1:
        raise OptionError(f"--sizes takes FROM:TO:STEP such as 30:300:30, or numbers such as 30,60,120; got '{text}'.")
    return found


def _fixed(recipe: Recipe, terms: str | None) -> Recipe | None:
    if terms is None:
        return None
    base = recipe if isinstance(recipe, Stargazer) else Stargazer()
    return replace(base, fixed=tuple(t.strip() for t in terms.split(",") if t.strip()), choose_thresholds=False)


def _lines(found: Learning, factors: Contributions | None) -> list[str]:
    lines = [found.sentence(), *table_lines(found.table())]
    if len(found.curves) > 1:
        pairs = zip(found.sizes, found.average, strict=True)
        lines += ["average of the mean errors: " + ", ".join(f"{n}: {fixed(error, 2)} %" for n, error in pairs)]
    if factors is not None:
        lines += ["What each factor adds to R²:", *table_lines(factors.table())]
    return lines
