//! The question to a person whose conversation another process runs.

use std::io::{self, Write as _};

use crossterm::event::{KeyCode, KeyModifiers};
use silcrow_agent::steer_stored;
use silcrow_console::live::{self, Keyboard, TypedInput};
use silcrow_event::{Content, ContentPart, error_chain};
use silcrow_sanitize::sanitize;
use silcrow_session::claim::{ActiveProcess, ActiveRun, ClaimAttempt};
use silcrow_session::{AgentSession, ForkName, RunTask, SessionHost, new_conversation};
use silcrow_settings::known_secrets;
use silcrow_store::Store;

use crate::error::Error;
use crate::options::AskOptions;

/// A conversation that a run has claimed, or the person's other choice.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a person chooses one of these")]
pub enum ClaimedRun {
    /// The run has claimed the conversation, or a fork of it.
    Claimed {
        /// The conversation.
        conversation: String,
        /// The task of the run.
        task: RunTask,
        /// The claim, which ends when it is dropped. A store in memory needs none.
        active: Option<ActiveRun>,
    },
    /// Another process runs the conversation, and the person wants to follow it. A prompt that was meant
    /// for that run was sent to it.
    Follow {
        /// The conversation to follow.
        conversation: String,
    },
}

/// Claims the conversation of a run, or a fork of it. A person at a terminal is asked for the next
/// step if another process runs it.
///
/// # Errors
///
/// Fails if another process runs the conversation and nobody can be asked, or the person leaves it.
pub async fn claim_conversation(
    session: &AgentSession,
    conversation: String,
    task: RunTask,
    options: &AskOptions,
    host: &dyn SessionHost,
) -> Result<ClaimedRun, Error> {
    let (place, root, words) = (session.place(), options.root(), task.prompt());
    let other = match ActiveRun::attempt(place, &conversation, root, &words)? {
        ClaimAttempt::Claimed(active) => {
            return Ok(ClaimedRun::Claimed { conversation, task, active });
        }
        ClaimAttempt::Taken(other) => other,
    };
    let can_fork = matches!(task, RunTask::Answer { fork: None, .. });
    let choice = match options.wait {
        true => ActiveChoice::Wait,
        false if options.json || !live::is_possible() => {
            return Err(other.error(&conversation).into());
        }
        false => ask(&other, &conversation, can_fork).await?,
    };
    match (choice, task) {
        (ActiveChoice::Follow, _) => Ok(ClaimedRun::Follow { conversation }),
        (ActiveChoice::Steer, RunTask::Answer { prompt, .. }) => {
            steer(&*session.store(), &conversation, session.user(), prompt).await?;
            Ok(ClaimedRun::Follow { conversation })
        }
        (ActiveChoice::Wait, task) => {
            let active = ActiveRun::wait(place, &conversation, root, &words, host).await?;
            Ok(ClaimedRun::Claimed { conversation, task, active })
        }
        (ActiveChoice::Fork, RunTask::Answer { prompt, resources, .. }) => {
            let fork = new_conversation();
            // If stderr is closed, the notice is lost.
            let _ = writeln!(io::stderr(), "conversation {fork}, a fork of {conversation}");
            let of = Some(ForkName::new(&conversation));
            let task = RunTask::Answer { prompt, fork: of, resources };
            let active = session.claim(&fork, &words)?;
            Ok(ClaimedRun::Claimed { conversation: fork, task, active })
        }
        _ => Err(other.error(&conversation).into()),
    }
}

/// Sends a prompt to the run that works in a conversation, without the secrets of this machine.
///
/// # Errors
///
/// Fails if the store cannot be written.
pub async fn steer(
    store: &dyn Store,
    conversation: &str,
    user: Option<&str>,
    prompt: Content,
) -> Result<(), Error> {
    let sent = steer_stored(store, conversation, user, masked(prompt)).await;
    sent.map(drop).map_err(|error| Error::failed(error_chain(&error)))
}

/// Returns a prompt without the secrets of this machine.
fn masked(prompt: Content) -> Content {
    let secrets = known_secrets();
    prompt
        .parts()
        .iter()
        .map(|part| ContentPart::Text(secrets.mask(&part.text()).into_owned()))
        .collect()
}

/// A person's choice about a conversation that another process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActiveChoice {
    Follow,
    Steer,
    Wait,
    Fork,
    Leave,
}

/// Asks for the next step, which one key answers. `can_fork` says whether the person has a prompt,
/// for a fork or for the other run.
async fn ask(
    other: &ActiveProcess,
    conversation: &str,
    can_fork: bool,
) -> Result<ActiveChoice, Error> {
    let failed = |error| Error::failed(format!("cannot read keys from the terminal: {error}"));
    let steer = if can_fork { "  s send it your prompt" } else { "" };
    let fork = if can_fork { "  b branch off" } else { "" };
    let question = format!(
        "conversation {conversation} is at work elsewhere: {}\n\
         f follow it{steer}  w wait for it{fork}  n leave it ",
        other.description()
    );
    let mut keyboard = Keyboard::open().map_err(failed)?;
    let mut err = io::stderr();
    let question = sanitize(&question).replace('\n', "\r\n");
    err.write_all(question.as_bytes()).and_then(|()| err.flush()).map_err(failed)?;
    let choice = loop {
        let key = match keyboard.next().await {
            Ok(TypedInput::Key(key)) => key,
            Ok(TypedInput::Paste(_) | TypedInput::Resized) => continue,
            Err(_) => return Err(Error::hung_up()),
        };
        match key.code {
            KeyCode::Char('c') if key.modifiers == KeyModifiers::CONTROL => {
                break ActiveChoice::Leave;
            }
            KeyCode::Char('f') => break ActiveChoice::Follow,
            KeyCode::Char('s') if can_fork => break ActiveChoice::Steer,
            KeyCode::Char('w') => break ActiveChoice::Wait,
            KeyCode::Char('b') if can_fork => break ActiveChoice::Fork,
            KeyCode::Char('n') | KeyCode::Esc => break ActiveChoice::Leave,
            _ => {}
        }
    };
    keyboard.close().await;
    // If stderr is closed, the line is not ended.
    let _ = err.write_all(b"\n");
    Ok(choice)
}
