"""A job as bytes, for workers: JSON text, so that no worker unpickles what it received."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode

from sandhook.hooks.contracts import Document
from sandhook.hooks.event import JsonObject
from sandhook.replay.firing import Bundle
from sandhook.replay.job import Job

#: Fields of a document that workers need.
_FIELDS = ("value", "name", "layer", "contract", "text")


def job_to_bytes(job: Job) -> bytes:
    """Return a job as JSON text."""
    value: JsonObject = {
        "new": _bundle_json(job.new),
        "old": None if job.old is None else _bundle_json(job.old),
        "files": [[path, b64encode(data).decode("ascii"), mode] for path, data, mode in job.files],
        "where": job.where,
        "sample": job.sample,
        "mask": list(job.mask),
        "fail_closed": job.fail_closed,
        "runs": job.runs,
    }
    return json.dumps(value).encode("ascii")


def job_from_bytes(data: bytes) -> Job:
    """Return the job that ``job_to_bytes`` wrote."""
    value = json.loads(data)
    return Job(
        new=_bundle(value["new"]),
        old=None if value["old"] is None else _bundle(value["old"]),
        files=tuple((path, b64decode(text), mode) for path, text, mode in value["files"]),
        where=value["where"],
        sample=value["sample"],
        mask=tuple(value["mask"]),
        fail_closed=value["fail_closed"],
        runs=value["runs"],
    )


def _bundle_json(bundle: Bundle) -> JsonObject:
    documents = [{name: getattr(each, name) for name in _FIELDS} for each in bundle.documents]
    return {"documents": list(documents), "contract": bundle.contract}


def _bundle(value: dict[str, object]) -> Bundle:
    documents, contract = value["documents"], value["contract"]
    assert isinstance(documents, list) and isinstance(contract, str)
    return Bundle(tuple(Document(**each) for each in documents), contract)
