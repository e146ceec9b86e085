//! The name of the user who asks.

use std::env;

use crate::failure::Failure;

/// Returns the typed user or that of SILCROW_USER. An empty name is a failure.
pub(crate) fn user(typed: Option<&str>) -> Result<Option<String>, Failure> {
    let set = || {
        let name = env::var_os("SILCROW_USER")?;
        Some(name.into_string().map_err(|_| Failure::given("SILCROW_USER is not UTF-8 text")))
    };
    let user = typed.map(|name| Ok(name.to_owned())).or_else(set).transpose()?;
    if user.as_deref().is_some_and(|name| name.trim().is_empty()) {
        return Err(Failure::given("the user's name is empty; see --user and SILCROW_USER"));
    }
    Ok(user)
}
