"""The race: every family on the same honest folds, with treatments and winner chosen inside the training parts.

It offers `race`, `auto`, `versus`, reuse and the ranking of machines. It never picks anything on the folds that it
reports.
"""

from core.race.chosen import Failures as Failures
from core.race.chosen import Stability as Stability
from core.race.chosen import alike as alike
from core.race.chosen import chosen_features as chosen_features
from core.race.chosen import failures as failures
from core.race.chosen import stability as stability
from core.race.entry import Entry as Entry
from core.race.entry import entries_for as entries_for
from core.race.entry import entry_of as entry_of
from core.race.entry import quick_first as quick_first
from core.race.entry import scales_for as scales_for
from core.race.keep import fitted_winner as fitted_winner
from core.race.keep import on_its_scale as on_its_scale
from core.race.race import race as race
from core.race.race import race_id as race_id
from core.race.result import BLEND as BLEND
from core.race.result import EVERYTHING as EVERYTHING
from core.race.result import STACK as STACK
from core.race.result import STOCK as STOCK
from core.race.result import Key as Key
from core.race.result import Race as Race
from core.race.result import Run as Run
from core.race.result import Standing as Standing
from core.race.result import Together as Together
from core.race.result import run_from_plain as run_from_plain
from core.race.result import run_to_plain as run_to_plain
from core.race.standings import race_of as race_of
