//! Repairs text that streams by. Text that was damaged more than once needs more than one layer: the second repairs what
//! the first has made.

use super::decide::{Decision, View};
use super::tables::{ALONE, Tables};

/// How often text may have been damaged.
const LAYERS: usize = 6;

/// A character on its way through the layers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) ch: char,
    /// Where the text begins that it stands for, in bytes. Negative: so far before the text that is being cut.
    pub(crate) begin: isize,
    /// The length of that text.
    pub(crate) len: u32,
    pub(crate) is_repaired: bool,
}

/// One layer: what it holds back, and what it depends on.
#[derive(Clone, Debug)]
struct Layer {
    /// The characters that are not decided about. Those before `done` are.
    held: Vec<Item>,
    done: usize,
    /// The last character that it let go, and the page if it was repaired.
    before: char,
    page: Option<u32>,
    /// It repairs what another one has made.
    is_again: bool,
}

/// All layers.
#[derive(Clone)]
pub(crate) struct Layers {
    tables: &'static Tables,
    layers: [Layer; LAYERS],
}

impl Layers {
    pub(crate) fn new() -> Self {
        let layer = Layer { held: Vec::new(), done: 0, before: ' ', page: None, is_again: false };
        let layers = std::array::from_fn(|index| Layer { is_again: index > 0, ..layer.clone() });
        Layers { tables: Tables::get(), layers }
    }

    /// Whether nothing is held back.
    pub(crate) fn is_idle(&self) -> bool {
        self.layers.iter().all(Layer::is_empty)
    }

    /// Whether it is as if the text began here.
    pub(crate) fn is_new(&self) -> bool {
        self.layers.iter().all(|layer| layer.is_empty() && layer.before == ' ' && layer.page.is_none())
    }

    /// Goes on after text that needs no repair and ends in `before`, while nothing is held back.
    pub(crate) fn skip(&mut self, before: char) {
        for layer in &mut self.layers {
            (layer.before, layer.page) = (before, None);
        }
    }

    /// Takes the next character, and passes all that are decided about to `emit`.
    pub(crate) fn push(&mut self, item: Item, emit: &mut dyn FnMut(Item)) {
        step(self.tables, &mut self.layers, item, emit);
    }

    /// Decides about all that is held back, after which nothing follows.
    pub(crate) fn finish(&mut self, emit: &mut dyn FnMut(Item)) {
        for index in 0..LAYERS {
            if let Some((layer, rest)) = self.layers[index..].split_first_mut() {
                layer.drain(self.tables, true, rest, emit);
            }
        }
        self.skip(' ');
    }

    /// Where the text begins that is held back.
    pub(crate) fn begin(&self) -> Option<isize> {
        // What a later layer holds came before what an earlier one holds.
        self.layers.iter().rev().find(|layer| !layer.is_empty()).map(|layer| layer.held[layer.done].begin)
    }

    /// Counts positions from `len` bytes later.
    pub(crate) fn shift(&mut self, len: usize) {
        for item in self.layers.iter_mut().flat_map(|layer| &mut layer.held) {
            item.begin -= len as isize;
        }
    }

    /// Returns where in `text`, from `from` on, the next two characters begin that may be part of a damaged sequence.
    /// `None` if there are none; the last character may still be the first of two.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let (mut index, mut lead, mut last) = (from, 0, from);
        while index < bytes.len() {
            if lead == 0 && bytes[index] < 0x80 {
                index += ascii_len(&bytes[index..]);
                continue;
            }
            let Some(ch) = text[index..].chars().next() else { break };
            let entry = self.tables.entry(ch);
            if lead & entry.tail != 0 {
                return Some(last);
            }
            (lead, last) = (entry.lead, index);
            if lead & ALONE != 0 {
                break;
            }
            index += ch.len_utf8();
        }
        (lead != 0).then_some(last)
    }
}

/// The length of the ASCII text at the front of `bytes`.
fn ascii_len(bytes: &[u8]) -> usize {
    let blocks = bytes.chunks_exact(32).take_while(|block| block.iter().fold(0, |all, byte| all | byte) < 0x80);
    let len = 32 * blocks.count();
    len + bytes[len..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Passes an item to the first of some layers.
fn step(tables: &'static Tables, layers: &mut [Layer], item: Item, emit: &mut dyn FnMut(Item)) {
    let Some((layer, rest)) = layers.split_first_mut() else {
        emit(item);
        return;
    };
    layer.held.push(item);
    layer.drain(tables, false, rest, emit);
}

impl Layer {
    fn is_empty(&self) -> bool {
        self.done == self.held.len()
    }

    /// Decides about as much as can be decided about. `rest`: the layers that follow.
    fn drain(&mut self, tables: &'static Tables, is_end: bool, rest: &mut [Layer], emit: &mut dyn FnMut(Item)) {
        while !self.is_empty() {
            let text = &self.held[self.done..];
            let decision = View { tables, before: self.before, page: self.page, text, is_end, is_again: self.is_again }.decide();
            let (len, item) = match decision {
                Decision::Wait => break,
                Decision::Keep => {
                    self.page = None;
                    (1, text[0])
                }
                Decision::Repair { len, ch, page } => {
                    self.page = Some(page);
                    let sum = text[..len].iter().map(|item| item.len).sum();
                    (len, Item { ch, begin: text[0].begin, len: sum, is_repaired: true })
                }
            };
            self.before = self.held[self.done + len - 1].ch;
            self.done += len;
            step(tables, rest, item, emit);
        }
        if self.is_empty() {
            self.held.clear();
            self.done = 0;
        } else if self.done > 64 {
            self.held.drain(..self.done);
            self.done = 0;
        }
    }
}
