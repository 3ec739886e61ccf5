"""What other systems than this one need of native code: the format of objects, symbols, folders."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

import llvmlite.binding as llvm
import platformdirs
import pytest

from dalembert import System
from dalembert.native import cache, machine, runtime

FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt")
TRIPLE = "x86_64-pc-windows-msvc"
on_x86 = pytest.mark.skipif(not llvm.get_process_triple().startswith("x86_64"), reason="compiles for x86-64")


def undefined(code: bytes) -> set[str]:
    """Return the names that an ELF object expects from elsewhere."""
    (offset,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, offset + k * size) for k in range(count)]
    found = set()
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind == 2:  # the table of symbols, and that of their names
            names = sections[link][4]
            for place in range(start, start + length, 24):
                name, _, _, section = struct.unpack_from("<IBBH", code, place)
                if section == 0 and name:
                    found.add(code[names + name : code.index(b"\0", names + name)].decode())
    return found - {"_GLOBAL_OFFSET_TABLE_"}  # which the loader makes itself


def model() -> System:
    """All functions of the language in one equation."""
    terms = [f"{name}(x/9{', 2' * (name == 'atan2')})" for name in FUNCTIONS] + ["abs(x)^2.5", "min(x, 1)", "max(x, 2)"]
    return System(coordinates="x", kinetic="x'^2/2", forces={"x": " + ".join(terms)}, parameters={}, initial={"x": 1})


@on_x86
def test_windows_gets_objects_that_its_loader_takes(monkeypatch):
    """They are ELF, and call nothing but what is made known to LLVM there."""
    monkeypatch.setattr(llvm, "get_process_triple", lambda: TRIPLE)
    monkeypatch.setattr("llvmlite.binding.targets.os.name", "nt")
    ir = "declare double @sin(double)\ndeclare double @pow(double, double)\n" + (
        "define double @f(double %x) {\n  %room = alloca [2000 x double]\n  store double %x, ptr %room\n"
        "  call void @llvm.memset.p0.i64(ptr %room, i8 0, i64 16000, i1 0)\n"
        "  %a = call double @sin(double %x)\n  %b = call double @pow(double %a, double %x)\n  ret double %b\n}\n"
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
    )
    code = machine.compile_object(ir)
    monkeypatch.undo()
    assert code.startswith(b"\x7fELF")
    assert undefined(code) == {"sin", "pow", "memset", "__chkstk"}
    assert undefined(code) <= {*runtime.mathematics(), *runtime.MEMORY}


@on_x86
def test_kernels_call_only_what_is_known(monkeypatch, tmp_path):
    """Of every function of the language, as compiled for Windows."""
    codes = []
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    original = machine.compile_object

    def keep(ir: str, *args, **options) -> bytes:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(llvm, "get_process_triple", lambda: TRIPLE)
            patch.setattr("llvmlite.binding.targets.os.name", "nt")
            codes.append(original(ir, *args, **options))
        return original(ir, *args, **options)

    monkeypatch.setattr(machine, "compile_object", keep)
    model().compile()(0.0, [1.0], [0.0])
    assert codes
    names = set().union(*map(undefined, codes))
    assert {"sin", "cos", "atan2", "pow"} <= names <= {*runtime.mathematics(), *runtime.MEMORY}


def test_symbols_are_looked_for_in_the_libraries_of_windows(monkeypatch):
    """Simulated by the C library of this machine under its name there."""
    if sys.platform != "linux":
        pytest.skip("simulated on Linux")
    import ctypes

    asked, added = [], {}
    monkeypatch.setattr(sys, "platform", "win32")
    real = ctypes.CDLL

    def library(name: str):
        asked.append(name)
        if name == "ucrtbase":
            raise OSError("not there")
        return real("libm.so.6" if name == "msvcrt" else "libc.so.6")

    monkeypatch.setattr(runtime.ctypes, "CDLL", library)
    monkeypatch.setattr(runtime.llvm, "add_symbol", added.__setitem__)
    runtime.add_symbols()
    assert set(runtime.mathematics()) | {"memcpy", "memset", "memmove"} <= set(added)
    assert all(added.values())
    assert set(asked) == {"ucrtbase", "msvcrt", "ntdll"}


def test_the_folder_is_the_one_that_the_system_has_for_caches(monkeypatch):
    monkeypatch.delenv("DALEMBERT_CACHE")
    assert cache.folder() == platformdirs.user_cache_path("dalembert", appauthor=False)
    monkeypatch.setenv("DALEMBERT_CACHE", "elsewhere")
    assert cache.folder() == Path("elsewhere")


def test_without_a_home_nothing_is_kept(monkeypatch):
    monkeypatch.delenv("DALEMBERT_CACHE")
    monkeypatch.setattr(cache, "user_cache_path", lambda *_, **__: Path("~/.cache/dalembert"))
    cache.write("key", cache.Entry({}, b"code"))
    assert cache.read("key") is None
    assert cache.entries() == []
    assert cache.clear() == 0


def test_a_folder_is_refused_alike_everywhere(monkeypatch, tmp_path):
    """Windows answers the opening of a folder by PermissionError."""
    from dalembert import ModelError, load

    def refuse(*_: object, **__: object):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "model.toml").touch()
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ModelError, match="it is a folder, not a model file"):
        load(tmp_path)
    with pytest.raises(ModelError, match="Permission denied"):
        load(tmp_path / "model.toml")
