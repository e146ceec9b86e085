//! The network that all commands of a sandbox share.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;

use silcrow_sandbox::{ConfinedCommand, ConfinedProcess, Sandbox};

use super::{Place, finish, run, say};

/// Servers, and programs that use sockets among themselves, with their output.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "python3",
        "import multiprocessing.managers as m\nif __name__ == '__main__':\n    x = m.SyncManager(); \
         x.start(); print(len(x.list([1, 2, 3])), 1000 + 7)",
        "3 1007\n",
    ),
    (
        "python3",
        "import socket as s\nl = s.socket(s.AF_INET6); l.bind(('::1', 0)); l.listen()\n\
         c = s.create_connection(l.getsockname()[:2]); c.send(b'six'); print(l.accept()[0].recv(9))",
        "b'six'\n",
    ),
    (
        "python3",
        "import socket as s\nl = s.create_server(('localhost', 0))\n\
         c = s.create_connection(('localhost', l.getsockname()[1])); c.send(b'name')\n\
         print(l.accept()[0].recv(9), len(s.getaddrinfo('localhost', 80)) > 0)",
        "b'name' True\n",
    ),
    (
        "python3",
        "import socket as s\na = s.socket(s.AF_INET, s.SOCK_DGRAM); a.bind(('127.0.0.1', 0))\n\
         s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b'udp', a.getsockname()); print(a.recv(9))",
        "b'udp'\n",
    ),
    (
        "python3",
        "import socket as s\nfor name in ['path', '\\0abstract']:\n    l = s.socket(s.AF_UNIX); \
         l.bind(name); l.listen(); c = s.socket(s.AF_UNIX); c.connect(name); c.send(b'local'); \
         print(l.accept()[0].recv(9))\nprint([n for _, n in s.if_nameindex()])",
        "b'local'\nb'local'\n['lo']\n",
    ),
    (
        "python3",
        "import http.server as h, threading as t, urllib.request as u\n\
         s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)\n\
         t.Thread(target=s.serve_forever, daemon=True).start()\n\
         print(u.urlopen(f'http://127.0.0.1:{s.server_port}/program').status)",
        "200\n",
    ),
    (
        "node",
        "const n = require('net'), o = require('os'); const s = n.createServer(c => c.end('node'));\n\
         s.listen(0, '::1', () => n.connect(s.address().port, '::1').on('data', d => { \
         console.log(String(d), Object.keys(o.networkInterfaces())[0]); s.close() }));",
        "node lo\n",
    ),
];

/// Returns the best sandbox, if it has namespaces.
pub(super) fn with_namespaces(place: &Place) -> Option<Sandbox> {
    let sandbox = Sandbox::new(place.options()).unwrap();
    if !sandbox.layers().namespaces {
        say("namespaces do not work on this machine, and are not tested");
    }
    sandbox.layers().namespaces.then_some(sandbox)
}

/// A server of Python for each connection, which writes its port first.
fn server(answer: &str) -> ConfinedCommand {
    ConfinedCommand::new([
        "python3",
        "-uc",
        "import socket, sys\ns = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])\n\
         while True: s.accept()[0].send(sys.argv[1].encode())",
        answer,
    ])
}

/// Starts a server, and returns its port and its process.
fn started(sandbox: &Sandbox, answer: &str) -> (u16, ConfinedProcess) {
    let mut process = sandbox.spawn(&server(answer)).unwrap();
    let mut line = String::new();
    BufReader::new(&mut process.stdout).read_line(&mut line).unwrap();
    (line.trim().parse().unwrap(), process)
}

fn ask(port: u16) -> String {
    format!(
        "python3 -c 'import socket as s; print(s.create_connection((\"127.0.0.1\", {port})).recv(99))'"
    )
}

#[test]
fn programs_use_sockets_among_themselves() {
    let place = Place::new();
    let Some(sandbox) = with_namespaces(&place) else { return };
    for (program, text, expected) in PROGRAMS {
        let found = std::process::Command::new(program).arg("--version").output();
        if found.is_err() {
            say(&format!("{program} is not on this machine, and is not tested"));
            continue;
        }
        super::write(place.path().join("program"), text);
        let done = run(&sandbox, &format!("{program} ./program; rm -f path"));
        assert_eq!(done.stdout, *expected, "{text}: {done:?}");
    }
}

#[test]
fn later_commands_reach_background_servers() {
    let place = Place::new();
    let Some(sandbox) = with_namespaces(&place) else { return };
    let (port, server) = started(&sandbox, "first");
    assert_eq!(run(&sandbox, &ask(port)).stdout, "b'first'\n");
    // It is the same network, and the processes are others.
    let done = run(&sandbox, "ps -e | grep -c python3");
    assert_eq!(done.stdout, "0\n", "{done:?}");

    let other = Sandbox::new(place.options()).unwrap();
    let done = run(&other, &ask(port));
    assert!(done.stdout.is_empty() && done.stderr.contains("refused"), "{done:?}");
    let reading = ConfinedCommand::shell(ask(port)).read_only();
    let done = finish(sandbox.spawn(&reading).unwrap());
    assert!(done.stdout.is_empty() && done.outcome.code == Some(1), "{done:?}");

    drop(server.guard);
    server.end.wait().unwrap();
    let done = run(&sandbox, &ask(port));
    assert!(done.stderr.contains("refused"), "it ended with its call: {done:?}");
}

#[test]
fn the_program_listens_and_connects_inside() {
    let place = Place::new();
    let Some(sandbox) = with_namespaces(&place) else { return };
    let network = sandbox.network().unwrap().unwrap();
    assert!(Arc::ptr_eq(&network, &sandbox.network().unwrap().unwrap()));

    let listener = network.listen(0).unwrap();
    let port = listener.local_addr().unwrap().port();
    let outside = std::net::TcpStream::connect(("127.0.0.1", port));
    assert!(outside.is_err(), "it listens inside only");
    let asked = sandbox.spawn(&ConfinedCommand::shell(ask(port))).unwrap();
    listener.accept().unwrap().0.write_all(b"program").unwrap();
    assert_eq!(finish(asked).stdout, "b'program'\n");
    assert_eq!(network.listen(port).unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
    assert_eq!(network.listen(80).unwrap().local_addr().unwrap().port(), 80);

    let (port, _server) = started(&sandbox, "command");
    let mut answer = String::new();
    network.connect(port).unwrap().read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "command");
    drop(listener);
    let free = network.listen(0).unwrap().local_addr().unwrap().port();
    assert_eq!(network.connect(free).unwrap_err().kind(), std::io::ErrorKind::ConnectionRefused);
}

#[test]
fn the_program_connects_to_a_server_of_ipv6() {
    let place = Place::new();
    let Some(sandbox) = with_namespaces(&place) else { return };
    let script = "import socket as s\nl = s.socket(s.AF_INET6); l.bind(('::1', 0)); l.listen()\n\
        print(l.getsockname()[1]); l.accept()[0].send(b'six')";
    let mut process = sandbox.spawn(&ConfinedCommand::new(["python3", "-uc", script])).unwrap();
    let mut line = String::new();
    BufReader::new(&mut process.stdout).read_line(&mut line).unwrap();
    let network = sandbox.network().unwrap().unwrap();
    let mut answer = String::new();
    let mut stream = network.connect(line.trim().parse().unwrap()).unwrap();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "six");
}

#[test]
fn commands_keep_network_after_sandbox_drops() {
    let place = Place::new();
    let Some(sandbox) = with_namespaces(&place) else { return };
    let (port, _server) = started(&sandbox, "kept");
    let network = sandbox.network().unwrap().unwrap();
    let script = format!("mkfifo go; echo begun; cat go; {}", ask(port));
    let mut asked = sandbox.spawn(&ConfinedCommand::shell(script)).unwrap();
    asked.stdout.read_exact(&mut [0; 6]).unwrap();
    drop((network, sandbox));
    std::fs::write(place.path().join("go"), "").unwrap();
    assert_eq!(finish(asked).stdout, "b'kept'\n");
}

#[test]
fn shared_network_requires_namespaces() {
    let place = Place::new();
    let options = place.options().with_layers(super::WITHOUT_NAMESPACES);
    assert!(Sandbox::new(options).unwrap().network().unwrap().is_none());
    assert!(Sandbox::unconfined(place.options()).unwrap().network().unwrap().is_none());
    // A port outside is not taken by one inside.
    let Some(sandbox) = with_namespaces(&place) else { return };
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    let network = sandbox.network().unwrap().unwrap();
    assert_eq!(network.listen(port).unwrap().local_addr().unwrap().port(), port);
}
