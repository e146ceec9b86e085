//! Pictures of conversations, if a store is damaged or hostile.

use silcrow_event::{Content, ContentPart, Event, MediaRef};
use silcrow_store::{MemoryStore, Store as _, media, spaces, transfer};

fn picture(bytes: &[u8]) -> MediaRef {
    MediaRef::new("image/png", bytes).with_name("a.png").with_size(10, 10)
}

#[tokio::test]
async fn bytes_unlike_their_hash_are_lost() {
    let store = MemoryStore::new();
    let kept = media::keep(&store, "c", picture(b"one")).await.unwrap();
    let there = store.get(&spaces::media("c"), &kept.hash).await.unwrap().unwrap();
    store.put(&spaces::media("c"), &kept.hash, there.version, b"two".to_vec()).await.unwrap();
    assert_eq!(media::read(&store, "c", &kept).await.unwrap(), None);
    // The same picture mends it.
    let again = media::keep(&store, "c", picture(b"one")).await.unwrap();
    assert_eq!(again, kept);
    assert_eq!(media::read(&store, "c", &kept).await.unwrap().unwrap(), b"one");
}

#[tokio::test]
async fn unstorable_media_becomes_a_line() {
    let store = MemoryStore::new();
    let large = picture(&vec![0; (20 << 20) + 1]);
    let content: Content =
        [ContentPart::Text("Look".to_owned()), ContentPart::Media(Box::new(large))]
            .into_iter()
            .collect();
    let mut event = Event::user(content);
    media::keep_all(&store, "c", &mut event).await.unwrap();
    let Event::User { content, .. } = event else { panic!() };
    assert_eq!(
        content.text(),
        "Look\n[image: a.png, PNG, 10 × 10; not kept: a file of 20 MiB is too large: at most 20 MiB are kept]"
    );
    assert_eq!(store.keys().await.unwrap(), []);
    // The name of the space would be too long.
    let long = "c".repeat(255);
    let mut event = Event::user(Content::from(ContentPart::Media(Box::new(picture(b"1")))));
    media::keep_all(&store, &long, &mut event).await.unwrap();
    assert_eq!(media::list(&store, &long).await.unwrap(), []);
}

#[tokio::test]
async fn a_conversation_has_a_greatest_size() {
    let store = MemoryStore::new();
    for shade in 0..12_u8 {
        media::keep(&store, "c", picture(&vec![shade; 20 << 20])).await.unwrap();
    }
    let error = media::keep(&store, "c", picture(&vec![99; 20 << 20])).await.unwrap_err();
    assert!(error.to_string().contains("260 MiB, and 256 MiB are kept"), "{error}");
    // Media that are already there take no space.
    media::keep(&store, "c", picture(&vec![3; 20 << 20])).await.unwrap();
}

#[tokio::test]
async fn foreign_export_adds_no_media_here() {
    let store = MemoryStore::new();
    store.append("ours", 0, vec![Event::user("hi").into()]).await.unwrap();
    let lines = "{\"silcrow\":\"export 1\"}\n\
                 {\"space\":\"media/ours\",\"key\":\"list\",\"text\":\"{}\"}\n\
                 {\"space\":\"media/nobody\",\"key\":\"list\",\"text\":\"{}\"}\n";
    let counts =
        transfer::import(&store, &mut lines.as_bytes(), transfer::Provenance::Foreign).await;
    assert_eq!(counts.unwrap().left_out, 2);
    assert_eq!(store.keys().await.unwrap(), []);
}
