//! Measures a server's overhead for the answers of many runs: `cargo lab load` starts it.
//!
//! `load serve` is a server whose models write words at a steady rate, either numbers or the times
//! at which they are written, until its input ends. It has the store of `silcrow serve`, in a
//! folder. `load bare` is a server that only writes such words. `load read PORT STREAMS SECONDS`
//! reads that many runs at once, and prints the delay of their words.
//! `load reconnect PORT STREAMS COUNT` reads runs over connections that it cuts at random, and
//! prints how many words were missing or came twice.

#![expect(clippy::print_stdout, reason = "it tells its results to the command that starts it")]

#[path = "load/bare.rs"]
mod bare;
#[path = "load/client.rs"]
mod client;
#[path = "load/model.rs"]
mod model;
#[path = "load/read.rs"]
mod read;
#[path = "load/reconnect.rs"]
mod reconnect;
#[path = "load/stamp.rs"]
mod stamp;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use silcrow_agent::Agent;
use silcrow_server::{AccessToken, CancellationToken, Options, RunPlace, Server, ServerUser};
use silcrow_store_log::{LogStore, Options as StoreOptions};
use tokio::io::{AsyncReadExt as _, stdin};
use tokio::net::TcpListener;

use model::SteadyModel;

type Failed = Box<dyn Error>;

// A thread for each core, as `silcrow serve` has them.
#[tokio::main]
async fn main() -> Result<(), Failed> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["serve", rate] => serve(rate.parse()?).await,
        ["bare", rate] => {
            let (listener, stop) = listener().await?;
            let served = bare::serve(listener, SteadyModel::new(rate.parse()?));
            tokio::select! {
                () = stop.cancelled() => Ok(()),
                served = served => Ok(served?),
            }
        }
        ["read", port, streams, seconds] => {
            read::read(port.parse()?, streams.parse()?, Duration::from_secs(seconds.parse()?)).await
        }
        ["reconnect", port, streams, count] => {
            reconnect::reconnect(port.parse()?, streams.parse()?, count.parse()?).await
        }
        _ => {
            Err("usage: load serve RATE | bare RATE | read PORT STREAMS SECONDS | reconnect PORT STREAMS COUNT"
                .into())
        }
    }
}

async fn serve(rate: u32) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(LogStore::open(folder.path(), StoreOptions::default()).await?);
    let agent = Agent::new(SteadyModel::new(rate), Arc::clone(&store));
    let mut options = Options::default();
    (options.runs, options.runs_of_user) = (usize::MAX, usize::MAX);
    let token = AccessToken::parse(TOKEN).ok_or("the token is none")?;
    let server = Server::new(store, move |_: &RunPlace| agent.clone())
        .with_options(options)
        .with_token(token, ServerUser::default());
    let (listener, stop) = listener().await?;
    server.serve(listener, stop).await;
    Ok(())
}

/// Returns a listener whose port is printed, and a token that is cancelled when the input ends.
async fn listener() -> Result<(TcpListener, CancellationToken), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    let stop = CancellationToken::new();
    let ends = stop.clone();
    tokio::spawn(async move {
        // For whatever reason it ends, it is over.
        let _ = stdin().read_to_end(&mut Vec::new()).await;
        ends.cancel();
    });
    Ok((listener, stop))
}

const TOKEN: &str = "5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c";
