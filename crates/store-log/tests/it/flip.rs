//! One bit, anywhere in the files of a store: it costs at most one event, and that is named.

use std::fs;
use std::path::Path;

use silcrow_event::Event;
use silcrow_store::Store as _;

use crate::chance::Chance;
use crate::files::{copy, files, filled, losses, open, segments, snapshot};
use crate::process::{rounds, say_tried};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flipped_bit_costs_one_event_at_most() {
    let model = filled().await;
    let mut chance = Chance::new(silcrow_testkit::run_seed());
    let flips = rounds("SILCROW_FLIPS", 16);
    let mut names = files(model.path());
    names.retain(|name| name != Path::new("LOCK"));
    let folder = copy(model.path());
    let (mut whole, mut costs) = (0, 0);
    for flip in 0..flips {
        let name = &names[flip as usize % names.len()];
        let path = folder.path().join(name);
        let mut bytes = fs::read(&path).unwrap();
        // Half of them in the first kilobytes, with the headers of short frames.
        let length = bytes.len() as u64;
        let at = chance.below(if flip % 2 == 0 { length } else { length.min(40_000) }) as usize;
        bytes[at] ^= 1 << chance.below(8);
        fs::write(&path, &bytes).unwrap();
        let before = snapshot(folder.path());
        let lost = losses(folder.path()).await;
        let lost = lost.unwrap_or_else(|error| panic!("{name:?}, byte {at}: {error}"));
        assert!(lost.len() <= 1, "{name:?}, byte {at}: {lost:?}");
        // A reader gets an error: no conversation is only shorter, and no older value is back.
        let is_told = |lost: &String| lost.contains(": ");
        assert!(lost.iter().all(is_told), "{name:?}, byte {at}: {lost:?}");
        assert_eq!(snapshot(folder.path()), before, "{name:?}, byte {at}: something was written");
        (whole, costs) = (whole + u64::from(lost.is_empty()), costs + lost.len());
        fs::copy(model.path().join(name), path).unwrap();
    }
    say_tried(&format!("{flips} flips: {whole} cost nothing, {costs} events or values were lost"));
    assert!(whole > 0 && costs > 0);
}

/// Short frames are mostly headers, and every kind of them is here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_bit_of_a_header_costs_more() {
    let model = tempfile::tempdir().unwrap();
    let store = open(model.path()).await.unwrap();
    let batch = |texts: &[&str]| texts.iter().map(|text| Event::user(*text).into()).collect();
    store.append("c", 0, batch(&["old"])).await.unwrap();
    store.put("of/c", "k", 0, b"old".to_vec()).await.unwrap();
    store.delete("c", 1).await.unwrap();
    store.append("c", 0, batch(&["one", "two"])).await.unwrap();
    store.put("s", "k", 0, b"first".to_vec()).await.unwrap();
    store.put("s", "k", 1, b"second".to_vec()).await.unwrap();
    store.append("c", 2, batch(&["three"])).await.unwrap();
    drop(store);
    let name = segments(model.path()).remove(0);
    let length = fs::read(model.path().join(&name)).unwrap().iter().rposition(|&byte| byte != 0);
    let mut wrong = Vec::new();
    for bit in (0..(length.unwrap() + 1) * 8).step_by(rounds("SILCROW_FLIP_STEP", 15) as usize) {
        let folder = copy(model.path());
        flip(&folder.path().join(&name), bit);
        let store = open(folder.path()).await.unwrap();
        let mut lost = Vec::new();
        for (text, position) in ["one", "two", "three"].into_iter().zip(1..) {
            match store.read("c", position..=position).await {
                Ok(entries) if entries.is_empty() => lost.push(text),
                Ok(entries) if entries[0].event != Event::user(text) => lost.extend(["not", text]),
                Ok(_) => {}
                Err(_) => lost.push(text),
            }
        }
        if store.head("c").await.unwrap() > 3 {
            lost.extend(["there is", "more"]);
        }
        match store.get("s", "k").await {
            Ok(Some(kept)) if kept.value == b"second" => {}
            Ok(_) => lost.extend(["an older", "value"]),
            Err(_) => lost.push("value"),
        }
        if store.get("of/c", "k").await.unwrap().is_some() {
            lost.extend(["a deletion", "of a value"]);
        }
        let is_named = !store.verify().await.unwrap().damage.is_empty();
        if lost.len() > usize::from(is_named) {
            wrong.push((bit, lost));
        }
        if bit % 16 > 0 {
            continue;
        }
        // Later writes are there, too.
        let head = store.head("c").await.unwrap();
        store.append("c", head, batch(&["more"])).await.unwrap();
        let store = open(folder.path()).await.unwrap();
        let more = store.read("c", head + 1..=head + 1).await.unwrap();
        assert_eq!(more[0].event, Event::user("more"), "bit {bit}");
    }
    assert!(wrong.is_empty(), "{} bits cost more than they may: {wrong:?}", wrong.len());
}

fn flip(path: &Path, bit: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}
