//! The place of conversations: memory, a folder or a database.

mod database;
mod folders;
mod late;
mod new_id;
mod place;

pub use database::DatabasePlace;
pub(crate) use folders::{config_folder, data_folder, state_folder};
pub use late::LateStore;
pub use new_id::new_conversation;
pub use place::{OTHER_STORE, OpenStore, StorePlace};
