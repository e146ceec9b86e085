//! What a model takes beside text, and what becomes of a picture that its server refuses.
//!
//! A setting says it, or the model's name. A model that is not known is shown pictures once; if its server
//! refuses them, this agent and its clones send lines of text from then on.

use silcrow_event::{ErrorEvent, ErrorOrigin, Event};
use silcrow_media::Senses;
use silcrow_provider::{Error, ErrorKind};

use crate::agent::Agent;
use crate::parts::AgentParts;

impl Agent {
    /// Sets the media that the model can read. By default its name says so, and a model that is not
    /// known is shown pictures until its server refuses them.
    ///
    /// ```
    /// # use silcrow_agent::Agent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// use silcrow_media::Senses;
    ///
    /// let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new())
    ///     .with_senses(Senses::SIGHT);
    /// assert_eq!(agent.senses(), Senses::SIGHT);
    /// ```
    #[must_use]
    pub fn with_senses(mut self, senses: impl Into<Option<Senses>>) -> Self {
        self.parts_mut().options.senses = senses.into();
        self
    }

    /// Returns the media that the model can read. A refusal of its server may change that.
    pub fn senses(&self) -> Senses {
        self.parts.senses()
    }
}

impl AgentParts {
    /// Returns what the model takes beside text, after what its server has refused.
    pub(crate) fn senses(&self) -> Senses {
        if self.refused_media.is_known() {
            return Senses::NONE;
        }
        let known = self.options.senses.or_else(|| Senses::of_model(self.provider.name()));
        known.unwrap_or(Senses::IMAGES)
    }

    /// Takes an error of a request with media. If the server has refused their media, later
    /// requests have none, and the event is for the person.
    pub(crate) fn learn_refusal(&self, error: &Error) -> Option<Event> {
        if error.kind() != ErrorKind::Refused || !is_about_media(&error.to_string()) {
            return None;
        }
        if self.refused_media.learn() {
            return None;
        }
        Some(Event::Error(ErrorEvent {
            code: "media_refused".to_owned(),
            content: format!(
                "the model takes no pictures or files, so it reads a line of text for each from now on; \
                 its server said: {error}"
            ),
            origin: ErrorOrigin::Provider,
            retry: true,
            // The run goes on.
            at: Some(0),
        }))
    }
}

/// Returns whether the words of an error are about pictures or files.
fn is_about_media(message: &str) -> bool {
    let text = message.to_ascii_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

/// Words of servers that refuse media.
const WORDS: [&str; 10] = [
    "image",
    "vision",
    "multimodal",
    "mmproj",
    "media",
    "inline_data",
    "input_file",
    "document",
    "audio",
    "content must be a string",
];
