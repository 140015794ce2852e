MemcpyHtoD,0x00007f1756000000,270336
kernel-1.heddle
