//! Messages to a run at work, which are stored without secrets.

use std::borrow::Cow;

use silcrow_event::{Content, ContentPart, Event};
use silcrow_tool::{Scope, Secrets};

use crate::error::Error;
use crate::inbox::SentMessage;
use crate::questions::QuestionAnswer;
use crate::sink::OutputSink;

/// The beginning of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RunBeginning<'a> {
    /// A message of the person.
    Prompt(&'a Content),
    /// Answers to the questions of an earlier run, which is continued.
    Answers(&'a [QuestionAnswer]),
}

/// The beginning of a run that is spawned as a task.
pub(crate) enum OwnedBeginning {
    /// A message of the person.
    Prompt(Content),
    /// Answers to the questions of an earlier run, which is continued.
    Answers(Vec<QuestionAnswer>),
}

impl OwnedBeginning {
    pub(crate) const fn as_run(&self) -> RunBeginning<'_> {
        match self {
            Self::Prompt(prompt) => RunBeginning::Prompt(prompt),
            Self::Answers(answers) => RunBeginning::Answers(answers.as_slice()),
        }
    }
}

/// Returns a prompt without secrets.
pub(super) fn masked(prompt: &Content, secrets: &Secrets) -> Content {
    let part = |part: &ContentPart| match secrets.mask(&part.text()) {
        Cow::Borrowed(_) => part.clone(),
        Cow::Owned(text) => ContentPart::Text(text),
    };
    prompt.parts().iter().map(part).collect()
}

/// Stores a message of the person in a turn, and tells the sender.
pub(super) async fn store(
    message: SentMessage,
    scope: &Scope,
    turn: u32,
    sink: &mut OutputSink<'_>,
) -> Result<(), Error> {
    let text = scope.secrets.mask(&message.text).into_owned();
    sink.store(turn, vec![Event::steer(text)]).await?;
    // The sender may have left.
    let _ = message.stored.send(());
    Ok(())
}
