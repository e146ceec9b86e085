//! The spellings of hosts.

use std::net::IpAddr;

use proptest::prelude::*;
use silcrow_resolve::{HostName, is_public};

#[test]
fn host_spellings_are_normalized() {
    for (text, expected) in [
        ("example.org", "example.org"),
        ("EXAMPLE.org.", "example.org"),
        ("ｅｘａｍｐｌｅ。org", "example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("_dmarc.example.org", "_dmarc.example.org"),
        ("127.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0x7F.0.0.0x1", "127.0.0.1"),
        ("0177.0.0.01", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("１２７.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("[0:0::0:1]", "[::1]"),
        ("[::FFFF:127.0.0.1]", "[::ffff:7f00:1]"),
    ] {
        assert_eq!(HostName::parse(text).unwrap().as_str(), expected, "{text}");
    }
}

#[test]
fn ambiguous_host_spellings_are_rejected() {
    let long_label = "a".repeat(64);
    let long_name = ["a"; 200].join(".");
    for text in [
        "",
        ".",
        "..",
        "example..org",
        "example.org..",
        ".example.org",
        "user@example.org",
        "example.org:80",
        "example.org/",
        "example.org\\evil",
        "exa mple.org",
        "example.org\r\nHost: evil",
        "exam%70le.org",
        "%31%32%37.0.0.1",
        "*.example.org",
        "1.2.3.4.5",
        "256.0.0.1",
        "0x100000000",
        "08.0.0.1",
        "::1",
        "[::1",
        "[fe80::1%eth0]",
        "[fe80::1%25eth0]",
        "[1.2.3.4]",
        "a\0b",
        &long_label,
        &long_name,
    ] {
        assert!(HostName::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn private_hosts_are_private_in_every_spelling() {
    for text in [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "intranet",
        "x.local",
        "metadata.google.internal",
        "127.1",
        "0",
        "0xa9fea9fe",
        "169.254.169.254",
        "10.0.0.1",
        "100.64.0.1",
        "[::]",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[fd00::1]",
        "[fe80::1]",
        "[ff02::1]",
        "[2002:7f00:1::]",
    ] {
        assert!(HostName::parse(text).unwrap().is_private(), "{text}");
    }
    for text in ["example.org", "localhost.example", "8.8.8.8", "[2606:4700::1111]"] {
        assert!(!HostName::parse(text).unwrap().is_private(), "{text}");
    }
}

proptest! {
    #[test]
    fn hosts_round_trip(text in "[a-zA-Z0-9._\\-\\[\\]:x]{1,24}|\\PC{1,12}") {
        if let Ok(host) = HostName::parse(&text) {
            prop_assert_eq!(HostName::parse(host.as_str()), Ok(host.clone()));
            prop_assert!(host.as_str().is_ascii());
            let known: Result<IpAddr, _> = host.as_str().trim_matches(['[', ']']).parse();
            prop_assert_eq!(host.address(), known.ok());
        }
    }

    #[test]
    fn every_address_is_a_host(bits in any::<u128>(), is_v4 in any::<bool>()) {
        let v4 = std::net::Ipv4Addr::from_bits(u32::try_from(bits >> 96).unwrap());
        let address = if is_v4 { IpAddr::V4(v4) } else { IpAddr::V6(bits.into()) };
        let host = HostName::from(address);
        prop_assert_eq!(HostName::parse(host.as_str()), Ok(host.clone()));
        prop_assert_eq!(host.is_private(), !is_public(address));
    }
}
