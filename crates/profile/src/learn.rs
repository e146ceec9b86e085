//! Learning: one request about the messages that nothing was learned from yet.
//!
//! A learner claims the messages, asks, and puts the result. If it ends in between, the marks do
//! not move: only the result moves them.

use std::mem;

use futures_util::StreamExt as _;
use silcrow_event::Timestamp;
use silcrow_provider as provider;
use silcrow_provider::{Delta, FinishReason, Provider, Request};
use silcrow_sanitize::Secrets;
use silcrow_store::Store;

use crate::batch::MessageBatch;
use crate::changes::FactChanges;
use crate::error::Error;
use crate::fact::FactOrigin;
use crate::outcome::{LearnOutcome, LearnedChanges};
use crate::record::{LearnClaim, ProfileRecord};
use crate::request::request;
use crate::stored::StoredProfile;

/// The number of messages that a learner waits for, and the secrets that it never notes.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::{Event, Timestamp};
/// use silcrow_profile::{LearnOptions, LearnOutcome, learn};
/// use silcrow_provider::ScriptedModel;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("I am Ann.").into()]).await.unwrap();
/// // One message is too few, so no model is asked.
/// let (model, options) = (ScriptedModel::parse("", 1), LearnOptions::new().with_every(5));
/// let outcome = learn(&store, &model, None, Timestamp::from_nanos(1), &options).await.unwrap();
/// assert!(matches!(outcome, LearnOutcome::TooFew { new: 1 }));
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct LearnOptions {
    every: usize,
    secrets: Secrets,
}

/// Learns from the messages of a user that were not learned from yet, with at most one request.
///
/// `now` is the time of the claim, and of the facts. If the returned future is dropped during the
/// request, nothing is lost: the messages are learned once the claim has expired, after five
/// minutes.
///
/// # Errors
///
/// Returns the errors of the store and of the model. The messages are then learned another time.
pub async fn learn(
    store: &dyn Store,
    provider: &dyn Provider,
    user: Option<&str>,
    now: Timestamp,
    options: &LearnOptions,
) -> Result<LearnOutcome, Error> {
    let stored = StoredProfile::new(store, user);
    let (version, mut record) = stored.read().await?;
    if record.is_claimed(now) {
        return Ok(LearnOutcome::Busy);
    }
    let batch = MessageBatch::read(&stored, &record).await?;
    let is_due = batch.new >= options.every || batch.has_more || !record.retry.is_empty();
    if batch.new == 0 || !is_due {
        return Ok(LearnOutcome::TooFew { new: batch.new });
    }
    let claim = LearnClaim { version: version + 1, at: now.as_nanos() };
    record.claim = Some(claim);
    if stored.put(version, &record).await?.is_none() {
        return Ok(LearnOutcome::Busy);
    }
    let request = request(&record.profile, &batch, &options.secrets);
    let answer = match ask(provider, request).await {
        Ok(answer) => answer,
        Err(error) => {
            release(&stored, claim).await?;
            return Err(error.into());
        }
    };
    let changes = answer.and_then(|answer| FactChanges::read(&answer));
    let learned = LearnedBatch { batch, changes, before: record, claim, now };
    learned.put(&stored, &options.secrets).await
}

/// The messages of a request, and the model's answer.
struct LearnedBatch {
    batch: MessageBatch,
    changes: Option<FactChanges>,
    /// The facts that the model got.
    before: ProfileRecord,
    claim: LearnClaim,
    now: Timestamp,
}

impl LearnedBatch {
    /// Puts the facts and the marks, unless another learner has claimed the messages meanwhile.
    async fn put(
        &self,
        stored: &StoredProfile<'_>,
        secrets: &Secrets,
    ) -> Result<LearnOutcome, Error> {
        loop {
            let (version, mut record) = stored.read().await?;
            if record.claim != Some(self.claim) {
                return Ok(LearnOutcome::Superseded);
            }
            record.claim = None;
            let outcome = self.change(&mut record, secrets);
            if stored.put(version, &record).await?.is_some() {
                return Ok(outcome);
            }
        }
    }

    fn change(&self, record: &mut ProfileRecord, secrets: &Secrets) -> LearnOutcome {
        let retry = mem::take(&mut record.retry);
        let Some(changes) = &self.changes else {
            let gave_up = retry == self.batch.ends();
            if gave_up {
                record.learned.clone_from(&self.batch.marks);
            } else {
                record.retry = self.batch.ends();
            }
            return LearnOutcome::Unreadable { gave_up };
        };
        record.learned.clone_from(&self.batch.marks);
        let before = &self.before.profile;
        let made =
            record.profile.apply(before, changes, secrets, self.now, |number| self.origin(number));
        let (messages, has_more) = (self.batch.new, self.batch.has_more);
        LearnOutcome::Learned(LearnedChanges { messages, has_more, ..made })
    }

    /// Returns the person's message from which a fact was noted: the one with this number, or the
    /// last one.
    fn origin(&self, number: Option<usize>) -> FactOrigin {
        let messages = &self.batch.messages;
        let named = number.and_then(|number| messages.get(number.checked_sub(1)?));
        let named = named.filter(|message| message.is_by_person);
        let last = || messages.iter().rfind(|message| message.is_by_person);
        let message = named.or_else(last).expect("a batch has a message of the person");
        FactOrigin::Model { conversation: message.conversation.clone(), seq: message.seq }
    }
}

/// Returns the model's answer, or `None` if it is not a complete answer to these messages.
async fn ask(provider: &dyn Provider, request: Request) -> Result<Option<String>, provider::Error> {
    let mut deltas = provider.stream(request);
    let mut answer = String::new();
    while let Some(delta) = deltas.next().await {
        match delta {
            Ok(Delta::Text(text)) => answer.push_str(&text),
            Ok(Delta::Done(FinishReason::Stop | FinishReason::ToolUse)) => return Ok(Some(answer)),
            Ok(Delta::Done(_)) => return Ok(None),
            Ok(_) => {}
            Err(error) if error.kind() == provider::ErrorKind::ContextTooLong => return Ok(None),
            Err(error) => return Err(error),
        }
        if answer.len() > MAX_ANSWER {
            return Ok(None);
        }
    }
    let why = "the answer with the facts ended without a finish reason";
    Err(provider::Error::new(provider::ErrorKind::Cut, why))
}

/// Gives the messages back after a failed request.
async fn release(stored: &StoredProfile<'_>, claim: LearnClaim) -> Result<(), Error> {
    loop {
        let (version, mut record) = stored.read().await?;
        if record.claim != Some(claim) {
            return Ok(());
        }
        record.claim = None;
        if stored.put(version, &record).await?.is_some() {
            return Ok(());
        }
    }
}

impl LearnOptions {
    /// Creates the options: learning from 6 new messages on, without known secrets.
    pub fn new() -> Self {
        Self { every: 6, secrets: Secrets::default() }
    }

    /// Sets the number of new messages of the person at which a model is asked.
    #[must_use]
    pub fn with_every(self, messages: usize) -> Self {
        Self { every: messages, ..self }
    }

    /// Sets the secrets that the model does not read and that no fact contains.
    #[must_use]
    pub fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }
}

impl Default for LearnOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// The length of the longest answer, in bytes.
const MAX_ANSWER: usize = 64 * 1024;
