//! The result of a command for the model: the output alone as content, and everything else beside
//! it, so that no output can pass for a status.

use std::time::Duration;

use silcrow_event::{CallResult, ResultStatus, Truncation};
use silcrow_exec::ToolOutput;
use silcrow_sandbox::{ProcessOutcome, Sandbox};

use crate::hints::hints;
use crate::protected_notices::with_outcome;
use crate::tool_names::{PROCESSES, SHELL};

/// Returns the result of a command that has ended, of itself or because its time was over.
pub(crate) fn report(
    sandbox: &Sandbox,
    outcome: &ProcessOutcome,
    (content, truncated): (String, Option<Truncation>),
    stopped_after: Option<Duration>,
) -> ToolOutput {
    let status = status(outcome);
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
    if outcome.survivors > 0 {
        let left = outcome.survivors;
        output = output.with_notice(format!("{left} processes could not be ended"));
    }
    if content.is_empty() {
        output = output.with_notice("it wrote nothing");
    }
    output.content = content.into();
    output.with_truncation(truncated)
}

/// Returns whether a result is that of a command that did not end with the exit status 0: it had
/// another one, a signal ended it, or its time was over. The call itself has succeeded.
pub fn has_failed_command(result: &CallResult) -> bool {
    let is_command = result.tool().is_some_and(|tool| [SHELL, PROCESSES].contains(&tool));
    let ended = result.notices().first().filter(|first| {
        let mut beginnings = [EXIT_STATUS, SIGNAL, NO_STATUS].into_iter();
        beginnings.any(|beginning| first.starts_with(beginning))
    });
    let is_zero = |ended: &String| ended.strip_prefix(EXIT_STATUS) == Some("0");
    is_command
        && result.status() == ResultStatus::Success
        && ended.is_some_and(|ended| !is_zero(ended))
}

/// Returns the exit status or the signal, in words. It is the first notice of each result of a
/// command that has ended.
pub(crate) fn status(outcome: &ProcessOutcome) -> String {
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
