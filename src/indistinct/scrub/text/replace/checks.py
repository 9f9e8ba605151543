"""Check digits and ranges that tell an issued number from a made-up one.

A made-up number keeps the form of the true one and is made to fail the check that every issued
number of that form passes, or lies in a range that is never issued.
"""

from __future__ import annotations

_VIN = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True)
)
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def luhn(digits: str) -> bool:
    """Whether the digits pass Luhn's check, as every payment card's do (ISO/IEC 7812).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def npi(digits: str) -> bool:
    """Whether ten digits pass the check of a US provider number (Luhn with the prefix 80840).

    >>> npi("1234567893"), npi("1234567890")
    (True, False)
    """
    return luhn("80840" + digits)


def nhs(digits: str) -> bool:
    """Whether ten digits pass the check of an NHS number (modulus 11).

    >>> nhs("9434765919"), nhs("9434765918")
    (True, False)
    """
    check = 11 - sum(int(digit) * (10 - n) for n, digit in enumerate(digits[:9])) % 11
    return check % 11 == int(digits[9])


def routing(digits: str) -> bool:
    """Whether nine digits pass the check of a US bank's routing number.

    >>> routing("021000021"), routing("021000022")
    (True, False)
    """
    return sum(int(digit) * (3, 7, 1)[n % 3] for n, digit in enumerate(digits)) % 10 == 0


def dea(number: str) -> bool:
    """Whether two letters and seven digits pass the check of a DEA registration.

    >>> dea("AB1234563"), dea("AB1234564")
    (True, False)
    """
    d = [int(digit) for digit in number[2:]]
    return (d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5])) % 10 == d[6]


def iban(number: str) -> bool:
    """Whether an account number passes the check of ISO 13616 (remainder 1 by 97).

    >>> iban("GB82WEST12345698765432"), iban("GB83WEST12345698765432")
    (True, False)
    """
    moved = number[4:] + number[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


def vin(number: str) -> bool:
    """Whether 17 letters and digits pass the check of a vehicle's number (ISO 3779, US).

    >>> vin("1M8GDM9AXKP042788"), vin("1M8GDM9A1KP042788")
    (True, False)
    """
    values = [int(char) if char.isdigit() else _VIN.get(char, 0) for char in number]
    left = sum(value * weight for value, weight in zip(values, _VIN_WEIGHTS, strict=True)) % 11
    return number[8] == ("X" if left == 10 else str(left))
