//! The options of `charpipe git-filter`.

use crate::args::choice::choice;
use crate::args::convert::ebcdic_nl_help;
use crate::args::headings::ENCODING;
use crate::args::messages::MessageArgs;
use crate::args::named::NamedOptions;
use crate::args::tables::Tables;
use crate::args::usage;
use crate::status::Status;
use charpipe::{EbcdicNl, Kind, Relabel, Transcode};
use clap::Args;

/// Convert files as git checks them out and adds them
///
/// Files are in the encoding of `--from` in the working tree, and in UTF-8 in the repository. git starts this command
/// itself, once for many files. To set it up:
///
///     git config filter.ibm1047.process 'charpipe git-filter -f IBM1047 --ebcdic-nl zos'
///
///     git config filter.ibm1047.required true
///
///     echo '*.cbl filter=ibm1047' >> .gitattributes
///
/// The files are converted as plain text: charpipe does not correct encoding declarations, so that a file that is
/// checked out and added again is unchanged. A file that cannot be converted is reported to git, which stops if the
/// filter is required, and otherwise uses the file unchanged. charpipe, like git, holds the file in memory while it
/// converts it.
#[derive(Args)]
#[command(args_override_self = true, override_usage = "charpipe git-filter [OPTIONS] -f LABEL")]
pub(crate) struct GitFilter {
    #[command(flatten)]
    named: NamedOptions,

    /// Encoding of the files in the working tree
    #[arg(short, long, value_name = "LABEL", help_heading = ENCODING)]
    from: String,

    #[command(flatten)]
    tables: Tables,

    /// EBCDIC newlines in the working tree
    #[arg(long, value_name = "NL", default_value = "table", help_heading = ENCODING,
          value_parser = choice(ebcdic_nl_help))]
    #[allow(dead_code, reason = "clap checks the value, and `named` has it")]
    ebcdic_nl: EbcdicNl,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

impl GitFilter {
    /// Returns the conversions from the working tree and to it. An error has been printed.
    pub(crate) fn transcodes(&self) -> Result<(Transcode, Transcode), Status> {
        let clean = self.named.job(self.tables.registry()?)?.kind(Kind::Text).relabel(Relabel::Never);
        let wrong = |error| usage::wrong_value("--from", &error);
        let back = clean.clone().source_encoding("UTF-8").and_then(|job| job.target_encoding(&self.from));
        let smudge = back.map_err(wrong)?;
        Ok((clean, smudge))
    }
}
