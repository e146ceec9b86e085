//! The media that a model accepts, and the fallback for a picture that its server refuses.
//!
//! A setting says it, or the model's name. An unknown model gets pictures once; if its server
//! refuses them, this agent and its clones send lines of text from then on. A memory keeps that for
//! the agents of other processes.

use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{Entry, ErrorEvent, ErrorOrigin, Event};
use silcrow_media::Senses;
use silcrow_provider::{Error, ErrorKind};
use silcrow_store::media;

use crate::agent::Agent;
use crate::parts::AgentParts;
use crate::refused_media::{RefusalMemory, RefusedMedia};

impl Agent {
    /// Sets the media that the model can read. By default its name decides, and an unknown model
    /// gets pictures until its server refuses them.
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

    /// Sets the memory, beyond this process, that the server of the model refused pictures and
    /// files. A refusal that is remembered already counts from the first request on. It is for this
    /// model: [`with_provider`](Self::with_provider) forgets it.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use std::time::Duration;
    /// # use silcrow_agent::{Agent, RefusalMemory};
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// use silcrow_media::Senses;
    ///
    /// struct Yesterday;
    ///
    /// impl RefusalMemory for Yesterday {
    ///     fn refused(&self) -> Option<Duration> {
    ///         Some(Duration::from_hours(24))
    ///     }
    ///
    ///     fn remember(&self) {}
    /// }
    ///
    /// let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new())
    ///     .with_refusal_memory(Arc::new(Yesterday));
    /// assert_eq!(agent.senses(), Senses::NONE);
    /// ```
    #[must_use]
    pub fn with_refusal_memory(mut self, memory: Arc<dyn RefusalMemory>) -> Self {
        self.parts_mut().refused_media = RefusedMedia::remembered(memory);
        self
    }

    /// Returns the media that the model can read. A refusal of its server may change that.
    pub fn senses(&self) -> Senses {
        self.parts.senses()
    }
}

impl AgentParts {
    /// Returns the media that the model takes besides text, without those that its server has
    /// refused.
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
        Some(said(format!(
            "the model takes no pictures or files, so it reads a line of text for each from now on; \
             its server said: {error}"
        )))
    }

    /// Returns a notice for the person, once, if the server refused media in an earlier process and
    /// the conversation has some.
    pub(crate) fn remembered_refusal(&self, entries: &[Entry]) -> Option<Event> {
        let has_media = || media::named(entries).next().is_some();
        let ago = self.refused_media.take_untold(has_media)?;
        Some(said(format!(
            "the model reads a line of text for each picture or file, because its server refused them {}; \
             the setting `sees` of the model changes that",
            days(ago)
        )))
    }
}

/// Returns the event about media that are not sent. The run goes on.
fn said(content: String) -> Event {
    let (code, origin) = ("media_refused".to_owned(), ErrorOrigin::Provider);
    Event::Error(ErrorEvent { code, content, origin, retry: true, at: Some(0) })
}

fn days(ago: Duration) -> String {
    match ago.as_secs() / (24 * 60 * 60) {
        0 => "within the last day".to_owned(),
        1 => "a day ago".to_owned(),
        days => format!("{days} days ago"),
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
