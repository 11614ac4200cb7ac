"""SARIF 2.1.0, the form in which code scanning services read findings.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". The tests validate the output
against its published schema.
"""

from __future__ import annotations

from hashlib import sha256

from sandhook.cli.output import plain
from sandhook.cli.outputs.annotations.model import Annotated, Annotation
from sandhook.hooks.event import Json, JsonObject
from sandhook.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

#: The name of the root of relative paths: services replace it by the repository.
_ROOT = "%SRCROOT%"


def to_sarif(annotated: Annotated) -> JsonObject:
    """Return a log with one run."""
    rules = {kind.id: index for index, kind in enumerate(annotated.kinds)}
    descriptors: list[Json] = [
        {
            "id": kind.id,
            "shortDescription": {"text": kind.what},
            "help": {"text": kind.advice or kind.what},
            "defaultConfiguration": {"level": kind.level},
        }
        for kind in annotated.kinds
    ]
    results: list[Json] = [_result(each, rules.get(each.rule, -1)) for each in annotated.annotations]
    run: JsonObject = {
        "tool": {
            "driver": {
                "name": f"sandhook {annotated.command}",
                "semanticVersion": __version__,
                "rules": descriptors,
            }
        },
        "invocations": [{"executionSuccessful": True, "exitCode": annotated.status}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(each: Annotation, rule: int) -> JsonObject:
    hook = f" (hook {each.hook})" if each.hook else ""
    result: JsonObject = {
        "ruleId": each.rule,
        "level": each.level,
        "message": {"text": plain(f"{each.message}{hook}")},
        "partialFingerprints": {"sandhook/v1": _fingerprint(each)},
    }
    if rule >= 0:
        result["ruleIndex"] = rule
    location: JsonObject = {}
    if each.file:
        place: JsonObject = {"artifactLocation": _artifact(each.file)}
        if each.line:
            region: JsonObject = {"startLine": each.line}
            if each.column:
                region["startColumn"] = each.column
            place["region"] = region
        location["physicalLocation"] = place
    if each.path:
        location["logicalLocations"] = [{"fullyQualifiedName": plain(each.path)}]
    if location:
        result["locations"] = [location]
    return result


def _artifact(file: str) -> JsonObject:
    if file.startswith("/"):
        return {"uri": f"file://{_quoted(file)}"}
    if file[1:2] == ":":  # a drive
        return {"uri": f"file:///{file[:2]}{_quoted(file[2:])}"}
    return {"uri": _quoted(file), "uriBaseId": _ROOT}


#: Bytes that a path of a URI has as they are (RFC 3986, section 3.3).
_UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")


def _quoted(path: str) -> str:
    """Return a path as that of a URI."""
    data = path.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in data)


def _fingerprint(each: Annotation) -> str:
    """Return what stays when lines above a finding change, so that a service knows it again."""
    parts = (each.rule, each.file, each.path, each.hook, each.message)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
