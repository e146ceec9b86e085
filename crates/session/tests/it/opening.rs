//! Errors in options are found before anything is opened.

use std::sync::Arc;

use silcrow_agent::CallForms;
use silcrow_session::{Error, ErrorKind, SessionHost, SessionOptions, SessionSetup};

use crate::support::{Folder, KeptNotices, host};

fn refused(options: SessionOptions) -> Error {
    SessionSetup::check(options, &host().1).unwrap_err()
}

#[test]
fn a_wrong_option_names_itself_and_opens_nothing() {
    let folder = Folder::new();
    let store = folder.path("store");
    let options = || {
        let mut options = folder.options("§respond: hi\n§end");
        options.store = Some(store.clone());
        options
    };
    let missing = folder.path("missing");
    type Change<'a> = Box<dyn Fn(&mut SessionOptions) + 'a>;
    let wrong: [(Change<'_>, &str); 7] = [
        (Box::new(|options| options.model = Some("nobody:small".to_owned())), "`nobody:small`"),
        (Box::new(|options| options.allow = vec!["file_wipe".to_owned()]), "--allow file_wipe"),
        (Box::new(|options| options.root = missing.clone()), "missing"),
        (Box::new(|options| options.user = Some(" ".to_owned())), "the user's name is empty"),
        (Box::new(|options| options.examples = Some(missing.clone())), "cannot read"),
        (Box::new(|options| options.calls = CallForms::Native), "--calls native: `script:"),
        (Box::new(|options| options.web.search = Some("gopher".to_owned())), "gopher"),
    ];
    for (change, why) in wrong {
        let mut options = options();
        change(&mut options);
        let error = refused(options);
        assert!(error.is_callers_fault() && !error.is_retryable(), "{error:?}");
        assert!(error.message().contains(why), "{error}");
    }
    assert!(!store.exists());
}

#[test]
fn error_kind_names_its_crate() {
    let folder = Folder::new();
    let mut options = folder.options("");
    options.model = Some("nobody:small".to_owned());
    let kind = refused(options).kind();
    assert_eq!(kind, ErrorKind::Model(silcrow_models::ErrorKind::UnknownModel));

    folder.write("policy.toml", "mode = \"wild\"\n");
    let error = refused(folder.options(""));
    assert!(matches!(error.kind(), ErrorKind::Policy(_)), "{error:?}");
}

#[test]
fn manifest_runs_only_if_trusted() {
    let folder = Folder::new();
    let manifest = folder.write("agents.toml", "[agents.poet]\ndescription = \"Writes verses.\"");
    for (trusts, why) in
        [(None, "run silcrow manifest trust"), (Some(false), "is not trusted, and nothing was run")]
    {
        let host: Arc<dyn SessionHost> = Arc::new(KeptNotices::trusting(trusts));
        let mut options = folder.options("");
        options.manifest = Some(manifest.clone());
        let error = SessionSetup::check(options, &host).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Untrusted, "{error:?}");
        assert!(error.message().contains(why), "{error}");
    }
}

#[test]
fn notices_say_what_counts() {
    let folder = Folder::new();
    let mut options = folder.options("");
    options.model = Some("rehearsal".to_owned());
    options.policy.permissions = Some("read-only".parse().unwrap());
    options.policy.is_sandbox_off = true;
    let setup = SessionSetup::check(options, &host().1).unwrap();
    let notices = setup.notices();
    assert!(notices[0].starts_with("rehearsal model: rules, no LLM"), "{notices:?}");
    let walls = "permissions read-only, sandbox: off, as you have set it";
    assert!(notices[1].starts_with(walls), "{notices:?}");
}
