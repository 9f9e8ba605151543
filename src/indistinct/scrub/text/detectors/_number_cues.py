"""Words that say what the number after them is, and how far each is to be believed."""

from __future__ import annotations


def words(listed: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(listed.split())


_FAMILIES = {
    "record": (
        "mrn mrns medrec record records chart unit hospital ch case cases accession specimen "
        "encounter visit csn har fin claim prescription rx script patient pt pid study subject "
        "episode admission referral requisition sample biopsy slide pathology file emr ehr ur "
        "uhid ipd opd dossier patientennummer akte aktenzeichen fallnummer historia expediente "
        "cartella urn ref reference ticket incident registry enrolment enrollment authorization "
        "authorisation auth precertification medrecord mr hn hosp job doc document "
        "dictation participant donor client complaint"
    ),
    "insurance": (
        "policy plan member membership insurance insurer insured subscriber beneficiary hicn mbi "
        "medicare medicaid group payer payor coverage hmo ppo krankenkasse versicherung "
        "versicherungsnummer mutuelle poliza póliza seguro hin hpid tricare bcbs aetna cigna "
        "humana grp bin pcn kaiser unitedhealthcare champus"
    ),
    "licence": (
        "license licence lic licenses npi dea upin badge employee emp staff personnel provider "
        "clinician physician passport passeport pasaporte reisepass visa credential certificate "
        "gmc nmc ahpra permit dl student faculty"
    ),
    "identity": (
        "soc ssn ss social nhs sin nino nin nid ein tin itin tax aadhaar aadhar pan cpf rfc curp "
        "dni nie nif national identity security citizen bsn ahv avs fiscale steuernummer rut pesel "
        "sozialversicherungsnummer personnummer cnp"
    ),
    "account": (
        "account accounts acct acc card cards iban bank routing aba swift bic order orders "
        "transaction txn confirmation booking reservation pickup tracking shipment parcel invoice "
        "receipt bill payment wallet bitcoin btc ethereum cvv cvc pin konto kontonummer cuenta "
        "compte conto tarjeta carte karte mastercard amex sort mc debit credit checking savings "
        "voucher coupon redemption verification waybill package delivery trip flight seat product "
        "contract loan"
    ),
    "device": (
        "serial sn imei imsi udi device implant pacemaker defibrillator generator prosthesis mac "
        "ip uuid guid fingerprint biometric token key apikey secret hash lot esn meid iccid "
        "barcode session cookie password passcode"
    ),
    "vehicle": "vin plate plates vehicle car chassis registration reg tag",
    "phone": "phone phones tel telephone cell cellphone mobile mob pager beeper fax ph whatsapp",
    "birth": "dob birth born birthdate birthday",
    # Codes that name a thing everybody has in common: they stay.
    "public": (
        "cpt icd icdo snomed loinc ndc rxcui rxnorm pmid pmcid doi isbn issn hcpcs drg version "
        "page pages chapter nct atc cas gene accession_version trial level score grade stage "
        "room bed floor zip protocol edition volume vol"
    ),
}
CUES: dict[str, str] = {
    word: family for family, words in _FAMILIES.items() for word in words.split()
}
# After these nearly anything with a digit in it is what they say.
STRONG = words(
    "mrn mrns medrec csn hicn mbi npi dea upin ssn nino nhs vin imei imsi iban passport aadhaar "
    "aadhar cpf curp dni pesel ein itin uhid serial"
)
# Ordinary words too: a number after them needs more to be believed.
VAGUE = words(
    "mr hosp job doc document dictation grp bin pcn soc "
    "unit case cases visit order orders patient pt study subject group plan key product trip "
    "flight seat car tag hospital file ss sin tin pin pan acc ch fin har emp staff provider "
    "physician security national card cards social employee student device generator implant "
    "pacemaker admission sample tax bill lot ref reference hmo ppo medicare medicaid insurance "
    "record records rx emr episode slide biopsy referral bank account savings credit debit sort "
    "verification mc dl hash package delivery payment ip mac ur registration reg vehicle contract "
    "loan faculty citizen conto carte compte token session coverage script donor "
    "confirmation checking incident participant client complaint pathology "
    "authorization visa permit kaiser "
)
# A bare number of four digits after these is what they say.
EXACT = words("badge license licence plate acct hicn")
NUMBERING = words(
    "number numbers num nr no nos # id ids identifier identification code codes nummer numero "
    "número numéro nº n° idnumber"
)
FILLERS = words(
    "is was are were the a of his her their its my your with under as and or following listed "
    "assigned new old current value * / - ( [ { \" ' , & > | for to last four digits ending in "
    "ends from on s"
)
ABBREVIATIONS = words("no nos nr num lic acct tel ph ext pol ref reg med mr s")
# What hides the digits of a number.
MASKS = ("**", "xx", "••", "##")
# Units, and things that are counted.
UNITS = words(
    "% ° percent g cg mg mcg ug ng pg kg lb lbs oz l cl dl ml kl µl μl ul m cm dm mm km µm μm um "
    "cc meq mmol mol iu miu kiu unit units u hz cal kcal kpa mmhg bpm f c fr gauge ga ft in inch "
    "inches feet mi miles yuan copies cells x k day days week weeks wk wks month months mo mos "
    "year years yr yrs hour hours hr hrs min mins minute minutes sec secs second seconds times tab "
    "tabs tablet tablets cap caps capsule capsules pill pills puff puffs drop drops dose doses "
    "steps people patients participants subjects cases dollars usd eur euro euros rmb pounds "
    "point points pack microgram micrograms milligram milligrams million thousand billion per "
    "platelets words followers views meter meters metre metres mw kw gb mb rpm watt watts"
)
