//! Commands that are below `silcrow dev` and `silcrow runs`, and their former spelling.

use crate::support::Sandbox;

const MOVED: [(&str, &str); 9] = [
    ("dev", "parse"),
    ("dev", "assemble"),
    ("dev", "rehearse"),
    ("dev", "grammar"),
    ("dev", "replay"),
    ("runs", "answer"),
    ("runs", "stop"),
    ("runs", "budget"),
    ("runs", "worker"),
];

#[test]
fn former_spellings_mean_the_present_ones() {
    let sandbox = Sandbox::new();
    for (group, name) in MOVED {
        let present = sandbox.silcrow(&[group, name, "--help"]).ends(0).out.clone();
        assert!(present.contains(&format!("Usage: silcrow {group} {name} ")), "{present}");
        for former in [&[name, "--help"][..], &["--profile", "x", name, "--help"], &["help", name]]
        {
            assert_eq!(sandbox.silcrow(former).ends(0).out, present, "{former:?}");
        }
    }
}

#[test]
fn former_spellings_do_the_same() {
    let sandbox = Sandbox::new();
    let events = sandbox.write("events.jsonl", "");
    for (group, name, rest, code) in [
        ("dev", "parse", &["turn.txt"][..], 2),
        ("dev", "assemble", &[&events], 0),
        ("dev", "rehearse", &["turn.txt"], 2),
        ("dev", "grammar", &["--format", "gbnf"], 0),
        ("dev", "replay", &["nowhere"], 2),
        ("runs", "answer", &["nowhere"], 2),
        ("runs", "stop", &["nowhere"], 2),
        ("runs", "budget", &["nowhere", "--tokens", "5"], 2),
        ("runs", "worker", &["--drain", "soon"], 2),
    ] {
        let present = sandbox.silcrow(&[&[group, name][..], rest].concat());
        let former = sandbox.silcrow(&[&[name][..], rest].concat());
        present.ends(code);
        former.ends(code);
        assert_eq!((&former.out, &former.err), (&present.out, &present.err), "{name}");
    }
}

#[test]
fn only_the_current_spelling_is_shown() {
    let sandbox = Sandbox::new();
    let listed = sandbox.silcrow(&["help"]).ends(0).out.clone();
    for (group, name) in MOVED {
        assert!(!listed.contains(&format!("\n  {name} ")), "{listed}");
        assert!(listed.contains(&format!("\n  {group} ")), "{listed}");
    }
    let error = sandbox.silcrow(&["worker", "--drain", "soon"]).ends(2).err.clone();
    assert!(error.contains("see silcrow runs worker --help"), "{error}");
    let error = sandbox.silcrow(&["dev"]).ends(2).err.clone();
    assert!(error.contains("silcrow dev needs a command; see silcrow dev --help"), "{error}");
}
