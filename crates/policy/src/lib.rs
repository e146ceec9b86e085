//! Permissions of calls: modes, rules, and decisions about parsed commands.

mod command;

pub use command::{CommandVerdict, judge_command};
