"""Hospitals, clinics and practices: by head word, by a saint's name, by fame, by city and cue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import STATES, TITLES, cues
from indistinct.scrub.text.detectors._heads import (
    Headed,
    headed,
    heads_of,
    index,
    is_named,
    lower_headed,
    rarely_a_word,
)
from indistinct.scrub.text.detectors._places import (
    UPPER,
    before,
    followed,
    has,
    is_generic,
    is_person_context,
    is_region,
    matches,
    medical_use,
    names_something,
    runs,
)
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

# Practices and services that bear a name before what they do: Beacon *Family Medicine*.


CARE = re.compile(
    r"\b(?:(?:admitted|transferred|transported|referred|presented|brought|readmitted|rushed|"
    r"airlifted|taken) to|"
    r"(?:treated|seen|evaluated|admitted|followed|hospitali[sz]ed|assessed|observed|operated|"
    r"reviewed|diagnosed|cared for|delivered|examined|surgery|admission|appointment|visit|care|"
    r"treatment|consultation|presented|discussed|underwent \w{3,20}) at|discharged from)(?: the)? $"
)
# One word that is a specialty of any hospital, too.
_SPECIALTY = heads_of(
    """
    pediatrics paediatrics cardiology orthopedics orthopaedics dermatology obgyn ob/gyn ob-gyn
    oncology radiology urology neurology gastroenterology ophthalmology psychiatry dental dentistry
    physiotherapy chiropractic optometry surgery pharmacy nephrology gynecology anesthesiology
    rheumatology hematology endocrinology pathology podiatry dialysis health medical manor
    """
)
# Two words that mostly follow the name of a practice.
_SERVICE = heads_of(
    """
    medicine: family general internal penn sports;
    practice: dental family general group medical;
    therapy: occupational physical speech;
    health: behavioral home mental women's;
    dentistry: family pediatric;
    nursing: skilled visiting;
    associates group partners specialists physicians services laboratories labs: cardiology
        care dental dermatology eye gastroenterology health healthcare internal medical
        medicine neurology ob oncology orthopedic orthopedics pediatric pediatrics physicians
        psychiatric radiology surgical therapy urology women's
    """
)
# What is done with a service rather than who offers it: "Start Physical Therapy".
_ORDERS = frozenset(
    "add additional advise advised aggressive arrange arranged ask await awaiting begin book "
    "call cancel chief complete completed consider consult consulted contact continue "
    "continued continues current daily decline declined delay department dept director "
    "discontinue discuss discussed division early enroll ensure establish evaluate expedite "
    "finish formal further future head hold increase initiate initiated intensive involve "
    "messaged needs notified notify obtain offer ongoing order ordered page paged pending "
    "postpone prescribe prior professor pursue receive received receives recommend "
    "recommended recommending refer refuse refused regular request requested require required "
    "requires resume routine schedule scheduled section send sent start started stop stopped "
    "suggest try undergo underwent weekly".split()
)
_CUE = re.compile(
    r"\b(?:at|to|from|by|with|of|via|and)(?: the)? $|"
    r"(?:pharmacy|practice|clinic|facility|office|pcp|provider)(?::| is) $"
)


def practices(page: Page) -> Iterator[tuple[int, int, float, str]]:
    """Named practices: start, end, how certain, by which rule."""
    for heads, service in ((_SPECIALTY, False), (_SERVICE, True)):
        for found in headed(page, heads, after=False):
            if (
                not is_named(page, found)
                or found.words[0].lower() in _ORDERS
                or _goes_on(page, found)
                or medical_use(page, found.end)
            ):
                continue
            left = before(page, found.start, 40)
            end = _with_second(page, found)
            if CARE.search(left):
                yield found.start, end, 0.85, "practice after care"
                continue
            rare = rarely_a_word(page, found.words)
            line = page.text[max(0, found.start - 1) : found.start] in ("", "\n") and (
                page.text[end : end + 1] in ("", "\n")
            )
            cue = line or _CUE.search(left) is not None
            if service:
                value = (0.84 if cue else 0.76) if rare else (0.78 if cue else 0.66)
            elif rare:
                value = 0.8 if cue or not left else 0.66
            elif cue:
                value = 0.66
            else:
                continue
            kind = "service" if service else "practice"
            yield found.start, end, value, f"{kind}{', rare name' * rare}{' after cue' * cue}"


def _goes_on(page: Page, found: Headed) -> bool:
    """Whether the name has a further word that is no place: Kurtz Medical *Center*."""
    rest = page.text[found.end : runs(page)[found.number].end].split()
    return bool(rest) and (is_generic(rest[0]) or page.knowledge.place(rest[0]) is None)


def _with_second(page: Page, found: Headed) -> int:
    """The end with a second thing that is done there: "and Sports Medicine"."""
    all_runs = runs(page)
    if found.number + 1 < len(all_runs) and all_runs[found.number].end == found.end:
        second = all_runs[found.number + 1]
        gap = page.text[found.end : second.start]
        if gap in (" and ", " & ") and all(map(is_generic, second.words)):
            return second.end
    return found.end


_SURE = heads_of(
    """
    hospital hospitals infirmary hospice sanatorium sanitarium polyclinic healthcare vamc
    klinikum krankenhaus sairaala sjukhus ziekenhuis hôpital;
    center centre centers ctr cntr cntre: birth birthing burn cancer cardiovascular care
        children's clinical counseling diabetes diagnostic dialysis endoscopy eye fertility
        general health healthcare heart hospice hospital imaging kidney living med medical
        memorial nursing oncology orthopedic pain psychiatric recovery rehab rehabilitation
        sleep spine stroke surgery surgical transplant trauma treatment vascular veterans
        wellness women's;
    system systems network: health healthcare hospital medical;
    home homes: care convalescent group nursing rest retirement;
    institute: cancer eye heart medical neurological orthopedic psychiatric rehabilitation
        spine vascular
    """
)
_CLINIC = heads_of(
    """
    clinic clinics clinique klinik rehab;
    care: health home managed primary urgent;
    living: assisted senior;
    facility: care correctional living medical nursing rehabilitation
    """
)
_LOWER_WORDS = frozenset(
    "hospital hospitals clinic clinics infirmary hospice center centre ctr cntr home system "
    "care rehab".split()
)
_LOWER = re.compile(
    r"(?: (?:general|memorial|community|regional|children's|university|medical|family|health|"
    r"cancer|med|surgery|nursing|care|county|district|city|va|urgent|eye|heart|dental)){0,2} "
    r"(?:hospitals?|clinics?|infirmary|hospice|(?:medical|med|health|cancer|surgery|care|heart) "
    r"(?:center|centre|ctr|cntr)|nursing home|health system|urgent care|rehab)\b"
)
_UNARTICLED = re.compile(r"\b(?:at|to|from|in) $")
_CITY = re.compile(rf"(?: |, )([{UPPER}][\w'-]{{1,20}}(?: [{UPPER}][\w'-]{{1,20}}){{0,2}})")
_STATE = re.compile(r", (?:" + "|".join(STATES) + r")\b")
_FACILITIES = cues(
    "facility clinic office hospital practice location campus branch site center centre lab "
    "laboratory pharmacy headquarters plant warehouse store rehab hospice"
)
_FACILITY = re.compile(rf" {_FACILITIES.pattern}")
_SAINT = re.compile(
    rf"(?<!\w)(?:St\.?|Saint|Sta\.|Santa|Ste\.) [{UPPER}]\w{{2,14}}(?:'s|s')"
    rf"(?= ?[.,;:)?!\n]|$| (?:ER|ED|ICU)\b| (?!wort\b|fire\b|dance\b|day\b)[a-z])"
)
_POSSESSIVE = re.compile(
    rf"[ \n(](?:at|to|from|by) ([{UPPER}][\w-]{{3,18}}'s)(?= ?[.,;:)?!]| ?\n|$| (?:on|since|"
    rf"last|where|for (?:a|an|his|her|further))\b)"
)
_GENERAL_CUE = re.compile(r"(?<!\w)(?:at|to|from|by|of|@|the) $")
_VA = re.compile(r"\b(?:(?:the|at|to|from) )(VA|V\.A\.|VAMC|VHA)\b(?! (?:[a-z]*acuity|20/))")
_RANKS = frozenset(
    "attorney surgeon secretary director inspector solicitor governor adjutant major "
    "brigadier lieutenant in dr".split()
)
_WHISPERED = re.compile(
    r"\b(?:at|to|from|via|in) (?:the )?((?:[a-z'.-]{2,16} ){1,3}?(?:general |memorial |regional "
    r")?(?:hospital|medical center|med center|med ctr|clinic|infirmary|nursing home|hospice))\b"
)
# Known by these words alone. The second list needs a preposition before it.
_FAMOUS = (
    r"Cedars?[- ]Sinai|Mayo Clinic|Kaiser Permanente|New ?York[- ]Presbyterian|Johns Hopkins|"
    r"John Hopkins|"
    r"UCSF|UCLA|UCSD|NYU(?: Langone)?|MGH|BWH|UTMB|UTSW|UPenn|MD Anderson|"
    r"M\.D\. Anderson|(?:Memorial )?Sloan[- ]Kettering|M(?:oun)?t\.? Sinai|Mass General|"
    r"Massachusetts General|Dana[- ]Farber|Beth Israel(?: Deaconess)?|Brigham and "
    r"Women's|Brigham & Women's|"
    r"Barnes[- ]Jewish|Cleveland Clinic|Houston Methodist|UPMC|OHSU|BIDMC|MSKCC|Geisinger|Ochsner|"
    r"Montefiore|Penn Medicine|Intermountain|Great Ormond Street|Karolinska|Charité|Guy's and St "
    r"Thomas'?|"
    r"Northwell(?: Health)?|Sutter Health|Banner Health|Ascension(?: Health)?|Providence Health|"
    r"HCA Healthcare|"
    r"Children's National|Nationwide Children's|Boston Children's|Texas Children's|Seattle "
    r"Children's|"
    r"Lurie Children's|Rady Children's|Atrium Health|Advocate Health|Spectrum Health|Henry "
    r"Ford Health|"
    r"Hackensack Meridian|Lenox Hill|Walter Reed|Bellevue|Addenbrooke's|Royal Free|Royal Marsden|"
    r"Moorfields|Papworth|Planned Parenthood|Quest Diagnostics|LabCorp|Fresenius|DaVita|"
    r"Scripps Mercy|Stanford Health Care|Stanford Health"
)
_CUED_FAMOUS = (
    r"Mayo|Kaiser|UCLA|Stanford|Duke|Emory|Vanderbilt|Northwestern|Rush|Grady|Baylor|Mercy|"
    r"Jefferson|Tufts|Yale|"
    r"Brigham|Parkland|Scripps|Sutter|Lahey|NYU|UNC|UAB|USC|UPenn|Penn|Columbia|Cornell|Sinai|"
    r"Hopkins|MGH|BWH|UVA|"
    r"VCU|UCSD|UCI|UW|UT Southwestern|Methodist|Presbyterian|Memorial|Cook County|Harborview|"
    r"Cedars|Dartmouth|"
    r"Georgetown|Loyola|Temple|Drexel|Einstein|Maimonides|Swedish|Legacy|Providence|Beaumont|"
    r"Christus|HUP|JHH|(?<=at )CHOP"
)
_FAME_WORDS = frozenset(
    word.lower() for name in _FAMOUS.split("|") for word in re.findall(r"[A-Za-zé]{2,}", name)[:1]
) | frozenset("cedar cedars m mount mt new newyork memorial sloan".split())
_CUED_WORDS = frozenset(
    name.rpartition(")")[2].split()[0].lower() for name in _CUED_FAMOUS.split("|")
)
_PERSON_BEFORE = re.compile(rf"[{UPPER}]\w{{1,18}} $")
_TAILS = frozenset("at to he AT TO HE At To".split())  # of at, to and the
_OWNERS = frozenset("s")
_SAINTS = frozenset("st saint sta santa ste".split())
_GENERALS = frozenset(
    "general memorial methodist presbyterian baptist lutheran deaconess mercy regional va".split()
)
_FAME = re.compile(
    rf"(?<![\w-])(?:{_FAMOUS})(?: (?:Presbyterian|General|Memorial|Mercy|Children's))?(?![\w-])"
)
_CUED_FAME = re.compile(rf"(?:{_CUED_FAMOUS})(?:'s)?(?![\w-]| [{UPPER}][a-z])")
_FAME_CUE = re.compile(r"(?<!\w)(?:at|to|from|by|via|@|with|of) (?:the )?$")
_VETERANS = frozenset("va v vamc vha".split())


def detect(page: Page) -> Iterator[Span]:
    """Hospitals and other places of care."""
    for heads, certainty, rule in ((_SURE, 0.93, "hospital"), (_CLINIC, 0.86, "clinic")):
        for found in headed(page, heads):
            if (
                is_named(page, found)
                and not _only_eponym(page, found)
                and not medical_use(page, found.end)
            ):
                end = _with_city(page, found.end)
                yield _span(found.start, end, certainty, rule + " and city" * (end > found.end))
            elif (
                found.head.startswith("hospital")
                and found.words
                and _UNARTICLED.search(before(page, found.start))
            ):
                yield _span(found.start, _with_city(page, found.end), 0.74, "general after cue")
            elif (
                found.head.startswith("hospital") and found.words and found.words[0] == "Children's"
            ):
                yield _span(found.start, found.end, 0.75, "children's")
    for start, end, certainty, rule in practices(page):
        yield _span(start, _with_city(page, end), certainty, rule)
    yield from _cared_for_at(page)
    yield from _lower_heads(page)
    text = page.text
    for match in matches(page, _SAINTS, _SAINT):
        left = before(page, match.start())
        cue = left.endswith((" at ", " to ", " from ", " by ", "@ ", " of "))
        person = not cue and (
            is_person_context(left)
            or _PERSON_BEFORE.search(text[max(0, match.start() - 20) : match.start()])
        )
        if not person and not medical_use(page, match.end()):
            yield _span(*match.span(), 0.88 if cue else 0.74, f"saint{' after cue' * cue}")
    for match in _POSSESSIVE.finditer(text) if has(page, _OWNERS) else ():
        if page.knowledge.word(match.group(1)[:-2]).zipf < 4.6:
            yield _span(*match.span(1), 0.74, "possessive")
    yield from _generals(page)
    for match in matches(page, _FAME_WORDS, _FAME):
        if not medical_use(page, match.end()):
            yield _span(match.start(), _with_city(page, match.end()), 0.9, "famous")
    for match in matches(page, _CUED_WORDS, _CUED_FAME):
        left = text[max(0, match.start() - 10) : match.start()]
        if _FAME_CUE.search(left) and not medical_use(page, match.end()):
            yield _span(*match.span(), 0.86, "famous after cue")
    for match in _VA.finditer(text) if has(page, _VETERANS) else ():
        yield _span(*match.span(1), 0.72, "veterans")
    if page.whispering:
        for match in _WHISPERED.finditer(text):
            words = match.group(1).split()
            if rarely_a_word(page, [word for word in words[:-1] if not is_generic(word)][:1]):
                yield _span(*match.span(1), 0.78, "lower case")


def _span(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.HOSPITAL, certainty, "hospitals", rule)


def _only_eponym(page: Page, found: Headed) -> bool:
    """Whether the one word that names is a disease's: the Parkinson Clinic."""
    names = [word for word in found.words if not is_generic(word)]
    bare = names[0].lower().removesuffix("'s") if len(names) == 1 else ""
    return (
        found.head.startswith("clinic")
        and not _UNARTICLED.search(before(page, found.start))
        and bool(bare)
        and page.knowledge.is_eponym(bare)
        and not page.knowledge.place(bare)
    )


def _with_city(page: Page, stop: int) -> int:
    """The end with the city that follows: "Los Angeles" or ", Detroit, MI"."""
    match = _CITY.match(page.text, stop)
    if not match:
        return stop
    words = match.group(1).split()
    if is_generic(words[0]):
        return stop
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        at = page.knowledge.place(name)
        if at and (at.population > 5_000 or count > 1) and page.knowledge.word(name).zipf < 5.4:
            end = match.start(1) + len(name)
            state = _STATE.match(page.text, end)
            return state.end() if state else end
    return stop


def _generals(page: Page) -> Iterator[Span]:
    """A name and General, Memorial or the like, without the word hospital: at Chicago General."""
    where, all_runs = index(page), runs(page)
    for word in _GENERALS & where.keys():
        for number, place in where[word]:
            run = all_runs[number]
            first = max(run.first, place - 3)
            if first < place == len(run.words) - 1 and run.lower[place - 1] not in _RANKS:
                start = run.starts[first]
                cue = _GENERAL_CUE.search(before(page, start, 8))
                if cue and names_something(page, run.words[first:place]):
                    yield _span(start, run.end, 0.84, "general")


def _cared_for_at(page: Page) -> Iterator[Span]:
    """Whatever name stands where care was given: admitted to Fairhope, treated at Larkspur."""
    text = page.text
    for run in runs(page):
        first = run.first
        if first == len(run.words) or len(run.words) - first > 5:
            continue
        start = run.starts[first]
        if text[start - 3 : start - 1] not in _TAILS:
            continue
        left = before(page, start, 40)
        if left.endswith((" at ", " to ", " the ")) and CARE.search(left):
            words = run.words[first:]
            bare = run.lower[-1].removesuffix("'s")
            if (
                names_something(page, words)
                and rarely_a_word(page, words)
                and not (page.knowledge.is_eponym(bare) and medical_use(page, run.end))
                and run.lower[first].rstrip(".") not in TITLES
            ):
                yield _span(start, run.end, 0.8, "place of care")


def _lower_heads(page: Page) -> Iterator[Span]:
    """A name and a head in lower case; a city and any facility."""
    for run, first, match in lower_headed(page, _LOWER_WORDS, _LOWER):
        words = run.words[first:]
        if is_person_context(before(page, run.starts[first])):
            continue
        eponyms = all(page.knowledge.is_eponym(word.lower().removesuffix("'s")) for word in words)
        if names_something(page, words) and rarely_a_word(page, words) and not eponyms:
            yield _span(run.starts[first], match.end(), 0.84, "head in lower case")
    text = page.text
    for run in followed(page) if has(page, _FACILITIES.words) else ():
        facility = _FACILITY.match(text, run.end)
        if not facility:
            continue
        first = run.first
        name = " ".join(run.words[first:])
        at = page.knowledge.place(name)
        if name and (is_region(page, name) or (at and (at.population > 20_000 or " " in name))):
            yield _span(run.starts[first], facility.end(), 0.82, "city and facility")
