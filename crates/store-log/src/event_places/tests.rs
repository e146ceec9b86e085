//! Packed places are equal to the written ones, wherever reading begins.

use std::io::Write as _;
use std::sync::Arc;

use proptest::prelude::*;

use super::{CHUNK, EventPlaces, PackedPlaces};
use crate::bytes::{ByteReader, ByteWriter};
use crate::file_bytes::FileBytes;
use crate::frame_place::FramePlace;

/// Places one after the other, in other segments, before those before them, and none.
fn places() -> impl Strategy<Value = Vec<Option<FramePlace>>> {
    let place = (1_u32..4, 0..u32::MAX, 1..u32::MAX / 2);
    let place = place.prop_map(|(segment, at, length)| {
        FramePlace::checked(segment, u64::from(at), u64::from(length))
    });
    let near =
        (0_u64..3, 1_u64..400).prop_map(|(at, length)| FramePlace::checked(1, at * 400, length));
    let any = prop_oneof![1 => place, 4 => near, 1 => Just(None)];
    prop::collection::vec(any, 0..3 * CHUNK)
}

fn packed(places: &EventPlaces) -> EventPlaces {
    let mut bytes = ByteWriter(b"before".to_vec());
    places.write(&mut bytes);
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes.0).unwrap();
    let mut read = FileBytes::default();
    read.read(&file, 0, bytes.0.len()).unwrap();
    let read = Arc::new(read);
    let mut reader = ByteReader(&read[6..]);
    let packed = PackedPlaces::read(&read, &mut reader, places.len() as u64).unwrap();
    assert!(reader.is_empty());
    EventPlaces::packed(packed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn packed_places_round_trip(
        places in places(),
        more in places(),
        bounds in any::<[prop::sample::Index; 2]>(),
        changed in any::<prop::sample::Index>(),
    ) {
        let all: Vec<_> = places.iter().chain(&more).copied().collect();
        let mut kept = EventPlaces { packed: None, rest: places.clone() };
        let mut read = packed(&kept);
        for one in [&mut kept, &mut read] {
            one.grow(all.len());
            for (index, place) in (places.len()..).zip(&more) {
                if let Some(place) = place {
                    one.set(index, *place);
                }
            }
            prop_assert_eq!(one.len(), all.len());
            prop_assert_eq!(one.iter().collect::<Vec<_>>(), all.clone());
            let [from, to] = bounds.map(|bound| bound.index(all.len() + 2));
            let within = all.get(from..to.min(all.len())).unwrap_or_default();
            prop_assert_eq!(one.range(from..to).collect::<Vec<_>>(), within);
            for index in [from, to] {
                prop_assert_eq!(one.get(index), all.get(index).copied().flatten());
            }
            let index = changed.index(all.len() + 1);
            let place = FramePlace::checked(7, 1, 2).unwrap();
            one.set(index, place);
            prop_assert_eq!(one.get(index), (index < all.len()).then_some(place));
            prop_assert_eq!(one.len(), all.len());
        }
        let again = packed(&read);
        prop_assert_eq!(again.iter().collect::<Vec<_>>(), kept.iter().collect::<Vec<_>>());
    }
}
