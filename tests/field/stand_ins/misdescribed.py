"""As doubled, but expected to be what it is not."""

import doubled

SYSTEM = doubled.described("misdescribed", "widened", (3, 1))


def make(folder):
    doubled.make(folder)


if __name__ == "__main__":
    doubled.main(globals())
