use std::sync::Arc;

use silcrow_event::Event;
use silcrow_session::{AgentSession, SessionHost, SessionOptions};

use super::*;

#[test]
fn names_are_completed_within_their_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src/bin")).unwrap();
    for name in ["src/main.rs", "src/lib.rs", ".env", "a b"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let found = |typed: &str| -> Vec<String> {
        files(folder.path(), typed).into_iter().map(|offer| offer.replacement).collect()
    };
    assert_eq!(found(""), [r"a\ b", "src/"]);
    assert_eq!(found(r"a\ "), [r"a\ b"]);
    assert_eq!(found(".e"), [".env"]);
    assert_eq!(found("src/"), ["src/bin/", "src/lib.rs", "src/main.rs"]);
    assert_eq!(found("src/m"), ["src/main.rs"]);
    assert_eq!(found("nothing/"), [""; 0]);
}

#[test]
fn tab_completes_conversations_and_prompts() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (helper, store) = runtime.block_on(helper(folder.path()));
    let prompt = |id: &str, head: u64, text: &str| {
        let prompt = Event::user(text);
        runtime.block_on(store.append(id, head, vec![prompt.into()])).unwrap();
    };
    prompt("notes-one", 0, "Explain dates");
    prompt("notes-two", 0, "Write a poem");
    let offered = |line: &str| -> (usize, Vec<String>) {
        let LineOffers { start, list } = helper.offers(line, true);
        (start, list.into_iter().map(|one| format!("{} ({})", one.shown, one.about)).collect())
    };
    let both = ["notes-two (Write a poem)", "notes-one (Explain dates)"].map(str::to_owned);
    assert_eq!(offered("/resume n"), (8, both.to_vec()));
    assert_eq!(offered("/resume notes-o"), (8, both[1..].to_vec()));
    // A prompt that was just stored is completed, too.
    assert_eq!(offered("/fork ").1, ["1 (Explain dates)", "end (all of it)"]);
    prompt("notes-one", 1, "tell me more");
    let points = ["1 (Explain dates)", "2 (tell me more)", "end (all of it)"];
    assert_eq!(offered("/fork ").1, points);
    assert_eq!(offered("/fork e").1, ["end (all of it)"]);
    assert_eq!(offered("/per").1, ["/permissions (show or choose what runs unasked)"]);
    assert!(offered("/permissions w").1[0].starts_with("workspace ("));
    assert_eq!(offered("/rel").1, ["/release (Makes a release)"]);
    // Letters in the middle of a name find it while it is typed.
    assert_eq!(helper.offers("/prms", false).list[0].replacement, "/permissions ");
}

/// Returns the helper of a session in the conversation `notes-one`, and its store.
async fn helper(folder: &Path) -> (LineHelper, Arc<dyn Store>) {
    let mut options = SessionOptions::new(folder);
    options.model = Some("rehearsal".to_owned());
    options.store = Some("memory".into());
    options.instructions.reads_files = false;
    let host: Arc<dyn SessionHost> = Arc::new(|_: &str| {});
    let mut session = AgentSession::open(options, &host).await.unwrap();
    let (store, runtime) = (session.store(), Handle::current());
    let helper = LineHelper {
        root: folder.to_owned(),
        conversations: KnownConversations {
            store: Arc::clone(&store),
            user: None,
            current: CurrentConversation::new("notes-one"),
            runtime: runtime.clone(),
        },
        index: FileIndex::new(folder),
        servers: KnownServers::new(session.begin_servers(None), runtime),
        own: vec![("/release".to_owned(), "Makes a release".to_owned())],
        mode: LineMode::new(session.mode()),
        has_vi_keys: false,
        pasted: PastedPictures::default(),
    };
    (helper, store)
}
