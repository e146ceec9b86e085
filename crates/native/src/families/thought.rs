//! Families that have a form for thoughts and none for calls.

use crate::family_data::FamilyData;

pub(crate) const FAMILIES: &[FamilyData] = &[
    FamilyData {
        name: "deepseek_r1",
        models: &["deepseek-r1-distill"],
        dropped: &["<｜end▁of▁sentence｜>"],
        ..FamilyData::BASE
    },
    FamilyData {
        name: "granite_think",
        models: &["granite-think"],
        dropped: &["<|end_of_text|>"],
        ..FamilyData::BASE
    },
    FamilyData { name: "olmo3_think", models: &["olmo-3-think"], ..FamilyData::BASE },
    FamilyData { name: "minicpm_v", models: &["minicpm-v"], ..FamilyData::BASE },
    FamilyData { name: "holo2", models: &["holo2"], ..FamilyData::BASE },
    FamilyData {
        name: "exaone4",
        models: &["exaone-4"],
        dropped: &["[|endofturn|]"],
        ..FamilyData::BASE
    },
    FamilyData { name: "identity", think: &[], think_end: &[], dropped: &[], ..FamilyData::BASE },
];
