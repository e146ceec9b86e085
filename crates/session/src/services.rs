//! The services that a manifest declares: HTTP APIs and databases.
//!
//! Keys and the addresses of databases are in environment variables, never in a file. This module
//! sends no requests or statements.

#[cfg_attr(not(feature = "web"), path = "services/absent_http.rs")]
mod http;
#[cfg_attr(not(feature = "postgres"), path = "services/absent_sql.rs")]
mod sql;

use std::env;
use std::sync::Arc;

use silcrow_manifest::{HttpDeclaration, ServiceOpener, SqlDeclaration};
use silcrow_tool::Tool;

use crate::options::WebOptions;

/// Opens services, which reach the same hosts as the web tools.
pub(crate) struct SessionServices<'a> {
    pub(crate) web: &'a WebOptions,
}

impl ServiceOpener for SessionServices<'_> {
    fn http(
        &self,
        name: &str,
        description: &str,
        declared: &HttpDeclaration,
    ) -> Result<Arc<dyn Tool>, String> {
        http::open(self.web, name, description, declared)
    }

    fn sql(
        &self,
        name: &str,
        description: &str,
        declared: &SqlDeclaration,
    ) -> Result<Arc<dyn Tool>, String> {
        sql::open(name, description, declared)
    }
}

/// Returns the value of a variable that a manifest names.
#[cfg_attr(
    not(any(feature = "web", feature = "postgres")),
    expect(dead_code, reason = "no service")
)]
fn variable(name: &str) -> Result<String, String> {
    let value = env::var(name).ok().filter(|value| !value.is_empty());
    value.ok_or_else(|| format!("the variable {name} is not set"))
}
