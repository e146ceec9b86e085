//! The numbers of a server and its store, in the text format of Prometheus.

use std::fmt::Write as _;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use silcrow_store::StoreCount;

use crate::auth::ServerUser;
use crate::server::Server;

/// Every user of the server may read them. They name no user and no conversation.
pub(super) async fn metrics(State(server): State<Server>, _: ServerUser) -> Response {
    let (followed, mirrors) = server.runs.streams();
    let queued = server.runs.queue().len();
    let count = |name, about, is_total, value| StoreCount { name, about, is_total, value };
    let own = [
        count("runs_started", "Runs that this server has begun.", true, server.runs.total()),
        count("runs_at_work", "Runs at work in this server.", false, server.runs.count() as u64),
        count("streams", "Readers of conversations.", false, followed as u64),
        count("mirrored_runs", "Runs of other servers that are read here.", false, mirrors as u64),
        count("queued_runs", "Prompts that wait for a place.", false, queued as u64),
        count("accepts_runs", "Whether this server begins runs.", false, server.is_open().into()),
    ];
    let mut out = String::new();
    own.iter().for_each(|one| write(&mut out, one));
    server.runs.meters().write(&mut out);
    let counts = server.store.shared_runs().counts().await;
    let is_up = count("store_up", "Whether the store answers.", false, counts.is_ok().into());
    write(&mut out, &is_up);
    counts.unwrap_or_default().iter().for_each(|one| {
        write(&mut out, one);
    });
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], out).into_response()
}

fn write(out: &mut String, one: &StoreCount) {
    let StoreCount { name, about, is_total, value } = one;
    let (end, kind) = if *is_total { ("_total", "counter") } else { ("", "gauge") };
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "# HELP silcrow_{name}{end} {about}\n# TYPE silcrow_{name}{end} {kind}\n\
         silcrow_{name}{end} {value}"
    );
}
