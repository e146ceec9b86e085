//! Failures of the database, as errors of a store.

use std::fmt;

use silcrow_store::{Error, ErrorKind};
use tokio_postgres::error::SqlState;

/// The database, as messages name it: without a password.
#[derive(Clone, Debug)]
pub(crate) struct Database(pub(crate) String);

impl Database {
    /// Creates an error whose message begins with the database.
    pub(crate) fn error(&self, kind: ErrorKind, why: impl fmt::Display) -> Error {
        Error::new(kind, format!("the database {} {why}", self.0))
    }

    /// Returns the error of a statement without an answer, which was `doing` something.
    pub(crate) fn error_of(&self, doing: &str, failed: Failed) -> Error {
        match failed {
            Failed::Said(error) => self.failed(doing, error),
            Failed::Silent => self.error(ErrorKind::Unavailable, NO_ANSWER),
        }
    }

    /// Converts an error that the server or the connection reported while it was `doing` something.
    pub(crate) fn failed(&self, doing: &str, error: tokio_postgres::Error) -> Error {
        let Some(code) = error.code() else {
            let cause = innermost(&error);
            let (kind, why) = match error.to_string() {
                _ if cause == NO_PASSWORD => (ErrorKind::Refused, WRONG_USER),
                _ if cause == NO_WRITES => (ErrorKind::Unavailable, NO_PRIMARY),
                what if what.contains("TLS") => (ErrorKind::Refused, NO_TLS),
                _ => (ErrorKind::Unavailable, NO_SERVER),
            };
            return self.error(kind, why).with_source(cause);
        };
        let kind = kind(code);
        let why = match *code {
            SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                WRONG_USER.to_owned()
            }
            SqlState::INVALID_CATALOG_NAME => {
                "does not exist; create it with `createdb`, or name another".to_owned()
            }
            SqlState::INSUFFICIENT_PRIVILEGE => {
                format!("does not allow {doing} to this user; grant it")
            }
            SqlState::QUERY_CANCELED => {
                format!("took too long while {doing}; try again, or look at what its server does")
            }
            SqlState::READ_ONLY_SQL_TRANSACTION => {
                "can only be read; name the primary server".to_owned()
            }
            _ => format!("failed while {doing}"),
        };
        let said = error.as_db_error().map_or_else(String::new, |said| said.message().to_owned());
        self.error(kind, why).with_source(said)
    }
}

/// The reason why a statement has no answer.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The server, or the client about the connection, said this.
    Said(tokio_postgres::Error),
    /// The server was silent for too long.
    Silent,
}

impl From<tokio_postgres::Error> for Failed {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Said(error)
    }
}

impl Failed {
    /// Returns whether the connection is of no use, so that another one may succeed.
    pub(crate) fn is_cut(&self) -> bool {
        let Self::Said(error) = self else { return true };
        let is_cut =
            |code: &SqlState| matches!(&code.code()[..2], CLASS_CONNECTION | CLASS_OPERATOR);
        let is_over = |code: &SqlState| is_cut(code) && *code != SqlState::QUERY_CANCELED;
        error.is_closed() || error.code().is_none_or(is_over)
    }

    /// Returns whether another server may have taken the place of this one.
    pub(crate) fn is_of_the_past(&self) -> bool {
        let is_read_only = |error: &tokio_postgres::Error| {
            error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION)
        };
        self.is_cut() || matches!(self, Self::Said(error) if is_read_only(error))
    }
}

fn kind(code: &SqlState) -> ErrorKind {
    match &code.code()[..2] {
        CLASS_CONNECTION | CLASS_OPERATOR | "25" | "40" | "53" | "55" => ErrorKind::Unavailable,
        "28" | "3D" | "42" => ErrorKind::Refused,
        "XX" => ErrorKind::Damaged,
        _ => ErrorKind::Io,
    }
}

/// Returns whether a connection was not opened because its server can only be read.
pub(crate) fn is_read_only(error: &tokio_postgres::Error) -> bool {
    error.code().is_none() && innermost(error) == NO_WRITES
}

/// Returns the message of the innermost cause, which the client's errors only hint at.
fn innermost(error: &tokio_postgres::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}

/// The class of failures of the connection.
const CLASS_CONNECTION: &str = "08";

/// The class of an operator's actions, such as ending the server.
const CLASS_OPERATOR: &str = "57";

/// The words of the client for a server that asks for a password.
const NO_PASSWORD: &str = "password missing";

/// The client's error message for a read-only server, if a writable one is wanted.
const NO_WRITES: &str = "database does not allow writes";

const NO_PRIMARY: &str = "has no primary server that answers, and waits for one: what answers at its \
    hosts can only be read; promote a standby or start the primary, then try again";

const WRONG_USER: &str = "rejects this user or password; set PGUSER and PGPASSWORD";

const NO_SERVER: &str = "cannot be reached; check that the server runs, then try again";

const NO_ANSWER: &str =
    "gives no answer; check that its server runs and that the network leads to it, then try again";

const NO_TLS: &str = "has no encrypted connection that can be trusted; add sslrootcert=FILE to the \
    address, or sslmode=disable on a network that you trust";
