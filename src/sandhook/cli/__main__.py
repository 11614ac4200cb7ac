"""``python -m sandhook.cli``."""

from __future__ import annotations

import sys

from sandhook.cli import main

sys.exit(main())
