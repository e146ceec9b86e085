//! `cargo xtask splits`, which renews the split gallery, the pictures of the tokens at each cut.

use xtask::{cargo, process, root};

/// The gallery's tests, in the integration tests of the lexer.
const GALLERY: [&str; 7] =
    ["test", "--quiet", "--package", "silcrow-lex", "--test", "it", "splits"];

/// Renews all pictures.
pub(crate) fn renew() -> Result<(), String> {
    process::succeed(cargo().args(GALLERY).env("INSTA_UPDATE", "always"), FAILED)?;
    let folder = root().join("crates/lex/tests/it/snapshots");
    println!("renewed in {}; `git diff` shows what changed", folder.display());
    Ok(())
}

/// Keeps the old pictures, and opens the changes in `cargo insta`.
pub(crate) fn review() -> Result<(), String> {
    let mut tests = cargo();
    tests.args(GALLERY).env("INSTA_UPDATE", "new").env("INSTA_FORCE_PASS", "1");
    process::succeed(&mut tests, FAILED)?;
    let missing = "`cargo insta` is missing or gave up; `cargo install cargo-insta` brings it";
    process::succeed(cargo().args(["insta", "review", "--workspace"]), missing)
}

const FAILED: &str = "the gallery's own tests fail";
