//! The branches of a chat: when a client edits a message, or asks for another answer, its chat
//! continues in a fork, under the same id for the client.
//!
//! ```text
//! c1      1 ─ 2 ─ 3 ─ 4        the chat `c1` began here
//!             └── 3'─ 4'       c1~2: its current branch
//! ```
//!
//! The current branch is stored in the space `chat/CHAT`. A person can choose another one. The
//! server's own conversations have no branches: each is the conversation that its id names.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use silcrow_event::{Entry, Event};
use silcrow_front::prompt_words;
use silcrow_store::Summary;

use crate::error::{Error, ErrorKind};
use crate::server::Server;
use crate::source::RunPlace;

/// A branch of a chat.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct ChatBranch {
    /// Its conversation.
    pub(crate) conversation: String,
    /// The conversation that it was forked from.
    pub(crate) from: String,
    /// The position of the first event that is not a copy.
    pub(crate) since: u64,
}

impl Server {
    /// Returns the place of the current branch of a chat.
    pub(crate) async fn current_branch(&self, chat: RunPlace) -> Result<RunPlace, Error> {
        let kept = self.store.get(&space(&chat.conversation), CURRENT).await?;
        let current = kept.and_then(|kept| String::from_utf8(kept.value).ok());
        let current = current.filter(|current| !current.is_empty());
        Ok(match current {
            Some(conversation) => RunPlace { conversation, ..chat },
            None => chat,
        })
    }

    /// Begins another branch of a chat, which continues before an event of the current branch, and
    /// returns its place.
    pub(crate) async fn branch(&self, chat: &RunPlace, before: u64) -> Result<RunPlace, Error> {
        let current = self.current_branch(chat.clone()).await?;
        let mut branches = self.branches(&chat.conversation).await?;
        if branches.len() >= MOST_BRANCHES {
            let why = format!("the chat has {MOST_BRANCHES} branches already; begin another chat");
            return Err(Error::new(ErrorKind::Stale, why));
        }
        let mut number = branches.len() + 2;
        let conversation = loop {
            let id = format!("{}~{number}", chat.conversation);
            if self.store.head(&id).await? == 0 {
                break id;
            }
            number += 1;
        };
        if before > 1 {
            self.fork(&current, Some(before - 1), Some(conversation.clone())).await?;
        }
        let from = current.conversation.clone();
        branches.push(ChatBranch { conversation: conversation.clone(), from, since: before });
        let kept = serde_json::to_string(&branches).unwrap_or_default();
        self.put_chat(&chat.conversation, BRANCHES, kept).await?;
        self.put_chat(&chat.conversation, CURRENT, conversation.clone()).await?;
        Ok(RunPlace { conversation, ..current })
    }

    /// Returns the branches of a chat besides its first conversation.
    pub(crate) async fn branches(&self, chat: &str) -> Result<Vec<ChatBranch>, Error> {
        let Some(kept) = self.store.get(&space(chat), BRANCHES).await? else {
            return Ok(Vec::new());
        };
        serde_json::from_slice(&kept.value).map_err(|why| {
            Error::new(ErrorKind::Failed, format!("the branches of the chat are damaged: {why}"))
        })
    }

    /// Makes one of the branches of a chat the current one.
    pub(crate) async fn choose_branch(
        &self,
        chat: &RunPlace,
        conversation: &str,
    ) -> Result<(), Error> {
        let branches = self.branches(&chat.conversation).await?;
        let is_known = conversation == chat.conversation
            || branches.iter().any(|branch| branch.conversation == conversation);
        if !is_known {
            let why = format!("the chat has no branch {conversation:?}; read its branches");
            return Err(Error::new(ErrorKind::NotFound, why));
        }
        self.summary(chat.user.as_deref(), conversation).await?;
        self.put_chat(&chat.conversation, CURRENT, conversation.to_owned()).await
    }

    /// Leaves out the branches of chats that are not the current ones.
    pub(crate) async fn without_other_branches(
        &self,
        mut list: Vec<Summary>,
    ) -> Result<Vec<Summary>, Error> {
        let mut chats = HashMap::new();
        for one in &list {
            let chat = chat_of(&one.conversation);
            if chat != one.conversation && !chats.contains_key(chat) {
                let current = self.current_branch(RunPlace::new(chat)).await?.conversation;
                let branches = self.branches(chat).await?.into_iter();
                let mut others: Vec<_> = branches.map(|branch| branch.conversation).collect();
                if !others.is_empty() {
                    others.push(chat.to_owned());
                }
                others.retain(|other| *other != current);
                chats.insert(chat.to_owned(), others);
            }
        }
        list.retain(|one| {
            let others = chats.get(chat_of(&one.conversation));
            others.is_none_or(|others| !others.contains(&one.conversation))
        });
        Ok(list)
    }

    /// Forgets the branches of a chat that is deleted.
    pub(crate) async fn forget_branches(&self, chat: &str) -> Result<(), Error> {
        self.put_chat(chat, CURRENT, String::new()).await?;
        self.put_chat(chat, BRANCHES, "[]".to_owned()).await
    }

    async fn put_chat(&self, chat: &str, key: &str, value: String) -> Result<(), Error> {
        let space = space(chat);
        let version = self.store.get(&space, key).await?.map_or(0, |kept| kept.version);
        self.store.put(&space, key, version, value.into_bytes()).await?;
        Ok(())
    }
}

/// Returns the chat that a conversation is a branch of, by its id.
pub(crate) fn chat_of(conversation: &str) -> &str {
    match conversation.rsplit_once('~') {
        Some((chat, number)) if number.parse::<u32>().is_ok() && !chat.is_empty() => chat,
        _ => conversation,
    }
}

/// Returns the words of the prompts of a log with their positions, without messages to runs at work.
pub(crate) fn prompts(log: &[Entry]) -> Vec<(u64, String)> {
    let prompt = |entry: &Entry| match &entry.event {
        Event::User { content, steer: false, .. } => Some((entry.seq?, prompt_words(content))),
        _ => None,
    };
    log.iter().filter_map(prompt).collect()
}

fn space(chat: &str) -> String {
    format!("chat/{chat}")
}

/// The key of the conversation in which a chat continues.
const CURRENT: &str = "conversation";

/// The key of the list of branches.
const BRANCHES: &str = "branches";

const MOST_BRANCHES: usize = 1_000;
