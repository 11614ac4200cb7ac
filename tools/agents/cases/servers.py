"""Servers of tools that recorded agents start."""

from __future__ import annotations

#: Its tool makes a file of the given name, and fails without a name.
TOUCHING = """import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    r = {}
    if m["method"] == "initialize":
        version = m["params"]["protocolVersion"]
        r = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "srv", "version": "1"}}
    elif m["method"] == "tools/list":
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        r = {"tools": [{"name": "touch", "description": "d", "inputSchema": schema}]}
    elif m["method"] == "tools/call":
        name = m["params"].get("arguments", {}).get("name")
        if name:
            open(name, "w").close()
        r = {"content": [{"type": "text", "text": f"touched {name}"}], "isError": not name}
    elif m["method"] != "ping":
        e = {"code": -32601, "message": "no such method"}
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": e}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
"""
