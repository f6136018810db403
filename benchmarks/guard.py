"""What the network guard costs per call, without a look-up."""

import time

from strap.network import Guard

URLS = (
    "https://example.com/a/b?c=",
    "http://127.0.0.1:8000/x?c=",
    "http://[2606:4700:4700::1111]/?c=",
    "http://bücher.example/ä?c=",
)
CALLS = 5_000


def main() -> None:
    guard = Guard("local", ("10.0.0.5:80",))
    guard.check_url(URLS[-1])  # loads the tables of international names
    for url in URLS:
        distinct = [f"{url}{number}" for number in range(CALLS)]  # no cache helps
        started = time.perf_counter()
        for one in distinct:
            guard.check_url(one)
        micros = (time.perf_counter() - started) / CALLS * 1e6
        print(f"{micros:7.1f} µs  {url}")


if __name__ == "__main__":
    main()
