//! The tools, their command lines, and charpipe's goals relative to them.

use crate::program;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Charpipe,
    Iconv,
    Uconv,
    Recode,
    Dd,
    Cat,
}

impl Tool {
    pub(crate) const ALL: [Tool; 6] = [Tool::Charpipe, Tool::Iconv, Tool::Uconv, Tool::Recode, Tool::Dd, Tool::Cat];

    pub(crate) fn program(self) -> &'static str {
        match self {
            Tool::Charpipe => program::PATH,
            Tool::Iconv => "iconv",
            Tool::Uconv => "uconv",
            Tool::Recode => "recode",
            Tool::Dd => "dd",
            Tool::Cat => "cat",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        if self == Tool::Charpipe { "charpipe" } else { self.program() }
    }

    pub(crate) fn is_installed(self) -> bool {
        let asked = Command::new(self.program()).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    }

    /// Returns the tool's name for a charset, given charpipe's name.
    fn label(self, charset: &'static str) -> &'static str {
        match (self, charset) {
            // In ICU, `IBM037` is page 37 with the newline of z/OS.
            (Tool::Uconv, "IBM037") => "ibm-37_P100-1995",
            (Tool::Iconv, "windows-950") => "CP950",
            _ => charset,
        }
    }

    /// Returns a command that converts `file`, or standard input; `None` if the tool does not support the conversion.
    pub(crate) fn converts(self, from: &'static str, to: &'static str, file: Option<&Path>) -> Option<Line> {
        self.converts_all(from, to, false, file)
    }

    /// The same, and leaves out what is malformed if `leaves_out`.
    pub(crate) fn converts_all(
        self,
        from: &'static str,
        to: &'static str,
        leaves_out: bool,
        file: Option<&Path>,
    ) -> Option<Line> {
        // iconv of the GNU C library has no HZ.
        if self == Tool::Iconv && (from == "HZ" || to == "HZ") {
            return None;
        }
        let (from, to) = (self.label(from), self.label(to));
        let option = match self {
            _ if !leaves_out => None,
            Tool::Charpipe | Tool::Iconv => Some("-c"),
            _ => Some("-i"),
        };
        let line = match self {
            Tool::Charpipe | Tool::Iconv | Tool::Uconv => {
                let args = ["-f", from, "-t", to].into_iter().chain(option);
                self.line(&args.collect::<Vec<_>>())
            }
            // recode would replace the file, so it reads from standard input.
            Tool::Recode => return recodes(from, to, file),
            Tool::Cat => self.line(&[]),
            Tool::Dd => return None,
        };
        Some(match file {
            Some(file) => line.on(file),
            None => line,
        })
    }

    /// Returns the tool's command line with these arguments.
    pub(crate) fn line(self, args: &[&str]) -> Line {
        Line {
            args: std::iter::once(self.program()).chain(args.iter().copied()).map(Into::into).collect(),
            isa: None,
            stdin: None,
        }
    }
}

/// Returns the command line for the conversions that recode 3.6 does itself; for other charsets it calls iconv's
/// library.
fn recodes(from: &'static str, to: &'static str, file: Option<&Path>) -> Option<Line> {
    let charset = |name| match name {
        "IBM037" => Some("IBM037"),
        "UTF-8" => Some("UTF-8"),
        "UTF-16LE" => Some("UTF-16LE"),
        _ => None,
    };
    // The slash means no surface; a surface would change the line endings.
    let request = format!("{}/..{}/", charset(from)?, charset(to)?);
    let line = Tool::Recode.line(&["-f", &request]);
    Some(Line { stdin: file.map(Path::to_path_buf), ..line })
}

/// The variable that makes charpipe use a smaller instruction set than the machine has.
pub(crate) const ISA: &str = "CHARPIPE_ISA";

/// Returns the instruction sets of this machine that charpipe has kernels for, the largest first. If `CHARPIPE_ISA` is
/// set, only that one.
pub(crate) fn instruction_sets() -> Vec<String> {
    if let Ok(set) = std::env::var(ISA) {
        return vec![set];
    }
    let mut sets = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        let has_avx512 = is_x86_feature_detected!("avx512vbmi2") && is_x86_feature_detected!("avx512vbmi");
        let has = [
            ("avx512", has_avx512),
            ("avx2", is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2")),
            ("sse", is_x86_feature_detected!("sse4.1")),
        ];
        sets.extend(has.iter().filter(|(_, has)| *has).map(|(set, _)| *set));
    }
    #[cfg(target_arch = "aarch64")]
    sets.push("neon");
    sets.push("scalar");
    sets.into_iter().map(str::to_owned).collect()
}

/// Returns the name of the processor, as the system knows it.
pub(crate) fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name)?.split_once(": ").map(|(_, it)| it));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (family, model) = (field("cpu family").unwrap_or("?"), field("model\t").unwrap_or("?"));
    let name = field("model name").unwrap_or(std::env::consts::ARCH);
    format!("{name} (family {family}, model {model}), cores used: {cores}")
}

/// One command.
#[derive(Clone)]
pub(crate) struct Line {
    args: Vec<OsString>,
    /// The instruction set, if it is not the largest of the machine.
    isa: Option<String>,
    /// The file that it reads as standard input.
    stdin: Option<std::path::PathBuf>,
}

impl Line {
    pub(crate) fn on(mut self, file: &Path) -> Line {
        self.args.push(file.into());
        self
    }

    /// The same by another copy of the program.
    pub(crate) fn by(mut self, program: &Path) -> Line {
        self.args[0] = program.into();
        self
    }

    /// The same with another instruction set.
    pub(crate) fn with_isa(self, isa: &str) -> Line {
        Line { isa: Some(isa.to_owned()), ..self }
    }

    pub(crate) fn command(&self) -> std::io::Result<Command> {
        let mut command = Command::new(&self.args[0]);
        command.args(&self.args[1..]);
        command.envs(self.isa.as_ref().map(|isa| (ISA, isa)));
        command.stdin(match &self.stdin {
            Some(path) => std::fs::File::open(path)?.into(),
            None => Stdio::null(),
        });
        Ok(command)
    }
}

/// Charpipe's goal in a row.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// There is no goal.
    None,
    /// At most this many times the time of that tool.
    Within(f64, Tool),
    /// At least this many times the speed of the fastest of those tools.
    Faster(f64, &'static [Tool]),
}
