//! A batch as a message of a stream: [`put_batch`].

use super::columns::Node;
use super::flat_buffer::{Buffer, LATER, VERSION_5};

/// Buffers begin at multiples of this many bytes.
const ALIGNMENT: usize = 8;

/// Appends a batch to a stream: a `Message` with a `RecordBatch`, and the buffers of all columns.
pub(super) fn put_batch(rows: usize, nodes: &[Node], stream: &mut Vec<u8>) {
    const HEADER_IS_BATCH: [u8; 1] = [3];
    let buffers: Vec<&[u8]> = nodes.iter().flat_map(buffers).collect();
    let mut body = 0;
    let place = |buffer: &&[u8]| {
        let begin = body;
        body += buffer.len().next_multiple_of(ALIGNMENT);
        [begin as u64, buffer.len() as u64]
    };
    let places: Vec<[u64; 2]> = buffers.iter().map(place).collect();
    let entry = |node: &Node| [node.validity().len() as u64, node.validity().nulls() as u64];
    let entries: Vec<[u64; 2]> = nodes.iter().map(entry).collect();

    let mut metadata = Buffer::new();
    let body_len = (body as u64).to_le_bytes();
    let [_, _, header, _] = metadata.put_table(0, [&VERSION_5, &HEADER_IS_BATCH, &LATER, &body_len]);
    let [_, at_entries, at_places] = metadata.put_table(header, [&(rows as u64).to_le_bytes(), &LATER, &LATER]);
    metadata.put_pairs(at_entries, &entries);
    metadata.put_pairs(at_places, &places);
    stream.reserve(body + 64 + 16 * (entries.len() + places.len()));
    metadata.finish(stream);
    for buffer in buffers {
        stream.extend_from_slice(buffer);
        // Counted from the beginning of the buffer: the stream may begin anywhere in the output.
        let padding = buffer.len().next_multiple_of(ALIGNMENT) - buffer.len();
        stream.extend_from_slice(&[0; ALIGNMENT][..padding]);
    }
}

/// Returns the buffers of a column, without those of the columns in it.
fn buffers(node: &Node) -> impl Iterator<Item = &[u8]> {
    let all = match node {
        Node::Leaf(leaf) => leaf.buffers(),
        Node::Struct { validity, .. } => [Some(validity.as_bytes()), None, None],
        Node::List { ends, validity, .. } => [Some(validity.as_bytes()), Some(ends.as_bytes()), None],
    };
    all.into_iter().flatten()
}
