"""One of every result, of data whose variables and categories are named as badly as they can be.

Whatever is put into HTML or SVG without being escaped is noticed in these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
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
from indistinct.protect.losses import Losses
from indistinct.protect.methods.local_suppression.suppress import suppress
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
from indistinct.results.showing import Shown
from indistinct.risk.scenario import KeyRole, Scenario
from indistinct.utility import analyses, demography, quality
from indistinct.utility.comparing import compare_actions, compare_methods

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
        return keys.read_coded(self.source, self.released)

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


@contextmanager
def every_result(folder: Path) -> Iterator[Callable[[str], Shown]]:
    """Hand out what makes each result of `EVERY` by its name, when it is first asked for."""
    with ExitStack() as opened:
        world = World(opened.enter_context(open_small(columns())), folder / "released")
        tabulated = tables.Tables(
            opened.enter_context(open_small(tables.columns())), folder / "tabulated"
        )
        written = letters.Letters(folder / "written")
        for place in (world, tabulated, written):
            place.folder.mkdir()

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

        yield make
