"""Runs a script or module as `python -m vedette.run` does, then tells of the finds: run_hooked.py ARGUMENT...

Exits with the script's status; with 70 when Vedette was not asked for anything.
"""

import sys

import vedette.run


def main():
    finds = []
    original = vedette.Context._find

    def counted(*arguments, **options):
        finds.append(original(*arguments, **options))
        return finds[-1]

    vedette.Context._find = counted
    try:
        status = vedette.run.main(sys.argv[1:])
    except SystemExit as end:
        status = end.code
    found = [one for one in finds if one]
    print(f"Vedette was asked {len(finds)} times and found {len(found)}; the last by {finds[-1].run.backend}"
          if finds else "Vedette was asked for nothing")
    sys.stdout.flush()
    return status or (0 if found or finds else 70)


if __name__ == "__main__":
    sys.exit(main())
