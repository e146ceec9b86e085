//! Runs that are read over connections which end at random: whether anything is missing or doubled.

use std::cell::Cell;
use std::error::Error;
use std::rc::Rc;

use tokio::task::LocalSet;

use super::client::{Follower, begin};
use super::stamp::Stamp;

/// Reads this many runs at once, again and again, until connections were cut often enough, and
/// prints how many words were missing or came twice.
pub(crate) async fn reconnect(
    port: u16,
    streams: usize,
    count: usize,
) -> Result<(), Box<dyn Error>> {
    let tasks = LocalSet::new();
    let cuts = Rc::new(Cell::new(0));
    let mut readers = Vec::new();
    for number in 0..streams {
        let cuts = Rc::clone(&cuts);
        readers.push(tasks.spawn_local(async move {
            let (mut faults, mut words, mut round) = (0, 0, 0);
            while cuts.get() < count {
                let conversation = format!("cut-{number}-{round}");
                let read = one(port, &conversation, &cuts, count).await;
                let (of_run, read) = read.map_err(|error| error.to_string())?;
                (faults, words, round) = (faults + of_run, words + read, round + 1);
            }
            Ok::<_, String>((faults, words))
        }));
    }
    let (mut faults, mut words) = (0, 0);
    let read = async {
        for reader in readers {
            let (of_reader, read) = reader.await??;
            (faults, words) = (faults + of_reader, words + read);
        }
        Ok::<_, Box<dyn Error>>(())
    };
    tasks.run_until(read).await?;
    println!("{{\"cuts\":{},\"words\":{words},\"faults\":{faults}}}", cuts.get());
    Ok(())
}

/// Reads one run, and returns the number of faults and of words.
async fn one(
    port: u16,
    conversation: &str,
    cuts: &Cell<usize>,
    count: usize,
) -> Result<(usize, usize), Box<dyn Error>> {
    begin(port, conversation, &format!("{WORDS} numbers")).await?;
    let mut follower = Follower::open(port, conversation, None).await?;
    let (mut said, mut whole, mut chance) =
        (String::new(), None, u64::from(Stamp::now().chance()) | 1);
    let mut left = next(&mut chance);
    loop {
        if left == 0 && cuts.get() < count {
            cuts.set(cuts.get() + 1);
            let last = follower.last.take();
            drop(follower);
            follower = Follower::open(port, conversation, last).await?;
            left = next(&mut chance);
        }
        left = left.saturating_sub(1);
        let message = follower.next().await?;
        if message.is_reset {
            said.clear();
        }
        said.extend(message.piece);
        if let Some(text) = message.whole {
            // Pieces that a reset has forgotten come as a whole.
            if said.is_empty() {
                said.clone_from(&text);
            }
            whole = Some(text);
        }
        if message.is_end {
            break;
        }
    }
    let said = said.trim_end_matches("\\n").trim_end();
    let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let expected: Vec<u64> = (1..=WORDS).collect();
    // The pieces are the same as in the answer in the log, each once.
    let is_stored = whole.is_some_and(|whole| whole.trim_end_matches("\\n").trim_end() == said);
    let faults = match (numbers == expected, is_stored) {
        (true, true) => 0,
        _ => 1 + numbers.len().abs_diff(expected.len()),
    };
    Ok((faults, numbers.len()))
}

/// Returns the number of messages after which a connection is cut, between none and 15.
fn next(chance: &mut u64) -> u64 {
    *chance ^= *chance << 13;
    *chance ^= *chance >> 7;
    *chance ^= *chance << 17;
    *chance % 16
}

/// The number of words of a run.
const WORDS: u64 = 200;
