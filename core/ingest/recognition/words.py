"""The words by which performance tools and people name their columns."""

import re
from collections.abc import Sequence

from core.ingest._units import dimension, stem
from core.ingest._vocabulary import in_order, vocabulary

APPLICATION = vocabulary(
    """
    job_name jobname job code query system network nn_model model model_name application applications app app_name
    application_name program program_name benchmark benchmark_name benchmarks bench bench_name kernel kernel_name
    workload workload_name op operator operator_name op_name algo operation function routine executable binary
    algorithm task project trace trace_name test_name test loop region miniapp proxy_app command solver method
    anwendung programm
    """
)
INPUT = vocabulary(
    """
    input inputs input_name input_size size dataset data_set data problem problem_size problem_name variant case
    test_case scale class workload_size n shape arguments args input_file graph matrix ps m k nx ny nz length
    elements num_elements message_size msg_size batch batch_size seq_len sequence_length dim dims rows cols columns
    order nnz width height atoms particles trace_set problem_class bytes n_elements matrix_size array_size
    vector_length mesh grid_points cells sf scale_factor message_bytes size_bytes input_bytes c b h large
    input_channel output_channel kernel_size stride bs bsz
    """
)
MACHINE = in_order(
    """
    machine machine_name gpu gpu_name gpu_model device device_name platform platform_name computer cpu cpu_name
    cpu_model accelerator processor processor_name chip soc hardware board sys system system_name sysname server
    instance_type instance cluster target geometry node node_name arch architecture uarch microarchitecture host
    host_name hostname prozessor maschine rechner grafikkarte processeur ordinateur procesador
    """
)
"""The likelier first."""
AMBIGUOUS = vocabulary("system target instance geometry")
"""What may name a machine or what ran."""
WHOLE = vocabulary("machine machine_name system system_name computer server instance_type instance platform_name")
"""What names a computer and not a part of it."""
HOST = vocabulary("host host_name hostname node node_name")
RUN = vocabulary(
    """
    run runs repeat repeats repetition repetitions rep reps iteration iterations iter iters trial replicate attempt
    sample samples sequence n_runs num_runs number_of_iterations samples_averaged trials warmup calls invocations
    lauf durchlauf wiederholung
    rounds loops
    """
)
NUMBERED = vocabulary("cycle round pass shot loop execution exec experiment measurement")
"""What numbers the repeats where its values are 1, 2, 3 …, each as often."""
_NUMBER = vocabulary("id no nr num number idx index")

ITERATIONS = vocabulary("iteration iterations iter iters number_of_iterations rounds")
"""Of these, what may be the work of a run: how many a solver took."""

_OUTCOME = vocabulary(
    """
    cost usd time runtime walltime cputime duration latency elapsed makespan dur energy power wattage watts watt
    joules joule throughput bandwidth gflops mflops tflops temperature temp perf seconds secs fps iops tps qps mlups
    glups mops gops rtt turnaround sps gups frametime algbw busbw delay
    """
)
_WHOLE_OUTCOME = vocabulary(
    """
    cycles total_cycles cpu_cycles gpu_cycles gpu_sim_cycle sim_cycles gflop_s gflops tflops gb_s mb_s performance
    energy_delay_product edp tiempo tempo zeit laufzeit dauer temps t wall real user mop_s score speed ops_s
    sim_seconds host_seconds numcycles tseq tpar t_seq t_par t_serial t_parallel bytes_per_second items_per_second
    events_per_second requests_per_second ops_per_sec transactions_per_second power_draw tok_s tokens_per_second
    images_per_second samples_per_second tat mean average avg median time_real elapsed_seconds seconds sec
    sim_ticks simticks best_rate_mb_s mflop_s tflop_s ops_sec req_s it_s cpi_stack ns_op iter_s objective
    ed_2_p time_taken time_spent time_used
    """
)
_LEADING_OUTCOME = vocabulary("power energy temperature gflops mflops tflops mlups")
_RATE_WORD = re.compile(r"[kmgtp](fl|i|t|c|l|e)?(op|up|ep)s")
"""Operations, updates, cells or edges a second, in thousands or more."""
_BUT = vocabulary("with without no incl including excl excluding")
"""What parts an outcome from what it holds or leaves out: a time without copies is a time."""
STATISTIC = vocabulary(
    """
    mean avg average media moyenne mittelwert median mediana med min minimum max maximum best worst std stddev stdev
    sd var variance cv p10 p25 p50 p75 p90 p95 p99 p999 percentile sem geomean lower upper total sum rel_stddev iqr
    mad desvio stat low high quantile
    """
)
SPREAD = vocabulary("spread desvio std stddev stdev sd var variance cv sem iqr mad error err ci")
_NO_OUTCOME = vocabulary(
    """
    compile compilation verification framework benchmark limit cap tdp setup overhead start end begin idle budget
    per pct of stamp peak factor ratio states state mode theoretical unit units zone out timeout slots per_active
    efficiency requested replay search sample interval window warmup target period slo
    """
)
_LIMITS = vocabulary("peak theoretical max target requested")
TOOLS_OWN = vocabulary("compile compilation verification framework benchmark setup search")
_IDENTIFIER = vocabulary(
    """
    id idx index pid tid uuid uid rank seed timestamp date datetime utc commit sha hash md5 revision guid epoch
    unnamed jobid stamp filename path
    """
)
_BOUNDS = vocabulary("compute bound tolerance threshold budget")
_ENDS = vocabulary("start end begin finish submit")
_ABOUT = vocabulary(
    """
    status valid note notes comment comments remark remarks message correct correctness verified verify passed pass
    success successful failed suspect outlier version schema split error err errors residual checksum driver warning
    warnings invalid invalidity username source suite vendor submitter author label tag description ok upstream flag
    os kernelversion license url
    """
)
_TOLD = vocabulary("predict predicted modelled modeled estimated")
_DOMAINS = vocabulary("psys p_sys package pkg")
PARTS = vocabulary("core cores core_s cpu gpu dram ram uncore")
"""Of a domain."""
_DEVIATION = re.compile("(max|mean|avg)_(abs|rel|diff)|[ar]tol")
"""How far a result is from the right one."""
_COUNTER = vocabulary(
    """
    counter counters ctr pmc pmu used usage resident rss maxrss allocated misses miss hits hit inst instr
    instructions insn insts loads load stores store branches branch transactions transaction requests replays replay
    stalls stall faults references refs ipc cpi occupancy utilization utilisation util efficiency cycles cycle
    events event reads writes read write sectors conflicts accesses access rate activity issued executed tlb uops
    retired mispredicts spills busy count cyclecount intensity entropy overhead percent pct footprint throughput
    migrations switches queries sectormisses divergence writeback evictions fetches retransmits retries drops dcm
    allocs allocations calls collections registrations live failing failures swaps comparisons resent icm tcm ldm
    stm dca tca dch tch dcr dcw ins cyc msp dropped packets interrupts syscalls papi lut luts ff ffs dsp dsps bram
    uram
    """
)
_DONE = vocabulary("explored visited pruned expanded processed generated evaluated touched created spilled")
"""What was done to things while a program ran, whatever they are called: nodes are settings, nodes visited are not."""
_SHARES = vocabulary("pct percent rate usage used count intensity read reads write writes access requests queries")
_EACH = vocabulary("op ops iter iteration call request query step cycle inst instruction element item token")
"""Per which of what a program did things are counted."""
_SETTING = vocabulary(
    """
    threads thread procs proc processes process ranks nodes cores cpus tasks workers omp block blocks tile tiles
    unroll unrolling stride chunk schedule vector vec simd freq frequency clock clk mhz ghz governor coref memf
    padding prefetch shmem cmem opt optimization level compiler flags precision dtype layout policy affinity bind
    numa streams pipeline depth grid workgroup wg wgr grd lds scr vgpr sgpr registers smem cap voltage channels ppn
    nprocs nthreads np nb p q batch assoc associativity partitions gpus filter parameter param knob factor queue
    depths warps ways entries width issue rob mpi numprocs placement scheduler mask injection arrival sampling
    refresh period refinement refinements
    """
)
_LAUNCH_WHOLE = re.compile(
    r"(grid|block|workgroup|wg|local|global|work_group|wgr|grd|thread_block|threads_per_block|blocks_per_grid)"
    r"(_size|_dim)?(_[xyz012])?|(arch_|accum_)?[vs]gprs?|registers?_per_thread|lds(_per_workgroup|_block_size)?|scr|"
    r"(static_|dynamic_)?(s_?mem|shared_memory)(_per_block|_size)?|threads_per_block|warps_per_sm|blocks_per_sm"
)
_MACHINE_FACT = vocabulary(
    """
    clock clk freq frequency cache l mem memory bus cores core cpus sm sms cu cus simd warp flops peak bandwidth bw
    bandwith tdp isa arch capability cc assoc dram ddr ram channels sockets socket numa lanes pcie compute gm
    theoretical hbm gddr vram transistors nm
    """
)
_SWITCHED = ("true false", "yes no", "on off", "y n", "t f", "enabled disabled", "with without", "0 1")
_TICKED = vocabulary("x yes y on true 1 ✓ ✔")
"""What stands in the cells of a switch that is on, where those of one that is off are empty."""
_UNSET = vocabulary("x - none default")
MOST_SPELLINGS = 16
"""Texts that the two positions of a switch may have, as in True, true and TRUE."""

_OTHER_SIZES = vocabulary(
    "block tile grid group workgroup cache line page mem memory warp chunk step host image binary code"
)
_TOKEN = re.compile(r"[pP]\d\d+|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_STAMP = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d([T _]?\d\d[:_-]?\d\d.*)?|\d\d[./]\d\d[./]\d{4}.*|\d{8}T\d{6}Z?|\d\d:\d\d:\d\d.*"
)
_HASH = re.compile(r"(?=.*[a-f])(?=.*\d)[0-9a-f]{7,64}(-dirty)?|[0-9a-f]{8}-[0-9a-f]{4}-.*|0x[0-9a-fA-F]{6,}")


def tokens(name: str) -> list[str]:
    """Return the words of a name in lower case: `AppName`, `app_name` and `App.Name` are alike."""
    return [token.lower() for token in _TOKEN.findall(name)]


def key(name: str) -> str:
    """Return the words of a name joined by underscores, to look it up."""
    return "_".join(tokens(name))


def without_statistic(words: list[str]) -> list[str]:
    """Return the words of a name without those of a statistic, such as mean or min; all if no other is left."""
    return [word for word in words if word not in STATISTIC] or words


def is_outcome(name: str, unit: str = "") -> bool:
    """Whether a name or its unit is one of an outcome: a time, a power, an energy, a throughput, or all cycles."""
    words = tokens(stem(name))
    words = words[:-1] if len(words) > 1 and words[-1].isdigit() else words
    words = words[: next((i for i, word in enumerate(words) if i and word in _BUT), None)]
    bare = without_statistic(words)
    if unit == "%":
        return False
    if len(words) > 1 and words[-1] == "sum" and bare[-1] not in ("time", "duration", "energy", "runtime"):
        return False
    if words and dimension(unit, "") == "throughput" and unit and not _LIMITS & set(words):
        return True
    if bare[:1] and bare[0] in ("time", "energy", "seconds") and "per" in bare and not _BOUNDS & set(words):
        return True
    limit = {"max", "maximum", "limit"} & set(words) and unit in ("W", "MHz", "°C")
    if words and _in(_WHOLE_OUTCOME, name, bare):
        return True
    if limit or _NO_OUTCOME & set(bare):
        return False
    if words and (bare[-1] in _OUTCOME or bare[0] in _LEADING_OUTCOME or _RATE_WORD.fullmatch(bare[-1])):
        return True
    return dimension(unit, "") in ("time", "power", "energy", "temperature", "throughput") if unit else False


def _in(known: frozenset[str], name: str, words: list[str]) -> bool:
    return key(name) in known or "_".join(words) in known or (words[-1].isdigit() and "_".join(words[:-1]) in known)


def is_run(name: str) -> bool:
    """Whether a name is one of a repeat's number."""
    words = tokens(name)
    return key(name) in RUN or (len(words) > 1 and words[-1] in _NUMBER and "_".join(words[:-1]) in RUN | NUMBERED)


def is_identifier(name: str) -> bool:
    """Whether a name is one of an identifier: its numbers count nothing."""
    words = tokens(name)
    if _ENDS & set(words) and "to" not in words and words[-1] in ("time", "ts", "at", "ns", words[0]):
        return True
    named = bool(words) and (words[-1] in _IDENTIFIER or words[0] == "unnamed" or "timestamp" in words)
    return named and "per" not in words[1:]


def is_about_the_run(name: str) -> bool:
    """Whether a name tells of the capture and not of what was measured: a status, an error, a version, a note."""
    words = set(tokens(name))
    about = _ABOUT & words and not words & _BOUNDS and not is_input(name)
    return (
        bool(about)
        or key(name) in ("unit", "units", "time_unit", "dummy", "exit_code", "exitcode", "return_code", "returncode")
        or _DEVIATION.fullmatch(key(name)) is not None
    )


def is_told(name: str) -> bool:
    """Whether a name is one of an outcome that a model said, and that was not measured; rows it expects are known."""
    words = tokens(name)
    rest = "_".join(word for word in words if word not in _TOLD)
    return bool(_TOLD & set(words)) and (not rest or is_outcome(rest))


def is_domain(name: str) -> bool:
    """Whether a name is one of a processor's domain (of RAPL), whose energy or power the numbers are."""
    return "_".join(without_statistic(tokens(name))) in _DOMAINS


def is_variant(name: str, texts: Sequence[str]) -> bool:
    """Whether a version is one of the program that ran: words such as serial and parallel, no numbers of a release."""
    return key(name) == "version" and len(texts) > 1 and not any(re.search(r"\d\W*\d", text) for text in texts)


def is_counter(name: str) -> bool:
    """Whether a name speaks of what was counted while a program ran."""
    words = tokens(name)
    held = bool({"memory", "mem", "ram", "vram", "heap"} & set(words) and {"max", "peak", "delta"} & set(words))
    return held or bool((_COUNTER | _DONE) & set(words)) or (words[-2:-1] == ["per"] and words[-1] in _EACH)


def is_share(name: str) -> bool:
    """Whether a name speaks of a counter only by words that settings have as well, such as a share of reads."""
    return is_counter(name) and _COUNTER & set(tokens(name)) <= _SHARES


def is_comparison(name: str) -> bool:
    """Whether a name says that outcomes are compared: a speed-up, one versus another."""
    words = tokens(name)
    return bool({"vs", "slowdown", "amdahl", "karp", "gustafson"} & set(words)) or "speedup" in "".join(words)


def is_setting(name: str) -> bool:
    """Whether a name speaks of what is set before a run."""
    words = tokens(name)
    if _DONE & set(words) or is_comparison(name):
        return False
    spoken = {word for word in words if len(word) > 1 or len(words) == 1}
    return bool(_SETTING & spoken) or is_launch(name) or (bool(words) and words[-1] == "f" and len(words) > 1)


def is_launch(name: str) -> bool:
    """Whether a name speaks of how a kernel was launched: the shape of its grid, its registers."""
    return bool(_LAUNCH_WHOLE.fullmatch(key(name)))


def is_machine_fact(name: str) -> bool:
    """Whether a name speaks of what a machine has, and not of what it did: clocks, caches, cores, bandwidth."""
    words = set(tokens(name))
    clock_rate = "rate" in words and bool(words & {"clock", "freq"})
    counted = _COUNTER & words - ({"used"} if "cache" in words else set())
    return bool(_MACHINE_FACT & words) and (clock_rate or not counted)


def is_input(name: str) -> bool:
    """Whether a name speaks of the problem that was solved."""
    words = tokens(name)
    sized = bool({"size", "length", "problem", "elements", "input", "dataset"} & set(words))
    of_a_cache = re.search(r"\bl\d|l\d_", name.lower())
    return key(name) in INPUT or (sized and not of_a_cache and not _OTHER_SIZES & set(words))


def are_switched(texts: tuple[str, ...]) -> bool:
    """Whether texts are the two positions of a switch: True and False, yes and no, a flag's name and X."""
    lowered = {text.lower() for text in texts if text} if len(texts) <= MOST_SPELLINGS else set()
    if len(lowered) == 1 and "" in texts:
        return lowered <= _TICKED
    if len(lowered) != 2:
        return False
    others = lowered - _UNSET
    named = len(others) == 1 and all(len(text) > 1 for text in others)
    return any(lowered == set(pair.split()) for pair in _SWITCHED) or named


def are_stamps(texts: tuple[str, ...]) -> bool:
    """Whether texts are dates or times of day."""
    return _all(texts, _STAMP)


def are_hashes(texts: tuple[str, ...]) -> bool:
    """Whether texts are hashes, commits or addresses."""
    return _all(texts, _HASH)


def _all(texts: tuple[str, ...], pattern: re.Pattern[str]) -> bool:
    some = [text for text in texts[:50] if text]
    return bool(some) and all(map(pattern.fullmatch, some))
