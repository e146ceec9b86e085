//! The profile of a person in a store.
//!
//! This module reads and writes the value, and loses no change of another process.

use std::fmt;

use silcrow_store::search::SearchedUser;
use silcrow_store::{ErrorKind, Store, Summary};

use crate::error::Error;
use crate::fact::FactOrigin;
use crate::profile::Profile;
use crate::record::{LearnedMark, ProfileRecord};

/// The profile of one person in a store, or of all conversations without a user.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Timestamp;
/// use silcrow_profile::StoredProfile;
/// use silcrow_store::MemoryStore;
///
/// let store = MemoryStore::new();
/// let (ann, bob) = (StoredProfile::new(&store, Some("ann")), StoredProfile::new(&store, Some("bob")));
/// let now = Timestamp::from_nanos(0);
/// ann.change(|profile| profile.add("Answer in French.", now)).await.unwrap().unwrap();
/// assert_eq!(ann.load().await.unwrap().facts().len(), 1);
/// assert!(bob.load().await.unwrap().facts().is_empty());
/// # });
/// ```
#[derive(Clone, Copy)]
pub struct StoredProfile<'a> {
    store: &'a dyn Store,
    user: Option<&'a str>,
}

impl<'a> StoredProfile<'a> {
    /// Creates the view of a user's profile. Reads nothing.
    pub const fn new(store: &'a dyn Store, user: Option<&'a str>) -> Self {
        Self { store, user }
    }

    /// Reads the profile. Facts from conversations that were deleted are left out.
    ///
    /// # Errors
    ///
    /// Returns the errors of the store, and [`Format`](crate::ErrorKind::Format) if the value cannot
    /// be read.
    pub async fn load(&self) -> Result<Profile, Error> {
        Ok(self.read().await?.1.profile)
    }

    /// Changes the profile, and returns the result of `change`. If another process changes it at
    /// the same time, `change` is called again with the new value.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`load`](Self::load).
    pub async fn change<T>(&self, mut change: impl FnMut(&mut Profile) -> T) -> Result<T, Error> {
        loop {
            let (version, mut record) = self.read().await?;
            let before = record.profile.clone();
            let returned = change(&mut record.profile);
            if record.profile == before || self.put(version, &record).await?.is_some() {
                return Ok(returned);
            }
        }
    }

    /// Removes all facts. Messages up to now are not learned from afterwards, and the result of a
    /// learner that works now is dropped.
    ///
    /// # Errors
    ///
    /// Returns the errors of the store. A value that cannot be read is replaced.
    pub async fn delete(&self) -> Result<(), Error> {
        loop {
            let (space, key) = self.place();
            let version = self.store.get(space, key).await?.map_or(0, |kept| kept.version);
            let list = self.conversations().await?;
            let marks = list.into_iter().map(|summary| {
                let mark = LearnedMark::new(&summary, summary.events);
                (summary.conversation, mark)
            });
            let record = ProfileRecord { learned: marks.collect(), ..ProfileRecord::default() };
            if self.put(version, &record).await?.is_some() {
                return Ok(());
            }
        }
    }

    /// Returns the version of the value, which is 0 if there is none, and the value.
    pub(crate) async fn read(&self) -> Result<(u64, ProfileRecord), Error> {
        let (space, key) = self.place();
        let Some(kept) = self.store.get(space, key).await? else {
            return Ok((0, ProfileRecord::default()));
        };
        let mut record = ProfileRecord::read(&kept.value)?;
        let mut gone = Vec::new();
        for fact in record.profile.facts() {
            if let FactOrigin::Model { conversation, seq } = fact.origin()
                && !self.has_source(&record, conversation, *seq).await?
            {
                gone.push(fact.clone());
            }
        }
        record.profile.retain(|fact| !gone.contains(fact));
        Ok((kept.version, record))
    }

    /// Returns whether the conversation of a fact still exists, and is not a new one of the same
    /// name.
    async fn has_source(
        &self,
        record: &ProfileRecord,
        conversation: &str,
        seq: u64,
    ) -> Result<bool, Error> {
        if self.store.head(conversation).await? < seq {
            return Ok(false);
        }
        let Some(mark) = record.learned.get(conversation) else { return Ok(true) };
        match self.store.read(conversation, 1..=1).await {
            Ok(first) => {
                let began = first.first().and_then(|first| first.timestamp).unwrap_or_default();
                Ok(first.is_empty() || began.as_nanos() == mark.began)
            }
            // The conversation is there, although its beginning cannot be read.
            Err(error) if error.kind() == ErrorKind::Damaged => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts the value if its version is `expected`. Returns the new version, or `None` if another
    /// process has put a value.
    pub(crate) async fn put(
        &self,
        expected: u64,
        record: &ProfileRecord,
    ) -> Result<Option<u64>, Error> {
        let (space, key) = self.place();
        match self.store.put(space, key, expected, record.write()).await {
            Ok(version) => Ok(Some(version)),
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Lists the conversations of the user, the oldest first.
    pub(crate) async fn conversations(&self) -> Result<Vec<Summary>, Error> {
        let owner =
            self.user.map_or(SearchedUser::Nobody, |user| SearchedUser::One(user.to_owned()));
        let mut list = self.store.list(self.user).await?;
        // Without a user, the store lists the conversations of all.
        list.retain(|summary| owner.includes(summary.user.as_deref()));
        list.sort_by(|one, other| {
            (one.first, &one.conversation).cmp(&(other.first, &other.conversation))
        });
        Ok(list)
    }

    pub(crate) const fn store(&self) -> &'a dyn Store {
        self.store
    }

    pub(crate) const fn user(&self) -> Option<&'a str> {
        self.user
    }

    /// Returns the space and the key of the value. They belong to no conversation.
    fn place(&self) -> (&'static str, &'a str) {
        // The name of a user may be as long as a key, and any word.
        self.user.map_or((NOBODY, "profile"), |user| (USERS, user))
    }
}

impl fmt::Debug for StoredProfile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredProfile").field("user", &self.user).finish_non_exhaustive()
    }
}

/// The space with the profiles of users, by name.
const USERS: &str = "profiles";

/// The space with the profile of the conversations without a user.
const NOBODY: &str = "profile";
