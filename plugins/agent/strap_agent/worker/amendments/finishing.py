"""How an agent says that it is done."""


def ask_for_success() -> None:
    """Have `done` say whether it succeeded: browser-use takes silence for success."""
    from browser_use.tools.views import DoneAction
    from pydantic_core import PydanticUndefined

    DoneAction.model_fields["success"].default = PydanticUndefined
    DoneAction.model_rebuild(force=True)
