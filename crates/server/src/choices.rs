//! Users' choices for their conversations, among those that the source offers.
//!
//! A choice is kept in the store, for a chat with all its branches, so every server of the store honours
//! it. One that is no longer offered does not count.

use std::collections::BTreeMap;

use crate::branches::chat_of;
use crate::error::{Error, ErrorKind};
use crate::server::Server;
use crate::source::{PreparedAgent, RunChoice, RunPlace};

impl Server {
    /// Makes the agent for the next run in a conversation, with its user's choices.
    pub(crate) async fn prepared(&self, place: &RunPlace) -> Result<PreparedAgent, Error> {
        let place = RunPlace { choices: self.chosen(place).await?, ..place.clone() };
        self.source.agent(&place).await
    }

    /// Returns the user's choices for a conversation.
    pub(crate) async fn chosen(&self, place: &RunPlace) -> Result<BTreeMap<String, String>, Error> {
        let offered = self.source.choices(place);
        if offered.is_empty() {
            return Ok(BTreeMap::new());
        }
        let kept = self.store.get(SPACE, chat_of(&place.conversation)).await?;
        let chosen = kept.and_then(|kept| serde_json::from_slice(&kept.value).ok());
        let mut chosen: BTreeMap<String, String> = chosen.unwrap_or_default();
        chosen.retain(|id, value| find(&offered, id).is_some_and(|choice| has(choice, value)));
        Ok(chosen)
    }

    /// Stores the user's choices for a conversation, beside earlier ones.
    ///
    /// # Errors
    ///
    /// Returns an error that names the values, if one is not offered.
    pub(crate) async fn choose(
        &self,
        place: &RunPlace,
        given: BTreeMap<String, String>,
    ) -> Result<(), Error> {
        self.check_new(place).await?;
        let offered = self.source.choices(place);
        for (id, value) in &given {
            let choice = find(&offered, id).ok_or_else(|| {
                let why = format!("`{id}` cannot be chosen here; GET the choices lists what can");
                Error::new(ErrorKind::Malformed, why)
            })?;
            if !has(choice, value) {
                let values: Vec<_> = choice.values.iter().map(|value| &*value.id).collect();
                let why =
                    format!("`{value}` is not a valid {id}; use one of: {}", values.join(", "));
                return Err(Error::new(ErrorKind::Malformed, why));
            }
        }
        let mut chosen = self.chosen(place).await?;
        chosen.extend(given);
        self.put_choices(&place.conversation, &chosen).await
    }

    /// Forgets the choices for a conversation that is deleted.
    pub(crate) async fn forget_choices(&self, conversation: &str) -> Result<(), Error> {
        let is_kept = self.store.get(SPACE, chat_of(conversation)).await?.is_some();
        match is_kept {
            true => self.put_choices(conversation, &BTreeMap::new()).await,
            false => Ok(()),
        }
    }

    async fn put_choices(
        &self,
        conversation: &str,
        chosen: &BTreeMap<String, String>,
    ) -> Result<(), Error> {
        let chat = chat_of(conversation);
        let version = self.store.get(SPACE, chat).await?.map_or(0, |kept| kept.version);
        let chosen = serde_json::to_vec(chosen).unwrap_or_default();
        self.store.put(SPACE, chat, version, chosen).await?;
        Ok(())
    }
}

fn find<'a>(offered: &'a [RunChoice], id: &str) -> Option<&'a RunChoice> {
    offered.iter().find(|choice| choice.id == id)
}

fn has(choice: &RunChoice, value: &str) -> bool {
    choice.values.iter().any(|known| known.id == value)
}

/// The space with the choices for each chat.
const SPACE: &str = "choices";
