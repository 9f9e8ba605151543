"""Keeping to the policies of an organisation, and recording every exception from them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from indistinct.core import InputError, did_you_mean, systems
from indistinct.core.doors import resolved
from indistinct.project import POLICY_RULES, Policy, Project, load_policy
from indistinct.protect import Plan, Step
from indistinct.release import AuditTrail, file_digest

__all__ = [
    "Exceptions",
    "Policies",
    "asked_doing",
    "kinds_in",
    "least_class",
    "policies_of",
    "undercut_by",
]


@dataclass(frozen=True)
class Exceptions:
    """The exceptions that a release makes use of: rule, policy, what was undercut, and why."""

    made: tuple[tuple[str, Policy, str, str], ...]
    audit: Path | None

    def record(self) -> None:
        """Add each to the audit trail of its policy, or of the project; nothing leaves before."""
        for rule, policy, said, reason in self.made:
            _trail(policy, self.audit).append(
                "policy exception",
                data={policy.path.name: file_digest(policy.path)},
                parameters={"rule": rule, "undercut": said, "reason": reason},
                verdict=rule,
            )

    def to_dict(self) -> list[dict[str, str]]:
        """Return them for the holder's ledger."""
        return [
            {"policy": str(policy.path), "rule": rule, "undercut": said, "reason": reason}
            for rule, policy, said, reason in self.made
        ]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the holder is told of them."""
        return tuple(
            f"an exception from the policy {policy.path.name} was made ({rule}): {said}"
            for rule, policy, said, _ in self.made
        )


@dataclass(frozen=True)
class Policies:
    """The policies that hold for a release, and the exceptions that are asked for."""

    policies: tuple[Policy, ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()
    audit: Path | None = None

    def registers(self, given: Sequence[Any]) -> tuple[Any, ...]:
        """Return the registers that are given, and those that the policies require besides."""
        if "registers" in dict(self.reasons):
            return tuple(given)
        there = {resolved(one) for one in given if isinstance(one, (str, Path))}
        wanted = [path for one in self.policies for path in one.settings.registers or ()]
        lacking = {resolved(path): path for path in wanted}
        return (*given, *(path for place, path in lacking.items() if place not in there))

    def heed(
        self,
        *,
        k: int | None,
        promises_k: bool | None,
        doing: Collection[str],
        accepts: bool,
    ) -> Exceptions:
        """Refuse what undercuts a policy without an exception; return those that are made."""
        account, reasons = systems.account(), dict(self.reasons)
        made, refused = [], []
        for policy in self.policies:
            found = [
                (one.rule, one.said)
                for one in policy.undercuts(
                    k=k, promises_k=promises_k, doing=doing, accepts=accepts, account=account
                )
            ]
            if "registers" in reasons and policy.settings.registers:
                names = ", ".join(one.name for one in policy.settings.registers)
                found.append(("registers", f"a release must be attacked with {names}."))
            for rule, said in found:
                if rule in reasons:
                    _trail(policy, self.audit).check_kind()
                    made.append((rule, policy, said, reasons[rule]))
                else:
                    refused.append(f"The policy {policy.path} is undercut ({rule}): {said}")
        if refused:
            raise InputError("\n".join(refused))
        return Exceptions(tuple(made), self.audit)


def policies_of(
    project: Project | None, policy: Sequence[str | Path] = (), exceptions: Sequence[str] = ()
) -> Policies:
    """Read the policies that are named, and those of a project; one that cannot be read blocks."""
    release = project.release if project is not None else None
    named = [*policy, *((release.policy or ()) if release is not None else ())]
    said = [*exceptions, *((release.exceptions or ()) if release is not None else ())]
    places = {resolved(path): path for path in named}
    reasons = tuple(_reason(one) for one in dict.fromkeys(said))
    if reasons and not places:
        raise InputError("There is no policy from which an exception could be made. Name it.")
    audit = release.audit if release is not None else None
    return Policies(tuple(load_policy(path) for path in places.values()), reasons, audit)


def undercut_by(project: Project, policy: Sequence[str | Path] = ()) -> list[str]:
    """Say what a project asks for that undercuts its policies, as far as it is known by now."""
    release = project.release
    policies = policies_of(project, policy)
    try:
        policies.heed(
            k=least_class(release),
            promises_k=None,
            doing=asked_doing(release.method, release.plan, project),
            accepts=bool(release.accept),
        )
    except InputError as error:
        return str(error).split("\n")
    return []


def least_class(asked: Any) -> int | None:
    """Return the smallest class that is asked for, by k or in Dalenius' way; None by neither."""
    k: int | None = asked.k
    return k if k is not None or asked.at_most is None else int(asked.at_most) + 1


def asked_doing(method: str | None, plan: Path | None, project: Project | None) -> set[str]:
    """Return the method and the kinds of steps that are asked for."""
    found = {method} if method is not None else set()
    if plan is not None:
        found |= kinds_in(Plan.load(plan))
    elif project is not None:
        found |= {str(step.get("kind")) for step in project.steps.values()}
    return found


def kinds_in(plan: Plan) -> set[str]:
    """Return the kinds of the steps of a plan, and of those within them.

    >>> from indistinct.protect import Deidentify
    >>> kinds_in(Plan((Deidentify(("name",)),)))
    {'deidentify'}
    """
    return set(_kinds(plan.steps))


def _kinds(steps: Sequence[Step]) -> Iterator[str]:
    for step in steps:
        yield step.kind
        inner: Any = step
        for one in fields(inner):
            value = getattr(step, one.name)
            within = value if isinstance(value, tuple) else (value,)
            yield from _kinds([each for each in within if isinstance(each, Step)])


def _reason(said: str) -> tuple[str, str]:
    rule, _, reason = (part.strip() for part in said.partition(":"))
    if rule not in POLICY_RULES:
        raise InputError(
            f"An exception names a rule of the policy and its reason, as 'least-k: agreed on "
            f"3 May'. Got {said[:40]!r}. {did_you_mean(rule, POLICY_RULES)}"
        )
    if not reason:
        raise InputError(
            f"The exception from {rule} needs its reason, as '{rule}: agreed on 3 May'."
        )
    return rule, reason


def _trail(policy: Policy, audit: Path | None) -> AuditTrail:
    place = policy.settings.audit or audit
    if place is None:
        raise InputError(
            f"An exception from {policy.path} must stand in an audit trail. Name one there under "
            "audit, or in [release] audit."
        )
    return AuditTrail(place)
