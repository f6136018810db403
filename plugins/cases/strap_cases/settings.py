"""Settings of a file and of a case: YAML, in which every scalar is text."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)
from yaml.nodes import MappingNode, Node, ScalarNode

from strap import UsageError
from strap_cases.problems import Problems, closest
from strap_cases.values import BUILT_IN, NAME

SYNONYMS: Mapping[str, str] = {"timeout": "budget_s", "llm_model": "model"}
DEEPEST = 8
"""Lists and mappings in each other; reading many takes time by their square."""
_OPENING = (
    yaml.FlowSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.BlockMappingStartToken,
)
_CLOSING = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken, yaml.BlockEndToken)
MOST_SECONDS, MOST_STEPS = 3_600, 500
"""Most seconds and steps that a run of the agent may be given."""
TO_WRITE: Mapping[str, str] = {
    "evidence": "write what to record: har, video, report, profile, several as har,video",
    "viewport": "this is not a valid size; write width and height, such as 390x844",
    "needs": "this is not a list of environment variables; write one such as [SHOP_URL]",
    "skip": "the reason is missing; write it as a text",
    "xfail": "the reason is missing; write it as a text",
    "bool_parsing": "this is neither true nor false; write one of them",
    "dict_type": "this is not a mapping; write it as {name: value}",
    "string_type": "this is not text; write it in quotes",
    "tuple_type": "this is not a list; write it as [a, b]",
}
"""Advice for an invalid setting, by its name or by the library's name of the fault."""
Recorded = Literal["har", "video", "report", "profile"]
Reason = Annotated[str, StringConstraints(min_length=1)]


def _words(value: object) -> object:
    """Take `har,video` apart."""
    return tuple(filter(None, re.split(r"[,\s]+", value))) if isinstance(value, str) else value


class Settings(BaseModel):
    """Settings from front matter and from the `yaml case` block of a case; the block wins."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = ""
    url: str = "/"
    name: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    state: str = ""
    budget_s: float | None = Field(None, gt=0, le=MOST_SECONDS)
    max_steps: int | None = Field(None, gt=0, le=MOST_STEPS)
    step_timeout_s: float | None = Field(None, gt=0, le=MOST_SECONDS)
    retries: int | None = Field(None, ge=0)
    model: str = ""
    judge: bool = False
    trust: Literal["word"] | None = None
    replay: Literal["auto", "read", "off", "only", "derived"] | None = None
    expect: tuple[str, ...] = ()
    viewport: Annotated[str, StringConstraints(pattern="^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$")] = ""
    skip: Reason | None = None
    xfail: Reason | None = None
    evidence: Annotated[tuple[Recorded, ...], BeforeValidator(_words)] = ()
    expect_timeout_s: float = Field(5, gt=0, le=MOST_SECONDS)
    needs: tuple[Annotated[str, StringConstraints(pattern="^[A-Za-z_][A-Za-z0-9_]*$")], ...] = ()
    params: Mapping[str, str] = Field(default_factory=dict)


class Written(BaseModel):
    """Keys as they were written, with their lines, before they are merged."""

    values: dict[str, Any] = Field(default_factory=dict)
    lines: dict[str, int] = Field(default_factory=dict)


def read_settings(text: str, first_line: int, problems: Problems) -> Written:
    """Read a YAML mapping whose first line is `first_line` of the file."""
    try:
        if refused := _refused(text):
            problems.add(first_line + refused[0], refused[1])
            return Written()
        root = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        problems.add(line, f"this is not YAML: {error.problem}; write `key: value`")
        return Written()
    except yaml.YAMLError as error:
        problems.add(first_line, f"this is not YAML: {' '.join(str(error).split())}")
        return Written()
    if root is None:
        return Written()
    if not isinstance(root, MappingNode):
        problems.add(first_line, "settings are a mapping; write `key: value` lines")
        return Written()
    return _entries(root, first_line, problems)


def merged(of_file: Written, of_case: Written, problems: Problems) -> Settings:
    """Return the settings of a case; what is wrong is noted, and has its default."""
    values = of_file.values | of_case.values
    lines = of_file.lines | of_case.lines
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        for problem in error.errors():
            key = str(problem["loc"][0])
            message = TO_WRITE.get(key) or TO_WRITE.get(problem["type"]) or problem["msg"]
            problems.add(lines.get(key, 1), f"{key}: {message}")
            values.pop(key, None)
        return Settings.model_validate(values)


def _refused(text: str) -> tuple[int, str] | None:
    """Return the line and what is wrong there, of YAML that settings do not need."""
    depth = 0
    for token in yaml.scan(text, Loader=yaml.BaseLoader):
        line = token.start_mark.line
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if depth > DEEPEST:
            return line, "this is nested too deeply; write `key: value`"
        if isinstance(token, yaml.AnchorToken | yaml.AliasToken | yaml.TagToken):
            return line, "anchors, aliases and tags of YAML are not taken; write values out"
    return None


def _entries(root: MappingNode, first_line: int, problems: Problems) -> Written:
    written = Written()
    for key_node, value_node in root.value:
        line = first_line + key_node.start_mark.line
        with problems.at(line):
            key = _key(key_node)
            if key in written.values:
                raise UsageError(f"{key} is given twice; keep one")
            written.values[key] = _plain(value_node)
            written.lines[key] = line
            _check_params(key, written.values[key])
    return written


def _key(node: Node) -> str:
    name = node.value if isinstance(node, ScalarNode) else "a list or mapping"
    key = SYNONYMS.get(name, name)
    if key not in Settings.model_fields:
        raise UsageError(f"{name!r} is not a valid setting.{closest(name, Settings.model_fields)}")
    return key


def _plain(node: Node) -> object:
    if isinstance(node, MappingNode):
        return {str(_plain(key)): _plain(value) for key, value in node.value}
    return [_plain(item) for item in node.value] if isinstance(node.value, list) else node.value


def _check_params(key: str, value: object) -> None:
    if key == "params" and isinstance(value, dict):
        for name in value:
            check_name(name)


def check_name(name: str) -> None:
    """See that a name can be that of a value; raises `UsageError`."""
    if not re.fullmatch(NAME, name):
        raise UsageError(f"{name!r} is not a valid name of a value; write letters, digits and _")
    if name in BUILT_IN:
        raise UsageError(f"{name!r} is filled in by strap; take another name")
