"""From LLVM IR to functions of this machine, through object files that can be kept."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from dalembert.arrays import Array, address
from dalembert.native.cache import Entry
from dalembert.native.runtime import add_symbols

LLVM = int(llvm.llvm_version_info[0])
_LARGE, _LARGE_HURRIED = 150_000, 40_000  # lines of IR beyond which compile time matters more than the last third


@cache
def _start() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    add_symbols()


@cache
def signature() -> str:
    """Name what an object file depends on beside its IR: LLVM, the processor, its features."""
    _start()
    processor = f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    return f"llvmlite {llvmlite.__version__} LLVM {llvm.llvm_version_info} {processor}"


def _target(level: int) -> llvm.TargetMachine:
    _start()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=level, reloc="pic", jit=True
    )


def compile_object(ir: str, level: int | None = None, hurry: bool = False) -> bytes:
    """Compile IR to an object file, sooner without optimisation where it is large."""
    if level is None:
        level = 1 if ir.count("\n") < (_LARGE_HURRIED if hurry else _LARGE) else 0
    machine = _target(level)
    module = llvm.parse_assembly(ir)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)  # ELF also on Windows
    return machine.emit_object(module)


def to_bitcode(module: llvm.ModuleRef, name: str) -> bytes:
    """Reduce a module to one function and what it needs, whatever the processor is, and return it as bitcode.

    What is called once becomes part of what calls it: a call with many arrays takes longer than a small kernel.
    """
    _start()
    for value in [*module.functions, *module.global_variables]:
        if not value.is_declaration and value.name != name:
            value.linkage = "internal"
    any_processor = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(opt=1)
    _optimise(module, any_processor, 1)
    return module.as_bitcode()


def compile_alone(bitcode: bytes, name: str) -> bytes:
    """Compile what `to_bitcode` gave to an object file for this processor."""
    machine = _target(3)
    module = llvm.parse_bitcode(bitcode)
    if module.get_function(name).is_declaration:
        raise RuntimeError(f"no function {name} in this bitcode")
    _optimise(module, machine, 3)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)  # ELF also on Windows
    return machine.emit_object(module)


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, level: int) -> None:
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=level))
    builder.getModulePassManager().run(module, builder)


class Library:
    """Functions of an object file, loaded into this process."""

    def __init__(self, code: bytes):
        _start()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(1))  # owns its target from now on
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._addresses: dict[str, int] = {}

    def address(self, name: str) -> int:
        """Return the address of a function."""
        if name not in self._addresses:
            self._addresses[name] = self._engine.get_function_address(name)
        if not self._addresses[name]:
            raise KeyError(f"no function {name} in this object file")
        return self._addresses[name]

    def loop(self, name: str) -> Callable[[int, int, int, int], None]:
        """Return the loop of a kernel over states: (out, in, work, count), addresses as integers.

        The code lives as long as this object.
        """
        return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(self.address(f"{name}.loop"))


class Compiled:
    """The kernels of one group in this process."""

    def __init__(self, entry: Entry):
        self.facts = entry.facts
        self.library = Library(entry.code)
        self.work = int(entry.facts["work"])
        self.outputs = max((outputs for _, outputs in entry.facts["kernels"].values()), default=0)  # of any kernel
        self.functions = {name: self.library.loop(name) for name in entry.facts["kernels"]}

    def run(self, name: str, inputs: Array) -> Array:
        """Call a kernel for rows of inputs."""
        expected, outputs = self.facts["kernels"][name]
        if inputs.shape[1] != expected:
            raise ValueError(f"{name} takes {expected} inputs, got {inputs.shape[1]}")
        inputs = np.ascontiguousarray(inputs, dtype=float)
        out = np.empty((len(inputs), outputs))
        work = np.empty(self.work + 1)
        self.functions[name](address(out), address(inputs), address(work), len(inputs))
        return out
