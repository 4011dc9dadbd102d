"""A small service under steady load, for series of memory over time.

usage: python work.py MODE SECONDS [NAME]
  MODE: leak (keeps every answer), cache (keeps the last 3,000), warm (loads a table at the start), flat (keeps none)
  NAME: anything; it stands on the command line, where whoever lists processes sees it
"""

import collections
import sys
import time

mode, seconds = sys.argv[1], float(sys.argv[2])
kept, cache = [], collections.OrderedDict()
table = {n: f"row {n}" for n in range(200_000)} if mode == "warm" else {}


def answer(number):
    body = {"number": number, "text": f"answer {number} " * 40, "scores": [number * 0.5 + i for i in range(20)]}
    if mode == "leak":
        kept.append(body)
    if mode == "cache":
        cache[number % 3000] = body
    return len(body)


end, number = time.monotonic() + seconds, 0
while time.monotonic() < end:
    for _ in range(3):
        answer(number)
        number += 1
    time.sleep(0.01)
