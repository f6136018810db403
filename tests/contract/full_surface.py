"""Declarations of every action and field of the finished tool, without code behind them.

The budget of the always-loaded definition is measured on these, so that it cannot be broken by
the action that comes last.
"""

from pydantic import Field, create_model

from strap import Context, Params, Resource, Result, StringMap, action, hookimpl

TYPES = {
    "x": float,
    "y": float,
    "start": int,
    "limit": int,
    "page": int,
    "read": int,
    "width": int,
    "height": int,
    "full_page": bool,
    "headers": StringMap,
    "steps": list[str],
    "paths": list[str],
    "urls": list[str],
    "budget_s": float,
    "max_steps": int,
    "step_timeout_s": float,
    "llm_timeout_s": float,
    "headless": bool,
    "detach": bool,
    "last_n": int,
    "has_error": bool,
    "from_timestamp": float,
    "include_details": bool,
    "include_images": bool,
    "event_types": list[str],
}
EVAL = (
    "eval url task mode? budget_s? max_steps? step_timeout_s? llm_timeout_s? headless? state_id? "
    "schema? urls? detach?"
)
EVENTS = (
    "get_run_events session_id last_n? event_types? has_error? from_timestamp? text? start?"
    " include_details?"
)
USAGE = {"browser": "launch first; snapshot gives refs; answers show changes"}
WITHOUT_PROFILE = {"get_run", "get_run_events", "get_screenshots", "list_runs", "cancel_run"}
WITHOUT_PAGE = {
    *("status", "launch", "close", "list_pages"),
    *("setup_state", "downloads", "new_page", "live", "script"),
}
ACTIONS = {
    "http": [
        "fetch url method? headers? body? output? start? text? selector? urls? value?",
        "map url text? limit? start?",
        "crawl url text? limit? output? start?",
        "extract url selector? value? schema? limit? start? output?",
    ],
    "search": [
        "query query engine? limit? kind? time_range? region? safe? page? site? read?",
    ],
    "browser": [
        "navigate url",
        "snapshot ref? text? start? value?",
        "click ref? selector? value? key? x? y?",
        "fill value ref? selector?",
        "type text ref? selector?",
        "screenshot ref? selector? value? output? full_page?",
        "text ref? selector? start? value?",
        "evaluate text ref?",
        "extract ref? selector? value? schema? limit? start? output?",
        "wait text? ref? selector? value?",
        "scroll text? ref? selector? x? y?",
        "hover ref? selector? x? y?",
        "select value ref? selector?",
        "back",
        "forward",
        "reload value?",
        "press key ref? selector?",
        "drag value ref? selector? x? y?",
        "upload paths ref? selector?",
        "dialog value? text?",
        "downloads limit? ref? start? text?",
        "console limit? text?",
        "network limit? text? ref? output? start?",
        "mock url? value? body?",
        "emulate value?",
        "record value? output?",
        "cookies value? text?",
        "pdf output",
        "resize width height",
        "new_page url?",
        "close_page",
        "setup_state state_id url?",
        "batch steps? paths?",
        "live text?",
        "script value? output?",
        "audit value? ref? selector?",
        "status",
        "launch",
        "close",
        "list_pages",
        EVAL,
        "get_run session_id",
        EVENTS,
        "get_screenshots session_id last_n? screenshot_type? has_error? start? include_images?",
        "list_runs limit?",
        "cancel_run session_id",
    ],
}


def _params(fields):
    declared = {}
    for field in fields:
        name = field.rstrip("?")
        kind = TYPES.get(name, str)
        default = Field(alias=name, default=None if field.endswith("?") else ...)
        # `schema` is a method of pydantic's models: the field has another name in Python.
        key = "schema_" if name == "schema" else name
        declared[key] = (kind | None, default) if field.endswith("?") else (kind, default)
    return create_model("Fields", __base__=Params, **declared)


def declare(resource, line):
    name, *fields = line.split()
    if resource == "browser" and name not in WITHOUT_PROFILE:
        fields += ["profile?"] if name in WITHOUT_PAGE else ["profile?", "target_id?"]
    model = _params(fields)

    async def declared(params, ctx):
        """Declared only."""

    declared.__annotations__ = {"params": model, "ctx": Context, "return": Result}
    return action(resource, effect="write", name=name)(declared)


@hookimpl
def strap_register_resources(config):
    return [
        Resource(name=name, summary="Declared only.", usage=USAGE.get(name, "")) for name in ACTIONS
    ]


@hookimpl
def strap_register_actions(config):
    return [declare(resource, line) for resource, lines in ACTIONS.items() for line in lines]
