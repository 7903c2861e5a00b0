"""What benchmark programs print for people, each described in the data of one reader: its rows, parts of rows, units."""

import re

import numpy as np
import pytest

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, metric, names, read, value

OPENSSL = """OpenSSL 1.1.1f  31 Mar 2020
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes     64 bytes   1024 bytes
aes-128 cbc      54713.70k    59504.64k 10061607.94k
sha256           48805.16k   149918.68k   548406.95k
                  sign    verify    sign/s verify/s
rsa  2048 bits 0.000631s 0.000018s   1584.3  54217.8
                              sign    verify    sign/s verify/s
 256 bits ecdsa (nistp256)   0.0001s   0.0002s  45069.6  15166.8
"""


def test_each_size_of_openssl_is_a_trial_and_so_is_each_operation_of_a_key() -> None:
    found = read(OPENSSL, "openssl")
    assert found.trials.application[::3] == ("aes-128 cbc", "sha256", "rsa", "ecdsa (nistp256)")
    assert column(found, "size")[:6] == [16, 64, 1024] * 2
    assert (metric(found, "throughput").unit, value(found, "throughput", 2)) == ("byte/s", 10061607940)
    assert (found.trials.labels["operation"][6:8], column(found, "time_s")[6:8]) == (
        ("sign", "verify"),
        [631e-6, 18e-6],
    )
    assert (column(found, "bits")[6:], kind(found, "bits")) == ([2048, 2048, 256, 256], Kind.PARAMETER)
    check_damaged(OPENSSL, "openssl")


SEVEN_ZIP = """RAM usage:    882 MB,  # Benchmark threads:      4

                       Compressing  |                  Decompressing
Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating
         KiB/s     %   MIPS   MIPS  |      KiB/s     %   MIPS   MIPS

22:       2021   362    543   1966  |      60186   394   1302   5135
23:       1934   371    531   1971  |      58505   394   1285   5062
----------------------------------  | ------------------------------
Avr:             368    529   1945  |              394   1271   5010
"""


def test_each_dictionary_of_7_zip_is_a_trial() -> None:
    found = read(SEVEN_ZIP, "seven_zip")
    assert (column(found, "dictionary (log2)"), column(found, "threads")) == ([22, 23], [4, 4])
    assert column(found, "compressing_speed") == [2021 * 1024, 1934 * 1024]
    assert (kind(found, "decompressing_speed"), kind(found, "decompressing_rating")) == (Kind.RESPONSE, Kind.DERIVED)
    check_damaged(SEVEN_ZIP, "seven_zip")


LZBENCH = """lzbench 1.8 (64-bit Linux)  AMD Ryzen 7 5700G with Radeon Graphics
Compressor name         Compress. Decompress. Compr. size  Ratio Filename
memcpy                  44664 MB/s 46425 MB/s    10192446 100.00 dickens
zstd 1.5.2 -8            53.0 MB/s  1502 MB/s     3301774  32.39 dickens
done... (cIters=1 dIters=1 cTime=1.0 dTime=2.0 chunkSize=1706MB cSpeed=0MB)
"""


def test_the_level_of_a_compressor_is_a_parameter() -> None:
    found = read(LZBENCH, "lzbench")
    assert (found.trials.application, found.trials.input) == (("memcpy", "zstd 1.5.2"), ("dickens", "dickens"))
    assert np.array_equal(column(found, "level"), [np.nan, 8], equal_nan=True)
    assert column(found, "decompression") == [46425e6, 1502e6]
    check_damaged(LZBENCH, "lzbench")


def streams(*lines: str) -> str:
    """What a run of iperf3 prints."""
    head = "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    return f"Connecting to host 10.0.0.1, port 5201\n{head}" + "".join(f"{line}\n" for line in lines)


SECOND = "[  5]   0.00-1.00   sec  48.2 MBytes   404 Mbits/sec    0   1.12 MBytes"
SENT = "[  5]   0.00-5.00   sec   241 MBytes   404 Mbits/sec  1769             sender"
GOT = "[  5]   0.00-5.00   sec  1.10 GBytes  1.89 Gbits/sec                  receiver"


def test_both_sides_of_iperf_are_trials_and_its_seconds_where_it_says_no_whole() -> None:
    found = read(streams(SECOND, SENT, GOT) + streams(SENT.replace("404", "219")), "iperf")
    assert column(found, "bitrate") == [404e6, 1.89e9, 219e6]
    assert found.trials.labels["side"] == ("sender", "receiver", "sender")
    assert metric(found, "bitrate").unit == "bit/s"
    assert column(read(streams(SECOND, SECOND), "iperf"), "bitrate") == [404e6, 404e6]
    summed = read(streams(SENT, SENT.replace("[  5]", "[SUM]").replace("404", "808")), "iperf")
    assert column(summed, "bitrate") == [808e6]
    check_damaged(streams(SECOND, SENT, GOT), "iperf")


STRESS_NG = """stress-ng: info:  [9] dispatching hogs: 4 cap, 4 get
stress-ng: metrc: [9] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s
stress-ng: metrc: [9]                           (secs)    (secs)    (secs)   (real time) (usr+sys time)
stress-ng: metrc: [9] cap             2549671      3.00      0.81      6.33    849218.13      356657.35
stress-ng: metrc: [9] get                7461      3.00      0.13      1.05      2486.62        6357.65
"""


def test_each_stressor_is_a_trial() -> None:
    found = read(STRESS_NG, "stress_ng")
    assert (found.trials.application, column(found, "bogo ops")) == (("cap", "get"), [849218.13, 2486.62])
    assert [kind(found, name) for name in ("bogo ops", "operations", "real")] == [Kind.RESPONSE, *[Kind.DERIVED] * 2]
    check_damaged(STRESS_NG, "stress_ng")


CRYPTSETUP = """# Tests are approximate using memory only (no storage IO).
PBKDF2-sha1      1459397 iterations per second for 256-bit key
#     Algorithm |       Key |      Encryption |      Decryption
        aes-cbc        128b      1006.6 MiB/s      3167.2 MiB/s
"""


def test_each_cipher_is_a_trial() -> None:
    found = read(CRYPTSETUP, "cryptsetup")
    assert (found.trials.application, column(found, "key")) == (("aes-cbc",), [128])
    assert value(found, "encryption") == 1006.6 * 2**20
    check_damaged(CRYPTSETUP, "cryptsetup")


K6 = """     script: load.js
  scenarios: (100.00%) 1 scenario, 5 max VUs, 50s max duration (incl. graceful stop):
     http_req_duration..............: avg=1.17ms   min=264.58µs med=798.87µs max=48.17ms p(90)=2.08ms   p(95)=3.06ms
     http_reqs......................: 48450   2421.506268/s
     iterations.....................: 48450   2421.506268/s
"""


def test_a_number_has_the_unit_that_stands_behind_it() -> None:
    found = read(K6, "k6")
    assert [value(found, name) for name in ("time_s", "median", "virtual users")] == [1.17e-3, 798.87e-6, 5]
    assert (kind(found, "requests per second"), kind(found, "p95")) == (Kind.RESPONSE, Kind.DERIVED)
    check_damaged(K6, "k6")


IOZONE = """	Iozone: Performance Test of File I/O
                                                              random    random     bkwd    record    stride
              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read
          102400       4    15030    16301    21010    21018     8302     3090
          102400    1024    21981    22018                      23002    20984
"""


def test_tests_of_iozone_that_did_not_run_have_no_rate() -> None:
    found = read(IOZONE, "iozone")
    assert column(found, "record length") == [4096, 2**20]
    assert np.array_equal(column(found, "read"), [21010e3, np.nan], equal_nan=True)
    assert metric(found, "write").unit == "byte/s"
    check_damaged(IOZONE, "iozone")


def job(name: str, read: str, write: str, error: int = 0) -> str:
    """A line of fio's for people who parse it: what it read and wrote as size, rate, operations, time and latency."""
    sides = [";".join([*side.split()[:-1], *"0" * 6, side.split()[-1], *"0" * 30]) for side in (read, write)]
    return f"3;fio-3.28;{name};0;{error};{';'.join(sides)}\n"


def test_a_job_of_fio_has_no_rate_of_what_it_did_not_do() -> None:
    text = job("reads", "1310720 131072 32768 10000 116.3", "0 0 0 0 0.0") + job(
        "fails", "8 8 2 1 9.5", "0 0 0 0 0.0", 5
    )
    found = read(text, "fio_terse")
    assert (found.trials.application, value(found, "read_bandwidth")) == (("reads",), 131072 * 1024)
    assert (value(found, "read_time"), "write_bandwidth" in names(found)) == (116.3e-6, False)
    assert "1 jobs say that they failed" in " ".join(found.warnings)
    check_damaged(text, "fio_terse")


NETPERF = """MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : demo
Recv   Send    Send
bytes  bytes   bytes    secs.    10^6bits/sec
131072  16384   1024    10.01    6120.31
131072  16384   4096    10.00    8912.20
"""


def test_each_message_size_of_netperf_is_a_trial() -> None:
    found = read(NETPERF, "netperf")
    assert (found.trials.application[0], column(found, "message")) == ("TCP STREAM", [1024, 4096])
    assert (value(found, "throughput"), metric(found, "throughput").unit) == (6120.31e6, "bit/s")
    check_damaged(NETPERF, "netperf")


VEGETA = """Requests      [total, rate, throughput]         1200, 120.00, 119.98
Duration      [total, attack, wait]             10.002s, 9.999s, 2.1ms
Latencies     [min, mean, 50, 90, 95, 99, max]  1.02ms, 2.31ms, 2.10ms, 3.31ms, 4.02ms, 8.11ms, 21.02ms
Success       [ratio]                           100.00%
"""


def test_a_report_of_vegeta_is_a_trial() -> None:
    found = read(VEGETA + VEGETA.replace("120.00", "240.00"), "vegeta")
    assert (column(found, "rate"), kind(found, "rate")) == ([120, 240], Kind.PARAMETER)
    assert (value(found, "time_s"), value(found, "most")) == (2.31e-3, 21.02e-3)
    check_damaged(VEGETA, "vegeta")


def test_what_go_writes_as_minutes_is_seconds() -> None:
    found = read(re.sub(r"(Latencies .*\] +\S+, )\S+,", r"\g<1>1m2.5s,", VEGETA), "vegeta")
    assert found.trials.values[0, [m.name for m in found.trials.metrics].index("time_s")] == 62.5


HLS = """== Vitis HLS Report for 'dct'
* Target device:  xc7a35t-cpg236-1
    |ap_clk  |  10.00 ns|  7.300 ns|     2.70 ns|
    |   182001|   182001|  1.820 ms|  1.820 ms|  182002|  182002|       no|
|Memory           |        1|   -|   2048|    512|    0|
|Total            |        3|  64|   4442|  12964|    0|
|Available        |      100|  90|  41600|  20800|    0|
|Utilization (%)  |        3|  71|     10|     62|    0|
"""


def test_a_report_of_a_circuit_has_its_latency_and_what_it_takes() -> None:
    found = read(HLS, "vitis_hls")
    assert (found.trials.application, found.trials.machine) == (("dct",), ("xc7a35t-cpg236-1",))
    assert [value(found, n) for n in ("time_s", "latency", "target clock")] == [1.82e-3, 182001, 1e-8]
    assert [value(found, n) for n in ("BRAM", "DSP", "FF", "LUT")] == [3, 64, 4442, 12964]
    check_damaged(HLS, "vitis_hls")


RAPL = """Power units = 0.125W

Package , CPU , GPU , DRAM? , Time (sec)
../c/binary-trees ; 25.702941, 21.255859,  ,  ,  6210.44
../c/binary-trees ; 22.979553, 19.418334,  ,  ,  5997.18
"""


def test_each_line_of_a_meter_of_programs_is_a_run() -> None:
    found = read(RAPL, "energy_languages")
    assert (found.trials.application, value(found, "time_s", 1)) == (("../c/binary-trees",) * 2, 5.99718)
    assert [kind(found, name) for name in ("package energy", "CPU")] == [Kind.RESPONSE, Kind.DERIVED]
    check_damaged(RAPL, "energy_languages")


CARGO = """running 2 tests
test fib_10  ... bench:         312 ns/iter (+/- 14)
test copy_1m ... bench:      38,201 ns/iter (+/- 1,204) = 26 MB/s
"""


def test_thousands_of_a_number_may_have_commas() -> None:
    found = read(CARGO, "cargo_bench")
    assert found.trials.application == ("fib_10", "copy_1m")
    assert [value(found, name, 1) for name in ("time_s", "spread", "rate")] == [38201e-9, 1204e-9, 26e6]
    check_damaged(CARGO, "cargo_bench")


WRK = """Running 30s test @ http://127.0.0.1:8080/predict
  4 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   697.36ms  216.95ms   1.65s    74.28%
    Req/Sec    36.49     20.00   121.00     70.48%
  Latency Distribution
     50%  673.64ms
     99%    1.36s
  4244 requests in 30.04s, 758.52KB read
  Socket errors: connect 0, read 0, write 0, timeout 4
Requests/sec:    141.27
Transfer/sec:     25.25KB
"""


def test_a_run_of_wrk_is_a_trial() -> None:
    found = read(WRK + WRK.replace("100 conn", "200 conn"), "wrk")
    assert column(found, "connections") == [100, 200]
    assert [value(found, n) for n in ("time_s", "most", "99%", "requests per second")] == [0.69736, 1.65, 1.36, 141.27]
    check_damaged(WRK, "wrk")
    titled = "".join(f"## {own}\n\n```\n{WRK}```\n" for own in ("Serial collector", "G1"))
    assert read(titled, "wrk").trials.labels["heading"] == ("Serial collector", "G1")
    assert "heading" not in read(titled.replace("## G1\n", ""), "wrk").trials.labels


BENCHSTAT = """goos: darwin
pkg: example.com/width
cpu: Apple M2
                         │   old.txt    │              new.txt               │
                         │    sec/op    │   sec/op     vs base               │
Width/regular-8            108.60m ± 1%   41.50m ± 1%  -61.78% (p=0.002 n=6)
Width/lut-8                60.50µ ± 1%    800.0n ± 1%  -98.73% (p=0.002 n=6)
geomean                    2.559m         783.2µ       -69.40%

                         │    old.txt     │               new.txt               │
                         │      B/op      │     B/op      vs base               │
Width/regular-8            106.251Mi ± 0%   4.250Mi ± 0%  -96.00% (p=0.002 n=6)
"""


def test_benchstat_prints_two_versions_of_each_benchmark() -> None:
    found = read(BENCHSTAT, "benchstat")
    assert column(found, "time_s") == pytest.approx([0.1086, 0.0415, 6.05e-5, 8e-7])
    assert list(found.trials.labels["version"]) == ["old", "new"] * 2
    assert "1 tables of bytes or allocations are left out" in " ".join(found.warnings)
    check_damaged(BENCHSTAT, "benchstat")


SAR = """Linux 6.8.0-45-generic (node7) 	03/26/2026 	_x86_64_	(8 CPU)

01:59:45 PM     CPU     %user   %system     %idle
01:59:46 PM     all      0.38      0.17     99.45
01:59:47 PM     all     35.99     20.33     43.68
Average:        all     18.19     10.25     71.56

01:59:45 PM       DEV       tps     rkB/s     await     %util
01:59:46 PM       sda     12.50    640.00      1.50      3.10
"""


def test_each_interval_of_sar_is_a_trial_of_its_host_and_averages_are_none() -> None:
    found = read(SAR, "sar")
    assert len(found.trials) == 3
    assert set(found.trials.machine) == {"node7"}
    assert column(found, "%user")[:2] == [0.38, 35.99]
    assert (kind(found, "%user"), kind(found, "tps")) == (Kind.COUNTER, Kind.RESPONSE)
    assert (found.trials.application[2], value(found, "await", 2)) == ("sda", 1.5e-3)
    check_damaged(SAR, "sar")


PIDSTAT = """Linux 5.15.0 (node1) \t01/02/2023 \t_x86_64_\t(16 CPU)

10:00:01 AM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
10:00:02 AM  1000      4242   98.00    2.00    0.00    0.00  100.00     3  bench
10:00:03 AM  1000      4243   47.00    3.00    0.00    0.00   50.00     -  copy
"""


def test_pidstat_says_of_each_command_what_it_used() -> None:
    found = read(PIDSTAT, "sar")
    assert (found.trials.application, column(found, "%usr")) == (("bench", "copy"), [98, 47])
    assert (found.trials.labels["PID"], set(found.trials.machine)) == (("4242", "4243"), {"node1"})
    check_damaged(PIDSTAT, "sar")


QPERF = """tcp_bw:
    bw        =   3.5 GB/sec
    msg_rate  =  59.8 K/sec
    msg_size  =    64 KiB (65,536)
tcp_lat:
    latency   =  18.2 us
    msg_size  =     1 bytes
    latency   =  21.6 us
"""


def test_each_result_of_qperf_is_a_trial_with_what_is_said_below_it() -> None:
    found = read(QPERF, "qperf")
    assert found.trials.application == ("tcp_bw", "tcp_lat", "tcp_lat")
    assert (value(found, "bandwidth", 0), value(found, "latency", 1)) == (3.5e9, 18.2e-6)
    np.testing.assert_array_equal(column(found, "msg_size"), [65536, 1, np.nan])
    assert (kind(found, "msg_rate"), kind(found, "msg_size")) == (Kind.DERIVED, Kind.PARAMETER)
    check_damaged(QPERF, "qperf")


LINPACK = """Intel(R) Optimized LINPACK Benchmark data

Number of cores: 32
Number of threads: 64

Size   LDA    Align. Time(s)    GFlops   Residual     Residual(norm) Check
1000   1024   4      0.018      37.4511  8.643308e-13 2.947562e-02   pass
2000   2000   4      0.094      56.5012  4.746648e-12 4.129002e-02   fail
5000   5008   4      0.805      103.553  2.651185e-11 3.696863e-02   pass

Performance Summary (GFlops)

Size   LDA    Align.  Average  Maximal
1000   1024   4       37.2210  37.4511
"""


def test_each_size_of_intels_linpack_is_a_trial_but_those_that_failed() -> None:
    found = read(LINPACK, "linpack")
    assert (column(found, "size"), column(found, "time_s")) == ([1000, 5000], [0.018, 0.805])
    assert (column(found, "threads"), kind(found, "rate")) == ([64, 64], Kind.DERIVED)
    assert "1 tests failed their residual check" in " ".join(found.warnings)
    check_damaged(LINPACK, "linpack")


ROCBLAS = """Query device success: there are 1 devices
Device ID 0 : AMD Instinct MI210 gfx90a:sramecc+:xnack-
with 68.7 GB memory, max. SCLK 1700 MHz
transA,transB,M,N,K,alpha,lda,rocblas-Gflops,us
N,T,512,256,128,1,512, 5600.25, 45.5
Device ID 0 : AMD Instinct MI210 gfx90a:sramecc+:xnack-
transA,transB,M,N,K,alpha,lda,rocblas-Gflops,us
N,N,1024,256,128,1,512, 5700.25, 91.5
"""


def test_each_product_of_rocblas_bench_is_a_trial() -> None:
    found = read(ROCBLAS, "rocblas_bench")
    assert (column(found, "M"), column(found, "time_s")) == ([512, 1024], pytest.approx([45.5e-6, 91.5e-6]))
    assert found.trials.machine == ("AMD Instinct MI210",) * 2
    assert list(found.trials.labels["transB"]) == ["T", "N"]
    assert (metric(found, "rate").unit, kind(found, "M")) == ("GFLOP/s", Kind.PARAMETER)
    check_damaged(ROCBLAS, "rocblas_bench")


OPENFOAM = """/*---------------------------------------------------------------------------*\\
Exec   : simpleFoam -parallel
nProcs : 8

Time = 10
ExecutionTime = 20.67 s  ClockTime = 21 s

Time = 20
ExecutionTime = 41.34 s  ClockTime = 42 s

End
"""


def test_a_run_of_openfoam_is_a_trial_with_its_last_time() -> None:
    found = read(OPENFOAM, "openfoam")
    assert (found.trials.application, column(found, "time_s")) == (("simpleFoam",), [41.34])
    assert (column(found, "processes"), kind(found, "clock time")) == ([8], Kind.DERIVED)
    check_damaged(OPENFOAM, "openfoam")


MITATA = """clk: ~4.99 GHz
cpu: AMD Ryzen 9 7950X
runtime: node 20.11.0 (x64-linux)

benchmark              avg (min … max) p75 / p99    (min … top 1%)
------------------------------------------- -------------------------------
noop                    81.35 ps/iter  81.05 ps  █
fibonacci(20)            7.50 µs/iter   7.45 µs  █
"""


def test_mitata_says_what_an_iteration_takes() -> None:
    found = read(MITATA, "mitata")
    assert (found.trials.application, set(found.trials.machine)) == (("noop", "fibonacci(20)"), {"AMD Ryzen 9 7950X"})
    assert column(found, "time_s") == pytest.approx([81.35e-12, 7.5e-6])
    check_damaged(MITATA, "mitata")


PERFTEST = """---------------------------------------------------------------------------------------
                    Send Latency Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 1\t\tTransport type : IB
 Mtu             : 2048[B]
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]
 2       1000          0.86           4.63         0.91     \t       0.93            \t0.05   \t\t1.07
 4096    1000          2.01           6.11         2.08     \t       2.10            \t0.07   \t\t2.31
---------------------------------------------------------------------------------------
"""
RDMA_WRITE = """                    RDMA_Write BW Test
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      5000             11801.22            11799.30\t\t   0.188789
"""


def test_each_size_of_perftest_is_a_trial_with_its_mean_latency_or_bandwidth() -> None:
    found = read(PERFTEST, "perftest")
    assert (set(found.trials.application), column(found, "size")) == ({"Send Latency"}, [2, 4096])
    assert column(found, "time_s") == pytest.approx([0.93e-6, 2.10e-6])
    assert (column(found, "mtu"), kind(found, "99% percentile")) == ([2048, 2048], Kind.DERIVED)
    check_damaged(PERFTEST, "perftest")
    found = read(RDMA_WRITE, "perftest")
    assert (found.trials.application, column(found, "bandwidth")) == (("RDMA_Write BW",), [11799.30e6])


BABELSTREAM = """BabelStream
Version: 5.0
Implementation: CUDA
Running kernels 100 times
Precision: double
Array size: 268.4 MB (=0.3 GB)
Using CUDA device NVIDIA A100-SXM4-40GB
Driver: 12020
Init: 0.018 s (=100411.7 MBytes/sec)
Function    MBytes/sec  Min (sec)   Max         Average
Copy        1364823.372 0.00039     0.00040     0.00041
Dot         1264823.372 0.00042     0.00050     0.00044
"""


def test_each_kernel_of_babelstream_is_a_trial_on_the_device() -> None:
    found = read(BABELSTREAM + BABELSTREAM.replace("268.4", "536.8"), "babelstream")
    assert (found.trials.application, set(found.trials.machine)) == (("Copy", "Dot") * 2, {"NVIDIA A100-SXM4-40GB"})
    assert (column(found, "time_s")[:2], column(found, "array_size")[1:3]) == (
        [0.00041, 0.00044],
        pytest.approx([268.4e6, 536.8e6]),
    )
    assert (kind(found, "best rate"), value(found, "best rate")) == (Kind.DERIVED, 1364823.372e6)
    check_damaged(BABELSTREAM, "babelstream")


LIKWID_BENCH = """Allocate: Process running on hwthread 0 (Domain S0) - Vector length 125000000/1000000000
LIKWID MICRO BENCHMARK
Test: triad_avx
Using 1 work groups
Using 4 threads
Cycles:\t\t\t3480000000
CPU Clock:\t\t2893202143
Time:\t\t\t1.202236e+00 sec
Iterations:\t\t64
Size (Byte):\t\t4000000000
MByte/s:\t\t53234.14
Cycles per update:\t1.743242
Stores per update:\t1
"""


def test_each_run_of_likwid_bench_is_a_trial() -> None:
    found = read(LIKWID_BENCH + LIKWID_BENCH.replace("4 threads", "8 threads"), "likwid_bench")
    assert (set(found.trials.application), column(found, "threads")) == ({"triad_avx"}, [4, 8])
    assert (value(found, "time_s"), value(found, "size"), kind(found, "MByte/s")) == (1.202236, 4e9, Kind.DERIVED)
    check_damaged(LIKWID_BENCH, "likwid_bench")


MDTEST = """mdtest-3.3.0 was launched with 16 total task(s) on 2 node(s)
16 tasks, 16000 files/directories

SUMMARY rate: (of 3 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   Directory creation        :      30417.437      24886.994      27652.215       1382.611
   File stat                 :       1513.942       1238.680       1376.311         68.816
"""


def test_each_operation_of_mdtest_is_a_trial_whose_mean_rate_is_the_response() -> None:
    found = read(MDTEST, "mdtest")
    assert (found.trials.application, column(found, "rate")) == (
        ("Directory creation", "File stat"),
        [27652.215, 1376.311],
    )
    assert (value(found, "tasks"), value(found, "nodes"), value(found, "files")) == (16, 2, 16000)
    check_damaged(MDTEST, "mdtest")


CYCLICTEST = """# /dev/cpu_dma_latency set to 0us
policy: fifo: loadavg: 0.00 0.01 0.05 1/155 3434

T: 0 ( 3431) P:99 I:1000 C: 100000 Min:      5 Act:   10 Avg:   14 Max:      39
T: 1 ( 3432) P:98 I:1500 C:  66673 Min:      5 Act:   13 Avg:   10 Max:      45
"""


def test_each_thread_of_cyclictest_is_a_trial() -> None:
    found = read(CYCLICTEST, "cyclictest")
    assert (column(found, "latency"), column(found, "max latency")) == (pytest.approx([14e-6, 10e-6]), [39e-6, 45e-6])
    assert (column(found, "interval"), kind(found, "priority")) == (pytest.approx([1e-3, 1.5e-3]), Kind.PARAMETER)
    check_damaged(CYCLICTEST, "cyclictest")


VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 2  0      0 303945   2469 829525    0    0   520   655  412 3081 34  7 57  2  0
 1  0      0 668262   8547 269802    0    0   612    77  877 3512 39  0 60  1  0
"""


def test_each_interval_of_vmstat_is_a_trial() -> None:
    found = read(VMSTAT, "vmstat")
    assert (column(found, "us"), metric(found, "id").unit, value(found, "free")) == ([34, 39], "%", 303945 * 1024)
    check_damaged(VMSTAT, "vmstat")


IOSTAT = """Linux 5.15.0-91-generic (node17) \t05/01/2026 \t_x86_64_\t(64 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          12.50    0.00    2.50    0.50    0.00   84.50

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz  aqu-sz  %util
nvme0n1        512.00  65536.00     0.00   0.00    0.25   128.00    0.13  41.00
sda              1.00     16.00     0.00   0.00    4.50    16.00    0.01   0.40
"""


def test_each_device_of_iostat_is_a_trial() -> None:
    found = read(IOSTAT, "sar")
    assert (found.trials.application, set(found.trials.machine)) == (("nvme0n1", "sda"), {"node17"})
    assert (column(found, "r_await"), kind(found, "rkB/s")) == (pytest.approx([0.25e-3, 4.5e-3]), Kind.RESPONSE)
    check_damaged(IOSTAT, "sar")
