//! The layout of values in the store: a fixed number of buckets for each owner.
//!
//! A bucket is one versioned value of the store, a JSON object of values by key. A change reads a
//! bucket, changes it and writes it with the version that was read; when another writer was faster,
//! the change starts over. Each value has the version of the bucket with which it was set, so that a
//! repeated call can tell whether the value is newer than the call.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use silcrow_event::Timestamp;
use silcrow_store::{ErrorKind, Store, spaces};
use silcrow_tool::ToolError;

use crate::changing_call::ChangingCall;
use crate::clock::WallClock;
use crate::failed::store_failed;
use crate::owner::ValueOwner;

/// The values of one relic, of all owners.
#[derive(Clone)]
pub(crate) struct Buckets {
    /// The space of the store that holds them.
    space: String,
    store: Arc<dyn Store>,
    clock: WallClock,
}

type Bucket = BTreeMap<String, StoredValue>;

#[derive(Serialize, Deserialize)]
struct StoredValue {
    value: Box<RawValue>,
    /// The time at which it expires, in seconds since 1970: a JSON number as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<Box<RawValue>>,
    /// The version of the bucket since which it is there; 0 for values of earlier versions of this
    /// crate.
    #[serde(default)]
    since: u64,
}

/// The outcome of a change.
pub(crate) enum BucketChange<T> {
    /// The change was made.
    Made(T),
    /// Nothing was changed, because the value may have changed since the call began. This is the
    /// value now.
    Overtaken(Option<Box<RawValue>>),
}

impl StoredValue {
    /// Returns whether the value has expired. A value whose time cannot be read never expires.
    fn has_expired(&self, now: Timestamp) -> bool {
        let until = self.until.as_ref().and_then(|until| until.get().parse().ok());
        until.is_some_and(|until: Timestamp| until <= now)
    }
}

impl Buckets {
    pub(crate) fn new(relic: &str, store: impl Store + 'static) -> Self {
        Self { space: spaces::relic(relic), store: Arc::new(store), clock: WallClock::start() }
    }

    pub(crate) async fn get(
        &self,
        owner: &ValueOwner<'_>,
        key: &str,
    ) -> Result<Option<Box<RawValue>>, ToolError> {
        let (_, mut bucket) = self.read(&owner.bucket_of(key)).await?;
        Ok(bucket.remove(key).map(|stored| stored.value))
    }

    /// Keeps a value for `ttl`, or without an end.
    pub(crate) async fn set(
        &self,
        call: &ChangingCall,
        owner: &ValueOwner<'_>,
        key: &str,
        value: &RawValue,
        ttl: Option<Duration>,
    ) -> Result<BucketChange<()>, ToolError> {
        let until = ttl.map(|ttl| self.clock.now().saturating_add(ttl));
        let until = until.map(|until| RawValue::from_string(until.to_string())).transpose();
        let until = until.map_err(|error| not_readable(&error))?;
        let insert = |bucket: &mut Bucket, since| {
            let (value, until) = (value.to_owned(), until.clone());
            bucket.insert(key.to_owned(), StoredValue { value, until, since });
        };
        self.change(call, owner, key, insert).await
    }

    /// Deletes a value, and returns whether there was one.
    pub(crate) async fn delete(
        &self,
        call: &ChangingCall,
        owner: &ValueOwner<'_>,
        key: &str,
    ) -> Result<BucketChange<bool>, ToolError> {
        self.change(call, owner, key, |bucket, _| bucket.remove(key).is_some()).await
    }

    pub(crate) async fn keys(&self, owner: &ValueOwner<'_>) -> Result<BTreeSet<String>, ToolError> {
        let mut keys = BTreeSet::new();
        for name in owner.buckets() {
            keys.extend(self.read(&name).await?.1.into_keys());
        }
        Ok(keys)
    }

    /// Returns the version of a bucket and the values in it that have not expired.
    async fn read(&self, name: &str) -> Result<(u64, Bucket), ToolError> {
        let found = self.store.get(&self.space, name).await;
        let Some(found) = found.map_err(|error| store_failed(&error))? else {
            return Ok((0, Bucket::new()));
        };
        let mut bucket: Bucket =
            serde_json::from_slice(&found.value).map_err(|error| not_readable(&error))?;
        let now = self.clock.now();
        bucket.retain(|_, stored| !stored.has_expired(now));
        for stored in bucket.values_mut() {
            // The versions of an imported bucket begin again.
            stored.since = stored.since.min(found.version);
        }
        Ok((found.version, bucket))
    }

    /// Applies `change` to the bucket of a key, and does so again if another writer was faster. The
    /// change gets the bucket and its next version.
    async fn change<T>(
        &self,
        call: &ChangingCall,
        owner: &ValueOwner<'_>,
        key: &str,
        change: impl Fn(&mut Bucket, u64) -> T,
    ) -> Result<BucketChange<T>, ToolError> {
        let name = owner.bucket_of(key);
        for _ in 0..MAX_ATTEMPTS {
            let (version, mut bucket) = self.read(&name).await?;
            let since = bucket.get(key).map(|stored| stored.since);
            if call.is_overtaken(&*self.store, version, since).await? {
                let now = bucket.remove(key).map(|stored| stored.value);
                return Ok(BucketChange::Overtaken(now));
            }
            let changed = change(&mut bucket, version + 1);
            let bytes = serde_json::to_vec(&bucket).map_err(|error| not_readable(&error))?;
            if bytes.len() > MAX_BUCKET {
                return Err(ToolError::new(
                    "the values need too much space; delete some that are not needed",
                ));
            }
            call.write_note(&*self.store, version).await?;
            match self.store.put(&self.space, &name, version, bytes).await {
                Ok(_) => return Ok(BucketChange::Made(changed)),
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                Err(error) => return Err(store_failed(&error)),
            }
        }
        Err(ToolError::new("too many changes came at the same time; try again later"))
    }
}

fn not_readable(error: &serde_json::Error) -> ToolError {
    ToolError::new(format!("the stored values cannot be read: {error}"))
}

/// The largest bucket, in bytes of JSON.
const MAX_BUCKET: usize = 1 << 20;

/// The number of attempts at a change. With at most so many concurrent writers, each succeeds.
const MAX_ATTEMPTS: u32 = 32;
