MemcpyHtoD,0x00007f4720000000,540672
kernel-1.heddle
