"""The one flow: open, who stands out, protect, compare, write, prove, report."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from indistinct.core import IndistinctError, InputError, Interrupted, Seed
from indistinct.core.doors import watching
from indistinct.engine import EngineName
from indistinct.flow import WrittenReport, write_report
from indistinct.flow.heeding import policies_of
from indistinct.flow.protecting import (
    Say,
    climbed,
    options_for,
    protect_data,
    silent,
    with_method,
)
from indistinct.flow.run_result import Run
from indistinct.flow.session import Data, open_data
from indistinct.flow.wanted import (
    Wanted,
    check_against_data,
    check_wanted,
    heed_asked,
    secret_beside,
)
from indistinct.hierarchy import Hierarchies
from indistinct.keys import Uniques
from indistinct.options import known_method
from indistinct.project import ReportSettings, load_project
from indistinct.protect import (
    Protected,
    ReleaseKey,
    Told,
    fresh_seed,
    purpose_warnings,
    reach_warning,
)
from indistinct.release import ReleaseFolder, SigningKey
from indistinct.utility.tradeoff import GENERALISING, Candidate, RiskUtilityMap

__all__ = ["release_data", "run_project"]

ON_MAP = "this release"
"""What the map calls the release itself."""


def run_project(
    path: str | Path,
    *,
    out: str | Path | None = None,
    seed: Seed | None = None,
    registers: Sequence[str | Path] = (),
    earlier: Sequence[str | Path] = (),
    sign_with: SigningKey | str | Path | None = None,
    keep_named: Sequence[str] = (),
    accept: Sequence[str] = (),
    although_unproved: bool = False,
    told: Told | None = None,
    policy: Sequence[str | Path] = (),
    exceptions: Sequence[str] = (),
    pdf: bool = False,
    engine: EngineName | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    master: str | None = None,
    scratch: str | Path | None = None,
    allow_outside: bool = False,
    check: Callable[[Data], object] | None = None,
    say: Say = silent,
) -> Run:
    """Do everything that a project file says: find, protect, compare, write, prove and report.

    What can be seen to be wrong is refused before any record is changed. The release appears
    whole or not at all; if its report cannot be written, the release stands and the error says so.

    Parameters
    ----------
    out, seed, sign_with, told, pdf
        Go before what the project says.
    registers, earlier, keep_named, accept, policy, exceptions
        Come beside what the project says.
    although_unproved
        Write also what does not hold.
    engine, memory, threads, master, scratch
        See `indistinct.open_data`.
    allow_outside
        Whether the project file may name what lies outside its folder; the ledger tells what.
    check
        Is shown the open data before any work is done, and may refuse.
    say
        Gets a sentence for each thing that is begun or was chosen.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> people = "m,a\\nf,a\\nm,b\\nf,b\\n" * 5 + "m,c\\n"
    >>> _ = (folder / "people.csv").write_text("sex,town\\n" + people)
    >>> _ = (folder / "release.toml").write_text('''
    ... [data]
    ... file = "people.csv"
    ... [variables.sex]
    ... role = "key"
    ... [variables.town]
    ... role = "key"
    ... [release]
    ... k = 3
    ... method = "suppress"
    ... out = "release"
    ... ''')
    >>> run = run_project(folder / "release.toml", seed=1)
    >>> run.found.at_risk, run.protected.residual, run.holds
    (1, 0, True)
    >>> sorted(p.name for p in folder.iterdir() if p.name.startswith("release"))
    ['release', 'release-report.html', 'release-report.json', 'release.toml']
    """
    began = time.perf_counter()
    path = Path(path)
    if path.suffix != ".toml":
        raise InputError(
            f"{path} is not a project file (.toml). Make one with: indistinct init {path}"
        )
    with watching(allow_outside=allow_outside):
        project = load_project(path)
        wanted = Wanted(
            out=Path(out) if out is not None else None,
            seed=seed,
            registers=tuple(map(Path, registers)),
            earlier=tuple(map(Path, earlier)),
            sign_with=Path(sign_with) if isinstance(sign_with, str) else sign_with,
            keep_named=tuple(keep_named),
            accept=tuple(accept),
            although_unproved=although_unproved,
            told=told,
            policy=tuple(map(Path, policy)),
            exceptions=tuple(exceptions),
            report=replace(project.report, pdf=pdf or project.report.pdf),
        )
        check_wanted(wanted.completed(project), project)
        with open_data(
            path, engine=engine, memory=memory, threads=threads, master=master, scratch=scratch
        ) as data:
            if check is not None:
                check(data)
            say("finding those who stand out …")
            found = data.uniques()
            run = release_data(data, wanted, found=found, say=say)
    return replace(run, project=path, seconds=time.perf_counter() - began)


def release_data(
    data: Data, wanted: Wanted, *, found: Uniques | None = None, say: Say = silent
) -> Run:
    """Protect open data as asked, write and prove the release, and write its report.

    Parameters
    ----------
    wanted
        What is asked; what it does not say is taken from the data's project file.
    found
        Who stands out, if it was counted already.
    say
        Gets a sentence for each thing that is begun or was chosen.
    """
    began = time.perf_counter()
    wanted = wanted.completed(data.project)
    signing = check_wanted(wanted, data.project)
    assert wanted.out is not None
    names = data.key(wanted.key)
    policies = policies_of(data.project, wanted.policy, wanted.exceptions)
    wanted = wanted.but(registers=policies.registers(wanted.registers))
    registers = check_against_data(data, names, wanted)
    wanted = with_method(data, names, wanted, say)
    heed_asked(wanted, data.project)
    assert wanted.report is not None
    if (sensitive := wanted.options.get("sensitive")) is not None:
        data = data.with_roles(**{sensitive: "sensitive"})
    for note in data.notes_on(names):
        say(f"note: {note}")
    seed = fresh_seed() if wanted.seed is None else wanted.seed
    hierarchies = climbed(data, names, wanted, say)
    secrets, secret = None, None
    if wanted.method == "encrypt" and wanted.plan is None:
        secrets = ReleaseKey.fresh()
        secret = secrets.save(wanted.secret or secret_beside(wanted.out), release=wanted.out)
    try:
        say(f"protecting by {wanted.plan or wanted.method} …")
        promise: dict[str, Any] = {
            **{"k": wanted.k, "at_most": wanted.at_most},
            **{"seed": seed, "person": wanted.person},
        }
        if wanted.plan is not None:
            done = data.replay(names, wanted.plan, **promise)
        else:
            done = protect_data(
                data,
                names,
                method=wanted.method,
                hierarchies=hierarchies if hierarchies is not None else wanted.hierarchies,
                secrets=secrets,
                options=options_for(data, names, wanted, registers=registers, say=say),
                **promise,
            )
        perturbing = (
            wanted.method is not None and known_method(wanted.method).family == "perturbing"
        )
        perturbed = perturbing or (wanted.plan is not None and not done.claims_k)
        protection = data.protection(done) if perturbed else None
        drawn, warned = None, _purpose(done, wanted)
        if wanted.report.map:
            say("protecting copies in other ways, for the map …")
            drawn, failed = _map(data, names, done, wanted, seed, hierarchies)
            warned += failed
        say("writing the release, and proving it from the file …")
        written = data.release(
            wanted.out,
            done,
            seed=seed,
            format=wanted.format,
            keep=wanted.keep,
            keep_order=wanted.keep_order,
            keep_formulas=wanted.keep_formulas,
            keep_household_numbers=wanted.keep_household_numbers,
            substitute=wanted.substitute,
            keep_named=wanted.keep_named,
            registers=wanted.registers,
            earlier=wanted.earlier,
            sign_with=signing,
            accept=wanted.accept,
            although_unproved=wanted.although_unproved,
            told=wanted.told,
            policy=wanted.policy,
            exceptions=wanted.exceptions,
            warnings=warned,
            compare=wanted.report.utility,
            protection=protection,
            drawn=drawn,
            on_map=ON_MAP if drawn is not None else None,
        )
    except BaseException:
        # a key without a release would only be taken for one that matters
        if secret is not None:
            secret.unlink(missing_ok=True)
        raise
    done = written.protected or done
    report, shareable = _reports(written, wanted.report)
    return Run(
        found or done.before,
        done,
        written,
        report,
        shareable,
        protection,
        drawn,
        secret,
        written.warnings,
        data.project.path if data.project else None,
        time.perf_counter() - began,
    )


def _purpose(done: Protected, wanted: Wanted) -> tuple[str, ...]:
    """Say where the plan is at odds with what the recipient wants, or k with an intruder."""
    warned = purpose_warnings(done.plan, needed=wanted.needed, use=wanted.use)
    asked = reach_warning(done.k, wanted.reach) if wanted.reach is not None else None
    return (*warned, asked) if asked else warned


def _map(
    data: Data,
    names: Sequence[str],
    done: Protected,
    wanted: Wanted,
    seed: int,
    hierarchies: Hierarchies | None,
) -> tuple[RiskUtilityMap | None, tuple[str, ...]]:
    """Draw the map with the release on it, instead of its method's usual settings.

    A map that cannot be drawn is told and does not stand in the way of the release.
    """
    also = [] if done.method == "encrypt" else [Candidate(ON_MAP, plan=done.plan)]
    options: dict[str, Any] = {"methods": [m for m in GENERALISING if m != done.method]}
    try:
        drawn = data.risk_utility_map(
            names,
            k=wanted.k,
            at_most=wanted.at_most,
            seed=seed,
            hierarchies=hierarchies if hierarchies is not None else wanted.hierarchies,
            also=also,
            **options,
        )
    except IndistinctError as error:
        return None, (f"The map of risk and utility could not be drawn: {error}",)
    return drawn, ()


def _reports(
    written: ReleaseFolder, settings: ReportSettings
) -> tuple[WrittenReport, WrittenReport | None]:
    """Write the holder's report, and the one to show; the release stands whatever happens."""
    options: dict[str, Any] = {
        "pdf": settings.pdf,
        "language": settings.language,
        "docs": settings.docs,
    }
    try:
        private = write_report(written.folder, edition="private", **options)
        if not settings.shareable:
            return private, None
        return private, write_report(written.folder, edition="shareable", **options)
    except (Exception, KeyboardInterrupt) as error:  # whatever it is, there is a release
        if isinstance(error, IndistinctError):
            why = str(error)
        elif isinstance(error, KeyboardInterrupt):
            why = "it was interrupted."
        else:
            why = f"the program failed ({type(error).__name__})."
        kind = Interrupted if isinstance(error, KeyboardInterrupt) else InputError
        raise kind(
            f"The release was written to {written.folder} and stands, but not its report: {why} "
            f"Write it with: indistinct report {written.folder}"
        ) from error
