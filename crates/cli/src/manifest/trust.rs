//! The question to the person whether a manifest is trusted.

use std::io::{self, IsTerminal as _};

use silcrow_console::typed::says_yes;
use silcrow_manifest::DeclaredManifest;
use silcrow_session::{Error, ErrorKind};
use silcrow_settings::TrustStatus;

use super::summary::ManifestSummary;

/// Asks the person about a manifest that is not in their record, or returns `None` if nobody can be
/// asked.
pub(crate) fn ask(
    declared: &DeclaredManifest,
    standing: TrustStatus,
) -> Result<Option<bool>, Error> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(None);
    }
    let yes = says_yes(&question(declared, standing)).map_err(|error| {
        let name = declared.path().display();
        Error::new(ErrorKind::Failed, format!("cannot ask about {name}: {error}"))
    });
    yes.map(Some)
}

fn question(declared: &DeclaredManifest, standing: TrustStatus) -> String {
    format!(
        "\nThis manifest {}:\n{}\
         What it declares runs in your name. Read it before you say yes.\n\
         Trust it?\n\
         y  yes, until it changes    else no\n[N] ",
        standing.reason(),
        ManifestSummary(declared),
    )
}
