//! Keeps a person's profile: a few facts that a model notes from conversations.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-profile = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use silcrow_event::{Event, Timestamp};
//! use silcrow_profile::{LearnOptions, LearnOutcome, StoredProfile, learn};
//! use silcrow_provider::ScriptedModel;
//! use silcrow_store::{MemoryStore, Store as _};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let store = MemoryStore::new();
//!     let said = Event::user("I am Ann, and I write Rust.");
//!     store.append("c1", 0, vec![said.into()]).await.unwrap();
//!
//!     let model = ScriptedModel::parse(r#"{"add": ["The person is called Ann."]}"#, 1);
//!     let (now, options) = (Timestamp::from_nanos(1), LearnOptions::new().with_every(1));
//!     let outcome = learn(&store, &model, None, now, &options).await.unwrap();
//!     assert!(matches!(outcome, LearnOutcome::Learned(learned) if learned.added == 1));
//!
//!     let profile = StoredProfile::new(&store, None).load().await.unwrap();
//!     assert_eq!(profile.facts()[0].text(), "The person is called Ann.");
//!     assert!(profile.to_text().unwrap().contains("The person is called Ann."));
//! }
//! ```
//!
//! ```text
//! messages after the marks ─► claim ─► one request ─► changes ─► facts and marks, in one put
//!            ▲                                                          │
//!            └────────────── messages that came meanwhile ◄─────────────┘
//! ```
//!
//! [`learn`] reads a person's new messages, the oldest conversation first, and asks a model once
//! how they change the facts. A mark for each conversation records how far it has been read. Facts
//! and marks are stored as one value, so no message is skipped or read twice, whenever a process
//! ends. Before a request, the learner puts a claim into the value, and others leave the messages
//! alone while it is valid; a result without a valid claim is dropped. Messages that do not fit
//! into one request wait for the next.
//!
//! The model reads messages as data and answers with changes. It cannot change or remove facts that
//! the person wrote, and a fact that looks like a key is not kept. [`Profile::to_text`] writes the
//! facts for the prompt, as lines of JSON that name their author, under a line that marks them as
//! data. None of this stops a model from obeying a fact.
//!
//! A fact is removed together with its conversation. Imported conversations, replays, called agents
//! and other users teach nothing. Of a message with several parts, the model reads the first,
//! because the others are attached files; of a long text, it reads the beginning and the end. If
//! two answers to the same messages cannot be read, the learner moves on.
//!
//! This crate has no clock and no background task: the caller decides when to learn and how long it
//! may take. It does not count the cost of a request.

mod batch;
mod changes;
mod error;
mod fact;
mod learn;
mod outcome;
mod profile;
mod record;
mod request;
mod stored;

pub use error::{Error, ErrorKind};
pub use fact::{Fact, FactOrigin, RefusedFact};
pub use learn::{LearnOptions, learn};
pub use outcome::{LearnOutcome, LearnedChanges};
pub use profile::Profile;
pub use stored::StoredProfile;
