//! Tests options that are set by name.

use charpipe::{OptionValue, Transcode};

/// Every word of every option is accepted, and a wrong one gets an error that lists the right ones.
#[test]
fn every_word_is_accepted() {
    for option in Transcode::OPTIONS {
        let words: &[&str] = match option.value {
            OptionValue::Word(words) | OptionValue::WordOrLabel(words) => words,
            OptionValue::Flag => &["true", "false"],
            _ => &[],
        };
        for word in words {
            let name = option.name.replace('-', "_");
            assert!(Transcode::new().set(&name, word).is_ok(), "{}={word}", option.name);
        }
        let wrong = Transcode::new().set(option.name, "no-such-value");
        match option.value {
            OptionValue::Text if ["content-type", "tape-file"].contains(&option.name) => assert!(wrong.is_ok()),
            OptionValue::Labels => assert_eq!(wrong.unwrap_err().code(), "unknown-label"),
            OptionValue::WordOrLabel(_) if option.name != "malformed" => {
                assert_eq!(wrong.unwrap_err().code(), "unknown-label", "{}", option.name);
            }
            _ => {
                let error = wrong.unwrap_err();
                assert_eq!(error.code(), "bad-option", "{}", option.name);
                assert!(error.to_string().starts_with(&format!("option {}: ", option.name)), "{error}");
                assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
            }
        }
    }
}

/// An old name is not a name, and what took its place is an option with that value.
#[test]
fn old_names_lead_to_new_ones() {
    for renamed in Transcode::RENAMED {
        assert!(Transcode::OPTIONS.iter().all(|option| option.name != renamed.old), "{renamed:?}");
        let value = renamed.value.unwrap_or("2");
        assert!(Transcode::new().set(renamed.name, value).is_ok(), "{renamed:?}");
        let why = Transcode::new().set(renamed.old, value).unwrap_err().to_string();
        assert!(why.contains(&format!("it is now {}", renamed.name)), "{why}");
    }
}

#[test]
fn wrong_names_and_values_are_explained() {
    for (name, value, message) in [
        ("malfromed", "drop", "option malfromed: there is no such option; did you mean malformed?"),
        ("", "", "option : there is no such option"),
        #[cfg(not(feature = "mojibake"))]
        (
            "mojibake",
            "repair",
            "option mojibake: this build has no repair of mojibake: it lacks the feature `mojibake`",
        ),
        #[cfg(not(feature = "normalize"))]
        ("normalize", "nfc", "option normalize: this build has no normalisation: it lacks the feature `normalize`"),
        ("keep-blanks", "true", "option keep-blanks: it is now trim=none"),
        ("trim_nuls", "true", "option trim-nuls: it is now trim=blanks,nuls"),
        ("asa", "true", "option asa: it is now carriage-control=asa"),
        ("file", "2", "option file: it is now tape-file"),
        ("trim", "blanks,none", r#"option trim: "blanks,none" is not one of blanks, nuls, blanks,nuls, none"#),
        ("guess", "1", r#"option guess: "1" is not true or false"#),
        ("as", "http", r#"option as: "http" is not one of auto, xml, html, text"#),
        ("jobs", "0", r#"option jobs: "0" is not a number from 1 to 65535"#),
        ("tape-file", "0", r#"option tape-file: "0" is not a number from 1, nor the name of a data set"#),
        ("prescan", "9999999", r#"option prescan: "9999999" is not a number from 0 to 1048576"#),
        (
            "malformed",
            "skip",
            r#"option malformed: "skip" is not one of fail, replace, drop, escape, and it is not an encoding"#,
        ),
        ("malformed", "IBM037", "IBM037 is not a single-byte charset that contains ASCII"),
        ("to", "IBM9999", r#""IBM9999" is not known"#),
    ] {
        let error = Transcode::new().set(name, value).unwrap_err();
        assert_eq!((error.to_string(), error.offset()), (message.to_owned(), None), "{name}={value}");
    }
}

/// An option that is set several times: the last value counts.
#[test]
fn the_last_of_several_counts() {
    let set = |options: &[(&str, &str)]| {
        let mut job = Transcode::new();
        for (name, value) in options {
            job = job.set(name, value).unwrap();
        }
        format!("{job:?}")
    };
    let equal: [(&[_], &[_]); 6] = [
        (&[("from", "IBM037"), ("from", "auto")], &[]),
        (&[("trim", "none"), ("trim", "nuls")], &[("trim", "nuls")]),
        (&[("trim", "nuls,blanks")], &[("trim", "blanks,nuls")]),
        (&[("trim", "none"), ("trim", "blanks")], &[]),
        (&[("carriage-control", "asa"), ("carriage-control", "machine")], &[("carriage-control", "machine")]),
        (&[("malformed", "US-ASCII"), ("malformed", "drop")], &[("malformed", "drop")]),
    ];
    for (long, short) in equal {
        assert_eq!(set(long), set(short), "{long:?}");
    }
}
