"""``sandhook vet``: what a bundle of hooks does, before anybody enables it."""
