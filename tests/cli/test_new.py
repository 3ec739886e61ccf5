"""`dalembert new`: files to start from that pass everything a model can be put through."""

from __future__ import annotations

import re
import tomllib

import pytest

from dalembert import example, load, loads
from dalembert.cli.commands.new import KINDS, starter
from dalembert.model.gallery import source
from dalembert.model.textfile import tables


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


@pytest.mark.parametrize("kind", KINDS)
def test_a_starter_goes_through_run(command, tmp_path, kind):
    command("new", "mine.toml", "--kind", kind)
    code, out, _ = command("run", "mine.toml", "--until", "0.2")
    assert code == 0
    assert "Certificate: pass" in out
    assert (tmp_path / "mine-report.html").exists()


def proposals(kind: str) -> list[tuple[str, str]]:
    """Return tables that a starter only proposes, in comments: their names, and the starter with this one in it."""
    text = starter(kind)
    found = re.findall(r"^# *\[.*\n(?:#  *[^ \n]+ = .*\n)+", text, flags=re.MULTILINE)
    return [
        (block.split("]")[0].strip("# ["), text.replace(block, re.sub("^#  *", "", block, flags=re.MULTILINE)))
        for block in found
    ]


def test_starters_show_every_table_of_the_file():
    shown = {line.split("]")[0].strip("# [").split(".")[0] for kind in KINDS for line in starter(kind).split("\n")}
    assert set(tables()) <= shown


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name, _ in proposals(kind)])
def test_what_a_starter_proposes_can_be_taken(kind, name):
    text = dict(proposals(kind))[name]
    section, _, entry = name.partition(".")
    assert entry in tomllib.loads(text)[section] if entry else tomllib.loads(text)[section]
    system = loads(text)
    if section == "drives":  # in place of the other initial values, as it says
        system = system.replace(initial={"phi_crank": None}, bodies={"crank": {"spin": None}})
    if section == "bodies":  # which moves freely, as nothing holds it yet
        assert system.check().degrees_of_freedom == 3
        return
    assert system.check().ok


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
