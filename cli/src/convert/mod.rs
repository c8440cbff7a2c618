//! `charpipe convert`: converts each input independently: either one after the other into one output, or several at
//! once into separate outputs. Messages and reports come in the order of the inputs.
//!
//! | file | job |
//! |---|---|
//! | `plan.rs`, `list.rs`, `task.rs`, `collisions.rs` | which inputs there are, and where each is written |
//! | `outputs.rs` | opens what all inputs share: the output, the report, the directory |
//! | `run.rs`, `in_order.rs` | goes through the inputs |
//! | `converter.rs`, `auto_records.rs`, `binary.rs` | converts one input, or leaves it alone |
//! | `outcome.rs`, `ended.rs` | the result of converting it |
//! | `collector.rs`, `outcome_messages.rs`, `summary.rs` | what is printed and reported about it |

mod auto_records;
mod binary;
mod collector;
mod collisions;
mod converter;
mod ended;
mod in_order;
mod list;
mod locations;
mod outcome;
mod outcome_messages;
mod outputs;
mod plan;
mod publisher;
mod run;
mod summary;
mod task;

use crate::args::Convert;
use crate::convert::binary::Search;
use crate::convert::collector::Collector;
use crate::convert::converter::{Converter, Spare};
use crate::convert::plan::Plan;
use crate::convert::run::Run;
use crate::files::output::Output;
use crate::messages::Progress;
use crate::messages::progress::Meter;
use crate::print;
use crate::status::Status;
use charpipe::Transcode;
use charpipe::files::signals;

/// Runs the command.
pub(crate) fn run(args: &Convert) -> Status {
    args.transcode().and_then(|transcode| run_with(args, transcode)).unwrap_or_else(|status| status)
}

/// Runs the command with `transcode`, the job that `args` configure. Makes all possible checks before anything is read.
pub(crate) fn run_with(args: &Convert, transcode: Transcode) -> Result<Status, Status> {
    let plan = Plan::new(args, &transcode)?;
    let replaces = args.output.is_some() || !plan.is_shared;
    if replaces && !args.many.check || args.report.is_some() {
        signals::watch();
    }
    // Before the report, which may be written to that directory.
    let dir = outputs::open_dir(args)?;
    let report = outputs::open_report(args, &plan)?;
    let output = if plan.is_shared { Some(outputs::open_shared(args, &plan, &report)?) } else { None };
    let lines = if args.many.check { Some(print::open_stdout()?) } else { None };

    let progress = match args.progress {
        Progress::Auto if args.messages.quiet => Progress::Never,
        progress => progress,
    };
    let meter = Meter::begin(progress, plan.is_shared && args.output.is_none(), || plan.total());
    let report_id = report.output().and_then(Output::stream_id);
    let mut collector = Collector::new(args, report, lines, plan.left_alone);
    let (inputs, outputs, folders) = Default::default();
    let binary = if plan.left_alone.is_some() { Search::new(args)? } else { None };
    let converter = Converter {
        args,
        transcode,
        parts: plan.parts,
        dir,
        meter: &meter,
        inputs,
        outputs,
        folders,
        report_id,
        binary,
        spare: Spare::default(),
    };
    let run = Run { args, plan: &plan, converter, meter: &meter };
    match output {
        Some(mut output) => {
            run.convert_into_one(&mut output, &mut collector);
            meter.end();
            collector.commit(output);
        }
        None => {
            run.convert_into_many(&mut collector);
            collector.sync(&run.converter.folders);
            meter.end();
            collector.summarize(plan.tasks.len());
        }
    }
    let status = collector.finish();
    // Lets a signal that has arrived by now take effect.
    drop(signals::hold());
    Ok(status)
}
