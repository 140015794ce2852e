MemcpyHtoD,0x00007f9870000000,1048576
kernel-1.heddle
