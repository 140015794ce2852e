MemcpyHtoD,0x00007efd3c000000,8650752
kernel-1.heddle
