"""The forms of the equations of motion, one file each; `base.py` says what a form is and how to add one."""

from dalembert.forms.base import Form
from dalembert.forms.canonical import Canonical
from dalembert.forms.explicit import Explicit
from dalembert.forms.independent import Independent
from dalembert.forms.minimal import Minimal
from dalembert.forms.multipliers import Multipliers
from dalembert.forms.reactions import Reactions

FORMS: dict[str, type[Form]] = {
    form.name: form for form in (Multipliers, Minimal, Explicit, Canonical, Independent, Reactions)
}
