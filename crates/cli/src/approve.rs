use std::collections::BTreeSet;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_exec::{Answer, Approver};

use crate::screen::Screen;
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
            self.screen.lock().unwrap_or_else(PoisonError::into_inner).pause();
            let question = format!(
                "\n{} wants to run, with these arguments ({} bytes):\n{}\nAllow it this once? [y/N] ",
                visible(tool),
                args.len(),
                visible(args),
            );
            // A person takes their time: not on the thread that runs everything else.
            let asked = tokio::task::spawn_blocking(move || {
                let mut terminal = io::stderr();
                terminal.write_all(question.as_bytes())?;
                terminal.flush()?;
                let mut line = String::new();
                io::stdin().lock().read_line(&mut line)?;
                Ok::<_, io::Error>(line)
            });
            let answer = match asked.await {
                Ok(Ok(line)) => line,
                _ => String::new(),
            };
            self.screen.lock().unwrap_or_else(PoisonError::into_inner).go_on();
            if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
                Answer::Allow
            } else {
                Answer::Deny(format!("the person did not allow `{tool}`"))
            }
        }
        .boxed()
    }
}
