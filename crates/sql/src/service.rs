//! The tool: its operations, and how a call becomes a statement with parameters.
//!
//! Another module sends statements to the database.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use silcrow_event::{Json, Truncation, error_chain};
use silcrow_store_postgres::{PostgresQueries, QueryLimits};
use silcrow_tool::{
    ApprovalNeed, CallContext, Preview, ServiceOperation, ServiceOperations, Tool, ToolArgs,
    ToolError, ToolOutput, ToolPolicy,
};

/// Declared statements in a database as a tool: `name {operation, …parameters}`. It is the relic `sql`
/// of a manifest.
///
/// If an operation may change something, each call needs an approval, and one for the conversation
/// covers the operation. A service that only reads needs none.
///
/// ```
/// use silcrow_sql::{SqlOperation, SqlService};
/// use silcrow_store_postgres::{PostgresAddress, PostgresQueries};
/// use silcrow_tool::{ServiceOperation, Tool as _};
///
/// let count = ServiceOperation::new("count", "The number of orders.", []);
/// let count = SqlOperation::reading(count, "select count(*) from orders");
/// // Nothing connects before the first call.
/// let address = PostgresAddress::parse("postgres://app@127.0.0.1/shop", |_| None)?;
/// let shop = SqlService::new("shop", "The shop.", PostgresQueries::new(address)?, [count]);
/// assert_eq!(shop.name(), "shop");
/// assert!(shop.policy().read_only);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SqlService {
    name: String,
    description: String,
    statements: Vec<SqlOperation>,
    operations: ServiceOperations,
    database: Arc<PostgresQueries>,
    limits: QueryLimits,
}

/// An operation of a [`SqlService`]: a statement whose `$1`, `$2` and so on are its parameters, in
/// the order of their declarations.
#[derive(Clone, Debug)]
pub struct SqlOperation {
    operation: ServiceOperation,
    statement: String,
    changes: bool,
}

impl SqlOperation {
    /// Creates an operation that only reads.
    ///
    /// ```
    /// use silcrow_sql::SqlOperation;
    /// use silcrow_tool::ServiceOperation;
    ///
    /// let count = ServiceOperation::new("count", "The number of orders.", []);
    /// let count = SqlOperation::reading(count, "select count(*) from orders");
    /// assert!(!count.changes());
    /// ```
    pub fn reading(operation: ServiceOperation, statement: impl Into<String>) -> Self {
        Self { operation, statement: statement.into(), changes: false }
    }

    /// Creates an operation that may change something.
    pub fn changing(operation: ServiceOperation, statement: impl Into<String>) -> Self {
        Self { operation, statement: statement.into(), changes: true }
    }

    /// Returns whether it may change something.
    pub const fn changes(&self) -> bool {
        self.changes
    }
}

impl SqlService {
    /// Creates a service.
    pub fn new(
        name: impl Into<String>,
        description: &str,
        database: PostgresQueries,
        operations: impl IntoIterator<Item = SqlOperation>,
    ) -> Self {
        let statements: Vec<_> = operations.into_iter().collect();
        let operations = statements.iter().map(|statement| statement.operation.clone());
        let operations = ServiceOperations::new(operations);
        Self {
            name: name.into(),
            description: operations.description(description),
            statements,
            operations,
            database: Arc::new(database),
            limits: QueryLimits::default(),
        }
    }

    /// Sets the maximum rows, bytes and time of a statement.
    #[must_use]
    pub fn with_limits(self, limits: QueryLimits) -> Self {
        Self { limits, ..self }
    }

    /// Reads a call: its statement, and the values of its parameters.
    fn read(&self, args: &str) -> Result<(&SqlOperation, Vec<Option<String>>), ToolError> {
        let (index, given) = self.operations.read(args)?;
        let statement = &self.statements[index];
        let value = |name: &String| match given.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(value) => Some(value.to_string()),
        };
        let parameters = statement.operation.parameters.iter();
        Ok((statement, parameters.map(|parameter| value(&parameter.name)).collect()))
    }

    async fn run(&self, args: &str) -> Result<ToolOutput, ToolError> {
        let (SqlOperation { statement, changes, .. }, parameters) = self.read(args)?;
        let done = match changes {
            true => self.database.change(statement, &parameters, self.limits).await,
            false => self.database.read(statement, &parameters, self.limits).await,
        };
        let rows = done.map_err(|error| ToolError::new(error_chain(&error)))?;
        let unit = if rows.count == 1 { "row" } else { "rows" };
        let value = Json::parse(&rows.json);
        let output = ToolOutput::new(format!("{} {unit}", rows.count), rows.json);
        let output = output.with_value(value);
        Ok(match rows.has_more {
            true => output
                .with_notice(format!("there are more than {} rows; ask for less", rows.count))
                .with_truncation(Truncation::default()),
            false => output,
        })
    }
}

impl Tool for SqlService {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        self.operations.schema()
    }

    fn policy(&self) -> ToolPolicy {
        let changes = self.statements.iter().any(SqlOperation::changes);
        let approval = if changes { ApprovalNeed::Always } else { ApprovalNeed::Never };
        ToolPolicy { read_only: !changes, approval, ..ToolPolicy::default() }
    }

    /// Returns the operation and the statement. This runs nothing yet.
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let (SqlOperation { operation, statement, changes }, _) = self.read(args.as_str())?;
            let what = if *changes { "may change rows" } else { "reads rows" };
            Ok(Preview::new(format!("{} of {}", operation.name, self.name))
                .with_target(statement.trim())
                .with_effect(what))
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.run(args.as_str()).boxed()
    }
}

impl fmt::Debug for SqlService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqlService")
            .field("name", &self.name)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}
