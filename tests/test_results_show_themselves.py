"""Every result prints itself in a few lines, and shows tables, figures and a frame.

Variables and categories are named as badly as they can be, so that whatever is put into HTML or
SVG without being escaped is noticed.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import pkgutil
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import results_of_tables as tables
import results_of_text as letters
from small_data import open_small

import indistinct
from indistinct import keys, risk, rules
from indistinct.census import CensusSummary
from indistinct.engine import Engine
from indistinct.files import Source, open_table
from indistinct.flow import compare_release
from indistinct.hierarchy import Hierarchy, suppression_only, table_hierarchy
from indistinct.households import Kinship
from indistinct.keys.losses import over_distortion
from indistinct.project import draft_project
from indistinct.protect import (
    ArgusSession,
    Generalise,
    Plan,
    Request,
    TransitionMatrix,
    anonymity_table,
    argus,
    compare_actions,
    compare_methods,
    datafly,
    k_similar,
    local_recoding,
    mdav,
    mondrian,
    optimal,
    pram_estimate,
    protect_by_method,
    protect_uniques,
    round_counts,
)
from indistinct.protect.methods.local_suppression.suppress import suppress
from indistinct.protect.models import PrivacyModel
from indistinct.protect.step import Step
from indistinct.protect.steps.pram import PramOutcome
from indistinct.prove import (
    Edition,
    Promise,
    Register,
    Trial,
    check_together,
    exact_matches,
    inferred_associations,
    link_own,
    permutation_distances,
    protection_report,
    sensitivity,
    trust,
    verify,
)
from indistinct.prove.ads0 import ADS0, EMAIL, reach_of
from indistinct.prove.attacks import (
    attribute_disclosure,
    correct_by_distance,
    evaluate,
    exact_attack,
    funnel,
    link_by_distance,
    link_probabilistically,
    release_funnel,
)
from indistinct.prove.examiners.households import examine_households
from indistinct.query import Answer
from indistinct.release import AuditTrail, check_folder
from indistinct.results.showing import MOST_ROWS, Shown, Table
from indistinct.risk.scenario import KeyRole, Scenario
from indistinct.utility import analyses, demography, quality
from indistinct.utility.comparing.action_losses import Losses

SEX, JOB = "<i>sex</i>", "job & <b>"
WORDS = ("<script>alert(1)</script>", "a & b", '"c" <d>')
KEY = ["age", SEX, JOB]
PEOPLE = 240
SCENARIO = Scenario(
    "<b>neighbour</b>",
    "made up",
    "next door",
    (KeyRole("age", ("age",)), KeyRole("<i>", ("sex",)), KeyRole("name", ("name",))),
    area_threshold=100,
)


def columns() -> dict[str, object]:
    rng = np.random.default_rng(4)
    age = rng.integers(20, 60, PEOPLE)
    return {
        "age": age,
        SEX: rng.choice(["<u>f</u>", "m"], PEOPLE),
        JOB: rng.choice(WORDS, PEOPLE),
        "wage": (age * 40 + rng.normal(0, 300, PEOPLE)).round(),
        "ill": rng.choice(WORDS, PEOPLE, p=(0.6, 0.3, 0.1)),
    }


class World:
    """The data, and what several results are made from; each made once."""

    def __init__(self, data: indistinct.Data, folder: Path) -> None:
        self.data, self.folder = data, folder
        self.engine: Engine = data.engine
        self.source: Source = data.source

    def opened(self, table: object, name: str = "<released>") -> Source:
        return open_table(table, workspace=self.engine.workspace, origin=name)

    @functools.cached_property
    def released(self) -> Source:
        """The same people, ages exchanged and jobs drawn anew."""
        rng = np.random.default_rng(1)
        changed = {
            "age": rng.permutation(self.ages),
            JOB: rng.choice(WORDS, PEOPLE, p=(0.8, 0.1, 0.1)),
        }
        return self.opened(columns() | changed)

    @property
    def ages(self) -> np.ndarray:
        return np.asarray(columns()["age"])

    @functools.cached_property
    def table(self) -> keys.KeyTable:
        return self.data.key_table(KEY)

    @functools.cached_property
    def wide(self) -> keys.KeyTable:
        return self.data.key_table([*KEY, "ill"])

    @functools.cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        ages = [(str(a), f"{a // 10 * 10}-{a // 10 * 10 + 9}", "*") for a in range(20, 60)]
        return {
            "age": table_hierarchy(ages, name="age", ordered=True),
            SEX: suppression_only(["<u>f</u>", "m"], name=SEX),
            JOB: suppression_only(WORDS, name=JOB),
        }

    @functools.cached_property
    def climbing(self) -> keys.Generalisable:
        return keys.Generalisable.of(self.table, self.hierarchies)

    @functools.cached_property
    def coded(self) -> analyses.Coded:
        return analyses.read_coded(self.source, self.released)

    @functools.cached_property
    def protected(self) -> object:
        return protect_by_method(
            self.engine,
            self.source,
            KEY,
            method="datafly",
            hierarchies=self.hierarchies,
            request=Request(k=3, max_drop=20),
            seed=1,
        )

    @functools.cached_property
    def release(self) -> object:
        return self.data.release(self.folder / "<released>", self.protected, seed=1)

    @functools.cached_property
    def kinship(self) -> Kinship:
        """Four hundred households of a wife, a husband and a child."""
        number = np.arange(1200)
        first = number - number % 3
        role = number % 3
        nobody = np.full(1200, -1)
        return Kinship(
            household=number // 3,
            head=first,
            spouse=np.where(role == 0, first + 1, np.where(role == 1, first, -1)),
            mother=np.where(role == 2, first, nobody),
            father=np.where(role == 2, first + 1, nobody),
            notes=("<b>a note</b>",),
        )

    @functools.cached_property
    def tests(self) -> demography.DemographicTests:
        rng = np.random.default_rng(2)
        role = np.arange(1200) % 3
        woman = role == 0
        sides = []
        for shift in (0, 2):
            age = np.where(role == 2, rng.integers(0, 15, 1200), rng.integers(25, 50, 1200) + shift)
            education = rng.integers(0, 3, 1200)
            sides.append(
                (
                    demography.couple_ages(self.kinship, age, woman),
                    demography.own_children(self.kinship, age, woman),
                    demography.couple_education(
                        self.kinship, education, age, woman, levels=list(WORDS)
                    ),
                )
            )
        (gap, children, education), (gap2, children2, education2) = sides
        return demography.DemographicTests(
            demography.age_gap(gap, gap2, least=5),
            demography.own_child_fertility(children, children2),
            demography.homogamy(education, education2, least=5),
            ("<i>a note</i>",),
        )

    @functools.cached_property
    def rules(self) -> rules.Rules:
        return rules.Rules(
            [rules.Rule("<b>old</b>", "age > 55"), rules.Rule("rich", "wage > 2000")]
        )

    @functools.cached_property
    def register(self) -> Register:
        names = [f"<b>p{n}</b>" for n in range(PEOPLE)]
        people = {"name": names} | {name: columns()[name] for name in KEY}
        return Register(self.opened(people, "voters"), "<voters>", "name")

    @functools.cached_property
    def distance_links(self) -> object:
        return link_by_distance(self.released.table(), self.source.table(), ["age", "wage"])

    @functools.cached_property
    def probable_links(self) -> object:
        both = (self.released.table(), self.source.table())
        return link_probabilistically(*both, ["wage", SEX, JOB], blocking=["wage"])

    @functools.cached_property
    def system(self) -> ADS0:
        return ADS0.of(
            subjects=["<b>Ann</b>", "Al"],
            private=[
                {"name": "<b>Ann</b>", "zip": "02139", "ill": WORDS[0]},
                {"name": "Al", "zip": "02138", "ill": WORDS[1]},
            ],
            key=["name", "zip"],
            external=[[{"name": "<b>Ann</b>", "zip": "02139"}, {"name": "Al", "zip": "02138"}]],
            function=lambda rows: [{"zip": row["zip"], "ill": row["ill"]} for row in rows],
        )

    @functools.cached_property
    def session(self) -> ArgusSession:
        return ArgusSession(self.climbing, k=3, identification={"age": 2, SEX: 1, JOB: 1})

    @functools.cached_property
    def flags(self) -> risk.RecordFlags:
        declared = [{"name": "<b>old</b>", "reason": WORDS[0], "all": [_above("age", 55)]}]
        return risk.flag_records(self.source, risk.read_flag_rules(declared, self.source))


def _above(variable: str, value: int) -> dict[str, object]:
    return {"variable": variable, "above": value}


RESULTS = {
    # keys
    "Uniques": lambda w: w.data.uniques(KEY, k=3),
    "KeyTable": lambda w: w.table,
    "Explanation": lambda w: w.data.explain(KEY),
    "Recoding": lambda w: mondrian(w.climbing, k=3).recoding,
    # risk
    "FileRisk": lambda w: w.data.risk(KEY, fraction=0.1, model="main", sensitive=["ill"]),
    "RecordRisk": lambda w: risk.record_risk(w.table, fraction=0.1, model="main"),
    "KnownRisk": lambda w: risk.known_population_risk(w.table, w.table.counts * 10),
    "Fit": lambda w: risk.fit_model(w.table, "main"),
    "SparseFit": lambda w: risk.fit_sparse(
        w.table, risk.parse_model("two-way", w.table.names), draws=1000
    ),
    "ModelPath": lambda w: risk.choose_model(w.table, fraction=0.1, draws=1000),
    "Validation": lambda w: w.data.validate_risk(KEY, fraction=0.3, repeat=2, model="main"),
    "AttackerRisks": lambda w: risk.attacker_risks(w.table, fraction=0.1),
    "AttributeRisk": lambda w: risk.attribute_disclosure(w.wide, KEY, ["ill"], l=2, t=0.5),
    "SensitiveRisk": lambda w: risk.attribute_disclosure(w.wide, KEY, ["ill"])["ill"],
    "Closeness": lambda w: risk.t_closeness(w.wide, KEY, "ill", t=0.3),
    "Diversity": lambda w: risk.l_diversity(w.wide, KEY, "ill", l=2),
    "Likeness": lambda w: risk.likeness(w.wide, KEY, "ill", beta=1.0),
    "ConstantRisk": lambda w: risk.constant_risk(
        w.table.frequencies_of_frequencies(), fraction=0.1
    ),
    "RecordFlags": lambda w: w.flags,
    "FollowUps": lambda w: risk.FollowUps(PEOPLE).opened(w.flags, when="2026-01-01"),
    "IndividualRisk": lambda w: risk.individual_risk(w.table, fraction=0.1),
    "KAnonymityTest": lambda w: risk.k_anonymity_test(w.table, k=3),
    "Profile": lambda w: risk.k_anonymity_test(w.table, k=3).profile(),
    "MinimalUniques": lambda w: risk.minimal_uniques(w.table),
    "Suda": lambda w: risk.suda(w.table),
    "OpenshawRisk": lambda w: risk.openshaw_risk(w.table),
    "CodingEffect": lambda w: risk.coding_effect(w.table, w.table.rollup([SEX, JOB])[0]),
    "PopulationUniqueness": lambda w: risk.population_uniqueness(w.table, fraction=0.1),
    "VariableRemoval": lambda w: risk.remove_variables(w.table, k=3),
    "SubsetRisk": lambda w: risk.risk_by_subset(w.table, k=3),
    "UniquenessTable": lambda w: risk.uniqueness_table(w.table),
    "KeySensitivity": lambda w: risk.key_sensitivity(w.wide, KEY, k=3),
    "ScenarioKey": lambda w: SCENARIO.key_for(w.source.variables, {"<i>": SEX}, partial=True),
    "Assessment": lambda w: risk.assess(w.table, SCENARIO, sensitivity="ordinary", k=3, area=JOB),
    "AreaCheck": lambda w: risk.check_areas(w.table, JOB, at_least=100),
    # protect
    "Protected": lambda w: w.protected,
    "Cost": lambda w: w.protected.cost,
    "Receipt": lambda w: w.protected.receipts[0],
    "Plan": lambda w: w.protected.plan,
    "Applied": lambda w: Plan((Generalise(w.hierarchies["age"], 1),)).apply(w.engine, w.source),
    "Comparison": lambda w: compare_actions(w.engine, w.source, KEY, seed=1, k=3),
    "SideBySide": lambda w: compare_methods(
        w.engine,
        w.source,
        KEY,
        hierarchies=w.hierarchies,
        request=Request(k=3, max_drop=20),
        seed=1,
        methods=("datafly", "mondrian", "suppress"),
    ),
    "Rounded": lambda w: round_counts([[3, 8], [4, 1]], 5, np.random.default_rng(1)),
    "Losses": lambda w: _losses(w),
    "DataflyResult": lambda w: datafly(w.climbing, k=3, max_drop=20),
    "AnonymityTable": lambda w: anonymity_table(
        w.climbing, levels=(0.05, 0.02), mapping=lambda level, n: int(level * 100)
    ),
    "ArgusResult": lambda w: argus(w.climbing, k=3, identification={"age": 2, SEX: 1, JOB: 1}),
    "ArgusSession": lambda w: w.session,
    "UnsafeCombinations": lambda w: w.session.unsafe,
    "Effect": lambda w: w.session.preview("age"),
    "KSimilar": lambda w: k_similar(w.climbing, k=3),
    "LocalRecoding": lambda w: local_recoding(w.climbing, k=3),
    "Mondrian": lambda w: mondrian(w.climbing, k=3),
    "Microaggregation": lambda w: mdav(np.stack([w.ages, w.ages**2], 1), 3),
    "Optimum": lambda w: optimal(w.climbing, k=3, max_drop=20),
    "Suppression": lambda w: suppress(w.climbing, k=3),
    "TransitionMatrix": lambda w: _matrix(),
    "PramEstimate": lambda w: pram_estimate(_matrix(), [120.0, 80.0, 40.0]),
    "PramOutcome": lambda w: PramOutcome(
        JOB, 0, WORDS, (10, 5, 5), (9.0, 6.0, 5.0), (9, 7, 4), (0.8, 0.8), _matrix()
    ),
    # prove
    "Verification": lambda w: verify(
        w.engine, w.released, KEY, k=3, private=w.source, registers=[w.register]
    ),
    "Sensitivity": lambda w: _sensitivity(w),
    "HouseholdAttack": lambda w: _households(w),
    "Trust": lambda w: trust(w.engine, w.source, _sensitivity(w)),
    "ExactMatches": lambda w: exact_matches(w.engine, w.source, w.released, KEY),
    "Linkage": lambda w: link_own(w.engine, w.source, w.released, ["age", "wage"]),
    "PermutationDistances": lambda w: permutation_distances(w.engine, w.source, w.released),
    "ProtectionReport": lambda w: _report(w),
    "Changes": lambda w: _report(w).changes,
    "Together": lambda w: check_together(w.engine, _editions(w), people=w.source),
    "Associations": lambda w: inferred_associations(
        w.engine, *_editions(w), associate=("wage", "ill"), shared=KEY
    ),
    "ADS0": lambda w: w.system,
    "Verdict": lambda w: w.system.verdict(),
    "Reach": lambda w: reach_of(["email"], [{"email": "<a>"}], [{"email": "<a>"}], EMAIL),
    "AttributeDisclosure": lambda w: attribute_disclosure(
        w.engine, w.source, key=KEY, sensitive="ill", register=w.register
    ),
    "DistanceLinks": lambda w: w.distance_links,
    "DistanceQuality": lambda w: correct_by_distance(w.distance_links),
    "ProbabilisticLinks": lambda w: w.probable_links,
    "LinkageModel": lambda w: w.probable_links.model,
    "LinkageQuality": lambda w: evaluate(w.probable_links, range(PEOPLE), range(PEOPLE)),
    "LinkOutcome": lambda w: exact_attack(w.engine, w.source, w.register, attributes=KEY),
    "Funnel": lambda w: funnel(
        w.engine, w.register, {"age": int(w.ages[0]), SEX: columns()[SEX][0]}
    ),
    "ReleaseFunnel": lambda w: release_funnel(w.engine, w.source, w.register, attributes=KEY),
    # utility
    "Utility": lambda w: analyses.analyse_utility(
        w.engine, w.source, w.released, targets=["wage"], triples=3
    ),
    "utility.Associations": lambda w: analyses.compare_associations(w.coded),
    "InformationLoss": lambda w: analyses.compare_numbers(w.coded),
    "KMarginal": lambda w: analyses.k_marginal(w.coded, by=SEX, fractions=(0.1, 0.5), repeats=1),
    "Marginals": lambda w: analyses.compare_marginals(w.coded),
    "Propensity": lambda w: analyses.compare_propensity(w.coded),
    "Regression": lambda w: analyses.compare_regression(w.coded, "wage", ["age", SEX, JOB]),
    "Regressions": lambda w: analyses.compare_regressions(w.coded, outcomes=["wage"]),
    "Tables": lambda w: analyses.compare_tables(w.coded),
    "DemographicTests": lambda w: w.tests,
    "AgeGap": lambda w: w.tests.age_gap,
    "Fertility": lambda w: w.tests.fertility,
    "Homogamy": lambda w: w.tests.homogamy,
    "OverDistortion": lambda w: over_distortion(0.4, 0.3),
    "Quality": lambda w: quality(mondrian(w.climbing, k=3).recoding),
    # and the rest
    "ReleaseComparison": lambda w: compare_release(
        w.source, w.released, engine=w.engine, key=KEY, rules=w.rules, protection=True
    ),
    "RiskUtilityMap": lambda w: w.data.risk_utility_map(
        KEY,
        k=3,
        seed=1,
        hierarchies=w.hierarchies,
        methods=("datafly",),
        shuffle=(0.5,),
        windows=(),
        keep=(0.8,),
        noise=(),
    ),
    "RuleCheck": lambda w: w.rules.violations(w.rules.read(w.source)),
    "RulesReport": lambda w: rules.compare_rules(w.rules, w.source, w.released),
    "Kinship": lambda w: w.kinship,
    "Hierarchy": lambda w: w.hierarchies[JOB],
    "Draft": lambda w: draft_project(w.engine, w.source, data_path="<people>.csv"),
    "ReleaseFolder": lambda w: w.release,
    "FolderCheck": lambda w: check_folder(w.release.folder),
    "Certificate": lambda w: check_folder(w.release.folder).certificate,
    "TrailCheck": lambda w: AuditTrail(w.release.plan.parent / "audit.jsonl").check(),
    "Answer": lambda w: Answer(
        (JOB, "count"), ((WORDS[0], 12), (WORDS[1], 9)), withheld=1, smallest=5
    ),
    "CensusSummary": lambda w: CensusSummary(9, 3, 2, Path("<census>.csv"), None, 0.1),
}
EVERY = [*RESULTS, *tables.RESULTS, *letters.RESULTS]
"""All of them, those about tables and letters too."""

ELSEWHERE = {
    "Shown": "what all results are",
    "Result": "what all results that declare their facts are",
    "PerClass": "what RecordRisk and KnownRisk share",
}
FIGURES_ALL_THE_SAME = {"utility.Associations", "tables.Rounded"}
"""Results whose namesake has no figure."""


def _losses(w: World) -> Losses:
    done = protect_uniques(w.engine, w.source, KEY, action="destroy", k=3, domains=(JOB,))
    return done.receipts[0].private


def _matrix() -> TransitionMatrix:
    return TransitionMatrix.of_method("redraw", [10, 5, 5], 0.8, variable=JOB, categories=WORDS)


def _households(w: World) -> object:
    homes = w.opened(columns() | {"household": np.arange(PEOPLE) // 3})
    promise = Promise(key=tuple(KEY), k=3)
    return examine_households(Trial(w.engine, homes, promise)).parts["households"]


def _sensitivity(w: World) -> object:
    return sensitivity(w.engine, w.source, key=[SEX, JOB], k=3, register=None)


def _report(w: World) -> object:
    return protection_report(
        w.engine, w.source, w.released, key=KEY, groups={"<b>old</b>": "age >= 40"}
    )


def _editions(w: World) -> tuple[Edition, Edition]:
    one = w.source.table([*KEY, "wage"])
    two = w.source.table([*KEY, "ill"])
    return (
        Edition(w.opened(one), "<first>", tuple(KEY), 2),
        Edition(w.opened(two), "<second>", tuple(KEY), 2),
    )


SHOW_LABELS = {"Hierarchy": "its labels are what whoever made it wanted to see"}

NO_FIGURE = {
    "ADS0": "the parts of a system: what is judged, not what was found",
    "Answer": "the answer to any question, of any columns",
    "Applied": "its receipts have figures",
    "AreaCheck": "three numbers",
    "ArgusSession": "a session; what is unsafe has a figure",
    "Assessment": "words and a few numbers",
    "Associations": "two rows of counts that cannot be compared",
    "CensusSummary": "what was written where",
    "Certificate": "a document",
    "ConstantRisk": "one probability",
    "DistanceLinks": "a few counts",
    "DistanceQuality": "a few counts",
    "Draft": "words about variables",
    "Effect": "three numbers before and after",
    "Fit": "sizes of a model",
    "FolderCheck": "whether files are as they were",
    "Hierarchy": "a tree of words",
    "LinkageModel": "probabilities of many levels",
    "LinkageQuality": "a few counts",
    "OverDistortion": "one ratio",
    "Plan": "steps in words",
    "Reach": "one number",
    "ReleaseFolder": "names of files",
    "Rounded": "a table",
    "ScenarioKey": "names of columns",
    "SensitiveRisk": "measures in units of their own",
    "SparseFit": "sizes of a model",
    "TrailCheck": "whether a file is as it was",
    "TransitionMatrix": "its categories are for those who ask for the frame",
    **tables.NO_FIGURE,
    **letters.NO_FIGURE,
}
"""Results without `plot`, and why."""

NOT_RESULTS = {
    "AuditTrail": "a file",
    "Demo": "a collection of results",
    "Head": "where a file ends",
    "HouseholdColumns": "settings",
    "Promise": "what is judged",
    "PublicRule": "settings",
    "Part": "what rows of results are",
    "Project": "settings",
    "Rules": "settings",
    "Profile": "settings of Datafly",
    **tables.NOT_RESULTS,
    **letters.NOT_RESULTS,
}
"""Public classes with `to_dict` that are put in, not got out."""

PARTS = {
    "Verdict": ("Witness", "TupleVerdict"),
    "Verification": ("Witness", "Reservation", "KnownToo"),
    "Uniques": ("People",),
    "LinkOutcome": ("Guesses", "LinkWitness", "OfPeople", "Rate", "Excess"),
    "PermutationDistances": ("VariablePermutation", "Spread"),
    "Changes": (
        "VariableChanges",
        "GroupChanges",
        "ExpectedShares",
        "CoupleShares",
        "HouseholdShares",
    ),
    "Together": ("Given", "Joined", "Restored", "Apart", "Pinned", "TogetherWitness"),
    "AttackerRisks": ("Risks",),
    "Marginals": ("Marginal",),
    "Regression": ("Coefficient",),
    "AgeGap": ("GapCurve", "AgeBreak"),
    "Fertility": ("FertilityTrend",),
    "Homogamy": ("HomogamyGroup",),
    "AuditTrail": ("Entry",),
    **tables.PARTS,
}
"""Rows of results, which show them."""

OTHER_ROOMS = ("report", "running", "cli")
"""What these give is made of results: pages, folders and the terminal."""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with open_small(columns()) as data:
        yield World(data, tmp_path_factory.mktemp("released"))


@pytest.fixture(scope="module")
def tabulated(tmp_path_factory):
    with open_small(tables.columns()) as data:
        yield tables.Tables(data, tmp_path_factory.mktemp("tabulated"))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return letters.Letters(tmp_path_factory.mktemp("written"))


@pytest.fixture(scope="module")
def made(world, tabulated, written):
    """Each result, made when it is first asked for."""

    @functools.cache
    def make(name: str) -> Shown:
        for results, given in ((RESULTS, world), (tables.RESULTS, tabulated)):
            if name in results:
                found = results[name](given)
                break
        else:
            found = letters.RESULTS[name](written)
        assert type(found).__name__ == name.rpartition(".")[2]
        return found

    return make


every_result = pytest.mark.parametrize("name", EVERY)


@every_result
def test_prints_a_few_short_lines(made, name):
    lines = repr(made(name)).split("\n")
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 120
    assert made(name).details()


@every_result
def test_html_is_well_formed_with_captions_and_headings(made, name):
    page = made(name)._repr_html_()
    tree = ElementTree.fromstring(page)
    assert not Tags.of(page) & {"script", "b", "i", "u", "pre", "released", "voters", "d", "a"}
    tables = tree.findall(".//table")
    assert tables
    for table in tables:
        assert table.findtext("caption")
        assert {cell.get("scope") for cell in table.iter("th")} <= {"col", "row"}
        assert all(cell.get("scope") for cell in table.iter("th"))
        assert len(table.findall(".//thead//th")) >= 1
    assert ("svg" in Tags.of(page)) == hasattr(made(name), "plot")


@every_result
def test_a_notebook_shows_no_value_that_is_not_printed(made, name):
    if name in SHOW_LABELS:
        pytest.skip(SHOW_LABELS[name])
    shown = "".join(ElementTree.fromstring(made(name)._repr_html_()).itertext())
    printed = made(name).details() + repr(made(name))
    for value in (*WORDS, "<u>f</u>", "<b>p1", "<b>Ann"):
        assert value not in shown or value in printed


@every_result
def test_figure_is_well_formed_and_titled(made, name):
    result = made(name)
    without = name in NO_FIGURE or name.rpartition(".")[2] in NO_FIGURE
    assert hasattr(result, "plot") == (not without or name in FIGURES_ALL_THE_SAME)
    if hasattr(result, "plot"):
        tree = ElementTree.fromstring(result.plot())
        assert tree.tag.endswith("svg")
        assert tree.findtext("{http://www.w3.org/2000/svg}title")
        assert not any(_local(e) in ("script", "b", "i", "u") for e in tree.iter())


@every_result
def test_numbers_are_a_frame(made, name):
    frame = made(name).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) >= 1
    assert len(frame.columns) >= 1


@every_result
def test_facts_are_plain_json(made, name):
    facts = made(name).to_dict()
    text = json.dumps(facts, allow_nan=False)
    assert json.loads(text) == _with_text_keys(facts)


def test_every_result_is_tried():
    """Whoever adds a result adds it to the table above, and here is told so."""
    tried = Counter(name.rpartition(".")[2] for name in (*EVERY, *ELSEWHERE))
    missing = Counter(cls.__name__ for cls in classes() if issubclass(cls, Shown)) - tried
    assert not missing


def test_every_public_class_of_facts_is_a_result_or_is_listed():
    parts = {part for found in PARTS.values() for part in found}
    strange = {
        cls.__name__
        for cls in classes(public=True)
        if hasattr(cls, "to_dict") and not issubclass(cls, (Shown, Step, PrivacyModel))
    }
    assert strange - parts - set(NOT_RESULTS) == set()


def test_lists_of_exceptions_name_what_there_is():
    names = {cls.__name__ for cls in classes()}
    listed = {*NO_FIGURE, *NOT_RESULTS, *PARTS, *(p for found in PARTS.values() for p in found)}
    assert {name.rpartition(".")[2] for name in listed} <= names


def test_a_long_table_is_cut_in_a_notebook_and_whole_in_a_frame():
    table = Table("<caption>", ("<a>", "b"), [(f"<{n}>", n) for n in range(MOST_ROWS + 5)])
    rows = ElementTree.fromstring(table.to_html()).findall(".//tbody/tr")
    assert len(rows) == MOST_ROWS + 1
    assert "5 rows more" in "".join(rows[-1].itertext())
    assert len(table.to_frame()) == MOST_ROWS + 5
    assert len(table.to_lines()) == MOST_ROWS + 7


class Tags(HTMLParser):
    """The names of the elements that a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)

    @classmethod
    def of(cls, page: str) -> set[str]:
        parser = cls()
        parser.feed(page)
        return parser.found


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _with_text_keys(value):
    """What JSON makes of plain values: keys are text, tuples are lists."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else json.loads(json.dumps({key: 0})).popitem()[0]: (
                _with_text_keys(item)
            )
            for key, item in value.items()
        }
    return [_with_text_keys(item) for item in value] if isinstance(value, (list, tuple)) else value


@functools.cache
def classes(*, public: bool = False) -> tuple[type, ...]:
    """All classes of the library, or those that a package's doorway names."""
    found: dict[type, None] = {}
    for info in pkgutil.walk_packages(indistinct.__path__, "indistinct."):
        if info.name.split(".")[1] in OTHER_ROOMS or "spark" in info.name:
            continue
        module = importlib.import_module(info.name)
        names = getattr(module, "__all__", ()) if public else dir(module)
        if public and not info.ispkg:
            continue
        for name in names:
            one = getattr(module, name)
            if inspect.isclass(one) and one.__module__.startswith("indistinct."):
                found[one] = None
    return tuple(cls for cls in found if not cls.__name__.startswith("_"))
