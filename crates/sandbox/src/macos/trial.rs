//! The trial of the walls: a command that tries to break out.
//!
//! It has to write to its writable path, so that a profile that lets nothing run does not pass, and
//! must not write beside it, read a hidden file, or connect to a port of this machine.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use crate::sandbox::HIDDEN_PLACE;
use crate::supervised::settings::HelperSettings;

/// Replaces the settings by the trial's, and returns a server that it must not reach.
pub(super) fn prepare(settings: &mut HelperSettings) -> io::Result<TcpListener> {
    let secret = settings.given.join(HIDDEN_PLACE).join("trial");
    fs::write(&secret, "hidden\n")?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port().to_string();
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or(io::ErrorKind::InvalidData);
    // The last folder that commands write in is the temporary one.
    let temp = settings.writable.last().map(|path| text(path)).transpose()?.unwrap_or_default();
    let (given, hidden) = (text(&settings.given)?, text(&secret)?);
    let words = ["/bin/bash", "-c", SCRIPT, "trial"].map(str::to_owned);
    settings.command = Some(words.into_iter().chain([temp, given, hidden, port]).collect());
    settings.hidden.push(secret);
    Ok(listener)
}

/// Returns in words the protections that failed, by the exit status of the trial.
pub(super) fn judge(code: Option<i32>) -> Result<(), String> {
    let what = match code {
        Some(0) => return Ok(()),
        Some(11) => "a command cannot write where it may",
        Some(12) => "a command can write where it may not",
        Some(13) => "a command can read a hidden file",
        Some(14) => "a command can reach a port of this machine",
        Some(65) => "the system does not understand the profile",
        _ => "the trial did not run",
    };
    Err(format!("Seatbelt does not hold here: {what}"))
}

/// The trial. `/dev/tcp` is a word of bash, and not a file.
const SCRIPT: &str = r#"
(echo a >"$1/trial" && rm "$1/trial") 2>/dev/null || exit 11
(echo a >"$2/trial") 2>/dev/null && exit 12
(read -r line <"$3") 2>/dev/null && exit 13
(exec 3<>"/dev/tcp/127.0.0.1/$4") 2>/dev/null && exit 14
exit 0
"#;
