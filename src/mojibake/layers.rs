//! Repairs a stream of text. Text that was damaged more than once needs more than one layer: the second layer repairs
//! the output of the first.

use super::class::plausible;
use super::decide::{Decision, View};
use super::item::Item;
use super::tables::{ALONE, LOST, Tables, WESTERN};

/// How often text may have been damaged.
const LAYERS: usize = 6;

/// One layer: what it holds back, and what it depends on.
#[derive(Clone, Debug)]
struct Layer {
    /// The characters that are not decided about. Those before `done` are.
    held: Vec<Item>,
    done: usize,
    /// The last character that it let go, and the page if it was repaired.
    before: char,
    page: Option<u32>,
    /// It has held something since text was skipped. If not, `before` is that of the last layer.
    is_used: bool,
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
        let layer = Layer { held: Vec::new(), done: 0, before: ' ', page: None, is_used: false, depth: 0 };
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

    /// Continues after text that needs no repair and ends in `before`, while nothing is held back.
    pub(crate) fn skip(&mut self, before: char) {
        for layer in &mut self.layers {
            (layer.before, layer.page, layer.is_used) = (before, None, false);
        }
    }

    /// Takes the next character, and passes all that are decided about to `emit`.
    pub(crate) fn push(&mut self, item: Item, emit: &mut dyn FnMut(Item)) {
        step(self.tables, &mut self.layers, item, emit);
    }

    /// Continues with the run of damaged text that the first layer is in: repairs what is at `index` of `text` and
    /// has the same page. Returns its length; 0 if it takes more than that to decide.
    pub(crate) fn go_on(&mut self, text: &str, index: usize, emit: &mut dyn FnMut(Item)) -> usize {
        let tables = self.tables;
        let Some((layer, rest)) = self.layers.split_first_mut() else { return 0 };
        if layer.page.is_none() || !layer.is_empty() {
            return 0;
        }
        if let Some((item, before)) = layer.page.and_then(|page| short(tables, page, text, index)) {
            layer.before = before;
            step(tables, rest, item, emit);
            return item.len as usize;
        }
        let mut items = [Item::new(' ', index); 4];
        let mut count = 0;
        for (at, ch) in text[index..].char_indices().take(items.len()) {
            items[count] = Item::new(ch, index + at);
            count += 1;
        }
        let view = View {
            tables,
            before: layer.before,
            page: layer.page,
            text: &items[..count],
            is_end: false,
            depth: layer.depth,
        };
        let Decision::Repair { len, ch, page } = view.decide() else { return 0 };
        (layer.before, layer.page) = (items[len - 1].ch, Some(page));
        let item = Item::joined(&items[..len], ch);
        step(tables, rest, item, emit);
        item.len as usize
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

    /// Returns where in `text`, from `from` on, the next character is that may begin a damaged sequence, as far as the
    /// two after it show. `None` if there is none.
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
        // The text may continue with what is missing.
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

/// Repairs a sequence of two characters, each of two bytes, as [`View::decide`] does in a run. Returns its last
/// character too.
fn short(tables: &Tables, page: u32, text: &str, index: usize) -> Option<(Item, char)> {
    let [a @ 0xC2..=0xDF, b, c @ 0xC2..=0xDF, d, ..] = text.as_bytes()[index..] else { return None };
    let char_of = |lead: u8, last: u8| char::from_u32(u32::from(lead & 0x1F) << 6 | u32::from(last & 0x3F));
    let (first, second) = (char_of(a, b)?, char_of(c, d)?);
    let (lead, tail) = (tables.entry(first), tables.entry(second));
    if lead.lead & tail.tail & 1 << page == 0 || lead.byte(page) >= 0xE0 {
        return None;
    }
    let ch = char_of(lead.byte(page), tail.byte(page)).filter(|ch| plausible(*ch).is_some())?;
    Some((Item { ch, begin: index as isize, len: 4, depth: 1 }, second))
}

/// Passes an item to the first of some layers.
fn step(tables: &'static Tables, layers: &mut [Layer], item: Item, emit: &mut dyn FnMut(Item)) {
    let last = layers.last().map_or(' ', |layer| layer.before);
    for index in 0..layers.len() {
        let layer = &mut layers[index];
        if !layer.is_empty() || item.is_at(layer.depth) {
            if !std::mem::replace(&mut layer.is_used, true) {
                layer.before = last;
            }
            if let Some((layer, rest)) = layers[index..].split_first_mut() {
                layer.take(tables, item, rest, emit);
            }
            return;
        }
        if !layer.is_used {
            break;
        }
        // It passes.
        (layer.before, layer.page) = (item.ch, None);
    }
    if let Some(layer) = layers.last_mut() {
        layer.before = item.ch;
    }
    emit(item);
}

impl Layer {
    fn is_empty(&self) -> bool {
        self.done == self.held.len()
    }

    /// Takes the next character.
    fn take(&mut self, tables: &'static Tables, item: Item, rest: &mut [Layer], emit: &mut dyn FnMut(Item)) {
        let signs = tables.signs_of(item.ch);
        // Nearly every character of text that was repaired is held until the next one shows that no sequence begins
        // with it.
        if let &[held] = &self.held[self.done..] {
            let before = tables.signs_of(held.ch);
            if (before.lead | before.long_lead) & signs.tail == 0 && before.lead & ALONE == 0 {
                (self.before, self.page) = (held.ch, None);
                self.held.clear();
                self.done = 0;
                step(tables, rest, held, emit);
            }
        }
        self.held.push(item);
        if self.held.len() > 1 || signs.lead | signs.long_lead == 0 || signs.lead & ALONE != 0 {
            self.drain(tables, false, rest, emit);
        }
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
                    (len, Item::joined(&text[..len], ch))
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
