//! Statements of other programs against a database, whose rows come as JSON.
//!
//! A statement runs in a transaction, which is read-only unless the caller says otherwise. The
//! server makes the JSON, so every type is supported. The caller writes the statements.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use silcrow_store::{Error, ErrorKind};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_postgres::Client;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};

use crate::address::PostgresAddress;
use crate::connector::Connector;
use crate::fault::{Database, Failed};
use crate::tls::MakeRustls;

/// A database for statements of a program. It has no tables of silcrow, and makes none.
///
/// ```no_run
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_store_postgres::{PostgresAddress, PostgresQueries, QueryLimits};
///
/// let address = PostgresAddress::parse("postgres://app@db.example.com/shop", |_| None).unwrap();
/// let shop = PostgresQueries::new(address).unwrap();
/// let open = "select id, total from orders where customer = $1 and open";
/// let rows = shop.read(open, &[Some("7".to_owned())], QueryLimits::default()).await.unwrap();
/// assert!(rows.json.starts_with('['));
/// # });
/// ```
pub struct PostgresQueries {
    connector: Connector,
    database: Database,
    /// A connection that nothing uses now.
    idle: Mutex<Option<Client>>,
}

/// The limits of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryLimits {
    /// The maximum number of rows that are returned.
    pub rows: u32,
    /// The maximum length of their JSON, in bytes.
    pub bytes: u32,
    /// The time that the statement may take on the server.
    pub time: Duration,
}

/// The rows of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryRows {
    /// A JSON array with an object for each row.
    pub json: String,
    /// The number of rows in it, or the number of rows that were changed.
    pub count: u64,
    /// Whether there are more rows than the limit.
    pub has_more: bool,
}

impl Default for QueryLimits {
    /// Returns limits of 1,000 rows, 1 MiB and 30 seconds.
    fn default() -> Self {
        Self { rows: 1_000, bytes: 1 << 20, time: Duration::from_secs(30) }
    }
}

impl PostgresQueries {
    /// Creates it, without a connection.
    ///
    /// # Errors
    ///
    /// [`Refused`](ErrorKind::Refused) if the certificates to trust cannot be read.
    pub fn new(address: PostgresAddress) -> Result<Self, Error> {
        let connector = Connector::new(&address, MakeRustls::new(&address)?);
        let database = Database(address.to_string());
        Ok(Self { connector, database, idle: Mutex::new(None) })
    }

    /// Runs a statement with rows in a transaction that can change nothing. The parameters `$1`,
    /// `$2` and so on are texts, which the server reads as values of the required types.
    ///
    /// # Errors
    ///
    /// Returns the server's error about the statement or a parameter, or that it cannot be reached.
    /// If the rows are longer than the limit, nothing is returned.
    pub async fn read(
        &self,
        statement: &str,
        parameters: &[Option<String>],
        limits: QueryLimits,
    ) -> Result<QueryRows, Error> {
        self.run(statement, parameters, limits, "begin read only").await
    }

    /// Runs a statement that may change something, in a separate transaction. Without `returning`
    /// it has no rows, and the count is the number of changed rows.
    ///
    /// # Errors
    ///
    /// The same as [`read`](Self::read). If the connection is lost, it is unknown whether the
    /// statement was carried out.
    pub async fn change(
        &self,
        statement: &str,
        parameters: &[Option<String>],
        limits: QueryLimits,
    ) -> Result<QueryRows, Error> {
        self.run(statement, parameters, limits, "begin read write").await
    }

    async fn run(
        &self,
        statement: &str,
        parameters: &[Option<String>],
        limits: QueryLimits,
        begin: &str,
    ) -> Result<QueryRows, Error> {
        let client = self.client().await?;
        let work = async {
            let time = limits.time.as_millis();
            client.batch_execute(&format!("{begin}; set local statement_timeout = {time}")).await?;
            let rows = rows(&client, statement, parameters, limits).await?;
            client.batch_execute("commit").await?;
            Ok::<_, Failed>(rows)
        };
        let done = timeout(limits.time + SLACK, work).await.unwrap_or(Err(Failed::Silent));
        // A connection in a failed transaction is closed, which ends the transaction.
        let rows = done.map_err(|failed| self.failed(failed))?;
        *self.idle.lock().await = Some(client);
        rows.ok_or_else(|| {
            let why = format!("gave more than {} bytes; ask for less", limits.bytes);
            self.database.error(ErrorKind::Refused, why)
        })
    }

    /// Returns a connection: the idle one, or a new one.
    async fn client(&self) -> Result<Client, Error> {
        let idle = self.idle.lock().await.take();
        if let Some(client) = idle.filter(|client| !client.is_closed()) {
            return Ok(client);
        }
        let opened = timeout(CONNECT, self.connector.open()).await;
        let opened = opened.map_err(|_| self.database.error_of("connecting", Failed::Silent))?;
        let (client, connection) =
            opened.map_err(|error| self.database.failed("connecting", error))?;
        // The client is notified of its end.
        tokio::spawn(async move { drop(connection.await) });
        Ok(client)
    }

    /// Returns the error of a statement, with the server's own message, because the author of the
    /// statement has to fix it.
    fn failed(&self, failed: Failed) -> Error {
        if let Failed::Said(error) = &failed
            && let Some(said) = error.as_db_error()
        {
            let hint = said.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
            let why = format!("says: {}{hint}", said.message());
            return self.database.error(ErrorKind::Refused, why);
        }
        // A parameter that does not fit is an error of the client.
        self.database.error_of("running a statement", failed)
    }
}

/// Runs a statement, and returns its rows, or nothing if they are too long.
async fn rows(
    client: &Client,
    statement: &str,
    parameters: &[Option<String>],
    limits: QueryLimits,
) -> Result<Option<QueryRows>, Failed> {
    let statement = statement.trim().trim_end_matches(';');
    let parameters: Vec<_> = parameters.iter().map(|value| TextValue(value.as_deref())).collect();
    let parameters: Vec<&(dyn ToSql + Sync)> =
        parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
    if !has_rows(statement) {
        let count = client.execute(statement, &parameters).await?;
        return Ok(Some(QueryRows { json: "[]".to_owned(), count, has_more: false }));
    }
    // The line break ends a comment of the statement.
    let (most, bytes) = (u64::from(limits.rows), limits.bytes);
    let limit = most + 1;
    let wrapped = format!(
        "with silcrow_rows as ({statement}\n), \
         silcrow_some as (select * from silcrow_rows limit {limit}), \
         silcrow_json as (select coalesce(json_agg(one), '[]')::text as body \
         from (select * from silcrow_some limit {most}) one) \
         select case when octet_length(body) <= {bytes} then body end, \
         (select count(*) from silcrow_some) from silcrow_json"
    );
    let row = client.query_one(&wrapped, &parameters).await?;
    let (json, count): (Option<String>, i64) = (row.get(0), row.get(1));
    let count = u64::try_from(count).unwrap_or_default();
    Ok(json.map(|json| QueryRows { json, count: count.min(most), has_more: count > most }))
}

/// Returns whether a statement gives rows: a query, or a change that returns something.
fn has_rows(statement: &str) -> bool {
    let lower = statement.to_ascii_lowercase();
    let mut words = lower.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let first = words.find(|word| !word.is_empty());
    let changes = ["insert", "update", "delete", "merge"];
    match first {
        Some(first) if changes.contains(&first) => words.any(|word| word == "returning"),
        Some("select" | "with" | "values" | "table") => true,
        _ => false,
    }
}

/// A value that the server reads from its text.
#[derive(Debug)]
struct TextValue<'v>(Option<&'v str>);

impl ToSql for TextValue<'_> {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        Ok(match self.0 {
            None => IsNull::Yes,
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                IsNull::No
            }
        })
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    tokio_postgres::types::to_sql_checked!();
}

impl fmt::Debug for PostgresQueries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresQueries")
            .field("database", &self.database.0)
            .finish_non_exhaustive()
    }
}

/// The additional time for a statement's answer to arrive.
const SLACK: Duration = Duration::from_secs(5);

/// The time for opening a connection.
const CONNECT: Duration = Duration::from_secs(10);
