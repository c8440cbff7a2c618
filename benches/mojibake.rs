//! Measures the repair of damaged and undamaged text, compared with a conversion without the option:
//! `cargo bench --bench mojibake`.

use charpipe::{OnMojibake, Transcode};
use std::time::Instant;

const TEXTS: [(&str, &str); 9] = [
    ("English", "The quick brown fox jumps over the lazy dog, and the dog does not mind. "),
    ("German", "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. Größe, Maß, süß. "),
    ("French", "Dès Noël, où un zéphyr haï me vêt de glaçons würmiens, je dîne d’exquis rôtis de bœuf. "),
    ("Russian", "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация. "),
    ("Ukrainian", "Щастям б’єш жук їх глицю в фон й ґедзь пріч. Рік, сім днів і її зошити, сіль. "),
    ("Japanese", "いろはにほへと　ちりぬるを　わかよたれそ　つねならむ。日本語の文章です。"),
    ("Hindi", "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले विष्णुवतार। "),
    ("Thai", "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน "),
    ("Vietnamese", "Do bạch kim rất quý nên sẽ dùng để lắp vô xương. Tôi có thể ăn thủy tinh. "),
];

/// UTF-8 decoded as windows-1252, with controls where that has no character.
fn damaged(text: &str) -> String {
    let page = Transcode::new().source_encoding("windows-1252").unwrap();
    text.bytes().map(|byte| page.decode(&[byte]).unwrap().into_owned()).collect()
}

fn speed(job: &Transcode, text: &str) -> f64 {
    let run = || {
        let start = Instant::now();
        job.run(text.as_bytes(), std::io::sink()).unwrap();
        start.elapsed().as_secs_f64()
    };
    let best = (0..5).map(|_| run()).fold(f64::MAX, f64::min);
    text.len() as f64 / best / 1e6
}

fn main() {
    let plain = Transcode::new().source_encoding("UTF-8").unwrap();
    let repair = plain.clone().on_mojibake(OnMojibake::Repair);
    println!("{:24} {:>10} {:>10}   MB/s", "", "keep", "repair");
    let show = |name: &str, text: &str| {
        let text = text.repeat((8 << 20) / text.len());
        println!("{name:24} {:10.0} {:10.0}", speed(&plain, &text), speed(&repair, &text));
    };
    for (name, text) in TEXTS {
        show(name, text);
    }
    for (name, text) in &TEXTS[1..6] {
        show(&format!("{name}, damaged"), &damaged(text));
    }
    let all: String = TEXTS[3].1.chars().filter(|ch| !ch.is_ascii()).collect();
    show("nothing but damage", &damaged(&all));
}
