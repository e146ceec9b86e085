//! Package managers and git, which fetch from servers that stand for public hosts.

use std::process::Command;
use std::sync::Arc;

use serde_json::json;
use silcrow_egress::EgressProxy;
use silcrow_event::{Grant, Grants};
use silcrow_tool::ToolOutput;

use super::outside::{TestInternet, TestPages};
use super::{Place, call, context, text};

fn place(internet: &Arc<TestInternet>, programs: &[&str]) -> Option<Place> {
    let Place { folder, shell } = Place::new();
    let is_there = |program: &&str| {
        Command::new(program).arg("--version").output().is_ok_and(|done| done.status.success())
    };
    let is_testable = shell.sandbox().layers().namespaces && programs.iter().all(is_there);
    let proxy = EgressProxy::new().with_outside(Arc::clone(internet));
    is_testable.then(|| Place { folder, shell: shell.with_egress(proxy) })
}

async fn run(place: &Place, host: &str, command: &str) -> ToolOutput {
    let context = context().with_grants(Grants::from_iter([Grant::Network(host.to_owned())]));
    call(&place.shell, &context, json!({ "command": command })).await.unwrap()
}

/// Runs a script outside, to prepare a server.
fn prepare(folder: &std::path::Path, script: &str) {
    let done = Command::new("bash").args(["-ec", script]).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[tokio::test]
async fn git_clones_from_a_granted_host() {
    let internet = TestInternet::new();
    let Some(place) = place(&internet, &["git"]) else { return };
    let origin = tempfile::tempdir().unwrap();
    let script = "git init -q a; cd a; echo PELICAN > a.txt; git add .; \
        git -c user.name=a -c user.email=a@b commit -qm one; cd ..; git clone -q --bare a a.git; \
        cd a.git; git repack -qad; git update-server-info";
    prepare(origin.path(), script);
    let pages = TestPages::default().with_files("/a.git", &origin.path().join("a.git"));
    internet.host("git.example", pages).await;
    let command = "git clone -q http://git.example/a.git && cat a/a.txt";
    let output = run(&place, "other.example", command).await;
    assert!(output.has_failed, "{output:?}");
    assert!(output.notices.join("\n").contains("network:git.example"), "{output:?}");
    let output = run(&place, "git.example", command).await;
    assert_eq!(text(&output), "PELICAN\n", "{output:?}");
}

#[tokio::test]
async fn pip_installs_from_a_granted_host() {
    let internet = TestInternet::new();
    let Some(place) = place(&internet, &["python3"]) else { return };
    let origin = tempfile::tempdir().unwrap();
    let script = r#"
python3 - <<'P'
import zipfile
with zipfile.ZipFile("pelican-1.0-py3-none-any.whl", "w") as wheel:
    info = "pelican-1.0.dist-info/"
    wheel.writestr("pelican.py", "print('PELICAN')\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: pelican\nVersion: 1.0\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(info + "RECORD", "pelican.py,,\n")
P
"#;
    prepare(origin.path(), script);
    let wheel = std::fs::read(origin.path().join("pelican-1.0-py3-none-any.whl")).unwrap();
    let index = "<a href=\"/pelican-1.0-py3-none-any.whl\">pelican-1.0-py3-none-any.whl</a>";
    let pages = TestPages::default().with("/simple/pelican", "text/html", index).with(
        "/pelican-1.0-py3-none-any.whl",
        "application/octet-stream",
        wheel,
    );
    internet.host("pypi.example", pages).await;
    // Programs that stand for Python may do more than Python after an installation.
    let command = "python=$(python3 -c 'import sys; print(sys.executable)'); $python -m pip --isolated install -q --no-input --disable-pip-version-check \
        --retries 0 --target lib --index-url http://pypi.example/simple --trusted-host pypi.example \
        pelican 2>&1 && PYTHONPATH=lib $python -m pelican";
    let output = run(&place, "other.example", command).await;
    assert!(output.has_failed, "{output:?}");
    let output = run(&place, "pypi.example", command).await;
    assert!(text(&output).ends_with("PELICAN\n"), "{output:?}");
}

#[tokio::test]
async fn npm_installs_from_a_granted_host() {
    let internet = TestInternet::new();
    let Some(place) = place(&internet, &["npm", "tar"]) else { return };
    let origin = tempfile::tempdir().unwrap();
    let script = "mkdir package; echo '{\"name\":\"pelican\",\"version\":\"1.0.0\"}' > package/package.json; \
        echo 'console.log(\"PELICAN\")' > package/index.js; tar czf pelican.tgz package";
    prepare(origin.path(), script);
    let tarball = std::fs::read(origin.path().join("pelican.tgz")).unwrap();
    let about = json!({
        "name": "pelican",
        "dist-tags": { "latest": "1.0.0" },
        "versions": { "1.0.0": {
            "name": "pelican",
            "version": "1.0.0",
            "dist": { "tarball": "http://npm.example/pelican/-/pelican-1.0.0.tgz" },
        } },
    });
    let pages = TestPages::default().with("/pelican", "application/json", about.to_string()).with(
        "/pelican/-/pelican-1.0.0.tgz",
        "application/octet-stream",
        tarball,
    );
    internet.host("npm.example", pages).await;
    let command = "echo '{}' > package.json; npm install --silent --no-audit --no-fund \
        --fetch-retries=0 --cache $TMPDIR/npm --registry http://npm.example pelican 2>&1 \
        && node -e 'require(\"pelican\")'";
    let output = run(&place, "other.example", command).await;
    assert!(output.has_failed, "{output:?}");
    let output = run(&place, "npm.example", command).await;
    assert!(text(&output).ends_with("PELICAN\n"), "{output:?}");
}
