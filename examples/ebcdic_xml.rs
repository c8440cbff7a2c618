//! Parses an XML document in EBCDIC, or in any other encoding, with quick-xml, which expects UTF-8. quick-xml reads
//! from an adapter that converts the document. The declaration that the parser sees is correct, and only what the
//! parser asks for is held in memory.
//!
//!     cargo run --example ebcdic_xml [FILE]
//!
//! It prints the text of each element that has any, and then the encoding of the document.

use charpipe::Transcode;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::error::Error;
use std::fs::File;
use std::io::BufReader;

fn main() -> Result<(), Box<dyn Error>> {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/hello-ibm1047.xml");
    let path = std::env::args_os().nth(1).unwrap_or_else(|| example.into());

    let decoded = Transcode::new().reader(BufReader::new(File::open(path)?))?;
    let mut xml = Reader::from_reader(decoded);
    let (mut element, mut buffer) = (String::new(), Vec::new());
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer)? {
            Event::Decl(declaration) => {
                println!("the parser is told {:?}", &*declaration.encoding().transpose()?.unwrap_or_default())
            }
            Event::Start(tag) => element = tag.name().as_ref().to_owned(),
            Event::Text(text) if !text.trim().is_empty() => println!("{element}: {}", text.xml10_content()),
            Event::Eof => break,
            _ => {}
        }
    }
    println!("the document was in {}", xml.get_ref().report().from.as_deref().unwrap_or("nothing known"));
    Ok(())
}
