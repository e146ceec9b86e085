//! The relic as a tool: its schema, its arguments and its four operations.
//!
//! The module `buckets` groups and writes values.

use std::collections::BTreeSet;
use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use silcrow_event::{Content, Json, Seconds};
use silcrow_store::Store;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::buckets::{BucketChange, Buckets};
use crate::changing_call::ChangingCall;
use crate::owner::ValueOwner;

/// A relic that keeps values by key: `name {operation, key, value, ttl}`.
///
/// It is a [`Tool`] that is added to a toolbox under [its own kind](silcrow_tool::Toolbox::add_as).
/// Values are any JSON. Relics with the same name and the same store have the same values. Each
/// user has separate values, and the conversations without a user share theirs
/// ([`CallContext::user`]). A value with a `ttl` expires after that many seconds.
///
/// A key has 1 to 256 bytes, and a value at most 256 KiB. All values of a user together take 10 to
/// 60 MiB at most, depending on how their keys are distributed. A user's name has at most 250
/// bytes.
#[derive(Clone)]
pub struct KeyValue {
    name: String,
    description: String,
    buckets: Buckets,
}

impl KeyValue {
    /// Creates a relic with a name of at most 200 bytes and its values in `store`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use std::sync::Arc;
    ///
    /// use silcrow_key_value::KeyValue;
    /// use silcrow_store::MemoryStore;
    /// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
    ///
    /// let store = Arc::new(MemoryStore::new());
    /// let context = CallContext::new("c", "a1");
    /// let notes = KeyValue::new("notes", "Keeps notes.", Arc::clone(&store));
    /// notes.call(ToolArgs::new(r#"{"key":"tea","value":"green"}"#), &context).await.unwrap();
    /// // Another relic of this name and store has the value, too.
    /// let same = KeyValue::new("notes", "Keeps notes.", store);
    /// let found = same.call(ToolArgs::new(r#"{"key":"tea"}"#), &context).await.unwrap();
    /// assert_eq!(found.content, "green");
    /// # });
    /// ```
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        store: impl Store + 'static,
    ) -> Self {
        let name = name.into();
        Self { buckets: Buckets::new(&name, store), name, description: description.into() }
    }

    async fn run(
        &self,
        args: KeyValueArgs<'_>,
        owner: &ValueOwner<'_>,
        call: &ChangingCall,
    ) -> Result<ToolOutput, ToolError> {
        let operation = args.operation.unwrap_or(match args.value {
            Some(_) => Operation::Set,
            None => Operation::Get,
        });
        if let Operation::List = operation {
            return self.list(owner).await;
        }
        let key = args.key.filter(|key| (1..=MAX_KEY).contains(&key.len()));
        let key = key.ok_or_else(|| {
            ToolError::new(format!("`key` is missing, empty or longer than {MAX_KEY} bytes"))
        })?;
        match operation {
            Operation::Set => self.set(call, owner, key, args.value, args.ttl).await,
            Operation::Delete => self.delete(call, owner, key).await,
            Operation::Get | Operation::List => self.get(owner, key).await,
        }
    }

    async fn get(&self, owner: &ValueOwner<'_>, key: String) -> Result<ToolOutput, ToolError> {
        Ok(match self.buckets.get(owner, &key).await? {
            Some(value) => ToolOutput::new("found", content(&value)),
            None => ToolOutput::new("nothing there", json("null"))
                .with_notice("nothing is kept under this key"),
        })
    }

    async fn set(
        &self,
        call: &ChangingCall,
        owner: &ValueOwner<'_>,
        key: String,
        value: Option<&RawValue>,
        ttl: Option<&RawValue>,
    ) -> Result<ToolOutput, ToolError> {
        let value =
            value.ok_or_else(|| ToolError::new("`value` is missing; add the JSON to keep"))?;
        let bytes = value.get().len();
        if bytes > MAX_VALUE {
            return Err(ToolError::new(format!("`value` is longer than {MAX_VALUE} bytes")));
        }
        let ttl = ttl.map(|ttl| match ttl.get().parse() {
            Ok(Seconds(ttl)) if !ttl.is_zero() => Ok(ttl),
            _ => Err(ToolError::new("`ttl` must be a number of seconds above 0")),
        });
        let ttl = ttl.transpose()?;
        match self.buckets.set(call, owner, &key, value, ttl).await? {
            BucketChange::Made(()) => {}
            BucketChange::Overtaken(Some(now)) if now.get() == value.get() => {}
            BucketChange::Overtaken(now) => return Err(not_repeated(&key, now.as_deref())),
        }
        let unit = if bytes == 1 { "byte" } else { "bytes" };
        Ok(ToolOutput::new(format!("kept, {bytes} {unit}"), format!("kept `{}`", printable(&key))))
    }

    async fn delete(
        &self,
        call: &ChangingCall,
        owner: &ValueOwner<'_>,
        key: String,
    ) -> Result<ToolOutput, ToolError> {
        let existed = match self.buckets.delete(call, owner, &key).await? {
            BucketChange::Made(existed) => existed,
            BucketChange::Overtaken(None) => false,
            BucketChange::Overtaken(now) => return Err(not_repeated(&key, now.as_deref())),
        };
        let summary = if existed { "deleted" } else { "nothing there" };
        Ok(ToolOutput::new(summary, format!("{summary}: `{}`", printable(&key))))
    }

    async fn list(&self, owner: &ValueOwner<'_>) -> Result<ToolOutput, ToolError> {
        let keys: BTreeSet<String> = self.buckets.keys(owner).await?;
        let unit = if keys.len() == 1 { "key" } else { "keys" };
        let names = keys.iter().map(String::as_str).collect::<serde_json::Value>();
        Ok(ToolOutput::new(format!("{} {unit}", keys.len()), json(&names.to_string())))
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

    /// Returns a policy that lets a call be repeated, since a second `set` or `delete` changes
    /// nothing, or finds that the value has changed and leaves it.
    fn policy(&self) -> ToolPolicy {
        ToolPolicy { idempotent: true, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let call = ChangingCall::new(&self.name, context);
            self.run(args.read()?, &ValueOwner::new(context.user())?, &call).await
        }
        .boxed()
    }
}

impl fmt::Debug for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyValue").field("name", &self.name).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyValueArgs<'a> {
    operation: Option<Operation>,
    key: Option<String>,
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<&'a RawValue>,
    /// The time to live in seconds: a JSON number as it is written.
    #[serde(borrow)]
    ttl: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Get,
    Set,
    Delete,
    List,
}

/// Reads a value that is present, so that `null` is a value and not an absent one.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(from).map(Some)
}

/// Returns the failure of a repeated call that found another value, or none, and left it.
fn not_repeated(key: &str, now: Option<&RawValue>) -> ToolError {
    let key = printable(key);
    ToolError::new(match now {
        Some(_) => format!(
            "interrupted: `{key}` has another value now, which was left; get it, and call again if \
             that is still wanted"
        ),
        None => format!(
            "interrupted: nothing is kept under `{key}` now; it was not set or is gone again; call \
             again if that is still wanted"
        ),
    })
}

/// Returns a value as content: text if it is a string, and JSON otherwise.
fn content(value: &RawValue) -> Content {
    match serde_json::from_str::<String>(value.get()) {
        Ok(text) => text.into(),
        Err(_) => json(value.get()),
    }
}

fn json(value: &str) -> Content {
    Json::parse(value).map_or_else(|| value.into(), Content::from)
}

/// Returns the key on one line, with its control characters escaped.
fn printable(key: &str) -> String {
    let escape = |char: char| match char.is_control() {
        true => char.escape_default().to_string(),
        false => char.into(),
    };
    key.chars().map(escape).collect()
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""operation":{"type":"string","enum":["get","set","delete","list"],"#,
    r#""description":"if missing: set where there is a value, get otherwise"},"#,
    r#""key":{"type":"string","description":"for all but list"},"#,
    r#""value":{"description":"for set: what is kept, any JSON; get gives it back, or null"},"#,
    r#""ttl":{"type":"number","description":"for set: seconds until it is gone"}},"#,
    r#""additionalProperties":false}"#,
);

/// The longest key, in bytes.
const MAX_KEY: usize = 256;

/// The longest value, in bytes of JSON.
const MAX_VALUE: usize = 256 << 10;
