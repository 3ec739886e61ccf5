"""Compiled code on disk: damaged, truncated, swapped or foreign files are never taken for good ones."""

from __future__ import annotations

import json
import multiprocessing
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalembert.native import cache
from dalembert.native.identity import model_text
from tests.conftest import pendulum

ENTRY = cache.Entry({"work": 3, "kernels": {"a": [1, 2]}}, bytes(range(256)) * 20)
SHARED = settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def only_file(place):
    (path,) = cache.entries()
    assert path.parent == place
    return path


def test_what_is_written_is_read(place):
    assert cache.read("key") is None
    cache.write("key", ENTRY)
    assert cache.read("key") == ENTRY
    assert cache.read("other") is None
    assert cache.clear() == 1
    assert cache.read("key") is None


@SHARED
@given(st.data())
def test_damage_is_noticed(place, data):
    cache.write("key", ENTRY)
    path = only_file(place)
    content = bytearray(path.read_bytes())
    kind = data.draw(st.sampled_from(["flip", "cut", "insert", "replace", "append"]))
    at = data.draw(st.integers(0, len(content) - 1))
    if kind == "flip":
        content[at] ^= 1 << data.draw(st.integers(0, 7))
    elif kind == "cut":
        del content[at:]
    elif kind == "insert":
        content[at:at] = data.draw(st.binary(min_size=1, max_size=20))
    elif kind == "replace":
        content = bytearray(data.draw(st.binary(max_size=300)))
    else:
        content += data.draw(st.binary(min_size=1, max_size=20))
    path.write_bytes(content)
    assert cache.read("key") is None


def test_a_file_under_another_name_is_not_taken(place):
    cache.write("one", ENTRY)
    one = only_file(place)
    cache.write("two", cache.Entry({"other": 1}, b"code"))
    (two,) = [path for path in cache.entries() if path != one]
    one_content, two_content = one.read_bytes(), two.read_bytes()
    one.write_bytes(two_content)
    two.write_bytes(one_content)
    assert cache.read("one") is None
    assert cache.read("two") is None


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**9), st.sampled_from(["flip", "cut", "swap"]))
def test_kernels_survive_damage(place, seed, kind):
    """Through the whole: the kernel is built again, and right."""
    random = np.random.default_rng(seed)
    system = pendulum()
    expected = system.compile()(0.0, [0.5, -0.8, 0.6], [0.1, 0.2, 0.3]).acceleration
    system.compile("minimal")
    files = cache.entries()
    contents = [bytearray(path.read_bytes()) for path in files]
    for path, content in zip(files, contents, strict=True):
        at = int(random.integers(0, len(content)))
        if kind == "flip":
            content[at] ^= 1 << int(random.integers(0, 8))
        elif kind == "cut":
            del content[at:]
        else:
            content = contents[files.index(path) - 1]
        path.write_bytes(content)
    for form in ("multipliers", "minimal"):
        again = system.compile(form)(0.0, [0.5, -0.8, 0.6], [0.1, 0.2, 0.3]).acceleration
        assert again == pytest.approx(expected, rel=1e-12)


def write_often(folder: str, number: int) -> None:
    os.environ["DALEMBERT_CACHE"] = folder
    for k in range(50):
        cache.write("key", cache.Entry({"writer": number, "turn": k}, bytes([number]) * 100_000))


def test_writers_at_the_same_time(place):
    place.mkdir()
    writers = [multiprocessing.get_context("spawn").Process(target=write_often, args=(str(place), k)) for k in (1, 2)]
    for writer in writers:
        writer.start()
    seen = 0
    while any(writer.is_alive() for writer in writers):
        entry = cache.read("key")
        if entry is not None:
            assert entry.code == bytes([entry.facts["writer"]]) * 100_000
            seen += 1
    assert cache.read("key") is not None
    assert [path.suffix for path in cache.entries()] == [cache.SUFFIX]


def test_nothing_can_be_written(tmp_path, monkeypatch):
    """A folder that cannot be made: everything works, nothing is kept."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("DALEMBERT_CACHE", str(blocked / "cache"))
    assert pendulum().compile()(0, [0, -1, 0], [0, 0, 0]).acceleration == pytest.approx(0, abs=1e-12)
    assert cache.entries() == []
    assert cache.clear() == 0


def test_old_files_make_room(place, monkeypatch):
    monkeypatch.setattr(cache, "MAX_BYTES", 25_000)
    for k in range(8):
        cache.write(f"key {k}", ENTRY)
        os.utime(max(cache.entries(), key=lambda path: path.stat().st_mtime), (k, k))
    assert sum(path.stat().st_size for path in cache.entries()) <= 25_000 + 6_000
    assert cache.read("key 7") is not None


@pytest.mark.skipif(os.name != "posix", reason="owners and rights")
def test_a_large_folder_is_looked_through_now_and_then_only(place, monkeypatch):
    looks = []
    monkeypatch.setattr(cache, "_make_room", lambda: looks.append(1))
    monkeypatch.setattr(cache, "MAX_BYTES", 200_000)
    for k in range(20):
        cache.write(f"key {k}", ENTRY)
    assert 5 <= len(looks) <= 11


@pytest.mark.parametrize("rights", [0o777, 0o770, 0o722])
def test_a_folder_that_others_can_write_to_is_not_used(place, rights):
    cache.write("key", ENTRY)
    place.chmod(rights)
    with pytest.warns(UserWarning, match="compiled code is not kept, as the folder .* can be changed by other users"):
        cache._warn.cache_clear()
        assert cache.read("key") is None
    cache.write("other", ENTRY)
    assert len(cache.entries()) == 1
    assert pendulum().compile()(0, [0, -1, 0], [0, 0, 0]).acceleration == pytest.approx(0, abs=1e-12)
    place.chmod(0o755)
    assert cache.read("key") == ENTRY


@pytest.mark.skipif(os.name != "posix", reason="owners and rights")
def test_what_belongs_to_another_user_is_not_used(place, monkeypatch):
    cache.write("key", ENTRY)
    user = os.geteuid() + 1000
    os.chown(place, user, -1) if os.geteuid() == 0 else monkeypatch.setattr(os, "geteuid", lambda: user)
    with pytest.warns(UserWarning, match="belongs to another user; .* DALEMBERT_CACHE"):
        assert cache.read("key") is None
    assert cache.refusal(place)


@pytest.mark.skipif(os.name != "posix", reason="owners and rights")
def test_a_file_that_others_can_write_to_is_made_anew(place):
    before = os.umask(0o002)  # as many systems have it
    cache.write("key", ENTRY)
    os.umask(before)
    path = only_file(place)
    assert path.stat().st_mode & 0o077 == place.stat().st_mode & 0o077 == 0
    path.chmod(0o664)
    with pytest.warns(UserWarning, match="is not used, as it can be changed by other users"):
        assert cache.read("key") is None
    cache.write("key", ENTRY)
    assert cache.read("key") == ENTRY


@pytest.mark.skipif(os.name != "posix", reason="pipes and links")
@pytest.mark.parametrize("kind", ["pipe", "link", "folder", "dangling"])
def test_what_stands_in_the_place_of_a_file(place, kind, tmp_path):
    """Nothing waits for a pipe, no link is followed; a file takes their place."""
    cache.write("key", ENTRY)
    path = only_file(place)
    if kind == "link":
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.unlink()
        {"pipe": os.mkfifo, "folder": os.mkdir, "dangling": lambda at: os.symlink("nowhere", at)}[kind](path)
    assert cache.read("key") is None
    cache.write("key", ENTRY)
    assert cache.read("key") == (None if kind == "folder" else ENTRY)


@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_a_pipe_in_the_place_of_the_folder(place):
    os.mkfifo(place)
    cache.write("key", ENTRY)
    assert cache.read("key") is None


def test_the_key_names_all_that_matters(monkeypatch):
    system = pendulum()
    base = model_text(system)
    assert model_text(system.replace(parameters={"m": 2.0})) == base  # values are inputs
    assert model_text(system.replace(initial={"phi": 0.3})) == base
    assert model_text(system.replace(parameters={"J": 0.0})) != base
    assert model_text(system.replace(forces={"x": "1"})) != base
    assert model_text(pendulum(constraints={"rod_x": "x = l*sin(phi)"})) != base
    monkeypatch.setattr("dalembert.native.machine.signature", lambda: "another processor")
    assert model_text(system) != base


def test_facts_are_plain_json(place):
    pendulum().compile()
    header = only_file(place).read_bytes().split(b"\n")[2]
    assert set(json.loads(header)) == {"key", "facts", "length"}
