use serde_json::json;

use crate::components::Components;
use crate::platform::{GlibcVersion, NPM_PACKAGES, Platform};

#[test]
fn wheel_requires_newest_glibc_of_its_program() {
    let program = b"\x7fELF\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBC_PRIVATE\0GLIBC_2.3";
    assert_eq!(GlibcVersion::needed_by(program).to_string(), "2_34");
    // Wheels for older versions do not exist.
    assert_eq!(GlibcVersion::needed_by(b"GLIBC_2.2.5\0").to_string(), "2_17");
    assert_eq!(GlibcVersion::needed_by(b"").to_string(), "2_17");
}

#[test]
fn usual_platforms_have_packages_and_others_fail() {
    let triples = [
        "aarch64-apple-darwin",
        "x86_64-apple-darwin",
        "aarch64-unknown-linux-gnu",
        "x86_64-unknown-linux-gnu",
        "x86_64-pc-windows-msvc",
    ];
    let platforms = triples.map(|triple| Platform::for_triple(triple, b"").unwrap());
    assert_eq!(platforms.each_ref().map(Platform::npm_package), NPM_PACKAGES);
    let tags = platforms.each_ref().map(|platform| &*platform.wheel);
    let linux = ["manylinux_2_17_aarch64", "manylinux_2_17_x86_64"];
    let mac = ["macosx_11_0_arm64", "macosx_10_12_x86_64"];
    assert_eq!(tags, [mac[0], mac[1], linux[0], linux[1], "win_amd64"]);
    for other in ["riscv64gc-unknown-linux-gnu", "x86_64-unknown-linux-musl", "wasm32"] {
        assert!(Platform::for_triple(other, b"").is_err(), "{other}");
    }
}

#[test]
fn sbom_lists_linked_crates_without_test_dependencies() {
    let package = |name: &str, license: &str| {
        let source = (name != "silcrow-cli").then_some("registry");
        json!({"id": name, "name": name, "version": "1.0.0", "license": license, "source": source})
    };
    let need = |name: &str, kind: Option<&str>| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
    let metadata = json!({
        "packages": [
            package("tested", "MIT"), package("silcrow-cli", "MIT"), package("a", "MIT/Apache-2.0"),
            package("b", "ISC"), package("c", "MIT"),
        ],
        "resolve": {"nodes": [
            {"id": "silcrow-cli", "deps": [need("a", None), need("tested", Some("dev"))]},
            {"id": "a", "deps": [need("b", Some("build")), need("c", Some("dev"))]},
            {"id": "b", "deps": [need("a", None)]},
        ]},
    });
    let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"abc\"\n";
    let bill = Components::from_metadata(&metadata, lock).bill();
    let bill: serde_json::Value = serde_json::from_str(&bill).unwrap();
    let names: Vec<_> =
        bill["components"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["a", "b"]);
    let first = &bill["components"][0];
    assert_eq!(first["purl"], "pkg:cargo/a@1.0.0");
    assert_eq!(first["licenses"][0]["expression"], "MIT OR Apache-2.0");
    assert_eq!(first["hashes"][0], json!({"alg": "SHA-256", "content": "abc"}));
    assert_eq!(bill["metadata"]["component"]["name"], "silcrow-cli");
    let roots = bill["dependencies"].as_array().unwrap();
    let root = roots.iter().find(|one| one["ref"] == "pkg:cargo/silcrow-cli@1.0.0").unwrap();
    assert_eq!(root["dependsOn"], json!(["pkg:cargo/a@1.0.0"]));
}
