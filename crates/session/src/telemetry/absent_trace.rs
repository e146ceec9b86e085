//! The error about a trace in a program that was built without telemetry.

use std::convert::Infallible;

use silcrow_history::StoredConversation;
use silcrow_store::Store;

use super::TelemetrySettings;
use crate::error::Error;

/// The spans of a stored conversation, which are always empty here.
#[derive(Debug)]
pub struct StoredTrace(Infallible);

impl StoredTrace {
    /// Reads nothing.
    ///
    /// # Errors
    ///
    /// Always says that the program was built without telemetry.
    pub async fn read(
        _: &dyn Store,
        _: &StoredConversation,
        _: &TelemetrySettings,
        _: bool,
    ) -> Result<Self, Error> {
        Err(Error::given(
            "this program was built without telemetry, so it makes no traces; build it with the \
             feature `telemetry`",
        ))
    }

    /// Is never called.
    pub fn to_protobuf(&self) -> Vec<u8> {
        match self.0 {}
    }

    /// Is never called.
    pub fn to_json(&self) -> Vec<u8> {
        match self.0 {}
    }

    /// Is never called.
    ///
    /// # Errors
    ///
    /// There are none.
    pub async fn send(&self) -> Result<String, Error> {
        match self.0 {}
    }
}
