//! Looks for text that was decoded with the wrong charset before.

use super::statistics::WINDOW;
use super::verdict::Diagnostic;
use crate::codec::{Codec, drive, is_utf8};
use crate::error::TextPosition;
use crate::mojibake::{Item, Layers, may_be_in};

/// Returns a hint if `sample`, the beginning of an input that `codec` decodes, has text that was decoded with the wrong
/// charset before, such as `Ã©` for `é`. Only the first [`WINDOW`] bytes of it are examined.
/// [`Transcode::on_mojibake`](crate::Transcode::on_mojibake) repairs such text.
///
/// ```
/// use charpipe::Registry;
/// use charpipe::detect::looks_like_mojibake;
///
/// let utf8 = Registry::builtin().codec("UTF-8")?;
/// let hint = looks_like_mojibake("a cafÃ©".as_bytes(), &*utf8).unwrap();
/// assert_eq!((hint.code, hint.offset), ("looks-like-mojibake", 5));
/// assert_eq!(looks_like_mojibake("a café".as_bytes(), &*utf8), None);
/// # Ok::<(), charpipe::Error>(())
/// ```
pub fn looks_like_mojibake(sample: &[u8], codec: &dyn Codec) -> Option<Diagnostic> {
    let sample = &sample[..sample.len().min(WINDOW)];
    let text = decoded(sample, codec);
    // In UTF-8, what lost its second character is not worth a hint.
    if !may_be_in(&text, !is_utf8(codec)) {
        return None;
    }
    let found = first(&text, sample.len() < WINDOW)?;
    let begin = found.begin as usize;
    let offset = if is_utf8(codec) { begin } else { offset_of(begin, sample, codec) };
    let before = &text[begin..begin + found.len as usize];
    let message = format!("{before:?} looks like {:?} that was decoded with the wrong charset", found.ch.to_string());
    let hint = Diagnostic::hint("looks-like-mojibake", offset as u64, message);
    Some(hint.with_position(position_after(text[..begin].trim_start_matches('\u{FEFF}'))))
}

/// Returns the line and column of what comes after `text`.
#[cfg(feature = "lines")]
fn position_after(text: &str) -> Option<TextPosition> {
    let mut counter = crate::codec::TextCounter::default();
    counter.add(text);
    Some(counter.position())
}

#[cfg(not(feature = "lines"))]
fn position_after(_: &str) -> Option<TextPosition> {
    None
}

/// Decodes the bytes up to the first error.
fn decoded(bytes: &[u8], codec: &dyn Codec) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 2);
    codec.with_decoder(&mut |decoder| {
        drive(decoder, bytes, false, &mut [0; 1024], |step| {
            text.push_str(step.text);
            step.fault.is_none()
        });
    });
    text
}

/// Returns where the byte is that the character at `index` of the text came from.
fn offset_of(index: usize, bytes: &[u8], codec: &dyn Codec) -> usize {
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = low.midpoint(high);
        if decoded(&bytes[..=middle], codec).len() <= index { low = middle + 1 } else { high = middle }
    }
    // The character may have more than one byte, and it is there with its last one.
    (0..low).rev().take_while(|at| decoded(&bytes[..*at], codec).len() == index).last().unwrap_or(low)
}

/// Returns the first repair of the text. `is_whole`: nothing follows it.
fn first(text: &str, is_whole: bool) -> Option<Item> {
    let mut layers = Layers::new();
    let (mut index, mut found) = (0, None);
    while index < text.len() && found.is_none() {
        if layers.is_idle() {
            let Some(next) = layers.find(text, index) else { break };
            if let Some(last) = text[index..next].chars().next_back() {
                layers.skip(last);
            }
            index = next;
        }
        let ch = text[index..].chars().next()?;
        layers.push(Item::new(ch, index), &mut |item| note(&mut found, item));
        index += ch.len_utf8();
    }
    if is_whole {
        layers.finish(&mut |item| note(&mut found, item));
    }
    found
}

fn note(found: &mut Option<Item>, item: Item) {
    if item.is_repaired() && !item.is_half() {
        found.get_or_insert(item);
    }
}
