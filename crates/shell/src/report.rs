//! The result of a command for the model: the output alone as content, and everything else beside
//! it, so that no output can pass for a status.

use std::path::Path;
use std::time::Duration;

use silcrow_event::{CallResult, ResultOrigin, ResultStatus, Truncation};
use silcrow_sandbox::{ProcessOutcome, Sandbox};
use silcrow_tool::ToolOutput;

use crate::hints::hints;
use crate::named_path::named;
use crate::protected_notices::with_outcome;
use crate::running::EndedCommand;
use crate::tool_names::{PROCESSES, SHELL};
use crate::wall_notices::with_walls;

/// Returns the result of a command that has ended, of itself or because its time was over. The call
/// has failed unless the command ended with the exit status 0.
pub(crate) fn report(
    sandbox: &Sandbox,
    ended: &EndedCommand,
    (content, truncated): (String, Option<Truncation>),
    stopped_after: Option<Duration>,
) -> ToolOutput {
    let outcome = &ended.outcome;
    let status = status(ended);
    let summary = match stopped_after {
        Some(limit) => format!("stopped after {} s", limit.as_secs()),
        None => status.clone(),
    };
    let tail = truncated.as_ref().and_then(|cut| cut.tail.clone()).unwrap_or_default();
    let mut output = ToolOutput::new(summary, "").with_notice(status);
    if let Some(limit) = stopped_after {
        output = output.with_notice(format!(
            "it was stopped after {} s, its `timeout`; set a longer one (600 at most), or \
             `background` for what runs on",
            limit.as_secs()
        ));
    }
    for hint in hints(sandbox, outcome, &content).into_iter().chain(hints(sandbox, outcome, &tail))
    {
        if !output.notices.contains(&hint) {
            output = output.with_notice(hint);
        }
    }
    output = with_outcome(output, outcome);
    output = with_left_running(output, outcome);
    if outcome.survivors > 0 {
        let left = outcome.survivors;
        output = output.with_notice(format!("{left} processes could not be ended"));
    }
    if content.is_empty() {
        output = output.with_notice("it wrote nothing");
        if outcome.code == Some(1) && stopped_after.is_none() {
            output = output.with_notice(SAYS_NO);
        }
    }
    output.content = content.into();
    let output = output.with_truncation(truncated);
    let is_success = outcome.code == Some(0) && stopped_after.is_none();
    with_walls(if is_success { output } else { output.failed() }, &ended.walls)
}

/// The remark about the exit status 1 without output.
const SAYS_NO: &str = "`grep` also reports by this status that nothing matches, and `test`, `cmp` \
    and `diff -q` that a condition is false; add `|| true` where that is not a failure";

/// Returns whether a result comes from a command that ran and failed: it exited with a status other
/// than 0, a signal ended it, or it timed out. In older logs, the call of such a command has
/// succeeded.
pub fn has_failed_command(result: &CallResult) -> bool {
    let is_command = result.tool().is_some_and(|tool| [SHELL, PROCESSES].contains(&tool));
    let ended = result.notices().iter().find(|notice| {
        let mut beginnings = [EXIT_STATUS, SIGNAL, NO_STATUS].into_iter();
        beginnings.any(|beginning| notice.starts_with(beginning))
    });
    let is_zero = |ended: &String| {
        let status = ended.strip_prefix(EXIT_STATUS);
        status.is_some_and(|status| status.split(AND).next() == Some("0"))
    };
    let has_failed = |ended| result.status() == ResultStatus::Failure || !is_zero(ended);
    is_command && result.origin() == ResultOrigin::Tool && ended.is_some_and(has_failed)
}

/// Adds the processes that were ended with the command: to the notices for the model, and to the
/// summary, which a person reads.
fn with_left_running(mut output: ToolOutput, outcome: &ProcessOutcome) -> ToolOutput {
    let name = outcome.left_name.as_deref().unwrap_or_default();
    let name = if name.is_empty() {
        String::new()
    } else {
        format!(", such as `{}`,", named(Path::new(name)))
    };
    let (what, were) = match outcome.left_running {
        0 => return output,
        1 => ("a process".to_owned(), "was"),
        number => (format!("{number} processes"), "were"),
    };
    output.summary.push_str(&format!("; {what} that it left {were} ended"));
    output.with_notice(format!(
        "{what} that it left running{name} {were} ended with it; start what runs on with \
         `background: true`, and without `&`"
    ))
}

/// Returns the exit status or the signal, in words, with the failures in a pipe. It is a notice of
/// each result of a command that has ended, and only a notice about secrets may be before it.
pub(crate) fn status(ended: &EndedCommand) -> String {
    let mut status = own_status(&ended.outcome);
    let hidden = ended.pipe_failures.iter().filter(|failure| {
        // With `pipefail` the status is theirs.
        ended.outcome.code != Some(i32::from(**failure))
    });
    let hidden: Vec<_> = hidden.map(u8::to_string).collect();
    if !hidden.is_empty() {
        status.push_str(&format!("{AND}{} in a pipe", hidden.join(" and ")));
    }
    status
}

fn own_status(outcome: &ProcessOutcome) -> String {
    match (outcome.code, outcome.signal) {
        (Some(code), _) => format!("{EXIT_STATUS}{code}"),
        (None, Some(signal)) => match name(signal) {
            Some(name) => format!("{SIGNAL}{signal} ({name})"),
            None => format!("{SIGNAL}{signal}"),
        },
        (None, None) => NO_STATUS.to_owned(),
    }
}

const EXIT_STATUS: &str = "exit status ";
/// The text between the status and the statuses in pipes.
const AND: &str = "; ";
const SIGNAL: &str = "ended by signal ";
const NO_STATUS: &str = "ended without a status";

fn name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}
