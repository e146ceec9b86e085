//! The rule of thumb for tokens, compared with a real model's count.

use silcrow_provider::Estimate;

use crate::captures::{index, usage};

#[test]
fn median_estimate_error_is_within_a_fifth() {
    let mut errors = Vec::new();
    for entry in index() {
        let (file, expect) = (entry["file"].as_str().unwrap(), &entry["expect"]);
        // The other servers' figures are made up.
        let Some((_, output, _)) = usage(&expect["usage"]).filter(|_| file.starts_with("llamacpp"))
        else {
            continue;
        };
        let mut estimate = Estimate::default();
        estimate.push(expect["text"].as_str().unwrap());
        errors.push((estimate.tokens() as f64 / output as f64 - 1.0, file.to_owned()));
    }
    errors.sort_by(|(one, _), (other, _)| one.abs().total_cmp(&other.abs()));
    assert_eq!(errors.len(), 13, "{errors:?}");
    // The worst is a line of pictures.
    assert!(errors[errors.len() / 2].0.abs() < 0.2, "{errors:?}");
    assert!(errors[errors.len() - 1].0.abs() < 0.5, "{errors:?}");
}
