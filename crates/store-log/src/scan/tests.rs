use std::ops::Range;

use proptest::prelude::*;

use super::{ScanItem, SegmentScan, scan};
use crate::frame::{Frame, HEADER, Header, SegmentKey, correct_all};
use crate::record::PlaceInGroup;

/// A frame before it is written.
#[derive(Clone, Debug)]
struct Draft {
    kind: u8,
    number: u64,
    name: Vec<u8>,
    body: Vec<u8>,
    /// The body ends with a copy of the bytes before it.
    has_copy: bool,
}

/// The bytes of a segment, and the places of its frames and groups.
#[derive(Debug)]
struct Written {
    bytes: Vec<u8>,
    /// The groups, each with the places of its frames.
    groups: Vec<Vec<Range<usize>>>,
}

const KEY: SegmentKey = *b"a secret";

fn draft() -> impl Strategy<Value = Draft> {
    let name = prop::collection::vec(any::<u8>(), 0..30);
    // A row of zeros looks like the end of a log.
    let body = prop_oneof![
        3 => prop::collection::vec(any::<u8>(), 0..90),
        1 => prop::collection::vec(any::<u8>(), 400..1_600),
        1 => (0_usize..1_200).prop_map(|length| vec![0; length]),
    ];
    (1_u8..=4, any::<u64>(), name, body, any::<bool>()).prop_map(
        |(kind, number, name, body, has_copy)| Draft { kind, number, name, body, has_copy },
    )
}

fn groups() -> impl Strategy<Value = Vec<Vec<Draft>>> {
    prop::collection::vec(prop::collection::vec(draft(), 1..5), 1..6)
}

fn write(groups: &[Vec<Draft>]) -> Written {
    let mut bytes = Vec::new();
    let groups = groups.iter().map(|group| {
        let frames = group.iter().enumerate().map(|(index, draft)| {
            let place = PlaceInGroup { is_first: index == 0, is_last: index + 1 == group.len() };
            let flags = u8::from(place.is_first) | u8::from(place.is_last) << 1;
            let mut body = draft.body.clone();
            if draft.has_copy {
                body.extend_from_slice(&bytes[..bytes.len().min(2_000)]);
            }
            let header =
                Header { kind: draft.kind, flags, number: draft.number, name: &draft.name };
            let start = bytes.len();
            Frame { header, body: &body }.write(KEY, start as u64, &mut bytes);
            start..bytes.len()
        });
        frames.collect()
    });
    let groups = groups.collect();
    Written { bytes, groups }
}

impl Written {
    fn frames(&self) -> Vec<Range<usize>> {
        self.groups.concat()
    }

    /// Returns the beginning of a group; the end of all groups for the number of groups.
    fn start(&self, group: usize) -> usize {
        self.groups.get(group).map_or(self.bytes.len(), |group| group[0].start)
    }

    /// Checks that a scan has exactly these frames, with their bytes, and no others.
    fn check_frames(&self, scan: &SegmentScan<'_>, expected: &[Range<usize>]) {
        let frames = scan.items.iter().filter_map(|item| match item {
            ScanItem::Frame { at, frame } => {
                let start = usize::try_from(*at).unwrap();
                let written = Frame::read(KEY, *at, &self.bytes[start..]);
                assert_eq!(written.as_ref(), Ok(frame));
                Some(start..start + frame.len())
            }
            ScanItem::Damaged { .. } => None,
        });
        assert_eq!(frames.collect::<Vec<_>>(), expected);
    }
}

fn damage(scan: &SegmentScan<'_>) -> Vec<Range<usize>> {
    let damaged = scan.items.iter().filter_map(|item| match item {
        ScanItem::Frame { .. } => None,
        ScanItem::Damaged { bytes, .. } => Some(bytes.start as usize..bytes.end as usize),
    });
    damaged.collect()
}

proptest! {
    /// However much is known of it, and also when only a part is read.
    #[test]
    fn written_frames_are_found(
        groups in groups(), room in 0_usize..2_000, known in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
    ) {
        let written = write(&groups);
        let end = written.bytes.len();
        let mut bytes = written.bytes.clone();
        bytes.resize(end + room, 0);
        let (from, known) = (from.index(groups.len()), known.index(groups.len() + 1));
        let base = written.start(from);
        let found = scan(KEY, base as u64, &bytes[base..], written.start(known) as u64);
        written.check_frames(&found, &written.groups[from..].concat());
        prop_assert_eq!(found.end, end as u64);
        prop_assert!(!found.is_torn && damage(&found).is_empty());
    }

    /// At most the frame that it hits is gone, and the place is named. A header is corrected.
    #[test]
    fn a_flipped_bit_costs_one_frame(
        groups in groups(), room in 0_usize..100, bit in any::<prop::sample::Index>(),
    ) {
        let written = write(&groups);
        let end = written.bytes.len();
        let bit = bit.index(end * 8);
        let mut bytes = written.bytes.clone();
        bytes.resize(end + room, 0);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let found = scan(KEY, 0, &bytes, end as u64);
        let mut others = written.frames();
        let hit = others.iter().position(|frame| frame.contains(&(bit / 8))).unwrap();
        let hit = others.remove(hit);
        let (at, header) = (bit / 8 - hit.start, Frame::read(KEY, hit.start as u64, &written.bytes[hit.start..]).unwrap().header);
        let is_body_sum = (20..24).contains(&at);
        let in_body = at >= HEADER + header.name.len();
        if is_body_sum && hit.len() == HEADER + header.name.len() {
            written.check_frames(&found, &written.frames());
            prop_assert_eq!(damage(&found), []);
        } else {
            written.check_frames(&found, &others);
            prop_assert_eq!(damage(&found), [hit]);
        }
        prop_assert_eq!((found.end, found.is_torn), (end as u64, false));
        bytes.truncate(end);
        let corrected = correct_all(KEY, 0, &bytes);
        if is_body_sum || in_body {
            prop_assert_eq!(corrected, bytes);
        } else {
            prop_assert_eq!(corrected, written.bytes);
        }
    }

    /// Without a mark it is the same before the last group, which may be an interrupted write.
    #[test]
    fn flipped_bit_without_a_mark_is_damage(
        groups in groups(), bit in any::<prop::sample::Index>(),
    ) {
        let written = write(&groups);
        let mut bytes = written.bytes.clone();
        let bit = bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let found = scan(KEY, 0, &bytes, 0);
        let last = written.start(groups.len() - 1);
        let mut others = written.frames();
        if damage(&found).is_empty() && found.end == bytes.len() as u64 {
            // It is in the checksum of an empty body.
            prop_assert!(!found.is_torn);
        } else if bit / 8 < last {
            others.retain(|frame| !frame.contains(&(bit / 8)));
            prop_assert_eq!(damage(&found).len(), 1);
        } else {
            others.retain(|frame| frame.end <= last);
            prop_assert_eq!(damage(&found), []);
            prop_assert_eq!((found.end, found.is_torn), (last as u64, true));
        }
        written.check_frames(&found, &others);
    }

    /// Sectors of zeros before the last group are damage as well.
    #[test]
    fn lost_sector_without_a_mark_is_damage(
        groups in groups(), at in any::<prop::sample::Index>(),
    ) {
        let written = write(&groups);
        let last = written.start(groups.len() - 1);
        prop_assume!(last > 0);
        let start = at.index(last) / SECTOR * SECTOR;
        let end = last.min(start + SECTOR);
        let mut bytes = written.bytes.clone();
        bytes[start..end].fill(0);
        prop_assume!(bytes != written.bytes);
        let found = scan(KEY, 0, &bytes, 0);
        let mut others = written.frames();
        others.retain(|frame| bytes[frame.clone()] == written.bytes[frame.clone()]);
        written.check_frames(&found, &others);
        prop_assert!(!damage(&found).is_empty());
    }

    /// A write that was interrupted leaves the groups before it, and nothing is called damaged.
    #[test]
    fn an_interrupted_group_never_was(
        groups in groups(), room in 0_usize..2_000, known in any::<prop::sample::Index>(),
        kept in prop::collection::vec(any::<bool>(), 1..40), cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let written = write(&groups);
        let (last, end) = (written.start(groups.len() - 1), written.bytes.len());
        let known = written.start(known.index(groups.len()));
        let mut bytes = written.bytes.clone();
        bytes[last..].fill(0);
        if is_cut {
            bytes.truncate(last + cut.index(end - last));
            let length = bytes.len();
            bytes[last..].copy_from_slice(&written.bytes[last..length]);
        } else {
            bytes.resize(end + room, 0);
            let sectors = (last / SECTOR..end.div_ceil(SECTOR)).zip(kept.iter().cycle());
            for (sector, _) in sectors.filter(|(_, kept)| **kept) {
                let range = last.max(sector * SECTOR)..end.min((sector + 1) * SECTOR);
                bytes[range.clone()].copy_from_slice(&written.bytes[range]);
            }
        }
        let found = scan(KEY, 0, &bytes, known as u64);
        let is_whole = bytes.get(last..end) == Some(&written.bytes[last..]);
        let counted = if is_whole { groups.len() } else { groups.len() - 1 };
        written.check_frames(&found, &written.groups[..counted].concat());
        prop_assert_eq!(damage(&found), []);
        prop_assert_eq!(found.end, written.start(counted) as u64);
        prop_assert_eq!(found.is_torn, !is_whole && bytes[last..].iter().any(|&byte| byte != 0));
    }

    /// Neither the bytes of the segment at another offset nor another segment's bytes.
    #[test]
    fn copied_frames_are_not_frames(
        groups in groups(), before in any::<prop::sample::Index>(), flip in 0_usize..192,
    ) {
        let written = write(&groups);
        let mut others = Vec::new();
        let header = Header { kind: 2, flags: 3, number: 7, name: b"c" };
        Frame { header, body: b"of another segment" }.write(*b"no key!!", 0, &mut others);
        let copies = [&others[..], &written.bytes, &others].concat();
        let header = Header { kind: 3, flags: 3, number: 1, name: b"" };
        let mut bytes = vec![0; before.index(600)];
        let start = bytes.len();
        Frame { header, body: &copies }.write(KEY, start as u64, &mut bytes);
        let end = bytes.len();
        // With an intact header the body is not scanned; without, it is.
        let found = scan(KEY, start as u64, &bytes[start..], end as u64);
        prop_assert_eq!((found.items.len(), damage(&found)), (1, vec![]));
        bytes[start + flip / 8] ^= 1 << (flip % 8);
        let found = scan(KEY, start as u64, &bytes[start..], end as u64);
        let all = start..end;
        prop_assert_eq!((found.items.len(), damage(&found)), (1, vec![all]));
    }

    /// No byte before the last one that is known to count is taken for the end, even if the frames
    /// on both sides are lost.
    #[test]
    fn flaw_across_known_end_is_damage(groups in groups(), at in any::<prop::sample::Index>()) {
        let mut written = write(&groups);
        let known = written.start(1 + at.index(groups.len()));
        for frame in written.frames() {
            if frame.start == known || frame.end == known {
                written.bytes[frame.start..frame.start + HEADER].fill(0xaa);
            }
        }
        let found = scan(KEY, 0, &written.bytes, known as u64);
        prop_assert!(found.end >= known as u64, "{:?}", found);
        prop_assert!(damage(&found).iter().any(|lost| lost.contains(&(known - 1))), "{:?}", found);
    }

    /// Foreign bytes, and any of ours, end the scan somewhere and never panic.
    #[test]
    fn any_bytes_can_be_scanned(
        groups in groups(), base in 0_u64..5_000, known in 0_u64..9_000,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..60),
    ) {
        let mut bytes = write(&groups).bytes;
        for (at, byte) in cuts {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let found = scan(KEY, base, &bytes, known);
        let mut at = base;
        for item in &found.items {
            let place = match item {
                ScanItem::Frame { at, frame } => *at..*at + frame.len() as u64,
                ScanItem::Damaged { bytes, .. } => bytes.clone(),
            };
            prop_assert!(place.start == at && place.end > at, "{:?}", found);
            at = place.end;
        }
        prop_assert_eq!(found.end, at);
        prop_assert!(found.end >= known.min(base + bytes.len() as u64));
    }
}

/// The number of bytes that a disk writes whole or not at all.
const SECTOR: usize = 512;
