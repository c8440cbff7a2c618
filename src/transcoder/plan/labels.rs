//! Plans the changes that make the document's labels name the target.

use crate::codec::{Codec, is_enc_name};
use crate::detect::{Declaration, Vacancy};
use crate::error::{Error, ErrorKind};
use crate::registry::Registry;
use crate::text::relabel::{self, Edit, Place};
use crate::transcoder::charset::is_utf16;
use crate::transcoder::plan::label_search::Label;
use crate::transcoder::report::Relabelled;

/// Collects the changes for one document.
pub(super) struct Planner<'a> {
    pub(super) to: &'a dyn Codec,
    /// The output begins with a byte order mark.
    pub(super) writes_bom: bool,
    pub(super) registry: &'a Registry,
    /// The changes, in order once [`meta`](Self::meta) was called.
    pub(super) edits: Vec<Edit>,
}

impl Planner<'_> {
    /// Corrects the name in an XML declaration, or inserts one if XML needs it; HTML never does. `start`: where in the
    /// input the text begins.
    ///
    /// # Errors
    /// [`ErrorKind::NoXmlName`].
    pub(super) fn declaration(
        &mut self,
        declaration: Option<Declaration>,
        start: u64,
        is_xml: bool,
    ) -> Result<Option<Relabelled>, Error> {
        let is_needed = is_xml && self.to.name() != "UTF-8" && !(is_utf16(self.to) && self.writes_bom);
        let (place, declared) = match declaration {
            None => (Place::Start(start), None),
            Some(Declaration { name: Some((name, span)), .. }) => (Place::Name(span), Some(name)),
            Some(Declaration { vacancy, .. }) => match vacancy {
                Vacancy::Value(at) => (Place::Name(at..at), None),
                Vacancy::Attribute(at, quote) => (Place::Declaration(at, quote), None),
                Vacancy::None => return Ok(None),
            },
        };
        if declared.is_none() && !is_needed {
            return Ok(None);
        }
        let name = self.name()?;
        // An alias would be as true, but not every processor knows it.
        if declared.as_ref().is_some_and(|declared| declared.eq_ignore_ascii_case(&name)) {
            return Ok(None);
        }
        let Some(edit) = relabel::plan(place, &name, is_needed) else { return Ok(None) };
        self.edits.push(edit);
        Ok(Some(Relabelled { from: declared, to: name }))
    }

    /// Corrects the labels in `meta` elements. Returns the first that is wrong.
    ///
    /// # Errors
    /// [`ErrorKind::NoXmlName`].
    pub(super) fn meta(&mut self, labels: &[Label]) -> Result<Option<Relabelled>, Error> {
        let mut first = None;
        for (declared, bytes) in labels {
            let name = self.name()?;
            let is_edited = self.edits.iter().any(|edit| edit.bytes.start < bytes.end && bytes.start < edit.bytes.end);
            if is_edited || declared.eq_ignore_ascii_case(&name) {
                continue;
            }
            self.edits.extend(relabel::plan(Place::Name(bytes.clone()), &name, true));
            first.get_or_insert_with(|| Relabelled { from: Some(declared.clone()), to: name });
        }
        crate::sort::by_key(&mut self.edits, |edit| edit.bytes.start);
        Ok(first)
    }

    /// Returns the name of the target for the document to declare.
    fn name(&self) -> Result<String, Error> {
        // With a byte order mark the name says no byte order (RFC 2781 §3.3). Without one, a name that leaves out the order
        // would be untrue.
        let ordered = match self.to.info().byte_orders {
            Some(orders) if orders.bom && !self.writes_bom => orders.names.first(),
            _ => None,
        };
        let ordered = ordered.map(|name| self.registry.codec(name)).transpose()?;
        let to = ordered.as_deref().unwrap_or(self.to);
        let name = if is_utf16(to) && self.writes_bom { Some("UTF-16") } else { to.info().xml_name };
        match name.filter(|name| is_enc_name(name)) {
            Some(name) => Ok(name.to_owned()),
            None => Err(ErrorKind::NoXmlName { codec: to.name().to_owned() }.into()),
        }
    }
}
