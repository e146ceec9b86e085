//! Shows a person the messages of a conversation that a model reads, and the summary of its older
//! part.
//!
//! No function here runs a call.

mod summary;
mod system_parts;

use std::io;

use silcrow_agent::{Agent, NextContext};
use silcrow_event::{Event, Json, Message, Role, error_chain};
use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_term::plural::count;

pub use summary::ConversationSummary;

use crate::error::Error;
use crate::hint::hint;
use crate::session::AgentSession;
use system_parts::SystemParts;

/// The next request of a conversation, with the sizes of its parts.
#[derive(Debug)]
pub struct ContextReport {
    conversation: String,
    next: NextContext,
    system: SystemParts,
}

impl ContextReport {
    /// Reads a conversation, and measures the next request of a session's agent. It asks no model,
    /// and stores nothing.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use silcrow_session::context::ContextReport;
    /// # use silcrow_session::{AgentSession, SessionHost, SessionOptions};
    /// # use silcrow_tool::DenyAll;
    /// # let folder = std::env::temp_dir().join(format!("silcrow-report-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let mut options = SessionOptions::new(&folder);
    /// # options.model = Some("rehearsal".to_owned());
    /// # options.store = Some("memory".into());
    /// # let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let mut session = AgentSession::open(options, &host).await?;
    /// # let agent = session.agent(DenyAll);
    /// session.ask(&agent, "What is here?", &mut |_| {}).await?;
    /// let report = ContextReport::read(&session, &agent, session.conversation()).await?;
    /// let mut shown = Vec::new();
    /// report.write(&mut shown, true).unwrap();
    /// assert!(String::from_utf8(shown).unwrap().starts_with("── system, about "));
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<_, silcrow_session::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation cannot be read.
    pub async fn read(
        session: &AgentSession,
        agent: &Agent,
        conversation: &str,
    ) -> Result<Self, Error> {
        let next = agent.next_context(conversation).await;
        let next = next.map_err(|error| failed(session.setup().model(), &error))?;
        let system = SystemParts::new(agent, &next, session.instructions_left_out().to_vec());
        Ok(Self { conversation: conversation.to_owned(), next, system })
    }

    /// Returns the text of the summary, if the conversation has one.
    pub fn summary(&self) -> Option<&str> {
        self.next.summary.as_ref().map(|summary| &*summary.content)
    }

    /// Writes the messages with their sizes, safe to show. Brief means without their texts.
    ///
    /// # Errors
    ///
    /// Fails if `to` does.
    pub fn write(&self, to: &mut impl io::Write, is_brief: bool) -> io::Result<()> {
        for (message, tokens) in self.next.messages.iter().zip(self.next.tokens()) {
            writeln!(to, "── {}, about {tokens} tokens", message.role.as_str())?;
            if message.role == Role::System {
                for line in self.system.lines() {
                    writeln!(to, "   {}", sanitize_line(&line))?;
                }
            }
            if !is_brief {
                writeln!(to, "{}\n", sanitize(&message.text()))?;
            }
        }
        for line in size_lines(&self.next) {
            writeln!(to, "{}", sanitize_line(&line))?;
        }
        Ok(())
    }

    /// Returns the report as a JSON object: the conversation, the tokens and the window, the summary, the
    /// parts of the system message, and the messages.
    pub fn to_json(&self) -> String {
        let next = &self.next;
        let message = |(message, tokens): (&Message, u64)| {
            let json = message.to_json();
            format!("{},\"tokens\":{tokens}}}", json.trim_end_matches('}'))
        };
        let messages: Vec<_> = next.messages.iter().zip(next.tokens()).map(message).collect();
        let total: u64 = next.tokens().sum();
        let window = next.limits.context;
        let window = window.map_or_else(|| "null".to_owned(), |window| window.to_string());
        let summary = next.summary.clone().map(|summary| Event::Summary(summary).to_json());
        format!(
            "{{\"conversation\":{},\"tokens\":{total},\"window\":{window},\"events\":{},\"summary\":{},\
             {},\"messages\":[{}]}}",
            Json::string(&self.conversation),
            next.events,
            summary.as_deref().unwrap_or("null"),
            self.system.to_members(),
            messages.join(","),
        )
    }
}

/// Describes the size of the next request, and the omitted parts, in lines for a person.
pub fn size_lines(next: &NextContext) -> Vec<String> {
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

/// A part of the next request, with its approximate number of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a part has a name and a size")]
pub struct ContextShare {
    /// The name of the part, such as `prompts and results`.
    pub name: String,
    /// The approximate number of tokens.
    pub tokens: u64,
}

/// Returns the parts of the next request, in its order: the parts of the system message, the person's
/// side and the model's side. Parts without tokens are left out.
pub fn context_shares(agent: &Agent, next: &NextContext) -> Vec<ContextShare> {
    let system = SystemParts::new(agent, next, Vec::new());
    let mut shares: Vec<_> = system.shares().collect();
    let of_role = |role: Role, name: &str| {
        let messages = next.messages.iter().zip(next.tokens());
        let of_role = messages.filter(|(message, _)| message.role == role);
        let tokens = of_role.map(|(_, tokens)| tokens).sum();
        ContextShare { name: name.to_owned(), tokens }
    };
    let in_parts: u64 = shares.iter().map(|share| share.tokens).sum();
    let whole = of_role(Role::System, "the rest of the system message");
    shares.push(ContextShare { tokens: whole.tokens.saturating_sub(in_parts), ..whole });
    shares.push(of_role(Role::User, "prompts and results"));
    shares.push(of_role(Role::Assistant, "what the model wrote"));
    shares.retain(|share| share.tokens > 0);
    shares
}

/// Returns the error of an agent whose model has this name.
fn failed(model: &str, error: &silcrow_agent::Error) -> Error {
    Error::failed(error_chain(error) + hint(model, error))
}
