MemcpyHtoD,0x00007f5968000000,8650752
kernel-1.heddle
