"""locale: print the locale that the environment selects, and its properties.

Source: POSIX.1-2024 XCU 3, locale. Oracle: glibc 2.36 with the locales C, POSIX and C.UTF-8, which are those of the
sandbox. Divergence: L-LOCALE-002, of LC_CTYPE only charmap is known; glibc's own categories and -m are not offered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, opt, option_set

ARGP = True
WRITE_ERROR = ""
HINT_QUOTE = "`"

CATEGORIES = (
    "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "LC_PAPER", "LC_NAME",
    "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION",
)  # fmt: skip
_CODESETS = {"C": "", "POSIX": "", "C.UTF-8": "UTF-8", "C.utf8": "UTF-8"}
_NO_CODESET = "ANSI_X3.4-1968"

#: Category, keyword and value; strings are quoted. CODESET stands for the name of the character set.
_KEYWORDS = """
LC_CTYPE charmap "CODESET"
LC_NUMERIC decimal_point "."
LC_NUMERIC thousands_sep ""
LC_NUMERIC grouping -1
LC_NUMERIC numeric-decimal-point-wc 46
LC_NUMERIC numeric-thousands-sep-wc 0
LC_NUMERIC numeric-codeset "CODESET"
LC_TIME abday "Sun;Mon;Tue;Wed;Thu;Fri;Sat"
LC_TIME day "Sunday;Monday;Tuesday;Wednesday;Thursday;Friday;Saturday"
LC_TIME abmon "Jan;Feb;Mar;Apr;May;Jun;Jul;Aug;Sep;Oct;Nov;Dec"
LC_TIME mon "January;February;March;April;May;June;July;August;September;October;November;December"
LC_TIME am_pm "AM;PM"
LC_TIME d_t_fmt "%a %b %e %H:%M:%S %Y"
LC_TIME d_fmt "%m/%d/%y"
LC_TIME t_fmt "%H:%M:%S"
LC_TIME t_fmt_ampm "%I:%M:%S %p"
LC_TIME era
LC_TIME era_year ""
LC_TIME era_d_fmt ""
LC_TIME alt_digits
LC_TIME era_d_t_fmt ""
LC_TIME era_t_fmt ""
LC_TIME time-era-num-entries 0
LC_TIME time-era-entries "S"
LC_TIME week-ndays 7
LC_TIME week-1stday 19971130
LC_TIME week-1stweek 4
LC_TIME first_weekday 1
LC_TIME first_workday 2
LC_TIME cal_direction 1
LC_TIME timezone ""
LC_TIME date_fmt "%a %b %e %H:%M:%S %Z %Y"
LC_TIME time-codeset "CODESET"
LC_TIME alt_mon "January;February;March;April;May;June;July;August;September;October;November;December"
LC_TIME ab_alt_mon "Jan;Feb;Mar;Apr;May;Jun;Jul;Aug;Sep;Oct;Nov;Dec"
LC_MONETARY int_curr_symbol ""
LC_MONETARY currency_symbol ""
LC_MONETARY mon_decimal_point ""
LC_MONETARY mon_thousands_sep ""
LC_MONETARY mon_grouping -1
LC_MONETARY positive_sign ""
LC_MONETARY negative_sign ""
LC_MONETARY int_frac_digits -1
LC_MONETARY frac_digits -1
LC_MONETARY p_cs_precedes -1
LC_MONETARY p_sep_by_space -1
LC_MONETARY n_cs_precedes -1
LC_MONETARY n_sep_by_space -1
LC_MONETARY p_sign_posn -1
LC_MONETARY n_sign_posn -1
LC_MONETARY crncystr "-"
LC_MESSAGES yesexpr "^[yY]"
LC_MESSAGES noexpr "^[nN]"
LC_MESSAGES yesstr ""
LC_MESSAGES nostr ""
LC_MESSAGES messages-codeset "CODESET"
LC_PAPER height 297
LC_PAPER width 210
LC_PAPER paper-codeset "CODESET"
LC_MEASUREMENT measurement 1
LC_MEASUREMENT measurement-codeset "CODESET"
"""


@option_set
class Options:
    """locale [-a] | locale [-ck] NAME...

    Print the locale of each category, or the values of keywords and of all keywords of categories.
    """

    all_: bool = opt("-a", "--all-locales", help="print the names of all locales")
    category: bool = opt("-c", "--category-name", help="print names of categories")
    keyword: bool = opt("-k", "--keyword-name", help="print names of keywords")
    verbose: bool = opt("-v", "--verbose", ignored="")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for an unknown name."""
    environment = ctx.environment
    locales = {category: _requested_locale(environment, category) for category in CATEGORIES}
    for category in ("LC_CTYPE", "LC_MESSAGES"):
        if locales[category][0] not in _CODESETS:
            ctx.error(f"Cannot set {category} to default locale: No such file or directory")
    if any(name not in _CODESETS for name, _ in locales.values()):
        ctx.error("Cannot set LC_ALL to default locale: No such file or directory")
    if options.all_:
        if operands:
            raise UsageError(f"extra operand '{operands[0]}'")
        ctx.write(b"C\nC.utf8\nPOSIX\n")
        return 0
    if not operands:
        _list(locales, ctx)
        return 0
    codeset = _CODESETS.get(locales["LC_CTYPE"][0], "") or _NO_CODESET
    table = [line.split(" ", 2) for line in _KEYWORDS.strip().splitlines()]
    for name in operands:
        ctx.charge()
        matches = [row for row in table if row[0] == name] or [row for row in table if row[1] == name]
        if not matches:
            raise Failure(f'unknown name "{name}"')
        if options.category:
            ctx.write_line(matches[0][0])
        for _, keyword, *value in matches:
            text = value[0].replace("CODESET", codeset) if value else ""
            if options.keyword:
                ctx.write_line(f"{keyword}={text}")
            else:
                ctx.write_line(text.strip('"') if text[:1] == '"' else text)
    return 0


def _requested_locale(environment: Mapping[str, str], category: str) -> tuple[str, bool]:
    """Return the locale of a category, and whether the category's own variable selects it."""
    for variable in ("LC_ALL", category):
        name = environment.get(variable)
        if name:
            return name, variable == category
    return environment.get("LANG") or "POSIX", False


def _list(locales: dict[str, tuple[str, bool]], ctx: Context) -> None:
    get = ctx.environment.get
    ctx.write_line(f"LANG={get('LANG') or ''}")
    ctx.write_line(f"LANGUAGE={get('LANGUAGE') or ''}")
    for category, (name, is_own) in locales.items():
        ctx.write_line(f"{category}={name}" if is_own else f'{category}="{name}"')
    ctx.write_line(f"LC_ALL={get('LC_ALL') or ''}")
