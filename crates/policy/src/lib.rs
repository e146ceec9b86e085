//! Permissions of calls: modes, rules, and decisions about parsed commands.
