//! Finds, lists, reads, follows, compares and exports stored conversations.
//!
//! A store keeps conversations as logs of events. This crate answers the questions that come up
//! afterwards: it finds the conversation that `c1k2` or "the last one of this folder" means, lists
//! conversations in pages, writes transcripts, follows a run in another process, and finds the
//! place where two branches part.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-history = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use silcrow_event::Event;
//! use silcrow_history::{Comparison, ListQuery, StoredConversation, entry_line};
//! use silcrow_store::{MemoryStore, Store as _};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), silcrow_history::Error> {
//!     let store = MemoryStore::new();
//!     for (id, answer) in [("tea-green", "80 degrees."), ("tea-black", "95 degrees.")] {
//!         let events = vec![Event::user("How hot?").into(), Event::respond(answer).into()];
//!         store.append(id, 0, events).await.unwrap();
//!     }
//!
//!     for one in ListQuery::new().read(&store).await?.conversations {
//!         println!("{}  {}  {} events", one.conversation, one.title, one.events);
//!     }
//!
//!     // The beginning of an id is enough, from four characters on.
//!     let green = StoredConversation::read(&store, "tea-g").await?;
//!     assert_eq!(entry_line(&green.entries[1]), "   2 respond  80 degrees.");
//!     assert!(green.to_markdown().starts_with("# How hot?"));
//!
//!     let comparison = Comparison::read(&store, ["tea-g", "tea-b"]).await?;
//!     assert_eq!(comparison.shared(), 1);
//!     Ok(())
//! }
//! ```
//!
//! ```text
//!             ┌─► Conversations   an id, the beginning of one, the last one of a folder
//!             ├─► ListQuery       a page of the list ─► ConversationTable
//! any store ──┼─► StoredConversation ─► text, Markdown, HTML, JSON lines
//!             ├─► InnerRun        the agents that its calls started, and what became of them
//!             ├─► ConversationFollower   its events as they come, of whatever process
//!             ├─► Comparison      what two conversations share, and where they part
//!             └─► ForkPoint       `ID@SEQ`
//! ```
//!
//! Damaged events are left out and reported, and the rest is read. Text of models and tools is
//! data: in Markdown and HTML it cannot end its block, and hidden characters are shown as their
//! code points.
//!
//! This crate prints nothing, opens no store and reads no clock. [`Store`](silcrow_store::Store)
//! searches, imports, mends and deletes; `silcrow-agent` forks.

mod age;
mod comparison;
mod comparison_text;
mod contents;
mod conversation_table;
mod conversations;
mod date;
mod entry_text;
mod error;
mod follower;
mod fork_point;
mod hit_text;
mod html;
mod inner_run;
mod inside;
mod json_lines;
mod listing;
mod markdown;
mod media_links;
mod name;
mod stored_conversation;
mod title;
mod utc;

pub use age::age;
pub use comparison::Comparison;
pub use conversation_table::ConversationTable;
pub use conversations::{ConversationOwner, Conversations, absolute, stored_head};
pub use entry_text::{entry_line, entry_text, origin_line, safe_entry_text};
pub use error::{Error, ErrorKind};
pub use follower::{ConversationFollower, FollowedEvent};
pub use fork_point::ForkPoint;
pub use hit_text::hit_text;
pub use inner_run::{InnerRun, InnerRunState};
pub use inside::{conversations_inside, is_inside, is_inside_of};
pub use json_lines::{damage_json, hit_json, lost_json, report_json, summary_json};
pub use listing::{ListQuery, ListedPage};
pub use media_links::MediaLink;
pub use stored_conversation::StoredConversation;
pub use title::rename;
pub use utc::utc;
