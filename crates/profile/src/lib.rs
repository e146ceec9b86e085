//! The profile of a person: a few facts that a model notes from conversations, kept as data.
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
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use silcrow_event::{Event, Timestamp};
//! use silcrow_profile::{LearnOptions, LearnOutcome, StoredProfile, learn};
//! use silcrow_provider::ScriptedModel;
//! use silcrow_store::{MemoryStore, Store as _};
//!
//! let store = MemoryStore::new();
//! let said = Event::user("I am Ann, and I write Rust.");
//! store.append("c1", 0, vec![said.into()]).await.unwrap();
//!
//! let model = ScriptedModel::parse(r#"{"add": ["The person is called Ann."]}"#, 1);
//! let (now, options) = (Timestamp::from_nanos(1), LearnOptions::new().with_every(1));
//! let outcome = learn(&store, &model, None, now, &options).await.unwrap();
//! assert!(matches!(outcome, LearnOutcome::Learned(learned) if learned.added == 1));
//!
//! let profile = StoredProfile::new(&store, None).load().await.unwrap();
//! assert_eq!(profile.facts()[0].text(), "The person is called Ann.");
//! assert!(profile.to_text().unwrap().contains("The person is called Ann."));
//! # });
//! ```
//!
//! ```text
//! messages after the marks ─► claim ─► one request ─► changes ─► facts and marks, in one put
//!            ▲                                                          │
//!            └────────────── messages that came meanwhile ◄─────────────┘
//! ```
//!
//! [`learn`] reads the messages of a person that nothing was learned from yet, the oldest
//! conversation first, and asks a model once what they change in the facts. A mark for each
//! conversation says how far it has read. Facts and marks are one value, so that no message is
//! skipped and none is read twice, whichever process ends when. Before a request the learner puts a
//! claim into the value, and others leave the messages alone while it is valid. A result without a
//! valid claim is dropped. Messages that do not fit into one request wait for the next one.
//!
//! The model reads messages as data and answers with changes. It can neither change nor remove what
//! the person wrote, and a fact that looks like a key is not kept. [`Profile::to_text`] is for the
//! prompt: facts as lines of JSON that say who wrote them, below a line that says they are data.
//! That does not stop a model from obeying a fact.
//!
//! A fact is removed with the conversation that it was noted from. Nothing is learned from imported
//! conversations, from replays, from called agents, and from other users. Of a
//! message with several parts a model reads the first one, because the others are files that go with
//! it, and of a long text the beginning and the end. If two answers to the same messages cannot
//! be read, the learner continues with the next messages.
//!
//! This crate has no clock, and runs nothing in the background: its caller decides when to learn,
//! and how long that may take. It does not count what a request costs.

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
