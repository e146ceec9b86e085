//! Calls whose process ended before their result was stored, and that another process repeats.

use std::future::{pending, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use silcrow_key_value::KeyValue;
use silcrow_store::{MemoryStore, Store};
use silcrow_store_log::{Durability, LogStore, Options};
use silcrow_tool::{CallContext, Scope, Tool as _, ToolArgs, ToolError, ToolOutput};
use tokio::sync::Notify;

use crate::hooked::{Hooked, StoreStep};

/// The number of places where a process ends: before the call does anything, and before and after
/// each of the two values that a change writes, the note and the bucket.
const PLACES: u32 = 5;

/// From this place on the note is written.
const NOTED: u32 = 2;

/// From this place on the change is made.
const CHANGED: u32 = 4;

/// The action of somebody else before the call is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meanwhile {
    Nothing,
    /// The key gets another value.
    Sets,
    /// The key gets another value, which is then deleted.
    SetsAndDeletes,
    /// So many other keys get values that every bucket changes.
    SetsOthers,
}

/// A call that ends at a place, and the value that it finds when it is repeated.
#[derive(Clone, Copy, Debug)]
struct Interruption {
    place: u32,
    /// Whether the key has a value before the call.
    has_value: bool,
    meanwhile: Meanwhile,
}

impl Interruption {
    fn all() -> impl Iterator<Item = Self> {
        use Meanwhile::{Nothing, Sets, SetsAndDeletes, SetsOthers};
        let meanwhiles = [Nothing, Sets, SetsAndDeletes, SetsOthers];
        (0..PLACES).flat_map(move |place| {
            meanwhiles.into_iter().flat_map(move |meanwhile| {
                [false, true].map(|has_value| Self { place, has_value, meanwhile })
            })
        })
    }

    /// Returns the value that is there when the call is repeated, if the call makes it `ours`.
    fn found(self, ours: Option<&'static str>) -> Option<&'static str> {
        match self.meanwhile {
            Meanwhile::Sets => Some("theirs"),
            Meanwhile::SetsAndDeletes => None,
            _ if self.place >= CHANGED => ours,
            _ => self.has_value.then_some("old"),
        }
    }

    /// Returns the value after a repeated `set`.
    fn after_set(self) -> Option<&'static str> {
        let found = self.found(Some("ours"));
        match self.meanwhile {
            Meanwhile::Sets => found,
            // The call cannot tell how old the value is.
            _ if self.place < NOTED => found.or(Some("ours")),
            Meanwhile::Nothing => Some("ours"),
            Meanwhile::SetsAndDeletes => None,
            // If the value is missing, nobody knows whether it existed meanwhile.
            Meanwhile::SetsOthers => found.and(Some("ours")),
        }
    }

    /// Returns the value after a repeated `delete`.
    fn after_delete(self) -> Option<&'static str> {
        let found = self.found(None);
        match self.meanwhile {
            Meanwhile::Sets => found,
            _ if self.place < NOTED => found,
            _ => None,
        }
    }
}

/// Opens the store of another process.
type Opening<'a> = &'a (dyn Fn() -> BoxFuture<'a, Arc<dyn Store>> + Sync);

/// Interrupts a call at every place, and compares the values after it was repeated.
async fn check(
    open: Opening<'_>,
    operation: &str,
    args: &str,
    expected: fn(Interruption) -> Option<&'static str>,
    is_done: fn(Option<&str>) -> bool,
) {
    for (number, interruption) in Interruption::all().enumerate() {
        let name = format!("{operation}{number}");
        let relic = async || KeyValue::new(&*name, "Keeps values.", open().await);
        let own = Scope::new(&*name).with_turn(1);
        let other = Scope::new("other");
        if interruption.has_value {
            call(&relic().await, &other, r#"{"key":"k","value":"old"}"#).await.unwrap();
        }
        interrupt(&name, open().await, &own, args, interruption.place).await;
        let theirs = relic().await;
        match interruption.meanwhile {
            Meanwhile::Nothing => {}
            Meanwhile::Sets | Meanwhile::SetsAndDeletes => {
                call(&theirs, &other, r#"{"key":"k","value":"theirs"}"#).await.unwrap();
                if interruption.meanwhile == Meanwhile::SetsAndDeletes {
                    call(&theirs, &other, r#"{"operation":"delete","key":"k"}"#).await.unwrap();
                }
            }
            Meanwhile::SetsOthers => {
                for key in 0..100 {
                    let args = json!({"key": format!("other{key}"), "value": key}).to_string();
                    call(&theirs, &other, &args).await.unwrap();
                }
            }
        }
        drop(theirs);
        let relic = relic().await;
        let repeated = call(&relic, &own.with_repeated(), args).await;
        let now = call(&relic, &other, r#"{"key":"k"}"#).await.unwrap().content.into_text();
        let now = (now != "null").then_some(&*now);
        assert_eq!(now, expected(interruption), "{interruption:?}: {repeated:?}");
        assert_eq!(repeated.is_ok(), is_done(now), "{interruption:?}: {repeated:?}");
        if let Err(error) = repeated {
            assert!(error.to_string().starts_with("interrupted: "), "{error}");
        }
    }
}

async fn call(relic: &KeyValue, scope: &Scope, args: &str) -> Result<ToolOutput, ToolError> {
    relic.call(ToolArgs::new(args), &CallContext::new(scope.clone(), "a1")).await
}

/// Calls a relic until its process ends at this place.
async fn interrupt(name: &str, store: Arc<dyn Store>, scope: &Scope, args: &str, place: u32) {
    if place == 0 {
        return;
    }
    let (steps, ended) = (AtomicU32::new(0), Arc::new(Notify::new()));
    let end = Arc::clone(&ended);
    let hook = move |step| {
        let ends = step != StoreStep::AfterGet && steps.fetch_add(1, Ordering::SeqCst) + 1 == place;
        let end = Arc::clone(&end);
        async move {
            if ends {
                end.notify_one();
                pending::<()>().await;
            }
        }
        .boxed()
    };
    let relic = KeyValue::new(name, "Keeps values.", Hooked { store, hook });
    tokio::select! {
        biased;
        ended = call(&relic, scope, args) => panic!("it ended before place {place}: {ended:?}"),
        () = ended.notified() => {}
    }
}

/// Checks both calls that change a value.
async fn check_all(open: Opening<'_>) {
    let set = r#"{"operation":"set","key":"k","value":"ours"}"#;
    check(open, "set", set, Interruption::after_set, |now| now == Some("ours")).await;
    let delete = r#"{"operation":"delete","key":"k"}"#;
    check(open, "delete", delete, Interruption::after_delete, |now| now.is_none()).await;
}

#[tokio::test]
async fn repeated_call_in_memory_keeps_newer_value() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    check_all(&|| ready(Arc::clone(&store)).boxed()).await;
}

#[tokio::test]
async fn repeated_call_in_files_keeps_newer_value() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { durability: Durability::Process };
    let open = async || {
        let store = LogStore::open(dir.path(), options).await.unwrap();
        Arc::new(store) as Arc<dyn Store>
    };
    check_all(&|| open().boxed()).await;
}
