"""What a bundle of hooks does, before anybody enables it: a report, and a capability manifest.

report = vet({"hooks.json": b"...", "guard.sh": b"..."})
for finding in report.findings: print(finding.severity, finding.place, finding.what)

Scripts are followed through their trees, and run on sample events in the sandbox. Nothing runs on the host, and no
file of the host is opened: the caller passes the bytes.
"""

from __future__ import annotations

from sandhook.vetting.report import HookReport, Report, vet
from sandhook.vetting.rules import RULES, SEVERITIES, Finding, Rule, RuleId, Severity

__all__ = ["RULES", "SEVERITIES", "Finding", "HookReport", "Report", "Rule", "RuleId", "Severity", "vet"]
