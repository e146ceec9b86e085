//! Declared statements on a real server.

use silcrow_sql::{SqlOperation, SqlService};
use silcrow_store_postgres::{PostgresAddress, PostgresQueries, QueryLimits};
use silcrow_testkit::PostgresServer;
use silcrow_tool::{
    CallContext, ServiceOperation, ServiceParameter, Tool as _, ToolArgs, ToolOutput,
};

const TABLE: &str = "create table orders (id int primary key, customer text, total numeric(8,2), \
    at date, open bool, more jsonb); \
    insert into orders values (1, 'Ada', 9.50, '2026-01-31', true, '{\"a\": [1, null]}'), \
    (2, 'Max', 20, null, true, null), (3, 'Ada', 0.01, null, false, null)";

fn operation(name: &str, parameters: &[&str]) -> ServiceOperation {
    let parameters = parameters.iter().map(|text| ServiceParameter::parse(text).unwrap());
    ServiceOperation::new(name, "", parameters)
}

/// Returns a service with a separate database, or nothing if there is no server.
fn shop() -> Option<(SqlService, impl Fn(&str) -> String)> {
    let server = PostgresServer::shared()?;
    let address = server.database();
    server.run(&address, TABLE);
    let database = PostgresAddress::parse(&address, |_| None).unwrap();
    let operations = [
        SqlOperation::reading(
            operation("of", &["customer:string"]),
            "select id, total, at, more from orders where customer = $1 order by id -- all",
        ),
        SqlOperation::reading(
            operation("many", &["n:integer"]),
            "select generate_series(1, $1) as n",
        ),
        SqlOperation::reading(operation("sneaky", &[]), "delete from orders returning id"),
        SqlOperation::reading(operation("slow", &[]), "select pg_sleep(30)"),
        SqlOperation::changing(
            operation("close", &["id:integer"]),
            "update orders set open = false where id = $1 and open",
        ),
        SqlOperation::changing(
            operation("add", &["id:integer", "total:number", "more:object?", "open:boolean"]),
            "insert into orders (id, total, more, open) values ($1, $2, $3, $4) returning id, more",
        ),
    ];
    let queries = PostgresQueries::new(database).unwrap();
    let shop = SqlService::new("shop", "The shop.", queries, operations);
    Some((shop, move |sql: &str| server.run(&address, sql)))
}

async fn call(shop: &SqlService, args: &str) -> Result<ToolOutput, String> {
    let context = CallContext::new("c", "a1");
    shop.call(ToolArgs::new(args), &context).await.map_err(|error| error.into_words())
}

#[tokio::test]
async fn rows_are_json_and_parameters_are_bound() {
    let Some((shop, _)) = shop() else { return };
    let rows = call(&shop, r#"{"operation":"of","customer":"Ada"}"#).await.unwrap();
    let expected = r#"[{"id":1,"total":9.50,"at":"2026-01-31","more":{"a": [1, null]}}, {"id":3,"total":0.01,"at":null,"more":null}]"#;
    assert_eq!(rows.content.text().replace(", \n ", ", "), expected);
    assert_eq!((&*rows.summary, rows.value.is_some()), ("2 rows", true));
    let hostile = r#"{"operation":"of","customer":"' or 1=1; drop table orders; --"}"#;
    assert_eq!(call(&shop, hostile).await.unwrap().content.text(), "[]");
    assert_eq!(
        call(&shop, r#"{"operation":"of","customer":"Max"}"#).await.unwrap().summary,
        "1 row"
    );
}

#[tokio::test]
async fn undeclared_writes_are_refused() {
    let Some((shop, run)) = shop() else { return };
    let why = call(&shop, r#"{"operation":"sneaky"}"#).await.unwrap_err();
    assert!(why.contains("read-only transaction"), "{why}");
    assert_eq!(run("select count(*) from orders").trim(), "3");
    // The next statement has a connection that works.
    assert!(call(&shop, r#"{"operation":"of","customer":"Ada"}"#).await.is_ok());
}

#[tokio::test]
async fn changes_commit_and_report_affected_rows() {
    let Some((shop, run)) = shop() else { return };
    let closed = call(&shop, r#"{"operation":"close","id":1}"#).await.unwrap();
    assert_eq!((&*closed.summary, &*closed.content.text()), ("1 row", "[]"));
    assert_eq!(run("select open from orders where id = 1").trim(), "f");
    let more = r#"{"operation":"add","id":7,"total":1.25,"more":{"a":"b"},"open":true}"#;
    assert_eq!(call(&shop, more).await.unwrap().content.text(), r#"[{"id":7,"more":{"a": "b"}}]"#);
    let again = call(&shop, more).await.unwrap_err();
    assert!(again.contains("duplicate key"), "{again}");
    assert!(!again.contains("hunter"), "{again}");
    let none = r#"{"operation":"add","id":8,"total":1,"open":false}"#;
    assert_eq!(call(&shop, none).await.unwrap().content.text(), r#"[{"id":8,"more":null}]"#);
    assert_eq!(run("select count(*) from orders").trim(), "5");
}

#[tokio::test]
async fn rows_bytes_and_time_have_limits() {
    let Some((shop, _)) = shop() else { return };
    let many = call(&shop, r#"{"operation":"many","n":5000}"#).await.unwrap();
    assert_eq!(many.summary, "1000 rows");
    assert!(many.notices[0].contains("more than 1000 rows") && many.truncated.is_some());
    let mut limits = QueryLimits::default();
    limits.bytes = 100;
    limits.time = std::time::Duration::from_millis(200);
    let small = shop.with_limits(limits);
    let why = call(&small, r#"{"operation":"many","n":100}"#).await.unwrap_err();
    assert!(why.contains("more than 100 bytes"), "{why}");
    let why = call(&small, r#"{"operation":"slow"}"#).await.unwrap_err();
    assert!(why.contains("statement timeout"), "{why}");
    assert!(call(&small, r#"{"operation":"many","n":1}"#).await.is_ok());
}

#[tokio::test]
async fn writing_service_requires_approval() {
    let Some((shop, _)) = shop() else { return };
    assert!(!shop.policy().read_only);
    let context = CallContext::new("c", "a1");
    let args = ToolArgs::new(r#"{"operation":"close","id":1}"#);
    let preview = shop.preview(args, &context).await.unwrap();
    assert_eq!(
        (&*preview.scope, preview.effect.as_deref()),
        ("close of shop", Some("may change rows"))
    );
    assert!(preview.target.unwrap().starts_with("update orders"));
}

#[tokio::test]
async fn unreachable_server_is_named_without_password() {
    let address = "postgres://app:hunter2@127.0.0.1:1/shop?sslmode=disable";
    let database = PostgresAddress::parse(address, |_| None).unwrap();
    let count = SqlOperation::reading(operation("count", &[]), "select 1");
    let queries = PostgresQueries::new(database).unwrap();
    let shop = SqlService::new("shop", "The shop.", queries, [count]);
    let why = call(&shop, r#"{"operation":"count"}"#).await.unwrap_err();
    assert!(why.contains("127.0.0.1") && !why.contains("hunter2"), "{why}");
    assert!(shop.policy().read_only && !format!("{shop:?}").contains("hunter2"));
}
