"""What is typed: every verb, every method, every kind of step, and the common mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from golden_running import Scene

PREPARED = [
    "census --people 600 --seed 1 --out people.parquet --hierarchies hierarchies "
    "--register register.csv",
]
"""What every scene finds: some people, their hierarchies, and a register of them."""

LIMIT = "--memory 2GB --threads 1"
KEY = "--key age,sex,region --k 3"
TREES = "--hierarchies hierarchies"
WRITTEN = "--keep education,tenure --seed 1 --out release"

METHODS: Mapping[str, str] = {
    "datafly": "--max-drop 0.05 --profile age=1,sex=0.2 --linking region=1 --highest sex=0",
    "datafly-preset": "--preset researcher",
    "datafly-anonymity": "--anonymity 0.9 --max-drop 10",
    "datafly-quasi-identifiers": "--quasi-identifier age,sex --quasi-identifier region",
    "argus": "--identification age=3,region=2,sex=1",
    "k-similar": "--importance age=3",
    "optimal": "--max-drop 0.02 --highest sex=0 --loss entropy",
    "optimal-sensitive": "--sensitive health --l 2 --t 0.6 --max-drop 0.1",
    "optimal-register": "--key sex,marital,county --register register.csv --max-drop 0.1",
    "mondrian": "--relaxed",
    "local-recoding": "--loss precision",
    "suppress": "--meaning wildcard",
    "destroy": "--domains region",
    "blank": "--part given --variables age",
    "perturb": "--how nearest --accept perturbed",
    "encrypt": "--variables region --secret release.key",
    "shuffle": "--shuffle age,income --given sex,education,region --share age=0.5,income=0.9 "
    "--accept perturbed",
}
"""Options of each method of `protect`, by the name of the scene; a scene's first words name it."""

HOUSEHOLD = 'household = "household"'
STEPS: Mapping[str, str] = {
    "add-records": 'records = 5\nshares = [["sex"]]',
    "add-noise": 'variables = ["age"]\nscale = 2.0\nwhole = true',
    "correlated-noise": 'variables = ["age", "income"]\nscale = 0.1',
    "perturb-keeping": 'variables = ["income"]\nscale = 5.0',
    "multiply-noise": 'variables = ["income"]\nleast = 0.05\nmost = 0.2',
    "noise-on-outliers": 'variables = ["income"]\nscale = 0.5',
    "outliers-to-medians": 'variables = ["income"]',
    "pram": 'variables = ["education"]\nkeep = 0.8',
    "proximity-swap": 'variables = ["age"]\nbound = 5.0',
    "round": 'variables = ["income"]\nbase = 100.0',
    "swap-values": 'variables = ["age"]\nshare = 0.5\nwithin = ["sex"]',
    "rank-swap": 'variables = ["income"]\nwindow = 0.1',
    "top-bottom-code": 'variables = ["income"]\nshare = 0.05',
    "microaggregate": 'variables = ["age", "income"]\nk = 3',
    "sample": "fraction = 0.5",
    "substitute": 'variable = "surname"',
    "suppress-attribute": 'variables = ["income"]',
    "suppress-cells": 'cells = [[0, "age"], [5, "income"]]',
    "suppress-records": "records = [0, 7]",
    "scramble-order": "",
    "avoid-uniques": 'steps = [{ kind = "rank-swap", variables = ["age"], window = 0.1 }]\n'
    'key = ["age", "sex"]\nexchange = ["age"]',
    "drop-unsafe": 'key = ["age", "sex"]\nmodels = [{ kind = "k-anonymity", k = 3 }]',
    "drop-outliers": 'quasi_identifiers = [["age", "sex"]]\nk = 3\nmax_drop = 200',
    "blank-told": 'key = ["age", "sex"]\nsensitive = ["health"]',
    "for-people": 'key = ["age", "sex"]\nk = 3\nperson = "identity_number"\n'
    'steps = [{ kind = "suppress", key = ["age", "sex"], k = 3 }]',
    "select": 'variables = ["age", "sex", "region", "household", "education", "marital", "income", '
    '"health", "county"]',
    "deidentify": 'variables = ["surname"]',
    "group-quarters": f"{HOUSEHOLD}\nmore_than = 5",
    "sample-households": f"{HOUSEHOLD}\nfraction = 0.5",
    "scramble-households": HOUSEHOLD,
    "renumber-households": HOUSEHOLD,
    "swap-households": f'{HOUSEHOLD}\nhierarchy = ["region", "county"]\nshare = 0.2',
    "shuffle": 'variables = ["age"]\ngiven = ["education", "marital"]\nwithin = ["sex"]\n'
    "shares = { age = 0.4 }",
    "shuffle-couples": 'kind = "shuffle"\nvariables = ["age"]\nof = "couples"\nlevel = 0.5',
}
"""Fields of each kind of step, as a project file has them."""

PROJECT = """
[data]
file = "people.parquet"

[variables.identity_number]
role = "identifier"

[variables.health]
role = "sensitive"

[variables.age]
role = "key"

[variables.sex]
role = "key"

[variables.region]
role = "key"

[release]
key = ["age", "sex", "region"]
k = 3
method = "{method}"
keep = ["household", "education", "marital", "income", "health", "county"]
hierarchies = "hierarchies"
seed = 1
out = "release"
{release}
"""

RULES = """
[rules.child_married]
impossible = "age < 15 and marital != 1"

[rules.young_mother]
impossible = "mother.age - age < 12"
"""

WHOLE = PROJECT.format(
    method="local-recoding",
    release="""
registers = ["register.csv"]
purpose = "Teaching"
recipient = "Students"
access = "semi-public"
holder = "An office"
audit = "audit.jsonl"
confirmed = true

[contract]
needed = ["age", "sex"]
lifetime = 2039-12-31
destroy_by = 2040-03-31
review_days = 30

[report]
utility = true
map = false
shareable = true

[rules.child_married]
impossible = "age < 15 and marital != 1"

""",
)

TABLES = """
[data]
file = "people.parquet"

[release]
holder = "An office"

[publish]
area = "region"
match_keys = ["age", "sex", "ethnic"]
threshold = 3
smallest_zone = 10
method = "cell-key"
variance = 2
stop = "merge"
seed = 1
out = "published"

[recodes.stage]
variable = "age"
bands = [0, 15, 30, 65]

[recodes.sex]
variable = "sex"
groups = { "Male" = [1], "Female" = [2] }

[tables."stage and sex"]
dimensions = ["stage", "sex"]

[tables."marital status"]
dimensions = ["marital"]
universe = { age = ["15+"] }
"""

LETTERS: Mapping[str, str] = {
    "letters/1.txt": "RE: Virginia Townsend, DOB 05/26/86\n\nDear Dr. Lang:\n\nVirginia was seen "
    "with her mother, Mrs. Hodgkins. She lives at 14 Oak Street, Springfield, IL 62704 and can be "
    "called at (217) 555-0143. Her MRN is 4471209. She takes metformin 500 mg.\n\nSincerely,\n"
    "Robert Marsh, M.D.\n",
    "letters/2.txt": "Patient: Ginny Townsend\nDate: June 3, 2019\n\nMs. Townsend, a 33-year-old "
    "teacher, returned on 06/03/2019. Her husband Paul Townsend (paul.townsend@example.org) "
    "reports she relocated to Orange. SSN 123-45-6789.\n",
    "letters/3.txt": "Mr. Parkinson has Parkinson's disease and hypertension, seen by nurse Amy "
    "Lee at St. Mary's Hospital. No change since 2017. Blood pressure 120/80.\n",
    "letters/empty.txt": "",
    "notes.jsonl": '{"id": "a", "text": "Seen by Dr. Susan Miller on 4 May 2020.", '
    '"patient": "p1"}\n{"id": "b", "text": "Susan called Mr. Kowalski of Albany.", '
    '"patient": "p1"}\n',
    "gold.jsonl": '{"id": "a", "text": "Seen by Dr. Susan Miller on 4 May 2020.", '
    '"spans": [{"start": 12, "end": 24, "label": "PERSON"}, '
    '{"start": 28, "end": 38, "label": "DATE"}]}\n',
    "notes.csv": "patient,age,note\np1,40,Mrs. Ellen Brandt came with her son Tom.\n"
    "p2,51,Phone 212-555-0199; lives in Albany.\n",
    "known.csv": "given_name,surname\nVirginia,Townsend\nEllen,Brandt\n",
}

FLAGS = """
[[flags]]
name = "old"
reason = "few people are so old"
all = [{ variable = "age", above = 80 }]
"""

PEOPLE_CSV = "name,age,sex,town,income,weight\n" + "".join(
    f"Zeb{n:03},{20 + n * 7 % 23},{'fm'[n % 2]},t{n * n % 5},{1000 + n * 37 % 900},{8 + n % 4}\n"
    for n in range(120)
)


def scenes() -> Iterator[Scene]:
    """Give every scene."""
    yield from _looking()
    yield from _protecting()
    yield from _after_the_release()
    yield from _projects()
    yield from _tables()
    yield from _letters()
    yield from _mistakes()
    yield Scene("version", ["--version", ""])
    yield Scene("python", [PYTHON])
    yield Scene(
        "demo",
        ["demo --people 1000 --seed 1 --out demo", "verify demo/release --brief"],
        # how records are counted depends on the memory that the machine has left
        random=(
            r"[\d.,]+ [MG]B of memory: by \w+",
            r"counted by \w+",
            r"(?m)^ *(integers|T1|T2) .*$",
            r'"approach": "\w+"',
        ),
        lines=12,
    )


def _both(command: str) -> list[str]:
    """The words for people, and those for programs."""
    return [command, f"{command} --json"]


def _looking() -> Iterator[Scene]:
    yield Scene(
        "census",
        [
            "census --people 300 --seed 2 --out c.parquet --register r.parquet --hierarchies h",
            "census --people 300 --seed 2 --out c.parquet",
            "census --people 300 --seed 2 --out c.csv --no-names --json",
            "census --people 300 --seed 2 --out c.csv --overwrite",
        ],
    )
    yield Scene("init", [*_both(f"init people.parquet {LIMIT} --overwrite"), "init people.parquet"])
    yield Scene("init-csv", ["init p.csv --out p.toml --json"], {"p.csv": PEOPLE_CSV})
    asked = f"uniques people.parquet --key age,sex,marital,region --k 3 {LIMIT}"
    yield Scene(
        "uniques",
        [
            *_both(asked),
            f"{asked} --explain",
            f"{asked} --out risk.parquet --pull-out names.csv --identifiers given_name,surname",
            f"{asked} --out risk.csv --json --floor 50 --missing wildcard",
            *(f"{asked} --approach {how} --json" for how in ("sort", "tally", "catalogue")),
            f"uniques people.parquet --key age,sex --at-most 2 {LIMIT} --json",
            f"uniques people.parquet --key age,sex --k 3 --person household {LIMIT}",
        ],
    )
    asked = f"risk people.parquet --key age,sex,marital,region {LIMIT}"
    yield Scene(
        "risk",
        [
            f"{asked} --fraction 0.1",
            f"{asked} --fraction 0.1 --model main --json",
            f"{asked} --fraction 0.1 --distribution gamma --model main --out risk.csv",
            f"{asked} --fraction 0.2 --model main --sensitive health "
            "--household household --suda 3 --json",
            f"{asked} --population people.parquet",
            f"{asked} --fraction 0.1 --model main --flags flags.toml --follow-up state.csv",
            "risk --population people.parquet --key age,sex,region --sample-fraction 0.2 "
            f"--model main --repeat 3 --seed 1 {LIMIT}",
        ],
        {"flags.toml": FLAGS},
    )
    yield Scene(
        "risk-weights",
        _both("risk p.csv --key age,sex,town --weight weight"),
        {"p.csv": PEOPLE_CSV},
    )


def _protecting() -> Iterator[Scene]:
    names = ("datafly", "argus", "k-similar", "optimal", "mondrian", "local-recoding", "suppress")
    for name, options in METHODS.items():
        method = next((n for n in names if name.startswith(n)), name)
        trees = TREES if method in names else ""
        key = "--k 3" if "--key" in options else "" if "anonymity" in name else KEY
        key = "--key age,sex,region" if "anonymity" in name else key
        asked = f"protect people.parquet --method {method} {key} {trees} {options} {LIMIT}"
        drawn = (r"(?<=\b)[A-Za-z0-9_-]{40,}=*",) if method == "encrypt" else ()
        yield Scene(
            f"protect-{name}",
            [f"{asked} {WRITTEN} --although-unproved"]
            + [f"{asked} --keep education --seed 1 --although-unproved --out second --json"]
            * (name == method),
            hidden=("release.key", "second"),
            random=drawn,
            lines=25,
        )
    asked = f"protect people.parquet {KEY} {TREES} {LIMIT}"
    yield Scene(
        "protect-formats",
        [
            f"{asked} --method mondrian --keep education,income --seed 1 --json "
            f"--format {kind} --out release-{kind} {more}"
            for kind, more in (
                ("csv", "--keep-order --keep-formulas"),
                ("stata", "--substitute surname"),
                ("spss", "--release surname --accept identifier-released"),
            )
        ],
    )
    yield Scene(
        "protect-plan",
        [
            f"{asked} --method datafly {WRITTEN}",
            f"protect people.parquet {KEY} --plan release/private/plan.json "
            f"--keep education,tenure --seed 1 --out again {LIMIT} --json",
        ],
        hidden=("release",),
    )
    yield Scene(
        "protect-told",
        [
            f"{asked} --method mondrian --sensitive health --told {told} --keep health --seed 1 "
            f"--out told-{told}"
            for told in ("refuse", "blank", "allow")
        ],
    )
    yield Scene(
        "protect-person",
        [
            f"{asked} --method mondrian --keep education --person household --needed age "
            f"--use records --reach 5 --seed 1 --out release"
        ],
    )
    yield Scene("protect-compare", [*_both(f"{asked} --compare"), f"{asked} --compare --out side"])
    yield Scene("protect-map", [f"{asked} --map --seed 1 --out map"])
    yield Scene(
        "protect-refused",
        [
            f"{asked} --method shuffle --shuffle age --given sex --seed 1 --out release",
            f"{asked} --method shuffle --seed 1 --out release",
        ],
    )
    for name, fields in STEPS.items():
        kind = "" if "kind" in fields.split("=")[0] else f'kind = "{name}"\n'
        yield _steps(f"step-{name}", f"\n[steps.one]\n{kind}{fields}\n")
    several = "".join(
        f'\n[steps.s{number}]\nkind = "{kind}"\n{STEPS[kind]}\n'
        for number, kind in enumerate(("shuffle", "swap-households", "rank-swap"))
    )
    yield _steps("steps-under-rules", several + RULES)


def _steps(name: str, more: str) -> Scene:
    project = PROJECT.format(method="steps", release=more)
    asked = f"protect release.toml --although-unproved --json {LIMIT}"
    return Scene(name, [asked], {"release.toml": project}, lines=12)


def _after_the_release() -> Iterator[Scene]:
    first = f"protect people.parquet --method k-similar {KEY} {TREES} {WRITTEN} --utility {LIMIT}"
    other = (
        f"protect people.parquet --method optimal {KEY} {TREES} --max-drop 0.02 --highest sex=0 "
        f"--keep education,tenure --seed 1 --out other {LIMIT}"
    )
    yield Scene(
        "verify",
        [
            first,
            other,
            *_both(f"verify release --private people.parquet {LIMIT}"),
            f"verify release {LIMIT}",
            f"verify release --private people.parquet --register register.csv "
            f"--attack exact,probabilistic,distance --person identity_number {LIMIT}",
            f"verify other --private people.parquet --with release --brief {LIMIT}",
            f"verify other --private people.parquet --with release --same-people --json {LIMIT}",
            f"verify release/data.parquet --key age,sex,region --k 3 --hierarchies hierarchies "
            f"--sensitive education {LIMIT}",
            f"verify people.parquet --key age,sex,region --k 3 --private people.parquet {LIMIT}",
            "python: open('release/methodology.md', 'a').write('!')",
            "verify release --brief",
        ],
        hidden=("release", "other"),
    )
    yield Scene(
        "utility",
        [
            first,
            *_both(f"utility people.parquet release {LIMIT}"),
            f"utility people.parquet release --outcome tenure --predictors age,sex --by region "
            f"--out compared.json --figures figures {LIMIT}",
            f"utility people.parquet people.parquet --variables age,sex,marital,education "
            f"--demography --protection {LIMIT}",
        ],
        hidden=("release",),
    )
    yield Scene(
        "report",
        [
            first,
            other,
            *_both("report release"),
            *_both("report release --shareable"),
            "report release --original people.parquet --out with-original.html",
            *_both("report release other"),
        ],
        hidden=("release/data.parquet", "other"),
    )
    asked = "query release --who ann --log log.jsonl"
    yield Scene(
        "query",
        [
            first,
            *_both(f'{asked} "select region, count(*) from data group by region"'),
            f'{asked} "select sex, count(*) n from data where education > 3 group by sex" '
            "--out answer.csv",
            f'{asked} "select nothing from data"',
            f'{asked} "delete from data"',
        ],
        hidden=("release",),
    )
    project = PROJECT.format(method="mondrian", release="[recipients.press]\nk = 10\n")
    yield Scene(
        "query-recipient",
        [
            'query release.toml --recipient press --who ann "select sex, count(*) from data '
            'group by sex" --json',
            'query release.toml --recipient pres "select 1"',
        ],
        {"release.toml": project},
        random=(  # noise has a secret of its own, and decides what is withheld
            r'"rows": \[\[.*?\]\], ',
            r'"errors": \[\[.*?\]\], ',
            r'"withheld": \d+',
        ),
    )
    yield Scene(
        "query-with-noise",
        [
            'query p.csv "select sex, mean(income) from data group by sex"',
            'query p.csv "select sex, count(*) from data group by sex" --guess 2',
        ],
        {"p.csv": PEOPLE_CSV},
    )


def _projects() -> Iterator[Scene]:
    files = {"release.toml": WHOLE}
    yield Scene(
        "run",
        [f"run release.toml {LIMIT}", f"run release.toml --out again --json {LIMIT}"],
        files,
        hidden=("again",),
    )
    yield Scene(
        "uniques-project",
        [
            f"uniques release.toml --pull-out names.csv --json {LIMIT}",
            f"risk release.toml --fraction 0.1 --model main --json {LIMIT}",
            f"protect release.toml --method datafly --out other --json {LIMIT}",
            f"protect release.toml --compare {LIMIT}",
        ],
        files,
    )
    yield Scene(
        "run-tables",
        [f"run tables.toml {LIMIT}", f"run tables.toml --out again --json {LIMIT}"],
        {"tables.toml": TABLES},
        hidden=("again",),
    )
    yield Scene(
        "project-mistakes",
        ["run release.toml", "protect release.toml", "uniques release.toml"],
        {
            "release.toml": '[data]\nfile = "gone.parquet"\n[release]\nk = 1\nmetod = "x"\n'
            'seed = "a"\n[variables.age]\nrole = "keys"\n[steps.one]\nkind = "rank-swop"\n'
        },
    )
    yield Scene(
        "step-mistakes",
        ["protect release.toml"],
        {
            "release.toml": PROJECT.format(
                method="steps",
                release='[steps.a]\nkind = "rank-swop"\n[steps.b]\nkind = "pram"\n'
                '[steps.c]\nkind = "add-noise"\nvariables = ["age"]\nscale = -1\n',
            )
        },
    )


def _tables() -> Iterator[Scene]:
    asked = f"tables people.parquet --area region --table age:40,sex --table marital {LIMIT}"
    yield Scene(
        "tables",
        [
            *_both(asked),
            f"{asked} --also county --match-keys age,sex --per-person people.csv --plot plot.svg",
            *(
                f"{asked} --experiment {what} --seed 1 --vary age"
                if what == "recodes"
                else f"{asked} --experiment {what} --seed 1"
                for what in ("tables", "area-size", "recodes", "safe-size")
            ),
        ],
    )
    for method, options in {
        "none": "",
        "suppress": "--width 2",
        "round": "--base 5",
        "small-counts": "",
        "cell-key": "--variance 2",
        "modify": "--probability 0.2",
        "random-round": "--base 3 --format parquet",
    }.items():
        yield Scene(
            f"tables-{method}",
            [
                f"{asked} --method {method} {options} --seed 1 --out published --although-unproved",
                "verify published",
            ],
        )
    yield Scene(
        "tables-merge",
        [
            "tables people.parquet --area county --within region --table sex --merge "
            f"--least-people 20 --method random-round --seed 1 --out published --json {LIMIT}",
            f"{asked} --also county --stop leave-out --method cell-key --seed 1 --out second "
            "--published everything.json",
        ],
    )
    yield Scene(
        "tables-sums",
        [
            f"tables people.parquet --area region --table sex --value income {rule} {LIMIT}"
            for rule in ("--dominance 2,80", "--p-percent 10 --json", "--pq 10,50")
        ]
        + [
            "tables people.parquet --area region --table sex --universe age=16-74 --value income "
            f"--p-percent 10 --method suppress --seed 1 --out sums {LIMIT}"
        ],
    )


def _letters() -> Iterator[Scene]:
    yield Scene(
        "scrub",
        [
            *_both("scrub letters --threads 1"),
            "scrub letters --out scrubbed --seed 1 --spans found.jsonl --identifiers who.csv "
            "--threads 1",
            "scrub letters --out years --seed 1 --dates year --scope patient --no-reduce "
            "--threshold 0.8 --identities known.csv --keep-names --threads 1 --json",
            "scrub notes.jsonl --out notes --seed 1 --dates shift --patient-field patient "
            "--threads 1",
            "scrub notes.csv --columns note --keep-fields age --patient-field patient --out table "
            "--seed 1 --threads 1",
            "scrub notes.jsonl --evaluate gold.jsonl --threads 1",
            "scrub letters --out long --seed 1 --max-characters 100 --threads 1",
            "verify scrubbed",
            "scrub letters --out scrubbed --seed 1",
        ],
        LETTERS,
    )


def _mistakes() -> Iterator[Scene]:
    protect = "protect people.parquet --key age,sex --k 3"
    yield Scene(
        "mistakes",
        [
            "unique people.parquet",
            "uniques gone.parquet --key age --k 3",
            "uniques people.parquet --key agee,sex --k 3",
            "uniques people.parquet --key age,sex --k 1",
            "uniques people.parquet --key age,sex --k two",
            f"uniques people.parquet --key age,sex {LIMIT}",
            f"uniques people.parquet --k 3 {LIMIT}",
            "uniques people.parquet --key age --k 3 --keyy x",
            "uniques people.parquet --key age --k 3 --at-most 2",
            "uniques people.parquet --key age --k 3 --approach guess",
            "uniques people.parquet --key age --k 3 --out risk.xyz",
            "uniques people.parquet --key age --k 3 --out people.parquet",
            "uniques people.parquet --key age --k 3 --memory lots",
            "uniques",
            "risk people.parquet --key age",
            "risk people.parquet --key age --fraction 2",
            "risk people.parquet --key age --fraction 0.1 --model nonsense",
            f"{protect} --method datafli --out r",
            f"{protect} --method optimal --relaxed --out r",
            f"{protect} --method mondrian --preset public --out r",
            f"{protect} --method datafly --l 2 --out r",
            f"{protect} --method suppress --max-drop 3 --out r",
            f"{protect} --method datafly --max-drop -1 --out r",
            f"{protect} --method datafly --highest agee=1 --out r",
            f"{protect} --method datafly --profile age=7 --out r",
            f"{protect} --method shuffle --given sex --out r",
            f"{protect} --method steps --out r",
            f"{protect} --secret r.key --out r",
            f"{protect} --method mondrian --keep nothing --out r",
            f"{protect} --method mondrian --hierarchies gone --out r",
            f"{protect} --method mondrian --format xls --out r",
            f"{protect} --method mondrian --accept nothing --out r",
            f"{protect} --method mondrian --plan gone.json --out r",
            f"{protect} --method mondrian --seed -1 --out r",
            f"{protect} --method mondrian --out hierarchies",
            "protect gone.toml",
            "verify gone",
            f"verify people.parquet {LIMIT}",
            "verify hierarchies",
            "utility people.parquet gone",
            "report gone",
            "run gone.toml",
            "tables people.parquet --area nowhere --table sex",
            "tables people.parquet --area region",
            "tables people.parquet --area region --table sexx",
            "tables people.parquet --area region --table sex --method suppres",
            "tables people.parquet --area region --table sex --method cell-key --base 3 --out p",
            "tables people.parquet --area region --table sex --threshold 0",
            "scrub gone",
            "scrub people.parquet --out s",
            "scrub people.parquet --columns nothing --out s",
            'query gone "select count(*) from data"',
            "census --people 0 --out c.parquet",
            "census --people 10 --out c.xyz",
            "demo --people 10 --out d",
            "init gone.csv",
        ],
    )


PYTHON = """python:
import indistinct

with indistinct.open_data("people.parquet") as data:
    found = data.uniques(["age", "sex", "marital", "region"], k=3)
    print(found.records_at_risk()[:20])
    print(found.key_table.to_frame().head(12).to_string())
    found.write("risk.parquet")

    done = data.protect(["age", "sex", "region"], method="k-similar", k=5, seed=1)
    print(done)
    data.release("release", done, seed=1, keep=["education"], although_unproved=True)

print(indistinct.verify_release("release", private="people.parquet"))
print(indistinct.compare_release("people.parquet", "release"))
print(indistinct.write_report("release", edition="shareable"))
"""


def by_name(names: Sequence[str] = ()) -> list[Scene]:
    """Return the scenes of these names, or all."""
    found = {scene.name: scene for scene in scenes()}
    return [found[name] for name in names] if names else list(found.values())
