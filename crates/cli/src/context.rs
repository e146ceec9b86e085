//! `silcrow context` and `silcrow compact`: what the model reads of a conversation, and a summary of
//! its older part.

mod system_parts;

use std::io::{self, IsTerminal as _, Write as _};
use std::time::SystemTime;

use silcrow_agent::{Agent, NextContext};
use silcrow_console::interrupt;
use silcrow_console::pager::PagedOutput;
use silcrow_console::plural::count;
use silcrow_event::{
    ContextSummary, Entry, Event, Json, Message, Role, SummaryAuthor, error_chain,
};
use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_session::{AgentSession, RunTarget, SessionSetup};
use silcrow_settings::known_secrets;
use silcrow_store::{ErrorKind, Store};
use silcrow_tool::{CancellationToken, DenyAll, Scope};

use crate::args::{CompactArgs, ContextArgs};
use crate::conversation::{ConversationOwner, resolved};
use crate::failure::{Failure, written};
use crate::host::host;
use crate::instructions::given;
use crate::model;
use crate::options::AskOptions;
use crate::places;
use crate::runtime::block_on;

use system_parts::SystemParts;

/// Shows what the next request of a conversation would send.
pub(crate) fn context(args: &ContextArgs, options: &AskOptions) -> Result<(), Failure> {
    block_on(async {
        let OpenedConversation { agent, session, id } =
            open(options, args.conversation.as_deref(), true).await?;
        let next = agent.next_context(&*id).await;
        let next = next.map_err(|error| failed(options, &error))?;
        let left_out = session.instructions_left_out().to_vec();
        let system = SystemParts::new(&agent, &next, left_out);
        drop(session);
        if options.json {
            return written(writeln!(io::stdout(), "{}", to_json(&id, &next, &system)));
        }
        let mut paged = PagedOutput::start(io::stdout().is_terminal());
        let shown = match (args.summary, &next.summary) {
            (true, Some(summary)) => writeln!(paged, "{}", sanitize(&summary.content)),
            (true, None) => writeln!(paged, "the conversation has no summary"),
            (false, _) => show(&next, args.brief, &system, &mut paged),
        };
        written(shown.and_then(|()| paged.finish()))
    })
}

/// Summarizes the older part of a conversation, or changes its summary.
pub(crate) fn compact(args: &CompactArgs, options: &AskOptions) -> Result<(), Failure> {
    block_on(async {
        let OpenedConversation { agent, session, id } =
            open(options, args.conversation.as_deref(), false).await?;
        let store = session.store();
        let line = match (&args.text, args.undo) {
            (Some(text), _) => {
                let text = given(text)?;
                edit(&agent, &*store, options, &id, &text).await?
            }
            (None, true) => undo(&agent, &*store, options, &id).await?,
            (None, false) => {
                let cancel = CancellationToken::new();
                let watched = interrupt::watch(cancel.clone());
                watched.map_err(|error| Failure::running(format!("cannot start: {error}")))?;
                if io::stderr().is_terminal() && !options.json {
                    // If stderr is closed, the line is lost.
                    let _ = writeln!(io::stderr(), "the model writes a summary; Ctrl-C stops it");
                }
                let scope = Scope::new(&*id).with_cancellation(cancel);
                summarize(&agent, options, scope, args.focus.as_deref()).await?
            }
        };
        match options.json {
            true => {
                let (id, line) = (Json::string(&id), Json::string(&line));
                written(writeln!(io::stdout(), "{{\"conversation\":{id},\"outcome\":{line}}}"))
            }
            false => written(writeln!(io::stdout(), "{line}")),
        }
    })
}

/// Has the model summarize everything before the newest turn, and returns what happened.
pub(crate) async fn summarize(
    agent: &Agent,
    args: &AskOptions,
    scope: Scope,
    focus: Option<&str>,
) -> Result<String, Failure> {
    let id = scope.conversation_id().to_owned();
    let before = tokens(agent, &id).await;
    let made = agent.compact(scope, focus, &mut |_| {}).await;
    let Some(summary) = made.map_err(|error| failed(args, &error))? else {
        return Ok("there is nothing to summarize yet".to_owned());
    };
    let after = tokens(agent, &id).await;
    Ok(format!(
        "{} are summarized; the next request has about {after} tokens instead of {before}",
        count(summary.until, "event")
    ))
}

/// Replaces the words of the summary by a person's, and returns what happened.
async fn edit(
    agent: &Agent,
    store: &dyn Store,
    args: &AskOptions,
    id: &str,
    text: &str,
) -> Result<String, Failure> {
    let content = known_secrets().mask(text.trim()).into_owned();
    if content.is_empty() {
        return Err(Failure::given("the summary has no words; --undo takes it back"));
    }
    let summary = last(agent, args, id).await?;
    let summary = ContextSummary { content, author: SummaryAuthor::Person, ..summary };
    append(store, id, summary).await?;
    Ok("the summary has your words now".to_owned())
}

/// Takes the summary back, and returns what happened.
pub(crate) async fn undo(
    agent: &Agent,
    store: &dyn Store,
    args: &AskOptions,
    id: &str,
) -> Result<String, Failure> {
    last(agent, args, id).await?;
    let taken = ContextSummary { author: SummaryAuthor::Person, ..ContextSummary::default() };
    append(store, id, taken).await?;
    Ok("the summary is taken back; the model reads everything again".to_owned())
}

/// Returns the lines that say how large the next request is, and what is left out of it.
pub(crate) fn size_lines(next: &NextContext) -> Vec<String> {
    let total: u64 = next.tokens().sum();
    let mut first = format!("about {total} tokens");
    if let Some(window) = next.limits.context {
        let part = total.saturating_mul(100) / window.max(1);
        first = format!("{first} of {window}, {part} %");
    }
    let mut lines = vec![first];
    if let Some(summary) = &next.summary {
        let (until, shortened) = (summary.until, summary.shortened);
        if until > 0 {
            let events = count(next.events, "event");
            lines.push(format!("a summary stands for the first {until} of {events}"));
        }
        if shortened > until {
            lines.push(format!(
                "events {} to {shortened} have no thoughts and no long results",
                until + 1
            ));
        }
    }
    lines
}

/// Writes the messages with their sizes.
fn show(
    next: &NextContext,
    brief: bool,
    system: &SystemParts,
    to: &mut impl io::Write,
) -> io::Result<()> {
    for (message, tokens) in next.messages.iter().zip(next.tokens()) {
        writeln!(to, "── {}, about {tokens} tokens", message.role.as_str())?;
        if message.role == Role::System {
            for line in system.lines() {
                writeln!(to, "   {}", sanitize_line(&line))?;
            }
        }
        if !brief {
            writeln!(to, "{}\n", sanitize(&message.text()))?;
        }
    }
    for line in size_lines(next) {
        writeln!(to, "{}", sanitize_line(&line))?;
    }
    Ok(())
}

fn to_json(id: &str, next: &NextContext, system: &SystemParts) -> String {
    let message = |(message, tokens): (&Message, u64)| {
        let json = message.to_json();
        format!("{},\"tokens\":{tokens}}}", json.trim_end_matches('}'))
    };
    let messages: Vec<_> = next.messages.iter().zip(next.tokens()).map(message).collect();
    let total: u64 = next.tokens().sum();
    let window = next.limits.context.map_or_else(|| "null".to_owned(), |window| window.to_string());
    let summary = next.summary.clone().map(|summary| Event::Summary(summary).to_json());
    format!(
        "{{\"conversation\":{},\"tokens\":{total},\"window\":{window},\"events\":{},\"summary\":{},\
         {},\"messages\":[{}]}}",
        Json::string(id),
        next.events,
        summary.as_deref().unwrap_or("null"),
        system.to_members(),
        messages.join(","),
    )
}

/// A conversation with an agent that runs nothing.
struct OpenedConversation {
    agent: Agent,
    session: AgentSession,
    id: String,
}

/// Opens a session and makes an agent that runs nothing.
async fn open(
    options: &AskOptions,
    conversation: Option<&str>,
    starts_servers: bool,
) -> Result<OpenedConversation, Failure> {
    let setup = SessionSetup::check(options.session.clone(), &host())?;
    let mut session = setup.open().await?;
    let id = match conversation {
        Some(id) => {
            let own = ConversationOwner::Just(session.user());
            resolved(&*session.store(), id, own).await?
        }
        None => session.resolve(&RunTarget::Latest).await?,
    };
    if starts_servers {
        // What they offer is a part of what the model reads.
        let servers = session.begin_servers(None);
        for line in servers.settle(&CancellationToken::new()).await {
            // If stderr is closed, the line is lost.
            let _ = writeln!(io::stderr(), "{}", sanitize_line(&line));
        }
    }
    Ok(OpenedConversation { agent: session.agent(DenyAll), session, id })
}

/// Returns about how many tokens the next request has.
async fn tokens(agent: &Agent, id: &str) -> u64 {
    agent.next_context(id).await.map_or(0, |next| next.tokens().sum())
}

/// Returns the last summary of a conversation.
async fn last(agent: &Agent, args: &AskOptions, id: &str) -> Result<ContextSummary, Failure> {
    let next = agent.next_context(id).await.map_err(|error| failed(args, &error))?;
    next.summary.ok_or_else(|| {
        Failure::given("the conversation has no summary; `silcrow compact` makes one")
    })
}

/// Stores a summary, also while a run adds to the conversation.
async fn append(store: &dyn Store, id: &str, summary: ContextSummary) -> Result<(), Failure> {
    let failure = |error| places::failure(&error);
    let entry =
        Entry { timestamp: Some(SystemTime::now().into()), ..Event::Summary(summary).into() };
    loop {
        let head = store.head(id).await.map_err(failure)?;
        match store.append(id, head, vec![entry.clone()]).await {
            Ok(_) => return Ok(()),
            // A run has added something meanwhile.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(failure(error)),
        }
    }
}

fn failed(args: &AskOptions, error: &silcrow_agent::Error) -> Failure {
    let name = model::name(args.session.model.as_deref());
    Failure::running(error_chain(error) + model::hint(&name, error))
}
