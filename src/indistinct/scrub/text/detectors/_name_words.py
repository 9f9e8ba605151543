"""Words by which the detectors of names tell where a name ends and what is none."""

from __future__ import annotations

from indistinct.knowledge import MONTHS, STATES, WEEKDAYS


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


PARTICLES = words(
    "van von der den de del della di da dos das du la le el al bin ibn ben bint ter ten zu zum "
    "y e af av san santa st"
)
# Articles that are joined to an Arabic surname: al-Janabi, el-Sayed, ash-Shami.
ARTICLES = words("al el ad an ar as ash at az ul")
SUFFIXES = words("jr sr ii iii iv junior")
CALENDAR = frozenset(MONTHS) | WEEKDAYS
# Short capitals that follow or precede names in records without being part of them.
LABELS = words(
    "dob mrn ssn npi id no tel ph phone fax email re cc hx dx rx tx pt pts er ed icu or hpi pmh "
    "bp hr rr ekg ecg mri ct cbc usa us uk er nos poc ptx vs pcp dnr dni nka nkda iv im po prn "
    "bid tid qid qd hs a p s o sms gi gu ent ob gyn obgyn va aka fka via per and or"
) | frozenset(state.lower() for state in STATES) - frozenset(("al", "de", "la", "me"))
# Labels that are also written with one capital.
WRITTEN_OUT = words(
    "tel ph phone fax email re cc no via per and or id aka dob mrn ssn npi hx dx rx tx pt pts "
    "us or in me ok hi oh id as"
)
# What people do in notes and letters, after their name.
PERSON_VERBS = words(
    "reports reported denies denied says said states stated complains complained presents "
    "presented came comes called calls asked asks told tells thinks thought feels felt wants "
    "wanted lives lived works worked noticed noted notes explained agreed agrees understands "
    "understood returns returned takes took stopped started visited brought tolerated remains "
    "became moved went goes got gets did does doesn't didn't isn't wasn't hasn't would could "
    "should may might must wrote writes mentioned recommended recommends suggested suggests "
    "advised referred saw sees needs needed likes liked loves loved knows knew wishes hopes "
    "describes described endorses endorsed admits admitted appears seems looks lost fell slept "
    "ate drinks drank smokes smoked managed joined helped helps sent gave gives made makes who "
    "whose died married recalls recalled requested requests attended attends continues arrived "
    "replied answered added insisted invited met sat stood ran sang played won kept left"
)
# What only people do: a common word before one of these is somebody's name.
PERSONAL_VERBS = words(
    "denies denied says said complains complained called asked told tells lives lived works "
    "worked wrote endorses endorsed agreed agrees understands understood insisted recalls "
    "recalled admits wants wanted thinks thought knows knew smokes smoked visited feels slept"
)
# Common words that are also names, and which follow *pt*, *dr* or *mother* in shorthand as words.
NOT_BORNE = words(
    "able an back bad best big blood board body born box call card center check child clear close "
    "comes cost court cover current daily day days do due else even eye fall fast felt few fine "
    "forward free friend given go good guess hair hand hard he head heard held her here high "
    "house husband in job just key large light line list little look low lower main many matter "
    "more morning my near new nice numbers officer oh ok old page pass people person place poor "
    "post rather re read ready real reason record red risk room said say see self service short "
    "shows six small so son soon staff stage standard states still straight to true via wait walk "
    "wall way weeks weight well white won word work works worth you young"
)
# Who people are to somebody, beside relatives.
ROLES = words(
    "dtr dau husb hsb bro sis gma gpa bf gf chaplain sitter cna mama papa mum nana grandmom "
    "granddad fiance fiancee fiancé fiancée husband-to-be ex-wife ex-husband ex-boyfriend "
    "ex-girlfriend half-brother half-sister mother-in-law father-in-law sister-in-law "
    "brother-in-law son-in-law daughter-in-law stepfather step-father step-mother step-son "
    "step-daughter godmother godfather godson goddaughter classmate housemate aide babysitter "
    "nanny sponsor buddy pal girl boy widow widower dog-walker assistant secretary interpreter "
    "therapist pharmacist dentist hairdresser pediatrician cardiologist surgeon psychiatrist "
    "midwife physician physiotherapist nurse social-worker mentor tutor student employee "
    "manager director client resident advisor lawyer attorney"
)
# What is named after people or places, or makes a title of the names before it.
INSTITUTIONS = words(
    "hospital clinic center centre university college school institute academy street st road "
    "rd avenue ave lane ln drive dr boulevard blvd court ct place pl way park square terrace "
    "circle highway hwy building tower hall house library museum church cathedral temple chapel "
    "memorial medical health healthcare foundation society association company co corp "
    "corporation inc llc ltd group bank hotel restaurant cafe store shop county city town "
    "township village district province state river lake creek mountain beach island valley "
    "hills heights harbor bay bridge airport station stadium theatre theater department "
    "division unit ward pharmacy laboratories labs disease syndrome sign test scale score "
    "catheter tube maneuver elementary high middle award prize act law team club league press "
    "news times post airlines motors partners brothers sons systems solutions services "
    "industries international orchestra band"
)
