//! The name of the asking user.

use std::env;

use crate::error::Error;

/// Returns the given user, or the value of the variable `SILCROW_USER`.
///
/// ```
/// use silcrow_session::user;
///
/// assert_eq!(user(Some("ada"))?.as_deref(), Some("ada"));
/// assert!(user(Some(" ")).is_err(), "nobody has this name by accident");
/// # Ok::<_, silcrow_session::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error for an empty name.
pub fn user(typed: Option<&str>) -> Result<Option<String>, Error> {
    let set = || {
        let name = env::var_os("SILCROW_USER")?;
        Some(name.into_string().map_err(|_| Error::given("SILCROW_USER is not UTF-8 text")))
    };
    let user = typed.map(|name| Ok(name.to_owned())).or_else(set).transpose()?;
    if user.as_deref().is_some_and(|name| name.trim().is_empty()) {
        return Err(Error::given("the user's name is empty; see --user and SILCROW_USER"));
    }
    Ok(user)
}
