//! Compares charpipe with other detectors on the samples of `declaration.rs`.

use super::declaration::{CLASSES, Sample, own, samples};
use charpipe::Registry;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// From this size on, charpipe has to be better than every other detector.
const MIN_SIZE: usize = 100;

/// The sizes of short samples, in characters: about as many bytes in most charsets of the class.
const SHORT: [usize; 4] = [20, 50, 100, 200];

/// The class of which short samples have a table of their own: the charsets of most files that nothing labels.
const SHORT_CLASS: &str = "web";

/// The points of a detector.
#[derive(Default)]
struct Scores {
    /// By class, for samples below and from [`MIN_SIZE`].
    by_class: BTreeMap<(bool, &'static str), (usize, usize)>,
    /// By size, in [`SHORT_CLASS`].
    by_size: BTreeMap<usize, (usize, usize)>,
}

fn add(scores: &mut Scores, sample: &Sample, points: usize) {
    let by_class = scores.by_class.entry((sample.size >= MIN_SIZE, sample.class)).or_default();
    let by_size = (sample.class == SHORT_CLASS).then(|| scores.by_size.entry(sample.size).or_default());
    for score in by_size.into_iter().chain([by_class]) {
        score.0 += points;
        score.1 += 2;
    }
}

/// Prints the table of short samples.
fn print_short(all: &[(String, Scores)]) {
    let sizes: Vec<String> = SHORT.iter().map(|size| format!("{size} characters")).collect();
    println!("\n| {SHORT_CLASS}: right % | {} |", sizes.join(" | "));
    println!("|---|{}", "---|".repeat(SHORT.len()));
    for (name, scores) in all {
        let of = |size| scores.by_size.get(size).copied().unwrap_or_default();
        let row: Vec<String> = SHORT.iter().map(of).map(|(points, most)| super::percent(points, most)).collect();
        println!("| {name} | {} |", row.join(" | "));
    }
}

/// Compares, prints a table, and returns whether charpipe is better than every other detector in every class of
/// samples from [`MIN_SIZE`] on.
pub fn compare(registry: &Registry, whole: bool, verbose: bool) -> bool {
    let samples = samples(registry, if whole { 3 } else { 1 });
    let mut mine = Scores::default();
    for sample in &samples {
        let (points, answer) = own(sample, registry);
        if verbose && points < 2 {
            let Sample { class, language, charset, size, .. } = sample;
            println!("{class} {language} {charset} {size}: {answer}");
        }
        add(&mut mine, sample, points);
    }
    let mut all = vec![("charpipe".to_owned(), mine)];
    if whole {
        all.extend(peers(&samples));
    }
    println!("\n| right %, an honest \"unknown\" counts half | {} | {} |", CLASSES.join(" | "), CLASSES.join(" | "));
    println!("|---|{}", "---|".repeat(2 * CLASSES.len()));
    for (name, scores) in &all {
        let cell = |long: bool, class: &&'static str| {
            let (points, most) = scores.by_class.get(&(long, *class)).copied().unwrap_or_default();
            super::percent(points, most)
        };
        let row: Vec<String> =
            [true, false].iter().flat_map(|long| CLASSES.iter().map(move |class| cell(*long, class))).collect();
        println!("| {name} | {} |", row.join(" | "));
    }
    print_short(&all);
    let charsets: std::collections::BTreeSet<&str> = samples.iter().map(|sample| sample.charset).collect();
    println!(
        "\n{} samples in {} encodings; the first four columns are samples of at least {MIN_SIZE} characters",
        samples.len(),
        charsets.len()
    );
    let points = |scores: &Scores, class| scores.by_class.get(&(true, class)).map_or(0, |(points, _)| *points);
    all[1..].iter().all(|(_, scores)| CLASSES.iter().all(|class| points(&all[0].1, class) > points(scores, class)))
}

/// Asks the other detectors, as far as they can be installed.
fn peers(samples: &[Sample]) -> Vec<(String, Scores)> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    let folder = target.join("guess-samples");
    _ = fs::remove_dir_all(&folder);
    let written = fs::create_dir_all(&folder).and_then(|()| {
        samples.iter().enumerate().try_for_each(|(index, sample)| {
            fs::write(folder.join(format!("{index:05}.bin")), &sample.bytes)?;
            fs::write(folder.join(format!("{index:05}.txt")), &sample.text)
        })
    });
    if let Err(error) = written {
        eprintln!("skipped: the samples cannot be written: {error}");
        return Vec::new();
    }
    let python = target.join("guess-venv/bin/python");
    if !python.exists() {
        let venv = Command::new("python3").args(["-m", "venv"]).arg(target.join("guess-venv")).status();
        let packages = ["chardet", "charset-normalizer", "faust-cchardet"];
        let pip = Command::new(&python).args(["-m", "pip", "-q", "install"]).args(packages).status();
        if !venv.is_ok_and(|status| status.success()) || !pip.is_ok_and(|status| status.success()) {
            eprintln!("skipped: the Python packages cannot be installed; only programs on the PATH are compared");
        }
    }
    let python = if python.exists() { python } else { "python3".into() };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/guess/peers.py");
    let Ok(output) = Command::new(python).arg(script).arg(&folder).output() else {
        eprintln!("skipped: there is no Python");
        return Vec::new();
    };
    let mut scores: BTreeMap<String, Scores> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let [index, name, answer] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        let Some(sample) = index.parse::<usize>().ok().and_then(|index| samples.get(index)) else { continue };
        let points = match answer {
            "right" => 2,
            "unknown" => 1,
            _ => 0,
        };
        add(scores.entry(name.to_owned()).or_default(), sample, points);
    }
    scores.into_iter().collect()
}
