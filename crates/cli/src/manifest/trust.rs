//! The question to the person whether a manifest is trusted.

use std::io::{self, IsTerminal as _};

use silcrow_console::typed::says_yes;
use silcrow_manifest::{DeclaredManifest, TrustedManifest};
use silcrow_settings::{TrustRecord, TrustStatus, hash};

use super::summary::ManifestSummary;
use crate::failure::Failure;

/// Looks a manifest up in the person's record, and asks about one that is not in it. A yes is
/// recorded. If nobody can be asked, the answer is no.
pub(super) fn confirm(declared: DeclaredManifest) -> Result<TrustedManifest, Failure> {
    let record = TrustRecord::find()?;
    let (path, hash) = (declared.path(), hash(declared.text().as_bytes()));
    let standing = record.standing(path, &hash)?;
    if standing == TrustStatus::Trusted {
        return Ok(declared.trust());
    }
    let name = path.display();
    let why = standing.reason();
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let next = format!("read it, then run silcrow manifest trust {name}");
        return Err(untrusted(format!("{name} {why}; {next}")));
    }
    let yes = says_yes(&question(&declared, standing))
        .map_err(|error| Failure::running(format!("cannot ask about {name}: {error}")))?;
    if !yes {
        return Err(untrusted(format!("{name} is not trusted, and nothing was run")));
    }
    record.trust(path, &hash)?;
    Ok(declared.trust())
}

fn untrusted(message: String) -> Failure {
    Failure::given(message).named("untrusted_manifest", false)
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
