//! What the program in front of a server says to the agent beside the prompts: the system messages of a
//! chat, the instructions of a response, the context of a page.
//!
//! It is kept beside the conversation, so that a run that waits for an answer continues with it on any
//! machine.

use silcrow_agent::Agent;
use silcrow_context::InstructionText;
use silcrow_event::Content;

use crate::error::{Error, ErrorKind};
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;

impl Server {
    /// Begins a run like [`start`](Self::start), for a program that says something to the agent beside
    /// the prompt, such as what the person sees on its page. An empty text takes back what it said
    /// before.
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
        self.start_told_with(place, prompt, text, |agent| agent).await
    }

    /// Begins a run like [`start_told`](Self::start_told), with the agent that a function makes of that
    /// of the source.
    pub(crate) async fn start_told_with(
        &self,
        place: RunPlace,
        prompt: impl Into<Content>,
        text: &str,
        change: impl FnOnce(Agent) -> Agent,
    ) -> Result<ServedRun, Error> {
        let conversation = place.conversation.clone();
        let prompt = prompt.into();
        if !prompt.text().trim().is_empty() {
            self.check_new(&place).await?;
            self.keep_caller_text(&conversation, text.trim()).await?;
        }
        self.start_with(place, prompt, change).await
    }

    /// Keeps what the program says, unless that is what is kept.
    async fn keep_caller_text(&self, conversation: &str, text: &str) -> Result<(), Error> {
        let space = space(conversation);
        let kept = self.store.get(&space, KEY).await?;
        let before = kept.as_ref().map_or(&b""[..], |kept| &kept.value);
        if before != text.as_bytes() {
            let version = kept.as_ref().map_or(0, |kept| kept.version);
            self.store.put(&space, KEY, version, text.as_bytes().to_vec()).await?;
        }
        Ok(())
    }

    /// Tells an agent what the program in front of a conversation says.
    pub(crate) async fn told(&self, conversation: &str, agent: Agent) -> Result<Agent, Error> {
        let Some(kept) = self.store.get(&space(conversation), KEY).await? else { return Ok(agent) };
        let text = String::from_utf8(kept.value)
            .map_err(|_| Error::new(ErrorKind::Failed, "the caller's text is damaged"))?;
        if text.is_empty() {
            return Ok(agent);
        }
        Ok(self.tell(agent, text))
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

const KEY: &str = "text";

/// The heading of the text.
const ORIGIN: &str = "What the program says";
