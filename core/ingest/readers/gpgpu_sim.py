"""Logs of GPGPU-Sim and Accel-Sim: the simulated design point, and the statistics of each kernel launch."""

import re
from collections.abc import Sequence
from itertools import islice

from core.ingest.names import listed, shown
from core.ingest.readers import _launch
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._declared import roles_of
from core.ingest.readers._simulators import gpgpu_sim_log as log
from core.ingest.readers._simulators.gpgpu_sim_log import Block, Differences, Launch, Shape, Simulation, Sorter
from core.ingest.readers._text import LogReader, lines_of
from core.trial import Kind

_OURS = re.compile(
    rb"^(?:[ \t]*\*\*\* GPGPU-Sim Simulator Version |GPGPU-Sim: Configuration options:|Accel-Sim \[build |"
    rb"(?:\x1b\[[0-9;]*m)*gpu_(?:tot_)?sim_cycle[ \t]*=[ \t]*\d+[ \t]*\r?$)",
    re.MULTILINE,
)
_ROLE = roles_of("gpgpu_sim")
_CORES_AT_MOST, _LISTED = 1024, 6


class GpgpuSimReader(LogReader):
    """One trial per kernel launch; options are parameters, statistics counters, cycles the response."""

    label = "GPGPU-Sim or Accel-Sim log"
    signs = (_OURS,)
    tells = (b"gpgpu-sim", b"accel-sim", b"sim_cycle")
    simulated = True

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per launch whose statistics are whole."""
        sorter = Sorter().take_all(lines_of(raw))
        _leave_out_unfinished(builder, sorter)
        found = log.differenced(sorter.simulations, sorter.repeated)
        _refuse_none(builder, sorter, found)
        several = len(sorter.simulations) > 1
        launches = iter(found.launches)
        for number, simulation in enumerate(sorter.simulations, 1):
            own = list(islice(launches, len(simulation.blocks)))
            _put_launches(builder, simulation, own, f"simulation {number} " if several else "")
        _tell(builder, sorter, found)


def _leave_out_unfinished(builder: Builder, sorter: Sorter) -> None:
    """Take the last block of a log out where the log breaks off inside it."""
    for simulation in sorter.simulations:
        for block in list(simulation.blocks):
            if block.headed and not block.ended:
                simulation.blocks.remove(block)
                last = simulation is sorter.simulations[-1]
                what = "the log breaks off" if last else "the next simulation begins"
                why = f"statistics of {_named(block)} that do not end: {what} inside them"
                builder.skip(f"line {block.line}", why)


def _named(block: Block) -> str:
    return f"launch {', '.join(block.uids)}" if block.uids else "a launch"


def _refuse_none(builder: Builder, sorter: Sorter, found: Differences) -> None:
    """Raise ReadError if no launch has statistics."""
    if any(launch.block.names != () for launch in found.launches):
        return
    if trouble := next((s.trouble for s in sorter.simulations if s.trouble[0]), None):
        said = f"it says '{shown(trouble[1], 120)}' (line {trouble[0]})"
    else:
        said = f"it ends on line {sorter.last_line}"
    raise builder.refused(
        f"is a log of GPGPU-Sim without the whole statistics of any kernel: {said}. "
        "Let the simulation end, or give the log of one that did."
    )


def _put_launches(builder: Builder, simulation: Simulation, launches: Sequence[Launch], prefix: str) -> None:
    options = simulation.options
    numbers, texts, clock = options.numbers(), options.texts(), options.core_clock()
    for launch in launches:
        if (trial := _begin(builder, simulation, launch.block, prefix)) is None:
            continue
        for name, value, unit in numbers:
            builder.put(trial, name, value, unit, Kind.PARAMETER)
        for name, text, design in texts:
            builder.label(trial, name, text, parameter=design)
        for name, (value, unit) in launch.values.items():
            builder.put(trial, name, value, *_ROLE(name, unit)[1:])
        _put_busy(builder, trial, simulation, launch.block)
        if clock and "gpu_sim_cycle" in launch.values:
            builder.put(trial, TIME, launch.values["gpu_sim_cycle"][0] / (clock * 1e6), "s", Kind.RESPONSE)
    if clock and launches:
        builder.note(f"{TIME} is gpu_sim_cycle at the simulated core clock of {clock:g} MHz ({log.CLOCKS}).")
    for name, (first, last) in options.twice.items():
        builder.note(
            f"option -{name} is listed twice, with '{shown(first)}' and '{shown(last)}'; "
            "the last one is taken, as the simulator does."
        )


def _put_busy(builder: Builder, trial: int, simulation: Simulation, block: Block) -> None:
    """Give the cycle in which each core ended its last block of threads: 0 for a core that had none."""
    if not block.busy or block.beside or len(block.uids) > 1:
        return
    listed = (simulation.options.values.get(name, "") for name in ("gpgpu_n_clusters", "gpgpu_n_cores_per_cluster"))
    sizes = [int(text) for text in listed if re.fullmatch(r"\d{1,4}", text)]
    n_cores = sizes[0] * sizes[1] if len(sizes) == 2 else 0
    for core in sorted({*block.busy, *range(min(n_cores, _CORES_AT_MOST))}):
        builder.put(trial, f"core{core}_busy", block.busy.get(core, 0.0), "cycle", Kind.RESPONSE)


def _begin(builder: Builder, simulation: Simulation, block: Block, prefix: str) -> int | None:
    """Begin the trial of a block of statistics; None if it names no kernel."""
    where = f"line {block.line}"
    if block.names == ():
        why = "no kernel had ended"
        if simulation.limit:
            why = "the simulation stopped at its limit of cycles or instructions, before a kernel had ended"
        builder.skip(where, f"statistics without a kernel's name: {why}")
        return None
    shape = _shape_of(simulation, block)
    application = " ".join(block.names) if block.names else (shape.name if shape else "")
    uids = ", ".join(block.uids)
    labels = {"simulator": f"GPGPU-Sim {simulation.version}" if simulation.version else ""}
    execution = f"{prefix}launch {uids}" if uids else ""
    trial = _launch.begin(builder, application, _sizes(shape), where=where, execution=execution, labels=labels)
    for name, text in shape.told.items() if shape else ():
        if name not in (log.GRID, log.BLOCK):
            builder.put(trial, name, float(text) if text.isdecimal() else None, kind=Kind.PARAMETER)
    return trial


def _shape_of(simulation: Simulation, block: Block) -> Shape | None:
    """Return what was said of a launch before it ran: launches are numbered from 1 in the order they are listed."""
    shapes = simulation.shapes
    if block.names is None:
        return shapes[simulation.blocks.index(block)] if len(shapes) == len(simulation.blocks) else None
    if len(block.names) != 1:
        return None
    uid = int(block.uids[0]) if len(block.uids) == 1 and block.uids[0].isdecimal() else 0
    if 0 < uid <= len(shapes) and shapes[uid - 1].name == block.names[0]:
        return shapes[uid - 1]
    alike = [shape for shape in shapes if shape.name == block.names[0]]
    return alike[0] if alike and all(shape == alike[0] for shape in alike) else None


def _sizes(shape: Shape | None) -> dict[str, float]:
    """Return the six sizes of grid and block, or none."""
    told = [shape.told.get(what, "").strip("()").split(",") if shape else [] for what in (log.GRID, log.BLOCK)]
    grid, block = ([float(text) if re.fullmatch(r"\d{1,15}", text) else None for text in own] for own in told)
    found = _launch.sizes(grid, block)
    return found if len(found) == 6 else {}


def _tell(builder: Builder, sorter: Sorter, found: Differences) -> None:
    """Say what was left out and what was noticed."""
    everywhere = "all launches"
    for kind, count in sorter.left_out.items():
        builder.skip(everywhere, f"{count:,} {kind}")
    if repeated := listed(sorted(sorter.repeated), _LISTED, ""):
        builder.skip(everywhere, f"statistics that one launch has several times: {repeated}")
    if any(launch.block.values.get("gpu_tot_sim_cycle") for launch in found.launches):
        builder.skip(
            everywhere,
            "gpu_tot_sim_cycle, gpu_tot_sim_insn and the rates of the run so far (gpu_tot_ipc, …): "
            "the launch's own (gpu_sim_cycle, gpu_ipc, …) are read",
        )
    several = len(found.launches) > sum(bool(s.blocks) for s in sorter.simulations)
    if several and found.of_the_run:
        of_the_run = listed(list(found.of_the_run), _LISTED, "")
        why = f"means, rates and extremes over the run so far, not of one launch: {of_the_run}"
        builder.skip("launches after the first", why)
    _warn(builder, found, several)
    _warn_of_ends(builder, sorter)


def _warn(builder: Builder, found: Differences, several: bool) -> None:
    unknown = list(found.unknown) if several else []
    builder.note_names("taken as counted since the run began, and differenced", unknown, _LISTED, "")
    builder.note_names("left out where they fall, as no total does", list(found.falling), _LISTED, "")
    if found.gaps:
        lost = f"so that the totals of {len(found.gaps)} launch(es) cannot be differenced and are left out"
        builder.note(f"launches before this one are missing from the log, {lost}.", found.gaps[0])
    if found.zeros:
        builder.note("breakdowns that a launch does not list are 0; the simulator lists those above 0.")
    _warn_of_company(builder, [launch.block for launch in found.launches])


def _warn_of_company(builder: Builder, blocks: Sequence[Block]) -> None:
    """Warn of launches that ended together or ran at the same time."""
    if together := [block for block in blocks if len(block.uids) > 1]:
        first = together[0]
        more = f" (and {len(together) - 1} times more)" if len(together) > 1 else ""
        builder.note(f"{_named(first)} ended together, and are one trial{more}.", first.line)
    if beside := [block for block in blocks if block.beside and len(block.uids) == 1]:
        first, others = beside[0], ", ".join(sorted(beside[0].beside))
        more = f" (and {len(beside) - 1} more launches)" if len(beside) > 1 else ""
        builder.note(f"{_named(first)} ran beside launch {others}{more}; statistics hold what both did.", first.line)


def _warn_of_ends(builder: Builder, sorter: Sorter) -> None:
    for simulation in sorter.simulations:
        if simulation.trouble[0]:
            line, said = simulation.trouble
            builder.note(f"the log says '{shown(said, 120)}'.", line)
        if simulation.limit:
            stopped = "the simulation stopped at its limit of cycles or instructions"
            builder.note(f"{stopped}; the last launch may not have run to its end.", simulation.limit)
        elif not simulation.exited:
            builder.note(
                f"the simulation of line {simulation.line} has no 'exit detected' at its end, "
                "so that launches after the last one read may be missing."
            )
