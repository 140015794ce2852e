MemcpyHtoD,0x00007f2900000000,524288
kernel-1.heddle
