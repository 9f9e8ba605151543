"""Names from elsewhere: by their syllables, by their endings, by their script.

Romanised Chinese names have a surname of a short list and a given name of one or two syllables;
Korean given names are two syllables with a hyphen; Japanese names carry *-san*; many European
and Asian surnames show by their ending.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from indistinct.scrub.text.detectors._name_words import CALENDAR, INSTITUTIONS, words
from indistinct.scrub.text.detectors._names import KNOWN, Reading, Remembered, eponymous, reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_SYLLABLE = (
    r"(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?(?:iang|iong|uang|ang|eng|ing|ong|ian|iao|uai|uan|ai|an"
    r"|ao|ei|en|er|ia|ie|in|iu|ou|ua|ue|ui|un|uo|a|e|i|o|u)"
)
_GIVEN = re.compile(rf"{_SYLLABLE}(?:['-]?{_SYLLABLE})?")
_TWICE = re.compile(rf"({_SYLLABLE})\1")
_LITTLE = re.compile(rf"xiao{_SYLLABLE}")
# Taiwanese, Cantonese and Hokkien spellings have sounds that pinyin lacks.
_HYPHENATED = re.compile(r"[a-z]{1,6}-[a-z]{1,6}")
_SURNAMES = words(
    "wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo he lin gao luo zheng "
    "liang xie song tang xu deng han feng cao peng zeng xiao tian dong pan yuan cai jiang yu du "
    "ye cheng wei su lu ding ren yao shen zhong jin lu cui tan lu fan shi jia kong bai liao fu "
    "xia qiu fang hou zou xiong meng qin gu lei long wan duan hao shao mao chang qiao yin qian "
    "dai he yan gong lai ouyang sima zhuge shangguan niu tao ni geng pang mei sheng zhuang qi "
    "hsu hsieh chiu tsai tseng cheung leung kwok chow lau lam yeung tsang wong chan cheng ho ng "
    "chiang chou hung kuo lai yeh chung shih hsiao tsao chu"
)
# Surnames that are also words with a capital at the start of a sentence.
_ALSO_WORDS = words(
    "he long sun song pan fan tan chang hung bai wan ding gong hao ho chow lam cheng"
)
_KOREAN = words(
    "kim lee park choi jung jeong kang cho yoon jang lim han shin seo kwon hwang ahn song yoo "
    "hong ryu moon yang bae baek heo nam noh ha kwak sung cha joo woo shim yun rhee yi pak"
)
_KOREAN_PART = (
    r"[bcdghjkmnpstwy]{0,2}(?:yeo|ae|eo|eu|oo|ye|ya|yu|yo|wo|ee|ui|a|e|i|o|u)(?:ng|ll|[nmklpr])?"
)
_KOREAN_SYLLABLE = re.compile(_KOREAN_PART)
_KOREAN_GIVEN = re.compile(rf"{_KOREAN_PART}-?{_KOREAN_PART}")
_VIETNAMESE = words("nguyen tran le pham huynh hoang phan vu vo dang bui do ho ngo duong ly")
_ALL_SURNAMES = _SURNAMES | _KOREAN | _VIETNAMESE
_HONORED = words("san sama sensei kun chan senpai ssi nim bey hanim hanım ji bhai didi garu")
_AFTER = words("ge jie laoshi zong ayi shushu didi meimei gege jiejie xiansheng nvshi furen jingli")
_BEFORE = words("lao xiao old little auntie uncle brother sister ah a aunt big")
_FAMILY = words("mama papa baba dada gege jiejie didi meimei yeye nainai popo gugu haha hehe wawa")
_ENDING = re.compile(
    r"[a-z]{2,14}(?:ov|ova|ev|eva|sky|ski|ska|skiy|skyi|wicz|czyk|czak|enko|chuk|yuk|shyn|vic|vich"
    r"|escu|eanu|oglu|yan|dze|shvili|poulos|opoulou|idis|akis|sson|dottir|zadeh|pour|nejad|singh"
    r"|preet|deep|murthy|swamy|rajan|nathan|moorthy|esh|hashi|moto|mura|gawa|kawa|yama|saki|zaki"
    r"|naka|tani|stein|baum|mann|inho|elli|etti|ucci|acci|ellini|wala|bekov|aev|ullah|uddin|rahman"
    r"|nen|lainen|konen|aite|iene|auskas|ović|ić|owski|owska|kwo|chukwu|olu|emi)"
)
# Words of one script, as many as a name has; with capitals where the script has them.
_HAN = r"[\u3400-\u9fff\u3040-\u30ff]"
_OTHER = re.compile(
    rf"{_HAN}{{2,8}}(?:[ \u30fb]{_HAN}{{1,6}}){{0,2}}|{_HAN} {_HAN}{{1,3}}"
    r"|[\uac00-\ud7a3]{1,5}(?: [\uac00-\ud7a3]{1,4})?"
    r"|(?<!\w)(?:[\u0400-\u042f][\u0400-\u04ff'-]{1,20}|[\u0400-\u042f]\. ?)"
    r"(?:[ -]?(?:[\u0400-\u042f][\u0400-\u04ff'-]{1,20}|[\u0400-\u042f]\.)){0,2}(?!\w)"
    r"|(?<!\w)[\u0386-\u03ab][\u0370-\u03ff]{1,20}(?:[ -][\u0386-\u03ab][\u0370-\u03ff]{1,20}){0,2}"
    r"|[\u0590-\u05ff]{2,15}(?: [\u0590-\u05ff]{2,15}){0,2}"
    r"|[\u0600-\u06ff]{2,15}(?: [\u0600-\u06ff]{2,15}){0,2}"
    r"|[\u0900-\u0dff]{2,20}(?: [\u0900-\u0dff]{2,20}){0,2}"
    r"|[\u0e00-\u0e7f]{3,20}(?: [\u0e00-\u0e7f]{3,20})?"
)
_HAN_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許邓鄧韩韓冯馮"
    "曹彭曾肖田董潘袁蔡蒋蔣余于杜叶葉程魏苏蘇吕呂丁任卢盧姚沈钟鍾姜崔谭譚陆陸范汪廖石金韦賈贾夏付方邹"
    "熊白孟秦邱侯江尹薛闫段雷龙黎史贺毛郝顾龚邵万覃武钱戴严莫孔向常汤"
    "佐鈴高田渡伊山中小加吉松井木清斎池橋阿石前藤岡長近後村遠青坂"
)  # fmt: skip


def detect(page: Page) -> Iterator[Span]:
    """Names from elsewhere."""
    read = reading(page)
    shapes, lower = read.shapes, read.lower
    i = shapes.find("C")
    while i >= 0:
        word = lower[i]
        end = i + 1
        if _WORTH[word]:
            found = None
            if word in _ALL_SURNAMES:
                found = _surname_first(read, i)
            if found is None and "-" in word:
                found = _hyphenated(read, i)
            if found is None and not word.isascii():
                found = _accented(read, i)
            if found is None:
                found = _by_sound(read, i)
            if found is not None:
                yield found
                while end < len(shapes) and read.starts[end] < found.end:
                    end += 1
        i = shapes.find("C", end)
    if not page.text.isascii():
        yield from _scripts(page)


@lru_cache(maxsize=16384)
def _sounds(word: str) -> str:
    """What the letters of a word look like: a given name in pinyin, a European ending."""
    if len(word) <= 14 and _TWICE.fullmatch(word) and len(word) > 3:
        return "doubled"
    if _LITTLE.fullmatch(word):
        return "little"
    if _GIVEN.fullmatch(word):
        return "pinyin"
    if _ENDING.fullmatch(word):
        return "ending"
    return ""


def _worth(word: str) -> bool:
    """Whether a word, by itself, may be or begin a name from elsewhere."""
    if word in CALENDAR:
        return False
    if word in _ALL_SURNAMES or "-" in word or not word.isascii():
        return True
    known = KNOWN[word]
    if known.zipf >= 4.2 or known.place or known.medical:
        return False
    return bool(_sounds(word)) if known.strange else _sounds(word) == "doubled"


_WORTH = Remembered(_worth)


def _followed_by_place(read: Reading, end: int) -> bool:
    """Whether *Road*, *District* and the like follow."""
    return end < len(read.words) and read.gaps[end - 1] == " " and read.lower[end] in INSTITUTIONS


def _surname_first(read: Reading, i: int) -> Span | None:
    """Wang Mingyuan, Lin Chia-hsin, Kim Min-jun, Nguyen Van An, Zhang Ge, Lao Wang."""
    surname = read.lower[i]
    if i + 1 >= len(read.words) or read.gaps[i] != " " or read.shapes[i + 1] not in "CU":
        return _with_nickname(read, i)
    given, end = read.lower[i + 1], i + 2
    known = read.fact(i + 1)
    if given in CALENDAR or known.medical or _followed_by_place(read, end):
        return None
    if known.ordinary and (surname in _ALSO_WORDS or known.zipf > 5.2):
        return None
    opens = surname in _ALSO_WORDS and (read.opens_sentence(i) or read.fact(i).zipf > 5)
    if surname in _VIETNAMESE and _vietnamese(read, i) > i + 1:
        return read.spanning(i, _vietnamese(read, i), 0.88, "foreign", "vietnamese")
    if surname in _SURNAMES:
        if given in _AFTER:
            return read.spanning(i, i + 1, 0.85, "foreign", "address after", Kind.LAST_NAME)
        sound = _sounds(given) if known.zipf < (4.6 if surname in _ALSO_WORDS else 5.5) else ""
        if sound in ("pinyin", "doubled", "little") and not (opens and known.zipf > 4.2):
            if end < len(read.words) and read.gaps[i + 1] == " " and read.shapes[end] == "C":
                third = read.fact(end)
                if len(given) < 5 and third.zipf < 3 and _sounds(read.lower[end]) == "pinyin":
                    end += 1
            if _followed_by_place(read, end):
                return None
            return read.spanning(i, end, 0.88, "foreign", "chinese", Kind.FULL_NAME)
        if _HYPHENATED.fullmatch(given) and not opens:
            return read.spanning(i, end, 0.85, "foreign", "chinese, hyphen", Kind.FULL_NAME)
    if surname in _KOREAN and _KOREAN_SYLLABLE.fullmatch(given) and i + 2 < len(read.words):
        last = read.lower[i + 2]
        joined = read.gaps[i + 1] == " " and read.shapes[i + 2] == "C"
        if joined and _KOREAN_SYLLABLE.fullmatch(last) and not read.fact(i + 2).ordinary:
            return read.spanning(i, i + 3, 0.8, "foreign", "korean, apart", Kind.FULL_NAME)
    if surname in _KOREAN and "-" in given and _KOREAN_GIVEN.fullmatch(given):
        return read.spanning(i, end, 0.88, "foreign", "korean", Kind.FULL_NAME)
    return None


def _with_nickname(read: Reading, i: int) -> Span | None:
    """Lao Wang, Xiao Li, Brother Wu: a familiar word before a surname."""
    if not i or read.lower[i - 1] not in _BEFORE or read.gaps[i - 1] != " ":
        return None
    if read.shapes[i - 1] != "C" or _followed_by_place(read, i + 1):
        return None
    return read.spanning(i, i + 1, 0.82, "foreign", "familiar", Kind.LAST_NAME)


def _vietnamese(read: Reading, i: int) -> int:
    """Past the middle and given names, short words that end as Vietnamese syllables do."""
    end = i + 1
    while (
        end < min(i + 4, len(read.words))
        and read.shapes[end] == "C"
        and read.gaps[end - 1] == " "
        and len(read.lower[end]) < 7
        and _VIETNAMESE_GIVEN.fullmatch(read.page.text[read.starts[end] : read.ends[end]].lower())
        and not read.fact(end).ordinary
    ):
        end += 1
    return end


_VIETNAMESE_GIVEN = re.compile(
    r"(?:ngh|ng|nh|ph|th|tr|ch|gi|kh|qu|[bcdđghklmnpqrstvx])?[^\W\d_bcdfghjklmnpqrstvwxz]{1,3}"
    r"(?:ng|nh|ch|[cmnpt])?"
)


def _hyphenated(read: Reading, i: int) -> Span | None:
    """Tanaka-san, Hae-Won Park, Min-jun."""
    word = read.lower[i]
    head, _, tail = word.rpartition("-")
    if tail in _HONORED and not KNOWN[head].ordinary:
        start = read.starts[i]
        return Span(start, start + len(head), Kind.LAST_NAME, 0.88, "foreign", "honoured")
    if not _KOREAN_GIVEN.fullmatch(word):
        return None
    if (
        i + 1 < len(read.words)
        and read.gaps[i] == " "
        and (read.lower[i + 1] in _KOREAN or read.lower[i + 1] in _SURNAMES)
    ):
        return read.spanning(i, i + 2, 0.9, "foreign", "korean", Kind.FULL_NAME)
    if read.fact(i).zipf > 2:
        return None
    return read.spanning(i, i + 1, 0.6, "foreign", "hyphenated", Kind.FIRST_NAME)


def _by_sound(read: Reading, i: int) -> Span | None:
    """A lone word that sounds like a given name in pinyin, or ends like a surname."""
    known = read.fact(i)
    if known.zipf >= 4.2 or known.place or known.medical or _followed_by_place(read, i + 1):
        return None
    if not known.strange:
        word = read.lower[i]
        if _sounds(word) == "doubled" and word not in _FAMILY and not read.opens_sentence(i):
            return read.spanning(i, i + 1, 0.74, "foreign", "doubled, written", Kind.FIRST_NAME)
        return None
    sound = _sounds(read.lower[i])
    follows = i + 1 < len(read.words) and read.gaps[i] == " " and read.shapes[i + 1] in "CU"
    precedes = (
        i > 0
        and read.gaps[i - 1] == " "
        and read.shapes[i - 1] in "CU"
        and not (read.fact(i - 1).ordinary and read.opens_sentence(i - 1))
    )
    if sound in ("doubled", "little"):
        certainty = 0.55 if follows or precedes else 0.8
        return read.spanning(i, i + 1, certainty, "foreign", sound, Kind.FIRST_NAME)
    if sound == "pinyin" and len(read.lower[i]) > 5 and not follows and not precedes:
        return read.spanning(i, i + 1, 0.62, "foreign", "pinyin alone", Kind.FIRST_NAME)
    if sound == "ending":
        before = read.fact(i - 1) if precedes else None
        if before is not None and not before.ordinary and not before.medical:
            return read.spanning(i - 1, i + 1, 0.82, "foreign", "ending", Kind.FULL_NAME)
        if not follows and not precedes and not eponymous(read, i):
            return read.spanning(i, i + 1, 0.64, "foreign", "ending alone", Kind.LAST_NAME)
    return None


def _accented(read: Reading, i: int) -> Span | None:
    """Letters that English lacks, in a capitalised word beside another: *Irenke Sörös*."""
    if read.fact(i).medical or read.lower[i] in INSTITUTIONS:
        return None
    start, end = i, i + 1
    if i and read.gaps[i - 1] == " " and _beside(read, i - 1):
        start = i - 1
    if i + 1 < len(read.words) and read.gaps[i] == " " and _beside(read, i + 1):
        end = i + 2
    if _followed_by_place(read, end):
        return None
    if end - start == 1:
        return read.spanning(start, end, 0.6, "foreign", "accent")
    return read.spanning(start, end, 0.8, "foreign", "accents", Kind.FULL_NAME)


def _beside(read: Reading, i: int) -> bool:
    known = read.fact(i)
    if read.shapes[i] != "C" or known.medical or read.lower[i] in INSTITUTIONS:
        return False
    return known.nameness > -2 or (not known.named and known.zipf < 3.8)


_MANY = 12  # words of another script from which the text itself is in that script


def _scripts(page: Page) -> Iterator[Span]:
    """Names in another script inside a text in Latin letters."""
    folded = page.folded
    # Cyrillic words of letters that look Latin were folded; where they stood is unchanged.
    text = page.text if folded.places is not None else folded.source
    found = list(_OTHER.finditer(text))
    if len(found) > _MANY and sum(m.end() - m.start() for m in found) * 5 > len(text):
        return
    for match in found:
        run = match.group().rstrip()
        apart = " " in run or "\u30fb" in run
        if "\u3040" <= run[0] <= "\u9fff":
            named = run[0] in _HAN_SURNAMES and len(run) <= 4
            rule, certainty = ("han surname", 0.85) if named else ("han", 0.5)
            if apart:
                rule, certainty = "han, apart", 0.82
        elif "\uac00" <= run[0] <= "\ud7a3":
            if len(run) < 2:
                continue
            rule, certainty = ("hangul", 0.8) if len(run) in (3, 4) else ("hangul, other", 0.6)
        elif run != run.lower():
            rule, certainty = ("capitals", 0.85) if apart else ("one capital", 0.72)
        else:
            rule, certainty = ("no case", 0.75) if apart else ("no case, one word", 0.6)
        kind = Kind.FULL_NAME if apart or len(run) < 5 else Kind.LAST_NAME
        yield Span(match.start(), match.start() + len(run), kind, certainty, "foreign", rule)
