MemcpyHtoD,0x00007f8dfc000000,8388608
kernel-1.heddle
