"""All measurements of the flow guard; `flow:attacks` takes one of them."""

from benchmarks.bench import Bench, Table
from benchmarks.of_flow import attacking, benign, costs, injections, mail
from benchmarks.parts import Parts, measured

PARTS: Parts = {
    "attacks": attacking.measure,
    "injections": injections.measure,
    "benign": benign.measure,
    "mail": mail.measure,
    "cost": costs.measure,
}


def measure(bench: Bench) -> list[Table]:
    return measured(bench, "flow", PARTS)
