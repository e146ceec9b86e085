//! Shows long output on a terminal through a pager.
//!
//! `$SILCROW_PAGER`, then `$PAGER` names the pager; the default is `less -FRX`, which prints short
//! output directly. Without a pager the output goes to the terminal.

use std::env;
use std::io::{self, IsTerminal as _, Stdout, Write};
use std::process::{Child, Stdio};

use crate::person_program::person_program;
use crate::system::{self, IgnoredInterrupts};

/// The destination of a program's output: a pager, or standard output.
#[derive(Debug)]
pub struct PagedOutput(PagerTarget);

#[derive(Debug)]
enum PagerTarget {
    Plain(Stdout),
    Pager {
        child: Child,
        /// While it is there, Ctrl-C is for the pager alone.
        _interrupt: Option<IgnoredInterrupts>,
    },
}

impl PagedOutput {
    /// Starts the pager if standard output is a terminal and `is_wanted`.
    ///
    /// ```
    /// use std::io::Write as _;
    ///
    /// use silcrow_console::pager::PagedOutput;
    ///
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    /// # let _within = runtime.enter();
    /// let mut out = PagedOutput::start(false);
    /// writeln!(out, "a long text")?;
    /// out.finish()?;
    /// # std::io::Result::Ok(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime whose I/O is enabled.
    pub fn start(is_wanted: bool) -> Self {
        let is_dumb = env::var("TERM").is_ok_and(|term| term == "dumb");
        if !is_wanted || is_dumb || !io::stdout().is_terminal() {
            return Self(PagerTarget::Plain(io::stdout()));
        }
        let set = |name| env::var(name).ok();
        let Some((program, args)) = command(set("SILCROW_PAGER").or_else(|| set("PAGER"))) else {
            return Self(PagerTarget::Plain(io::stdout()));
        };
        let started = person_program(&program).args(args).stdin(Stdio::piped()).spawn();
        match started {
            Ok(child) => {
                let _interrupt = system::ignore_interrupts();
                Self(PagerTarget::Pager { child, _interrupt })
            }
            Err(_) => Self(PagerTarget::Plain(io::stdout())),
        }
    }

    /// Waits until the person leaves the pager. Its exit status does not matter.
    ///
    /// # Errors
    ///
    /// Fails if standard output does, or if the end of the pager cannot be awaited.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            PagerTarget::Plain(mut out) => out.flush(),
            PagerTarget::Pager { mut child, .. } => {
                drop(child.stdin.take());
                child.wait().map(drop)
            }
        }
    }
}

impl Write for PagedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            PagerTarget::Plain(out) => out.write(bytes),
            PagerTarget::Pager { child, .. } => match &mut child.stdin {
                Some(stdin) => stdin.write(bytes),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            PagerTarget::Plain(out) => out.flush(),
            PagerTarget::Pager { child, .. } => child.stdin.as_mut().map_or(Ok(()), Write::flush),
        }
    }
}

/// Returns the program of a pager and its arguments, separated by blanks; `None` if the person wants
/// no pager.
fn command(set: Option<String>) -> Option<(String, Vec<String>)> {
    let set = set.unwrap_or_else(|| DEFAULT.to_owned());
    let mut words = set.split_whitespace().map(str::to_owned);
    let program = words.next().filter(|program| program != "cat")?;
    let mut args: Vec<_> = words.collect();
    if program == "less" && args.is_empty() {
        args.push("-FRX".to_owned());
    }
    Some((program, args))
}

const DEFAULT: &str = "less -FRX";

#[test]
fn pager_may_have_arguments_or_be_empty() {
    let shown = |set: Option<&str>| {
        let (program, args) = command(set.map(str::to_owned))?;
        Some(format!("{program} {}", args.join(" ")))
    };
    assert_eq!(shown(None).unwrap(), "less -FRX");
    assert_eq!(shown(Some("less")).unwrap(), "less -FRX");
    assert_eq!(shown(Some("more  -d")).unwrap(), "more -d");
    assert_eq!(shown(Some("")), None);
    assert_eq!(shown(Some("cat")), None);
}
