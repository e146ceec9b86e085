//! The client's context for the agent beside the prompts: the system messages of a chat, the
//! instructions of a response, the context of a page, and the client's tools.
//!
//! It is kept beside the conversation, so that a run that waits for an answer continues with it on any
//! machine.

use silcrow_agent::Agent;
use silcrow_context::InstructionText;
use silcrow_event::Content;
use silcrow_front::ClientTools;

use crate::error::{Error, ErrorKind};
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::{PreparedAgent, RunPlace};
use crate::work::RunCause;

/// The client's context that comes with a prompt.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallerWords {
    /// The text for the agent.
    pub(crate) text: String,
    /// The tools that the client has.
    pub(crate) tools: ClientTools,
}

impl Server {
    /// Begins a run like [`start`](Self::start), for a program that gives the agent text besides
    /// the prompt, such as the contents of the person's page. An empty text withdraws the previous
    /// text.
    ///
    /// The text has the rank of the instructions of a project: below the agent's own, and outranked by
    /// the person. With [`Options::trusts_callers`](crate::Options::trusts_callers) it counts as the
    /// person's own. At most 32 KiB of it are read.
    ///
    /// # Errors
    ///
    /// See [`start`](Self::start).
    pub async fn start_told(
        &self,
        place: RunPlace,
        prompt: impl Into<Content>,
        text: &str,
    ) -> Result<ServedRun, Error> {
        let words = CallerWords { text: text.to_owned(), tools: ClientTools::default() };
        self.begin_prompt(place, prompt.into(), Some(words), |agent| agent).await
    }

    /// Begins a run like [`start_told`](Self::start_told), for a client with tools, with the agent that
    /// a function makes of the source's agent.
    pub(crate) async fn start_for(
        &self,
        place: RunPlace,
        prompt: impl Into<Content>,
        words: CallerWords,
        change: impl FnOnce(Agent) -> Agent,
    ) -> Result<ServedRun, Error> {
        self.begin_prompt(place, prompt.into(), Some(words), change).await
    }

    /// Begins a run. Without words, the program's previous text stays, but its tools are gone: this
    /// client has none.
    pub(crate) async fn begin_prompt(
        &self,
        place: RunPlace,
        prompt: Content,
        words: Option<CallerWords>,
        change: impl FnOnce(Agent) -> Agent,
    ) -> Result<ServedRun, Error> {
        if prompt.text().trim().is_empty() {
            return Err(Error::new(ErrorKind::Malformed, "the prompt is empty; say what you want"));
        }
        self.check_new(&place).await?;
        let reservation =
            self.runs.reserve_soon(&place.conversation, place.user.as_deref()).await?;
        let prepared = self.prepared(&place).await?;
        let prepared = PreparedAgent { agent: change(prepared.agent), ..prepared };
        let conversation = &*place.conversation;
        let tools = words.as_ref().map_or_else(ClientTools::default, |words| words.tools.clone());
        // One that cannot be given is an error before anything is stored.
        self.with_client_tools(prepared.agent.clone(), &tools)?;
        if let Some(words) = &words {
            self.keep_said(conversation, TEXT, words.text.trim()).await?;
        }
        let tools = if tools.is_empty() { String::new() } else { tools.to_json() };
        self.keep_said(conversation, TOOLS, &tools).await?;
        self.begin(reservation, prepared, place, RunCause::Prompt(prompt)).await
    }

    /// Stores the program's text, unless it is already stored.
    async fn keep_said(&self, conversation: &str, key: &str, text: &str) -> Result<(), Error> {
        let space = space(conversation);
        let kept = self.store.get(&space, key).await?;
        let before = kept.as_ref().map_or(&b""[..], |kept| &kept.value);
        if before != text.as_bytes() {
            let version = kept.as_ref().map_or(0, |kept| kept.version);
            self.store.put(&space, key, version, text.as_bytes().to_vec()).await?;
        }
        Ok(())
    }

    /// Gives an agent the texts and tools of the program in front of a conversation.
    pub(crate) async fn with_caller(
        &self,
        conversation: &str,
        agent: Agent,
    ) -> Result<Agent, Error> {
        let text = self.said(conversation, TEXT).await?;
        let agent = if text.is_empty() { agent } else { self.tell(agent, text) };
        let tools = self.kept_client_tools(conversation).await?;
        self.with_client_tools(agent, &tools)
    }

    /// Returns the tools that the client of a conversation has declared.
    pub(crate) async fn kept_client_tools(&self, conversation: &str) -> Result<ClientTools, Error> {
        let kept = self.said(conversation, TOOLS).await?;
        if kept.is_empty() {
            return Ok(ClientTools::default());
        }
        let damaged = |why: String| {
            Error::new(ErrorKind::Failed, format!("the tools of the client are damaged: {why}"))
        };
        let kept = serde_json::from_str(&kept).map_err(|why| damaged(why.to_string()))?;
        ClientTools::read(&kept).map_err(damaged)
    }

    async fn said(&self, conversation: &str, key: &str) -> Result<String, Error> {
        let Some(kept) = self.store.get(&space(conversation), key).await? else {
            return Ok(String::new());
        };
        String::from_utf8(kept.value)
            .map_err(|_| Error::new(ErrorKind::Failed, "what the caller said is damaged"))
    }

    /// Tells an agent a text of the program in front.
    pub(crate) fn tell(&self, agent: Agent, text: String) -> Agent {
        let text = match self.options.trusts_callers {
            true => InstructionText::of_person(ORIGIN, text),
            false => InstructionText::of_caller(ORIGIN, text),
        };
        let texts = agent.options().instruction_texts.iter().cloned().chain([text]);
        let texts: Vec<_> = texts.collect();
        agent.with_instruction_texts(texts)
    }
}

fn space(conversation: &str) -> String {
    format!("caller/{conversation}")
}

const TEXT: &str = "text";

const TOOLS: &str = "tools";

/// The heading of the text.
const ORIGIN: &str = "What the program says";
