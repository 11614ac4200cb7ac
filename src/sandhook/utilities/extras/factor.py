"""factor: print the prime factors of numbers.

Oracle: GNU coreutils 9.1.
Divergence: L-FACTOR-001, numbers have at most 512 bits, and -h is that of version 9.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd, isqrt

from sandhook.command.context import Context
from sandhook.command.options import opt, option_set

_MAX_NUMBER = 1 << 512
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)


@option_set
class Options:
    """factor [-h] [NUMBER]...

    Print the prime factors of each NUMBER, or of those in standard input.
    """

    exponents: bool = opt("-h", "--exponents", help="print repeated factors as p^e")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a word is not a number, or is too large."""
    for text in operands or _words(ctx):
        unsigned = text.strip(" \t").removeprefix("+")
        if not (unsigned.isascii() and unsigned.isdigit()):
            ctx.fail(f"'{text}' is not a valid positive integer")
            continue
        digits = unsigned.lstrip("0") or "0"
        if len(digits) > 155 or int(digits) >= _MAX_NUMBER:
            ctx.fail(f"'{text}' is too large")
            continue
        factors = sorted(_factors(int(digits), ctx))
        ctx.write_line(f"{digits}:{''.join(_format(factors, options.exponents))}")
    return ctx.failed


def _words(ctx: Context) -> Iterator[str]:
    with ctx.stdin_reader() as reader:
        for line in reader.lines():
            for word in line.split():
                yield word.decode("utf-8", "surrogateescape")


def _format(factors: list[int], exponents: bool) -> Iterator[str]:
    if not exponents:
        yield from (f" {factor}" for factor in factors)
        return
    for factor in dict.fromkeys(factors):
        count = factors.count(factor)
        yield f" {factor}^{count}" if count > 1 else f" {factor}"


def _factors(number: int, ctx: Context) -> Iterator[int]:
    """Yield prime factors: small ones by trial, the rest by Pollard's rho."""
    if number < 2:
        return
    for prime in (2, 3, 5):
        while number % prime == 0:
            yield prime
            number //= prime
    divisor, steps, turn = 7, (4, 2, 4, 2, 4, 6, 2, 6), 0
    while divisor < 5000 and divisor * divisor <= number:
        while number % divisor == 0:
            yield divisor
            number //= divisor
        divisor += steps[turn]
        turn = (turn + 1) & 7
        ctx.charge()
    pending = [number] if number > 1 else []
    while pending:
        number = pending.pop()
        if is_prime(number):
            yield number
            continue
        divisor = _divisor(number, ctx)
        pending += [divisor, number // divisor]


def is_prime(number: int) -> bool:
    """Return whether a number is prime (Miller and Rabin; certain below 2**81)."""
    if number < 2:
        return False
    for witness in _WITNESSES:
        if number % witness == 0:
            return number == witness
    odd, twos = number - 1, 0
    while not odd & 1:
        odd >>= 1
        twos += 1
    for witness in _WITNESSES:
        power = pow(witness, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def _divisor(number: int, ctx: Context) -> int:
    """Return a proper divisor of a composite number (Pollard's rho with Brent's cycle detection)."""
    root = isqrt(number)
    if root * root == number:
        return root
    constant = 1
    while True:
        y, product, length, divisor = 2, 1, 1, 1
        x = saved = y
        while divisor == 1:
            x = y
            for _ in range(length):
                y = (y * y + constant) % number
            ctx.charge(1 + (length >> 1))
            step_count = 0
            while step_count < length and divisor == 1:
                saved = y
                for _ in range(min(128, length - step_count)):
                    y = (y * y + constant) % number
                    product = product * abs(x - y) % number
                ctx.charge(64)
                divisor = gcd(product, number)
                step_count += 128
            length *= 2
        if divisor == number:
            divisor = 1
            while divisor == 1:
                ctx.charge()
                saved = (saved * saved + constant) % number
                divisor = gcd(abs(x - saved), number)
        if divisor != number:
            return divisor
        constant += 1
