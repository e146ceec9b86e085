//! `cargo xtask splits`, which renews the split gallery, the pictures of what is emitted at each
//! cut.

use crate::{cargo, process, root};

/// The gallery's tests, in the integration tests of the lexer.
const GALLERY: [&str; 7] =
    ["test", "--quiet", "--package", "silcrow-lex", "--test", "it", "splits"];

/// Renews all pictures. With `review` it keeps the old ones and opens the changes in `cargo insta`.
pub(crate) fn run(review: bool) -> Result<(), String> {
    let mut tests = cargo();
    tests.args(GALLERY);
    if review {
        tests.env("INSTA_UPDATE", "new").env("INSTA_FORCE_PASS", "1");
    } else {
        tests.env("INSTA_UPDATE", "always");
    }
    process::succeed(&mut tests, "the gallery's own tests fail")?;
    if review {
        let missing = "`cargo insta` is missing or gave up; `cargo install cargo-insta` brings it";
        return process::succeed(cargo().args(["insta", "review", "--workspace"]), missing);
    }
    let folder = root().join("crates/lex/tests/it/snapshots");
    println!("renewed in {}; `git diff` shows what changed", folder.display());
    Ok(())
}
