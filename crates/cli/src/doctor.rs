//! `silcrow doctor`, which checks the requirements of runs on this machine.
//!
//! Each check makes findings, which are shown as soon as they are there, and nothing is changed. Values of keys are never read here, and every
//! line is masked before it is printed.

use std::env;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use serde_json::json;
use silcrow_console::live::TerminalSize;
use silcrow_environment::KEY_VARIABLES;
use silcrow_sanitize::{mask_key_shapes, sanitize_line};
use silcrow_session::hook_counts;
use silcrow_settings::{known_secrets, project_folders};
use silcrow_term::fit::shortened;

use crate::args::{DoctorArgs, LOCAL_PORTS};
use crate::build_facts::VERSION_LINE;
use crate::config::ConfigOverview;
use crate::environment::set;
use crate::failure::{Failure, written};
use crate::runtime;

mod machine;
mod mcp;
mod servers;
mod store;

/// The outcome of a check.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckStatus {
    Good,
    Notice,
    Wrong,
}

/// The result of one check, with the next step.
struct Finding {
    check: &'static str,
    status: CheckStatus,
    text: String,
}

/// Checks everything and prints a line for each finding.
pub(crate) fn doctor(profile: Option<&str>, args: &DoctorArgs) -> Result<(), Failure> {
    let runtime = runtime::current()?;
    let mut lines = FindingLines::new(args.json);
    lines.write(&version())?;
    let (settings, finding) = settings(profile);
    lines.write(&finding)?;
    lines.write(&keys())?;
    let settings = settings.as_ref();
    if !args.offline {
        lines.begin("model", "asking its server, and the ports of this machine")?;
    }
    let found = runtime.block_on(servers::check(settings, &LOCAL_PORTS, args.offline));
    found.iter().try_for_each(|finding| lines.write(finding))?;
    if settings.is_some_and(|settings| !settings.servers.is_empty()) {
        lines.begin("mcp", "starting its servers")?;
    }
    let found = runtime.block_on(mcp::check(settings, args.offline));
    found.iter().try_for_each(|finding| lines.write(finding))?;
    lines.begin("store", "reading it")?;
    lines.write(&runtime.block_on(store::check(settings)))?;
    lines.write(&machine::sandbox(settings))?;
    lines.write(&hooks())?;
    lines.write(&machine::terminal())?;
    lines.write(&machine::proxies(settings))?;
    runtime.shutdown_background();
    match lines.has_fault {
        // The lines describe the errors.
        true => Err(Failure::running("")),
        false => Ok(()),
    }
}

/// The lines of the findings, each written as soon as there is one.
struct FindingLines {
    as_json: bool,
    /// Whether a terminal shows a check that has not ended, in a line that is erased after it.
    is_waiting: bool,
    has_fault: bool,
}

impl FindingLines {
    fn new(as_json: bool) -> Self {
        Self { as_json, is_waiting: false, has_fault: false }
    }

    /// Shows on a terminal that a check begins, which may take some time.
    fn begin(&mut self, check: &'static str, what: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if self.as_json || !out.is_terminal() {
            return Ok(());
        }
        self.is_waiting = true;
        let line = shortened(
            &format!("… {check:<9} {what}"),
            TerminalSize::now().columns.saturating_sub(1),
        );
        written(write!(out, "{line}").and_then(|()| out.flush()))
    }

    fn write(&mut self, finding: &Finding) -> Result<(), Failure> {
        self.has_fault |= finding.status == CheckStatus::Wrong;
        let erased = if std::mem::take(&mut self.is_waiting) { "\r\x1b[K" } else { "" };
        let line = if self.as_json { finding.to_json() } else { finding.to_line() };
        written(writeln!(io::stdout().lock(), "{erased}{line}"))
    }
}

impl Finding {
    fn new(check: &'static str, status: CheckStatus, text: impl Into<String>) -> Self {
        Self { check, status, text: text.into() }
    }

    /// Returns the text without secrets and control characters.
    fn shown(&self) -> String {
        let masked = known_secrets().mask(&self.text).into_owned();
        sanitize_line(&mask_key_shapes(&masked)).into_owned()
    }

    fn to_line(&self) -> String {
        let sign = match self.status {
            CheckStatus::Good => '✓',
            CheckStatus::Notice => '!',
            CheckStatus::Wrong => '✗',
        };
        format!("{sign} {:<9} {}", self.check, self.shown())
    }

    fn to_json(&self) -> String {
        let status = match self.status {
            CheckStatus::Good => "good",
            CheckStatus::Notice => "notice",
            CheckStatus::Wrong => "wrong",
        };
        json!({"check": self.check, "status": status, "text": self.shown()}).to_string()
    }
}

fn version() -> Finding {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let (system, machine) = (env::consts::OS, env::consts::ARCH);
    let text = format!("silcrow {VERSION_LINE}, {system} {} {machine}", kernel.trim());
    Finding::new("version", CheckStatus::Good, text)
}

/// Reads the settings, and names their files or the fault in them.
fn settings(profile: Option<&str>) -> (Option<ConfigOverview>, Finding) {
    let finding = |status, text: String| Finding::new("settings", status, text);
    match ConfigOverview::read(profile) {
        Ok(found) if found.files.is_empty() => {
            (Some(found), finding(CheckStatus::Good, "no file; the defaults count".to_owned()))
        }
        Ok(found) => {
            let files: Vec<_> = found.files.iter().map(|file| file.display().to_string()).collect();
            let text = files.join(", ");
            (Some(found), finding(CheckStatus::Good, text))
        }
        Err(failure) => (None, finding(CheckStatus::Wrong, failure.message().to_owned())),
    }
}

/// Counts the hooks of the person and of this folder, and says which are left out.
fn hooks() -> Finding {
    let (own, of_project, left_out) = hook_counts(&project_folders(Path::new(".")));
    let text = match own + of_project {
        0 => "none".to_owned(),
        _ => format!("{own} of yours, {of_project} of the project"),
    };
    let status = if left_out.is_empty() { CheckStatus::Good } else { CheckStatus::Notice };
    let text = [text].into_iter().chain(left_out).collect::<Vec<_>>().join("; ");
    Finding::new("hooks", status, text)
}

/// Names the variables that hold keys, and not their values.
fn keys() -> Finding {
    let names = KEY_VARIABLES
        .iter()
        .flat_map(|name| ["", "_FILE", "_COMMAND"].map(|end| format!("{name}{end}")));
    let found: Vec<_> = names.filter(|name| set(name).is_some()).collect();
    match found.is_empty() {
        true => Finding::new(
            "keys",
            CheckStatus::Notice,
            "no key is set; silcrow help models names the variables",
        ),
        false => Finding::new("keys", CheckStatus::Good, found.join(", ")),
    }
}
