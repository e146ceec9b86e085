//! The profile of the person in a run: its text for the model, and learning afterwards.
//!
//! This module never fails a run: an error with a profile is a line on the screen.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use silcrow_event::error_chain;
use silcrow_profile::{Error, LearnOptions, LearnOutcome, LearnedChanges, StoredProfile, learn};
use silcrow_provider::Provider;
use silcrow_sanitize::sanitize_line;
use silcrow_settings::known_secrets;
use silcrow_store::Store;
use silcrow_term::plural::count;
use tokio::time::timeout;

use crate::host::SessionHost;

/// Learns the profile of a person, by a model.
#[derive(Clone)]
#[expect(clippy::exhaustive_structs, reason = "these are the parts of a request for facts")]
pub struct ProfileLearner {
    /// The model that is asked.
    pub provider: Arc<dyn Provider>,
    /// The store of the messages and of the profile.
    pub store: Arc<dyn Store>,
    /// The person; `None` if users have no names.
    pub user: Option<String>,
}

impl ProfileLearner {
    /// Learns from new messages with at most one request, if there are at least this many. Returns
    /// `None` if the model takes too long.
    ///
    /// # Errors
    ///
    /// Returns an error of the store or of the model.
    pub async fn learn(&self, every: usize) -> Option<Result<LearnOutcome, Error>> {
        let options = LearnOptions::new().with_every(every).with_secrets(known_secrets());
        let (user, now) = (self.user.as_deref(), SystemTime::now().into());
        timeout(LIMIT, learn(&*self.store, &*self.provider, user, now, &options)).await.ok()
    }

    /// Learns if there are enough new messages, and returns a line for the person if something
    /// changed or failed.
    pub async fn learn_if_due(&self) -> Option<String> {
        match self.learn(EVERY).await? {
            Ok(LearnOutcome::Learned(made)) => {
                let changes = learned_changes(&made)?;
                Some(format!("your profile: {changes}; silcrow profile shows it"))
            }
            Ok(_) => None,
            Err(error) => Some(format!("your profile was not learned: {}", error_chain(&error))),
        }
    }
}

impl fmt::Debug for ProfileLearner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (model, user) = (self.provider.name(), &self.user);
        f.debug_struct("ProfileLearner")
            .field("model", &model)
            .field("user", user)
            .finish_non_exhaustive()
    }
}

/// Returns the text about the person that the model reads. A profile that cannot be read
/// is left out, with a notice.
pub(crate) async fn profile_text(
    store: &dyn Store,
    user: Option<&str>,
    host: &dyn SessionHost,
) -> Option<String> {
    match StoredProfile::new(store, user).load().await {
        Ok(profile) => profile.to_text(),
        Err(error) => {
            let why = error_chain(&error);
            host.notice(&sanitize_line(&why));
            None
        }
    }
}

/// Returns the changes in words, or `None` if there are none.
pub fn learned_changes(made: &LearnedChanges) -> Option<String> {
    let parts = [(made.added, "added"), (made.replaced, "changed"), (made.removed, "removed")];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    let words = parts.map(|(number, verb)| format!("{} {verb}", count(number as u64, "fact")));
    let words: Vec<_> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The number of new messages of the person after which a model is asked.
const EVERY: usize = 6;

/// The longest time that learning takes, which is shorter than the validity of a claim to the
/// messages.
const LIMIT: Duration = Duration::from_secs(60);
