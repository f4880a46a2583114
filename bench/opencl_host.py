"""A small OpenCL host: builds a program from text and launches its kernels on NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

CPU = ctypes.c_uint64(2)
COPY_HOST_PTR = ctypes.c_uint64(1 | 1 << 5)
BUILD_LOG = 0x1183


class OpenCL:
    """The first CPU of the first platform that has one, and a queue on it."""

    def __init__(self) -> None:
        self.cl = ctypes.CDLL("libOpenCL.so.1")
        for name in ("CreateContext", "CreateCommandQueue", "CreateProgramWithSource"):
            getattr(self.cl, f"cl{name}").restype = ctypes.c_void_p
        self.cl.clCreateKernel.restype = self.cl.clCreateBuffer.restype = ctypes.c_void_p
        self.device = self._device()
        code = ctypes.c_int()
        devices = (ctypes.c_void_p * 1)(self.device)
        made = self.cl.clCreateContext(None, 1, devices, None, None, ctypes.byref(code))
        self.context = ctypes.c_void_p(self._made(made, code))
        made = self.cl.clCreateCommandQueue(
            self.context, self.device, ctypes.c_uint64(0), ctypes.byref(code)
        )
        self.queue = ctypes.c_void_p(self._made(made, code))

    def _device(self) -> ctypes.c_void_p:
        platforms = (ctypes.c_void_p * 8)()
        count = ctypes.c_uint()
        self._check(self.cl.clGetPlatformIDs(8, platforms, ctypes.byref(count)))
        for platform in platforms[: count.value]:
            device = ctypes.c_void_p()
            args = (ctypes.c_void_p(platform), CPU, 1, ctypes.byref(device), None)
            if self.cl.clGetDeviceIDs(*args) == 0:
                return device
        raise RuntimeError("no OpenCL CPU device")

    @staticmethod
    def _check(code: int) -> None:
        if code:
            raise RuntimeError(f"OpenCL error {code}")

    def _made(self, handle: int, code: ctypes.c_int) -> int:
        self._check(code.value)
        return handle

    def build(self, source: str) -> ctypes.c_void_p:
        """Build a program."""
        code = ctypes.c_int()
        text = (ctypes.c_char_p * 1)(source.encode())
        made = self.cl.clCreateProgramWithSource(self.context, 1, text, None, ctypes.byref(code))
        program = ctypes.c_void_p(self._made(made, code))
        options = ctypes.c_char_p(b"-cl-std=CL1.2")
        if self.cl.clBuildProgram(program, 0, None, options, None, None):
            log = ctypes.create_string_buffer(1 << 16)
            self.cl.clGetProgramBuildInfo(
                program, self.device, BUILD_LOG, ctypes.c_size_t(len(log)), log, None
            )
            raise RuntimeError(log.value.decode())
        return program

    def buffer(self, array: np.ndarray) -> ctypes.c_void_p:
        """Make a buffer with a copy of an array."""
        code = ctypes.c_int()
        pointer = ctypes.c_void_p(array.ctypes.data)
        size = ctypes.c_size_t(array.nbytes)
        made = self.cl.clCreateBuffer(
            self.context, COPY_HOST_PTR, size, pointer, ctypes.byref(code)
        )
        return ctypes.c_void_p(self._made(made, code))

    def move(self, buffer: ctypes.c_void_p, array: np.ndarray, write: bool) -> None:
        """Write a buffer from an array, or read it into one."""
        call = self.cl.clEnqueueWriteBuffer if write else self.cl.clEnqueueReadBuffer
        size, pointer = ctypes.c_size_t(array.nbytes), ctypes.c_void_p(array.ctypes.data)
        self._check(call(self.queue, buffer, 1, ctypes.c_size_t(0), size, pointer, 0, None, None))

    def kernel(
        self, program: ctypes.c_void_p, name: str, args: list[Any], grid: Any, block: Any
    ) -> Callable[[], None]:
        """Bind a kernel to arguments and a grid; the call waits until it has run."""
        code = ctypes.c_int()
        made = self.cl.clCreateKernel(program, name.encode(), ctypes.byref(code))
        kernel = ctypes.c_void_p(self._made(made, code))
        for n, arg in enumerate(args):
            size = ctypes.c_size_t(ctypes.sizeof(arg))
            self._check(self.cl.clSetKernelArg(kernel, n, size, ctypes.byref(arg)))
        grid = grid if isinstance(grid, tuple) else (grid,)
        block = block if isinstance(block, tuple) else (block,)
        sizes = ctypes.c_size_t * len(grid)
        whole = sizes(*(g * b for g, b in zip(grid, block, strict=True)))
        local = sizes(*block)
        launch, finish = self.cl.clEnqueueNDRangeKernel, self.cl.clFinish
        rest = (self.queue, kernel, len(grid), None, whole, local, 0, None, None)

        def call() -> None:
            self._check(launch(*rest))
            self._check(finish(self.queue))

        return call
