"""`dalembert new`: files to start from that pass everything a model can be put through."""

from __future__ import annotations

import tomllib

import pytest

from dalembert import example, load
from dalembert.cli.commands.new import KINDS, starter
from dalembert.model.gallery import source


@pytest.mark.parametrize("kind", KINDS)
def test_a_starter_runs_and_explains_itself(command, tmp_path, kind):
    code, out, err = command("new", "mine.toml", "--kind", kind)
    assert (code, err) == (0, "")
    assert "dalembert run mine.toml" in out
    text = (tmp_path / "mine.toml").read_text(encoding="utf-8")
    assert text == starter(kind)
    comments = [line for line in text.split("\n") if "#" in line]
    assert len(comments) >= 12
    outcome = load(tmp_path / "mine.toml").check()
    assert outcome.ok
    assert outcome.degrees_of_freedom in (1, 2)
    code, out, _ = command("simulate", "mine.toml", "--until", "0.5")
    assert code == 0
    assert "Certificate: pass" in out


def test_without_a_name_it_is_model_toml(command, tmp_path):
    assert command("new")[0] == 0
    assert (tmp_path / "model.toml").read_text(encoding="utf-8") == starter("energies")


def test_it_prints_what_it_would_write(command):
    code, out, _ = command("new", "-", "--kind", "matrices")
    assert (code, out) == (0, starter("matrices"))
    assert tomllib.loads(out)["format"] == 1


def test_a_model_of_the_gallery_is_copied_with_its_comments(command, tmp_path):
    assert command("new", "mine.toml", "--from", "slider-crank")[0] == 0
    assert (tmp_path / "mine.toml").read_text(encoding="utf-8") == source("slider-crank")
    assert command("new", "row.toml", "--from", "n-four-bar:2")[0] == 0
    assert load(tmp_path / "row.toml").coordinates == example("n-four-bar:2").coordinates


def test_a_file_that_is_there_is_kept(command, tmp_path):
    (tmp_path / "mine.toml").write_text("precious")
    code, out, err = command("new", "mine.toml")
    assert (code, out) == (2, "")
    assert err == "'mine.toml' is there already; `--force` writes over it, another name keeps it\n"
    assert (tmp_path / "mine.toml").read_text() == "precious"
    assert command("new", "mine.toml", "--force")[0] == 0
    assert (tmp_path / "mine.toml").read_text(encoding="utf-8") == starter("energies")
