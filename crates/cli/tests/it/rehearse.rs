//! `silcrow dev rehearse`: its arguments, its lines of JSON, and the width of its picture.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::Sandbox;

const CALLS: &str = r#"<action mode="async" id="a">{"name":"t","parameters":{"p":"$HOME"}}</action>
<action mode="async" id="b">{"name":"t"}</action><response>Hello.</response>"#;

#[test]
fn piped_output_is_json_lines() {
    let sandbox = Sandbox::new();
    let stubs = sandbox.write("stubs.json", r#"{"t":{"ms":20,"ok":1}}"#);
    let words = ["dev", "rehearse", "--dialect", "action", "--max-parallel", "1"];
    let given = ["--stubs", &stubs, "--vars", r#"{"HOME":"/root"}"#];
    let said = sandbox.silcrow_with(&[&words[..], &given].concat(), CALLS.as_bytes());
    let lines: Vec<_> = said.ends(0).out.lines().collect();
    for line in [
        r#"{"type":"start","id":"a","attempt":1,"args":{"p":"/root"},"at":0}"#,
        r#"{"type":"finish","id":"a","status":"ok","reason":null,"at":20}"#,
        r#"{"type":"start","id":"b","attempt":1,"args":{},"at":20}"#,
        r#"{"type":"text","kind":"respond","content":"Hell","at":0}"#,
        r#"{"type":"respond","content":"Hello.","at":0}"#,
        r#"{"type":"done","at":40}"#,
    ] {
        assert!(lines.contains(&line), "{line}: {lines:#?}");
    }
}

#[test]
fn terminal_output_fits_its_width() {
    for (columns, bar) in [(60, 60), (0, 80)] {
        let picture = shown(columns);
        let widest = picture.lines().map(|line| line.trim_end().chars().count()).max().unwrap();
        assert!(picture.starts_with("a       █"), "{picture}");
        assert!((bar - 14..=bar).contains(&widest), "{picture}");
    }
}

/// Returns the output of the command on a terminal with so many columns.
fn shown(columns: u16) -> String {
    let sandbox = Sandbox::new();
    let wire = sandbox.write("wire.txt", CALLS);
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = OpenOptions::new().write(true).open(OsStr::from_bytes(name.to_bytes())).unwrap();
    let words = ["dev", "rehearse", "--dialect", "action", "--vars", r#"{"HOME":"/root"}"#];
    let mut command = sandbox.command(&[&words[..], &[&wire]].concat());
    let mut child = command.stdin(Stdio::null()).stdout(terminal).spawn().unwrap();
    // The command holds the terminal open.
    drop(command);
    let mut shown = Vec::new();
    // Once nobody holds the other side, reading fails; earlier output is there.
    let _ = std::fs::File::from(master).read_to_end(&mut shown);
    assert!(child.wait().unwrap().success());
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

#[test]
fn invalid_stubs_and_names_are_explained() {
    let sandbox = Sandbox::new();
    for (stubs, why) in [
        ("[]", "stubs.json: it is not a JSON object"),
        (r#"{"a":{"ms":-1}}"#, "stubs.json: the stub `a`"),
    ] {
        let file = sandbox.write("stubs.json", stubs);
        let said = sandbox.silcrow_with(&["dev", "rehearse", "--stubs", &file], b"");
        assert!(said.ends(2).err.contains(why), "{}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    }
    let said = sandbox.silcrow_with(&["dev", "rehearse", "--vars", "[]"], b"");
    assert!(said.ends(2).err.contains("--vars is not a JSON object"), "{}", said.err);
    for rate in ["-1", "1e-300", "NaN", "inf"] {
        sandbox.silcrow_with(&["dev", "rehearse", "--rate", rate], b"hello").ends(2);
    }
}
