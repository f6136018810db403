"""All measurements of the wire; `wire:recording` takes one of them."""

from benchmarks.bench import Bench, Table
from benchmarks.of_wire import files, filling, forms, recording, rules, secrets, vaults
from benchmarks.parts import Parts, measured

PARTS: Parts = {
    "files": files.measure,
    "filling": filling.measure,
    "forms": forms.measure,
    "recording": recording.measure,
    "rules": rules.measure,
    "secrets": secrets.measure,
    "vaults": vaults.measure,
}


def measure(bench: Bench) -> list[Table]:
    return measured(bench, "wire", PARTS)
