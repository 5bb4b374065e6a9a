#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fuzz.py PROGRAM FOLDER SECONDS: breaks recordings at random (fixed seed) and wants exit status 0, 1 or 2, in time."""
import pathlib, random, subprocess, sys, time

program, folder, seconds = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3])
machines = [path.read_bytes() for path in sorted(folder.glob("*.toml"))]
dice = random.Random(20261130)
end, tried = time.monotonic() + seconds, 0
while time.monotonic() < end:
    data = bytearray(dice.choice(machines))
    for _ in range(dice.choice((1, 1, 2, 5, 20))):
        if not data: break
        at = dice.randrange(len(data))
        match dice.randrange(5):
            case 0: data[at] = dice.randrange(256)
            case 1: del data[at:at + dice.randrange(1, 40)]
            case 2: data[at:at] = bytes(dice.randrange(32, 127) for _ in range(dice.randrange(1, 9)))
            case 3: data[at:at] = data[max(0, at - dice.randrange(200)):at]
            case 4: data = data[:at + 1]
    answer = subprocess.run([program, "check", "--from", "-", "--format", "json"], input=bytes(data), capture_output=True, timeout=20)
    tried += 1
    if answer.returncode not in (0, 1, 2):
        pathlib.Path("fuzz-failure.toml").write_bytes(data)
        sys.exit(f"exit status {answer.returncode} after {tried}, kept in fuzz-failure.toml: {answer.stderr[-2000:].decode(errors='replace')}")
print(f"{tried} broken recordings, no crash and no hang")
