"""Units and currencies: how they are written, and what can be converted into what.

The spellings are ours, the factors are pint's. pint costs a good half second to load, so it is loaded
when two *different* units meet for the first time, and each conversion is computed once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pint import UnitRegistry

# Symbols are case-sensitive (mW is not MW), words are not. A spelling with more than one meaning has
# them all; what it meets on the other side tells which one counts.
_SYMBOLS = """
mm:mm cm:cm m:m km:km sq_ft:ft^2 ft:ft yd:yd mi:mile nm:nautical_mile
m²:m^2 m2:m^2 sqm:m^2 km²:km^2 km2:km^2 ha:hectare
mg:mg g:g kg:kg t:tonne lb:lb lbs:lb oz:oz µg:ug \u03bcg:ug mcg:ug ug:ug
ml:ml mL:ml cl:cl dl:dl dL:dl l:l L:l hl:hl m³:m^3 m3:m^3 cm³:cm^3
ms:ms s:s sec:s secs:s min:min mins:min h:h hr:h hrs:h d:day wk:week wks:week mo:month mos:month mths:month
yr:year yrs:year
°C:degC °F:degF °:degC|degF|deg K:kelvin
W:W kW:kW MW:MW GW:GW Wh:Wh kWh:kWh MWh:MWh GWh:GWh V:V kV:kV mV:mV A:A mA:mA mAh:mAh J:J kJ:kJ
kcal:kcal cal:cal N:N kN:kN Nm:N*m
Hz:Hz kHz:kHz MHz:MHz GHz:GHz mHz:mHz rpm:rpm
bar:bar mbar:mbar psi:psi psig:psi Pa:Pa kPa:kPa MPa:MPa hPa:hPa mmHg:mmHg
B:byte KB:kilobyte kB:kilobyte MB:megabyte GB:gigabyte TB:terabyte PB:petabyte
KiB:KiB MiB:MiB GiB:GiB TiB:TiB Mbit:megabit Gbit:gigabit Mbps:megabit/s Gbps:gigabit/s
mph:mile/h kmh:km/h kph:km/h kn:knot dB:decibel lx:lux lm:lumen
mol:mol mmol:mmol µmol:umol \u03bcmol:umol IU:iu
%:percent ％:percent ‰:permille bps:bp bp:bp pct:percent
"""
_WORDS = """
millimetre:mm millimeter:mm centimetre:cm centimeter:cm metre:m meter:m kilometre:km kilometer:km
foot:ft feet:ft inch:in inches:in yard:yd mile:mile hectare:hectare acre:acre
square_metre:m^2 square_meter:m^2 square_kilometre:km^2 square_foot:ft^2 square_feet:ft^2
cubic_metre:m^3 cubic_meter:m^3
milligram:mg milligramme:mg gram:g gramme:g kilogram:kg kilo:kg tonne:tonne ton:tonne|short_ton
microgram:ug ounce:oz stone:stone pound:lb|GBP
millilitre:ml milliliter:ml centilitre:cl centiliter:cl decilitre:dl litre:l liter:l
gallon:gallon|imperial_gallon pint:pint|imperial_pint
millisecond:ms second:s minute:min hour:h day:day night:day week:week month:month year:year decade:decade
century:century centuries:century fortnight:fortnight quarter:quarter
celsius:degC fahrenheit:degF degree:degC|degF|deg
watt:W kilowatt:kW megawatt:MW gigawatt:GW volt:V ampere:A amp:A
calorie:kcal|cal kilocalorie:kcal joule:J kilojoule:kJ kilowatt_hour:kWh kilowatt-hour:kWh
megawatt_hour:MWh megawatt-hour:MWh gigawatt_hour:GWh gigawatt-hour:GWh
hertz:Hz kilohertz:kHz megahertz:MHz gigahertz:GHz knot:knot
byte:byte kilobyte:kilobyte megabyte:megabyte gigabyte:gigabyte terabyte:terabyte gig:gigabyte
percent:percent per_cent:percent basis_point:bp
euro:EUR dollar:USD|AUD|CAD buck:USD|AUD|CAD quid:GBP rand:ZAR yen:JPY yuan:CNY rupee:INR franc:CHF
złoty:PLN zloty:PLN krona:SEK krone:NOK|DKK kronor:SEK kroner:NOK|DKK shekel:ILS naira:NGN peso:MXN|ARS
euro_cent:cEUR eurocent:cEUR cent:cEUR|cUSD|cAUD|cCAD pence:cGBP penny:cGBP
"""
CURRENCIES = frozenset(
    "EUR USD GBP CHF JPY CNY INR PLN SEK NOK DKK ZAR AUD CAD NZD ILS NGN MXN ARS TRY BRL HUF CZK RUB".split()
)
_SIGNS = {
    "€": ("EUR",),
    "$": ("USD", "AUD", "CAD", "NZD", "MXN"),
    "us$": ("USD",),
    "£": ("GBP",),
    "¥": ("JPY", "CNY"),
    "₹": ("INR",),
    "₺": ("TRY",),
    "₽": ("RUB",),
    "zł": ("PLN",),
    "kr": ("SEK", "NOK", "DKK"),
    "r": ("ZAR",),
    "rs": ("INR",),
    "r$": ("BRL",),
}
_SHARES = {"percent": 1.0, "permille": 0.1, "bp": 0.01}
_CENTS = {False: 1.0, True: 0.01}
_TEMPERATURES = frozenset({"degC", "degF", "kelvin"})
# Conversions are rounded by people: five miles are eight kilometres.
_TOLERANCE = 0.025
_DEGREE_TOLERANCE = 0.6


def _table(lines: str) -> dict[str, tuple[str, ...]]:
    pairs = (entry.split(":") for entry in lines.split())
    return {spelling.replace("_", " "): tuple(names.split("|")) for spelling, names in pairs}


_BY_SYMBOL = _table(_SYMBOLS)
_BY_WORD = _table(_WORDS)
_BY_WORD |= {f"{word}s": names for word, names in _BY_WORD.items() if not word.endswith(("s", "feet"))}
_SPELLINGS = "|".join(
    re.escape(spelling) for spelling in sorted({*_BY_SYMBOL, *CURRENCIES}, key=len, reverse=True)
)
_WORD_SPELLINGS = "|".join(re.escape(word) for word in sorted(_BY_WORD, key=len, reverse=True))
_ONE_UNIT = rf"(?:{_SPELLINGS}|(?i:{_WORD_SPELLINGS})|[€£$¥₹₺₽]|zł)"
AFTER_NUMBER = re.compile(
    rf"[ \u00a0\u202f-]?(?P<unit>{_ONE_UNIT})"
    rf"(?:(?:/| per )(?P<per>{_ONE_UNIT})| (?:an?|each|every) (?P<each>(?i:{_WORD_SPELLINGS})))?(?![\w°])"
    r"|[ \u00a0\u202f]?(?P<sign>[€£$¥₹₺₽%％‰])"
    r"|(?P<small>[cp])(?!\w)"
)
RATE = re.compile(rf"(?:/| per | an? | each | every )(?P<per>{_ONE_UNIT})(?![\w°])")
# A currency takes at most this many characters before a number: "US$ ".
LOOK_BACK = 5
BEFORE_NUMBER = re.compile(
    rf"(?:(?P<code>\b(?:{'|'.join(sorted(CURRENCIES))}))"
    r"|(?P<sign>(?:\b(?i:us|r))?[$]|[€£¥₹₺₽]|\b(?:R|Rs\.?|kr)))[ \u00a0\u202f]?$"
)


def meanings(spelling: str) -> tuple[str, ...]:
    """Return the units or currencies that a spelling stands for; empty if it is none."""
    folded = spelling.casefold()
    if spelling in CURRENCIES:
        return (spelling,)
    return _BY_SYMBOL.get(spelling) or _BY_WORD.get(folded) or _SIGNS.get(folded.rstrip("."), ())


def is_money(unit: str) -> bool:
    """Is the unit a currency, or the hundredth part of one?"""
    return unit.removeprefix("c") in CURRENCIES


def is_rounded(value: float, converted: float, unit: str) -> bool:
    """Is the converted value the same amount, but for the rounding that people do when they convert?"""
    tolerance = _DEGREE_TOLERANCE if unit in _TEMPERATURES else _TOLERANCE * max(abs(value), 1e-12)
    return abs(converted - value) <= tolerance


@lru_cache(maxsize=4096)
def conversion(source: str, target: str) -> tuple[float, float] | None:
    """Return factor and offset from one unit to the other; None if they measure different things."""
    if is_money(source) or is_money(target):
        if source.removeprefix("c") != target.removeprefix("c"):
            return None
        return _CENTS[source[0] == "c"] / _CENTS[target[0] == "c"], 0.0
    if source in _SHARES or target in _SHARES:
        both = source in _SHARES and target in _SHARES
        return (_SHARES[source] / _SHARES[target], 0.0) if both else None
    return _by_pint(source, target)


def _by_pint(source: str, target: str) -> tuple[float, float] | None:
    from pint import DimensionalityError, OffsetUnitCalculusError, UndefinedUnitError

    quantity = _registry().Quantity
    try:
        zero = float(quantity(0.0, source).to(target).magnitude)
        one = float(quantity(1.0, source).to(target).magnitude)
    except (DimensionalityError, OffsetUnitCalculusError, UndefinedUnitError):
        return None
    return one - zero, zero


@lru_cache(maxsize=1)
def _registry() -> UnitRegistry[float]:
    from pint import UnitRegistry

    registry: UnitRegistry[float] = UnitRegistry()
    registry.define("quarter = 3 * month")
    registry.define("iu = [international_unit]")
    return registry
