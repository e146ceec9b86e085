//! The `silcrow` binary as a person and a program use it.

mod active;
mod approve;
mod budget;
mod call_text;
#[path = "../../../store-log/tests/it/chance.rs"]
mod chance;
mod completions;
mod config;
mod context;
mod conversations;
mod damage;
mod delete;
#[path = "../../../store-log/tests/it/disk.rs"]
mod disk;
mod doctor;
mod ends;
mod errors;
mod examples;
mod follow;
mod forks;
mod grammar;
mod guide;
mod help;
mod hidden;
mod imported;
mod inputs;
mod instructions;
mod killed;
mod killer;
mod limits;
mod live;
mod log;
mod log_shown;
mod man;
mod manifest;
mod migrate;
mod migrate_full;
mod migrate_power;
mod misbehaviour;
mod models;
mod offers;
#[path = "../../../store-sled/tests/it/old_store.rs"]
mod old_store;
mod parked;
mod permissions;
mod profile;
mod protected;
mod reached;
mod read;
#[path = "../../../store-log/tests/it/recorder.rs"]
#[expect(dead_code, reason = "the tests of the store use more of it")]
mod recorder;
mod recording;
mod rehearse;
mod replays;
mod resumed;
mod runs;
mod screen;
mod search_index;
mod secrets;
mod server;
mod session_equivalence;
mod signals;
mod spending;
mod support;
mod tasks;
mod terminal;
mod titles;
mod tls;
mod tokens;
mod tool;
mod trust;
mod undo;
mod unreliable;
mod vendors;
mod version;
