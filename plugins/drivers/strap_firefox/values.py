"""Values of scripts: as WebDriver BiDi tells them, and as the DevTools protocol does.

Sources: WebDriver BiDi, 7.6 (`script.RemoteValue`, `script.LocalValue`); the type `RemoteObject`
of the domain Runtime of the Chrome DevTools protocol.
"""

import json
from collections.abc import Mapping
from typing import Any

Value = dict[str, Any]
LISTS = frozenset(("array", "set", "nodelist", "htmlcollection"))
SPECIAL = frozenset(("NaN", "Infinity", "-Infinity", "-0"))
PLAIN = frozenset(("string", "boolean", "undefined", "symbol", "function", "bigint"))
"""Types that both protocols call the same; those of all other values are of type "object"."""


def object_id(realm: str, value: Value) -> str:
    """Return an id for an object of a realm, which says all that is to be known to name it."""
    return json.dumps([realm, value.get("handle"), value.get("sharedId")])


def node_id(realm: str, shared: str) -> str:
    """Return an id for a node, as seen in a realm."""
    return json.dumps([realm, None, shared])


def realm_of(object_id: str) -> str:
    """Return the realm of an object."""
    return str(json.loads(object_id)[0])


def shared_id(object_id: str) -> str:
    """Return the name of a node, which is the same in every realm; "" for what is no node."""
    return str(json.loads(object_id)[2] or "")


def node_number(shared: str) -> int:
    """Return a number for the name of a node (`DOM.BackendNodeId`): its letters."""
    return int.from_bytes(shared.encode(), "big")


def numbered_node(number: int) -> str:
    """Return the name of the node with this number."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big").decode()


def reference(object_id: str) -> Value:
    """Return what names an object in a command."""
    _, handle, shared = json.loads(object_id)
    return {"sharedId": shared} if shared else {"handle": handle}


def argument(param: Mapping[str, Any]) -> Value:
    """Return an argument of a call (`Runtime.CallArgument`) as a `script.LocalValue`."""
    if "objectId" in param:
        return reference(param["objectId"])
    return local_value(param.get("value"))


def local_value(value: Any) -> Value:
    """Return a value of JSON as a `script.LocalValue`."""
    match value:
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "boolean", "value": value}
        case int() | float():
            return {"type": "number", "value": value}
        case str():
            return {"type": "string", "value": value}
        case list():
            return {"type": "array", "value": [local_value(item) for item in value]}
    return {"type": "object", "value": [[key, local_value(item)] for key, item in value.items()]}


def by_value(raw: Value) -> Any:
    """Return what JSON has for a `script.RemoteValue`; nothing that it has not for."""
    kind, value = raw["type"], raw.get("value")
    if kind in LISTS:
        return [by_value(item) for item in value or ()]
    if kind == "object":
        return {
            key if isinstance(key, str) else str(by_value(key)): by_value(item)
            for key, item in value or ()
            if item["type"] != "undefined"
        }
    if kind in ("string", "boolean") or (kind == "number" and value not in SPECIAL):
        return value
    return {} if kind not in ("null", "undefined", "number", "bigint") else None


def remote_object(realm: str, raw: Value, *, whole: bool = False) -> Value:
    """Return a `script.RemoteValue` as a `Runtime.RemoteObject`, `whole` with its value."""
    kind, value = raw["type"], raw.get("value")
    if kind in ("string", "boolean") or (kind == "number" and value not in SPECIAL):
        return {"type": kind, "value": value}
    if kind in ("number", "bigint"):
        text = f"{value}n" if kind == "bigint" else value
        return {"type": kind, "unserializableValue": text, "description": text}
    if kind == "null":
        return {"type": "object", "subtype": "null", "value": None}
    if kind == "undefined":
        return {"type": kind}
    shown: Value = {"type": kind if kind in PLAIN else "object", "description": described(raw)}
    if kind not in PLAIN and kind != "object":
        shown["subtype"] = "array" if kind in LISTS else kind
    if whole:
        return shown | {"value": by_value(raw)}
    return shown | {"objectId": object_id(realm, raw)}


def described(raw: Value) -> str:
    """Return a value as one line, as a console shows it."""
    kind, value = raw["type"], raw.get("value")
    if value is None:
        return str(kind)
    if kind in LISTS:
        return f"[{', '.join(map(described, value))}]"
    if kind == "object":
        pairs = ((key if isinstance(key, str) else described(key), item) for key, item in value)
        return f"{{{', '.join(f'{key}: {described(item)}' for key, item in pairs)}}}"
    if kind == "node":
        return str(value.get("localName", "#text"))
    if kind == "regexp":
        return f"/{value['pattern']}/{value.get('flags', '')}"
    plain = str(value).lower() if kind == "boolean" else str(value)
    return str(kind) if isinstance(value, dict | list) else plain
