"""The check of a mechanism: that of a system, told by joints and bodies."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.blocks.numeric import Numeric, has_values
from dalembert.errors import Problem
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.survey.check import Examination
from dalembert.survey.configurations import Configuration
from dalembert.survey.mechanism.fit import misfits, moved, stretched
from dalembert.survey.mechanism.mobility import mobility
from dalembert.survey.mechanism.words import repeated_conditions
from dalembert.survey.redundancy import Redundancy
from dalembert.survey.start import State


class MechanismExamination(Examination):
    """Examines a mechanism."""

    def __init__(self, system: Mechanism):
        super().__init__(system)
        self.mechanism = system

    def start(self, numeric: Numeric) -> Configuration | None:
        """Find the initial state, and say how far the bodies are from where they were placed."""
        start = super().start(numeric)
        if self.state is not None:
            for note in moved(self.mechanism, numeric, self.state.q, self.mechanism.guess):
                self.report("note", note.text, *note.key)
            for problem in stretched(self.mechanism, numeric, self.state):
                self.report("warning", problem.text, *problem.key)
            for problem in self.misfits(numeric, self.state):
                self.report("error", problem.text, *problem.key)
        return start

    def misfits(self, numeric: Numeric, state: State) -> list[Problem]:
        """Find what does not fit in the assembled position; random parameters need not fit."""
        return misfits(self.mechanism, numeric, state) if has_values(self.system) else []

    def redundant(self, redundancies: Sequence[Redundancy], numeric: Numeric, places: Sequence[Configuration]) -> None:
        """Report by joint what is repeated, what to do, and what it means for the mobility."""
        found = mobility(self.mechanism)
        if found.freedom == 0 and (stuck := self.mechanism.explain_misfit(numeric, places[0].t, places[0].q)):
            self.report("warning", f"nothing can move. {stuck}", "joints")
            return
        for text, key in repeated_conditions(self.mechanism, redundancies, numeric, places):
            self.report("note", text, *key)
        if found.reasons:
            self.report("note", str(found), "joints")
