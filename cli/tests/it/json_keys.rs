//! The keys of the command's JSON: spec/json.tsv lists those that the commands print, with their types, and docs/json.md is
//! made from it.

use crate::common::shapes;
use crate::readme::{Scratch, check_generated, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

/// A kind of object.
struct Object {
    title: String,
    printed_by: String,
    /// Commands that print such objects, one on a line.
    commands: Vec<String>,
    keys: Vec<Key>,
}

struct Key {
    /// The keys from the object to the value, with dots between them. Elements of arrays add nothing.
    path: String,
    types: String,
    meaning: String,
}

fn list() -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::new();
    for line in fs::read_to_string(root().join("spec/json.tsv")).unwrap().lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let (title, printed_by) = heading.split_once('\t').unwrap();
            let (title, printed_by) = (title.to_owned(), printed_by.to_owned());
            objects.push(Object { title, printed_by, commands: Vec::new(), keys: Vec::new() });
        } else if let Some(command) = line.strip_prefix("$ ") {
            objects.last_mut().unwrap().commands.push(command.to_owned());
        } else if !line.starts_with('#') {
            let [path, types, meaning] = line.split('\t').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
            objects.last_mut().unwrap().keys.push(Key { path, types, meaning });
        }
    }
    objects
}

/// Checks values against the list, and collects what was seen.
struct Check<'a> {
    objects: &'a [Object],
    /// Titles and paths.
    seen: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Check<'a> {
    /// Checks an object of the kind `title`.
    fn object(&mut self, title: &str, value: &Value) {
        let objects = self.objects;
        let object = objects.iter().find(|object| object.title == title).unwrap_or_else(|| panic!("no {title}"));
        self.members(object, "", value);
    }

    /// Checks the members of a part of an object.
    fn members(&mut self, object: &'a Object, above: &str, value: &Value) {
        for (key, value) in value.as_object().unwrap_or_else(|| panic!("{}: {above}: {value}", object.title)) {
            let path = format!("{above}{key}");
            match object.keys.iter().find(|known| known.path == path) {
                Some(known) => {
                    self.seen.insert((&object.title, &known.path));
                    let fits = known.types.split(" or ").any(|of| self.fits(object, known, of, value));
                    assert!(fits, "{}: {path} is not {}: {value}", object.title, known.types);
                }
                // An object that is always there is shown by its keys alone.
                None => {
                    let has_parts = object.keys.iter().any(|known| known.path.starts_with(&format!("{path}.")));
                    assert!(has_parts, "{}: spec/json.tsv lacks {path}: {value}", object.title);
                    self.members(object, &format!("{path}."), value);
                }
            }
        }
    }

    /// Returns whether the value of a key has one of its types. What is in it is checked too.
    fn fits(&mut self, object: &'a Object, key: &Key, of: &str, value: &Value) -> bool {
        match (of, value) {
            ("string", Value::String(_)) | ("boolean", Value::Bool(_)) | ("number", Value::Number(_)) => true,
            ("null", Value::Null) => true,
            ("object", Value::Object(_)) => {
                self.members(object, &format!("{}.", key.path), value);
                true
            }
            (title, Value::Object(_)) if self.objects.iter().any(|object| object.title == title) => {
                self.object(title, value);
                true
            }
            (array, Value::Array(values)) => array
                .strip_prefix("array of ")
                .is_some_and(|of| values.iter().all(|value| self.fits(object, key, of, value))),
            _ => false,
        }
    }
}

#[test]
fn the_list_has_the_keys_that_the_commands_print() {
    let (objects, scratch) = (list(), Scratch::new());
    fs::create_dir(scratch.root().join("try")).unwrap();
    fs::write(scratch.root().join("try/labelled.aws"), shapes::several()).unwrap();
    let mut check = Check { objects: &objects, seen: BTreeSet::new() };
    for object in &objects {
        for command in &object.commands {
            let printed = scratch.run(command);
            let lines: Vec<&str> = printed.lines().filter(|line| line.starts_with('{')).collect();
            assert!(!lines.is_empty(), "$ {command}\n{printed}");
            for line in lines {
                check.object(&object.title, &serde_json::from_str(line).unwrap());
            }
        }
    }
    let is_seen = |title: &str, path: &str| {
        let below = format!("{path}.");
        check.seen.iter().any(|(of, seen)| *of == title && (*seen == path || seen.starts_with(&below)))
    };
    let unseen = objects.iter().flat_map(|object| object.keys.iter().map(|key| (&object.title, &key.path)));
    let unseen: Vec<_> = unseen.filter(|(title, path)| !is_seen(title, path)).collect();
    assert!(unseen.is_empty(), "no command prints {unseen:?}");
}

#[test]
fn the_page_is_made_from_the_list() {
    check_generated("docs/json.md", &page(), "json_keys");
}

fn page() -> String {
    let objects = list();
    let mut page = "\
# JSON

<!-- Made from spec/json.tsv by a test. -->

`charpipe detect`, `list` and `chart` print JSON with `--json`, and `--report PATH` writes it: one object on each line. Rust
(feature `serde`), Python, C and JavaScript return objects with the same keys.

A key is always present, and null if it has no value, unless its description says that it is absent. Keys keep their names and
their meanings in later versions. New keys may be added.

## File names

JSON contains most file names unchanged. If a name contains a byte that is not UTF-8, that byte is written as `\\xNN`, and
each backslash of the name is doubled. Backslashes are also doubled if the name itself contains `\\x` followed by two
hexadecimal digits (0 to 9, A to F). So undo the escapes only in names that contain `\\xNN`: `\\\\` is a backslash, and
`\\xNN` is a byte. Control characters, direction marks and other invisible characters are written as the `\\u` escapes of JSON.
"
    .to_owned();
    let title_of = |of: &str| {
        let (array, name) = of.strip_prefix("array of ").map_or(("", of), |name| ("array of ", name));
        match objects.iter().any(|object| object.title == name) {
            true => format!(
                "{array}[{}](#{})",
                name[..1].to_lowercase() + &name[1..],
                name.to_lowercase().replace(' ', "-")
            ),
            false => of.to_owned(),
        }
    };
    for object in &objects {
        _ = write!(page, "\n## {}\n\n{}\n\n| key | type | meaning |\n|---|---|---|\n", object.title, object.printed_by);
        for Key { path, types, meaning } in &object.keys {
            let types: Vec<String> = types.split(" or ").map(title_of).collect();
            _ = writeln!(page, "| `{path}` | {} | {meaning} |", types.join(" or "));
        }
    }
    page
}
