"""How kernels scale over cores, clocks and bandwidth: learnt from many kernels, told from one run of a new one."""
