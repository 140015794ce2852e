"""Virtual memory management of a Workload: the driver's calls (VM01 to VM05 of tests/sim/host/memory/vmm_test.cc)."""
from __future__ import annotations

from typing import Optional, Union

from heddle._workload_base import Base, Handle, Word, fields, word

PROTECTION = ("none", "read", "read_write")


class VirtualMemoryCalls(Base):
    """Addresses and memory apart from each other."""

    def mem_get_allocation_granularity(self, device: int = 0) -> None:
        """cuMemGetAllocationGranularity; see HostResults.answers.

        Args:
            device: the GPU.
        """
        self.call(fields(mem_get_allocation_granularity=device))

    def mem_create(self, bytes: Union[int, Handle], device: int = 0, name: str = "") -> Handle:
        """cuMemCreate: memory without addresses (VM01).

        Args:
            bytes: the size, a multiple of the granularity; or memory that was released, to be made again.
            device: its GPU.
            name: "physical1", ... if empty.

        Returns:
            What mem_map takes as `memory`.
        """
        m = self._is("physical", bytes) if isinstance(bytes, Handle) else self._new(
            "physical", name, fields(bytes=bytes, device=device))
        self.call(fields(mem_create=m))
        return m

    def mem_release(self, memory: Handle) -> None:
        """cuMemRelease: the memory goes when nothing maps it any more.

        Args:
            memory: of mem_create.
        """
        self.call(fields(mem_release=self._is("physical", memory)))

    def mem_address_reserve(self, bytes: Union[int, Handle], name: str = "") -> Handle:
        """cuMemAddressReserve: addresses without memory (VM01).

        Args:
            bytes: the size, a multiple of the granularity; or a range that was freed, to be reserved again.
            name: "buffer1", ... if empty.

        Returns:
            A buffer for mem_map; what is mapped, kernels and copies can use.
        """
        b = self._is("buffer", bytes) if isinstance(bytes, Handle) else self._new(
            "buffer", name, fields(memory=Word("VIRTUAL"), bytes=bytes))
        self.call(fields(mem_address_reserve=b))
        return b

    def mem_address_free(self, range: Handle, bytes: Optional[int] = None) -> None:
        """cuMemAddressFree.

        Args:
            range: of mem_address_reserve, without mappings.
            bytes: None: all of it; anything else is an error.
        """
        self._call("mem_address_free", buffer=self._is("buffer", range), bytes=bytes)

    def mem_map(self, range: Handle, memory: Handle, offset: int = 0, bytes: Optional[int] = None,
                memory_offset: int = 0) -> None:
        """cuMemMap. Nobody may access it before mem_set_access (VM01, VM02, VM04).

        Args:
            range: of mem_address_reserve.
            memory: of mem_create.
            offset: in the range, a multiple of the granularity.
            bytes: None: all of the memory.
            memory_offset: in the memory; the driver takes 0 only.
        """
        self._call("mem_map", buffer=self._is("buffer", range), physical=self._is("physical", memory), offset=offset,
                   bytes=bytes, physical_offset=memory_offset or None)

    def mem_unmap(self, range: Handle, offset: int = 0, bytes: Optional[int] = None) -> None:
        """cuMemUnmap, of whole mappings.

        Args:
            range: of mem_address_reserve.
            offset, bytes: the part; bytes None: to the range's end.
        """
        self._call("mem_unmap", buffer=self._is("buffer", range), offset=offset, bytes=bytes)

    def mem_set_access(self, range: Handle, device: int = 0, protection: str = "read_write", offset: int = 0,
                       bytes: Optional[int] = None) -> None:
        """cuMemSetAccess (VM02, VM03).

        Args:
            range: of mem_address_reserve.
            device: the GPU that may access it from now on.
            protection: "read_write", "read" or "none".
            offset, bytes: the part, of whole mappings; bytes None: to the range's end.
        """
        self._call("mem_set_access", buffer=self._is("buffer", range), device=device,
                   protection=word("protection", protection, PROTECTION), offset=offset, bytes=bytes)

    def multicast_create(self, devices: int, bytes: int) -> None:
        """cuMulticastCreate, whose errors the model has, and nothing else of it (VM07).

        Args:
            devices: that would share it.
            bytes: its size.
        """
        self._call("multicast_create", devices=devices, bytes=bytes)
