//! `silcrow context` and `silcrow compact`: the messages that the model reads of a conversation,
//! and a summary of its older part.

use std::io::{self, IsTerminal as _, Write as _};

use silcrow_agent::Agent;
use silcrow_console::interrupt;
use silcrow_console::pager::PagedOutput;
use silcrow_event::Json;
use silcrow_interactive::AskOptions;
use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_session::context::{ContextReport, ConversationSummary};
use silcrow_session::{AgentSession, RunTarget, SessionSetup};
use silcrow_tool::{CancellationToken, DenyAll, Scope};

use crate::args::{CompactArgs, ContextArgs};
use crate::conversation::{ConversationOwner, resolved};
use crate::failure::{Failure, written};
use crate::host::host;
use crate::instructions::given;
use crate::runtime::block_on;

/// Shows the next request of a conversation.
pub(crate) fn context(args: &ContextArgs, options: &AskOptions) -> Result<(), Failure> {
    block_on(async {
        let OpenedConversation { agent, session, id } =
            open(options, args.conversation.as_deref(), true).await?;
        let report = ContextReport::read(&session, &agent, &id).await?;
        drop(session);
        if options.json {
            return written(writeln!(io::stdout(), "{}", report.to_json()));
        }
        let mut paged = PagedOutput::start(io::stdout().is_terminal());
        let shown = match (args.summary, report.summary()) {
            (true, Some(summary)) => writeln!(paged, "{}", sanitize(summary)),
            (true, None) => writeln!(paged, "the conversation has no summary"),
            (false, _) => report.write(&mut paged, args.brief),
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
        let summary = ConversationSummary::new(&agent, &*store, session.setup().model(), &id);
        let line = match (&args.text, args.undo) {
            (Some(text), _) => summary.replace(&given(text)?).await?,
            (None, true) => summary.take_back().await?,
            (None, false) => {
                let cancel = CancellationToken::new();
                let watched = interrupt::watch(cancel.clone());
                watched.map_err(|error| Failure::running(format!("cannot start: {error}")))?;
                if io::stderr().is_terminal() && !options.json {
                    // If stderr is closed, the line is lost.
                    let _ = writeln!(io::stderr(), "the model writes a summary; Ctrl-C stops it");
                }
                let scope = Scope::new(&*id).with_cancellation(cancel);
                summary.make(scope, args.focus.as_deref()).await?
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
        // The model also reads the tools that they offer.
        let servers = session.begin_servers(None);
        for line in servers.settle(&CancellationToken::new()).await {
            // If stderr is closed, the line is lost.
            let _ = writeln!(io::stderr(), "{}", sanitize_line(&line));
        }
    }
    Ok(OpenedConversation { agent: session.agent(DenyAll), session, id })
}
