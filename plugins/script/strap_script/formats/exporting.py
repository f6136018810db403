"""A recording in one of its forms."""

from strap_script.formats.case import as_case
from strap_script.formats.python_test import PythonTest
from strap_script.formats.typescript_test import TypeScriptTest
from strap_script.recording import Recording


def export(made: Recording, form: str) -> str:
    """Return the text; raises `ActionError` for a call that a form has no equivalent of."""
    if form == "pytest":
        return PythonTest(made).text()
    if form == "typescript":
        return TypeScriptTest(made).text()
    if form == "case":
        return as_case(made)
    return str(made.script)
