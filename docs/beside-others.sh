#!/bin/sh
# Runs charpipe, glibc's iconv, ICU's uconv and recode on the same inputs, and prints the table in
# docs/compared.md. Run it in the root of the repository, with `charpipe` on the PATH.
#
# Each row is a task whose result can be checked. `yes`: the program produced that result. `no`: it produced another
# result, failed, or has no option for the task. `-`: the program is not installed.

set -u
here=$(pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
data=$here/examples/data

# row TASK CHARPIPE ICONV UCONV RECODE: prints one row. Each program has a shell command, which succeeds if the program
# can do the task, or the word `no` if the program has no option for it.
row() {
    line="| $1 |"
    shift
    for tool in charpipe iconv uconv recode; do
        if ! command -v "$tool" >/dev/null; then answer=-
        elif [ "$1" = no ]; then answer=no
        elif (eval "$1") >/dev/null 2>&1; then answer=yes
        else answer=no
        fi
        line="$line $answer |"
        shift
    done
    echo "$line"
}

# The head of the table.
echo '| | charpipe | iconv | uconv | recode |'
echo '|---|---|---|---|---|'

cp "$data/hello-ibm1047.xml" named.xml
row 'Converts EBCDIC XML that declares its page to UTF-8 with no options' \
    'charpipe named.xml | grep "José"' no no no
row '…and updates its encoding declaration' \
    'charpipe named.xml | grep "encoding=.UTF-8."' \
    'iconv -f IBM1047 -t UTF-8 named.xml | grep -a "encoding=.UTF-8."' \
    'uconv -f ibm-1047 -t utf-8 named.xml | grep -a "encoding=.UTF-8."' \
    'recode IBM1047..UTF-8 <named.xml | grep -a "encoding=.UTF-8."'
row 'Reads UCS-4 in the octet orders 2143 and 3412' \
    'charpipe "$data/ucs4-2143.xml" && charpipe "$data/ucs4-3412.xml"' no no no

printf 'caf\303\251 5 \342\202 and more\n' >bad.txt
row 'Reports the byte offset of an error' \
    'charpipe bad.txt 2>&1 | grep "byte 8"' \
    'iconv -f UTF-8 -t UTF-16 bad.txt 2>&1 | grep -a "position 8"' \
    'uconv -f utf-8 -t utf-16 bad.txt 2>&1 | grep -a "position 8"' \
    'recode UTF-8..UTF-16 <bad.txt 2>&1 | grep -aE "(byte|position|offset) 8"'
row 'Writes the text that comes before an error' \
    'charpipe bad.txt | grep "café 5 "' \
    'iconv -f UTF-8 -t UTF-8 bad.txt | grep "café 5 "' \
    'uconv -f utf-8 -t utf-8 bad.txt | grep "café 5 "' \
    'recode UTF-8..UTF-16BE <bad.txt | iconv -f UTF-16BE -t UTF-8 | grep "café 5 "'
printf 'caf\303\251 5 \357\277\275 and more\n' >replaced.txt
row 'Can replace each malformed sequence with one U+FFFD' \
    'charpipe --malformed replace bad.txt | cmp - replaced.txt' no \
    'uconv -f utf-8 -t utf-8 --from-callback substitute bad.txt | cmp - replaced.txt' no
printf 'abc \303' >cut.txt
row 'Fails if the input ends inside a character' \
    '! charpipe cut.txt' '! iconv -f UTF-8 -t UTF-16 cut.txt' '! uconv -f utf-8 -t utf-16 cut.txt' \
    '! recode UTF-8..UTF-16 <cut.txt'

# Larger than any buffer.
head -c 3000000 /dev/zero | tr '\0' '\351' >large.txt
cp large.txt large1.txt; cp large.txt large2.txt; cp large.txt large3.txt; cp large.txt large4.txt
row 'Converts a file of 3 MB in place' \
    'charpipe -f ISO-8859-1 -o large1.txt large1.txt && test "$(wc -c <large1.txt)" = 6000000' \
    'iconv -f ISO-8859-1 -t UTF-8 -o large2.txt large2.txt && test "$(wc -c <large2.txt)" = 6000000' \
    'uconv -f iso-8859-1 -t utf-8 -o large3.txt large3.txt && test "$(wc -c <large3.txt)" = 6000000' \
    'recode ISO-8859-1..UTF-8 large4.txt && test "$(wc -c <large4.txt)" = 6000000'
echo precious >old; cp old old1; cp old old2; cp old old3
printf 'caf\303\251 5 \342\202 and more\n' >old4; cp old4 old5
row 'Keeps the old output file if there is an error' \
    '! charpipe bad.txt -o old1 && cmp old old1' \
    '! iconv -f UTF-8 -t UTF-16 bad.txt -o old2 && cmp old old2' \
    '! uconv -f utf-8 -t utf-16 bad.txt -o old3 && cmp old old3' \
    '! recode UTF-8..UTF-16 old4 && cmp old4 old5'
row 'Fails if the disk is full' \
    '! charpipe -f ISO-8859-1 large.txt >/dev/full' '! iconv -f ISO-8859-1 -t UTF-8 large.txt >/dev/full' \
    '! uconv -f iso-8859-1 -t utf-8 large.txt >/dev/full' '! recode ISO-8859-1..UTF-8 <large.txt >/dev/full'
row 'Fails if standard output is closed' \
    '! charpipe bad.txt -c >&-' '! iconv -c -f UTF-8 -t UTF-16 bad.txt >&-' \
    '! uconv -f utf-8 -t utf-16 replaced.txt >&-' '! recode UTF-8..UTF-16 <replaced.txt >&-'

printf '<?xml version="1.0"?><p>3 \342\202\254</p>\n' >euro.xml
row 'Writes unmappable characters as character references in XML, and only there' \
    'charpipe -t ISO-8859-1 euro.xml | grep "3 &#x20AC;" && ! charpipe -t ISO-8859-1 replaced.txt' no no no
row 'Turns records without newlines into lines, even if one ends inside double-byte text' \
    'charpipe -f IBM930 --records fb:41 "$data/records/members.fb" | grep ﾔﾏﾀﾞ' no no no
printf '%s\n' '<code_set_name> "X-SITE"' '<mb_cur_max> 1' '<mb_cur_min> 1' '<subchar> \x3F' '<uconv_class> "SBCS"' \
    'CHARMAP' '<U003F> \x3F |0' '<U20AC> \x41 |0' 'END CHARMAP' >site.ucm
row 'Loads a code page from an ICU `.ucm` file as it is' \
    'test "$(printf A | charpipe --codec-file site.ucm -f X-SITE)" = €' no no no
row 'Normalises Unicode' \
    'printf "\303\251" | charpipe --normalize nfd | grep -q e' no \
    'printf "\303\251" | uconv -x any-nfd | grep -q e' no
row 'Transliterates by rules' no no 'test "$(echo ü | uconv -x "ü > ue;")" = ue' no
row 'Approximates characters that the target lacks' \
    'test "$(printf "“x”" | charpipe -t ISO-8859-1//TRANSLIT)" = "\"x\""' \
    'test "$(printf "“x”" | LC_ALL=C.UTF-8 iconv -f UTF-8 -t ISO-8859-1//TRANSLIT)" = "\"x\""' \
    'test "$(printf "“x”" | uconv -f utf-8 -t iso-8859-1 -x Latin-ASCII)" = "\"x\""' \
    'test "$(printf "“x”" | recode UTF-8..ISO-8859-1)" = "\"x\""'
