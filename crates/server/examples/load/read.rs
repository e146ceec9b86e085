//! Many runs that are read at once: how late their words come.

use std::error::Error;
use std::time::Duration;

use tokio::task::LocalSet;

use super::client::{Follower, begin};
use super::stamp::Stamp;

/// Reads this many runs, and prints the quantiles of the server's overhead.
pub(crate) async fn read(port: u16, streams: usize, time: Duration) -> Result<(), Box<dyn Error>> {
    let prompt = format!("{} times", 50 * time.as_secs());
    let tasks = LocalSet::new();
    let mut readers = Vec::new();
    for number in 0..streams {
        let prompt = prompt.clone();
        readers.push(tasks.spawn_local(async move {
            let conversation = format!("read-{number}");
            begin(port, &conversation, &prompt).await.map_err(|error| error.to_string())?;
            delays(port, &conversation).await.map_err(|error| error.to_string())
        }));
    }
    let mut delays = Vec::new();
    let read = async {
        for reader in readers {
            delays.extend(reader.await??);
        }
        Ok::<_, Box<dyn Error>>(())
    };
    tasks.run_until(read).await?;
    delays.sort_unstable();
    let at = |part: f64| {
        let index = (part * delays.len() as f64) as usize;
        delays.get(index.min(delays.len().saturating_sub(1))).copied().unwrap_or_default() as f64
            / 10.0
    };
    println!(
        "{{\"words\":{},\"p50\":{:.1},\"p99\":{:.1},\"p999\":{:.1},\"max\":{:.1}}}",
        delays.len(),
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    Ok(())
}

/// Returns the delay of each word of a run, in tenths of a millisecond, from when it was written.
/// Words that were written before the stream was open do not count.
async fn delays(port: u16, conversation: &str) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut follower = Follower::open(port, conversation, None).await?;
    let opened = Stamp::now();
    let mut delays = Vec::new();
    loop {
        let message = follower.next().await?;
        if message.is_end {
            return Ok(delays);
        }
        let Some(piece) = message.piece else { continue };
        let arrived = Stamp::now();
        let words = piece.split_whitespace().map(|word| word.trim_end_matches("\\n"));
        let late = words.filter_map(Stamp::parse).map(|time| arrived.since(time));
        delays.extend(late.filter(|late| *late <= arrived.since(opened)));
    }
}
