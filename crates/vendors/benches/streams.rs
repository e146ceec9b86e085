//! The cost of a delta on its way from the socket, for each API, compared with HTTP alone and with
//! events and JSON alone, over the same bytes; and 100 answers at once.
//!
//! `cargo bench -p silcrow-vendors`; `docs/records/2026-11-22-vendor-answers.md` has the bars.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::Duration;

use futures_util::{StreamExt as _, future};
use reqwest::Client;
use serde_json::value::RawValue;
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, Provider, Request, sse};
use tokio::runtime::{Builder, Runtime};

#[path = "kit/server.rs"]
mod server;
#[path = "kit/wire.rs"]
mod wire;

use server::Server;
use wire::Api;

fn main() -> io::Result<()> {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return Ok(());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    for api in Api::ALL {
        one(&runtime, api)?;
    }
    let mut out = io::stdout().lock();
    for deltas in [2_000, 20_000] {
        let server = Server::start(Api::Chat.body(deltas));
        let before = memory();
        let (took, most) = runtime.block_on(many(&server, deltas));
        writeln!(
            out,
            "{STREAMS} answers of {deltas} deltas at once: {:.2} µs a delta, {} KiB more than \
             before at most",
            took.as_secs_f64() * 1e6 / (STREAMS * deltas) as f64,
            most.saturating_sub(before),
        )?;
    }
    Ok(())
}

/// Microseconds of a processor a delta, in answers of two lengths.
fn one(runtime: &Runtime, api: Api) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "{api:?}:")?;
    let client = Client::builder().no_proxy().build().unwrap();
    for deltas in [1_000, 100_000] {
        let times = ROUND / deltas;
        let body = api.body(deltas);
        let server = Server::start(body.clone());
        let model = api.model(&server.url());
        let adapter = best(times, || assert_eq!(runtime.block_on(read(&*model)), deltas));
        let http = best(times, || runtime.block_on(fetch(&client, &server.url())));
        let plain = api.plain(deltas);
        let events = best(times, || {
            assert!(decode(&plain, &mut |_| {}) > deltas);
        });
        let json = best(times, || {
            decode(&plain, &mut |data| {
                let _ = black_box(serde_json::from_str::<&RawValue>(data));
            });
        });
        let each = |took: Duration| took.as_secs_f64() * 1e6 / ROUND as f64;
        write!(
            out,
            "  {deltas} deltas {:.2} µs over HTTP alone, which takes {:.2} (events {:.2}, with JSON \
             checked {:.2})",
            each(adapter.saturating_sub(http)),
            each(http),
            each(events),
            each(json),
        )?;
    }
    writeln!(out)
}

/// The minimum processor time of some rounds, counting this thread and not the server's. The system
/// counts it in ticks, so a round is `times` answers.
fn best(times: usize, mut answer: impl FnMut()) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let start = on_processor();
        (0..times).for_each(|_| answer());
        on_processor() - start
    });
    rounds.min().unwrap_or_default()
}

/// The processor time of this thread.
fn on_processor() -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(times.split(' ').next().unwrap().parse().unwrap())
}

/// The number of text deltas of an answer.
async fn read(model: &dyn Provider) -> usize {
    let mut deltas = model.stream(Request::new(vec![Message::new(Role::User, "hi")]));
    let mut count = 0;
    while let Some(item) = deltas.next().await {
        count += usize::from(matches!(item.unwrap(), Delta::Text(text) if !text.is_empty()));
    }
    count
}

/// The bytes alone, by the client that the models have.
async fn fetch(client: &Client, url: &str) {
    let mut body = client.post(url).body("{}").send().await.unwrap();
    while let Some(bytes) = body.chunk().await.unwrap() {
        black_box(bytes);
    }
}

/// The number of events.
fn decode(bytes: &[u8], take: &mut dyn FnMut(&str)) -> usize {
    let mut decoder = sse::SseDecoder::new();
    let mut count = 0;
    decoder
        .push(bytes, &mut |event| {
            count += 1;
            take(event.data);
        })
        .unwrap();
    count
}

/// Many answers on one thread: its time, and the maximum memory that was seen meanwhile, in KiB.
async fn many(server: &Server, deltas: usize) -> (Duration, u64) {
    let model = Api::Chat.model(&server.url());
    let start = on_processor();
    let mut most = 0;
    let answers = future::join_all((0..STREAMS).map(|_| read(&*model)));
    let mut watch = tokio::time::interval(Duration::from_millis(5));
    tokio::pin!(answers);
    let counts = loop {
        tokio::select! {
            counts = &mut answers => break counts,
            _ = watch.tick() => most = memory().max(most),
        }
    };
    let took = on_processor() - start;
    assert_eq!(counts, vec![deltas; STREAMS]);
    (took, most)
}

/// The memory of this process, including the server's threads, in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

const ROUNDS: usize = 4;

/// Deltas of a round.
const ROUND: usize = 100_000;

const STREAMS: usize = 100;
