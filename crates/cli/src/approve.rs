use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rustix::termios::{QueueSelector, tcflush};
use serde_json::value::RawValue;
use silcrow_exec::{Answer, Approver, Extent, Question};

use crate::screen::{Screen, shortened};
use crate::visible::visible;

/// Says yes to the tools that were allowed beforehand, and asks the person about the rest.
pub(crate) struct Person {
    allowed: BTreeSet<String>,
    screen: Arc<Mutex<Screen>>,
    /// Held while a question stands: agents that run at once ask one after the other.
    asking: tokio::sync::Mutex<()>,
}

impl Person {
    pub(crate) fn new(allowed: BTreeSet<String>, screen: Arc<Mutex<Screen>>) -> Self {
        Self { allowed, screen, asking: tokio::sync::Mutex::new(()) }
    }
}

impl Approver for Person {
    fn ask<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Answer> {
        async move {
            let tool = question.tool;
            if self.allowed.contains(tool) {
                return Answer::Allow(Extent::Once);
            }
            if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
                return Answer::Deny(format!(
                    "`{tool}` needs a person's yes, and nobody is at a terminal to give it \
                     (--allow {tool} would)"
                ));
            }
            let _asking = self.asking.lock().await;
            self.screen.lock().unwrap_or_else(PoisonError::into_inner).ask();
            let text = text(question);
            // A person takes their time: not on the thread that runs everything else.
            let asked = tokio::task::spawn_blocking(move || read_answer(&text)).await;
            let typed = asked.map_or_else(|_| String::new(), Result::unwrap_or_default);
            let line_ended = typed.ends_with('\n');
            self.screen.lock().unwrap_or_else(PoisonError::into_inner).go_on(line_ended);
            answer(&typed, tool)
        }
        .boxed()
    }
}

/// What was typed, as an answer: whatever is no clear yes is a no, and its words are the model's
/// to read.
fn answer(typed: &str, tool: &str) -> Answer {
    let words = typed.trim();
    match &*words.to_lowercase() {
        "y" | "yes" => Answer::Allow(Extent::Once),
        "a" | "always" => Answer::Allow(Extent::Conversation),
        "" | "n" | "no" => Answer::Deny(format!("the person did not allow `{tool}`")),
        _ => Answer::Deny(format!("the person did not allow `{tool}`, and said: {words}")),
    }
}

/// All of what is asked about, on one long line so that nothing scrolls away by itself, and the
/// short of it where the answer is typed.
fn text(Question { path, tool, args, covers, .. }: Question<'_>) -> String {
    let whole = visible(args).replace('\n', "⏎");
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(args).unwrap_or_default();
    let short: Vec<_> = members
        .iter()
        .map(|(name, value)| format!("{}={}", shortened(name, 20), shortened(value.get(), 60)))
        .collect();
    // Of the very same arguments there is nothing more to say.
    let covered = if covers == args { "the same arguments" } else { covers };
    // Whose wish it is, if not that of the agent that the person speaks with.
    let whose = match path {
        [] => String::new(),
        path => format!("{}: ", shortened(&path.join("/"), 80)),
    };
    format!(
        "\n{whose}{tool} wants to run, with these arguments ({} bytes):\n{whole}\n\
         Allow {tool} {}?\n\
         y  this once    a  always here: {}    else no, in words for the model\n[N] ",
        args.len(),
        short.join(" "),
        shortened(covered, 60),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        for typed in ["y\n", " YES \n"] {
            assert_eq!(answer(typed, "t"), Answer::Allow(Extent::Once), "{typed}");
        }
        for typed in ["a\n", "Always"] {
            assert_eq!(answer(typed, "t"), Answer::Allow(Extent::Conversation), "{typed}");
        }
        for typed in ["", "\n", "n\n", "No\n"] {
            let no = Answer::Deny("the person did not allow `t`".to_owned());
            assert_eq!(answer(typed, "t"), no, "{typed}");
        }
        for typed in ["yes please\n", "ya\n", "use b.txt\n"] {
            let Answer::Deny(why) = answer(typed, "t") else { panic!("{typed}") };
            assert!(why.ends_with(&format!("and said: {}", typed.trim())), "{why}");
        }
    }
}
