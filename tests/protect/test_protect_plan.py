"""Plans: saved, loaded, undone, replayed; and refused with all problems at once."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import DALENIUS_KEY, MATRIX_34, dalenius, sha

from indistinct.core.errors import InputError
from indistinct.protect import (
    Blank,
    Context,
    Deidentify,
    Destroy,
    Encrypt,
    Perturb,
    Plan,
    Receipt,
    ReleaseKey,
    Step,
    fresh_seed,
)

KEY = DALENIUS_KEY

names = st.lists(st.sampled_from("abcdé"), min_size=1, max_size=4, unique=True).map(tuple)
k = st.integers(2, 9)
steps = st.one_of(
    st.builds(Destroy, names, k, st.just(("r",)), st.floats(0, 1)),
    st.builds(Blank, names, k, st.sampled_from(["whole", "automatic"])),
    names.map(lambda n: Blank(n, 3, "given", n[:1])),
    st.builds(Perturb, names, k, st.just(()), st.sampled_from(["nearest", "marginal"])),
    st.builds(Encrypt, names),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(steps, max_size=4), st.booleans())
def test_a_plan_survives_saving_and_loading(tmp_path_factory, chosen, last):
    plan = Plan((*chosen, Deidentify(("name",)))) if last else Plan(tuple(chosen))
    folder = tmp_path_factory.mktemp("plans")
    first, second = plan.save(folder / "1.json"), plan.save(folder / "2.json")
    assert first.read_bytes() == second.read_bytes()
    assert Plan.load(first) == plan
    assert first.stat().st_size < 4000


def test_a_loaded_plan_gives_the_same_bytes_and_holds_no_seed(engine, opened, tmp_path):
    source = opened(dalenius(MATRIX_34))
    plan = Plan((Blank(KEY, 3), Encrypt(("income",)), Deidentify(("V",))))
    key = ReleaseKey.fresh()
    seed = fresh_seed()
    first = plan.apply(engine, source, seed=seed, secrets=key)
    loaded = Plan.load(plan.save(tmp_path / "plan.json"))
    second = loaded.apply(engine, source, seed=seed, secrets=key)
    assert sha(first.source.path) == sha(second.source.path)
    assert first.receipts == second.receipts
    assert str(seed) not in (tmp_path / "plan.json").read_text()
    assert sorted(pq.read_schema(first.source.path).names) == ["U", "X", "Y", "Z", "income"]


def test_undoing_a_step_is_applying_the_shorter_plan(engine, opened):
    source = opened(dalenius(MATRIX_34))
    short = Plan((Perturb(KEY, 3),))
    longer = short.with_step(Deidentify(("income",)))
    assert longer.undo() == short
    assert longer.undo(2) == Plan()
    assert Plan().apply(engine, source).source == source
    one = short.apply(engine, source, seed=3)
    two = longer.undo().apply(engine, source, seed=3)
    assert sha(one.source.path) == sha(two.source.path)
    with pytest.raises(InputError, match="0 to 1 can be undone"):
        short.undo(2)


def test_identifiers_are_kept_until_the_uniques_are_found():
    with pytest.raises(InputError, match=r"step 1 must not come before step 2.*De-identify last"):
        Plan((Deidentify(("name",)), Blank(KEY, 3)))
    assert len(Plan((Blank(KEY, 3), Deidentify(("name",))))) == 2
    assert len(Plan((Deidentify(("name",)), Encrypt(("income",))))) == 2


def test_randomised_encryption_of_the_key_before_counting_is_refused():
    with pytest.raises(InputError, match="counts by X"):
        Plan((Encrypt(("X",), randomised=True), Blank(KEY, 3)))
    assert len(Plan((Encrypt(("X",)), Blank(KEY, 3)))) == 2


def test_all_problems_of_a_plan_are_told_at_once(tmp_path):
    path = tmp_path / "plan.json"
    content = {
        "version": 7,
        "seed": 1,
        "steps": [
            {"kind": "blnk"},
            {"kind": "blank", "key": "age", "k": True, "part": "half", "extra": 1},
            {"kind": "deidentify", "variables": ["name"]},
            {"kind": "destroy", "key": ["age"], "k": 1},
            {"kind": "perturb", "k": 3},
            {"kind": "destroy", "key": ["age"], "k": 4},
            3,
        ],
    }
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        Plan.load(path)
    text = str(caught.value)
    for part in (
        "version of a plan must be 1. Got 7",
        "no field 'seed'",
        "step 1: There is no step of kind 'blnk'. Did you mean 'blank'?",
        "'blank' has no field 'extra'",
        "'key' of 'blank' must be a list",
        "'k' of 'blank' must be a whole number",
        "'part' of 'blank' must be one of whole, automatic, given",
        "step 4: k must be a whole number of at least 2. Got 1.",
        "step 5: 'perturb' needs the field 'key'",
        "step 7: A step must be an object",
        "must not come before",
    ):
        assert part in text
    assert all(line.startswith(str(path)) for line in text.splitlines())


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000, '{"version": 1}'])
def test_a_file_that_is_no_plan_is_refused(text, tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(InputError, match=str(path)):
        Plan.load(path)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(InputError, match="There is no plan"):
        Plan.load(tmp_path / "absent.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not JSON"):
        Plan.load(tmp_path / "binary.json")


def test_an_error_names_its_step(engine, opened):
    source = opened(dalenius(MATRIX_34))
    with pytest.raises(InputError, match=r"Step 2 \(deidentify\): .*no variable 'nme'"):
        Plan((Destroy(KEY, 3), Deidentify(("nme",)))).apply(engine, source)


def test_deidentifying_by_role(engine, opened):
    table = pa.table({"name": ["A", "B"], "age": [1, 1]})
    source = opened(table)
    with pytest.raises(InputError, match="no variable has the role identifier"):
        Plan((Deidentify(),)).apply(engine, source)
    from dataclasses import replace

    named = replace(source, variables=source.variables.updated({"name": {"role": "identifier"}}))
    done = Plan((Deidentify(),)).apply(engine, named)
    assert done.source.table().to_pydict() == {"age": [1, 1]}
    assert list(done.source.variables) == ["age"]
    with pytest.raises(InputError, match="no variable would be left"):
        Plan((Deidentify(("name", "age")),)).apply(engine, source)


def test_a_plan_that_draws_needs_a_seed(engine, opened):
    source = opened(dalenius(MATRIX_34))
    with pytest.raises(InputError, match=r"draws at random \(perturb\)"):
        Plan((Perturb(KEY, 3),)).apply(engine, source)
    assert Plan((Destroy(KEY, 3),)).apply(engine, source).source.records == 6


def test_steps_do_not_share_random_numbers():
    assert Context(0, 1).draws() != Context(1, 1).draws()
    assert Context(2, 1).draws() == Context(2, 1).draws()
    assert "seed" not in repr(Context(0, 12345))


def test_another_package_can_add_a_kind_of_step(engine, opened):
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Nothing(Step, kind="nothing-at-all"):
        levels: dict[str, int]
        limit: float | None = None
        pairs: tuple[tuple[str, int], ...] = ()

        def describe(self):
            return "do nothing"

        def apply(self, engine, source, context):
            return source, Receipt(self.kind, source.records, source.records)

    step = Nothing({"zip": 2}, 1.5, (("a", 1),))
    assert Step.from_dict(json.loads(json.dumps(step.to_dict()))) == step
    assert Step.from_dict({"kind": "nothing-at-all", "levels": {}, "limit": None}).limit is None
    with pytest.raises(InputError, match=r"must be a list of 2"):
        Step.from_dict({"kind": "nothing-at-all", "levels": {}, "pairs": [["a"]]})


def test_changes_can_be_sent_to_workers(opened, tmp_path):
    """A cluster pickles the function that changes a batch."""
    pickle = pytest.importorskip("pyspark.cloudpickle")
    from indistinct.engine.duckdb import DuckDBEngine

    class Sending(DuckDBEngine):
        def transform(self, source, change, **rest):
            return super().transform(source, pickle.loads(pickle.dumps(change)), **rest)

    table = dalenius(MATRIX_34)
    plan = Plan((Blank(KEY, 3), Perturb(("income",), 3), Encrypt(("income",)), Deidentify(("V",))))
    with Sending(tmp_path, memory=10**9, threads=1) as engine:
        done = plan.apply(engine, opened(table), seed=1, secrets=ReleaseKey.fresh())
        assert done.source.records == 7
