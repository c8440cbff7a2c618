//! Plans a run from the verdict of detection: its way, its text stages, and the changes to the document's label and
//! byte order mark.

pub(super) mod label_search;
mod labels;

use crate::codec::can_encode;
use crate::codec::can_write;
use crate::codec::is_utf8;
use crate::codec::{Codec, is_ebcdic};
use crate::codec::{EbcdicNl, apply_newline};
use crate::detect::{Declaration, Diagnostic, Kind, Verdict};
use crate::error::{Error, ErrorKind};
use crate::records::overlong::OnOverlong;
#[cfg(feature = "normalize")]
use crate::text::controls::OnControl;
use crate::text::eol::{Eol, EolStage, NelAsLf, OnNewlineInRecord};
#[cfg(feature = "mojibake")]
use crate::text::mojibake::OnMojibake;
use crate::text::xml::XmlPlace;
use crate::text::{Stage, Text};
use crate::transcoder::byte_page::{BytePage, contains_ascii};
use crate::transcoder::charset::{check_can_write, has_bom};
use crate::transcoder::choices::{Bom, Gaps, OnMalformed, OnUnmappable, Padding, Relabel};
use crate::transcoder::faults::UnmappablePolicy;
use crate::transcoder::guard::{CheckedDecoder, CheckedEncoder};
use crate::transcoder::newline_watch::NewlineWatch;
use crate::transcoder::options::Settings;
use crate::transcoder::records::detection::OffsetMap;
use crate::transcoder::records::read::RecordsIn;
use crate::transcoder::records::record::Charset;
use crate::transcoder::records::write::RecordsOut;
use crate::transcoder::report::{Faults, RecordsCut, Report};
use crate::transcoder::run::Run;
use crate::transcoder::segment::{Inserted, RecordEnds};
use crate::transcoder::source::Source;
use crate::transcoder::target::Target;
#[cfg(feature = "translit")]
use crate::transcoder::translit::Translit;
use crate::transcoder::way::columns::ColumnWay;
use crate::transcoder::way::direct::Direct;
use crate::transcoder::way::staged::Staged;
use crate::transcoder::way::table::{ByteTable, RecordTable};
use crate::transcoder::way::{Edits, Route, Way};
use label_search::Label;
use std::sync::Arc;

/// The results of detection that the run depends on.
pub(super) struct Facts {
    pub(super) codec: Arc<dyn Codec>,
    kind: Kind,
    /// The length of the byte order mark.
    pub(super) bom_len: usize,
    expects_bmp: bool,
    /// Whether the input itself, or its transport, names the encoding.
    is_believed: bool,
    /// The XML declaration, with offsets in the text of the records; the outer `None` means that it was not looked for.
    declaration: Option<Option<Declaration>>,
    /// Maps offsets in the text of the records to those in the input.
    offsets: OffsetMap,
}

impl Facts {
    /// Puts the verdict into the report. `head`: the bytes that detection took.
    ///
    /// # Errors
    /// Those of the verdict.
    pub(super) fn of(verdict: Verdict, head: &[u8], run: &mut Run) -> Result<Self, Error> {
        let offsets = OffsetMap::new(head, &run.settings.input);
        let (bom_len, expects_bmp, kind) = (verdict.bom_len, verdict.expects_bmp, verdict.kind);
        let (codec, error) = (verdict.codec.clone(), verdict.error.clone());
        let is_believed = verdict.is_believed();
        let declaration = Some(verdict.declaration.clone()).filter(|_| verdict.declaration_is_read);
        run.report.from = codec.as_ref().map(|codec| codec.name().to_owned());
        let verdict = offsets.translate(verdict);
        run.report.diagnostics.extend(verdict.diagnostics.iter().cloned());
        run.report.verdict = Some(verdict);
        if let Some(error) = error {
            return Err(error);
        }
        let Some(codec) = codec else {
            return Err(ErrorKind::PolicyRejects { offset: 0, why: "no rule applies" }.into());
        };
        Ok(Facts { codec, kind, bom_len, expects_bmp, is_believed, declaration, offsets })
    }

    fn is_xml(&self) -> bool {
        self.kind == Kind::Xml
    }
}

/// Plans the route from the encoding that was found to the target.
///
/// # Errors
/// [`ErrorKind::NoEncoder`]; [`ErrorKind::CannotFrame`] for records that cannot be written.
pub(super) fn route(run: &mut Run, facts: &Facts) -> Result<Route, Error> {
    let settings = &*run.settings;
    start_counters(settings, &mut run.report);
    let to_ebcdic = is_ebcdic(&*settings.to);
    let to = if to_ebcdic { apply_newline(settings.to.clone(), settings.ebcdic_nl) } else { settings.to.clone() };
    let from_ebcdic = is_ebcdic(&*facts.codec);
    let from = if from_ebcdic { apply_newline(facts.codec.clone(), settings.ebcdic_nl) } else { facts.codec.clone() };
    let carries_gaps = settings.input.gaps == Gaps::Keep;
    let sides = Sides {
        from_ebcdic,
        to_ebcdic,
        is_xml: facts.is_xml() && !carries_gaps,
        kind: facts.kind,
        has_records: settings.input.shape.is_some(),
    };
    let eol = sides.eol(settings.eol);
    let target = target(settings, to, &sides)?;
    let stages = sides.stages(settings, eol, target.records.is_some());
    let decoder = CheckedDecoder::new(from.name(), from.decoder(), facts.bom_len as u64);
    let read_as = settings.read_as.clone().filter(|_| contains_ascii(&*from));
    run.report.read_as = read_as.as_ref().map(|page| page.name().to_owned());
    let (way, stages) = match settings.input.columns.as_ref().filter(|_| carries_gaps) {
        Some(columns) => {
            let way = ColumnWay::new(columns, &settings.registry, settings.ebcdic_nl, &from, &target.codec)?;
            (Way::Columns(Box::new(way)), stages)
        }
        None => choose_way(settings, facts, (&decoder, read_as.as_ref()), &target, stages),
    };

    let line_end = eol.text();
    let (written, finds_newlines) = match &way {
        Way::Direct(direct) => (Some(line_end), direct.newlines.is_some()),
        _ => (None, false),
    };
    // Columns that are left out may come before the byte order mark.
    let has_bom = facts.offsets.in_data(0..1).start == 0 && !carries_gaps;
    let bom_len = if has_bom { facts.bom_len } else { 0 };
    let mut input = settings.input.clone();
    input.blanks = blanks(settings);
    let has_blank = sides.has_records && (!can_encode(&*from) || can_write(&*from, " "));
    let charset = Charset { is_ebcdic: from_ebcdic, has_blank };
    let has_files = settings.to_records.as_ref().is_some_and(RecordsOut::has_files);
    let records = RecordsIn::new(&input, &decoder, (written, finds_newlines), bom_len, charset);
    let records = records.map(|records| records.with_files(has_files));
    let record_ends = RecordEnds { end: Some(line_end).filter(|_| target.records.is_none()), eol: line_end };
    let is_identity = is_utf8(&*from) && !sides.has_records;
    let source = Source::new(decoder, records);
    Ok(Route {
        source: if settings.counts_lines { source.counting() } else { source },
        way,
        staged: Staged::new(stages, record_ends, is_identity, facts.expects_bmp),
        target,
        newlines: NewlineWatch::new(sides.keeps_nel(settings.eol)),
        edits: Edits::default(),
        read_as,
        pass_from: 0,
        believed: facts.is_believed.then(|| facts.codec.name().to_owned()),
        holds_text: false,
    })
}

/// Starts what the report counts only if a policy asks for it.
pub(super) fn start_counters(settings: &Settings, report: &mut Report) {
    let has_records = settings.input.shape.is_some();
    if has_records && settings.newlines_in_records() == OnNewlineInRecord::Space {
        report.record_newlines = Some(Faults::new());
    }
    if settings.to_records.is_some() && settings.overlong == OnOverlong::Cut {
        report.records_cut = Some(RecordsCut::default());
    }
    #[cfg(feature = "mojibake")]
    if settings.mojibake == OnMojibake::Repair {
        report.mojibake = Some(Faults::new());
    }
    if settings.controls.stage().is_some() {
        report.controls = Some(Faults::new());
    }
}

/// Spaces at the end of a record are padding in lines only.
fn blanks(settings: &Settings) -> Padding {
    match settings.input.blanks {
        Padding::Trim if settings.to_records.is_some() => Padding::Keep,
        blanks => blanks,
    }
}

/// The two sides of a run, as far as newlines depend on them.
struct Sides {
    from_ebcdic: bool,
    to_ebcdic: bool,
    is_xml: bool,
    #[cfg_attr(not(feature = "translit"), expect(dead_code, reason = "only approximations depend on it"))]
    kind: Kind,
    has_records: bool,
}

impl Sides {
    /// The policy for line endings. U+0085 is not white space in XML 1.0, and in no version within a declaration.
    fn eol(&self, choice: Eol) -> Eol {
        if self.is_xml && !self.to_ebcdic && choice == Eol::Nel { Eol::Lf } else { choice }
    }

    /// Whether U+0085 from EBCDIC is kept in text that is not XML.
    fn keeps_nel(&self, choice: Eol) -> bool {
        let is_from_ebcdic = self.from_ebcdic && !self.to_ebcdic;
        is_from_ebcdic && !self.has_records && !self.is_xml && matches!(choice, Eol::Auto | Eol::Keep)
    }

    /// The text stages, without the one for newlines within records.
    fn stages(&self, settings: &Settings, eol: Eol, to_records: bool) -> Vec<Box<dyn Stage>> {
        let mut stages: Vec<Box<dyn Stage>> = Vec::new();
        // First, so that the others see text that is repaired.
        #[cfg(feature = "mojibake")]
        if let Some(stage) = settings.mojibake.stage(!has_all(&*settings.to) || settings.normalizes()) {
            stages.push(Box::new(stage));
        }
        // EBCDIC XML must not keep U+0085 between its tags when it leaves EBCDIC.
        if self.from_ebcdic && self.is_xml && !self.to_ebcdic && settings.eol == Eol::Auto {
            stages.push(Box::new(NelAsLf));
        }
        if to_records && !self.has_records {
            stages.push(Box::new(EolStage::new(Text::End)));
        } else if let Some(stage) = eol.stage() {
            stages.push(Box::new(stage));
        }
        if let Some(stage) = settings.controls.stage() {
            stages.push(Box::new(stage));
        }
        // Last, because no other stage sees the text that it makes.
        #[cfg(feature = "normalize")]
        if let Some(form) = settings.normalize {
            stages.push(Box::new(form.stage(settings.controls == OnControl::Drop)));
        }
        stages
    }
}

/// Whether the charset has every character.
#[cfg(feature = "mojibake")]
fn has_all(codec: &dyn Codec) -> bool {
    can_write(codec, "\u{10FFFD}")
}

fn target(settings: &Settings, to: Arc<dyn Codec>, sides: &Sides) -> Result<Target, Error> {
    let shape = settings.to_records.as_ref();
    let records = shape.map(|shape| RecordsOut::new(shape, settings.overlong, &to)).transpose()?;
    let no_encoder = || Error::from(ErrorKind::NoEncoder { codec: to.name().to_owned() });
    let encoder = CheckedEncoder::new(to.name(), to.encoder().ok_or_else(no_encoder)?);
    let by_kind = if sides.is_xml { OnUnmappable::Xml } else { OnUnmappable::Fail };
    let choice = settings.unmappable.unwrap_or(by_kind);
    let approximates = settings.approximate || choice == OnUnmappable::Translit;
    let follows_markup = approximates || choice == OnUnmappable::Xml;
    let has_references = sides.is_xml && follows_markup && !is_utf8(&*to);
    Ok(Target {
        encoder,
        records,
        policy: UnmappablePolicy {
            choice,
            best_fit: settings.best_fit,
            #[cfg(feature = "translit")]
            translit: approximates.then(|| Translit::new(&to, sides.kind)),
        },
        xml: has_references.then(XmlPlace::default),
        hints_lf: sides.is_xml && is_java_newline_elsewhere(&*to),
        codec: to,
        from_records: sides.has_records,
        unwritten: Vec::new(),
        has_mark: None,
    })
}

/// Chooses the fastest way that does everything. Returns it with the stages, to which the one for newlines within
/// records is added if the way does not have it.
fn choose_way(
    settings: &Settings,
    facts: &Facts,
    (decoder, read_as): (&CheckedDecoder, Option<&Arc<BytePage>>),
    target: &Target,
    mut stages: Vec<Box<dyn Stage>>,
) -> (Way, Vec<Box<dyn Stage>>) {
    let input = &settings.input;
    let has_records = input.shape.is_some();
    let mut newlines = settings.newlines_in_records().stage().filter(|_| has_records);
    let changes_nothing = stages.is_empty() && !facts.expects_bmp;
    if is_utf8(&*target.codec)
        && changes_nothing
        && target.records.is_none()
        // In the output, newlines from a printer's moves could not be told from those within records.
        && (newlines.is_none() || input.carriage.is_none())
    {
        // If the first malformed bytes are an error, the direct way must not go past them.
        let stops = settings.hints.strict && facts.is_believed;
        let malformed = if stops { OnMalformed::Fail } else { settings.malformed };
        return (Way::Direct(Direct::new(newlines, malformed, read_as.filter(|_| !stops), has_records)), stages);
    }
    if let Some(stage) = newlines.take() {
        stages.insert(0, Box::new(stage));
    }
    let watches_nothing = stages.is_empty() && !facts.expects_bmp && target.xml.is_none() && !target.hints_lf;
    let table = ByteTable::new(decoder, &target.codec).filter(|_| watches_nothing);
    let is_whole_record = blanks(settings) == Padding::Keep && input.columns.is_none() && input.carriage.is_none();
    let way = match table {
        Some(table) if !has_records && target.records.is_none() => Way::Table(table),
        Some(table) if has_records && target.records.is_some() && is_whole_record => {
            Way::RecordTable(RecordTable::new(table))
        }
        _ => Way::Staged,
    };
    (way, stages)
}

/// Plans the beginning of the output: byte order mark and labels.
///
/// # Errors
/// [`ErrorKind::NoXmlName`] and [`ErrorKind::Unmappable`] for labels that cannot be written; warnings that are errors.
pub(super) fn beginning(run: &mut Run, route: &mut Route, facts: Facts, labels: &[Label]) -> Result<(), Error> {
    if route.is_by_columns() {
        return Ok(());
    }
    let to = route.target.codec.clone();
    let settings = run.settings.clone();
    let writes_bom = match settings.bom {
        Bom::Auto => to.info().byte_orders.is_some_and(|orders| orders.bom),
        Bom::Keep => facts.bom_len > 0 && has_bom(&*to),
        Bom::Add => true,
        Bom::Strip => false,
    };
    if facts.is_xml() && !is_ebcdic(&*settings.to) && settings.eol == Eol::Nel {
        let message = "newlines are written as U+000A, since XML parsers reject U+0085";
        run.note(Diagnostic::warning("nel-in-xml", 0, message))?;
    }
    let mut edits = Vec::new();
    if settings.relabel == Relabel::Auto {
        let mut planner = labels::Planner { to: &*to, writes_bom, registry: &settings.registry, edits: Vec::new() };
        if let Some(declaration) = facts.declaration.filter(|_| matches!(facts.kind, Kind::Xml | Kind::Html)) {
            let start = facts.bom_len as u64;
            let relabelled = planner.declaration(declaration, start, facts.kind == Kind::Xml)?;
            run.report.relabelled = relabelled;
        }
        let relabelled = planner.meta(labels)?;
        // One is reported: the one that comes first.
        run.report.relabelled = run.report.relabelled.take().or(relabelled);
        edits = planner.edits;
    }
    if writes_bom {
        route.insert(run, Inserted::Static("\u{FEFF}"), 0)?;
    }
    if route.source.has_records() {
        // Only the source knows where records end within the label.
        for edit in &mut edits {
            check_can_write(&*settings.to, &edit.text, facts.offsets.in_input(edit.bytes.start))?;
            // Detection saw the text alone; here columns that are left out count.
            edit.bytes = facts.offsets.in_data(edit.bytes.clone());
        }
        route.source.relabel(edits);
    } else {
        route.edits = Edits::new(edits);
    }
    Ok(())
}

/// Whether it is the page whose newline Java has elsewhere: of all pages it reads only in this one byte 25 as U+000A.
fn is_java_newline_elsewhere(codec: &dyn Codec) -> bool {
    codec.name() == "IBM1047" && codec.info().newline.is_none_or(|nl| nl == EbcdicNl::Table)
}
