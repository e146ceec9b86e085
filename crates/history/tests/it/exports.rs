//! Transcripts whose text cannot leave its place.

use silcrow_event::{Content, ContentPart, Event, MediaRef};
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
async fn json_lines_equal_stored_events() {
    let stored = stored("hi").await;
    let json = stored.to_json_lines();
    let read: Vec<_> = json.lines().map(|line| silcrow_event::read_entry(line).unwrap()).collect();
    assert_eq!(read, stored.entries);
}

#[tokio::test]
async fn files_are_linked_at_their_mention() {
    let store = MemoryStore::new();
    let medium = |hash: String, mime: &str, name: &str| {
        let mut medium = MediaRef::new(mime, *b"1").with_name(name);
        medium.hash = hash;
        ContentPart::Media(Box::new(medium))
    };
    let hash = format!("sha256:{}", "a1".repeat(32));
    let mut prompt = Content::from("Look.");
    prompt.push(medium(hash.clone(), "image/png", "<b>](x).png"));
    // The same bytes are one file. A text that is not a hash names no file.
    prompt.push(medium(hash, "image/png", "again.png"));
    prompt.push(medium("sha256:../../x".to_owned(), "application/pdf", "a.pdf"));
    store.append("c1", 0, vec![Event::user(prompt).into()]).await.unwrap();
    let stored = StoredConversation::read(&store, "c1").await.unwrap();
    let links = stored.media_links();
    let [link] = &links[..] else { panic!("{links:?}") };
    let path = format!("media/{}.png", "a1".repeat(32));
    assert_eq!(link.path, path);
    let markdown = stored.to_markdown_with(&links);
    assert!(markdown.contains("\n![image: \\_b\\_"), "{markdown}");
    assert_eq!(markdown.matches(&format!("]({path})\n")).count(), 2, "{markdown}");
    let html = stored.to_html_with(&links);
    assert!(html.contains(&format!("<img src=\"{path}\" alt=\"image: _b_")), "{html}");
    assert!(html.contains("img-src 'self' file:"), "{html}");
    for plain in [stored.to_markdown(), stored.to_html()] {
        assert!(!plain.contains("media/") && !plain.contains("img-src"), "{plain}");
    }
}
