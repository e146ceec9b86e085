use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rustix::termios::{QueueSelector, tcflush};
use serde_json::value::RawValue;
use silcrow_exec::{Answer, Approver};

use crate::screen::{Screen, shortened};
use crate::visible::visible;

/// Says yes to the tools that were allowed beforehand, and asks the person about the rest.
pub(crate) struct Person {
    pub(crate) allowed: BTreeSet<String>,
    pub(crate) screen: Arc<Mutex<Screen>>,
}

impl Approver for Person {
    fn ask<'a>(&'a self, _: &'a str, tool: &'a str, args: &'a str) -> BoxFuture<'a, Answer> {
        async move {
            if self.allowed.contains(tool) {
                return Answer::Allow;
            }
            if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
                return Answer::Deny(format!(
                    "`{tool}` needs a person's yes, and nobody is at a terminal to give it \
                     (--allow {tool} would)"
                ));
            }
            self.screen.lock().unwrap_or_else(PoisonError::into_inner).ask();
            let question = question(tool, args);
            // A person takes their time: not on the thread that runs everything else.
            let asked = tokio::task::spawn_blocking(move || read_answer(&question)).await;
            let answer = asked.map_or_else(|_| String::new(), Result::unwrap_or_default);
            let line_ended = answer.ends_with('\n');
            self.screen.lock().unwrap_or_else(PoisonError::into_inner).go_on(line_ended);
            if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
                Answer::Allow
            } else {
                Answer::Deny(format!("the person did not allow `{tool}`"))
            }
        }
        .boxed()
    }
}

/// All of what is asked about, on one long line so that nothing scrolls away by itself, and the
/// short of it where the answer is typed.
fn question(tool: &str, args: &str) -> String {
    let whole = visible(args).replace('\n', "⏎");
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(args).unwrap_or_default();
    let short: Vec<_> = members
        .iter()
        .map(|(name, value)| format!("{}={}", shortened(name, 20), shortened(value.get(), 60)))
        .collect();
    format!(
        "\n{tool} wants to run, with these arguments ({} bytes):\n{whole}\n\
         Allow {tool} {}, this once? [y/N] ",
        args.len(),
        short.join(" "),
        tool = shortened(tool, 60),
    )
}

/// What the person types from now on: what was typed before the question was no answer to it.
fn read_answer(question: &str) -> io::Result<String> {
    let terminal = File::open("/dev/tty")?;
    tcflush(&terminal, QueueSelector::IFlush)?;
    let mut shown = io::stderr();
    shown.write_all(question.as_bytes())?;
    shown.flush()?;
    let mut line = String::new();
    BufReader::new(terminal).read_line(&mut line)?;
    Ok(line)
}
