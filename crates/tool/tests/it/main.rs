//! The contract through its public interface, as the author of a tool uses it.

mod approved_scope;
mod cancel;
mod context;
mod head_tail;
#[cfg(unix)]
mod orphans;
#[cfg(unix)]
mod process_group;
mod toolbox;
mod validate;
mod wake_gated;
