//! Transcripts whose text cannot leave its place.

use silcrow_event::Event;
use silcrow_history::StoredConversation;
use silcrow_store::{MemoryStore, Store as _};

async fn stored(text: &str) -> StoredConversation {
    let store = MemoryStore::new();
    let events = vec![Event::user(text).into(), Event::respond(text).into()];
    store.append("c1", 0, events).await.unwrap();
    StoredConversation::read(&store, "c1").await.unwrap()
}

#[tokio::test]
async fn text_cannot_end_its_block_of_markdown() {
    let markdown = stored("> a\n\n# not a heading\n```\nnot code").await.to_markdown();
    let headings: Vec<_> = markdown.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings[1..], ["## Prompt", "## Answer"], "{markdown}");
    assert!(markdown.lines().all(|line| !line.starts_with("```")), "{markdown}");
}

#[tokio::test]
async fn text_is_text_in_html() {
    let html = stored("</pre><script>alert(1)</script>\u{202e}").await.to_html();
    assert!(!html.contains("<script"), "{html}");
    assert!(html.contains("&lt;script&gt;") && !html.contains('\u{202e}'), "{html}");
}

#[tokio::test]
async fn lines_of_json_are_what_is_stored() {
    let stored = stored("hi").await;
    let json = stored.to_json_lines();
    let read: Vec<_> = json.lines().map(|line| silcrow_event::read_entry(line).unwrap()).collect();
    assert_eq!(read, stored.entries);
}
