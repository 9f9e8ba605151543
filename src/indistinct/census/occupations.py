"""The taxonomy of occupations: 90 occupations under 9 one-digit groups.

Made up after the manner of ISCO. Beside each title stand how common the occupation is within
its group, the share of women in per cent, and the industry sections it is mostly found in.

The taxonomy of industries: 110 divisions under 23 sections under 10 broad groups.

Made up after the manner of NACE. A section's letter is used by `occupations` to say where an
occupation is found. Division codes are ten times the section's number plus a digit.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "BROAD_OF_SECTION",
    "INDUSTRIES",
    "OCCUPATIONS",
    "OCCUPATION_GROUPS",
    "SECTIONS",
    "SECTION_LETTERS",
    "Occupation",
]


@dataclass(frozen=True)
class Occupation:
    """One occupation: its code's first digit is its group."""

    code: int
    title: str
    weight: float
    women: float
    sections: str


_TEXT = """
Managers
Chief executives and senior officials|5|25|CDEGIOQS
Finance and personnel managers|12|48|EIOQRS
Sales and marketing managers|14|38|IJMNO
Production managers|13|15|CDEF
Construction managers|8|7|G
Transport and supply managers|8|18|IK
Hotel and restaurant managers|9|50|L
Shop managers|16|52|HJ
Health and care managers|7|72|U
Farm and estate managers|4|22|AP
Professionals
Engineers|14|13|EFGQ
Software developers|15|18|NOQ
Doctors and dentists|7|48|U
Nurses and midwives|17|89|U
Secondary and vocational teachers|14|60|T
Primary and nursery teachers|15|86|T
University teachers and researchers|6|44|TQ
Lawyers and judges|5|50|QS
Accountants and analysts|11|46|OQ
Writers artists and clergy|7|50|MVW
Technicians and associate professionals
Engineering technicians|16|14|CDEFQ
IT support technicians|11|18|NTQ
Laboratory technicians|6|62|DQU
Medical and therapy technicians|10|80|U
Insurance and finance associates|13|50|O
Sales representatives|16|30|IEN
Estate and travel agents|6|55|PR
Police and customs officers|8|28|S
Social work associates|9|78|UW
Sports and culture associates|5|46|VMT
Clerical support workers
General office clerks|24|78|QRSTU
Secretaries|15|95|QSTU
Accounts and payroll clerks|15|78|IOQ
Bank counter clerks|7|68|O
Stock and transport clerks|12|32|KIE
Postal workers|7|34|K
Receptionists|9|88|LQU
Call centre clerks|7|62|NOR
Library and filing clerks|3|74|TV
Public service clerks|8|66|S
Service and sales workers
Shop assistants|25|70|J
Cashiers|9|80|JL
Cooks|9|44|LU
Waiters and bartenders|11|60|L
Hairdressers and beauticians|6|88|W
Care assistants|17|86|U
Child carers|9|95|TUW
Security guards|6|16|RS
Fire and prison officers|3|14|S
Market and door-to-door sellers|3|48|JI
Skilled agricultural workers
Crop growers|24|24|A
Gardeners|22|18|AR
Dairy and livestock farmers|22|26|A
Mixed farmers|14|24|A
Poultry farmers|3|34|A
Forestry workers|6|4|A
Fish farmers|2|10|A
Sea fishers|4|3|A
Beekeepers and other breeders|1|36|A
Vineyard and orchard growers|3|30|AC
Craft and related trades workers
Bricklayers and masons|10|1|G
Carpenters and joiners|11|1|GD
Electricians|13|2|GFE
Plumbers|9|1|G
Painters and decorators|7|4|G
Welders and metal workers|13|3|EG
Machinery mechanics|12|2|EHK
Vehicle mechanics|12|1|H
Printers and precision workers|5|22|DEM
Bakers butchers and tailors|9|38|CJ
Plant and machine operators
Lorry drivers|20|2|KIG
Bus and tram drivers|9|11|K
Car taxi and van drivers|15|6|KJ
Forklift and crane operators|9|4|KIG
Food machine operators|11|38|C
Textile machine operators|5|66|C
Chemical and plastics operators|9|22|D
Metal machine operators|10|10|E
Assemblers|10|34|E
Train crews and mining operators|4|7|KB
Elementary occupations
Cleaners in offices and hotels|25|78|RLTU
Domestic cleaners|7|96|W
Kitchen helpers|10|62|LTU
Building labourers|11|2|G
Factory labourers|14|34|CDE
Farm labourers|6|28|A
Warehouse labourers|14|24|KI
Refuse collectors|3|5|F
Street sellers and messengers|4|20|JK
Caretakers and attendants|6|30|PTV
"""

OCCUPATION_GROUPS: dict[int, str] = {}
"""Group (1-9) and title."""

OCCUPATIONS: dict[int, Occupation] = {}
"""Occupation by code (10-99); ``code // 10`` is the group."""

for _line in _TEXT.strip().splitlines():
    if "|" not in _line:
        OCCUPATION_GROUPS[len(OCCUPATION_GROUPS) + 1] = _line
        continue
    _title, _weight, _women, _sections = _line.split("|")
    _code = 10 + len(OCCUPATIONS)
    OCCUPATIONS[_code] = Occupation(_code, _title, float(_weight), int(_women) / 100, _sections)


# The taxonomy of industries ----------------------------------------------------------------------


_INDUSTRIES_TEXT = """
A|Agriculture and mining|Agriculture and fishing
Growing of crops; Raising of livestock; Mixed farming; Forestry; Fishing and aquaculture
B|Agriculture and mining|Mining and quarrying
Quarrying of stone and sand; Mining of ores; Extraction of oil and gas
C|Manufacturing|Food and textile manufacturing
Meat and fish products; Bakery and dairy products; Other food products; Beverages; Textiles; Clothing and leather
D|Manufacturing|Materials manufacturing
Wood products; Paper; Printing; Chemicals; Pharmaceuticals; Rubber and plastics; Glass and ceramics
E|Manufacturing|Metal and machinery manufacturing
Basic metals; Metal products; Electronics; Electrical equipment; Machinery; Vehicles; Furniture and other goods
F|Utilities and construction|Energy and water
Electricity; Gas and heat; Water supply; Waste collection and recycling
G|Utilities and construction|Construction
House building; Civil engineering; Electrical and plumbing installation; Building completion; Roofing and special works
H|Trade|Vehicle trade and repair
Sale of vehicles; Repair of vehicles; Sale of vehicle parts
I|Trade|Wholesale trade
Wholesale of food; Wholesale of household goods; Wholesale of machinery; Wholesale of materials; General wholesale
J|Trade|Retail trade
Supermarkets; Food shops; Clothing shops; Household goods shops; Pharmacies; Online and market retail
K|Transport|Transport and storage
Rail transport; Road passenger transport; Road freight; Water transport; Air transport; Warehousing; Post and couriers
L|Hospitality|Accommodation and food service
Hotels; Holiday parks and camping; Restaurants; Catering; Bars
M|Information and finance|Media and publishing
Book and press publishing; Film and sound; Broadcasting; Advertising
N|Information and finance|Information technology and telecommunications
Software; Computer services; Telecommunications; Data and web portals
O|Information and finance|Finance and insurance
Banking; Insurance; Pension funding; Financial brokerage
P|Business services|Real estate
Housing associations; Letting of property; Estate agencies
Q|Business services|Professional and scientific services
Legal services; Accounting; Management consultancy; Architecture; Engineering and testing; Research; Veterinary and other
R|Business services|Administrative and support services
Rental and leasing; Employment agencies; Travel agencies; Security; Cleaning and landscaping
S|Public services|Public administration and defence
Central government; Local government; Defence; Justice and public order
T|Public services|Education
Nursery and primary schools; Secondary schools; Vocational schools; Universities; Adult and other education
U|Public services|Health and social care
Hospitals; Medical and dental practices; Care homes; Home care; Child day care
V|Other services|Arts and recreation
Performing arts; Museums and libraries; Sport and leisure
W|Other services|Personal and household services
Hairdressing and beauty; Associations and churches; Households as employers
"""  # noqa: E501

SECTIONS: dict[int, str] = {}
"""Section number (1-23) and title."""

SECTION_LETTERS: dict[str, int] = {}
"""Section letter (A-W) and number."""

BROAD_OF_SECTION: dict[int, str] = {}
"""Section number and title of its broad group (10 of them)."""

INDUSTRIES: dict[int, str] = {}
"""Division code (10-232) and title; ``code // 10`` is the section's number."""

_lines = _INDUSTRIES_TEXT.strip().splitlines()
for _number, (_head, _divisions) in enumerate(zip(_lines[::2], _lines[1::2], strict=True), 1):
    _letter, _broad, _title = _head.split("|")
    SECTIONS[_number] = _title
    SECTION_LETTERS[_letter] = _number
    BROAD_OF_SECTION[_number] = _broad
    for _digit, _division in enumerate(_divisions.split("; ")):
        INDUSTRIES[10 * _number + _digit] = _division
