//! The picture in the clipboard, as a program of the system prints it.

use std::env;
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The programs that print a picture in PNG, each with its arguments, and the variable without which it has
/// no clipboard.
const PROGRAMS: [(&str, &[&str], Option<&str>); 3] = [
    ("wl-paste", &["--no-newline", "--type", "image/png"], Some("WAYLAND_DISPLAY")),
    ("xclip", &["-selection", "clipboard", "-target", "image/png", "-out"], Some("DISPLAY")),
    ("pngpaste", &["-"], None),
];

/// Returns the picture of the clipboard, by the first of the programs that is in a folder of `path`. It
/// blocks.
///
/// The error names the reason, and the remedy.
pub(super) fn clipboard_picture(path: &OsStr) -> Result<Vec<u8>, String> {
    let mut found = false;
    for (name, args, variable) in PROGRAMS {
        if variable.is_some_and(|variable| env::var_os(variable).is_none()) {
            continue;
        }
        let Some(program) = program(name, path) else { continue };
        found = true;
        let picture = output(Command::new(program).args(args));
        if let Some(picture) = picture.filter(|picture| !picture.is_empty()) {
            return match picture.len() > MOST_BYTES {
                true => Err(format!("the picture has more than {} MiB", MOST_BYTES >> 20)),
                false => Ok(picture),
            };
        }
    }
    Err(match found {
        true => "the clipboard has no picture; copy one, or name a file, as in /image shot.png",
        false => {
            "no program here reads pictures of the clipboard; install wl-clipboard, xclip or pngpaste, or \
             save the picture and drop the file here"
        }
    }
    .to_owned())
}

/// Returns a program in one of the absolute folders of a path.
fn program(name: &str, path: &OsStr) -> Option<PathBuf> {
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// Returns the output of a command within its time, if it succeeds.
fn output(command: &mut Command) -> Option<Vec<u8>> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut output = Vec::new();
        let read = stdout.take(MOST_BYTES as u64 + 1).read_to_end(&mut output);
        // The receiver may have left.
        let _ = send.send(read.map(|_| output));
    });
    let output = receive.recv_timeout(MOST_TIME).ok().and_then(Result::ok);
    // It has ended, or is of no use.
    let _ = child.kill();
    child.wait().ok()?;
    output
}

const MOST_BYTES: usize = 20 << 20;

const MOST_TIME: Duration = Duration::from_secs(5);

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::clipboard_picture;

    #[test]
    fn clipboard_program_prints_the_picture() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().as_os_str();
        let error = clipboard_picture(path).unwrap_err();
        assert!(error.starts_with("no program here reads pictures"), "{error}");
        let program = folder.path().join("pngpaste");
        let write = |script: &str| {
            std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        write("printf 'a picture'");
        assert_eq!(clipboard_picture(path).unwrap(), b"a picture");
        write("exit 1");
        let error = clipboard_picture(path).unwrap_err();
        assert!(error.starts_with("the clipboard has no picture"), "{error}");
    }
}
