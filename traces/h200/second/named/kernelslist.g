MemcpyHtoD,0x00007f8544000000,4325376
kernel-1.heddle
