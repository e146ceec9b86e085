//! Statements in a PostgreSQL database.

use std::env;
use std::sync::Arc;

use silcrow_event::error_chain;
use silcrow_manifest::SqlDeclaration;
use silcrow_sql::{SqlOperation, SqlService};
use silcrow_store_postgres::{PostgresAddress, PostgresQueries};
use silcrow_tool::Tool;

use super::variable;

pub(super) fn open(
    name: &str,
    description: &str,
    declared: &SqlDeclaration,
) -> Result<Arc<dyn Tool>, String> {
    let address = variable(&declared.variable)?;
    let address = PostgresAddress::parse(&address, |name| env::var(name).ok());
    let address = address.map_err(|error| format!("{}: {error}", declared.variable))?;
    let database = PostgresQueries::new(address).map_err(|error| error_chain(&error))?;
    let operations = declared.operations.iter().map(|one| {
        let (operation, statement) = (one.operation.clone(), &*one.statement);
        match one.writes {
            true => SqlOperation::changing(operation, statement),
            false => SqlOperation::reading(operation, statement),
        }
    });
    Ok(Arc::new(SqlService::new(name, description, database, operations)))
}
