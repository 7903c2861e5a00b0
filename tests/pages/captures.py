"""Small captures in the shape that profilers write, with numbers of our own."""

HEAD = (
    '"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id",'
    '"Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","SGPR_Count","Counter_Name",'
    '"Counter_Value"'
)
TRACE = (
    '"Kind","Agent_Id","Queue_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp",'
    '"Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z",'
    '"Grid_Size_X","Grid_Size_Y","Grid_Size_Z"'
)
KERNELS = ("scale(float*)", "axpy(float*, float)", "void tile<" + ", ".join(map(str, range(1500))) + ">(int)")


def counters(names: tuple[str, ...], n: int = 12) -> bytes:
    """One pass of rocprofv3: some counters of every dispatch."""
    rows = [
        f'{i},{i},1,1,77,77,4096,{i % 3},"{KERNELS[i % 3]}",256,0,0,16,32,"{name}",{100 * i + 7 * j + 1}'
        for i in range(1, n + 1)
        for j, name in enumerate(names)
    ]
    return "\n".join([HEAD, *rows, ""]).encode()


def trace(n: int = 12) -> bytes:
    """The trace of the same dispatches: when each began and ended."""
    rows = [
        f'"KERNEL_DISPATCH",1,1,{i},{i % 3},"{KERNELS[i % 3]}",{i},{10000 * i},{10000 * i + 500 + 10 * i},0,0,256,1,1,4096,1,1'
        for i in range(1, n + 1)
    ]
    return "\n".join([TRACE, *rows, ""]).encode()


AGENTS = (
    b'"Node_Id","Logical_Node_Id","Agent_Type","Cpu_Cores_Count","Simd_Count","Cu_Count","Max_Waves_Per_Simd",'
    b'"Max_Engine_Clk_Fcompute","Name","Product_Name"\n'
    b'0,0,"CPU",16,0,0,0,3000,"cpu","Some Processor"\n1,1,"GPU",0,416,104,8,1700,"gfx","Test GPU 7"\n'
)


def perf(i: int = 0) -> bytes:
    """`perf stat -x,` of one run without its time."""
    return (
        f"# started on Mon Jan  1 10:00:00 2024\n\n{1000 + i}.5,msec,task-clock,{1000 + i}000000,100.00,1.0,CPUs utilized\n"
        f"{10**6 + 37 * i},,cycles,10000,75.00,,\n<not supported>,,stalled-cycles-frontend,0,100.00,,\n"
    ).encode()


FAILED = b"==PROF== Connected to process 7\n==ERROR== ERR_NVGPUCTRPERM - no permission to access counters\n"

LONG = (
    b'"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size",'
    b'"Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"\n'
    + b"".join(
        f'"{i}","7","app","127.0.0.1","axpy","1","7","(256, 1, 1)","({i + 1}, 1, 1)","0","9.0","Command line profiler metrics","{m}","{u}","{v * (i + 1)}"\n'.encode()
        for i in range(6)
        for m, u, v in (("sm__cycles_active.avg", "cycle", 1000), ("dram__bytes.sum", "byte", 64))
    )
)
