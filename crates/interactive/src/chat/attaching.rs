//! Runs of other processes on the same store, which a person follows, steers and answers: `/attach`.
//!
//! The entries of such a run are shown as if it ran here. A line goes to it as a message, and Esc
//! leaves it at work. One that waits for an answer continues in this process, which asks the
//! question.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use silcrow_agent::RunOutcome;
use silcrow_console::attend::{AttendedEnd, SentLine, lock};
use silcrow_console::live::LiveScreen;
use silcrow_event::{Entry, Event, LogPosition, RunEventRef, TextFragment, TextKind};
use silcrow_history::{ConversationFollower, ConversationOwner, Conversations, FollowedEvent};
use silcrow_sanitize::sanitize_line;
use silcrow_session::RunTask;
use silcrow_store::Store;
use silcrow_store::verify::{Report, read_whole};
use silcrow_term::{Line, Style, TextRole};
use tokio::time::timeout;

use super::run_elsewhere::RunsElsewhere;
use super::slash::is_command;
use super::{ChatSession, SessionStep};
use crate::active_choice::steer;
use crate::attended::keyless;
use crate::error::Error;

/// The end of following a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FollowedEnd {
    /// The run is over.
    Over,
    /// It waits for an answer.
    Waits,
    /// The person has left it.
    Left,
}

impl ChatSession {
    /// Continues in a conversation that another process runs or that waits for an answer, and follows that
    /// run. Without an id, it is the only one, or all are listed.
    pub(super) async fn attach(&mut self, id: Option<&str>) -> Result<SessionStep, Error> {
        self.be_ready().await?;
        let store = self.session.store();
        let Some(folder) = self.session.place().folder() else {
            return Err(Error::given("no other process has a store that is in memory"));
        };
        let others = RunsElsewhere { folder: folder.to_owned(), store: Arc::clone(&store) };
        let owner = ConversationOwner::Just(self.session.user());
        let conversation = match id {
            Some(id) => Conversations::resolve(&*store, id, owner).await?,
            None => {
                let all = Conversations::list(&*store, owner).await?;
                let (mut found, held) = (Vec::new(), store.shared_runs().held().await?);
                for (index, one) in all.recent().iter().enumerate() {
                    let id = &*one.conversation;
                    if let Some(process) = others.listed(id, &held) {
                        found.push((id, process.description));
                    } else if index < MOST_READ && waits(&*store, id).await? {
                        found.push((id, "waits for your answer".to_owned()));
                    }
                }
                match found.as_slice() {
                    [] => {
                        let none = "no other process runs a conversation, and none waits for you";
                        return Err(Error::given(none));
                    }
                    [(only, _)] => (*only).to_owned(),
                    several => {
                        lock(&self.screen).show_lines(&found_lines(several));
                        return Ok(SessionStep::Continue);
                    }
                }
            }
        };
        self.conversation = conversation;
        self.forget_prompt();
        let process = others.find(&self.conversation).await?;
        let said = match &process {
            Some(process) => format!("{}; Esc leaves it at work", process.whereabouts),
            None => "no process runs it".to_owned(),
        };
        self.say(&format!("conversation {}: {said}", sanitize_line(&self.conversation)));
        if process.is_none() && !waits(&*store, &self.conversation).await? {
            self.show_resumed().await?;
            return Ok(SessionStep::Continue);
        }
        self.use_kept_mode().await?;
        let ended = self.follow_other(&others).await?;
        match ended {
            Ok(FollowedEnd::Over) => Ok(SessionStep::Continue),
            Ok(FollowedEnd::Left) => {
                self.say("the run goes on; /attach follows it again");
                Ok(SessionStep::Continue)
            }
            Ok(FollowedEnd::Waits) => {
                self.say("the run waits for your answer, and continues here");
                self.perform("", &RunTask::Resume { is_retry: false }).await
            }
            Err(step) => Ok(step),
        }
    }

    /// Shows the end of the conversation that continues, or follows its run if another process has that.
    pub(super) async fn show_or_follow(&mut self) -> Result<(), Error> {
        let (store, folder) = (self.session.store(), self.session.place().folder());
        let others = folder.map(|folder| RunsElsewhere { folder: folder.to_owned(), store });
        let process = match &others {
            Some(others) => others.find(&self.conversation).await?,
            None => None,
        };
        if process.is_none() {
            return self.show_resumed().await;
        }
        let id = self.conversation.clone();
        match self.attach(Some(&id)).await {
            Ok(SessionStep::Continue) => Ok(()),
            Ok(SessionStep::Leave) => {
                self.queue.push_back("/exit".to_owned());
                Ok(())
            }
            Ok(SessionStep::HangUp) => Err(Error::hung_up()),
            Err(failure) => {
                self.fail(failure.message());
                Ok(())
            }
        }
    }

    /// Shows the entries that the run of another process stores until it ends. The inner error is
    /// the step of a person who leaves the session, too.
    async fn follow_other(
        &mut self,
        others: &RunsElsewhere,
    ) -> Result<Result<FollowedEnd, SessionStep>, Error> {
        let (store, conversation) = (self.session.store(), self.conversation.clone());
        let (first, prompt) = last_prompt(&*store, &conversation).await?;
        if let Some(prompt) = prompt {
            self.show_prompt(&prompt);
        }
        lock(&self.screen).begin(&self.model);
        let is_over = Arc::<AtomicBool>::default();
        self.steer_other(&store, Arc::clone(&is_over));
        let cancel = self.cancel.child_token();
        let (mut end, mut failure) = (FollowedEnd::Left, None);
        let screen = Arc::clone(&self.screen);
        let run = async {
            let follower = ConversationFollower::new(&*store, &conversation);
            // A read that has begun is not dropped with a pause.
            let events = unfold(follower, |mut follower| async move {
                let next = follower.next().await;
                Some((next, follower))
            });
            let mut events = pin!(events);
            let (mut parts, mut seen) = (0, 0);
            loop {
                let next = tokio::select! {
                    biased;
                    () = cancel.cancelled() => break,
                    next = timeout(PAUSE, events.next()) => next,
                };
                match next {
                    Ok(Some(Ok(FollowedEvent::Entry(entry)))) => {
                        seen = entry.seq.unwrap_or(seen);
                        if entry.seq.is_none_or(|seq| seq <= first) {
                            continue;
                        }
                        parts += 1;
                        show(&screen, &entry, parts);
                        if matches!(entry.event, Event::Parked(_)) && entry.agent_path.is_none() {
                            end = FollowedEnd::Waits;
                        } else if !entry.event.is_beside_runs() {
                            end = FollowedEnd::Left;
                        }
                    }
                    Ok(Some(Ok(_))) => {}
                    Ok(Some(Err(error))) => {
                        failure = Some(Error::from(error));
                        break;
                    }
                    Ok(None) => break,
                    Err(_) if end == FollowedEnd::Waits => break,
                    Err(_) => match is_over_at(others, &*store, &conversation, seen).await {
                        Ok(false) => {}
                        Ok(true) => {
                            is_over.store(true, Ordering::Relaxed);
                            end = FollowedEnd::Over;
                            break;
                        }
                        Err(error) => {
                            failure = Some(error.into());
                            break;
                        }
                    },
                }
            }
            Ok(RunOutcome::Answered)
        };
        let attended = self.runs.attend(run, &cancel, None).await;
        let draft = lock(&self.screen).finish();
        let AttendedEnd { unsent, queued, leaves, is_hung_up, .. } =
            attended.map_err(|error| keyless(&error))?;
        if is_hung_up {
            return Ok(Err(SessionStep::HangUp));
        }
        self.queue.extend(unsent.into_iter().chain(queued));
        self.draft = draft.unwrap_or_default();
        match failure {
            Some(error) => Err(error),
            None if leaves => Ok(Err(SessionStep::Leave)),
            None => Ok(Ok(end)),
        }
    }

    /// Sends the lines that the person types to the run of the other process. Once that is over, they are
    /// prompts.
    fn steer_other(&mut self, store: &Arc<dyn Store>, is_over: Arc<AtomicBool>) {
        let (store, screen) = (Arc::clone(store), Arc::clone(&self.screen));
        let (conversation, user) =
            (self.conversation.clone(), self.session.user().map(str::to_owned));
        self.runs.set_commands(move |line| {
            match line.trim() {
                "/stop" => return SentLine::Stop,
                line if is_command(line) || line.starts_with('!') => return SentLine::AfterRun,
                _ if is_over.load(Ordering::Relaxed) => return SentLine::AfterRun,
                _ => {}
            }
            let (store, screen, line) = (Arc::clone(&store), Arc::clone(&screen), line.to_owned());
            let (conversation, user) = (conversation.clone(), user.clone());
            tokio::spawn(async move {
                let sent = steer(&*store, &conversation, user.as_deref(), line.into()).await;
                if let Err(failure) = sent {
                    lock(&screen).show_line(failure.message());
                }
            });
            SentLine::Done
        });
    }
}

/// Returns whether no process runs a conversation whose events were seen up to this position. A run
/// stores its last events and ends, so the end comes only when nothing is left to show.
async fn is_over_at(
    others: &RunsElsewhere,
    store: &dyn Store,
    conversation: &str,
    seen: u64,
) -> Result<bool, silcrow_store::Error> {
    let is_free = others.find(conversation).await?.is_none();
    Ok(is_free && store.head(conversation).await? <= seen)
}

/// Shows a stored event. A text that was stored is shown as one that is written at once.
fn show(screen: &std::sync::Mutex<LiveScreen>, entry: &Entry, part: u32) {
    let text = match &entry.event {
        _ if entry.agent_path.is_some() => None,
        Event::Think(think) => Some((TextKind::Think, &think.content)),
        Event::Respond(said) if said.malformed.is_none() => {
            Some((TextKind::Respond { last: said.last }, &said.content))
        }
        _ => None,
    };
    let mut screen = lock(screen);
    if let Some((kind, text)) = text.filter(|(_, text)| !text.is_empty()) {
        let piece = TextFragment { kind, part, id: None, text };
        screen.show(RunEventRef::Text(piece, LogPosition::default()));
    }
    screen.show(RunEventRef::Entry(entry));
}

/// Returns the lines about conversations, each with the state of its run.
fn found_lines(found: &[(&str, String)]) -> Vec<Line> {
    let line = |(id, what): &(&str, String)| {
        let id = Line::styled(&sanitize_line(id), Style::new(TextRole::Accent));
        id.with_text(&format!("  {what}"), Style::PLAIN)
    };
    let how = Line::styled("/attach ID follows one of them", Style::PLAIN.dim());
    found.iter().map(line).chain([how]).collect()
}

/// Returns the position and the words of the last prompt.
async fn last_prompt(
    store: &dyn Store,
    conversation: &str,
) -> Result<(u64, Option<String>), Error> {
    let entries = last_entries(store, conversation).await?;
    let prompt = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::User { content, steer: false } if entry.agent_path.is_none() => {
            Some((entry.seq.unwrap_or_default(), Some(content.text().into_owned())))
        }
        _ => None,
    });
    Ok(prompt.unwrap_or_default())
}

/// Returns whether a conversation waits for an answer.
async fn waits(store: &dyn Store, conversation: &str) -> Result<bool, Error> {
    let entries = last_entries(store, conversation).await?;
    let is_of_run = |entry: &&Entry| {
        let is_answer = matches!(entry.event, Event::Approval(_));
        entry.agent_path.is_none() && !entry.event.is_beside_runs() && !is_answer
    };
    let last = entries.iter().rev().find(is_of_run);
    Ok(last.is_some_and(|last| matches!(last.event, Event::Parked(_))))
}

/// Reads the end of a conversation. Damaged events are left out; `silcrow log verify` reports them.
async fn last_entries(store: &dyn Store, conversation: &str) -> Result<Vec<Entry>, Error> {
    let head = store.head(conversation).await?;
    let first = head.saturating_sub(MOST_ENTRIES) + 1;
    let mut damage = Report::default();
    Ok(read_whole(store, conversation, first..=head, &mut damage).await?)
}

/// The time without an event after which it is looked whether the run is over.
const PAUSE: Duration = Duration::from_millis(300);

/// The number of events at the end of a conversation among which its last prompt is looked for.
const MOST_ENTRIES: u64 = 2_000;

/// The number of the conversations, the latest first, of which it is looked whether they wait.
const MOST_READ: usize = 50;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use silcrow_event::{Entry, Event};
    use silcrow_store::{MemoryStore, Store};

    use super::{RunsElsewhere, is_over_at};

    /// The run stores its last events and ends between two looks.
    #[tokio::test]
    async fn end_comes_after_the_last_event() {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let event = || Entry::from(Event::user("go"));
        store.append("c", 0, vec![event(), event()]).await.unwrap();
        let others = RunsElsewhere { folder: folder.path().to_owned(), store: Arc::clone(&store) };
        assert!(!is_over_at(&others, &*store, "c", 1).await.unwrap());
        assert!(is_over_at(&others, &*store, "c", 2).await.unwrap());
    }
}
