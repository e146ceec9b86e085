use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use silcrow_exec::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};
use silcrow_store::{Error, ErrorKind, Store, rules};
use tokio::time::Instant;

use crate::tell;

/// A relic that keeps values by key: `name {operation, key, value, ttl}`.
///
/// A relic is a named service that keeps something between calls and runs. It is a [`Tool`] that is
/// put into a toolbox under [its own kind](silcrow_exec::Toolbox::add_as): name, description,
/// schema, `call`. A trait of its own would have the same methods, and the runner treats a relic as
/// it treats any tool.
///
/// Values are any JSON, and live in the store beside the conversations: whoever opens the same
/// store under the same name has the same values. Each user has values of their own, and the
/// conversations without a user share theirs ([`CallContext::user`]). A value with a `ttl` is gone after
/// so many seconds. Writers at the same time lose nothing of each other's.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_exec::{ToolArgs, CallContext, Tool as _};
/// use silcrow_store::MemoryStore;
/// use silcrow_tools::KeyValue;
///
/// let notes = KeyValue::new("notes", "Keeps notes.", MemoryStore::new());
/// let context = CallContext::new("c", "a1");
/// let call = async |args| notes.call(ToolArgs::new(args), &context).await.unwrap().content;
/// call(r#"{"operation":"set","key":"a","value":[1,2],"ttl":3600}"#).await;
/// assert_eq!(call(r#"{"operation":"get","key":"a"}"#).await, "[1,2]");
/// # });
/// ```
///
/// Keys are 1 to 256 bytes, a value at most 256 KiB; all values of a user together some 10 to 60
/// MiB. A user's name is at most 250 bytes.
#[derive(Clone)]
pub struct KeyValue {
    name: String,
    description: String,
    space: String,
    store: Arc<dyn Store>,
    clock: Clock,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted<'a> {
    operation: Option<Operation>,
    key: Option<String>,
    #[serde(borrow, default, deserialize_with = "given")]
    value: Option<&'a RawValue>,
    ttl: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Get,
    Set,
    Delete,
    List,
}

/// A part of the values, which is read and written as one.
type Bucket = BTreeMap<String, Kept>;

#[derive(Serialize, Deserialize)]
struct Kept {
    value: Box<RawValue>,
    /// In seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<f64>,
}

impl KeyValue {
    /// A relic under a name of at most 200 bytes, with its values in this store.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        store: impl Store + 'static,
    ) -> Self {
        let name = name.into();
        Self {
            space: format!("{}/{name}", rules::RELIC),
            name,
            description: description.into(),
            store: Arc::new(store),
            clock: Clock::start(),
        }
    }

    async fn read(&self, wanted: Wanted<'_>, owner: &Owner<'_>) -> Result<ToolOutput, ToolError> {
        // What is called with a value wants it kept.
        let operation = wanted.operation.unwrap_or(match wanted.value {
            Some(_) => Operation::Set,
            None => Operation::Get,
        });
        if let Operation::List = operation {
            return self.list(owner).await;
        }
        let key = wanted.key.filter(|key| (1..=MAX_KEY).contains(&key.len()));
        let key = key.ok_or_else(|| {
            ToolError::new(format!("`key` is missing, empty or longer than {MAX_KEY} bytes"))
        })?;
        match operation {
            Operation::Set => self.set(owner, key, wanted.value, wanted.ttl).await,
            Operation::Delete => self.delete(owner, key).await,
            _ => self.get(owner, key).await,
        }
    }

    async fn get(&self, owner: &Owner<'_>, key: String) -> Result<ToolOutput, ToolError> {
        let (_, mut bucket) = self.bucket(&owner.bucket_of(&key)).await?;
        Ok(match bucket.remove(&key) {
            Some(kept) => ToolOutput::new("found", text(&kept.value)),
            None => ToolOutput::new("nothing there", "null")
                .with_notice("nothing is kept under this key"),
        })
    }

    async fn set(
        &self,
        owner: &Owner<'_>,
        key: String,
        value: Option<&RawValue>,
        ttl: Option<f64>,
    ) -> Result<ToolOutput, ToolError> {
        let value =
            value.ok_or_else(|| ToolError::new("`value` is missing: what is to be kept?"))?;
        if value.get().len() > MAX_VALUE {
            return Err(ToolError::new(format!("`value` is longer than {MAX_VALUE} bytes")));
        }
        if ttl.is_some_and(|ttl| !ttl.is_finite() || ttl <= 0.0) {
            return Err(ToolError::new("`ttl` must be a number of seconds above 0"));
        }
        let until = ttl.map(|ttl| self.clock.now() + ttl);
        let keep = |bucket: &mut Bucket| {
            bucket.insert(key.clone(), Kept { value: value.to_owned(), until });
        };
        self.change(&owner.bucket_of(&key), keep).await?;
        let bytes = tell::count(value.get().len(), "byte", "bytes");
        Ok(ToolOutput::new(format!("kept, {bytes}"), format!("kept `{}`", tell::plain(&key))))
    }

    async fn delete(&self, owner: &Owner<'_>, key: String) -> Result<ToolOutput, ToolError> {
        let remove = |bucket: &mut Bucket| bucket.remove(&key).is_some();
        let was = self.change(&owner.bucket_of(&key), remove).await?;
        let did = if was { "deleted" } else { "nothing there" };
        Ok(ToolOutput::new(did, format!("{did}: `{}`", tell::plain(&key))))
    }

    async fn list(&self, owner: &Owner<'_>) -> Result<ToolOutput, ToolError> {
        let mut keys = BTreeSet::new();
        for number in 0..BUCKETS {
            keys.extend(self.bucket(&owner.bucket(number)).await?.1.into_keys());
        }
        let told = tell::count(keys.len(), "key", "keys");
        let keys = serde_json::to_string(&keys).map_err(|error| unreadable(&error))?;
        Ok(ToolOutput::new(told, keys))
    }

    /// The living values of a bucket, and its version.
    async fn bucket(&self, name: &str) -> Result<(u64, Bucket), ToolError> {
        let found = self.store.get(&self.space, name).await;
        let Some(found) = found.map_err(|error| unkept(&error))? else {
            return Ok((0, Bucket::new()));
        };
        let mut bucket: Bucket =
            serde_json::from_slice(&found.value).map_err(|error| unreadable(&error))?;
        let now = self.clock.now();
        bucket.retain(|_, kept| kept.until.is_none_or(|until| now < until));
        Ok((found.version, bucket))
    }

    /// Changes a bucket as it stands, again if another came first.
    async fn change<T>(
        &self,
        name: &str,
        change: impl Fn(&mut Bucket) -> T,
    ) -> Result<T, ToolError> {
        for _ in 0..TRIES {
            let (version, mut bucket) = self.bucket(name).await?;
            let changed = change(&mut bucket);
            let bytes = serde_json::to_vec(&bucket).map_err(|error| unreadable(&error))?;
            if bytes.len() > MAX_BUCKET {
                return Err(ToolError::new("there is no room for it: delete what is not needed"));
            }
            match self.store.put(&self.space, name, version, bytes).await {
                Ok(_) => return Ok(changed),
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                Err(error) => return Err(unkept(&error)),
            }
        }
        Err(ToolError::new("others changed it at the same time, again and again; try later"))
    }
}

impl Tool for KeyValue {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    /// What is set or deleted twice is as if it were once.
    fn policy(&self) -> ToolPolicy {
        ToolPolicy { idempotent: true, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { self.read(args.read()?, &Owner::of(context)?).await }.boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""operation":{"type":"string","enum":["get","set","delete","list"],"#,
    r#""description":"without it: set if there is a value, else get"},"#,
    r#""key":{"type":"string","description":"for all but list"},"#,
    r#""value":{"description":"for set: what is kept, any JSON; get gives it back, or null"},"#,
    r#""ttl":{"type":"number","description":"for set: seconds until it is gone"}},"#,
    r#""additionalProperties":false}"#,
);

/// Parts that the values are in. A store that has another number of them has lost its keys.
const BUCKETS: u64 = 64;

/// In bytes.
const MAX_KEY: usize = 256;

/// In bytes of JSON.
const MAX_VALUE: usize = 256 << 10;

/// In bytes of JSON.
const MAX_BUCKET: usize = 1 << 20;

/// Of as many writers at once each has its turn.
const TRIES: u32 = 32;

/// Whose values a call is about.
struct Owner<'a>(Option<&'a str>);

impl<'a> Owner<'a> {
    fn of(context: &'a CallContext) -> Result<Self, ToolError> {
        match context.user() {
            Some(user) if user.len() > MAX_USER => {
                Err(ToolError::new(format!("the user's name is longer than {MAX_USER} bytes")))
            }
            user => Ok(Self(user)),
        }
    }

    /// The name of a bucket: its number, behind the user and a slash if there is one. Numbers have
    /// no slash, so the last one ends the user's name, whatever that holds.
    fn bucket(&self, number: u64) -> String {
        match self.0 {
            Some(user) => format!("{user}/{number}"),
            None => number.to_string(),
        }
    }

    fn bucket_of(&self, key: &str) -> String {
        self.bucket(place(key))
    }
}

/// In bytes: with the number of a bucket it is the longest key of a store.
const MAX_USER: usize = 250;

/// Which bucket a key is in: Fowler, Noll and Vo's hash, the same for ever.
fn place(key: &str) -> u64 {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    key.bytes().fold(0xcbf2_9ce4_8422_2325, hash) % BUCKETS
}

/// A value that is there, `null` too.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(from).map(Some)
}

/// The characters of a string, any other value's JSON.
fn text(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

fn unkept(error: &Error) -> ToolError {
    ToolError::new(format!("the store: {error}"))
}

fn unreadable(error: &serde_json::Error) -> ToolError {
    ToolError::new(format!("what was kept cannot be read: {error}"))
}

/// Wall time that moves with tokio's clock.
#[derive(Clone, Copy)]
struct Clock {
    /// Seconds since 1970 at `start`.
    epoch: f64,
    start: Instant,
}

impl Clock {
    fn start() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { epoch: epoch.as_secs_f64(), start: Instant::now() }
    }

    fn now(&self) -> f64 {
        self.epoch + self.start.elapsed().as_secs_f64()
    }
}

impl fmt::Debug for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyValue").field("name", &self.name).finish_non_exhaustive()
    }
}
