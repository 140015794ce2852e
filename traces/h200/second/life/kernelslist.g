MemcpyHtoD,0x00007ff7d4000000,1048576
kernel-1.heddle
