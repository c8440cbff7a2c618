//! Repairs text that streams by. Text that was damaged more than once needs more than one layer: the second repairs what
//! the first has made.

use super::decide::{Decision, View};
use super::tables::{ALONE, LOST, Tables, WESTERN};

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
    /// How often it was repaired.
    depth: u8,
}

impl Item {
    /// A character of the text.
    pub(crate) fn new(ch: char, begin: usize) -> Self {
        Item { ch, begin: begin as isize, len: ch.len_utf8() as u32, depth: 0 }
    }

    pub(crate) fn is_repaired(&self) -> bool {
        self.depth > 0
    }

    /// Whether it is what a layer of this depth looks at.
    pub(super) fn is_at(&self, depth: u8) -> bool {
        self.depth == depth
    }

    /// Whether it is a control that nobody writes: the half of a repair whose other half is lost. It is not made.
    pub(crate) fn is_half(&self) -> bool {
        matches!(self.ch, '\u{80}'..='\u{9F}')
    }
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
    /// How many layers come before it. It repairs what the last of them has made.
    depth: u8,
}

/// All layers.
#[derive(Clone)]
pub(crate) struct Layers {
    tables: &'static Tables,
    layers: [Layer; LAYERS],
}

impl Layers {
    pub(crate) fn new() -> Self {
        let layer = Layer { held: Vec::new(), done: 0, before: ' ', page: None, depth: 0 };
        let layers = std::array::from_fn(|index| Layer { depth: index as u8, ..layer.clone() });
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

    /// Returns where in `text`, from `from` on, the next character is that may begin a damaged sequence, as far as the two
    /// after it show. `None` if there is none.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        // What the last character may begin, and the one before it together with the last one; and where they are.
        let (mut short, mut long, mut begun) = (0, 0, 0);
        let (mut last, mut before_last) = (from, from);
        let mut index = from;
        while let Some(&byte) = bytes.get(index) {
            if byte < 0x80 {
                if long & WESTERN != 0 && byte == b' ' {
                    return Some(before_last);
                }
                if short & LOST != 0 && byte == b' ' {
                    return Some(last);
                }
                (short, long, begun) = (0, 0, 0);
                index += ascii_len(&bytes[index..]);
                continue;
            }
            let (signs, len) = self.tables.signs(&bytes[index..]);
            if long & signs.tail != 0 {
                return Some(before_last);
            }
            if short & signs.tail != 0 {
                return Some(last);
            }
            if signs.lead & ALONE != 0 {
                return Some(if begun & signs.tail != 0 { last } else { index });
            }
            (short, long, begun) = (signs.lead, begun & signs.tail, signs.long_lead);
            (before_last, last) = (last, index);
            index += len;
        }
        // The text may go on with what is missing.
        match (long, short | begun) {
            (0, 0) => None,
            (0, _) => Some(last),
            _ => Some(before_last),
        }
    }
}

/// The length of the ASCII text at the front of `bytes`.
fn ascii_len(bytes: &[u8]) -> usize {
    let is_ascii = |block: &&[u8]| block.iter().fold(0, |all, byte| all | byte) < 0x80;
    let len = 32 * bytes.chunks_exact(32).take_while(is_ascii).count();
    len + bytes[len..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Passes an item to the first of some layers.
fn step(tables: &'static Tables, layers: &mut [Layer], item: Item, emit: &mut dyn FnMut(Item)) {
    for index in 0..layers.len() {
        let layer = &mut layers[index];
        if !layer.is_empty() || item.is_at(layer.depth) {
            if let Some((layer, rest)) = layers[index..].split_first_mut() {
                layer.held.push(item);
                layer.drain(tables, false, rest, emit);
            }
            return;
        }
        // It passes.
        (layer.before, layer.page) = (item.ch, None);
    }
    emit(item);
}

impl Layer {
    fn is_empty(&self) -> bool {
        self.done == self.held.len()
    }

    /// Decides about as much as can be decided about. `rest`: the layers that follow.
    fn drain(&mut self, tables: &'static Tables, is_end: bool, rest: &mut [Layer], emit: &mut dyn FnMut(Item)) {
        while !self.is_empty() {
            let text = &self.held[self.done..];
            let decision =
                View { tables, before: self.before, page: self.page, text, is_end, depth: self.depth }.decide();
            let (len, item) = match decision {
                Decision::Wait => break,
                Decision::Keep => {
                    self.page = None;
                    (1, text[0])
                }
                Decision::Repair { len, ch, page } => {
                    self.page = Some(page);
                    let sum = text[..len].iter().map(|item| item.len).sum();
                    (len, Item { ch, begin: text[0].begin, len: sum, depth: self.depth + 1 })
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
