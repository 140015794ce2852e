MemcpyHtoD,0x00007fc03a000000,65536
kernel-1.heddle
