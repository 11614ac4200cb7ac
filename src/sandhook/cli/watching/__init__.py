"""``sandhook watch``: what it watches, and the loop."""
