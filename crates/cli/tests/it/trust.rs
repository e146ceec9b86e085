//! The store's folder is its owner's alone; if it is not, a command names the remedy.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::support::Sandbox;

#[test]
fn readable_store_is_made_private_with_one_notice() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§respond: one\n§end");
    let model = format!("script:{script}");
    let folder = sandbox.path("store");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    let store = folder.to_str().unwrap();
    let run = ["run", "hello", "--model", &model, "--store", store];
    assert!(!sandbox.silcrow(&run).ends(0).err.contains("other users"));
    let mode = || fs::metadata(&folder).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o700);

    // Reading changes nothing, and the next change closes it.
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    assert_eq!(sandbox.silcrow(&["log", "--json", "--store", store]).ends(0).err, "");
    assert_eq!(mode(), 0o755);
    let said = sandbox.silcrow(&run);
    assert!(said.ends(0).err.contains("could be read by other users (mode 0755)"), "{}", said.err);
    assert_eq!(mode(), 0o700);
    assert!(!sandbox.silcrow(&run).ends(0).err.contains("other users"));

    fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    let commands: [&[&str]; 4] = [
        &["log", "--json", "list", "--store", store],
        &["log", "--json", "compact", "--store", store],
        &["log", "--json", "show", "c", "--follow", "--store", store],
        &run,
    ];
    for args in commands {
        let said = sandbox.silcrow(args);
        assert!(said.ends(2).err.contains(&format!("run `chmod 700 {store}`")), "{}", said.err);
    }
}

#[test]
fn reading_never_writes_through_links() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§respond: one\n§end");
    let model = format!("script:{script}");
    sandbox.silcrow(&["run", "hello", "--model", &model, "--new", "c"]).ends(0);
    let folder = sandbox.path("data/silcrow");
    for name in ["LOCK", "FORMAT.new", "log", "MARK", "spills"] {
        let victim = sandbox.write("victim", "precious");
        let path = folder.join(name);
        let kept = sandbox.path("kept");
        let was_there = fs::rename(&path, &kept).is_ok();
        symlink(&victim, &path).unwrap();
        for args in [
            &["log", "--json", "list"][..],
            &["log", "--json", "verify"],
            &["log", "--json", "show", "c", "--follow"],
        ] {
            let said = sandbox.silcrow(args);
            assert!(said.ends(2).err.contains("it is a link"), "{name}: {}", said.err);
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{name}");
        fs::remove_file(&path).unwrap();
        if was_there {
            fs::rename(&kept, &path).unwrap();
        }
    }
    sandbox.silcrow(&["log", "--json", "list"]).ends(0);
}
