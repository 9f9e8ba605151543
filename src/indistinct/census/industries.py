"""The taxonomy of industries: 110 divisions under 23 sections under 10 broad groups.

Made up after the manner of NACE. A section's letter is used by `occupations` to say where an
occupation is found. Division codes are ten times the section's number plus a digit.
"""

from __future__ import annotations

__all__ = ["BROAD_OF_SECTION", "INDUSTRIES", "SECTIONS", "SECTION_LETTERS"]

_TEXT = """
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

_lines = _TEXT.strip().splitlines()
for _number, (_head, _divisions) in enumerate(zip(_lines[::2], _lines[1::2], strict=True), 1):
    _letter, _broad, _title = _head.split("|")
    SECTIONS[_number] = _title
    SECTION_LETTERS[_letter] = _number
    BROAD_OF_SECTION[_number] = _broad
    for _digit, _division in enumerate(_divisions.split("; ")):
        INDUSTRIES[10 * _number + _digit] = _division
