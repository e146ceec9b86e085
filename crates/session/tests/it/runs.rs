//! Prompts of a session, and the agents that it makes.

use silcrow_agent::RunOutcome;
use silcrow_event::{Event, RunEventRef};
use silcrow_session::{AgentSession, ErrorKind, ForkName, RunTarget};
use silcrow_tool::DenyAll;

use crate::support::{Folder, host};

/// The answers of a model to two prompts.
const TWO: &str = "§respond: one\n§end\n%%\n§respond: two\n§end";

async fn ask(session: &mut AgentSession, prompt: &str) -> Vec<String> {
    let agent = session.agent(DenyAll);
    let mut answers = Vec::new();
    let mut show = |event: RunEventRef<'_>| {
        if let RunEventRef::Entry(entry) = event
            && let Event::Respond(respond) = &entry.event
        {
            answers.push(respond.content.trim().to_owned());
        }
    };
    let outcome = session.ask(&agent, prompt, &mut show).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
    answers
}

#[tokio::test]
async fn session_prompts_share_one_conversation() {
    let folder = Folder::new();
    let mut session = AgentSession::open(folder.options(TWO), &host().1).await.unwrap();
    let id = session.conversation().to_owned();
    assert_eq!(ask(&mut session, "First?").await, ["one"]);
    assert_eq!(session.conversation(), id);
    let head = session.store().head(&id).await.unwrap();
    ask(&mut session, "Second?").await;
    assert!(session.store().head(&id).await.unwrap() > head);

    // Another conversation, and the first one again, by the beginning of its id.
    session.continue_in(&RunTarget::Fresh).await.unwrap();
    assert_ne!(session.conversation(), id);
    session.continue_in(&RunTarget::Existing(id[..8].to_owned())).await.unwrap();
    assert_eq!(session.conversation(), id);
    let nobody = RunTarget::Existing("nobody".to_owned());
    let error = session.continue_in(&nobody).await.unwrap_err();
    let unknown = ErrorKind::History(silcrow_history::ErrorKind::Unknown);
    assert_eq!((error.kind(), session.conversation()), (unknown, &*id));
    session.finish().await;
}

#[tokio::test]
async fn prompt_includes_its_named_files() {
    let folder = Folder::new();
    folder.write("root/notes.md", "Buy bread.");
    let (kept, host) = host();
    let mut session = AgentSession::open(folder.options(TWO), &host).await.unwrap();
    ask(&mut session, "What is in @notes.md?").await;
    assert_eq!(kept.lines(), ["with notes.md: 10 B"]);
    let entries = session.store().read(session.conversation(), 1..=1).await.unwrap();
    let Event::User { content, .. } = &entries[0].event else { panic!("{entries:?}") };
    assert!(content.text().contains("Buy bread."), "{entries:?}");

    let agent = session.agent(DenyAll);
    let error = session.ask(&agent, "What is in @notes.md:7?", &mut |_| {}).await.unwrap_err();
    assert_eq!(error.message(), "notes.md:7: the file has only 1 line");
}

#[tokio::test]
async fn users_share_the_store_not_conversations() {
    let folder = Folder::new();
    let mut session = AgentSession::open(folder.options(TWO), &host().1).await.unwrap();
    ask(&mut session, "First?").await;
    let mut other = session.for_user(Some("bob".to_owned())).unwrap();
    let latest = other.continue_in(&RunTarget::Latest).await.unwrap_err();
    assert!(latest.message().contains("of bob"), "{latest}");
    session.continue_in(&RunTarget::Latest).await.unwrap();
    let store = other.store();
    assert!(store.head(session.conversation()).await.unwrap() > 0);
}

#[tokio::test]
async fn fork_begins_at_the_named_point() {
    let folder = Folder::new();
    let mut session = AgentSession::open(folder.options(TWO), &host().1).await.unwrap();
    ask(&mut session, "First?").await;
    let agent = session.agent(DenyAll);
    let store = session.store();
    let name = ForkName::new(&format!("{}@1", session.conversation()));
    name.begin(&agent, &*store, "fork".into()).await.unwrap();
    let head = store.head("fork").await.unwrap();
    let entries = store.read("fork", 1..=head).await.unwrap();
    let prompts = entries.iter().filter(|entry| matches!(entry.event, Event::User { .. }));
    assert_eq!(prompts.count(), 1, "{entries:?}");
    let late = ForkName::new(&format!("{}@99", session.conversation()));
    let error = late.begin(&agent, &*store, "late".into()).await.unwrap_err();
    let none = ErrorKind::History(silcrow_history::ErrorKind::NoEvent);
    assert_eq!(error.kind(), none, "{error}");
}
