//! Commands without any network, and the system calls that reach other processes and the system.

use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener};

use silcrow_sandbox::ConfinedCommand;

use super::{Place, finish, run};

#[test]
fn restricted_and_read_only_commands_have_no_sockets() {
    let place = Place::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let local = UnixListener::bind(place.path().join("stream")).unwrap();
    let datagrams = UnixDatagram::bind(place.path().join("datagrams")).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    local.set_nonblocking(true).unwrap();
    datagrams.set_nonblocking(true).unwrap();
    let script = format!(
        r#"
import socket as s
def tried(what, do):
    try:
        do(); print("REACHED", what)
    except OSError as e:
        print(what, e.errno)
def tcp(): s.socket(s.AF_INET, s.SOCK_STREAM).connect(("127.0.0.1", {tcp}))
def tcp6(): s.socket(s.AF_INET6, s.SOCK_STREAM).connect(("::1", {tcp}))
def udp(): s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {udp}))
def raw(): s.socket(s.AF_PACKET, s.SOCK_RAW)
def netlink(): s.socket(s.AF_NETLINK, s.SOCK_RAW)
def listen(): s.socket(s.AF_INET, s.SOCK_STREAM).bind(("127.0.0.1", 0))
def local(): s.socket(s.AF_UNIX, s.SOCK_STREAM).connect("stream")
def abstract(): s.socket(s.AF_UNIX, s.SOCK_STREAM).bind("\0abstract")
def datagram(): s.socket(s.AF_UNIX, s.SOCK_DGRAM).sendto(b"x", "datagrams")
def message(): s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)[0].sendmsg([b"x"], [], 0, "datagrams")
def resolved(): s.getaddrinfo("example.com", 80)
for do in [tcp, tcp6, udp, raw, netlink, listen, local, abstract, datagram, message, resolved]:
    tried(do.__name__, do)
a, b = s.socketpair(); a.send(b"pair"); print(b.recv(9))
"#,
        tcp = tcp.local_addr().unwrap().port(),
        udp = udp.local_addr().unwrap().port(),
    );
    super::write(place.path().join("try.py"), &script);
    for sandbox in place.sandboxes() {
        let command =
            ConfinedCommand::shell("python3 try.py; bash -c 'echo x > /dev/tcp/127.0.0.1/1'");
        let command = if sandbox.layers().namespaces { command.read_only() } else { command };
        let done = finish(sandbox.spawn(&command).unwrap());
        assert!(!done.stdout.contains("REACHED"), "{done:?}");
        assert!(done.stdout.contains("b'pair'"), "{done:?}");
        let waiting = |result: std::io::Result<()>| result.unwrap_err().kind();
        assert_eq!(waiting(tcp.accept().map(drop)), ErrorKind::WouldBlock);
        assert_eq!(waiting(udp.recv(&mut [0; 9]).map(drop)), ErrorKind::WouldBlock);
        assert_eq!(waiting(local.accept().map(drop)), ErrorKind::WouldBlock);
        assert_eq!(waiting(datagrams.recv(&mut [0; 9]).map(drop)), ErrorKind::WouldBlock);
    }
}

/// System calls with the error that they must have, on x86-64.
#[cfg(target_arch = "x86_64")]
const CALLS: &[(&str, &str, i32)] = &[
    ("ptrace", "101, 16, 1, 0, 0", 1),
    ("process_vm_readv", "310, 1, 0, 0, 0, 0, 0", 1),
    ("process_vm_writev", "311, 1, 0, 0, 0, 0, 0", 1),
    ("keyctl", "250, 0, 0", 1),
    ("add_key", "248, 0, 0, 0, 0, 0", 1),
    ("bpf", "321, 0, 0, 0", 1),
    ("mount", "165, 0, 0, 0, 0, 0", 1),
    ("unshare", "272, 0x10000000", 1),
    ("clone into a namespace of users", "56, 0x10000011, 0, 0, 0, 0", 1),
    ("setns", "308, 0, 0", 1),
    ("pidfd_getfd", "438, 0, 0, 0", 1),
    ("a packet socket", "41, 17, 3, 0", 1),
    ("a raw socket", "41, 2, 3, 0", 1),
    ("a raw socket of IPv6", "41, 10, 3, 58", 1),
    ("a socket for echo requests", "41, 2, 2, 1", 1),
    ("a socket of virtual machines", "41, 40, 1, 0", 1),
    ("a socket of the firewall", "41, 16, 3, 12", 1),
    ("a pair of the network", "53, 2, 1, 0, 0", 1),
    ("open_by_handle_at", "304, 0, 0, 0", 1),
    ("io_uring_setup", "425, 8, 0", 38),
    ("clone3", "435, 0, 0", 38),
    ("openat2", "437, 0, 0, 0, 0", 38),
    ("chmod with another user's rights", "90, 0, 0o4755", 1),
    ("fchmodat with another user's rights", "268, 0, 0, 0o4755", 1),
    ("openat with another user's rights", "257, 0, 0, 0o101, 0o4755", 1),
    ("open without them", "2, 0, 0, 0o4755", 14),
    ("ptrace of x32", "0x40000000 + 521, 16, 1, 0, 0", 1),
    ("a raw socket of x32", "0x40000000 + 41, 2, 3, 0", 1),
    ("a terminal's input", "16, 0, 0x5412, 0", 1),
    ("the limits of another process", "302, 1, 0, 0, 0", 1),
];

#[test]
#[cfg(target_arch = "x86_64")]
fn system_calls_are_denied() {
    let place = Place::new();
    let tries: Vec<_> =
        CALLS.iter().map(|(_, call, _)| format!("(lambda: c.syscall({call}))")).collect();
    let script = format!(
        "import ctypes as t\nc = t.CDLL(None, use_errno=True)\n\
         for do in [{}]:\n    t.set_errno(0); r = do(); print(r, t.get_errno())\n",
        tries.join(", ")
    );
    super::write(place.path().join("calls.py"), &script);
    for sandbox in place.sandboxes() {
        let done = run(&sandbox, "python3 calls.py");
        let lines: Vec<_> = done.stdout.lines().collect();
        assert_eq!(lines.len(), CALLS.len(), "{done:?}");
        for ((name, _, error), line) in CALLS.iter().zip(lines) {
            assert_eq!(line, format!("-1 {error}"), "{name}");
        }
    }
}

#[test]
fn other_processes_are_not_signalled() {
    let place = Place::new();
    let own = std::process::id();
    for sandbox in place.sandboxes() {
        let script = format!(
            "kill -9 {own}; kill -9 -{own}; kill -9 $PPID; kill -9 -1; kill -0 {own} && echo REACHED"
        );
        let done = run(&sandbox, &script);
        assert!(!done.stdout.contains("REACHED"), "{done:?}");
    }
}
