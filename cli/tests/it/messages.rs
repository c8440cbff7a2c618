//! Messages on standard error: hints, colour, and the bytes around an error on a terminal.
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn charpipe(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
    command.args(args.split(' ').filter(|arg| !arg.is_empty()));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn fed(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.spawn().unwrap();
    // A run that ends early does not read all of it.
    _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Returns the status and the messages of a run on `input`.
fn run(args: &str, input: &[u8]) -> (i32, String) {
    let output = fed(charpipe(args), input);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Opens both sides of a terminal.
fn terminal() -> (OwnedFd, File) {
    let owner = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&owner).unwrap();
    unlockpt(&owner).unwrap();
    let name = ptsname(&owner, Vec::new()).unwrap().into_string().unwrap();
    (owner, OpenOptions::new().read(true).write(true).open(name).unwrap())
}

/// Returns the messages of a run whose standard error is a terminal.
fn at_terminal(mut command: Command, input: &[u8]) -> String {
    let (owner, terminal) = terminal();
    // A pipe that is not read would fill up.
    command.stdout(Stdio::null()).stderr(terminal);
    let reader = std::thread::spawn(move || {
        let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
        // The end is an error if the other side is closed.
        while let Ok(len @ 1..) = File::from(owner.try_clone().unwrap()).read(&mut buffer) {
            all.extend_from_slice(&buffer[..len]);
        }
        String::from_utf8(all).unwrap().replace('\r', "")
    });
    fed(command, input);
    reader.join().unwrap()
}

const LATIN: &[u8] = b"caf\xE9 cr\xE8me";

#[test]
fn hints_suggest_what_to_try() {
    let declared = |label: &str| format!("<?xml version=\"1.0\" encoding=\"{label}\"?><a/>").into_bytes();
    for (args, input, expected) in [
        ("", LATIN, "line 1, column 4 (byte 3): E9 is not valid UTF-8 (try -f windows-1252 or --guess)\n"),
        ("", b"\xC8\x85\x93\x93\x96\x40\xA6\x96\x99\x93\x84", "too short to guess the code page; try -f IBM1047"),
        ("-f UTF-8", LATIN, "line 1, column 4 (byte 3): E9 is not valid UTF-8 (try -f windows-1252)\n"),
        (
            "-f UTF-8",
            b"\x1F\x8B\x08\0\0\0",
            "line 1, column 2 (byte 1): 8B is not valid UTF-8 (it looks like binary data; charpipe converts",
        ),
        (
            "",
            b"\x1F\x8B\x08\0\0\0",
            "it looks like binary data (gzip) (charpipe converts only text; if it is text, name",
        ),
        ("", b"caf\xC3\xA9\ncr\xC3\xA8me\ncaf\xE9\nfa\xE7on\ncr\xE8me\n", "(try --malformed windows-1252)\n"),
        ("-f Shift_JIS", "caf\u{E9} \u{2013} cr\u{E8}me \u{20AC}".as_bytes(), "is valid UTF-8: try -f UTF-8)\n"),
        (
            "",
            b"<?xml version='1.0' encoding='UTF-8'?><a>caf\xE9 cr\xE8me</a>",
            "not valid UTF-8 (try -f windows-1252)\n",
        ),
        ("-f cp1O47", b"", "did you mean IBM1047?"),
        (
            "",
            b"a\xE2\x82",
            "line 1, column 2 (byte 1): E2 82 is not valid UTF-8 (the input ends within a character; use --malformed",
        ),
        ("", b"caf\xE9", "(the input ends within a character, or is not UTF-8: try -f windows-1252 or --guess)\n"),
        (
            "",
            b"caf\xC3\xA9 \xE9",
            "line 1, column 6 (byte 6): E9 is not valid UTF-8 (the input ends within a character; use --malformed",
        ),
        (
            "-f IBM939",
            b"\x0E\x45\x62\x45",
            "line 1, column 2 (byte 3): 45 is not valid IBM939 (the input ends within a character; use",
        ),
        (
            "-f Shift_JIS",
            b"a\x93",
            "line 1, column 2 (byte 1): 93 is not valid Shift_JIS (the input ends within a character; use",
        ),
        (
            "-f IBM939",
            b"\x0E\x45\xFF",
            "line 1, column 1 (byte 1): 45 is not valid IBM939 (use --malformed replace to continue)\n",
        ),
        // More input follows, so the message must not say that the input ends within a character.
        (
            "",
            b"a\xE2\x82\xC3\xA9",
            "line 1, column 2 (byte 1): E2 82 is not valid UTF-8 (use --malformed replace to continue)\n",
        ),
        ("-t ISO-8859-1", "a€".as_bytes(), "or a target that has it, such as -t windows-1252 or -t UTF-8)\n"),
        ("-t IBM037", "a€".as_bytes(), "or a target that has it, such as -t IBM01140 or -t UTF-8)\n"),
        ("-t ISO-8859-1", "a漢".as_bytes(), "or a target that has it, such as -t UTF-8)\n"),
        (
            "-t ASCII",
            "<?xml version=\"1.0\"?><é/>".as_bytes(),
            "(XML allows no reference there; use a target that has it, such as -t ISO-8859-1 or -t UTF-8)\n",
        ),
        (
            "",
            &declared("IBM1O47"),
            "line 1, column 31 (byte 30): \"IBM1O47\" is not known; did you mean IBM1047? (if so, use -f IBM1047)\n",
        ),
        ("", &declared("UFT-8"), "did you mean UTF-8? (if so, use -f UTF-8)\n"),
        ("", &declared("nonsense"), "\"nonsense\" is not known (name the encoding with -f)\n"),
        ("-f EBCDIC", b"", "--from: \"EBCDIC\" is not known (that is a family: name a code page, such as IBM037"),
        ("-f ANSI", b"", "the one for Western Europe is windows-1252\n"),
        ("-t UTF-9", b"", "--to: \"UTF-9\" is not known (see `charpipe list`)\n"),
        (
            "-t auto",
            b"",
            "--to: \"auto\" is not known (only the input's encoding can be detected; name a target, such as UTF-8)\n",
        ),
        ("-f IBM1047,nl=unix", b"", "(after an EBCDIC code page use ,nl=zos or ,nl=fold)\n"),
        (
            "-t SCSU",
            b"",
            "is not supported: it is a compression of Unicode; convert it with `uconv -f SCSU -t UTF-8` first\n",
        ),
        ("--records fb80", b"", "did you mean fb:80?"),
        ("--records 133", b"", "did you mean fb:133?"),
        ("--records rwd", b"", "did you mean rdw?"),
        ("--to-records mode_b", b"", "did you mean mode-b?"),
        ("--policy rfc7033", b"", "; did you mean rfc7303?"),
        ("--unmapable drop", b"", "; did you mean --unmappable?"),
        ("--prescan x", b"", "expected a number of bytes from 0 to 1048576"),
        (
            "--policy rome-strict --content-type application/foo",
            &declared("UTF-8"),
            "(the default, --policy rfc7303, rejects nothing; or name the encoding with -f)\n",
        ),
    ] {
        let (status, stderr) = run(args, input);
        assert!((1..=2).contains(&status) && stderr.contains(expected), "{args}: {stderr}");
    }
    let (status, stderr) = run("detect", b"<?xml version='1.0' encoding='UTF-8'?><a>caf\xE9 cr\xE8me</a>");
    assert!(status == 0 && stderr.ends_with("; try -f windows-1252 (contents-contradict)\n"), "{stderr}");
}

#[test]
fn what_a_hint_suggests_works() {
    // The command with what the hint suggests converts the input that failed.
    for (args, better, input) in [
        ("", "-f windows-1252", LATIN),
        ("-t ISO-8859-1", "-t windows-1252", "a€".as_bytes()),
        ("-t IBM037", "-t IBM01140", "a€".as_bytes()),
        ("--records fb4", "--records fb:4", b"abcd"),
    ] {
        let (status, stderr) = run(args, input);
        let hint = better.split(' ').next_back().unwrap();
        assert!(status > 0 && stderr.contains(hint), "{args}: {stderr}");
        assert_eq!(run(better, input), (0, String::new()), "{better}");
    }
}

#[test]
fn no_hint_without_evidence() {
    for input in [
        // UTF-8 with an invalid byte.
        "é".as_bytes().iter().chain(b"caf\xE9").copied().collect::<Vec<u8>>(),
        // Letters of code page 850; no letters.
        b"caf\x82 cr\x8Ame".to_vec(),
        // Cyrillic text does not look Western, however few letters it has.
        b"abc \xCF\xF0\xE8\xE2\xE5\xF2".to_vec(),
    ] {
        let (status, stderr) = run("", &input);
        assert!(status == 1 && !stderr.contains("try -f") && stderr.contains("--malformed replace"), "{stderr}");
    }
    // What is binary is not to be converted at all.
    let (status, stderr) = run("", b"\x01\x02\xE9\x03abc");
    assert!(status == 1 && stderr.contains("charpipe converts only text"), "{stderr}");
    assert!(!stderr.contains("replace"), "{stderr}");
    // Statistics recognise it if there is enough of it.
    {
        let russian = "Съешь же ещё этих мягких французских булок, да выпей чаю";
        let mut bytes = Vec::new();
        charpipe::Transcode::new()
            .target_encoding("windows-1251")
            .unwrap()
            .run(russian.as_bytes(), &mut bytes)
            .unwrap();
        let (_, stderr) = run("", &bytes);
        assert!(stderr.contains("try -f windows-1251"), "{stderr}");
    }
}

#[test]
fn the_hint_is_based_on_the_bytes_around_the_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("late.txt");
    fs::write(&path, [&b"plain text, line after line\n".repeat(9999)[..], LATIN, b"\n"].concat()).unwrap();
    let (status, stderr) = run(path.to_str().unwrap(), b"");
    assert!(status == 1 && stderr.contains("(try -f windows-1252 or --guess)"), "{stderr}");
    // A pipe gets the same advice as a file.
    let (status, piped) = run("-o /dev/null", &fs::read(&path).unwrap());
    assert_eq!((status, piped.replace("<stdin>", path.to_str().unwrap())), (1, stderr));
}

#[test]
fn detect_says_that_it_is_not_utf8() {
    let (status, words) = run("detect", LATIN);
    let error = ": unknown encoding: nothing names it, and the input is not valid UTF-8; it looks like text in a legacy charset \
                 (try -f windows-1252 or --guess)\n";
    assert!(
        status == 1 && words.starts_with("charpipe: <stdin>: line 1, column 4 (byte 3)") && words.ends_with(error),
        "{words}"
    );
    assert_eq!(run("detect -f windows-1252", LATIN).1, "");
}

#[test]
fn a_missing_folder_is_named_as_it_was_typed() {
    let (status, stderr) = run("-o /no/such/folder/out", b"text");
    assert_eq!(status, 3);
    assert!(stderr.starts_with("charpipe: /no/such/folder/out: cannot open for writing: No such file"), "{stderr}");
    assert!(!stderr.contains(".charpipe-"), "{stderr}");
}

#[test]
fn colour() {
    let red = "\u{1B}[1m\u{1B}[31mE9 is not valid UTF-8\u{1B}[0m";
    let with = |args: &str, name: &str, value: &str| {
        let mut command = charpipe(args);
        command.env(name, value);
        command
    };
    let piped = |command| String::from_utf8(fed(command, LATIN).stderr).unwrap();
    assert!(!piped(charpipe("")).contains('\u{1B}'));
    assert!(piped(charpipe("--color always")).contains(red));
    assert!(piped(with("", "CLICOLOR_FORCE", "1")).contains(red));
    assert!(!piped(with("--color never", "CLICOLOR_FORCE", "1")).contains('\u{1B}'));

    let watched = |command| at_terminal(command, LATIN);
    assert!(watched(charpipe("")).contains(red));
    assert!(watched(charpipe("")).contains("\u{1B}[36m (try -f windows-1252"));
    assert!(!watched(charpipe("--color never")).contains('\u{1B}'));
    assert!(!watched(with("", "NO_COLOR", "1")).contains('\u{1B}'));
    assert!(!watched(with("", "TERM", "dumb")).contains('\u{1B}'));
    assert!(watched(with("--color always", "NO_COLOR", "1")).contains(red));
}

#[test]
fn every_command_has_colour() {
    for args in ["detect", "list nonsense", "chart UTF-8", "convert"] {
        assert!(
            run(&format!("{args} --color always"), LATIN).1.is_empty()
                || run(&format!("{args} --color always"), LATIN).1.contains('\u{1B}')
        );
        assert_eq!(run(&format!("{args} --color perhaps"), b"").0, 2, "{args}");
        assert!(!run(&format!("{args} --color never"), LATIN).1.contains('\u{1B}'), "{args}");
    }
    let warned = run("detect --color always", b"\xEF\xBB\xBF<?xml version='1.0' encoding='latin1'?>").1;
    assert!(warned.contains("\u{1B}[33mwarning: the declaration says"), "{warned}");
}

#[test]
fn control_characters_are_escaped_in_coloured_messages_too() {
    let hostile = "<?xml version='1.0' encoding='a\u{1B}]0;x\u{7}'?>";
    for args in
        ["--color always", "detect --color always --explain", "--color always \u{1B}[2J", "--color always -f \u{1B}[2J"]
    {
        let (_, stderr) = run(args, hostile.as_bytes());
        let plain = stderr.replace("\u{1B}[0m", "").replace("\u{1B}[1m", "").replace("\u{1B}[31m", "");
        let plain = plain.replace("\u{1B}[36m", "").replace("\u{1B}[33m", "");
        assert!(plain.chars().all(|ch| ch == '\n' || !ch.is_control()), "{args}: {stderr:?}");
    }
}

#[test]
fn bytes_around_an_error_at_a_terminal() {
    let mut input = b"0123456789abcdef".repeat(3).to_vec();
    input[20] = 0xFF;
    let shown = at_terminal(charpipe("-v --color never"), &input);
    let expected = "
charpipe: <stdin>: line 1, column 21 (byte 20): FF is not valid UTF-8 (use --malformed replace to continue)
  00000000: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef
  00000010: 30 31 32 33 ff 35 36 37 38 39 61 62 63 64 65 66  0123.56789abcdef
                        ^^
  00000020: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef
";
    assert!(shown.ends_with(expected), "{shown}");
    // In colour the byte is red too.
    assert!(at_terminal(charpipe("-v"), &input).contains("\u{1B}[31mff\u{1B}[0m"));
    // Not without `-v`, and not through a pipe.
    assert!(!at_terminal(charpipe("--color never"), &input).contains("00000010:"));
    assert!(!run("-v", &input).1.contains("00000010:"));
}

#[test]
fn bytes_around_an_error_far_into_an_input() {
    let text: Vec<u8> = (0..300_000_u32).map(|index| b'a' + (index % 26) as u8).collect();
    for at in [5, 65_530, 65_536, 131_071, 262_144, 299_999] {
        let mut input = text.clone();
        input[at] = 0xFF;
        let place = format!("\n  {:08x}: ", at - at % 16);
        let row: Vec<String> = input[at - at % 16..].iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let expected = format!("{place}{}", row.join(" "));
        let marks = format!("\n{:1$}^^", "", 12 + 3 * (at % 16));
        for args in ["-v --color never", "-v --color never --jobs 2"] {
            let shown = at_terminal(charpipe(args), &input);
            assert!(shown.contains(&expected) && shown.contains(&marks), "{at}: {shown}");
        }
        // The same for a file that several jobs read.
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, input).unwrap();
        let shown = at_terminal(charpipe(&format!("-v --color never --jobs 3 {}", path.display())), b"");
        assert!(shown.contains(&expected) && shown.contains(&marks), "{at}: {shown}");
    }
}

#[test]
fn detect_shows_the_bytes_of_an_unknown_label() {
    let input = b"<?xml version=\"1.0\" encoding=\"IBM1O47\"?>";
    let shown = at_terminal(charpipe("detect -v --color never"), input);
    let expected = "
  00000010: 2e 30 22 20 65 6e 63 6f 64 69 6e 67 3d 22 49 42  .0\" encoding=\"IB
                                                      ^^ ^^
  00000020: 4d 31 4f 34 37 22 3f 3e                          M1O47\"?>
            ^^ ^^ ^^ ^^ ^^
";
    assert!(shown.ends_with(expected), "{shown}");
}

#[test]
fn the_help_has_headings() {
    let help = |args: &str| String::from_utf8(fed(charpipe(args), b"").stdout).unwrap();
    for args in ["-h", "--help", "help"] {
        let whole = help(args);
        // In the order in which users look for them.
        let headings = [
            "Commands:",
            "Encoding:",
            "Files:",
            "Errors:",
            "Detection:",
            "Document:",
            "Newlines and control characters:",
            "Messages:",
            "Records:",
        ];
        let at = headings.map(|heading| whole.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("{heading}")));
        assert!(at.is_sorted(), "{args}: {at:?}");
    }
    // One line for each option; the other lines are the usage, the commands and the headings.
    let short = help("-h");
    let options = short.lines().filter(|line| line.trim_start().starts_with('-')).count();
    let others = short.lines().position(|line| line == "Arguments:").unwrap() + 24;
    assert!(options > 30 && short.lines().count() < options + others, "{short}");
    // The most used options; all of them, with those, in the long help.
    for args in ["", "convert "] {
        let [brief, long] = ["-h", "--help"].map(|flag| help(&format!("{args}{flag}")));
        let names = |help: &str| -> Vec<String> {
            let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
            // Not the values of a choice, which are a list.
            lines
                .filter(|line| !line.starts_with("- "))
                .map(|line| line.split("  ").next().unwrap().to_owned())
                .collect()
        };
        let (brief, long) = (names(&brief), names(&long));
        assert!((30..=36).contains(&brief.len()) && brief.len() < long.len(), "{args}: {brief:?}");
        assert!(brief.iter().all(|option| long.contains(option)), "{args}: {brief:?} {long:?}");
    }
    assert!(help("--help").contains("Examples:") && help("--help").contains("Exit status:"));
    assert!(help("detect -h").contains("--explain") && !help("detect -h").contains("--output"));
}

#[test]
fn help_fits_the_terminal() {
    for width in [40, 60, 80, 120, 200] {
        for args in ["", "convert", "detect", "rows", "list", "chart", "git-filter"] {
            for flag in ["-h", "--help"] {
                let mut command = charpipe(args);
                command.arg(flag).env("COLUMNS", width.to_string());
                let help = String::from_utf8(fed(command, b"").stdout).unwrap();
                let long = help.lines().find(|line| line.trim_end().chars().count() > width);
                assert_eq!(long, None, "{args} {flag}");
            }
        }
    }
}

/// `-h` lists the values of an option after its description; `--help` explains each value.
#[test]
fn help_lists_the_values_of_options() {
    let help = |args: &str| String::from_utf8(fed(charpipe(args), b"").stdout).unwrap();
    for args in ["-h", "convert -h"] {
        assert!(help(args).contains("Invalid input: fail, replace, drop, escape\n"), "{args}");
    }
    for args in ["--help", "convert --help", "help convert"] {
        assert!(help(args).contains("- escape:  Write each byte as \\xNN\n"), "{args}");
    }
}

/// The library's messages name no options; the command adds them.
#[test]
fn diagnostics_name_options() {
    let line = b"\xC1\xC2\x15".repeat(9);
    for (args, input, expected) in [
        ("-f IBM037", &line[..], "hint: lines end in U+0085 (NEL), none in U+000A; try --eol lf (nel-kept)\n"),
        (
            "-f IBM037",
            &[0xC1; 4096][..],
            "hint: no newline was found; if these are records, see `charpipe detect --records` (no-newline)\n",
        ),
        ("--eol nel", b"<?xml version='1.0'?><a>\n</a>", "; use --as text if it is not XML (nel-in-xml)\n"),
        (
            "--eol nel --strict",
            b"<?xml version='1.0'?><a>\n</a>",
            "(nel-in-xml) (use --as text if it is not XML, or leave out --strict)\n",
        ),
    ] {
        let (_, stderr) = run(args, input);
        assert!(stderr.contains(expected), "{args}: {stderr}");
    }
}

#[test]
fn a_message_says_that_input_is_read_from_the_terminal() {
    for (args, is_printed) in [("", true), ("detect", true), ("-t UTF-16LE", true), ("-", false), ("-q", false)] {
        let (owner, terminal) = terminal();
        let mut command = charpipe(args);
        command.stdin(terminal.try_clone().unwrap()).stderr(terminal);
        // A line, and the end of the input.
        File::from(owner.try_clone().unwrap()).write_all(b"text\n\x04").unwrap();
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        drop(command);
        assert!(output.status.success() && !output.stdout.is_empty(), "{args}");
        let mut shown = Vec::new();
        // The end is an error here.
        _ = File::from(owner).read_to_end(&mut shown);
        let shown = String::from_utf8_lossy(&shown).into_owned();
        assert_eq!(
            shown.contains("reading from the terminal; end the input with Ctrl-D, or see charpipe -h"),
            is_printed,
            "{args}: {shown}"
        );
    }
}

/// Two files never have the same name in output for people or for programs, and names are escaped.
#[test]
#[cfg(target_os = "linux")]
fn no_two_names_are_shown_alike() {
    use std::collections::HashSet;
    use std::os::unix::ffi::OsStrExt;
    let folder = TempDir::new().unwrap();
    let names: [(&[u8], &str, &str); 14] = [
        (b"plain", "plain", "plain"),
        (b"dir\\new", "dir\\new", "dir\\new"),
        (b"\xFF", "\\xFF", "\\xFF"),
        (b"\\xFF", "\\\\xFF", "\\\\xFF"),
        (b"\\\\xFF", "\\\\\\\\xFF", "\\\\\\\\xFF"),
        (b"\\\xFF", "\\\\\\xFF", "\\\\\\xFF"),
        (b"\\xff", "\\xff", "\\xff"),
        (b"\n", "\\u{a}", "\n"),
        (b"\\n", "\\n", "\\n"),
        (b"\\u{a}", "\\\\u{a}", "\\u{a}"),
        ("\u{85}".as_bytes(), "\\u{85}", "\u{85}"),
        ("\u{7F}".as_bytes(), "\\u{7f}", "\u{7F}"),
        ("a\u{202E}b\\".as_bytes(), "a\\u{202e}b\\\\", "a\u{202E}b\\"),
        ("e\u{301}".as_bytes(), "e\u{301}", "e\u{301}"),
    ];
    let mut seen = HashSet::new();
    for (name, shown, input) in names {
        let name = std::ffi::OsStr::from_bytes(name);
        fs::write(folder.path().join(name), "x").unwrap();
        for arg in ["--json", ""] {
            let mut command = charpipe(&format!("detect {arg}"));
            let output = command.current_dir(&folder).arg("--").arg(name).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.trim_end_matches('\n').chars().all(|ch| !ch.is_control() && ch != '\u{202E}'), "{text:?}");
            if arg.is_empty() {
                assert!(text.starts_with(&format!("{shown}: ")), "{text:?}");
            } else {
                let object: serde_json::Value = serde_json::from_str(&text).unwrap();
                assert_eq!(object["input"], input, "{text}");
            }
            assert!(seen.insert(text));
        }
    }
}
