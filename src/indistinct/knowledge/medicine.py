"""Words of medicine: drugs, diseases, findings, and the people after whom they are named.

The lists beside this module (`data/drugs.txt`, `terms.txt`, `shorthand.txt`, `eponyms.txt`) were
written for this package. A line of two words in `eponyms.txt` is a pair that stands together; a
line of capitals in `shorthand.txt` is shorthand in capitals only, else a name or an everyday word.
`data/endings.txt` holds the endings by which such words are formed: illnesses, operations, and
the stems of the International Nonproprietary Names of drugs. `data/unmedical.txt`, made by
`tools/knowledge.py`, holds the names, places and everyday words with such an ending.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Any, Protocol

from indistinct.knowledge.cues import STATES, TITLES
from indistinct.knowledge.lexicon import plain

_LEAST = 7  # letters; shorter words that end like a term of medicine are in the lists


def listed(name: str) -> frozenset[str]:
    """The lines of one of the package's lists of words."""
    file = resources.files(__package__) / "data" / f"{name}.txt"
    return frozenset(file.read_text(encoding="utf-8").split("\n")) - {""}


def ends_medically(word: str) -> bool:
    """Whether a word in plain lower case is formed like a term of medicine."""
    return len(word) >= _LEAST and word.endswith(_endings())


class Medicine:
    """Whether a word belongs to medicine, alone.

    A term may still be somebody's name (Mr. Colon): what stands around it decides.

    >>> medicine = Medicine()
    >>> [w for w in ("Insulin", "Lisinopril", "COPD", "Zolmonitis", "Townsend", "Oklahoma")
    ...  if medicine.is_medical(w)]
    ['Insulin', 'Lisinopril', 'COPD', 'Zolmonitis']
    >>> [w for w in ("Hodgkin", "Crohns", "Foley", "Townsend") if medicine.is_eponym(w)]
    ['Hodgkin', 'Crohns', 'Foley']
    """

    def is_medical(self, word: str) -> bool:
        """Whether the word is a drug, disease, procedure, shorthand or other term of medicine.

        Shorthand counts as it is written: CHF and chf, not Chf; NASH, not nash.
        """
        return _is_medical(word)

    def is_drug(self, word: str) -> bool:
        """Whether the word is in the list of drugs, generic names and brands."""
        return plain(word) in _drugs()

    def is_eponym(self, word: str) -> bool:
        """Whether a disease, sign, device or test bears this person's name (s or 's allowed)."""
        return _eponym(word) is not None


@lru_cache(maxsize=1)
def _endings() -> tuple[str, ...]:
    return tuple(sorted(listed("endings")))


@lru_cache(maxsize=1)
def _drugs() -> frozenset[str]:
    return listed("drugs")


@lru_cache(maxsize=1)
def _terms() -> frozenset[str]:
    return listed("terms") | listed("drugs")


@lru_cache(maxsize=1)
def _shorthand() -> frozenset[str]:
    # Two capitals that are also a state are no evidence of medicine.
    return listed("shorthand") - {form for state in STATES for form in (state, state.lower())}


@lru_cache(maxsize=1)
def _unmedical() -> frozenset[str]:
    return listed("unmedical")


@lru_cache(maxsize=1)
def _eponyms() -> frozenset[str]:
    return listed("eponyms")


@lru_cache(maxsize=65536)
def _is_medical(word: str) -> bool:
    lower = plain(word)
    if lower in _terms():
        return True
    if word in _shorthand() or (word.isupper() and lower in _shorthand()):
        return True
    return ends_medically(lower) and lower not in _unmedical()


@lru_cache(maxsize=65536)
def _eponym(word: str) -> str | None:
    """The eponym that a word is a form of, in plain lower case."""
    lower = plain(word)
    for form in (lower, lower.removesuffix("'s"), lower.removesuffix("s"), lower.rstrip("'")):
        if form in _eponyms():
            return form
    return None


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What is named after people: an eponym before one of these is a term of medicine.
HEADS = _words(
    "+ agglutinin amnesia anastomosis anemia angina anomaly aphasia apophysitis approach arch area "
    "arteritis arthritis arthropathy ataxia bandage block bodies body boot breathing bypass "
    "calculator canal carcinoma cardiomyopathy cath catheter catheters cells chorea cirrhosis "
    "clamp classification collar contraction contractions contracture contractures corpuscle "
    "crises crisis criteria cyst cysts deformity dementia disease diseases dislocation "
    "diverticula diverticulum dressing drain drains duct dystrophy dz effect effusion "
    "encephalopathy ext extension extensions lateralizes midline "
    "epilepsy equation esophagus exercises fascia fever flap forceps formula fracture fractures "
    "fundoplication gangrene ganglion gastrectomy gland glands glomerulosclerosis grade graft "
    "granulomatosis hernia incision index inventory kyphosis lesion lesions level levels ligament "
    "line lines loop lymphoma lymphomas macroglobulinemia malformation maneuver maneuvers "
    "manoeuvre membrane "
    "metatarsalgia migraine monitor murmur myopathy nephritis neuralgia neuroma neuropathy node "
    "nodes nodosities nodule nodules nystagmus oesophagus operation opacities osteodystrophy "
    "palsy paralysis phenomena phenomenon pin pins plaques point position pouch procedure "
    "psychosis pulse pump pupil pupils purpura questionnaire reflex reflexes repair resection "
    "respiration respirations retractor ring rings rod rods sarcoma scale score scores screw "
    "seizure seizures shunt sign signs solution speculum splint spot spots stain staining "
    "stained suction sulcus swab syndrome syndromes technique tetralogy thermometer thyroiditis "
    "traction tremor tremors triad tube tubes tubercle tumor tumors tumour ulcer ulcers "
    "vasculitis virus wire"
)
# After names that many people bear, only these count: Wilson's seizures are a patient's.
_SURE_HEADS = _words(
    "+ anastomosis classification contracture contractures criteria cyst cysts disease diseases "
    "drain drains dz esophagus exercises fracture fractures index level levels ligament "
    "lymphoma maneuver manoeuvre "
    "palsy phenomenon procedure pupil pupils rod rods scale sign signs splint stain syndrome "
    "syndromes technique tetralogy thyroiditis tremor virus"
)
# After names that few people bear, these count as well.
_WEAK_HEADS = _words(
    "abnormal absent bag bilateral bilaterally care changed chart class clinic colitis "
    "deferred diagnosis discontinued downgoing draining equivocal exacerbation features flare "
    "flares flow frame gait ileitis indwelling inserted intact like management medication "
    "medications meds needle neg negative normal nurse onset out patent patient patients placed "
    "plus pos positive present pulled relapse remission removed results rigidity scan sensation "
    "signals specialist spectrum stage staging studies study symptoms test testing tests therapy "
    "treatment type ultrasound unit units upgoing variant"
)
# Words that come before an illness, a sign or a device, and not before a person.
_BEFORE = _words(
    "a absent active acute advanced an anti atypical bilateral chronic denies developed "
    "diagnosed early familial fh french h had has have having history hx idiopathic indwelling "
    "juvenile known late lateral left mild moderate modified negative new no non o of positive "
    "possible post present probable quiescent recurrent refractory relapsed reverse right severe "
    "stage suprapubic suspected the underlying using via without"
)
# Signs, tests and devices that stand alone under their inventor's name.
_THINGS = _words(
    "apgar babinski bair barthel bayley bovie braden breslow broviac brudzinski chvostek coombs "
    "dobhoff doppler epley epworth finkelstein foley gleason gram groshong hallpike heimlich "
    "hickman holter homans ilizarov karnofsky kegel kernig kussmaul lachman lasegue lhermitte "
    "mallampati mantoux mcmurray mohs nissen papanicolaou pavlik phalen ponseti quinton rankin "
    "rinne romberg rorschach rovsing sengstaken shiley snellen spurling tenckhoff tinel "
    "trendelenburg trousseau valsalva weber wechsler wernicke yankauer"
)
# What is said to be somebody's: pouch of Douglas, circle of Willis.
_PARTS = _words(
    "ampulla angle aqueduct artery bundle canal circle crypts duct fascia fissure foramen fossa "
    "islets ligament loop node nodes organ pouch sac space sphincter tetralogy triangle tunnel "
    "valve valves zonule"
)
# Towns, too, have given their names to scales: Glasgow Coma Scale, Framingham risk score.
TOWNS = _words(
    "bethesda boston bristol cincinnati denver edinburgh epworth framingham geneva glasgow "
    "heidelberg lille liverpool manchester minnesota montreal ottawa oswestry rome stanford "
    "toronto vancouver yale"
)
_MEASURES = _words(
    "assessment checklist classification criteria index inventory questionnaire rule rules scale "
    "score scores screening test"
)
_GRADES = _words("i ii iii iv v type stage grade class 1 2 3 4 5")
# Other titles are words as well without their capital.
_PLAIN_TITLES = _words("mr mrs ms dr prof rev drs messrs mme mlle")
_PATIENTS = _words("pt patient dear hi hello")
_COMMON = 15.0  # people per 100,000 from which a surname is met on any ward
_LONGEST = 4  # eponyms joined on one side, as in Legg-Calve-Perthes


class Tokens(Protocol):
    """A text divided into words, as Scrub's page is."""

    @property
    def tokens(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def lower(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def knowledge(self) -> Any: ...  # noqa: D102


def eponym_use(page: Tokens, i: int) -> bool:
    """Whether token `i`, an eponym, stands for the illness, sign or device and not for a person.

    A title, a first name or an initial before it speaks for a person. What it names (Bell's
    *palsy*), its state (Romberg *negative*), a fixed pair (Swan-Ganz) or, for names that few
    people bear, what it is said of (*history of* Crohn's) speaks for medicine. Towns count
    before a scale (Glasgow *Coma Scale*).

    >>> from indistinct.scrub.text.page import read
    >>> page = read("Mrs. Hodgkins has Hodgkin's disease. Dr. Bell saw the Bell's palsy.")
    >>> [eponym_use(page, i) for i, t in enumerate(page.tokens) if page.knowledge.is_eponym(t)]
    [False, True, False, True]
    """
    word = _eponym(page.tokens[i])
    if word is None:
        return page.lower[i] in TOWNS and not _MEASURES.isdisjoint(page.lower[i + 1 : i + 4])
    first, last, paired = _chain(page.lower, i)
    if _person_before(page, first, paired=paired):
        return False
    if paired:
        return True
    after, owned = _after(page.lower, last)
    follows = page.lower[after] if after < len(page.lower) else ""
    borne = page.knowledge.word
    common = max(borne(word).surname, borne(page.tokens[i]).surname) >= _COMMON
    if follows in (_SURE_HEADS if common and owned else HEADS):
        return True
    if page.lower[max(first - 2, 0) : first][-1:] == ["of"] and page.lower[first - 2] in _PARTS:
        return True
    before = page.lower[first - 1] if first else ""
    medical = page.knowledge.is_medical
    about = follows in _WEAK_HEADS or before in _BEFORE or medical(before) or medical(follows)
    if common:
        return word in _THINGS and (about or follows in ("in", "to", "w"))
    if not owned and _surname(page, after):
        return False
    # *Parkinson's* at the end of a clause: a person's possessive has something to own.
    return about or word in _THINGS or (owned and not follows.isalpha())


def _chain(lower: Sequence[str], i: int) -> tuple[int, int, bool]:
    """First and last token of the eponyms joined around token `i`, and whether two are a pair."""
    first = last = i
    paired = False
    for _ in range(_LONGEST):
        near, pair = _joined(lower, first, -1)
        if near == first:
            break
        first, paired = near, paired or pair
    for _ in range(_LONGEST):
        near, pair = _joined(lower, last, 1)
        if near == last:
            break
        last, paired = near, paired or pair
    return first, last, paired


def _joined(lower: Sequence[str], i: int, step: int) -> tuple[int, bool]:
    """The eponym joined to that at `i` (or `i` itself), and whether both are a known pair."""
    near = i + step
    mark = 0 <= near < len(lower) and lower[near] in ("-", "/", "and", "&")
    if mark:
        near += step
    if not 0 <= near < len(lower):
        return i, False
    one, two = (_eponym(lower[place]) or lower[place] for place in sorted((i, near)))
    if f"{one} {two}" in _eponyms():
        return near, True
    return (near if mark and _eponym(lower[near]) else i), False


def _after(lower: Sequence[str], last: int) -> tuple[int, bool]:
    """Number of the token after an eponym and its possessive, and whether it had one."""
    after = last + 1
    owned = lower[last] not in _eponyms()
    if after < len(lower) and lower[after] == "'":
        owned = True
        after += 2 if lower[after + 1 : after + 2] == ["s"] else 1
    if after < len(lower) and lower[after] == "-":
        after += 1
    if after + 1 < len(lower) and lower[after] in _GRADES and lower[after + 1] in HEADS:
        after += 1
    return after, owned


def _person_before(page: Tokens, first: int, *, paired: bool) -> bool:
    """Whether what stands before makes it somebody's name: a title, a first name, an initial."""
    near = first - 1
    if near > 0 and page.tokens[near] == ".":
        near -= 1
        initial = len(page.tokens[near]) == 1 and page.tokens[near].isupper()
        return initial or page.lower[near] in _PLAIN_TITLES
    if near < 0:
        return False
    token, lower = page.tokens[near], page.lower[near]
    if lower in _PATIENTS or lower in _PLAIN_TITLES or (token[0].isupper() and lower in TITLES):
        return not paired or lower in _PLAIN_TITLES
    if paired or not token[0].isupper():
        return False
    known = page.knowledge.word(token)
    return known.first >= 1 and known.zipf < 5.5 and not page.knowledge.is_medical(token)


def _surname(page: Tokens, i: int) -> bool:
    """Whether token `i` is a capitalised surname (*Foley Smith*)."""
    if i >= len(page.tokens) or not page.tokens[i].istitle():
        return False
    known = page.knowledge.word(page.tokens[i])
    return bool(known.surname >= _COMMON and known.zipf < 5)
