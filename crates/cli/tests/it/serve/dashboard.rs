//! The dashboard of the documentation draws the metrics of a server with a database.

use std::collections::BTreeSet;

use silcrow_testkit::PostgresServer;

use super::cluster::serve;
use crate::support::Sandbox;

#[test]
fn dashboard_has_everything_it_draws() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, sandbox) = (postgres.database(), Sandbox::new());
    let said = serve(&sandbox, &database, &["--model", "rehearsal"]).text("/metrics");
    let dashboard = include_str!("../../../../../docs/dashboard.json");
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let drawn: BTreeSet<_> = dashboard
        .match_indices("silcrow_")
        .filter_map(|(at, _)| dashboard[at..].split(|letter| !is_name(letter)).next())
        .map(|name| name.strip_suffix("_bucket").unwrap_or(name))
        .collect();
    assert!(drawn.len() > 15, "{drawn:?}");
    for name in drawn {
        assert!(said.contains(&format!("# TYPE {name} ")), "{name}: {said}");
    }
}
