#!/bin/sh
# Compares charpipe with glibc's iconv, ICU's uconv and recode on the same inputs, and prints the table that the README
# shows. Run it in the root of the repository; `charpipe` must be in the PATH.
#
# Each row is a task with a result that can be checked. `yes` means that the result was right. `no` means another
# result, an error, or a task that the program cannot be asked to do. `-` means that the program is not installed.

set -u
here=$(pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
data=$here/examples/data

# row TASK CHARPIPE ICONV UCONV RECODE: a shell command for each program, which succeeds if the program does the task;
# `no` if it cannot be asked to.
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

# The head of the table: `TASK | charpipe | iconv | uconv | recode`.
echo '| | charpipe | iconv | uconv | recode |'
echo '|---|---|---|---|---|'

cp "$data/hello-ibm1047.xml" named.xml
row 'EBCDIC XML that names its page becomes UTF-8, with nothing said' \
    'charpipe named.xml | grep "José"' no no no
row 'and its own label is true afterwards' \
    'charpipe named.xml | grep "encoding=.UTF-8."' \
    'iconv -f IBM1047 -t UTF-8 named.xml | grep -a "encoding=.UTF-8."' \
    'uconv -f ibm-1047 -t utf-8 named.xml | grep -a "encoding=.UTF-8."' \
    'recode IBM1047..UTF-8 <named.xml | grep -a "encoding=.UTF-8."'
row 'UCS-4 in the orders 2143 and 3412' \
    'charpipe "$data/ucs4-2143.xml" && charpipe "$data/ucs4-3412.xml"' no no no

printf 'caf\303\251 5 \342\202 and more\n' >bad.txt
row 'an error names the byte' \
    'charpipe bad.txt 2>&1 | grep "byte 8"' \
    'iconv -f UTF-8 -t UTF-16 bad.txt 2>&1 | grep -a "position 8"' \
    'uconv -f utf-8 -t utf-16 bad.txt 2>&1 | grep -a "position 8"' \
    'recode UTF-8..UTF-16 <bad.txt 2>&1 | grep -aE "(byte|position|offset) 8"'
row 'what stands before an error is delivered' \
    'charpipe bad.txt | grep "café 5 "' \
    'iconv -f UTF-8 -t UTF-8 bad.txt | grep "café 5 "' \
    'uconv -f utf-8 -t utf-8 bad.txt | grep "café 5 "' \
    'recode UTF-8..UTF-16BE <bad.txt | iconv -f UTF-16BE -t UTF-8 | grep "café 5 "'
printf 'caf\303\251 5 \357\277\275 and more\n' >replaced.txt
row 'one U+FFFD for each ill-formed sequence, where asked for' \
    'charpipe --malformed replace bad.txt | cmp - replaced.txt' no \
    'uconv -f utf-8 -t utf-8 --from-callback substitute bad.txt | cmp - replaced.txt' no
printf 'abc \303' >cut.txt
row 'a last character that is cut is an error' \
    '! charpipe cut.txt' '! iconv -f UTF-8 -t UTF-16 cut.txt' '! uconv -f utf-8 -t utf-16 cut.txt' \
    '! recode UTF-8..UTF-16 <cut.txt'

# Files larger than any buffer.
head -c 3000000 /dev/zero | tr '\0' '\351' >large.txt
cp large.txt large1.txt; cp large.txt large2.txt; cp large.txt large3.txt; cp large.txt large4.txt
row 'a file of 3 MB converted onto itself' \
    'charpipe -f ISO-8859-1 -o large1.txt large1.txt && test "$(wc -c <large1.txt)" = 6000000' \
    'iconv -f ISO-8859-1 -t UTF-8 -o large2.txt large2.txt && test "$(wc -c <large2.txt)" = 6000000' \
    'uconv -f iso-8859-1 -t utf-8 -o large3.txt large3.txt && test "$(wc -c <large3.txt)" = 6000000' \
    'recode ISO-8859-1..UTF-8 large4.txt && test "$(wc -c <large4.txt)" = 6000000'
echo precious >old; cp old old1; cp old old2; cp old old3
printf 'caf\303\251 5 \342\202 and more\n' >old4; cp old4 old5
row 'the old file is whole after an error' \
    '! charpipe bad.txt -o old1 && cmp old old1' \
    '! iconv -f UTF-8 -t UTF-16 bad.txt -o old2 && cmp old old2' \
    '! uconv -f utf-8 -t utf-16 bad.txt -o old3 && cmp old old3' \
    '! recode UTF-8..UTF-16 old4 && cmp old4 old5'
row 'a full disk is an error' \
    '! charpipe -f ISO-8859-1 large.txt >/dev/full' '! iconv -f ISO-8859-1 -t UTF-8 large.txt >/dev/full' \
    '! uconv -f iso-8859-1 -t utf-8 large.txt >/dev/full' '! recode ISO-8859-1..UTF-8 <large.txt >/dev/full'
row 'a closed standard output is an error' \
    '! charpipe bad.txt -c >&-' '! iconv -c -f UTF-8 -t UTF-16 bad.txt >&-' \
    '! uconv -f utf-8 -t utf-16 replaced.txt >&-' '! recode UTF-8..UTF-16 <replaced.txt >&-'

printf '<?xml version="1.0"?><p>3 \342\202\254</p>\n' >euro.xml
row 'a character that the target lacks becomes a reference, in XML alone' \
    'charpipe -t ISO-8859-1 euro.xml | grep "3 &#x20AC;" && ! charpipe -t ISO-8859-1 replaced.txt' no no no
row 'records without newlines become lines, also where one is cut in double bytes' \
    'charpipe -f IBM930 --records fb:41 "$data/records/members.fb" | grep ﾔﾏﾀﾞ' no no no
printf '%s\n' '<code_set_name> "X-SITE"' '<mb_cur_max> 1' '<mb_cur_min> 1' '<subchar> \x3F' '<uconv_class> "SBCS"' \
    'CHARMAP' '<U003F> \x3F |0' '<U20AC> \x41 |0' 'END CHARMAP' >site.ucm
row 'a page out of a `.ucm` file, as it is' \
    'test "$(printf A | charpipe --codec-file site.ucm -f X-SITE)" = €' no no no
row 'Unicode normalisation, transliteration by rules' no no 'printf "\303\251" | uconv -x any-nfd | grep -q e' no
row 'characters that the target lacks are approximated' \
    'test "$(printf "“x”" | charpipe -t ISO-8859-1//TRANSLIT)" = "\"x\""' \
    'test "$(printf "“x”" | LC_ALL=C.UTF-8 iconv -f UTF-8 -t ISO-8859-1//TRANSLIT)" = "\"x\""' \
    'test "$(printf "“x”" | uconv -f utf-8 -t iso-8859-1 -x Latin-ASCII)" = "\"x\""' \
    'test "$(printf "“x”" | recode UTF-8..ISO-8859-1)" = "\"x\""'
