//! Programs that people use run in the sandbox as they do outside.

use std::process::Command;

use super::{Place, run, say};

/// Scripts with the output that they end with. The first word is the program that they need.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("git", "git status --short && git log --oneline && git diff --stat", "first\n"),
    (
        "python3",
        "python3 -c 'import subprocess as s; print(s.check_output([\"echo\", \"sub\"]))'",
        "b'sub\\n'\n",
    ),
    (
        "python3",
        "python3 -c 'import threading as t; h = t.Thread(target=print, args=(1,)); h.start(); h.join()'",
        "1\n",
    ),
    (
        "node",
        "node -e 'console.log(require(\"child_process\").execSync(\"echo sub\").toString().trim())'",
        "sub\n",
    ),
    (
        "cc",
        "cd src && printf '#include <stdio.h>\\nint main(void) { puts(\"c\"); }' > a.c && cc a.c -o a && ./a",
        "c\n",
    ),
    (
        "rustc",
        "cd src && echo 'fn main() { println!(\"rust\"); }' > a.rs && rustc a.rs -o b && ./b",
        "rust\n",
    ),
    (
        "cargo",
        "cd src && mkdir c && cd c && cargo init -q --vcs none --name c 2>/dev/null && cargo test -q --offline >/dev/null && cargo run -q",
        "Hello, world!\n",
    ),
    ("make", "cd src && printf 'all:\\n\\t@echo made\\n' > Makefile && make -j2", "made\n"),
    ("bash", "bash -c 'cat <(echo substituted) <<< x'", "substituted\n"),
    ("perl", "perl -e 'print `echo sub`'", "sub\n"),
    ("ps", "ps -e >/dev/null && echo listed", "listed\n"),
    ("tar", "cd src && tar -czf a.tgz Makefile* && tar -xzf a.tgz && echo packed", "packed\n"),
    ("grep", "seq 100000 | sort -rn | head -1 | grep -c .", "1\n"),
    (
        "nproc",
        "nproc >/dev/null && id -u >/dev/null && date >/dev/null && hostname >/dev/null && echo fine",
        "fine\n",
    ),
];

#[test]
fn programs_run() {
    for (program, script, end) in PROGRAMS {
        let found =
            Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
        if !found.status.success() {
            say(&format!("{program} is not on this machine, and is not tested"));
            continue;
        }
        let place = Place::new();
        let setup = "git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first; \
            mkdir src; touch src/Makefile";
        Command::new("sh").args(["-c", setup]).current_dir(place.path()).status().unwrap();
        for sandbox in place.sandboxes_with(|options| options.with_protected(".git")) {
            let done = run(&sandbox, script);
            assert!(done.stdout.ends_with(end), "{program}: {done:?}");
            assert_eq!(done.outcome.code, Some(0), "{program}: {done:?}");
            run(&sandbox, "rm -rf src/*; touch src/Makefile");
        }
    }
}
