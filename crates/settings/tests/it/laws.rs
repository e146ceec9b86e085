//! Laws: written settings can be read back, and no written setting stops another program.

use proptest::prelude::*;
use silcrow_settings::{SettingKey, SettingsEditor};

use super::{Home, shown};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A text that a person sets is the text that counts, or nothing is written.
    #[test]
    fn set_values_are_read_back_exactly(value in "\\PC{0,24}", key in 0_usize..32) {
        let key = SettingKey::ALL[key];
        let home = Home::new();
        let before = "# Mine.\ncoding = true # yes\n";
        let file = home.own(before);
        let editor = SettingsEditor::of_person(&home.environment(&[])).unwrap();
        match editor.set(None, key, &value) {
            Ok(()) => {
                let files = home.load().unwrap();
                let found = files.get(key).expect("the key is set");
                prop_assert!(found.source.to_string().starts_with(file.to_str().unwrap()));
                if [SettingKey::Model, SettingKey::TitleModel, SettingKey::Proxy].contains(&key) {
                    prop_assert_eq!(found.value.to_string(), value);
                }
                prop_assert!(super::text(&file).starts_with("# Mine.\n"));
            }
            Err(_) => prop_assert_eq!(super::text(&file), before),
        }
    }

    /// Any file is read or has a mistake, and a file that is read is shown with all its keys.
    #[test]
    fn any_file_is_read_or_has_a_mistake(text in "[a-z_. =\\[\\]\"0-9\n{}#]{0,80}") {
        let home = Home::new();
        home.own(&text);
        if let Ok(files) = home.load() {
            prop_assert!(files.entries().len() >= SettingKey::ALL.len());
            prop_assert!(shown(&files, SettingKey::Stop).is_none_or(|(_, source)| !source.is_empty()));
        }
    }
}
