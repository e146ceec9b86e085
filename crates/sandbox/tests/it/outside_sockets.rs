//! Sockets of the outside, which no command reaches, and ways out of the shared network.

use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::PathBuf;

use silcrow_sandbox::{ConfinedCommand, Sandbox};
use tempfile::TempDir;

use super::shared_network::with_namespaces;
use super::{Place, finish, run};

/// A program that tries to reach sockets: addresses of TCP and UDP, and the names of local ones.
pub(super) const TRY: &str = r#"
import socket as s, sys
def tried(what, do):
    try:
        do(); print("SENT", what)
    except OSError as e:
        print(what, e.errno)
for address in sys.argv[1:]:
    host, _, port = address.rpartition("@")
    if "@" in address:
        family = s.AF_INET6 if ":" in host else s.AF_INET
        tried("tcp " + address, lambda: s.socket(family, s.SOCK_STREAM).connect((host, int(port))))
        tried("udp " + address, lambda: s.socket(family, s.SOCK_DGRAM).sendto(b"x", (host, int(port))))
    else:
        name = address.replace("%", "\0")
        tried("stream " + address, lambda: s.socket(s.AF_UNIX).connect(name))
        tried("datagram " + address, lambda: s.socket(s.AF_UNIX, s.SOCK_DGRAM).sendto(b"x", name))
        tried("message " + address, lambda: s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)[0].sendmsg([b"x"], [], 0, name))
print("tried")
"#;

/// Sockets outside. A command must not reach any of them.
#[derive(Default)]
pub(super) struct Outside {
    tcp: Vec<TcpListener>,
    udp: Vec<UdpSocket>,
    streams: Vec<UnixListener>,
    datagrams: Vec<UnixDatagram>,
    /// The words of the program that tries to reach them.
    words: Vec<String>,
}

impl Outside {
    fn listen_at(&mut self, host: &str) {
        let Ok(tcp) = TcpListener::bind((host, 0)) else { return };
        let port = tcp.local_addr().unwrap().port();
        if let Ok(udp) = UdpSocket::bind((host, port)) {
            udp.set_nonblocking(true).unwrap();
            self.udp.push(udp);
        }
        tcp.set_nonblocking(true).unwrap();
        self.tcp.push(tcp);
        self.words.push(format!("{host}@{port}"));
    }

    pub(super) fn listen_in(&mut self, folder: impl Into<PathBuf>) {
        let folder = folder.into();
        let (stream, datagram) = (folder.join("stream"), folder.join("datagram"));
        self.add(UnixListener::bind(&stream).unwrap(), UnixDatagram::bind(&datagram).unwrap());
        self.words.extend([stream, datagram].map(|path| path.display().to_string()));
    }

    fn add(&mut self, stream: UnixListener, datagram: UnixDatagram) {
        stream.set_nonblocking(true).unwrap();
        datagram.set_nonblocking(true).unwrap();
        self.streams.push(stream);
        self.datagrams.push(datagram);
    }

    pub(super) fn command(&self) -> ConfinedCommand {
        let words = ["python3", "-c", TRY].map(str::to_owned).into_iter();
        ConfinedCommand::new(words.chain(self.words.iter().cloned()))
    }

    /// Checks that there was no connection, and that nothing was sent.
    pub(super) fn check_unreached(&self) {
        let waiting = |result: std::io::Result<()>| result.unwrap_err().kind();
        for tcp in &self.tcp {
            assert_eq!(waiting(tcp.accept().map(drop)), ErrorKind::WouldBlock);
        }
        for udp in &self.udp {
            assert_eq!(waiting(udp.recv(&mut [0; 9]).map(drop)), ErrorKind::WouldBlock);
        }
        for stream in &self.streams {
            assert_eq!(waiting(stream.accept().map(drop)), ErrorKind::WouldBlock);
        }
        for datagram in &self.datagrams {
            assert_eq!(waiting(datagram.recv(&mut [0; 9]).map(drop)), ErrorKind::WouldBlock);
        }
    }
}

/// Returns an address of this machine in another network, if it has one. This sends nothing.
fn other_address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip().to_string())
}

/// Makes folders like those where other programs have their sockets.
fn folders_outside() -> Vec<TempDir> {
    let parents = [Some(std::env::temp_dir()), std::env::home_dir(), Some("/run".into())];
    let made = parents.into_iter().flatten().map(tempfile::tempdir_in);
    made.filter_map(Result::ok).collect()
}

#[test]
fn outside_sockets_are_unreachable() {
    let (place, readable, writable) = (Place::new(), Place::new(), Place::new());
    let elsewhere = folders_outside();
    let mut outside = Outside::default();
    for host in ["127.0.0.1", "0.0.0.0", "::1"] {
        outside.listen_at(host);
    }
    if let Some(address) = other_address() {
        outside.listen_at(&address);
    }
    let name = format!("silcrow-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let datagrams = SocketAddr::from_abstract_name(format!("{name}-d")).unwrap();
    outside.add(
        UnixListener::bind_addr(&address).unwrap(),
        UnixDatagram::bind_addr(&datagrams).unwrap(),
    );
    outside.words.extend([format!("%{name}"), format!("%{name}-d")]);
    std::fs::create_dir(place.path().join("sub")).unwrap();
    for folder in [place.path(), place.path().join("sub"), readable.path(), writable.path()] {
        outside.listen_in(folder);
    }
    for folder in &elsewhere {
        outside.listen_in(folder.path());
    }
    // Some programs move their socket to its name, or give it a second one.
    let (moved, twice) = (place.path().join("moved"), writable.path().join("twice"));
    outside.add(UnixListener::bind(&moved).unwrap(), UnixDatagram::bind(&twice).unwrap());
    std::fs::rename(&moved, place.path().join("sub/away")).unwrap();
    std::fs::hard_link(&twice, writable.path().join("again")).unwrap();
    outside.words.extend([twice, writable.path().join("again")].map(|at| at.display().to_string()));
    let again = readable.path().join("again");
    outside.add(UnixListener::bind(&again).unwrap(), UnixDatagram::unbound().unwrap());
    std::fs::hard_link(&again, elsewhere[0].path().join("again")).unwrap();
    outside.words.push(again.display().to_string());
    outside.words.extend(["sub/away", "stream", "sub/stream", "sub/datagram"].map(str::to_owned));

    let with = |options: silcrow_sandbox::SandboxOptions| {
        options.with_readable(readable.path()).with_writable(writable.path())
    };
    for sandbox in place.sandboxes_with(with) {
        for command in [outside.command(), outside.command().with_secrets(vec![place.path()])] {
            let done = finish(sandbox.spawn(&command).unwrap());
            assert!(done.stdout.ends_with("tried\n"), "{done:?}");
            outside.check_unreached();
        }
        let done = finish(sandbox.spawn(&outside.command().read_only()).unwrap());
        assert!(!done.stdout.contains("SENT"), "{done:?}");
        outside.check_unreached();
    }
}

#[test]
fn relatively_named_socket_is_unreachable() {
    let place = Place::new();
    let Some(sandbox) = with_namespaces(&place) else { return };
    // The name that the kernel has is relative to the folder of this other program.
    let script = "import socket as s, sys\nl = s.socket(s.AF_UNIX); l.bind('relative'); l.listen()\n\
        print('ready', flush=True); l.accept(); print('REACHED')";
    let mut server = std::process::Command::new("python3")
        .args(["-c", script])
        .current_dir(place.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = std::io::BufReader::new(server.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
    let tries = "python3 -c 'import socket as s; s.socket(s.AF_UNIX).connect(\"relative\")'; \
        ln relative other; mv relative moved; rm -f relative; ls";
    let done = run(&sandbox, tries);
    server.kill().unwrap();
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut rest).unwrap();
    server.wait().unwrap();
    assert_eq!((&*rest, &*done.stdout), ("", "relative\n"), "{done:?}");
}

#[test]
fn later_sockets_in_hidden_folders_are_unreachable() {
    let place = Place::new();
    let Some(sandbox) = with_namespaces(&place) else { return };
    let elsewhere = folders_outside();
    // The command waits until the sockets are there.
    let mut outside = Outside::default();
    let names = elsewhere.iter().flat_map(|folder| {
        ["stream", "datagram"].map(|name| folder.path().join(name).display().to_string())
    });
    let script = format!("echo begun; mkfifo go; cat go; python3 -c '{TRY}' {}", {
        names.collect::<Vec<_>>().join(" ")
    });
    let mut process = sandbox.spawn(&ConfinedCommand::shell(script)).unwrap();
    std::io::Read::read_exact(&mut process.stdout, &mut [0; 6]).unwrap();
    for folder in &elsewhere {
        outside.listen_in(folder.path());
    }
    while !place.path().join("go").exists() {
        std::thread::yield_now();
    }
    super::write(place.path().join("go"), "");
    let done = finish(process);
    assert!(done.stdout.ends_with("tried\n"), "{done:?}");
    assert!(!done.stdout.contains("SENT"), "{done:?}");
    outside.check_unreached();
}

#[test]
fn command_seeing_secrets_cannot_pass_descriptors() {
    let place = Place::new();
    let secret = place.path().join(".env");
    super::write(&secret, "CANARY");
    let is_secret = |path: &std::path::Path| path.ends_with(".env");
    let options = place.options().with_secret_names(is_secret);
    let sandbox = Sandbox::new(options).unwrap();
    if !sandbox.layers().namespaces {
        return;
    }
    let server = "import socket as s, threading\n\
        d = s.socket(s.AF_UNIX, s.SOCK_DGRAM); d.bind('datagrams')\n\
        def take():\n\
        \x20   fds = s.recv_fds(d, 9, 9)[1]; print(open(fds[0]).read(), flush=True)\n\
        threading.Thread(target=take, daemon=True).start()\n\
        l = s.socket(s.AF_UNIX); l.bind('taker'); l.listen(); print('ready', flush=True)\n\
        c = l.accept()[0]; fds = s.recv_fds(c, 9, 9)[1]; print(open(fds[0]).read())";
    let client = "import socket as s\n\
        f = open('.env'); print(f.read()); f.seek(0)\n\
        for kind in [s.SOCK_STREAM, s.SOCK_DGRAM]:\n\
        \x20   try: c = s.socket(s.AF_UNIX, kind); c.connect('taker'); s.send_fds(c, [b'x'], [f.fileno()])\n\
        \x20   except OSError as e: print(e.errno)\n\
        try:\n\
        \x20   p = s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)[0]\n\
        \x20   p.sendmsg([b'x'], [(s.SOL_SOCKET, s.SCM_RIGHTS, f.fileno().to_bytes(4, 'little'))], 0, 'datagrams')\n\
        except OSError as e: print(e.errno)\n";
    let mut taker = sandbox.spawn(&ConfinedCommand::new(["python3", "-c", server])).unwrap();
    std::io::Read::read_exact(&mut taker.stdout, &mut [0; 6]).unwrap();
    let giver = ConfinedCommand::new(["python3", "-c", client]).with_secrets(vec![secret]);
    let done = finish(sandbox.spawn(&giver).unwrap());
    assert_eq!(done.stdout, "CANARY\n1\n1\n1\n", "{done:?}");
    drop(taker.guard);
    assert!(!finish_output(taker.stdout).contains("CANARY"), "{done:?}");
    taker.end.wait().unwrap();
}

fn finish_output(mut stdout: std::process::ChildStdout) -> String {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut text).unwrap();
    text
}

#[test]
fn network_namespace_cannot_be_changed_or_left() {
    let place = Place::new();
    let Some(sandbox) = with_namespaces(&place) else { return };
    let script = r#"
import ctypes as t, fcntl, os, socket as s, struct
c = t.CDLL(None, use_errno=True)
def tried(what, do):
    try: print("DONE", what, do())
    except OSError as e: print(what, e.errno)
def call(*words):
    if c.syscall(*words) < 0: raise OSError(t.get_errno(), "")
def flags(): fcntl.ioctl(s.socket(), 0x8914, struct.pack("16sh22x", b"lo", 0))
def netlink():
    k = s.socket(s.AF_NETLINK, s.SOCK_RAW)
    k.send(struct.pack("IHHIIBxHiII", 32, 16, 5, 1, 0, 0, 0, 1, 0, 1)); code, = struct.unpack("i", k.recv(99)[16:20])
    if code: raise OSError(-code, "")
def device(): s.socket().setsockopt(s.SOL_SOCKET, 25, b"eth0\0")
def ports(): open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w").write("1024")
for do in [flags, netlink, device, ports]: tried(do.__name__, do)
for name in ["net", "user", "mnt", "pid"]:
    tried("setns " + name, lambda: call(308, os.open("/proc/self/ns/" + name, os.O_RDONLY), 0))
for flag in [0x40000000, 0x10000000, 0x20000]: tried("unshare", lambda: call(272, flag))
tried("pidfd_getfd", lambda: call(438, os.pidfd_open(1), 0, 0))
tried("packet", lambda: s.socket(s.AF_PACKET, s.SOCK_RAW))
tried("raw", lambda: s.socket(s.AF_INET, s.SOCK_RAW, s.IPPROTO_ICMP))
print([p for p in os.listdir("/proc") if p.isdigit() and int(p) not in (1, os.getpid())])
"#;
    super::write(place.path().join("try.py"), script);
    let done = run(&sandbox, "exec python3 try.py");
    assert!(!done.stdout.contains("DONE"), "{done:?}");
    assert!(done.stdout.ends_with("[]\n"), "no process of others is seen: {done:?}");
    // A change of the network would still be there for the next command.
    let done = run(&sandbox, "cat /proc/net/if_inet6");
    assert!(done.stdout.contains("lo"), "{done:?}");
}

#[test]
fn nothing_stays_in_the_network_after_its_command() {
    let place = Place::new();
    let Some(sandbox) = with_namespaces(&place) else { return };
    let script = "import os, socket as s, time\n\
        l = s.create_server(('127.0.0.1', 0)); a = s.socket(s.AF_UNIX); a.bind('\\0left'); a.listen()\n\
        if os.fork(): print(l.getsockname()[1], flush=True); os._exit(0)\n\
        os.setsid()\n\
        if os.fork(): os._exit(0)\n\
        while True: l.accept()[0].send(b'STAYED')";
    let done = finish(sandbox.spawn(&ConfinedCommand::new(["python3", "-c", script])).unwrap());
    let port = done.stdout.trim();
    let asked = format!(
        "import socket as s\nfor a in [s.AF_INET, s.AF_UNIX]:\n  try: c = s.socket(a); \
         c.connect(('127.0.0.1', {port}) if a == s.AF_INET else '\\0left'); print(c.recv(9))\n  \
         except OSError as e: print(e.errno)"
    );
    let done = finish(sandbox.spawn(&ConfinedCommand::new(["python3", "-c", &asked])).unwrap());
    assert_eq!(done.stdout, "111\n111\n", "{done:?}");
}
