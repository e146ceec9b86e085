//! The names in the addresses of requests.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use crate::error::{Error, ErrorKind};

/// The name in the address of a request.
pub(crate) struct PathId(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(error) => {
                let why = format!("the address of the request is wrong: {}", error.body_text());
                Err(Error::new(ErrorKind::Malformed, why))
            }
        }
    }
}
